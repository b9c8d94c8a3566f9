package axtree

import "github.com/wayfinder-engine/wayfinder/driver"

// A Tree is the accessibility tree of a capture in full: an object for every
// captured element, text and pseudo element, those that assistive technology
// is not shown included (Ignored). It is what browsers call their
// accessibility tree, and is compared with Chrome's in the tests.
type Tree struct {
	Capture *driver.Capture

	// Objects are in preorder of the accessibility tree, where aria-owns has
	// moved what it moves: a subtree is Objects[i:Objects[i].End].
	Objects []Object
}

// An Object is a node of a [Tree].
type Object struct {
	Doc, Node int32 // the source: Capture.Documents[Doc].Nodes[Node]
	Parent    int32 // index in Objects; -1 for the root of the main document
	End       int32 // index after the last object of the subtree

	Role        Role
	Name        string
	Description string
	Value       string  // of a control: as a person reads it
	States      *States // never nil; objects share it: do not change it

	// Ignored reports that the object itself is not in the tree that is
	// shown; its children may be.
	Ignored bool
	// Hidden reports that a person does not perceive it in any way: not
	// rendered, invisible, inert, or aria-hidden.
	Hidden bool
}

// Compute builds the accessibility tree of a capture: every object with its
// role, name, description, value and states, and whether it is shown.
//
// It follows accname 1.2, HTML-AAM, core-AAM, SVG-AAM, DPUB-AAM and
// Graphics-AAM, and where these leave room or browsers agree on something
// else, Chromium. It does not change c, which the tree keeps.
func Compute(c *driver.Capture) *Tree { return new(Arena).Compute(c) }

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

// Compute is like the function [Compute] and uses the arena's memory. The tree is
// valid until the next Compute or Clear.
func (a *Arena) Compute(c *driver.Capture) *Tree {
	a.Clear()
	b := newBuilder(c, a)
	b.link()
	(&inheritance{&b.controls}).inherit()
	(&flow{texts: &b.texts, text: none}).layOut()
	b.relate()
	r := &roles{nativeRoles{&b.arrangement, tables{&b.forest}}}
	r.firstRoles()
	b.linkAX()
	(&hiding{&b.arrangement}).hide()
	(&inclusion{&b.arrangement}).include()
	r.finalRoles()
	return b.tree(a)
}

// A builder computes the tree of a capture: all layers and passes put together.
type builder struct{ names }

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

// newBuilder makes the items of all documents, in document order.
func newBuilder(c *driver.Capture, a *Arena) *builder {
	b := &builder{}
	b.c, b.base = c, make([]int32, len(c.Documents)+1)
	total := 0
	for d := range c.Documents {
		b.base[d] = int32(total)
		total += len(c.Documents[d].Nodes)
	}
	b.base[len(c.Documents)] = int32(total)
	b.items = room(&a.items, total)
	b.visible = room(&a.texts, total)
	b.order = room(&a.order, total)[:0]
	for d := range c.Documents {
		nodes := c.Documents[d].Nodes
		for k := range nodes {
			b.items[int(b.base[d])+k] = newItem(&nodes[k], int32(d))
		}
	}
	return b
}

// noStates are those of most objects.
var noStates States

// A stateSet makes one of equal states: a page has few different ones.
type stateSet map[States]*States

func (s stateSet) of(states States) *States {
	if states == noStates {
		return &noStates
	}
	known := s[states]
	if known == nil {
		known = new(States) // not the parameter, which would then be on the heap each time
		*known = states
		s[states] = known
	}
	return known
}

// tree makes objects of the items, in the order of the accessibility tree.
func (b *builder) tree(a *Arena) *Tree {
	t := &Tree{Capture: b.c, Objects: room(&a.objects, len(b.order))}
	at, shared := make([]int32, len(b.items)), stateSet{}
	for k, i := range b.order {
		at[i] = int32(k)
		it := &b.items[i]
		o := &t.Objects[k]
		o.Doc, o.Node, o.Parent, o.End = it.doc, b.docIndex(i), none, int32(k+1)
		if it.axParent != none {
			o.Parent = at[it.axParent]
		}
		o.Role = it.kind.role()
		if it.shownAs != kindUnknown {
			o.Role = it.shownAs.role()
		}
		o.States = &noStates
		o.Ignored = it.is(ignored)
		o.Hidden = it.is(hiddenStyle | ariaHidden | inert | pruned)
		if o.Ignored {
			continue
		}
		o.Name, o.Description = b.nameAndDescription(i)
		o.Value = b.value(i)
		o.States = shared.of(b.statesOf(i))
	}
	for k := len(t.Objects) - 1; k > 0; k-- {
		if p := t.Objects[k].Parent; p >= 0 {
			t.Objects[p].End = max(t.Objects[p].End, t.Objects[k].End)
		}
	}
	return t
}

// room returns n zero values, in the memory of the last use if that is enough. Where it
// was not enough once, there is some to spare.
func room[T any](there *[]T, n int) []T {
	switch {
	case cap(*there) == 0:
		*there = make([]T, n)
	case cap(*there) < n:
		*there = make([]T, n, n+n/8)
	}
	*there = (*there)[:n]
	return *there
}
