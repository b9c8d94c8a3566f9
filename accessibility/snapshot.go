package accessibility

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Options refine Build. The zero value takes the whole page, without limit.
type Options struct {
	// Scope keeps only these elements and what is below them. Elements that are
	// not in the capture keep nothing.
	Scope []driver.NodeRef
	// Ignore leaves these elements and what is below them out. It wins over Scope.
	Ignore []driver.NodeRef
	// MainFrame leaves the content of frames out; the frames themselves stay.
	MainFrame bool
	// MaxTokens bounds the outline, by the estimate of [Tokens]; 0 is no limit.
	// A line stands for what is left out, in its place. Nodes, Text, Lookup and
	// Search are not affected: a ref that the outline had no room for is still good.
	MaxTokens int
	// Whole makes the outline show texts, values and lists of options in full,
	// however long; without it the longest are shortened. MaxTokens still
	// shortens them.
	Whole bool
	// URLs makes the outline show where links go.
	URLs bool
	// Mask, if not nil, rewrites each name, value, description and option
	// before a line shows it: to hide what a reader must not see. Nodes, Text,
	// Lookup and Search are not affected. It may be called from several
	// goroutines at once.
	Mask func(string) string
}

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
	source := driver.NodeRef{Frame: d.Frame, Doc: d.Doc, Node: captured.ID}
	return &Node{
		Ref: row.Ref.Cell(n), Source: source, Target: source,
		Parent: row.index, End: row.index, Depth: min(row.Depth+1, MaxDepth),
		Role: lineCells[c.kind], Name: c.Text, Tag: captured.Name, Interactive: c.Interactive,
		index: -1, doc: row.doc, node: c.node,
	}
}

// CellSource is the captured node that cell n of a row's line was made of, counted from 1.
func (s *Snapshot) CellSource(row *Node, n int) driver.NodeRef {
	d := &s.Capture.Documents[row.doc]
	return driver.NodeRef{Frame: d.Frame, Doc: d.Doc, Node: d.Nodes[row.Cells[n-1].node].ID}
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

// HeadOfRow returns what the row or the list item of a node begins with: its first cell
// or text, as a rule what the row is about. It is empty if the node stands in none, if a
// list item begins with the node itself, and of a row that says nothing but the node.
func (s *Snapshot) HeadOfRow(n *Node) string {
	up := n.Parent
	for up >= 0 && s.Nodes[up].Role != "row" && s.Nodes[up].Role != "listitem" {
		up = s.Nodes[up].Parent
	}
	if up < 0 {
		return ""
	}
	row := &s.Nodes[up]
	head, at := "", int32(0) // the text that stands first in the document, and where
	consider := func(node *Node, text string, place int32) {
		if text = collapse(text); node.doc == row.doc && (head == "" || place < at) && strings.ContainsFunc(text, isWordRune) {
			head, at = text, place
		}
	}
	for i := up; i < row.End; i++ {
		other := &s.Nodes[i]
		if head != "" && other.node > at {
			break // the rest of the row stands behind it
		}
		for c := range other.Cells {
			consider(other, other.Cells[c].Text, other.Cells[c].node)
		}
		switch inside := n.index >= 0 && i >= n.index && i < n.End; {
		case i == up || inside || i < n.index && n.index < other.End: // around it, or in it
		case other.Interactive && other.Role != "link": // another control of the row
		default:
			consider(other, other.Name, other.node)
		}
	}
	if row.Role == "listitem" && n.doc == row.doc && n.node < at {
		return ""
	}
	return head
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
