package fake

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/antchfx/xpath"
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Find answers a selector within one root.
func (p *page) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	var out []driver.NodeRef
	err := p.do(ctx, "find", sel.Text, func(ctx context.Context) (err error) {
		out, err = p.find(ctx, root, sel)
		return err
	})
	return out, err
}

func (p *page) find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	d, top, err := p.node(root)
	if err != nil {
		return nil, err
	}
	if f := p.frameOf(d, top); f != nil {
		d = f.doc
		d.parse()
		top = d.root
	} else if s := d.shadows[top]; s != nil {
		top = s.root
	}
	nodes, err := d.find(ctx, top, sel)
	var out []driver.NodeRef
	for _, n := range nodes {
		out = append(out, d.ref(n))
	}
	return out, err
}

// frameOf returns the frame that n is the owner element of.
func (p *page) frameOf(d *document, n *html.Node) *frame {
	for _, c := range d.frame.children {
		if c.owner == n {
			return c
		}
	}
	return nil
}

func (d *document) find(ctx context.Context, top *html.Node, sel driver.Selector) ([]*html.Node, error) {
	switch sel.Kind {
	case driver.CSS:
		s, err := compile(sel.Text)
		if err != nil {
			return nil, err
		}
		return d.match(top, s), nil
	case driver.XPath:
		return d.xpath(ctx, top, sel.Text)
	}
	return nil, errors.ErrUnsupported
}

// idCall is the function id() with a literal, which the evaluator does not know.
var idCall = regexp.MustCompile(`\bid\(\s*('[^']*'|"[^"]*")\s*\)`)

// xpath evaluates an expression. The evaluator is not ours and may be slow or
// panic on odd expressions: both end in an error.
func (d *document) xpath(ctx context.Context, top *html.Node, text string) (out []*html.Node, err error) {
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
	nav := &navigator{top: top, at: top, attr: -1, steps: &steps{ctx: ctx, until: time.Now().Add(callLimit)}}
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
	return d.ordered(top, out, seen), nil
}

// ordered puts nodes in document order: the evaluator's own is that of its axes.
func (d *document) ordered(top *html.Node, nodes []*html.Node, in map[*html.Node]bool) []*html.Node {
	if len(nodes) < 2 {
		return nodes
	}
	nodes = slices.Clip(nodes[:0])
	for n := top; n != nil; n = next(n, top) {
		if in[n] {
			nodes = append(nodes, n)
		}
	}
	return nodes
}
