package accessibility

import (
	"sync"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// An arena is memory that [Build] works in and that the next Build uses again:
// a page's tree is large compared with its snapshot, and short-lived.
type arena struct {
	tree   axtree.Arena
	drafts []draft
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// maxPooled is for how many captured nodes memory is kept. A page of 10,000
// elements has 20,000. What a larger one takes is given up piece by piece, as soon
// as it is used.
const maxPooled = 40_000

// compute computes a capture's tree, in the arena's memory if it is not too large.
func (a *arena) compute(c *driver.Capture) *axtree.Tree {
	total := 0
	for i := range c.Documents {
		total += len(c.Documents[i].Nodes)
	}
	if total > maxPooled {
		return axtree.Compute(c)
	}
	return a.tree.Compute(c)
}

// release clears the arena and returns it to the pool.
func (a *arena) release() {
	if cap(a.drafts) > maxPooled {
		a.drafts = nil
	}
	a.tree.Clear()
	clear(a.drafts[:cap(a.drafts)])
	arenas.Put(a)
}

// draftsFor returns an empty slice with room for n drafts, in the arena's memory
// if that is large enough.
func (a *arena) draftsFor(n int) []draft {
	switch {
	case n > maxPooled: // for once
		a.drafts = make([]draft, 0, n)
	case cap(a.drafts) < n:
		a.drafts = make([]draft, 0, n+n/8)
	}
	return a.drafts[:0]
}
