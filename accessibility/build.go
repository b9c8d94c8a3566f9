package accessibility

import (
	"bytes"
	"strings"

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

// A pruner walks an accessibility tree once, in preorder, and collects the
// nodes that are worth a line. What can only be known at the end of an element
// (whether it has any content) its collapser decides when the element closes: a node
// that turns out to be superfluous is marked, and removed after the walk.
type pruner struct {
	collapser
	opts *Options
	snap *Snapshot

	open []openElement
	run  textRun

	scope, ignore map[nodeKey]bool

	labels   labelIndex
	icons    iconIndex
	labelled map[int32]bool   // boxes that had a label, by object
	prompts  map[int32]string // of editable elements: what they show while they are empty, by object
	scripts  scripts
}

// An openElement is an object that the walk has entered and not yet left.
type openElement struct {
	end     int32 // in Tree.Objects
	node    int32 // the node that children belong to; -1 for none
	own     bool  // node is this object's own
	repeat  bool  // one of the nest
	block   bool  // begins and ends a line
	pointer bool  // the cursor is a pointer
	inScope bool
	unseen  bool  // nobody can see anything of it
	cutter  int32 // the node that cuts it off, in its document; -1 if that is not why
	inside  bool  // within a control whose name includes all of its content
	cover   int32 // index in pruner.open of the element whose cover applies; -1 for none
	by      cover
}

// build prunes a tree, in the memory of an arena.
func build(t *axtree.Tree, opts *Options, work *arena) *Snapshot {
	s := newSnapshot(t.Capture, opts)
	p := &pruner{opts: &s.opts, snap: s}
	p.tree, p.newLine = t, true
	p.nodes = work.draftsFor(len(t.Objects)/3 + 8)
	p.scope, p.ignore = p.keys(s.opts.Scope), p.keys(s.opts.Ignore)
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
	n := nodeOf(p.tree, o)
	if n == nil {
		return int(i) + 1
	}
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
		if f.inScope && !o.Hidden && !boxless && !f.unseen && !unreadable(&p.tree.Capture.Documents[o.Doc], o.Node) {
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

// nodeOf returns the captured node of an object, nil if the capture has none such.
func nodeOf(t *axtree.Tree, o *axtree.Object) *driver.Node {
	docs := t.Capture.Documents
	if o.Doc < 0 || int(o.Doc) >= len(docs) || o.Node < 0 || int(o.Node) >= len(docs[o.Doc].Nodes) {
		return nil
	}
	return &docs[o.Doc].Nodes[o.Node]
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
		p.addElement(&f, i, role, v)
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
	script, scripted := p.scripts.at(i)
	top := &p.open[len(p.open)-1]
	if top.cover >= 0 && !p.open[top.cover].by.whole {
		if t := tidy(text); t == "" || scripted && p.open[top.cover].by.covers(tidy(script.text)) || p.open[top.cover].by.covers(t) || top.inside && isSymbol(t) && !isOperator(t) {
			p.run.space()
			p.spaceBefore = p.spaceBefore || blankEnd(text)
			return
		}
	}
	if scripted {
		text = script.text
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
	fill := filler{tree: p.tree, icons: &p.icons, prompts: p.prompts}
	var buf [44]byte
	n = 0
	for i := range p.nodes {
		from := &p.nodes[i]
		if from.removed {
			continue
		}
		node := &nodes[n]
		fill.fill(node, from)
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

// A decision is whether an element gets a line, and as what.
type decision struct {
	keep        bool
	interactive bool
	checked     bool // the label of a control that is checked
	name        string
	how         treatment
}

// decide decides whether an element gets a line.
func (p *pruner) decide(i int32, role Role, o *axtree.Object, n *driver.Node, begins bool, f *openElement) decision {
	if role == "none" {
		return decision{}
	}
	v := decision{how: treatments[role]}
	if o.Name != "" {
		if v.name = tidy(o.Name); !namedByAttribute(n) {
			v.name = p.scripts.within(i, v.name)
		}
	}
	v.interactive = p.interactive(role, v.how, o, n, begins, f)
	if v.name == "" && (v.interactive && v.how&contentName != 0 || role == "image") {
		_, v.name = p.icons.icon(p.tree.Capture, o.Doc, o.Node)
	}
	if n.Name == "details" && role == "group" && !hasSummary(p.tree.Capture.Documents[o.Doc].Nodes, o.Node) {
		v.keep = true // browsers supply the summary
		if v.name == "" {
			v.name = "Details"
		}
		_, open := n.Attr("open")
		v.interactive = !open
	}
	switch {
	case v.interactive, v.how&keepAlways != 0:
		v.keep = true
	case v.how&keepNamed != 0:
		v.keep = v.name != "" || role == "generic" && o.States.Busy
	}
	if !v.keep && scrolls(n) && n.Name != "html" && n.Name != "body" {
		v.keep = true
	}
	if role == "deletion" && v.keep {
		f.cover = -1 // a name does not tell which of its words are struck out
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
	if role == "row" && v.interactive && !namedByAttribute(n) && p.hasCells(i, o) {
		v.name = "" // its cells are on its line, or below it
	}
	// The content shows a name that is made of it, except on one line.
	if v.keep && !v.interactive && v.how&contentName == 0 && (v.how&ownLine != 0 || role == "row") && !namedByAttribute(n) {
		v.name = ""
	}
	return v
}

// hasCells reports whether the first thing in a row that is shown is a cell.
func (p *pruner) hasCells(i int32, o *axtree.Object) bool {
	objects := p.tree.Objects
	for j := i + 1; j < min(o.End, int32(len(objects)), i+16); j++ {
		if !objects[j].Ignored {
			return cellRole(objects[j].Role)
		}
	}
	return false
}

// hasSummary reports whether a details element has a summary of its own.
func hasSummary(nodes []driver.Node, at int32) bool {
	for i := at + 1; int(i) < len(nodes) && nodes[i].Parent >= at; i++ {
		if nodes[i].Parent == at && nodes[i].Name == "summary" {
			return true
		}
	}
	return false
}

// interactive reports whether an element can be acted on.
func (p *pruner) interactive(role Role, how treatment, o *axtree.Object, n *driver.Node, begins bool, f *openElement) bool {
	if how&acts != 0 {
		return true
	}
	if n.Namespace == driver.HTML && (n.Name == "html" || n.Name == "body" && !o.States.Editable || n.Name == "label" || n.Name == "iframe") {
		return false
	}
	if n.Clickable && !p.delegates(role, n, begins) && !(o.Ignored && p.editableAround(f)) { // Chromium: all that is edited is
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
	if cellRole(role) || role == "row" {
		return false // the arrow keys lead there
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

// editableAround reports whether the node around is editable itself.
func (p *pruner) editableAround(f *openElement) bool {
	return f.node >= 0 && p.states(f.node).Editable
}

// namedByAttribute reports whether an element's own attribute gives its name.
func namedByAttribute(n *driver.Node) bool {
	for i := range n.Attrs {
		switch n.Attrs[i].Name {
		case "aria-label", "aria-labelledby", "aria-labeledby":
			return n.Attrs[i].Value != ""
		}
	}
	if n.Rare != nil && len(n.Rare.Internals) > 0 {
		v, _ := n.ARIA("aria-label")
		return v != ""
	}
	return false
}

// covered reports whether the name of a node above already contains text.
func (p *pruner) covered(f *openElement, text string) bool {
	return f.cover >= 0 && p.open[f.cover].by.covers(text)
}

// add appends a node for an object below the node of f, and makes it f's own.
func (p *pruner) add(f *openElement, object int32, o *axtree.Object, role Role) int32 {
	k := p.append(f.node)
	node := &p.nodes[k]
	node.role, node.object, node.doc, node.node = role, object, o.Doc, o.Node
	node.newLine, node.joined = p.newLine, !p.spaceBefore
	p.newLine, p.spaceBefore = false, false
	f.node, f.own = k, true
	return k
}

// addElement gives an element a line.
func (p *pruner) addElement(f *openElement, i int32, role Role, v decision) {
	if v.how&(inlineRole|acts) == 0 {
		p.newLine = true
	}
	o := &p.tree.Objects[i]
	node := &p.nodes[p.add(f, i, o, role)]
	node.name, node.interactive, node.checked = v.name, v.interactive, v.checked
	f.by = cover{name: v.name, whole: v.how&contentName == 0}
	if o.States.Editable || role == "textbox" || role == "searchbox" || role == "combobox" {
		f.by.value = tidy(o.Value)
	}
	if v.interactive && v.name != "" && v.how&contentName != 0 {
		f.inside = true
	}
	if f.by.name != "" || f.by.value != "" || v.how&container != 0 {
		f.cover = int32(len(p.open))
	}
}

// label decides about a label element. If its control is visible, the label
// repeats the control's name, and that much of it is left out. If the control is
// hidden, the label is what a person clicks in its place. Another label of the same box
// has a line of its own.
func (p *pruner) label(i int32, o *axtree.Object, n *driver.Node, f *openElement, v *decision) {
	c := p.labels.control(p.tree, i, o, n)
	if c < 0 {
		return
	}
	control := &p.tree.Objects[c]
	switch control.Role {
	case "checkbox", "radio", "switch":
		if p.labelled[c] { // a button like others, as the one that closes what another opens
			v.keep, v.interactive = true, true
			return
		}
		if p.labelled == nil {
			p.labelled = map[int32]bool{}
		}
		p.labelled[c] = true
	}
	if !control.Hidden {
		if !v.keep && control.Name != "" && control.Role != "status" { // a status shows its text, not its name
			f.cover = int32(len(p.open))
			f.by = cover{name: tidy(control.Name)}
		}
		return
	}
	v.checked = p.tree.Capture.Documents[control.Doc].Nodes[control.Node].Checked
	v.keep, v.interactive = true, true
}
