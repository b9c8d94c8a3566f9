package fake

import (
	"context"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Locate tells where an element is.
func (p *page) Locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	var loc *driver.Location
	err := p.do(ctx, "locate", "", func(context.Context) error {
		d, n, err := p.element(node)
		if err != nil {
			return err
		}
		if opts != nil && opts.Scroll {
			p.scrollIntoView(d, n)
		}
		loc = p.locate(d, n)
		return nil
	})
	return loc, err
}

func (p *page) locate(d *document, n *html.Node) *driver.Location {
	loc := &driver.Location{Disabled: d.disabled(n), ReadOnly: d.readOnly(n)}
	v := d.render()
	i := v.index(n)
	loc.Inert = d.inertNode(n)
	if i < 0 || v.boxes[i].style == nil {
		return loc
	}
	b := &v.boxes[i]
	loc.Inert = loc.Inert || b.style.PointerEvents == "none"
	for a := i; a > 0; a = v.boxes[a].parent {
		loc.Moving = loc.Moving || d.moving(v.boxes[a].node)
	}
	if !b.rendered && b.style.Display != "contents" {
		return loc
	}
	rects := b.frags
	if len(rects) == 0 {
		rects = []driver.Rect{b.rect}
	}
	if b.style.Display == "contents" {
		if rects = v.below(i); len(rects) == 0 {
			return loc
		}
	}
	dx, dy := d.frame.origin()
	box := v.shown(union(rects), b.fixed)
	loc.Box = driver.Rect{X: box.X + dx, Y: box.Y + dy, Width: box.Width, Height: box.Height}
	loc.Visible = !loc.Box.IsZero() && b.style.Visibility == "visible"
	// An element without an area of its own is seen where its content overflows.
	if loc.Box.IsZero() && b.style.Visibility == "visible" && b.style.Display == "inline" {
		if inner := v.below(i); len(inner) > 0 {
			rects = inner
			loc.Visible = !union(inner).IsZero()
		}
	}
	found := false
	for _, r := range rects {
		r = v.visiblePart(i, v.shown(r, b.fixed))
		r.X, r.Y = r.X+dx, r.Y+dy
		r = d.frame.clipToViewports(r)
		if r.IsZero() {
			continue
		}
		loc.InView, found = true, true
		loc.At = driver.Point{X: r.X + r.Width/2, Y: r.Y + r.Height/2}
		break
	}
	if !found {
		loc.At = driver.Point{X: loc.Box.X + loc.Box.Width/2, Y: loc.Box.Y + loc.Box.Height/2}
		return loc
	}
	h := p.hit(loc.At.X, loc.At.Y)
	loc.Hit = h.ref()
	loc.Reached = d.reaches(n, h)
	return loc
}

// below are the boxes of the nearest rendered descendants.
func (v *view) below(i int32) []driver.Rect {
	var out []driver.Rect
	for c := i + 1; c < v.boxes[i].end; c++ {
		if b := &v.boxes[c]; b.rendered {
			out = append(out, b.rect)
		}
	}
	return out
}

// visiblePart clips a rectangle of the viewport by the scroll containers of box i.
func (v *view) visiblePart(i int32, r driver.Rect) driver.Rect {
	for c := v.boxes[i].clip; c >= 0; c = v.boxes[c].clip {
		b := &v.boxes[c]
		r = intersect(r, v.shown(b.rect, b.fixed))
	}
	return r
}

// clipToViewports clips a rectangle of the main viewport by those of the frame
// and of all above it.
func (f *frame) clipToViewports(r driver.Rect) driver.Rect {
	for {
		x, y := f.origin()
		size := f.doc.viewport()
		r = intersect(r, driver.Rect{X: x, Y: y, Width: size.Width, Height: size.Height})
		if f.parent == nil || r.IsZero() {
			return r
		}
		v := f.parent.doc.render()
		if i := v.index(f.owner); i >= 0 {
			px, py := f.parent.origin()
			r.X, r.Y = r.X-px, r.Y-py
			r = v.visiblePart(i, r)
			r.X, r.Y = r.X+px, r.Y+py
		}
		f = f.parent
	}
}

func intersect(a, b driver.Rect) driver.Rect {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	return driver.Rect{X: x, Y: y, Width: max(0, min(a.X+a.Width, b.X+b.Width)-x), Height: max(0, min(a.Y+a.Height, b.Y+b.Height)-y)}
}

// reaches reports that a press on h is one on n: it is n, something within it,
// or its label.
func (d *document) reaches(n *html.Node, h hit) bool {
	if h.n == nil || h.d != d {
		for h.n != nil && h.d != d && h.d.frame.parent != nil {
			h = hit{h.d.frame.parent.doc, h.d.frame.owner}
		}
		if h.d != d {
			return false
		}
	}
	v := d.render()
	for i := v.index(h.n); i > 0; i = v.boxes[i].parent {
		c := v.boxes[i].node
		if c == n {
			return true
		}
		if isElement(c, "label") && d.labeled(c) == n {
			return true
		}
		if isElement(c, "select") && isElement(n, "option", "optgroup") && within(n, c) {
			return true
		}
	}
	return false
}
