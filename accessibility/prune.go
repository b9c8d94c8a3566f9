package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

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

// A cover is what a node has said already.
type cover struct {
	name, value string
	at          int  // up to here the name has been found in the content
	whole       bool // only a whole run of text can be covered
}

// build prunes a tree.
func build(t *Tree, opts *Options) *Snapshot {
	s := newSnapshot(t.Capture, opts)
	p := &pruner{tree: t, opts: &s.opts, snap: s, broken: true}
	p.nodes = make([]draft, 0, len(t.Objects)/2+8)
	p.scope, p.ignore = p.keys(s.opts.Scope), p.keys(s.opts.Ignore)
	p.labels.capture = t.Capture
	for i := 0; i < len(t.Objects); {
		p.closeUntil(int32(i))
		i = p.object(int32(i))
	}
	p.closeUntil(int32(len(t.Objects)))
	p.flush()
	p.finish()
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
	if p.ignore[nodeKey{o.Doc, n.ID}] {
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

// A ruling is whether an element has a line, and as what.
type ruling struct {
	keep        bool
	interactive bool
	checked     bool // a label, of something that is
	name        string
	how         treatment
}

// ruling decides about an element.
func (p *pruner) ruling(role Role, o *Object, n *driver.Node, begins bool, f *opened) ruling {
	if role == "none" {
		return ruling{}
	}
	v := ruling{how: treatments[role]}
	if o.Name != "" {
		v.name = tidy(o.Name)
	}
	v.interactive = p.interactive(role, v.how, o, n, begins, f)
	switch {
	case v.interactive:
		v.keep = true
	case v.how&keepAlways != 0:
		v.keep = true
	case v.how&keepNamed != 0:
		v.keep = v.name != "" || role == "generic" && o.States.Busy
	}
	if !v.keep && scrolls(n) && n.Name != "html" && n.Name != "body" {
		v.keep = true
	}
	if v.keep && !v.interactive && f.cover >= 0 && f.inside && v.how&container == 0 {
		v.keep = role != "image" || v.name != "" && !p.covered(f, v.name)
		if v.keep && v.how&contentName != 0 {
			v.keep = v.name != "" && !p.covered(f, v.name)
		}
	}
	if v.keep && role == "image" && v.name == "" && !v.interactive {
		v.keep = n.Box.Width >= 32 && n.Box.Height >= 32
	}
	// A name made of content is said by the content, except on one line.
	if v.keep && !v.interactive && v.how&contentName == 0 && (v.how&ownLine != 0 || role == "row") && !ownName(n) {
		v.name = ""
	}
	return v
}

// interactive reports whether an element can be acted on.
func (p *pruner) interactive(role Role, how treatment, o *Object, n *driver.Node, begins bool, f *opened) bool {
	if how&acts != 0 {
		return true
	}
	if n.Namespace == driver.HTML && (n.Name == "html" || n.Name == "body" || n.Name == "label" || n.Name == "iframe") {
		return false
	}
	if n.Clickable && !p.delegates(role, n, begins) {
		return true
	}
	if begins && !f.inside {
		return true
	}
	if o.States.Editable && !p.editableAround(f) {
		return true
	}
	if v, ok := n.Attr("draggable"); ok && v == "true" {
		return true
	}
	if !o.States.Focusable || scrolls(n) {
		return false
	}
	_, tab := n.Attr("tabindex")
	return tab && how&container == 0 || tab && role == "generic"
}

// delegates reports whether a listener is likely to be there for what is
// inside: an element without a role, as large as half the window.
func (p *pruner) delegates(role Role, n *driver.Node, begins bool) bool {
	view := p.tree.Capture.Viewport
	return treatments[role]&container != 0 && !begins && n.Rendered &&
		2*n.Box.Width*n.Box.Height >= view.Width*view.Height && view.Width > 0
}

// editableAround reports whether the element around takes text already.
func (p *pruner) editableAround(f *opened) bool {
	return f.node >= 0 && p.states(f.node).Editable
}

// ownName reports whether an element's name is said by an attribute of its own.
func ownName(n *driver.Node) bool {
	for i := range n.Attrs {
		switch n.Attrs[i].Name {
		case "aria-label", "aria-labelledby", "aria-labeledby":
			return n.Attrs[i].Value != ""
		}
	}
	return n.Rare != nil && n.Rare.Label != ""
}

// covered reports whether a name above has said text already.
func (p *pruner) covered(f *opened, text string) bool {
	if f.cover < 0 {
		return false
	}
	return p.open[f.cover].by.covers(text)
}

// window is how far into a long name the search for a piece of it goes.
const window = 4096

// covers looks for text in what was said, from where the last piece ended.
func (c *cover) covers(text string) bool {
	if c.value != "" && strings.Contains(c.value[:min(len(c.value), window+len(text))], text) {
		return true
	}
	if c.name == "" {
		return false
	}
	if c.whole {
		return equalText(c.name, text)
	}
	rest := c.name[c.at:]
	if i := strings.Index(rest[:min(len(rest), window+len(text))], text); i >= 0 {
		c.at += i + len(text)
		return true
	}
	return strings.Contains(c.name[:min(len(c.name), window)], text)
}

// equalText reports whether a and b are equal but for white space and a closing colon.
func equalText(a, b string) bool {
	a, b = strings.TrimRight(a, ": *"), strings.TrimRight(b, ": *")
	if a == b {
		return true
	}
	if len(a) > window || len(b) > window {
		return false
	}
	return strings.ReplaceAll(a, " ", "") == strings.ReplaceAll(b, " ", "")
}
