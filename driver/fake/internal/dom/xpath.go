package dom

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/antchfx/xpath"
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// xpathLimit bounds the evaluation of one expression.
const xpathLimit = 30 * time.Second

// EvaluateXPath finds the elements that an expression selects, from top. The evaluator is not ours and may be slow or
// panic on odd expressions: both end in an error.
func EvaluateXPath(ctx context.Context, top *html.Node, text string) (out []*html.Node, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopXPath:
			out, err = nil, r.err
		default:
			out, err = nil, fmt.Errorf("%w: %q", driver.ErrSelector, text)
		}
	}()
	expr, cerr := xpath.Compile(idCall.ReplaceAllString(text, "//*[@id=$1]"))
	if cerr != nil {
		return nil, fmt.Errorf("%w: %q: %v", driver.ErrSelector, text, cerr)
	}
	ctx, cancel := context.WithTimeout(ctx, xpathLimit)
	defer cancel()
	nav := &navigator{top: top, at: top, attr: -1, steps: &steps{ctx: ctx}}
	it, ok := expr.Evaluate(nav).(*xpath.NodeIterator)
	if !ok {
		return nil, fmt.Errorf("%w: %q does not give nodes", driver.ErrSelector, text)
	}
	seen := make(map[*html.Node]bool)
	for it.MoveNext() {
		n := it.Current().(*navigator)
		if n.attr < 0 && n.at.Type == html.ElementNode && !seen[n.at] {
			seen[n.at] = true
			out = append(out, n.at)
		}
	}
	return ordered(top, out, seen), nil
}

// idCall is the function id() with a literal, which the evaluator does not know.
var idCall = regexp.MustCompile(`\bid\(\s*('[^']*'|"[^"]*")\s*\)`)

// ordered puts nodes in document order: the evaluator's own is that of its axes.
func ordered(top *html.Node, nodes []*html.Node, in map[*html.Node]bool) []*html.Node {
	if len(nodes) < 2 {
		return nodes
	}
	nodes = slices.Clip(nodes[:0])
	for n := top; n != nil; n = Next(n, top) {
		if in[n] {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// A navigator walks a tree for the XPath evaluator. Its document is the tree
// below top: a shadow tree is one of its own.
type navigator struct {
	top, at *html.Node
	attr    int // index of the attribute that it stands on, -1 for none
	steps   *steps
}

var _ xpath.NodeNavigator = (*navigator)(nil)

// steps bounds the time of one evaluation.
type steps struct {
	ctx context.Context
	n   int
}

// stopXPath unwinds an evaluation that took too long.
type stopXPath struct{ err error }

func (s *steps) count() {
	if s.n++; s.n%8192 == 0 && s.ctx.Err() != nil {
		panic(stopXPath{s.ctx.Err()})
	}
}

func (v *navigator) NodeType() xpath.NodeType {
	if v.attr >= 0 {
		return xpath.AttributeNode
	}
	switch v.at.Type {
	case html.TextNode:
		return xpath.TextNode
	case html.CommentNode, html.DoctypeNode:
		return xpath.CommentNode
	case html.DocumentNode:
		return xpath.RootNode
	}
	return xpath.ElementNode
}

func (v *navigator) LocalName() string {
	switch {
	case v.attr >= 0:
		return v.at.Attr[v.attr].Key
	case v.at.Type == html.ElementNode:
		return v.at.Data
	}
	return ""
}

func (v *navigator) Prefix() string { return "" }

func (v *navigator) Value() string {
	switch {
	case v.attr >= 0:
		return v.at.Attr[v.attr].Val
	case v.at.Type == html.TextNode, v.at.Type == html.CommentNode:
		return v.at.Data
	}
	return TextOf(v.at)
}

func (v *navigator) Copy() xpath.NodeNavigator {
	c := *v
	return &c
}

func (v *navigator) MoveToRoot() { v.at, v.attr = TopOf(v.at), -1 }

func (v *navigator) MoveToParent() bool {
	if v.attr >= 0 {
		v.attr = -1
		return true
	}
	if v.at.Parent == nil {
		return false
	}
	v.at = v.at.Parent
	return true
}

func (v *navigator) MoveToNextAttribute() bool {
	if v.at.Type != html.ElementNode || v.attr+1 >= len(Attributes(v.at)) {
		return false
	}
	v.attr++
	return true
}

func (v *navigator) MoveToChild() bool {
	return !IsElement(v.at, "template") && v.step(v.at.FirstChild)
}

func (v *navigator) MoveToFirst() bool {
	if v.attr >= 0 || v.at.PrevSibling == nil {
		return false
	}
	for v.at.PrevSibling != nil {
		v.at = v.at.PrevSibling
	}
	return true
}

func (v *navigator) MoveToNext() bool { return v.step(v.at.NextSibling) }

func (v *navigator) MoveToPrevious() bool { return v.step(v.at.PrevSibling) }

// step goes from a node to another, if there is one; an attribute has no neighbours.
func (v *navigator) step(to *html.Node) bool {
	v.steps.count()
	if v.attr >= 0 || to == nil {
		return false
	}
	v.at = to
	return true
}

func (v *navigator) MoveTo(other xpath.NodeNavigator) bool {
	o, ok := other.(*navigator)
	if !ok {
		return false
	}
	v.top, v.at, v.attr = o.top, o.at, o.attr
	return true
}
