package accessibility

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Snapshot is the part of an accessibility tree that is worth showing: what a
// person can see or use, without empty wrappers and without text that repeats a
// name. It does not change, and several goroutines may read it.
type Snapshot struct {
	Capture *driver.Capture
	Nodes   []Node // in preorder

	opts    Options
	outline func() string
	index   func() map[nodeKey]int32
	nodes   *locator
	frames  map[int]int32 // a frame's ordinal to its index in Capture.Documents
}

// nodeKey names a node within one capture.
type nodeKey struct {
	doc int32 // index in Capture.Documents
	id  driver.NodeID
}

// Outline returns the snapshot as text for a language model, one line for each
// node; [ParseOutline] describes the form. The first call writes it.
func (s *Snapshot) Outline() string { return s.outline() }

// Ignored returns the elements that [Options].Ignore names. The snapshot leaves them
// out, with their subtrees. Callers must not change the slice.
func (s *Snapshot) Ignored() []driver.NodeRef { return s.opts.Ignore }

func (s *Snapshot) buildIndex() map[nodeKey]int32 {
	m := make(map[nodeKey]int32, len(s.Nodes))
	for i := range s.Nodes {
		key := nodeKey{s.Nodes[i].doc, s.Nodes[i].Source.Node}
		if _, ok := m[key]; !ok {
			m[key] = int32(i)
		}
	}
	return m
}

// Lookup returns the node that a ref names. The node belongs to the snapshot.
// A cell on a row's line is named by [Ref.Cell], and its node, which no other
// call lists, has the row for its parent.
func (s *Snapshot) Lookup(ref Ref) (*Node, bool) {
	if row, number, ok := ref.splitCell(); ok {
		n, ok := s.Lookup(row)
		if !ok || number > len(n.Cells) {
			return nil, false
		}
		return s.cell(n, number), true
	}
	ordinal, id, ok := ref.split()
	if !ok {
		return nil, false
	}
	doc, ok := s.frames[ordinal]
	if !ok {
		return nil, false
	}
	i, ok := s.index()[nodeKey{doc, id}]
	if !ok {
		return nil, false
	}
	return &s.Nodes[i], true
}

// Find returns the node that was made of ref, which may be a cell on a row's line.
func (s *Snapshot) Find(ref driver.NodeRef) (*Node, bool) {
	doc, ok := s.document(ref)
	if !ok {
		return nil, false
	}
	i, ok := s.index()[nodeKey{doc, ref.Node}]
	if !ok {
		return s.findCell(doc, ref.Node)
	}
	return &s.Nodes[i], true
}

// Captured returns the captured node that a node of the snapshot was made of;
// nil if there is none.
func (s *Snapshot) Captured(n *Node) *driver.Node {
	if int(n.doc) >= len(s.Capture.Documents) || n.node < 0 || int(n.node) >= len(s.Capture.Documents[n.doc].Nodes) {
		return nil
	}
	return &s.Capture.Documents[n.doc].Nodes[n.node]
}

// IndexOf returns the index in Nodes of the node that was made of ref, which has a line of
// its own.
func (s *Snapshot) IndexOf(ref driver.NodeRef) (_ int32, ok bool) {
	doc, ok := s.document(ref)
	if !ok {
		return 0, false
	}
	i, ok := s.index()[nodeKey{doc, ref.Node}]
	return i, ok
}

// Nearest returns the node that was made of ref or, if there is none, of the
// nearest element around it, through shadow roots and frames.
func (s *Snapshot) Nearest(ref driver.NodeRef) (*Node, bool) {
	doc, ok := s.document(ref)
	if !ok {
		return nil, false
	}
	at, ok := s.nodes.find(doc, ref.Node)
	if !ok {
		return nil, false
	}
	index := s.index()
	for {
		d := &s.Capture.Documents[doc]
		if i, ok := index[nodeKey{doc, d.Nodes[at].ID}]; ok {
			return &s.Nodes[i], true
		}
		if parent := d.Nodes[at].Parent; parent >= 0 && parent < at {
			at = parent
			continue
		}
		if doc, at, ok = owner(s.Capture, doc); !ok {
			return nil, false
		}
	}
}

// document returns the index of the document that ref is in.
func (s *Snapshot) document(ref driver.NodeRef) (int32, bool) {
	for i := range s.Capture.Documents {
		if d := &s.Capture.Documents[i]; d.Frame == ref.Frame && d.Doc == ref.Doc {
			return int32(i), true
		}
	}
	return 0, false
}

// owner returns the document and index of a frame's owner element.
func owner(c *driver.Capture, doc int32) (int32, int32, bool) {
	d := &c.Documents[doc]
	up, at := d.OwnerDocument, d.Owner
	// A child comes after its parent, or the capture contradicts itself.
	if up < 0 || up >= doc || at < 0 || int(at) >= len(c.Documents[up].Nodes) {
		return 0, 0, false
	}
	return up, at, true
}

// cell returns the node of the nth cell, from 1, of a row. Where the cell has a
// line of its own it is that of the line; a column that another cell reaches into is
// that cell.
func (s *Snapshot) cell(row *Node, n int) *Node {
	c := &row.Cells[n-1]
	d := &s.Capture.Documents[row.doc]
	captured := &d.Nodes[c.node]
	if i, ok := s.index()[nodeKey{row.doc, captured.ID}]; ok {
		return &s.Nodes[i]
	}
	if c.Reach != NoReach {
		if origin, ok := s.findCell(row.doc, captured.ID); ok {
			return origin
		}
	}
	source := d.Ref(c.node)
	return &Node{
		Ref: row.Ref.Cell(n), Source: source, Target: source,
		Parent: row.index, End: row.index, Depth: min(row.Depth+1, MaxDepth),
		Role: lineCells[c.kind], Name: c.Text, Tag: captured.Name, Interactive: c.Interactive,
		index: -1, doc: row.doc, node: c.node,
	}
}

// CellSource is the captured node that cell n of a row's line was made of, counted from 1.
func (s *Snapshot) CellSource(row *Node, n int) driver.NodeRef {
	return s.Capture.Documents[row.doc].Ref(row.Cells[n-1].node)
}

// findCell returns the node of a cell that stands on the line of the row around it.
func (s *Snapshot) findCell(doc int32, id driver.NodeID) (*Node, bool) {
	at, ok := s.nodes.find(doc, id)
	if !ok {
		return nil, false
	}
	nodes := s.Capture.Documents[doc].Nodes
	for up := nodes[at].Parent; up >= 0; up = nodes[up].Parent {
		i, ok := s.index()[nodeKey{doc, nodes[up].ID}]
		if !ok {
			continue
		}
		row := &s.Nodes[i]
		n := slices.IndexFunc(row.Cells, func(c Cell) bool { return c.node == at && c.Reach == NoReach })
		if n < 0 {
			return nil, false
		}
		return s.cell(row, n+1), true
	}
	return nil, false
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

// Text returns the page as text for a reader: names of elements and text in
// reading order, a line for each block. Nothing is shortened, and nothing added
// but the values of controls after their names.
func (s *Snapshot) Text() string {
	var b strings.Builder
	size := 0
	for i := range s.Nodes {
		size += len(s.Nodes[i].Name) + len(s.Nodes[i].Value) + 1
	}
	b.Grow(size)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Name == "" && n.Value == "" || n.Role == "document" && n.Parent < 0 {
			continue
		}
		if b.Len() > 0 {
			if n.newLine || n.Role != "text" && n.Role != "link" {
				b.WriteByte('\n')
			} else if !n.joined {
				b.WriteByte(' ')
			}
		}
		b.WriteString(n.Name)
		if n.Value != "" && n.Value != n.Name {
			if n.Name != "" {
				b.WriteString(": ")
			}
			b.WriteString(n.Value)
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// CellTexts returns what each cell of a row says, as a reader has it: its text on
// the row's line, or the text of its own lines below.
func (s *Snapshot) CellTexts(row *Node) []string {
	out := make([]string, len(row.Cells))
	below := map[int32]int{} // the cells with lines of their own, by their nodes
	for i, c := range row.Cells {
		out[i] = c.Text
		if c.Below {
			below[c.node] = i
		}
	}
	if len(below) == 0 {
		return out
	}
	nodes := s.Capture.Documents[row.doc].Nodes
	for i := row.index + 1; i < row.End; i++ {
		n := &s.Nodes[i]
		if n.doc != row.doc {
			continue // in a frame
		}
		for at := n.node; at >= 0 && at != row.node; at = nodes[at].Parent {
			cell, ok := below[at]
			if !ok {
				continue
			}
			said := n.Name
			if n.Value != "" && n.Value != n.Name {
				said = strings.TrimPrefix(said+" "+n.Value, " ")
			}
			if said != "" {
				out[cell] = strings.TrimPrefix(out[cell]+" "+said, " ")
			}
			break
		}
	}
	return out
}

// holder returns the element around a text or a pseudo element.
func holder(d *driver.Document, i int32) int32 {
	for d.Nodes[i].Kind == driver.TextNode || d.Nodes[i].Kind == driver.PseudoNode {
		up := d.Nodes[i].Parent
		if up < 0 || up >= i {
			return i
		}
		i = up
	}
	return i
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

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// writeOutline writes the whole outline.
func (s *Snapshot) writeOutline() string {
	if s.opts.MaxTokens > 0 {
		return s.writeWithin(s.opts.MaxTokens)
	}
	text, _ := s.writeLines(false)
	return string(text)
}

// writeWithin writes the outline in at most limit tokens: first long texts and
// lists of options are shortened, then nodes are left out.
func (s *Snapshot) writeWithin(limit int) string {
	if text, _ := s.writeLines(false); Tokens(string(text)) <= limit {
		return string(text)
	}
	text, ends := s.writeLines(true)
	b := newBudget(s, limit, text, ends)
	b.rank()
	b.leaveOut()
	return b.write(text, ends)
}

// writeLines writes all lines and returns where each ends.
func (s *Snapshot) writeLines(brief bool) (text []byte, ends []int) {
	text = make([]byte, 0, 56*len(s.Nodes)+64)
	ends = make([]int, len(s.Nodes))
	var it Item
	for i := range s.Nodes {
		it.show(&s.Nodes[i], &s.opts, brief)
		text = append(appendItem(text, &it), '\n')
		ends[i] = len(text)
	}
	return text, ends
}

// Line returns a node's line in the outline, without its indentation.
func (s *Snapshot) Line(n *Node) string {
	var it Item
	it.show(n, &s.opts, false)
	it.Depth = 0
	return string(appendItem(nil, &it))
}

// Locate returns the nodes that a locator names, in the order of the outline. Cells
// that stand on their row's line are among them. One that the outline leaves out for the
// one thing in it is a step to that thing alone.
func (s *Snapshot) Locate(l *Locator) []*Node {
	var found []*Node
	for i := range l.parts {
		found = l.parts[i].narrow(s, found, i == 0)
	}
	return slices.DeleteFunc(found, func(n *Node) bool { return n.Ref == "" })
}

// LocatorsOf returns the text of a locator for each node: role and name, if necessary
// within a landmark or a group by its name, or within a row by a text of it:
//
//	role=button[name="Print"]
//	role=form[name="Search"] >> role=button[name="Go"]
//	role=row[text="Teapot"] >> role=button[name="Open"]
//
// Each names its node and no other of the snapshot, as [Snapshot.Locate] finds it. Where
// no such locator exists the text is empty. Together they take time linear in the page.
func (s *Snapshot) LocatorsOf(nodes []*Node) []string {
	w := &namer{snap: s, named: map[roleAndName]int{}, roles: map[Role]bool{}, held: map[Role]map[string]rowsWith{}}
	around := make(map[int32]bool)
	for _, n := range nodes {
		w.ask(n)
		for up := n.Parent; up >= 0 && !around[up]; up = s.Nodes[up].Parent {
			around[up] = true
			if scopes[s.Nodes[up].Role] {
				w.ask(&s.Nodes[up])
			}
		}
	}
	w.count()
	out := make([]string, len(nodes))
	for i, n := range nodes {
		if l := w.locatorOf(n); l != nil {
			out[i] = l.String()
		}
	}
	return out
}

// Search returns the nodes that contain words of query, best first: those
// with all of the words before those with some, whole words before beginnings
// before parts, names before values and descriptions, shorter names before
// longer ones; then in the order of the page. Case does not matter. A query
// without words finds nothing.
func (s *Snapshot) Search(query string) []*Node {
	words := splitWords(fold(query))
	if len(words) == 0 {
		return nil
	}
	whole := strings.Join(words, " ")
	type hit struct {
		n     *Node
		score int
	}
	var hits []hit
	for i := range s.Nodes {
		n := &s.Nodes[i]
		name := fold(n.Name)
		rest := fold(strings.Join([]string{string(n.Role), n.Value, n.Placeholder, n.Description, strings.Join(n.OptionLabels(), " ")}, " "))
		found, score := 0, 0
		for _, w := range words {
			best := max(4*wordScore(name, w), wordScore(rest, w))
			if best > 0 {
				found++
			}
			score += best
		}
		if found == 0 {
			continue
		}
		if found == len(words) {
			score += 1000
		}
		if name == whole {
			score += 500
		} else if strings.Contains(name, whole) {
			score += 100
		}
		if n.Interactive {
			score += 6
		}
		score = score*1000 - min(utf8.RuneCountInString(n.Name), 999)
		hits = append(hits, hit{n, score})
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	out := make([]*Node, len(hits))
	for i := range hits {
		out[i] = hits[i].n
	}
	return out
}

// XPath returns the deep XPath of a node's [Node.Target], as
//
//	xpath=//form[@id='search']/div[2]/button[1]
//	xpath=//main/my-card[1]//div[1]/button[1]
//	xpath=/html[1]/body[1]/iframe[1]//h2[normalize-space()='Orders']/../ul[1]/li[3]/a[1]
//
// It begins at the nearest element that has an id or is a landmark, or at the nearest
// heading, where no other is like it in the document, and at the root otherwise.
// Ids with digits are left out, for programs make them. Every step from there has its
// index. Behind the owner element of a frame the path continues with the frame's own
// document; "//" leads from a shadow host into its shadow root. [SplitSelector] takes
// it apart again. Elements outside HTML and in XHTML, and those whose name XPath cannot
// write, are named as *[name()='svg'][1] and *[7].
//
// The path counts in the tree that the page's author wrote, in which a slotted
// element is a child of its host. Two things are not in a capture: children of a
// host that no slot takes, and the order of those in different slots. Beside such
// siblings an index can be wrong, so a caller that relies on a path has to
// resolve it once and compare.
func (s *Snapshot) XPath(n *Node) string {
	path, _ := s.PathTo(n.Target)
	return path
}

// PathTo is XPath for a captured node, shown or not. Text stands for the element
// around it.
func (s *Snapshot) PathTo(ref driver.NodeRef) (string, bool) { return s.path(ref, true) }

// RootPath is XPath from the root, all steps with their index: it is about a place, as
// the second of a list, where XPath may follow what stood there.
func (s *Snapshot) RootPath(n *Node) string {
	path, _ := s.path(n.Target, false)
	return path
}

// path returns a deep path that begins at an anchor, or at the root.
func (s *Snapshot) path(ref driver.NodeRef, anchored bool) (string, bool) {
	doc, ok := s.document(ref)
	if !ok {
		return "", false
	}
	at, ok := s.nodes.find(doc, ref.Node)
	if !ok {
		return "", false
	}
	var room [64]pathStep
	steps := room[:0] // from the node up
	for {
		d := &s.Capture.Documents[doc]
		for at = holder(d, at); d.Nodes[at].Kind == driver.ElementNode; {
			if anchored {
				if from := s.nodes.anchors()[doc].of(d, at); from != "" {
					steps = append(steps, pathStep{anchor: from})
					break
				}
			}
			up, shadow := lightParent(d, at)
			steps = append(steps, pathStep{element: &d.Nodes[at], place: s.nodes.place(doc, at), shadow: shadow, xml: d.XML})
			if up < 0 {
				break
			}
			at = up
		}
		if doc, at, ok = owner(s.Capture, doc); !ok {
			break
		}
	}
	path := append(make([]byte, 0, 256), "xpath="...)
	for i := len(steps) - 1; i >= 0; i-- {
		path = steps[i].append(path)
	}
	if len(steps) == 0 {
		path = append(path, '/')
	}
	return string(path), true
}

// Form returns the form that a node's element belongs to, nil if there is none.
func (s *Snapshot) Form(n *Node) *Form {
	owner := s.formOwner(n)
	if owner < 0 {
		return nil
	}
	doc := &s.Capture.Documents[n.doc]
	form := &Form{Submits: submitsForm(&doc.Nodes[n.node])}
	action, _ := doc.Nodes[owner].Attr("action")
	if own, ok := doc.Nodes[n.node].Attr("formaction"); ok && form.Submits {
		action = own
	}
	r := resolver{}
	if form.Action = doc.URL; strings.TrimSpace(action) != "" { // an empty one is the document's own
		link := driver.Node{Attrs: []driver.Attr{{Name: "href", Value: action}}}
		form.Action = r.href(doc, n.doc, &link)
	}
	for i := range s.Nodes {
		if b := &s.Nodes[i]; b.Role == "button" && b.doc == n.doc && s.formOwner(b) == owner {
			form.Buttons = append(form.Buttons, b)
		}
	}
	return form
}

// formOwner is the index of a node's form element in its document; -1 is none.
func (s *Snapshot) formOwner(n *Node) int32 {
	if s.Captured(n) == nil {
		return -1
	}
	nodes := s.Capture.Documents[n.doc].Nodes
	if id, ok := nodes[n.node].Attr("form"); ok {
		for i := range nodes {
			if has, _ := nodes[i].Attr("id"); nodes[i].Name == "form" && has == id {
				return int32(i)
			}
		}
		return -1
	}
	for at := n.node; at >= 0; at = nodes[at].Parent {
		if nodes[at].Name == "form" {
			return at
		}
	}
	return -1
}

// onLine reports whether the cell of a row stands on the row's line alone.
func (s *Snapshot) onLine(row *Node, c int) bool {
	if row.Cells[c].Reach != NoReach {
		return false
	}
	_, below := s.index()[nodeKey{row.doc, s.Capture.Documents[row.doc].Nodes[row.Cells[c].node].ID}]
	return !below
}

// cellsOf returns the cells of a row, on its line or on lines of their own.
func (s *Snapshot) cellsOf(row int32) (cells []*Node) {
	n := &s.Nodes[row]
	for c := range n.Cells {
		cells = append(cells, s.cell(n, c+1))
	}
	if cells != nil {
		return cells
	}
	// A cell around a single thing has no line, and counts all the same.
	nodes := s.Capture.Documents[n.doc].Nodes
	for i := n.node + 1; int(i) < len(nodes) && nodes[i].Parent >= n.node; i++ {
		role := cellRoleOf(&nodes[i])
		if role == "" {
			continue
		}
		if at, ok := s.index()[nodeKey{n.doc, nodes[i].ID}]; ok {
			cells = append(cells, &s.Nodes[at])
		} else if nodes[i].Rendered {
			cells = append(cells, &Node{Parent: row, End: row, Role: role, index: -1, doc: n.doc, node: i,
				Source: s.Capture.Documents[n.doc].Ref(i)})
		}
		for cell := i; int(i)+1 < len(nodes) && nodes[i+1].Parent >= cell; { // skip its content: cells in there belong to another row
			i++
		}
	}
	return cells
}

// cellRoleOf is the role of a table's cell by its markup, "" for another element.
func cellRoleOf(n *driver.Node) Role {
	role, _ := n.Attr("role")
	switch {
	case cellRole(Role(role)):
		return Role(role)
	case role == "" && isCell(n) && n.Name == "th":
		return "columnheader"
	case role == "" && isCell(n):
		return "cell"
	}
	return ""
}

// textOf is what a node says with all that is in it.
func (s *Snapshot) textOf(n *Node) string {
	if n.index < 0 {
		return n.Name
	}
	var parts []string
	for i := n.index; i < n.End; i++ {
		one := &s.Nodes[i]
		if one.End == i+1 || one.Role == "text" || len(one.Cells) > 0 {
			parts = append(parts, one.says())
		}
		for _, cell := range one.Cells {
			parts = append(parts, cell.Text)
		}
	}
	return strings.Join(parts, " ")
}

// attribute returns a markup attribute of a node's element.
func (s *Snapshot) attribute(n *Node, name string) (string, bool) {
	if captured := s.Captured(n); captured != nil {
		return captured.Attr(name)
	}
	return "", false
}

// textsIn appends the texts by which a locator's text finds a node.
func (s *Snapshot) textsIn(n *Node, texts []string) []string {
	for i := n.index; i < n.End; i++ {
		for _, c := range s.Nodes[i].Cells {
			texts = append(texts, collapse(c.Text))
		}
		if i > n.index {
			texts = append(texts, collapse(s.Nodes[i].says()))
		}
	}
	return append(texts, collapse(n.says()), collapse(s.textOf(n)))
}

// says returns a node's name. An editable element that is no field has its text as its
// value: says adds it.
func (n *Node) says() string {
	if n.Value == "" || !n.States.Editable || interactiveRole(n.Role) {
		return n.Name
	}
	return strings.TrimPrefix(n.Name+" "+n.Value, " ")
}
