package driver

// A SelectorKind is a selector's language.
type SelectorKind int

// The languages.
const (
	CSS SelectorKind = iota
	XPath
)

// A Selector names elements within one document or shadow root. Hops from one
// root to the next are not a driver's affair: package engine splits them.
type Selector struct {
	Kind SelectorKind
	Text string
}

// A Selection is what a selector matches within a root, as [Finder].Find has it.
type Selection struct {
	Root NodeRef
	Selector
}
