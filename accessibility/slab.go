package accessibility

import "sync"

// A slab is memory that [Build] needs while it works and leaves to the next:
// a page's tree is large beside its snapshot, and gone when that is made.
type slab struct {
	items   []item
	texts   []string
	order   []int32
	objects []Object
	drafts  []draft
}

var slabs = sync.Pool{New: func() any { return new(slab) }}

// mostKept bounds, in items, what is kept of a page for the next one.
const mostKept = 20_000

// release forgets what was read and gives the memory back.
func (s *slab) release() {
	if cap(s.items) > mostKept {
		return
	}
	clear(s.items)
	clear(s.texts)
	clear(s.objects)
	clear(s.drafts[:cap(s.drafts)])
	slabs.Put(s)
}

// room returns n zero values in memory that is there, if it is enough.
func room[T any](there *[]T, n int) []T {
	if cap(*there) < n {
		*there = make([]T, n, n+n/8)
	}
	*there = (*there)[:n]
	return *there
}
