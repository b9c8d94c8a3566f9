package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Lookup returns an attribute's value, and whether it is there.
func Lookup(n *html.Node, name string) (string, bool) {
	for i := range n.Attr {
		if n.Attr[i].Key == name && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val, true
		}
	}
	return "", false
}

func Attr(n *html.Node, name string) string {
	v, _ := Lookup(n, name)
	return v
}

// AttrOr returns an attribute's value, and otherwise where it is not there.
func AttrOr(n *html.Node, name, otherwise string) string {
	if v, ok := Lookup(n, name); ok {
		return v
	}
	return otherwise
}

func Has(n *html.Node, name string) bool {
	_, ok := Lookup(n, name)
	return ok
}

func SetAttr(n *html.Node, name, value string) {
	n.Attr = Attributes(n)
	for i := range n.Attr {
		if n.Attr[i].Key == name && n.Attr[i].Namespace == "" {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

func RemoveAttr(n *html.Node, name string) {
	n.Attr = slices.DeleteFunc(slices.Clone(Attributes(n)), func(a html.Attribute) bool { return a.Key == name && a.Namespace == "" })
}

// Clear takes away all that is below n.
func Clear(n *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}

// Attributes returns the attributes that the source or a script gave n.
func Attributes(n *html.Node) []html.Attribute {
	i := len(n.Attr)
	for i > 0 && strings.HasPrefix(n.Attr[i-1].Key, " ") {
		i--
	}
	return n.Attr[:i]
}

// IsElement reports an HTML element of one of the names.
func IsElement(n *html.Node, names ...string) bool {
	return n != nil && n.Type == html.ElementNode && n.Namespace == "" && slices.Contains(names, n.Data)
}

// Next is the node that follows n in preorder within top; nil after the last.
// The content of a template is a document of its own and passed over.
func Next(n, top *html.Node) *html.Node {
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

// TextOf returns the text below n.
func TextOf(n *html.Node) string {
	if n.FirstChild != nil && n.FirstChild == n.LastChild && n.FirstChild.Type == html.TextNode {
		return n.FirstChild.Data
	}
	return TextWithout(n, nil)
}

// TextWithout returns the text below n but for that of a node in it.
func TextWithout(n, but *html.Node) string {
	var sb strings.Builder
	for c := Next(n, n); c != nil; c = Next(c, n) {
		for c == but {
			if c = nextSkip(c, n); c == nil {
				return sb.String()
			}
		}
		if c.Type == html.TextNode {
			sb.WriteString(c.Data)
		}
	}
	return sb.String()
}

// Within reports that n is top or below it, in one tree.
func Within(n, top *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == top {
			return true
		}
	}
	return false
}

// Closest returns the nearest of n and its ancestors that ok accepts.
func Closest(n *html.Node, ok func(*html.Node) bool) *html.Node {
	for ; n != nil; n = n.Parent {
		if n.Type == html.ElementNode && ok(n) {
			return n
		}
	}
	return nil
}

// TopOf returns the top of the tree that n stands in.
func TopOf(n *html.Node) *html.Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}

// Find returns the first element of a tree, top included, that ok accepts; nil if none is.
func Find(top *html.Node, ok func(*html.Node) bool) *html.Node {
	for n := top; n != nil; n = Next(n, top) {
		if n.Type == html.ElementNode && ok(n) {
			return n
		}
	}
	return nil
}

// FindAll returns the elements below top that ok accepts, in order.
func FindAll(top *html.Node, ok func(*html.Node) bool) []*html.Node {
	var out []*html.Node
	for n := Next(top, top); n != nil; n = Next(n, top) {
		if n.Type == html.ElementNode && ok(n) {
			out = append(out, n)
		}
	}
	return out
}

// ByID finds an element by its id in the tree that n stands in.
func ByID(n *html.Node, id string) *html.Node {
	if id == "" {
		return nil
	}
	return Find(TopOf(n), func(n *html.Node) bool { return Attr(n, "id") == id })
}

// Child is the first child of the name; nil if there is none.
func Child(n *html.Node, name string) *html.Node {
	for c := range n.ChildNodes() {
		if IsElement(c, name) {
			return c
		}
	}
	return nil
}

// Above returns the nearest of n and its ancestors that is an HTML element of the name.
func Above(n *html.Node, name string) *html.Node {
	return Closest(n, func(n *html.Node) bool { return IsElement(n, name) })
}

// Clone copies a subtree.
func Clone(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Namespace: n.Namespace, Attr: slices.Clone(Attributes(n))}
	for child := range n.ChildNodes() {
		c.AppendChild(Clone(child))
	}
	return c
}
