package driver

// A PageID names a page within its browser. It is the FrameID of the page's
// main frame, and stays the same while the page is open.
type PageID string

// A FrameID names a frame within its browser. It stays the same while the
// frame is attached, over navigations, also into another process.
type FrameID string

// A DocID names a document that a frame shows or showed. A navigation to
// another document gives the frame a new one; a change of the fragment or a
// pushState does not. In Chrome it is the loader id.
type DocID string

// A NodeID is a node's number in its document. It stays the same while the
// document lives. Numbers of two documents may collide. In Chrome it is the
// backend node id. Zero is no node.
type NodeID int64

// A NodeRef names a node for good: a document that is gone does not hand its
// references to its successor. It is comparable. A Node of 0 names the document
// itself, as the number of its document node does. The zero value is no node.
type NodeRef struct {
	Frame FrameID
	Doc   DocID
	Node  NodeID
}

// IsZero reports whether r names no node.
func (r NodeRef) IsZero() bool { return r == NodeRef{} }

// A Revision is a reading of [Reader].Revision. Only equality has a meaning.
type Revision uint64

// A Frame describes a frame of a page.
type Frame struct {
	ID     FrameID
	Parent FrameID // zero for the main frame
	Doc    DocID   // the document that it shows
	URL    string
	Name   string

	// Ordinal is a small number for the frame: 0 for the main frame, then
	// counting up in the order in which frames were first seen. It stays the
	// same while the frame is attached and is not given again.
	Ordinal int

	// OwnProcess reports that the frame is rendered apart from its parent.
	OwnProcess bool

	// Failed says why the frame shows a page of the browser's own instead of
	// a document that could not be fetched; nil if it does not. A driver whose
	// frames keep their document then never sets it. Its Err is nil.
	Failed *NavigationError
}
