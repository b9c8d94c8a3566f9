package fake

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A shadowRoot is a shadow tree. Its root is a document node of its own, so
// that selectors do not look beyond it.
type shadowRoot struct {
	host      *html.Node
	root      *html.Node
	kind      driver.ShadowKind
	delegates bool
	refers    bool // references to the host mean what has target as its id
	target    string
	sheets    *sheets
}

// number returns the node's number, and gives it one if it has none.
func (d *document) number(n *html.Node) driver.NodeID {
	if id, ok := d.ids[n]; ok {
		return id
	}
	d.nodes = append(d.nodes, n)
	id := driver.NodeID(len(d.nodes))
	d.ids[n] = id
	return id
}

// connected reports whether n stands in the document or in one of its shadow trees.
func (d *document) connected(n *html.Node) bool {
	for {
		for n.Parent != nil {
			n = n.Parent
		}
		if n == d.root {
			return true
		}
		s := d.roots[n]
		if s == nil {
			return false
		}
		n = s.host
	}
}

// up is the parent in the composed tree: the host above a shadow root.
func (d *document) up(n *html.Node) *html.Node {
	if n.Parent != nil && n.Parent.Type == html.ElementNode {
		return n.Parent
	}
	top := n
	if n.Parent != nil {
		top = n.Parent
	}
	if s := d.roots[top]; s != nil {
		return s.host
	}
	return n.Parent
}

// composedWithin reports that n is top or below it, through shadow hosts.
func (d *document) composedWithin(n, top *html.Node) bool {
	for ; n != nil; n = d.up(n) {
		if n == top {
			return true
		}
	}
	return false
}

// each calls f for the elements of the document and of its shadow trees, a
// shadow tree behind its host and before the host's children.
func (d *document) each(f func(*html.Node)) {
	if len(d.shadows) == 0 {
		for n := d.root; n != nil; n = next(n, d.root) {
			if n.Type == html.ElementNode {
				f(n)
			}
		}
		return
	}
	type spot struct{ n, top *html.Node }
	stack := []spot{{d.root, d.root}}
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
		if s := d.shadows[n]; s != nil {
			stack = append(stack, spot{s.root, s.root})
		}
	}
}

// assignSlots finds the nodes that each slot shows. Slots without any are
// absent and show their own children.
func (d *document) assignSlots() map[*html.Node][]*html.Node {
	if len(d.shadows) == 0 {
		return nil
	}
	slots := make(map[*html.Node][]*html.Node)
	for host, s := range d.shadows {
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
func (d *document) referenceTarget(s *shadowRoot) driver.NodeID {
	for n := s.root; n != nil; n = next(n, s.root) {
		if n.Type == html.ElementNode && s.target != "" && attr(n, "id") == s.target {
			return d.number(n)
		}
	}
	return -1
}

// adopt numbers the nodes below top, top included, and attaches the shadow
// trees that templates declare.
func (d *document) adopt(top *html.Node) {
	for n := top; n != nil; {
		d.number(n)
		if n.Type == html.ElementNode && n.Namespace == "" {
			switch n.Data {
			case "template":
				after := nextSkip(n, top)
				d.declare(n)
				n = after
				continue
			case "iframe", "frame":
				d.mayHaveFrames = true
			case "selectedcontent":
				d.mirrors = append(d.mirrors, mirror{at: n})
			}
		}
		n = next(n, top)
	}
}

// declare turns a template with shadowrootmode into its parent's shadow tree.
func (d *document) declare(t *html.Node) {
	mode := lower(attr(t, "shadowrootmode"))
	host := t.Parent
	if mode != "open" && mode != "closed" || host == nil || host.Type != html.ElementNode || d.shadows[host] != nil {
		return
	}
	host.RemoveChild(t)
	s := d.attachShadow(host, mode == "closed")
	s.delegates = has(t, "shadowrootdelegatesfocus")
	s.target, s.refers = lookup(t, "shadowrootreferencetarget")
	for c := t.FirstChild; c != nil; c = t.FirstChild {
		t.RemoveChild(c)
		s.root.AppendChild(c)
	}
	d.adopt(s.root)
}

func (d *document) attachShadow(host *html.Node, closed bool) *shadowRoot {
	s := &shadowRoot{host: host, kind: driver.OpenShadow, root: &html.Node{Type: html.DocumentNode}}
	if closed {
		s.kind = driver.ClosedShadow
	}
	if d.shadows == nil {
		d.shadows = make(map[*html.Node]*shadowRoot)
		d.roots = make(map[*html.Node]*shadowRoot)
	}
	d.shadows[host] = s
	d.roots[s.root] = s
	return s
}
