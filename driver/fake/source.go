package fake

import (
	"sync"

	"golang.org/x/net/html"
)

// sources are the documents of a [Web] that were opened, by their source: one
// that is opened again is copied from the tree of an earlier parse, which takes
// a fifth of another one. The Web bounds how many there are.
type sources struct {
	mu sync.Mutex
	of map[string]*parsed
}

// A parsed source is kept from the second time on: most are opened once.
type parsed struct {
	once         sync.Once
	root         *html.Node
	nodes, attrs int
}

// tree returns the tree of a source, the caller's own.
func (s *sources) tree(source string) *html.Node {
	s.mu.Lock()
	p, again := s.of[source]
	if !again {
		if s.of == nil {
			s.of = make(map[string]*parsed)
		}
		p = &parsed{}
		s.of[source] = p
	}
	s.mu.Unlock()
	if !again {
		return parseHTML(source, true)
	}
	p.once.Do(func() {
		p.root = parseHTML(source, true)
		p.count(p.root)
	})
	c := copier{nodes: make([]html.Node, 0, p.nodes), attrs: make([]html.Attribute, 0, p.attrs)}
	return c.tree(p.root)
}

// count counts what stands below a node. The parser has bounded the depth.
func (p *parsed) count(n *html.Node) {
	p.nodes++
	p.attrs += len(n.Attr)
	for child := range n.ChildNodes() {
		p.count(child)
	}
}

// A copier makes a tree in two pieces, which have room for all of it.
type copier struct {
	nodes []html.Node
	attrs []html.Attribute
}

func (c *copier) tree(n *html.Node) *html.Node {
	at := len(c.attrs)
	c.attrs = append(c.attrs, n.Attr...)
	c.nodes = append(c.nodes, html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: c.attrs[at:len(c.attrs):len(c.attrs)]})
	to := &c.nodes[len(c.nodes)-1]
	for child := range n.ChildNodes() {
		to.AppendChild(c.tree(child))
	}
	return to
}
