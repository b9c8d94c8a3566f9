// Package dom is documents as trees: HTML parsed into nodes, their numbers and
// shadow trees, XPath, and the small grammars of attributes. A tree knows
// neither styles nor live state.
package dom

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Tree is the nodes of a document with its shadow trees, and their numbers.
type Tree struct {
	Root    *html.Node
	ids     map[*html.Node]driver.NodeID
	Nodes   []*html.Node // by number less one
	Shadows map[*html.Node]*ShadowRoot
	Roots   map[*html.Node]*ShadowRoot // by the root node

	HasFrames bool         // there has been an element that shows a frame
	Mirrors   []*html.Node // selectedcontent elements, which show the content of the chosen option
}

// mostForeseen is for how many nodes room is made before they are there.
const mostForeseen = 1 << 16

// Plant makes root the content of the tree, in place of what was there, and
// numbers its nodes. tags is about how many there are.
func (t *Tree) Plant(root *html.Node, tags int) {
	tags = min(16+tags, mostForeseen)
	t.Root = root
	t.ids = make(map[*html.Node]driver.NodeID, tags)
	t.Nodes = make([]*html.Node, 0, tags)
	t.Shadows, t.Roots, t.Mirrors = make(map[*html.Node]*ShadowRoot), make(map[*html.Node]*ShadowRoot), nil
	t.Adopt(root)
}

// A ShadowRoot is a shadow tree. Its root is a document node of its own, so
// that selectors do not look beyond it.
type ShadowRoot struct {
	Host   *html.Node
	Root   *html.Node
	Kind   driver.ShadowKind
	Refers bool // references to the host mean what has target as its id
	target string
}

// Number returns the node's number, and gives it one if it has none.
func (t *Tree) Number(n *html.Node) driver.NodeID {
	if id, ok := t.ids[n]; ok {
		return id
	}
	t.Nodes = append(t.Nodes, n)
	id := driver.NodeID(len(t.Nodes))
	t.ids[n] = id
	return id
}

// NumberOf is the number that the node has, if it has one.
func (t *Tree) NumberOf(n *html.Node) (driver.NodeID, bool) {
	id, ok := t.ids[n]
	return id, ok
}

// Connected reports whether n stands in the document or in one of its shadow trees.
func (t *Tree) Connected(n *html.Node) bool {
	for {
		for n.Parent != nil {
			n = n.Parent
		}
		if n == t.Root {
			return true
		}
		s := t.Roots[n]
		if s == nil {
			return false
		}
		n = s.Host
	}
}

// Up is the parent in the composed tree: the host above a shadow root.
func (t *Tree) Up(n *html.Node) *html.Node {
	if n.Parent != nil && n.Parent.Type == html.ElementNode {
		return n.Parent
	}
	top := n
	if n.Parent != nil {
		top = n.Parent
	}
	if s := t.Roots[top]; s != nil {
		return s.Host
	}
	return n.Parent
}

// ComposedWithin reports that n is top or below it, through shadow hosts.
func (t *Tree) ComposedWithin(n, top *html.Node) bool {
	for ; n != nil; n = t.Up(n) {
		if n == top {
			return true
		}
	}
	return false
}

// Each calls f for the elements of the document and of its shadow trees, a
// shadow tree behind its host and before the host's children.
func (t *Tree) Each(f func(*html.Node)) {
	var each func(root *html.Node)
	each = func(root *html.Node) {
		for n := root; n != nil; n = Next(n, root) {
			if n.Type != html.ElementNode {
				continue
			}
			f(n)
			if s := t.Shadows[n]; s != nil {
				each(s.Root)
			}
		}
	}
	each(t.Root)
}

// First returns the first element of the name in the document's own tree.
func (t *Tree) First(name string) *html.Node {
	return Find(t.Root, func(n *html.Node) bool { return IsElement(n, name) })
}

// AssignSlots finds the nodes that each slot shows. Slots without any are
// absent and show their own children.
func (t *Tree) AssignSlots() map[*html.Node][]*html.Node {
	if len(t.Shadows) == 0 {
		return nil
	}
	slots := make(map[*html.Node][]*html.Node)
	for host, s := range t.Shadows {
		byName := make(map[string]*html.Node)
		for n := s.Root; n != nil; n = Next(n, s.Root) {
			if IsElement(n, "slot") {
				if name := Attr(n, "name"); byName[name] == nil {
					byName[name] = n
				}
			}
		}
		for c := host.FirstChild; c != nil; c = c.NextSibling {
			name := ""
			switch c.Type {
			case html.ElementNode:
				name = Attr(c, "slot")
			case html.TextNode:
			default:
				continue
			}
			if slot := byName[name]; slot != nil {
				slots[slot] = append(slots[slot], c)
			}
		}
	}
	return slots
}

// ReferenceTarget is the number of the element that stands for the host when
// something refers to that; -1 if it is not there.
func (t *Tree) ReferenceTarget(s *ShadowRoot) driver.NodeID {
	if n := ByID(s.Root, s.target); n != nil {
		return t.Number(n)
	}
	return -1
}

// Adopt numbers the nodes below top, top included, and attaches the shadow
// trees that templates declare.
func (t *Tree) Adopt(top *html.Node) {
	for n := top; n != nil; {
		t.Number(n)
		if n.Type == html.ElementNode && n.Namespace == "" {
			switch n.Data {
			case "template":
				after := nextSkip(n, top)
				t.declare(n)
				n = after
				continue
			case "iframe", "frame", "object", "embed":
				t.HasFrames = true
			case "selectedcontent":
				t.Mirrors = append(t.Mirrors, n)
			}
		}
		n = Next(n, top)
	}
}

// declare turns a template with shadowrootmode into its parent's shadow tree.
func (t *Tree) declare(template *html.Node) {
	mode := Lower(Attr(template, "shadowrootmode"))
	host := template.Parent
	if mode != "open" && mode != "closed" || host == nil || host.Type != html.ElementNode || t.Shadows[host] != nil {
		return
	}
	host.RemoveChild(template)
	s := t.AttachShadow(host, mode == "closed")
	s.target, s.Refers = Lookup(template, "shadowrootreferencetarget")
	for c := template.FirstChild; c != nil; c = template.FirstChild {
		template.RemoveChild(c)
		s.Root.AppendChild(c)
	}
	t.Adopt(s.Root)
}

func (t *Tree) AttachShadow(host *html.Node, closed bool) *ShadowRoot {
	s := &ShadowRoot{Host: host, Kind: driver.OpenShadow, Root: &html.Node{Type: html.DocumentNode}}
	if closed {
		s.Kind = driver.ClosedShadow
	}
	t.Shadows[host] = s
	t.Roots[s.Root] = s
	return s
}
