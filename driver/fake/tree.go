package fake

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A tree is the nodes of a document with its shadow trees, and their numbers.
type tree struct {
	root    *html.Node
	ids     map[*html.Node]driver.NodeID
	nodes   []*html.Node // by number less one
	shadows map[*html.Node]*shadowRoot
	roots   map[*html.Node]*shadowRoot // by the root node

	hasFrames bool         // there has been an element that shows a frame
	mirrors   []*html.Node // selectedcontent elements, which show the content of the chosen option
}

// mostForeseen is for how many nodes room is made before they are there.
const mostForeseen = 1 << 16

// plant makes root the content of the tree, in place of what was there, and
// numbers its nodes. tags is about how many there are.
func (t *tree) plant(root *html.Node, tags int) {
	tags = min(16+tags, mostForeseen)
	t.root = root
	t.ids = make(map[*html.Node]driver.NodeID, tags)
	t.nodes = make([]*html.Node, 0, tags)
	t.shadows, t.roots, t.mirrors = nil, nil, nil
	t.adopt(root)
}

// A shadowRoot is a shadow tree. Its root is a document node of its own, so
// that selectors do not look beyond it.
type shadowRoot struct {
	host      *html.Node
	root      *html.Node
	kind      driver.ShadowKind
	delegates bool
	refers    bool // references to the host mean what has target as its id
	target    string
}

// number returns the node's number, and gives it one if it has none.
func (t *tree) number(n *html.Node) driver.NodeID {
	if id, ok := t.ids[n]; ok {
		return id
	}
	t.nodes = append(t.nodes, n)
	id := driver.NodeID(len(t.nodes))
	t.ids[n] = id
	return id
}

// numberOf is the number that the node has, if it has one.
func (t *tree) numberOf(n *html.Node) (driver.NodeID, bool) {
	id, ok := t.ids[n]
	return id, ok
}

// connected reports whether n stands in the document or in one of its shadow trees.
func (t *tree) connected(n *html.Node) bool {
	for {
		for n.Parent != nil {
			n = n.Parent
		}
		if n == t.root {
			return true
		}
		s := t.roots[n]
		if s == nil {
			return false
		}
		n = s.host
	}
}

// up is the parent in the composed tree: the host above a shadow root.
func (t *tree) up(n *html.Node) *html.Node {
	if n.Parent != nil && n.Parent.Type == html.ElementNode {
		return n.Parent
	}
	top := n
	if n.Parent != nil {
		top = n.Parent
	}
	if s := t.roots[top]; s != nil {
		return s.host
	}
	return n.Parent
}

// composedWithin reports that n is top or below it, through shadow hosts.
func (t *tree) composedWithin(n, top *html.Node) bool {
	for ; n != nil; n = t.up(n) {
		if n == top {
			return true
		}
	}
	return false
}

// each calls f for the elements of the document and of its shadow trees, a
// shadow tree behind its host and before the host's children.
func (t *tree) each(f func(*html.Node)) {
	if len(t.shadows) == 0 {
		for n := t.root; n != nil; n = next(n, t.root) {
			if n.Type == html.ElementNode {
				f(n)
			}
		}
		return
	}
	type spot struct{ n, top *html.Node }
	stack := []spot{{t.root, t.root}}
	for len(stack) > 0 {
		at := &stack[len(stack)-1]
		n := at.n
		if n == nil {
			stack = stack[:len(stack)-1]
			continue
		}
		at.n = next(n, at.top)
		if n.Type != html.ElementNode {
			continue
		}
		f(n)
		if s := t.shadows[n]; s != nil {
			stack = append(stack, spot{s.root, s.root})
		}
	}
}

// first returns the first element of the name in the document's own tree.
func (t *tree) first(name string) *html.Node {
	for n := t.root; n != nil; n = next(n, t.root) {
		if isElement(n, name) {
			return n
		}
	}
	return nil
}

// assignSlots finds the nodes that each slot shows. Slots without any are
// absent and show their own children.
func (t *tree) assignSlots() map[*html.Node][]*html.Node {
	if len(t.shadows) == 0 {
		return nil
	}
	slots := make(map[*html.Node][]*html.Node)
	for host, s := range t.shadows {
		byName := make(map[string]*html.Node)
		for n := s.root; n != nil; n = next(n, s.root) {
			if isElement(n, "slot") {
				if name := attr(n, "name"); byName[name] == nil {
					byName[name] = n
				}
			}
		}
		for c := host.FirstChild; c != nil; c = c.NextSibling {
			name := ""
			switch c.Type {
			case html.ElementNode:
				name = attr(c, "slot")
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

// referenceTarget is the number of the element that stands for the host when
// something refers to that; -1 if it is not there.
func (t *tree) referenceTarget(s *shadowRoot) driver.NodeID {
	for n := s.root; n != nil; n = next(n, s.root) {
		if n.Type == html.ElementNode && s.target != "" && attr(n, "id") == s.target {
			return t.number(n)
		}
	}
	return -1
}

// adopt numbers the nodes below top, top included, and attaches the shadow
// trees that templates declare.
func (t *tree) adopt(top *html.Node) {
	for n := top; n != nil; {
		t.number(n)
		if n.Type == html.ElementNode && n.Namespace == "" {
			switch n.Data {
			case "template":
				after := nextSkip(n, top)
				t.declare(n)
				n = after
				continue
			case "iframe", "frame":
				t.hasFrames = true
			case "selectedcontent":
				t.mirrors = append(t.mirrors, n)
			}
		}
		n = next(n, top)
	}
}

// declare turns a template with shadowrootmode into its parent's shadow tree.
func (t *tree) declare(template *html.Node) {
	mode := lower(attr(template, "shadowrootmode"))
	host := template.Parent
	if mode != "open" && mode != "closed" || host == nil || host.Type != html.ElementNode || t.shadows[host] != nil {
		return
	}
	host.RemoveChild(template)
	s := t.attachShadow(host, mode == "closed")
	s.delegates = has(template, "shadowrootdelegatesfocus")
	s.target, s.refers = lookup(template, "shadowrootreferencetarget")
	for c := template.FirstChild; c != nil; c = template.FirstChild {
		template.RemoveChild(c)
		s.root.AppendChild(c)
	}
	t.adopt(s.root)
}

func (t *tree) attachShadow(host *html.Node, closed bool) *shadowRoot {
	s := &shadowRoot{host: host, kind: driver.OpenShadow, root: &html.Node{Type: html.DocumentNode}}
	if closed {
		s.kind = driver.ClosedShadow
	}
	if t.shadows == nil {
		t.shadows = make(map[*html.Node]*shadowRoot)
		t.roots = make(map[*html.Node]*shadowRoot)
	}
	t.shadows[host] = s
	t.roots[s.root] = s
	return s
}
