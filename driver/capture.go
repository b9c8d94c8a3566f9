package driver

// A Capture is what a page was at one moment: the facts of its DOM and layout,
// with nothing concluded from them. Package accessibility concludes.
//
// A capture is plain data, shares nothing with the driver, and belongs to the
// caller. It is large: tens of thousands of nodes are usual.
type Capture struct {
	Revision  Revision
	Viewport  Size
	Scale     float64
	Documents []Document // main document first, a child after its parent

	// Notes are sentences for people about what could not be read.
	Notes []string
}

// A Document is the content of one frame.
type Document struct {
	Frame   FrameID
	Doc     DocID
	Ordinal int // Frame.Ordinal
	URL     string
	BaseURL string
	Title   string // white space collapsed
	Lang    string
	XML     bool // parsed as XML, as XHTML is: the names in an XPath have a namespace there

	// OwnerDocument is the index of the document that holds the frame's
	// owner element, and Owner that element's index there; -1 in the main document.
	OwnerDocument, Owner int32

	// Active is the index of the focused element itself, in whatever shadow
	// tree it stands; -1 if there is none (the body is none). In the documents
	// above, it is the frame's owner.
	Active int32

	ScrollX, ScrollY float64
	Content          Size // the whole scrollable area

	// Nodes are in preorder of the flat tree: a parent before its children, a
	// subtree without gaps. Nodes[0] is the document node.
	Nodes []Node
}

// Root returns the reference of the document node.
func (d *Document) Root() NodeRef { return d.Ref(0) }

// Ref returns the reference of the node at index i.
func (d *Document) Ref(i int32) NodeRef { return NodeRef{d.Frame, d.Doc, d.Nodes[i].ID} }

// A NodeKind is the kind of a captured node.
type NodeKind uint8

// The kinds. Comments, processing instructions and template contents are not captured.
const (
	DocumentNode NodeKind = iota
	DoctypeNode
	ElementNode
	TextNode
	// PseudoNode is ::before, ::after, ::marker, ::backdrop and their kind,
	// a child of its element. ::after stands behind the element's children.
	PseudoNode
)

// A ShadowKind says in what kind of tree a node stands.
type ShadowKind uint8

// The kinds. User-agent shadow trees are not captured.
const (
	Light        ShadowKind = iota // the document's own tree
	OpenShadow                     // an open shadow root's
	ClosedShadow                   // a closed shadow root's
)

// A Namespace is an element's.
type Namespace uint8

// The namespaces.
const (
	HTML Namespace = iota
	SVG
	MathML
	OtherNamespace
)

// A Node is one node of the flat tree: slotted children stand under their
// slot, a shadow host's children are those of its shadow root, and light
// children that no slot takes are absent.
type Node struct {
	ID     NodeID
	Parent int32 // index in Nodes; -1 for the document node

	// Host is the index of the element whose shadow root the node's tree
	// hangs from; -1 in the document's own tree. A node whose Host is not its
	// parent's is either the top of a shadow tree (Host is the parent) or slotted.
	Host int32

	Kind      NodeKind
	Shadow    ShadowKind
	Namespace Namespace

	// Name is an element's local name, in lower case in HTML; a pseudo
	// element's name with its colons ("::before").
	Name string

	Attrs []Attr // in document order; names in lower case in HTML

	// Text is a text node's data.
	Text string

	// Shown is a text node's text, or a pseudo element's generated text, as
	// it is laid out: with text-transform and counters, white space not
	// collapsed. It is empty where Rendered is false.
	Shown string

	// Value is the live value of an input, textarea, select (the chosen
	// option's) or option; HasValue tells empty from none. A password's value
	// is never captured, nor its value attribute: each is as many bullets as
	// there are characters.
	Value    string
	HasValue bool

	Checked   bool // checkbox and radio, live
	Selected  bool // option, live
	Clickable bool // has a listener for click, mousedown or mouseup, or is activated by nature
	Rendered  bool // has a box or, for text, a fragment

	// Box is the border box in the coordinates of the document (not scrolled
	// with the page), zero if not rendered.
	Box Rect

	// Style is nil where the browser computed none (display none, or below it).
	// It is shared between nodes: do not change it.
	Style *Style

	// Rare is what few nodes have, nil for the rest.
	Rare *Rare
}

// An Attr is an attribute of an element.
type Attr struct{ Name, Value string }

// Attr returns the value of an attribute, and whether the element has it.
func (n *Node) Attr(name string) (string, bool) {
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			return n.Attrs[i].Value, true
		}
	}
	return "", false
}

// ARIA returns the value of an attribute of ARIA's, or what a custom element says in
// its place through ElementInternals, and whether there is one.
func (n *Node) ARIA(name string) (string, bool) {
	if v, ok := n.Attr(name); ok || n.Rare == nil {
		return v, ok
	}
	for i := range n.Rare.Internals {
		if n.Rare.Internals[i].Name == name {
			return n.Rare.Internals[i].Value, true
		}
	}
	return "", false
}

// A Style holds the computed values of the properties that roles, names and
// visibility depend on, as CSS serializes them.
type Style struct {
	Display           string
	Visibility        string
	Position          string
	PointerEvents     string
	Cursor            string
	Content           string // "normal" or "none" where there is none
	ContentVisibility string
	Interactivity     string // "inert" takes an element, and all in it, from a person; empty where a browser has no such property
}

// A Rare holds facts that few nodes have.
type Rare struct {
	Mixed       bool   // checkbox with indeterminate set
	Modal       bool   // dialog shown by showModal
	PopoverOpen bool   // popover that is showing
	Broken      bool   // image that failed, or media that cannot play
	Invalid     string // the message of a control whose value is not valid
	Scroll      *ScrollState

	// Internals are what a custom element says of itself through ElementInternals,
	// under the names of the attributes that say the same ("role", "aria-label",
	// "aria-checked" …). An attribute of its own wins, and is not repeated here.
	Internals []Attr

	// FormAssociated reports a custom element that labels can be for.
	FormAssociated bool

	// References are element reflections that no attribute spells, by
	// attribute name: "aria-labelledby" → nodes of this document.
	References map[string][]NodeID

	// ReferenceTarget is the node that stands for a shadow host when an id
	// reference names the host; 0 if the host stands for itself, -1 if
	// nothing stands for it: its shadow root names a target that is not there.
	ReferenceTarget NodeID
}
