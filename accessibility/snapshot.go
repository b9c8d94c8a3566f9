package accessibility

import (
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Ref points into an outline: the frame's ordinal, a dash, and the node's
// id in its document, as "0-18372". It stays the same for as long as the
// document lives. It means something only together with its [Snapshot].
type Ref string

// Options refine Build. The zero value takes the whole page, without limit.
type Options struct {
	// Scope keeps only these elements and what is below them. An element
	// that is not in the capture keeps nothing.
	Scope []driver.NodeRef
	// Ignore leaves these elements and what is below them out. It wins over Scope.
	Ignore []driver.NodeRef
	// MainFrame leaves the content of frames out; the frames themselves stay.
	MainFrame bool
	// MaxTokens bounds the outline, by the estimate of [Tokens]; 0 is no limit.
	// What is left out is said in place. Nodes, Text, Lookup and Search are
	// not affected: a ref that the outline had no room for is still good.
	MaxTokens int
	// URLs has the outline say where links go.
	URLs bool
	// Mask, if not nil, rewrites each name, value, description and option
	// before a line says it: to hide what a reader must not see. Nodes, Text,
	// Lookup and Search are not affected. It may be called from several
	// goroutines at once.
	Mask func(string) string
}

// A Snapshot is the part of an accessibility tree that is worth saying: what a
// person can see or use, without empty wrappers and without text that a name
// has said already. It does not change and may be read by several goroutines.
type Snapshot struct {
	Capture *driver.Capture
	Nodes   []Node // in preorder

	opts    Options
	outline func() string
	index   func() map[nodeKey]int32
	frames  map[int]int32 // a frame's ordinal to its index in Capture.Documents
}

// nodeKey names a node within one capture.
type nodeKey struct {
	doc int32 // index in Capture.Documents
	id  driver.NodeID
}

// A Node is one line of an outline.
type Node struct {
	Ref    Ref
	Source driver.NodeRef // what the node was made of: an element, or the first text of a run
	// Target is the element to act on: Source, or for text the element that
	// holds it.
	Target driver.NodeRef

	Parent int32 // index in Nodes; -1 at the top
	End    int32 // index after the last node of the subtree
	Depth  int32 // indentation; does not grow beyond [MaxDepth]

	// Role is the ARIA role; "text" for text, "document" for the page,
	// "generic" for an element that has none and is there because it can be used.
	Role Role
	// Name is the accessible name, else the text that the node consists of.
	// It is whole, however much of it the outline shows. White space is
	// collapsed, characters that nobody can see are removed.
	Name        string
	Description string
	Placeholder string // what an empty field shows, if the name does not say it
	Value       string // of a control, as a person reads it
	URL         string // of a link: absolute
	Tag         string // the element's local name; empty for text

	States States
	// InvalidMessage is what the browser says about a value that is not
	// valid. It is empty while a required field has only not been filled in yet.
	InvalidMessage string
	// Heading is the level of a heading that consists of this node alone and
	// therefore has no line of its own; 0 if there is none.
	Heading int

	Interactive bool // can be acted on
	Header      bool // a table row of column headers

	// Cells are what a row of a table says on its line. A cell with more than
	// plain text in it has its own lines below the row.
	Cells []Cell
	// Options are the labels of a native select, groups flattened.
	Options []string
	// Scroll is set where the content is larger than what is shown of it.
	Scroll *driver.ScrollState

	index     int32 // in Nodes
	broken    bool  // begins a new line of the page's text
	tight     bool  // follows what is before without white space
	doc, node int32 // Capture.Documents[doc].Nodes[node]
}

// A Cell is one cell of a table row.
type Cell struct {
	Text string
	// Below says that the cell's content follows on lines of its own, in the
	// order of these cells: "↓" in the outline.
	Below bool

	kind uint8 // in lineCells
	node int32 // in the row's document
}

// MaxDepth is the deepest indentation of an outline, in levels. What is nested
// deeper stands at this depth, too, so that a hostile page cannot make an
// outline of nothing but spaces.
const MaxDepth = 64

// Build reads a capture: it computes the accessibility tree, leaves out what
// is not worth saying, and gives the rest refs. opts may be nil. It keeps the
// capture, which must not be changed afterwards.
//
// Any capture gives a snapshot; one that contradicts itself gives one in which
// the nodes concerned are missing.
func Build(c *driver.Capture, opts *Options) *Snapshot {
	s := slabs.Get().(*slab)
	defer s.release()
	return build(compute(c, s), opts, s)
}

// With returns a snapshot of the same nodes whose outline is written by opts:
// its MaxTokens, URLs and Mask. It costs next to nothing beside [Build]; what
// decides about nodes (Scope, Ignore, MainFrame) stays as it is.
func (s *Snapshot) With(opts Options) *Snapshot {
	out := &Snapshot{Capture: s.Capture, Nodes: s.Nodes, opts: s.opts, index: s.index, frames: s.frames}
	out.opts.MaxTokens, out.opts.URLs, out.opts.Mask = opts.MaxTokens, opts.URLs, opts.Mask
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
	s.frames = make(map[int]int32, len(c.Documents))
	for i := len(c.Documents) - 1; i >= 0; i-- { // the first of two wins
		s.frames[c.Documents[i].Ordinal] = int32(i)
	}
	return s
}

// Outline returns the snapshot as text for a language model, one line for each
// node; [ParseOutline] describes the form. It is written once.
func (s *Snapshot) Outline() string { return s.outline() }

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

// Find returns the node that was made of ref, that of a cell on a row's line
// included.
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

// Captured returns what the capture holds of a node of the snapshot; nil for text
// that no element stands for.
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
	at, ok := s.captured(doc, ref.Node)
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

// captured returns the index of a node in its document. 0 names the document node.
func (s *Snapshot) captured(doc int32, id driver.NodeID) (int32, bool) {
	nodes := s.Capture.Documents[doc].Nodes
	if id == 0 {
		return 0, len(nodes) > 0
	}
	for i := range nodes {
		if nodes[i].ID == id {
			return int32(i), true
		}
	}
	return 0, false
}

// owner returns the document and index of a frame's owner element.
func owner(c *driver.Capture, doc int32) (int32, int32, bool) {
	d := &c.Documents[doc]
	up, at := d.OwnerDocument, d.Owner
	// A child stands behind its parent, or the capture contradicts itself.
	if up < 0 || up >= doc || at < 0 || int(at) >= len(c.Documents[up].Nodes) {
		return 0, 0, false
	}
	return up, at, true
}
