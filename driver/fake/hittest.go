package fake

import (
	"context"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A hit is an element with its document.
type hit struct {
	d *document
	n *html.Node
}

func (h hit) ref() driver.NodeRef {
	if h.n == nil {
		return driver.NodeRef{}
	}
	return h.d.ref(h.n)
}

// HitTest returns the deepest element at a point.
func (p *page) HitTest(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
	var ref driver.NodeRef
	err := p.do(ctx, "hittest", "", func(context.Context) error {
		x, y, err := p.toMain(at)
		if err == nil {
			ref = p.hit(x, y).ref()
		}
		return err
	})
	return ref, err
}

// toMain turns a point into the coordinates of the main frame's viewport.
func (p *page) toMain(at driver.Point) (x, y float64, err error) {
	f := p.frame(at.Frame)
	if f == nil {
		return 0, 0, driver.ErrDetached
	}
	dx, dy := f.origin()
	return at.X + dx, at.Y + dy, nil
}

// origin is where the frame's viewport begins in the main frame's viewport.
func (f *frame) origin() (x, y float64) {
	for ; f.parent != nil; f = f.parent {
		v := f.parent.doc.render()
		b := v.find(f.owner)
		if b == nil || b.style == nil {
			continue
		}
		r := v.shown(b.rect, b.fixed)
		x += r.X + b.style.border
		y += r.Y + b.style.border
	}
	return x, y
}

// shown turns a rectangle of the layout into the coordinates of the viewport.
func (v *view) shown(r driver.Rect, fixed bool) driver.Rect {
	if !fixed {
		r.X -= v.d.scroll.X
		r.Y -= v.d.scroll.Y
	}
	return r
}

// hit finds the deepest element at a point of the main viewport.
func (p *page) hit(x, y float64) hit {
	d := p.main.doc
	for {
		v := d.render()
		n := v.hit(x, y)
		if n == nil {
			return hit{}
		}
		f := p.frameOf(d, n)
		if f == nil {
			return hit{d, n}
		}
		b := v.find(n)
		r := v.shown(b.rect, b.fixed)
		x, y = x-r.X-b.style.border, y-r.Y-b.style.border
		if size := f.doc.viewport(); x < 0 || y < 0 || x >= size.Width || y >= size.Height {
			return hit{d, n}
		}
		d = f.doc
	}
}

// hit finds the topmost element at a point of the viewport; nil outside of it.
func (v *view) hit(x, y float64) *html.Node {
	if x < 0 || y < 0 || x >= v.size.Width || y >= v.size.Height {
		return nil
	}
	order := v.paintOrder()
	modal := v.d.modal()
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		b := &v.boxes[i]
		if b.style.PointerEvents == "none" || b.style.Visibility != "visible" || b.style.Display == "contents" || b.style.clippedAway() {
			continue
		}
		inside := b.rendered && v.covers(b, x, y) && v.unclipped(i, x, y)
		if modal != nil && b.node == modal {
			return modal // its backdrop covers the rest
		}
		if inside && !v.inert(i, modal) {
			return b.node
		}
	}
	if modal != nil {
		return modal
	}
	for c := v.d.root.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode { // the canvas belongs to the root element
			return c
		}
	}
	return nil
}

func (v *view) covers(b *box, x, y float64) bool {
	if !contains(v.shown(b.rect, b.fixed), x, y) {
		return false
	}
	if len(b.frags) == 0 {
		return true
	}
	for _, r := range b.frags {
		if contains(v.shown(r, b.fixed), x, y) {
			return true
		}
	}
	return false
}

func contains(r driver.Rect, x, y float64) bool {
	return x >= r.X && x < r.X+r.Width && y >= r.Y && y < r.Y+r.Height
}

// unclipped reports that no scroll container cuts the point off.
func (v *view) unclipped(i int32, x, y float64) bool {
	for c := v.boxes[i].clip; c >= 0; c = v.boxes[c].clip {
		b := &v.boxes[c]
		if !contains(v.shown(b.rect, b.fixed), x, y) {
			return false
		}
	}
	return true
}

// modal is the topmost modal dialog; nil if there is none.
func (d *document) modal() *html.Node {
	for i := len(d.topLayer) - 1; i >= 0; i-- {
		n := d.topLayer[i]
		if c := d.inputs[n]; c != nil && c.modal && d.connected(n) {
			return n
		}
	}
	return nil
}

// inert reports that box i takes no part: by an attribute of it or of an
// ancestor, or because a modal dialog is open elsewhere.
func (v *view) inert(i int32, modal *html.Node) bool {
	for ; i > 0; i = v.boxes[i].parent {
		n := v.boxes[i].node
		if n == modal {
			return false
		}
		if n.Type == html.ElementNode && n.Namespace == "" && has(n, "inert") {
			return true
		}
	}
	return modal != nil
}

// inertNode is inert for an element, through its frames.
func (d *document) inertNode(n *html.Node) bool {
	for {
		v := d.render()
		if i := v.index(n); i >= 0 && v.inert(i, d.modal()) {
			return true
		}
		f := d.frame
		if f.parent == nil {
			return false
		}
		d, n = f.parent.doc, f.owner
	}
}
