package accessibility

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// Elements without a role have no line, and mostly need none. But where a page repeats
// one, as for cards or for replies, its border is what tells which of two headings the
// button between them belongs to. Such an element gets a line where its content does
// not say where it begins.

// A lineKey is what a line is taken for when it is compared with others.
type lineKey struct {
	role    Role
	heading bool
}

// maxKeys bounds how many lines of an element are compared.
const maxKeys = 12

// A mark tells elements that are like one another: by their name and first class.
type mark struct{ name, class string }

func markOf(n *driver.Node) mark {
	class, ok := n.Attr("class")
	if !ok {
		return mark{name: n.Name}
	}
	class = strings.TrimLeft(class, " \t\n")
	if i := strings.IndexAny(class, " \t\n"); i >= 0 {
		class = class[:i]
	}
	return mark{n.Name, class}
}

// A repeat is an element without a line of its own beside, or within, another one
// like it.
type repeat struct {
	object    int32 // in Tree.Objects
	parent    int32 // the object around
	mark      mark
	from, to  int32 // what it contains, in drafts.nodes
	up        int32 // the node around, in drafts.nodes
	nested    bool  // within another of its kind
	lines     int
	keys      []lineKey
	kept      bool
	doc, node int32
}

// A nest is drafts with the repeats among them.
type nest struct {
	drafts
	open []int32 // in all, those that are not closed
	all  []repeat
}

// dropKids removes everything below k, with the repeats in it. No node may follow it.
func (p *nest) dropKids(k int32) {
	p.nodes = p.nodes[:k+1]
	for len(p.all) > 0 && p.all[len(p.all)-1].from > k {
		p.all = p.all[:len(p.all)-1]
	}
	p.nodes[k].children, p.nodes[k].last = 0, 0
}

// enter notes an element without a line if it is repeated. It reports whether it was.
func (p *nest) enter(i int32, o *axtree.Object, n *driver.Node, f *openElement) bool {
	if n.Namespace != driver.HTML || f.inside || f.node >= 0 && !p.nests(f.node) {
		return false
	}
	switch n.Name {
	case "div", "section", "span", "header", "footer":
	default:
		if !strings.Contains(n.Name, "-") {
			return false
		}
	}
	m := markOf(n)
	nested := false
	for _, k := range p.open {
		nested = nested || p.all[k].mark == m && m.class != ""
	}
	if !nested && !p.siblingLike(f.end, o, m) && !p.siblingBefore(o, m) {
		return false
	}
	p.open = append(p.open, int32(len(p.all)))
	p.all = append(p.all, repeat{object: i, parent: o.Parent, mark: m, from: int32(len(p.nodes)), up: f.node,
		nested: nested, doc: o.Doc, node: o.Node})
	return true
}

// nests reports whether elements without a role within a node may get lines.
func (p *nest) nests(k int32) bool {
	r := p.nodes[k].role
	return !cellRole(r) && r != "row" && r != "heading" && treatments[r]&contentName == 0
}

// siblingLike reports whether the element beside an object, at next or close behind it, has the mark.
func (p *nest) siblingLike(next int32, o *axtree.Object, m mark) bool {
	objects := p.tree.Objects
	for j, n := next, 0; int(j) < len(objects) && objects[j].Parent == o.Parent && n < 3; n++ {
		s := &objects[j]
		if node := nodeOf(p.tree, s); node != nil && node.Kind == driver.ElementNode {
			return !s.Hidden && markOf(node) == m
		}
		j = max(s.End, j+1)
	}
	return false
}

// siblingBefore reports whether the last repeat that was closed is beside an object.
func (p *nest) siblingBefore(o *axtree.Object, m mark) bool {
	for k := len(p.all) - 1; k >= 0; k-- {
		if r := &p.all[k]; r.parent == o.Parent {
			return r.mark == m
		} else if r.object < o.Parent {
			return false
		}
	}
	return false
}

// leave ends a repeat.
func (p *nest) leave() {
	k := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	p.all[k].to = int32(len(p.nodes))
}

// countLines counts the lines of each repeat, and notes what the first of them are.
func (p *nest) countLines() {
	all := p.all
	before := make([]int32, len(p.nodes)+1) // lines before each node
	for i := range p.nodes {
		before[i+1] = before[i]
		if !p.nodes[i].removed {
			before[i+1]++
		}
	}
	keys := make([]lineKey, 0, min(before[len(p.nodes)], maxKeys*int32(len(all))))
	for k := range all {
		r := &all[k]
		r.to = min(r.to, int32(len(p.nodes)))
		if r.from >= r.to {
			continue
		}
		r.lines = int(before[r.to] - before[r.from])
		start := len(keys)
		for i := r.from; i < r.to && len(keys)-start < min(maxKeys, r.lines); i++ {
			if d := &p.nodes[i]; !d.removed {
				keys = append(keys, lineKey{d.role, d.role == "heading" || d.heading > 0})
			}
		}
		r.keys = keys[start:len(keys):len(keys)]
	}
}

// judge decides which repeats get lines.
func (p *nest) judge() {
	all := p.all
	p.countLines()
	series := make([]int32, 0, len(all)) // by the object around
	for k := range all {
		if all[k].lines > 0 {
			series = append(series, int32(k))
		}
	}
	slices.SortStableFunc(series, func(a, b int32) int { return cmp.Compare(all[a].parent, all[b].parent) })
	for from := 0; from < len(series); {
		first := &all[series[from]]
		to := from + 1
		for to < len(series) && all[series[to]].parent == first.parent && all[series[to]].mark == first.mark {
			to++
		}
		if list := series[from:to]; len(list) > 1 && ambiguous(all, list) {
			for _, k := range list {
				all[k].kept = all[k].lines > 1
			}
		}
		from = to
	}
	for k := range all { // in preorder: what is around comes first
		r := &all[k]
		if !r.nested || r.kept || r.lines < 2 {
			continue
		}
		for j := k - 1; j >= 0; j-- {
			if a := &all[j]; a.mark == r.mark && a.from <= r.from && r.to <= a.to && a.kept {
				r.kept = true
				break
			}
		}
	}
}

// ambiguous reports whether the lines of elements that follow one another do not say
// where each begins. They do if all begin with a line of a kind that comes nowhere
// else in them, which is not a control; and if all have the same lines.
func ambiguous(all []repeat, list []int32) bool {
	several := 0
	for _, k := range list {
		if all[k].lines > 1 {
			several++
		}
	}
	if several < 2 {
		return false
	}
	first := all[list[0]].keys
	begin, same, once, heading := first[0], true, true, false
	for _, k := range list {
		r := &all[k]
		if r.keys[0] != begin {
			return alike(all, list)
		}
		same = same && slices.Equal(r.keys, first)
		once = once && !slices.Contains(r.keys[1:], begin)
		heading = heading || slices.ContainsFunc(r.keys[1:], func(k lineKey) bool { return k.heading })
	}
	if begin.heading || begin.role == "image" {
		return !once && !same
	}
	if heading || interactiveRole(begin.role) && begin.role != "link" {
		return alike(all, list)
	}
	return !same && !once && alike(all, list)
}

// alike reports whether elements are of one kind by what they contain: each shares
// half of its lines' kinds with the first.
func alike(all []repeat, list []int32) bool {
	first := all[list[0]].keys
	for _, k := range list[1:] {
		shared := 0
		for _, key := range all[k].keys {
			if slices.Contains(first, key) {
				shared++
			}
		}
		if 2*shared < len(all[k].keys) {
			return false
		}
	}
	return true
}

// insertRepeats puts the lines of repeats before what they contain.
func (p *nest) insertRepeats() {
	if len(p.all) == 0 {
		return
	}
	p.judge()
	count := 0
	for k := range p.all {
		if p.all[k].kept {
			count++
		}
	}
	if count == 0 {
		return
	}
	moved := make([]int32, len(p.nodes)+1) // where each draft goes
	nodes := make([]draft, 0, len(p.nodes)+count)
	var open []int32 // the new lines that are open, in nodes
	var ends []int32 // where each ends, in p.nodes
	k := 0
	for i := range int32(len(p.nodes)) {
		for len(ends) > 0 && ends[len(ends)-1] <= i {
			open, ends = open[:len(open)-1], ends[:len(ends)-1]
		}
		for ; k < len(p.all) && p.all[k].from <= i; k++ {
			r := &p.all[k]
			if !r.kept || r.from < i {
				continue
			}
			d := draft{role: "generic", object: r.object, doc: r.doc, node: r.node, parent: p.around(r.up, moved, open), newLine: true}
			open, ends = append(open, int32(len(nodes))), append(ends, r.to)
			nodes = append(nodes, d)
		}
		moved[i] = int32(len(nodes))
		d := p.nodes[i]
		d.parent = p.around(d.parent, moved, open)
		nodes = append(nodes, d)
	}
	p.nodes = nodes
}

// around returns the parent of a draft that has moved: the new line around it, if
// that is nearer.
func (p *nest) around(parent int32, moved, open []int32) int32 {
	if parent >= 0 {
		parent = moved[parent]
	}
	if n := len(open); n > 0 {
		parent = max(parent, open[n-1])
	}
	return parent
}
