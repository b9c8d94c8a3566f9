package axtree

// An Arena is memory for computing trees one after the other: each reuses that of
// the one before. It pays where trees are short-lived, and large compared with
// what is made of them. The zero value is ready for use. Only one goroutine at a
// time may use an arena.
type Arena struct {
	items   []item
	texts   []string
	order   []int32
	objects []Object
}

// Cap returns the number of captured nodes that the arena has room for.
func (a *Arena) Cap() int { return cap(a.items) }

// Clear drops the last tree, which must not be used any more, and keeps the
// memory.
func (a *Arena) Clear() {
	clear(a.items)
	clear(a.texts)
	clear(a.objects)
	a.items, a.texts, a.objects = a.items[:0], a.texts[:0], a.objects[:0]
}

// room returns n zero values, in the memory of the last use if that is enough.
func room[T any](there *[]T, n int) []T {
	if cap(*there) < n {
		*there = make([]T, n, n+n/8)
	}
	*there = (*there)[:n]
	return *there
}
