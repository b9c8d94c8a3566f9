package accessibility

import "github.com/wayfinder-engine/wayfinder/accessibility/axtree"

// A pruner walks an accessibility tree once, in preorder, and collects the
// nodes that are worth a line. What can only be known at the end of an element
// (whether it has any content) it decides when the element closes: a node that
// turns out to be superfluous is marked, and removed after the walk.
type pruner struct {
	tree *axtree.Tree
	opts *Options
	snap *Snapshot

	nodes []draft

	open []openElement
	run  textRun

	scope, ignore map[nodeKey]bool

	text        chunks
	cellRoom    []Cell // room for cells
	rowText     []byte // room for a row's text
	newLine     bool   // what comes next begins a new line
	spaceBefore bool   // white space stands before what comes next
	urls        resolver
	labels      labelIndex
	icons       iconIndex
	tables      tableIndex
	nest        nest
	prompts     map[int32]string // of editable elements: what they show while they are empty, by object
	scripts     []scriptText
	spans       map[int32][]rowSpan // of each table, in pruner.nodes: the columns that cells reach down into
}

// A draft is the part of a node that the walk needs. The rest is filled in
// after the walk, for the nodes that are left.
type draft struct {
	role        Role
	name        string
	cells       []Cell
	object      int32 // in Tree.Objects; -1 for text and the page
	doc, node   int32
	parent      int32 // in pruner.nodes; -1 for none
	children    int32 // number of children
	last        int32 // the last child, 0 for none; the first is the node behind
	prev, next  int32 // the siblings, 0 for none
	heading     int32
	removed     bool // to be removed; its children stay
	interactive bool
	checked     bool // the control that it labels is checked
	header      bool
	newLine     bool
	joined      bool
}

// An openElement is an object that the walk has entered and not yet left.
type openElement struct {
	end     int32 // in Tree.Objects
	node    int32 // the node that children belong to; -1 for none
	own     bool  // node is this object's own
	repeat  bool  // one of pruner.nest
	block   bool  // begins and ends a line
	pointer bool  // the cursor is a pointer
	inScope bool
	unseen  bool  // nobody can see anything of it
	cutter  int32 // the node that cuts it off, in its document; -1 if that is not why
	inside  bool  // within a control whose name includes all of its content
	cover   int32 // index in pruner.open of the element whose cover applies; -1 for none
	by      cover
}

// append adds an empty node below parent, which may be -1.
func (p *pruner) append(parent int32) int32 {
	k := int32(len(p.nodes))
	d := draft{parent: parent}
	if parent >= 0 {
		up := &p.nodes[parent]
		if d.prev = up.last; d.prev > 0 {
			p.nodes[d.prev].next = k
		}
		up.last = k
		up.children++
	}
	p.nodes = append(p.nodes, d)
	return k
}

// drop removes the last node, which has no children.
func (p *pruner) drop(k int32) {
	d := &p.nodes[k]
	if d.parent >= 0 {
		up := &p.nodes[d.parent]
		up.children--
		up.last = d.prev
		if d.prev > 0 {
			p.nodes[d.prev].next = 0
		}
	}
	p.newLine = p.newLine || d.newLine
	p.nodes = p.nodes[:k]
}

// dropKids removes everything below k. No node may follow it.
func (p *pruner) dropKids(k int32) {
	p.nodes = p.nodes[:k+1]
	p.nest.cut(k)
	p.nodes[k].children, p.nodes[k].last = 0, 0
}

// onlyChild returns the only node below k, looking through removed ones; -1 if
// there are several.
func (p *pruner) onlyChild(k int32) int32 {
	for p.nodes[k].children == 1 {
		k = p.nodes[k].last
		if !p.nodes[k].removed {
			return k
		}
	}
	return -1
}

// plain reports whether a node has nothing to show but its role and its name.
func (p *pruner) plain(k int32) bool {
	s := p.states(k)
	return !p.nodes[k].interactive && s.Current == "" && s.Selected != On && s.Expanded == Unset && s.Sort == "" && !s.Busy &&
		!p.scrolls(k)
}

// first returns the first child of k, 0 if there is none.
func (p *pruner) first(k int32) int32 {
	if p.nodes[k].children == 0 {
		return 0
	}
	return k + 1
}

// noObject stands for a node that was not made of an object.
var noObject = axtree.Object{States: new(axtree.States)}

// objectOf returns the object that a node was made of.
func (p *pruner) objectOf(k int32) *axtree.Object {
	if i := p.nodes[k].object; i >= 0 {
		return &p.tree.Objects[i]
	}
	return &noObject
}

func (p *pruner) states(k int32) *States { return p.objectOf(k).States }

// scrolls reports whether a node's content is larger than what is shown of it.
func (p *pruner) scrolls(k int32) bool {
	d := &p.nodes[k]
	return d.object >= 0 && scrolls(&p.tree.Capture.Documents[d.doc].Nodes[d.node])
}

// A repeat is an element without a line of its own beside, or within, another one
// like it.
type repeat struct {
	object    int32 // in Tree.Objects
	parent    int32 // the object around
	mark      mark
	from, to  int32 // what it contains, in pruner.nodes
	up        int32 // the node around, in pruner.nodes
	nested    bool  // within another of its kind
	lines     int
	keys      []lineKey
	kept      bool
	doc, node int32
}

// A scriptText is a text that stands above or below its line, written so that it
// cannot be taken for a part of what stands before it: "10⁶" is not 106.
type scriptText struct {
	object int32 // in Tree.Objects
	text   string
	added  bool // names leave the text out: it is an annotation
}

// A rowSpan is a cell that reaches down into a column.
type rowSpan struct {
	left    int   // rows that it still reaches into
	section int32 // the part of the table that it ends with, in the document
	kind    uint8 // in lineCells
	node    int32 // the cell
}
