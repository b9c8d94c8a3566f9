package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// A pruner walks an accessibility tree once, in preorder, and collects the
// nodes that are worth a line. What it can only know at the end of an element
// (whether anything is in it) it settles when the element closes, and marks a
// node that turns out to be superfluous; mark-up is removed at the end.
type pruner struct {
	tree *Tree
	opts *Options
	snap *Snapshot

	nodes []draft

	open []opened
	run  textRun

	scope, ignore map[nodeKey]bool

	text   chunks
	spare  []Cell // room for cells
	line   []byte // room for a row's text
	broken bool   // what comes next begins a new line
	gap    bool   // white space stands before what comes next
	urls   resolver
	labels labelIndex
}

// A draft is a node as far as the walk needs it. What only a line needs is
// filled in at the end, for the nodes that are left.
type draft struct {
	role        Role
	name        string
	cells       []Cell
	object      int32 // in Tree.Objects; -1 for text and the page
	doc, node   int32
	parent      int32 // in pruner.nodes; -1 for none
	kids        int32 // number of children
	last        int32 // the last child, 0 for none; the first is the node behind
	prev, next  int32 // the siblings, 0 for none
	heading     int32
	dead        bool // to be removed; its children stay
	interactive bool
	checked     bool // by what it is a label of
	header      bool
	broken      bool
	tight       bool
}

// An opened is an object that the walk is in.
type opened struct {
	end     int32 // in Tree.Objects
	node    int32 // the kept node that children belong to; -1 for none
	own     bool  // node is this object's own
	block   bool  // begins and ends a line
	pointer bool  // the cursor is a pointer
	inScope bool
	inside  bool  // within something that acts and says its whole content
	cover   int32 // index in open of the opened whose cover applies; -1 for none
	by      cover
}

// build prunes a tree, in the memory of a slab.
func build(t *Tree, opts *Options, work *slab) *Snapshot {
	s := newSnapshot(t.Capture, opts)
	p := &pruner{tree: t, opts: &s.opts, snap: s, broken: true}
	p.nodes = room(&work.drafts, len(t.Objects)/3+8)[:0]
	p.scope, p.ignore = p.keys(s.opts.Scope), p.keys(s.opts.Ignore)
	p.labels.capture = t.Capture
	for i := 0; i < len(t.Objects); {
		p.closeUntil(int32(i))
		i = p.object(int32(i))
	}
	p.closeUntil(int32(len(t.Objects)))
	p.flush()
	p.finish()
	if cap(p.nodes) > cap(work.drafts) {
		work.drafts = p.nodes
	}
	return s
}

// keys turns references into keys; those of other pages are left out.
func (p *pruner) keys(refs []driver.NodeRef) map[nodeKey]bool {
	if len(refs) == 0 {
		return nil
	}
	m := make(map[nodeKey]bool, len(refs))
	for _, r := range refs {
		doc, ok := p.snap.document(r)
		if !ok {
			continue
		}
		id := r.Node
		if nodes := p.tree.Capture.Documents[doc].Nodes; id == 0 && len(nodes) > 0 {
			id = nodes[0].ID
		}
		m[nodeKey{doc, id}] = true
	}
	return m
}

// object takes in the object at i and returns the index of the next one.
func (p *pruner) object(i int32) int {
	o := &p.tree.Objects[i]
	docs := p.tree.Capture.Documents
	if o.Doc < 0 || int(o.Doc) >= len(docs) || o.Node < 0 || int(o.Node) >= len(docs[o.Doc].Nodes) {
		return int(i) + 1
	}
	n := &docs[o.Doc].Nodes[o.Node]
	f := opened{end: p.end(i), node: -1, cover: -1, inScope: p.scope == nil}
	if len(p.open) > 0 {
		up := &p.open[len(p.open)-1]
		f.node, f.cover, f.pointer, f.inside = up.node, up.cover, up.pointer, up.inside
		f.inScope = up.inScope
	}
	if p.ignore != nil && p.ignore[nodeKey{o.Doc, n.ID}] {
		return int(f.end)
	}
	if !f.inScope && p.scope[nodeKey{o.Doc, n.ID}] {
		f.inScope = true
	}
	switch n.Kind {
	case driver.DoctypeNode:
		return int(i) + 1
	case driver.TextNode, driver.PseudoNode:
		if f.inScope && !o.Hidden {
			p.piece(o, n)
		}
		return int(i) + 1
	case driver.DocumentNode:
		if o.Doc != 0 && p.opts.MainFrame {
			return int(f.end)
		}
		f.block, f.cover, f.pointer, f.inside = true, -1, false, false
		p.flush()
		p.broken = true
		if o.Doc == 0 && f.inScope {
			p.document(&f, o)
		}
		p.open = append(p.open, f)
		return int(i) + 1
	}
	return p.element(i, o, n, f)
}

// end returns where an object's subtree ends, within that of its parent.
func (p *pruner) end(i int32) int32 {
	end, limit := p.tree.Objects[i].End, int32(len(p.tree.Objects))
	if len(p.open) > 0 {
		limit = p.open[len(p.open)-1].end
	}
	return min(max(end, i+1), limit)
}

// document adds the line of the page.
func (p *pruner) document(f *opened, o *Object) {
	k := p.add(f, -1, o, "document")
	node := &p.nodes[k]
	if node.name = tidy(o.Name); node.name == "" {
		node.name = tidy(p.tree.Capture.Documents[o.Doc].Title)
	}
}

// element takes in an element.
func (p *pruner) element(i int32, o *Object, n *driver.Node, f opened) int {
	display := ""
	pointer := false
	if n.Style != nil {
		display = n.Style.Display
		pointer = n.Style.Cursor == "pointer" && n.Style.PointerEvents != "none"
	}
	if n.Name == "br" && n.Namespace == driver.HTML {
		p.run.space()
		p.gap = true
		return int(f.end)
	}
	begins := pointer && !f.pointer
	f.pointer = pointer
	f.block = !o.Hidden && display != "" && !inlineDisplay(display)
	role := shownRole(o.Role)
	if o.Ignored {
		role = "generic"
	}
	if o.Hidden || !f.inScope {
		role = "none"
	}
	v := p.ruling(role, o, n, begins, &f)
	if f.block {
		if atomicDisplay(display) && !v.keep {
			p.run.space()
			p.gap = true
			f.block = false
		} else {
			p.flush()
			p.broken = p.broken || !atomicDisplay(display)
		}
	}
	if n.Name == "label" && f.inScope && !o.Hidden {
		if p.label(i, o, n, &f, &v); v.keep {
			role = "generic"
		}
	}
	if v.keep {
		p.flush()
		p.keep(&f, i, n, role, v)
	}
	if leaf(n) && !(v.keep && p.nodes[f.node].role == "generic") || o.Hidden && n.Name == "select" {
		p.close(&f)
		return int(f.end)
	}
	p.open = append(p.open, f)
	return int(i) + 1
}
