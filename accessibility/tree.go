package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// A Tree is the accessibility tree of a capture in full: an object for every
// captured element, text and pseudo element, those that assistive technology
// is not shown included (Ignored). It is what browsers call their
// accessibility tree, and is compared with Chrome's in the tests.
type Tree struct {
	Capture *driver.Capture

	// Objects are in preorder of the accessibility tree, where aria-owns has
	// moved what it moves: a subtree is Objects[i:Objects[i].End].
	Objects []Object
}

// An Object is a node of a [Tree].
type Object struct {
	Doc, Node int32 // the source: Capture.Documents[Doc].Nodes[Node]
	Parent    int32 // index in Objects; -1 for the root of the main document
	End       int32 // index after the last object of the subtree

	Role        Role
	Name        string
	Description string
	Value       string // of a control: as a person reads it
	States      States

	// Ignored reports that the object itself is not in the tree that is
	// shown; its children may be.
	Ignored bool
	// Hidden reports that a person does not perceive it in any way: not
	// rendered, invisible, inert, or aria-hidden.
	Hidden bool
}
