package fake

import (
	"strings"

	"golang.org/x/net/html"
)

// lookup returns an attribute's value, and whether it is there.
func lookup(n *html.Node, name string) (string, bool) {
	for i := range n.Attr {
		if n.Attr[i].Key == name && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val, true
		}
	}
	return "", false
}

func attr(n *html.Node, name string) string {
	v, _ := lookup(n, name)
	return v
}

func has(n *html.Node, name string) bool {
	_, ok := lookup(n, name)
	return ok
}

func setAttr(n *html.Node, name, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == name && n.Attr[i].Namespace == "" {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

func removeAttr(n *html.Node, name string) {
	for i := range n.Attr {
		if n.Attr[i].Key == name && n.Attr[i].Namespace == "" {
			n.Attr = append(n.Attr[:i:i], n.Attr[i+1:]...)
			return
		}
	}
}

// isElement reports an HTML element of one of the names.
func isElement(n *html.Node, names ...string) bool {
	if n == nil || n.Type != html.ElementNode || n.Namespace != "" {
		return false
	}
	for _, name := range names {
		if n.Data == name {
			return true
		}
	}
	return false
}

// next is the node that follows n in preorder within top; nil after the last.
// The content of a template is a document of its own and passed over.
func next(n, top *html.Node) *html.Node {
	if n.FirstChild != nil && !(n.Data == "template" && n.Type == html.ElementNode && n.Namespace == "") {
		return n.FirstChild
	}
	return nextSkip(n, top)
}

// nextSkip is next past the subtree of n.
func nextSkip(n, top *html.Node) *html.Node {
	for n != top {
		if n.NextSibling != nil {
			return n.NextSibling
		}
		n = n.Parent
	}
	return nil
}

// textOf returns the text below n.
func textOf(n *html.Node) string {
	if n.FirstChild != nil && n.FirstChild == n.LastChild && n.FirstChild.Type == html.TextNode {
		return n.FirstChild.Data
	}
	var sb strings.Builder
	for c := next(n, n); c != nil; c = next(c, n) {
		if c.Type == html.TextNode {
			sb.WriteString(c.Data)
		}
	}
	return sb.String()
}

// within reports that n is top or below it, in one tree.
func within(n, top *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == top {
			return true
		}
	}
	return false
}

// closest returns the nearest of n and its ancestors that ok accepts.
func closest(n *html.Node, ok func(*html.Node) bool) *html.Node {
	for ; n != nil; n = n.Parent {
		if n.Type == html.ElementNode && ok(n) {
			return n
		}
	}
	return nil
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

// first returns the first element of the name in the document's own tree.
func (d *document) first(name string) *html.Node {
	d.parse()
	for n := d.root; n != nil; n = next(n, d.root) {
		if isElement(n, name) {
			return n
		}
	}
	return nil
}

// body returns the body element, or the root if there is none.
func (d *document) body() *html.Node {
	if b := d.first("body"); b != nil {
		return b
	}
	return d.root
}

// root returns the top of the tree that n stands in.
func topOf(n *html.Node) *html.Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}

// byID finds an element by its id in the tree that n stands in.
func byID(n *html.Node, id string) *html.Node {
	if id == "" {
		return nil
	}
	top := topOf(n)
	for c := top; c != nil; c = next(c, top) {
		if c.Type == html.ElementNode && attr(c, "id") == id {
			return c
		}
	}
	return nil
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

// trim takes ASCII white space off both ends.
func trim(s string) string { return strings.Trim(s, " \t\n\f\r") }

func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

// collapse joins runs of white space to one space and trims.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
