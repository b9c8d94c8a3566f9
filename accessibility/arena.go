package accessibility

import (
	"sync"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
)

// An arena is memory that [Build] needs while it works and leaves to the next:
// a page's tree is large beside its snapshot, and gone when that is made.
type arena struct {
	tree   axtree.Arena
	drafts []draft
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// mostKept bounds, in captured nodes, what is kept of a page for the next one.
const mostKept = 20_000

// release forgets what was read and gives the memory back.
func (a *arena) release() {
	if a.tree.Cap() > mostKept {
		return
	}
	a.tree.Clear()
	clear(a.drafts[:cap(a.drafts)])
	arenas.Put(a)
}

// draftsFor returns an empty slice with room for n drafts, in memory that is
// there, if it is enough.
func (a *arena) draftsFor(n int) []draft {
	if cap(a.drafts) < n {
		a.drafts = make([]draft, 0, n+n/8)
	}
	return a.drafts[:0]
}
