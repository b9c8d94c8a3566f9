package cdp

// order returns the nodes of the reply in the order of a capture. The reply is
// in preorder but for one thing: it has all pseudo elements before the
// children, ::after and then ::marker last among them. Here ::marker is the
// first and ::after stands behind the children.
func (b *builder) order() []int32 {
	parent := b.d.parent
	n := int32(len(parent))
	order := make([]int32, 0, n)
	if len(b.d.pseudo.index) == 0 {
		for i := range n {
			order = append(order, i)
		}
		return order
	}
	o := orderer{parent: parent, end: ends(parent), pseudo: b.pseudo, name: func(i int32) string { return b.t.text(b.d.name[i]) }}
	return o.walk(order)
}

// ends returns where the subtree of each node ends.
func ends(parent []int32) []int32 {
	end := make([]int32, len(parent))
	for i := len(parent) - 1; i >= 0; i-- {
		end[i] = max(end[i], int32(i)+1)
		if p := parent[i]; p >= 0 {
			end[p] = max(end[p], end[i])
		}
	}
	return end
}

type orderer struct {
	parent, end []int32
	pseudo      []bool
	name        func(i int32) string
	later       []deferred
}

// A deferred subtree comes at the end of another one.
type deferred struct{ from, to, at int32 }

func (o *orderer) walk(order []int32) []int32 {
	n := int32(len(o.parent))
	for i := int32(0); i < n; {
		order = o.due(order, i)
		order = append(order, i)
		i++
		if i < n && o.pseudo[i] && o.parent[i] == i-1 {
			order, i = o.pseudos(order, i)
		}
	}
	return o.due(order, n)
}

// due appends what was deferred to position i, the innermost first.
func (o *orderer) due(order []int32, i int32) []int32 {
	for len(o.later) > 0 && o.later[len(o.later)-1].at <= i {
		last := o.later[len(o.later)-1]
		o.later = o.later[:len(o.later)-1]
		order = appendRange(order, last.from, last.to)
	}
	return order
}

// pseudos appends the pseudo elements that begin at i, and returns where the
// children begin.
func (o *orderer) pseudos(order []int32, i int32) ([]int32, int32) {
	element := o.parent[i]
	start := i
	for i < o.end[element] && o.pseudo[i] {
		if o.name(i) == "::marker" {
			order = appendRange(order, i, o.end[i])
		}
		i = o.end[i]
	}
	for j := start; j < i; j = o.end[j] {
		switch o.name(j) {
		case "::marker":
		case "::after":
			o.later = append(o.later, deferred{j, o.end[j], o.end[element]})
		default:
			order = appendRange(order, j, o.end[j])
		}
	}
	return order, i
}

func appendRange(order []int32, from, to int32) []int32 {
	for i := from; i < to; i++ {
		order = append(order, i)
	}
	return order
}
