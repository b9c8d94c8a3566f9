package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// A Ref points into an outline: the frame's ordinal, a dash, and the node's
// id in its document, as "0-18372". It stays the same for as long as the
// document lives. It means something only together with its [Snapshot].
type Ref string

// Options refine Build. The zero value takes the whole page, without limit.
type Options struct {
	// Scope keeps only these elements and what is below them.
	Scope []driver.NodeRef
	// Ignore leaves these elements and what is below them out.
	Ignore []driver.NodeRef
	// MainFrame leaves the content of frames out; the frames themselves stay.
	MainFrame bool
	// MaxTokens bounds the outline, by the estimate of [Tokens]; 0 is no limit.
	// What is left out is said in place.
	MaxTokens int
}

// A Snapshot is the part of an accessibility tree that is worth saying: what a
// person can see or use, without empty wrappers and without text that a name
// has said already. It does not change and may be read by several goroutines.
type Snapshot struct {
	Capture *driver.Capture
	Nodes   []Node // in preorder
}

// A Node is one line of an outline.
type Node struct {
	Ref         Ref
	Source      driver.NodeRef
	Parent      int32 // index in Nodes; -1 at the top
	End         int32 // index after the last node of the subtree
	Depth       int32
	Role        Role
	Name        string
	Description string
	Value       string
	URL         string // of a link: absolute
	Tag         string // the element's local name; empty for text
	States      States
	Interactive bool // can be acted on
}
