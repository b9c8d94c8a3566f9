package accessibility

import (
	"sync"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
)

// An arena is memory that [Build] works in and that the next Build uses again:
// a page's tree is large compared with its snapshot, and short-lived.
type arena struct {
	tree   axtree.Arena
	drafts []draft
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// maxPooled is the largest arena that goes back to the pool, in captured nodes.
const maxPooled = 20_000

// release clears the arena and returns it to the pool.
func (a *arena) release() {
	if a.tree.Cap() > maxPooled {
		return
	}
	a.tree.Clear()
	clear(a.drafts[:cap(a.drafts)])
	arenas.Put(a)
}

// draftsFor returns an empty slice with room for n drafts, in the arena's memory
// if that is large enough.
func (a *arena) draftsFor(n int) []draft {
	if cap(a.drafts) < n {
		a.drafts = make([]draft, 0, n+n/8)
	}
	return a.drafts[:0]
}
