package css

import (
	"slices"
	"strings"
)

// A layer is a cascade layer of one tree, or the root that holds them all
// (css-cascade-5 §6.4). Rules without a layer stand in the root.
type layer struct {
	names map[string]*layer
	below []*layer // in the order of their first mention, which is from weak to strong
	rank  int      // how strong it is among the layers of its tree, 0 at the root
}

// named returns the layer that a name with dots leads to. No name is a layer of its
// own each time.
func (l *layer) named(name string) *layer {
	for _, part := range strings.Split(name, ".") {
		part = strings.TrimSpace(part)
		next := l.names[part]
		if next == nil || part == "" {
			next = &layer{}
			l.below = append(l.below, next)
			if l.names == nil {
				l.names = map[string]*layer{}
			}
			l.names[part] = next
		}
		l = next
	}
	return l
}

// settle ranks the layers: those within a layer are weaker than what stands in it
// directly, and all are weaker than what stands in none.
func (l *layer) settle() {
	rank := 0
	var walk func(*layer)
	walk = func(l *layer) {
		l.rank = rank
		rank--
		for _, next := range slices.Backward(l.below) {
			walk(next)
		}
	}
	walk(l)
}
