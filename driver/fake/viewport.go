package fake

import (
	"context"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// render returns the view of the document as it is now.
func (d *document) render() *view {
	if d.view != nil {
		return d.view
	}
	d.parse()
	v := newView(&d.scene, d.Viewport())
	if d.frame.hidden() {
		for i := range v.boxes {
			v.boxes[i].rendered = false
		}
	}
	d.view = v
	if v.runs {
		d.watchRuns(d.before, v)
		d.before = nil
	}
	return v
}

// Viewport is the size of the frame that shows the document.
func (d *document) Viewport() driver.Size {
	f := d.frame
	if f.parent == nil {
		return f.page.Viewport
	}
	pv := f.parent.doc.render()
	if b := pv.find(f.owner); b != nil && b.rendered {
		w := 2 * b.style.border
		return driver.Size{Width: max(0, b.rect.Width-w), Height: max(0, b.rect.Height-w)}
	}
	return driver.Size{}
}

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
		if size := f.doc.Viewport(); x < 0 || y < 0 || x >= size.Width || y >= size.Height {
			return hit{d, n}
		}
		d = f.doc
	}
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

// ScrollTo scrolls an element's content, or the page's.
func (p *page) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	var out driver.ScrollState
	err := p.do(ctx, "scrollto", "", func(context.Context) error {
		d, n, err := p.node(node)
		if err != nil {
			return err
		}
		if f := p.frameOf(d, n); f != nil {
			d = f.doc
			d.parse()
			n = d.root
		}
		if isElement(n, "html", "body") {
			n = d.root
		}
		at := d.scrollState(n)
		x, y := to.X, to.Y
		if to.By {
			x, y = x+at.X, y+at.Y
		}
		if to.Percent != nil {
			y = at.MaxY * *to.Percent / 100
			if !to.By {
				x = at.X
			}
		}
		d.scrollTo(n, x, y)
		out = d.scrollState(n)
		return nil
	})
	return out, err
}

// scrollState tells how far the content of n is scrolled. A document node
// stands for the page.
func (d *document) scrollState(n *html.Node) driver.ScrollState {
	v := d.render()
	if n == d.root {
		return driver.ScrollState{X: d.scroll.X, Y: d.scroll.Y, MaxX: max(0, v.content.Width-v.size.Width),
			MaxY: max(0, v.content.Height-v.size.Height), View: v.size}
	}
	b := v.find(n)
	if b == nil || !b.rendered {
		return driver.ScrollState{}
	}
	view := driver.Size{Width: max(0, b.rect.Width-2*b.style.border), Height: max(0, b.rect.Height-2*b.style.border)}
	if !b.scrolls() {
		return driver.ScrollState{View: view}
	}
	at := d.scrolls[n]
	maxX, maxY := max(0, b.area.Width-view.Width), max(0, b.area.Height-view.Height)
	return driver.ScrollState{X: at.X, Y: at.Y, MaxX: maxX, MaxY: maxY, View: view, Clipped: b.clipped(maxX, maxY)}
}

// scrollTo scrolls as far as it goes and reports whether anything moved.
func (d *document) scrollTo(n *html.Node, x, y float64) bool {
	at := d.scrollState(n)
	x, y = min(max(0, x), at.MaxX), min(max(0, y), at.MaxY)
	if x == at.X && y == at.Y {
		return false
	}
	if n == d.root {
		d.scroll = driver.ScrollTarget{X: x, Y: y}
	} else {
		if d.scrolls == nil {
			d.scrolls = make(map[*html.Node]driver.ScrollTarget)
		}
		d.scrolls[n] = driver.ScrollTarget{X: x, Y: y}
		d.restyle()
	}
	d.frame.page.changed()
	target := n
	if n == d.root {
		target = d.body()
	}
	d.fire("scroll", target)
	return true
}

// scrollIntoView brings n into view: in each container, from the outside in, by
// the least scrolling that shows it, or with a place that place in it.
func (p *page) scrollIntoView(d *document, n *html.Node, place *driver.Offset) {
	if f := d.frame; f.parent != nil {
		p.scrollIntoView(f.parent.doc, f.owner, nil)
	}
	v := d.render()
	i := v.index(n)
	if i < 0 || v.boxes[i].style == nil {
		return
	}
	var chain []*html.Node
	for c := v.boxes[i].clip; c >= 0; c = v.boxes[c].clip {
		if v.boxes[c].scrolls() {
			chain = append(chain, v.boxes[c].node)
		}
	}
	if !v.boxes[i].fixed {
		// The page first brings the outermost container, or the element itself.
		outer := n
		if len(chain) > 0 {
			outer = chain[len(chain)-1]
		}
		if r, ok := d.part(outer, n, place); ok {
			size := d.Viewport()
			d.scrollTo(d.root, least(d.scroll.X, r.X, r.Width, size.Width), least(d.scroll.Y, r.Y, r.Height, size.Height))
		}
	}
	for k := len(chain) - 1; k >= 0; k-- {
		inner := n
		if k > 0 {
			inner = chain[k-1]
		}
		r, ok := d.part(inner, n, place)
		c := d.render().find(chain[k])
		if !ok || c == nil {
			continue
		}
		at := d.scrolls[chain[k]]
		x := r.X + at.X - c.rect.X - c.style.border
		y := r.Y + at.Y - c.rect.Y - c.style.border
		d.scrollTo(chain[k], least(at.X, x, r.Width, c.rect.Width-2*c.style.border), least(at.Y, y, r.Height, c.rect.Height-2*c.style.border))
	}
	// A container larger than the viewport may still hide its part.
	if len(chain) > 0 && !d.render().boxes[i].fixed {
		if r, ok := d.target(n); ok {
			size := d.Viewport()
			d.scrollTo(d.root, least(d.scroll.X, r.X, r.Width, size.Width), least(d.scroll.Y, r.Y, r.Height, size.Height))
		}
	}
}

// scrollAway scrolls the page so that an element stands at a share of the
// viewport's height, and reports whether it did.
func (d *document) scrollAway(n *html.Node, share float64) bool {
	r, ok := d.target(n)
	if i := d.render().index(n); !ok || i >= 0 && d.render().boxes[i].fixed {
		return false
	}
	d.scrollTo(d.root, d.scroll.X, r.Y-share*(d.Viewport().Height-r.Height))
	return true
}

// part is target, or of n one pixel at a place in it.
func (d *document) part(m, n *html.Node, place *driver.Offset) (driver.Rect, bool) {
	r, ok := d.target(m)
	if ok && m == n && place != nil {
		r = driver.Rect{X: r.X + place.X, Y: r.Y + place.Y, Width: 1, Height: 1}
	}
	return r, ok
}

// target is the box to be shown, in the coordinates of the document.
func (d *document) target(n *html.Node) (driver.Rect, bool) {
	v := d.render()
	i := v.index(n)
	if i < 0 {
		return driver.Rect{}, false
	}
	b := &v.boxes[i]
	if b.rendered {
		if len(b.frags) > 0 {
			return b.frags[0], true
		}
		return b.rect, true
	}
	if rects := v.below(i); b.style != nil && len(rects) > 0 {
		return union(rects), true
	}
	return driver.Rect{}, false
}

// least is the offset nearest to now at which a stretch of length size at pos is
// shown in a view of the given length.
func least(now, pos, size, view float64) float64 {
	switch {
	case pos >= now && pos+size <= now+view:
		return now
	case size > view:
		if pos < now+view && pos+size > now+view || pos > now+view || pos+size < now {
			return pos
		}
		return now
	case pos < now:
		return pos
	default:
		return pos + size - view
	}
}
