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

// attributes returns the attributes that the source or a script gave n.
func attributes(n *html.Node) []html.Attribute {
	i := len(n.Attr)
	for i > 0 && strings.HasPrefix(n.Attr[i-1].Key, " ") {
		i--
	}
	return n.Attr[:i]
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

func firstSummary(details *html.Node) *html.Node {
	for c := details.FirstChild; c != nil; c = c.NextSibling {
		if isElement(c, "summary") {
			return c
		}
	}
	return nil
}

// clone copies a subtree.
func clone(n *html.Node) *html.Node {
	shallow := func(n *html.Node) *html.Node {
		return &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Namespace: n.Namespace, Attr: append([]html.Attribute(nil), attributes(n)...)}
	}
	root := shallow(n)
	from, to := n, root
	for {
		switch {
		case from.FirstChild != nil:
			from = from.FirstChild
			c := shallow(from)
			to.AppendChild(c)
			to = c
			continue
		}
		for from != n && from.NextSibling == nil {
			from, to = from.Parent, to.Parent
		}
		if from == n {
			return root
		}
		from = from.NextSibling
		c := shallow(from)
		to.Parent.AppendChild(c)
		to = c
	}
}
