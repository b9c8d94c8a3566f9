package accessibility

import (
	"bytes"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// Build makes a snapshot of a capture: it computes the accessibility tree,
// leaves out what is not worth a line, and gives refs to the rest. opts may be
// nil. The snapshot keeps the capture, which must not be changed afterwards.
//
// Build accepts any capture. Where one contradicts itself, the nodes concerned
// are missing from the snapshot.
func Build(c *driver.Capture, opts *Options) *Snapshot {
	a := arenas.Get().(*arena)
	defer a.release()
	return build(a.compute(c), opts, a)
}

// With returns a snapshot of the same nodes whose outline follows the MaxTokens,
// Whole, URLs and Mask of opts. It costs next to nothing compared with [Build]. The
// options that select nodes (Scope, Ignore, MainFrame) stay as they were.
func (s *Snapshot) With(opts Options) *Snapshot {
	out := &Snapshot{Capture: s.Capture, Nodes: s.Nodes, opts: s.opts, index: s.index, nodes: s.nodes, frames: s.frames}
	out.opts.MaxTokens, out.opts.Whole, out.opts.URLs, out.opts.Mask = opts.MaxTokens, opts.Whole, opts.URLs, opts.Mask
	out.outline = sync.OnceValue(out.writeOutline)
	return out
}

// newSnapshot returns an empty snapshot of a capture.
func newSnapshot(c *driver.Capture, opts *Options) *Snapshot {
	s := &Snapshot{Capture: c}
	if opts != nil {
		s.opts = *opts
	}
	s.outline = sync.OnceValue(s.writeOutline)
	s.index = sync.OnceValue(s.buildIndex)
	s.nodes = newLocator(c)
	s.frames = make(map[int]int32, len(c.Documents))
	for i := len(c.Documents) - 1; i >= 0; i-- { // the first of two wins
		s.frames[c.Documents[i].Ordinal] = int32(i)
	}
	return s
}

// build prunes a tree, in the memory of an arena.
func build(t *axtree.Tree, opts *Options, work *arena) *Snapshot {
	s := newSnapshot(t.Capture, opts)
	p := &pruner{tree: t, opts: &s.opts, snap: s, newLine: true}
	p.nodes = work.draftsFor(len(t.Objects)/3 + 8)
	p.scope, p.ignore = p.keys(s.opts.Scope), p.keys(s.opts.Ignore)
	p.labels.capture = t.Capture
	p.scripts = findScripts(t)
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

// keys turns references into keys and drops those that point into other pages.
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

// object visits the object at i and returns the index of the next one to visit.
func (p *pruner) object(i int32) int {
	o := &p.tree.Objects[i]
	docs := p.tree.Capture.Documents
	if o.Doc < 0 || int(o.Doc) >= len(docs) || o.Node < 0 || int(o.Node) >= len(docs[o.Doc].Nodes) {
		return int(i) + 1
	}
	n := &docs[o.Doc].Nodes[o.Node]
	f := openElement{end: p.end(i), node: -1, cover: -1, inScope: p.scope == nil}
	if len(p.open) > 0 {
		up := &p.open[len(p.open)-1]
		f.node, f.cover, f.pointer, f.inside = up.node, up.cover, up.pointer, up.inside
		f.inScope, f.unseen, f.cutter = up.inScope, up.unseen, up.cutter
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
		boxless := o.Ignored && !n.Rendered && n.Style == nil // as right in a details element that is closed
		if f.inScope && !o.Hidden && !boxless && !f.unseen && !unreadable(&docs[o.Doc], o.Node) {
			p.addText(i, o, n)
		}
		return int(i) + 1
	case driver.DocumentNode:
		if o.Doc != 0 && p.opts.MainFrame {
			return int(f.end)
		}
		f.block, f.cover, f.pointer, f.inside = true, -1, false, false
		p.flush()
		p.newLine = true
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
func (p *pruner) document(f *openElement, o *axtree.Object) {
	k := p.add(f, -1, o, "document")
	node := &p.nodes[k]
	if node.name = tidy(o.Name); node.name == "" {
		node.name = tidy(p.tree.Capture.Documents[o.Doc].Title)
	}
}

// element visits an element.
func (p *pruner) element(i int32, o *axtree.Object, n *driver.Node, f openElement) int {
	display := ""
	pointer := false
	if n.Style != nil {
		display = n.Style.Display
		pointer = n.Style.Cursor == "pointer" && n.Style.PointerEvents != "none"
	}
	switch {
	case n.Name == "br" && n.Namespace == driver.HTML:
		p.run.space()
		p.spaceBefore = true
		return int(f.end)
	case n.Name == "tspan" && n.Namespace == driver.SVG:
		if nodes := p.tree.Capture.Documents[o.Doc].Nodes; placed(n) || whiteText(nodes, o.Node-1) {
			p.run.space()
			p.spaceBefore = true
		}
	}
	begins := pointer && !f.pointer
	f.pointer = pointer
	p.see(o, n, &f)
	hidden := o.Hidden || f.unseen
	f.block = !hidden && display != "" && !inlineDisplay(display)
	role := shownRole(o.Role)
	if o.Ignored {
		role = "generic"
	}
	if hidden || !f.inScope {
		role = "none"
	}
	v := p.decide(i, role, o, n, begins, &f)
	formula := ""
	if n.Namespace == driver.MathML && n.Name == "math" && role != "none" && !v.interactive {
		if formula = formulaOf(p.tree.Capture.Documents[o.Doc].Nodes, o.Node); formula != "" {
			v.keep = false
		}
	}
	if f.block {
		if atomicDisplay(display) && !v.keep {
			p.run.space()
			p.spaceBefore = true
			f.block = false
		} else {
			p.flush()
			p.newLine = p.newLine || !atomicDisplay(display)
		}
	}
	if n.Name == "label" && f.inScope && !hidden {
		if p.label(i, o, n, &f, &v); v.keep {
			role = "generic"
		}
	}
	if v.keep {
		p.flush()
		p.addElement(&f, i, n, role, v)
	}
	if f.block && !v.keep && role != "none" && formula == "" {
		f.repeat = p.enter(i, o, n, &f)
	}
	if formula != "" {
		p.addFormula(formula, o, f.node)
		p.close(&f)
		return int(f.end)
	}
	if leaf(n) && !(v.keep && p.nodes[f.node].role == "generic") || o.Hidden && n.Name == "select" {
		p.close(&f)
		return int(f.end)
	}
	p.open = append(p.open, f)
	return int(i) + 1
}

// see finds out whether anybody can see an element.
func (p *pruner) see(o *axtree.Object, n *driver.Node, f *openElement) {
	d := &p.tree.Capture.Documents[o.Doc]
	if f.unseen {
		if f.cutter < 0 || int(f.cutter) >= len(d.Nodes) || !escapes(n, &d.Nodes[f.cutter]) {
			return
		}
		f.unseen = false
	}
	if !o.Hidden && unseen(d, o.Node) {
		f.unseen, f.cutter = true, -1
		if cutsOff(n) {
			f.cutter = o.Node
		}
	}
}

// addText adds a text or a pseudo-element to the current run.
func (p *pruner) addText(i int32, o *axtree.Object, n *driver.Node) {
	text := n.Shown
	if n.Kind == driver.PseudoNode {
		if o.Name != "" {
			text = o.Name
		}
		if n.Name == "::marker" && !numbering(text) {
			return
		}
		if p.prompt(text) {
			return
		}
	} else if text == "" {
		text = n.Text
	}
	if text == "" {
		return
	}
	if len(p.open) == 0 { // text without a document
		return
	}
	script := ""
	k, scripted := p.scriptAt(i)
	if scripted {
		script = p.scripts[k].text
	}
	top := &p.open[len(p.open)-1]
	if top.cover >= 0 && !p.open[top.cover].by.whole {
		if t := tidy(text); t == "" || scripted && p.open[top.cover].by.covers(tidy(script)) || p.open[top.cover].by.covers(t) || top.inside && isSymbol(t) && !isOperator(t) {
			p.run.space()
			p.spaceBefore = p.spaceBefore || blankEnd(text)
			return
		}
	}
	if scripted {
		text = script
	}
	p.addRun(text, o, top.node)
}

// placed reports whether a part of a text in a drawing has a place of its own.
func placed(n *driver.Node) bool {
	for _, a := range n.Attrs {
		if a.Name == "x" || a.Name == "y" || a.Name == "dy" {
			return true
		}
	}
	return false
}

// prompt takes generated text that an empty editable element shows for its
// placeholder.
func (p *pruner) prompt(text string) bool {
	for i := len(p.open) - 1; i >= 0 && p.open[i].node >= 0; i-- {
		if !p.open[i].own {
			continue
		}
		k := p.open[i].node
		if !p.states(k).Editable {
			return false
		}
		if p.editableAround(&openElement{node: p.nodes[k].parent}) {
			continue
		}
		if strings.TrimSpace(p.objectOf(k).Value) != "" {
			return false
		}
		if p.prompts == nil {
			p.prompts = map[int32]string{}
		}
		p.prompts[p.nodes[k].object] = tidy(text)
		return true
	}
	return false
}

// addFormula adds a formula to the current run. The tree has no white space beside
// formulas, and the page may.
func (p *pruner) addFormula(text string, o *axtree.Object, below int32) {
	nodes := p.tree.Capture.Documents[o.Doc].Nodes
	next := o.Node + 1
	for int(next) < len(nodes) && nodes[next].Parent >= o.Node {
		next++
	}
	if whiteText(nodes, o.Node-1) {
		p.run.space()
	}
	p.addRun(text, o, below)
	if whiteText(nodes, next) {
		p.run.space()
	}
}

// whiteText reports whether a node is white space, which the tree may lack.
func whiteText(nodes []driver.Node, i int32) bool {
	return i >= 0 && int(i) < len(nodes) && nodes[i].Kind == driver.TextNode && strings.TrimSpace(nodes[i].Text) == ""
}

// addRun adds text to the current run, or begins one below a node.
func (p *pruner) addRun(text string, o *axtree.Object, below int32) {
	r := &p.run
	if !r.set {
		if tidy(text) == "" {
			p.spaceBefore = true
			return
		}
		*r = textRun{set: true, buf: r.buf, single: text, doc: o.Doc, node: o.Node, newLine: p.newLine, below: below}
		r.joined = !p.spaceBefore && !blankEnd(text[:1])
		p.newLine, p.spaceBefore = false, false
		return
	}
	r.startBuffer()
	r.buf, r.spaced = appendTidy(r.buf, text, r.spaced)
}

// flush ends the run and makes a node of it.
func (p *pruner) flush() {
	r := &p.run
	if !r.set {
		return
	}
	text := ""
	if r.many {
		text = p.text.add(bytes.TrimSuffix(r.buf, []byte{' '}))
	} else {
		text = tidy(r.single)
	}
	p.spaceBefore = r.many && r.spaced || !r.many && blankEnd(r.single)
	from, done := r.below, *r
	*r = textRun{buf: r.buf}
	if text == "" {
		return
	}
	if n := len(p.open); n > 0 {
		if p.open[n-1].inside && isSymbol(text) {
			return
		}
		if c := p.open[n-1].cover; c >= 0 && p.open[c].by.whole && p.open[c].by.covers(text) {
			return
		}
	}
	k := p.append(from)
	t := &p.nodes[k]
	t.role, t.name, t.object, t.doc, t.node, t.newLine = "text", text, -1, done.doc, done.node, done.newLine
	t.joined = done.joined
}

// closeUntil closes the elements that end at or before object i.
func (p *pruner) closeUntil(i int32) {
	for n := len(p.open); n > 0 && p.open[n-1].end <= i; n = len(p.open) {
		p.close(&p.open[n-1])
		p.open = p.open[:n-1]
	}
}

// close ends an element.
func (p *pruner) close(f *openElement) {
	if f.block || f.own {
		p.flush()
	}
	if f.own {
		p.collapse(f.node)
	}
	if f.repeat {
		p.leave()
	}
	if f.block {
		p.newLine = true
	}
}

// finish makes the snapshot's nodes from the drafts that are left.
func (p *pruner) finish() {
	docs := p.tree.Capture.Documents
	p.dropRepeated()
	p.insertRepeats()
	at := make([]int32, len(p.nodes)) // where a node has gone, or its nearest living ancestor
	n := int32(0)
	for i := range p.nodes {
		if up := p.nodes[i].parent; up >= 0 {
			at[i] = at[up]
		} else {
			at[i] = -1
		}
		p.nodes[i].parent = at[i]
		if !p.nodes[i].removed {
			at[i] = n
			n++
		}
	}
	nodes := make([]Node, n)
	var buf [44]byte
	n = 0
	for i := range p.nodes {
		from := &p.nodes[i]
		if from.removed {
			continue
		}
		node := &nodes[n]
		p.fill(node, from)
		node.Parent, node.End, node.index = from.parent, n+1, n
		if node.Parent >= 0 {
			node.Depth = min(nodes[node.Parent].Depth+1, MaxDepth)
		}
		node.Ref = Ref(p.text.add(appendRef(buf[:0], docs[node.doc].Ordinal, node.Source.Node)))
		n++
	}
	for i := n - 1; i >= 0; i-- {
		if up := nodes[i].Parent; up >= 0 {
			nodes[up].End = max(nodes[up].End, nodes[i].End)
		}
	}
	if n > 0 {
		settleCounts(nodes)
	}
	p.snap.Nodes = nodes
}
