package axtree

// An Arena is memory that trees are computed in: each takes that of the one
// before. A tree is large beside what is usually made of it, and gone when
// that is made. The zero value is ready; one goroutine at a time may use it.
type Arena struct {
	items   []item
	texts   []string
	order   []int32
	objects []Object
}

// Cap returns the number of captured nodes that the arena has room for.
func (a *Arena) Cap() int { return cap(a.items) }

// Clear forgets the last tree, which must not be used any more, and keeps the
// room.
func (a *Arena) Clear() {
	clear(a.items)
	clear(a.texts)
	clear(a.objects)
	a.items, a.texts, a.objects = a.items[:0], a.texts[:0], a.objects[:0]
}

// room returns n zero values in memory that is there, if it is enough.
func room[T any](there *[]T, n int) []T {
	if cap(*there) < n {
		*there = make([]T, n, n+n/8)
	}
	*there = (*there)[:n]
	return *there
}
