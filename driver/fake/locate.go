package fake

import (
	"context"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
)

// locating finds elements, and where to press them.
type locating struct{ viewport }

// Locate reports where an element is.
func (p *locating) Locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	return ask(ctx, &p.turn, "locate", "", func(context.Context) (loc *driver.Location, _ error) {
		d, n, err := p.element(node)
		if err != nil {
			return nil, err
		}
		if opts == nil {
			opts = &driver.LocateOptions{}
		}
		for _, target := range d.standIns(n) {
			found := p.locateAt(d, n, target, opts)
			v := d.render()
			found.Unseen = (!found.Reached || n.Data == "select") && v.Index(n) >= 0 && v.Boxes[v.Index(n)].Rendered && (!v.Pointable(n) || !v.Opaque(n))
			if loc == nil || found.Reached {
				loc = found
			}
			if found.Reached || opts.Offset != nil {
				break
			}
		}
		return loc, nil
	})
}

// locateAt reports where a target is that stands in for an element.
func (p *locating) locateAt(d *document, n, target *html.Node, opts *driver.LocateOptions) *driver.Location {
	if opts.Scroll {
		p.scrollIntoView(d, target, opts.Offset)
	}
	loc := p.locate(d, n, target)
	if opts.Offset != nil {
		p.lookAt(d, n, *opts.Offset, loc)
	}
	if opts.Offset != nil || !opts.Scroll {
		return loc
	}
	// What still lies on top, as a bar at the edge, may be got away from.
	for _, share := range []float64{0.5, 0, 1} {
		if !loc.InView || loc.Reached || !d.scrollAway(target, share) {
			break
		}
		loc = p.locate(d, n, target)
	}
	return loc
}

func (p *locating) locate(d *document, n, target *html.Node) *driver.Location {
	loc := &driver.Location{Disabled: d.Disabled(n), ReadOnly: d.ReadOnly(n), AriaDisabled: d.ariaDisabled(n), Label: d.visibleLabel(n), Shown: d.shown(n)}
	v := d.render()
	loc.Inert = d.inertNode(n)
	i := v.Index(target)
	if i < 0 || v.Boxes[i].Style == nil {
		return loc
	}
	b := &v.Boxes[i]
	loc.Inert = loc.Inert || b.Style.PointerEvents == "none"
	for a := i; a > 0; a = v.Boxes[a].Parent {
		loc.Moving = loc.Moving || d.moving(v.Boxes[a].Node)
	}
	rects := v.RectsOf(i)
	if dom.IsElement(n, "area") {
		rects = nil
		if b.Rendered && b.Node != n {
			rects = []driver.Rect{outline(n, b.Rect)}
		}
	}
	if len(rects) == 0 {
		return loc
	}
	dx, dy := d.frame.origin()
	box := v.Shown(layout.Union(rects), b.Fixed)
	loc.Box = driver.Rect{X: box.X + dx, Y: box.Y + dy, Width: box.Width, Height: box.Height}
	loc.Visible = !loc.Box.IsZero() && b.Style.Visibility == "visible"
	var parts []driver.Rect
	for _, r := range rects {
		r = v.VisiblePart(i, v.Shown(r, b.Fixed))
		r.X, r.Y = r.X+dx, r.Y+dy
		if r = d.frame.clipToViewports(r); !r.IsZero() {
			parts = append(parts, r)
		}
	}
	if loc.InView = len(parts) > 0; loc.InView {
		p.aimAt(d, n, parts, loc)
		return loc
	}
	loc.At = driver.Point{X: loc.Box.X + loc.Box.Width/2, Y: loc.Box.Y + loc.Box.Height/2}
	return loc
}

// lookAt reports one place in an element, in place of one that was chosen.
func (p *locating) lookAt(d *document, n *html.Node, place driver.Offset, loc *driver.Location) {
	loc.At = driver.Point{X: loc.Box.X + place.X, Y: loc.Box.Y + place.Y}
	dot := driver.Rect{X: loc.At.X, Y: loc.At.Y, Width: 1, Height: 1}
	dot = d.frame.visiblePart(d.standIn(n), dot)
	loc.Hit, loc.Reached = driver.NodeRef{}, false
	if loc.InView = !d.frame.clipToViewports(dot).IsZero(); loc.InView {
		h := p.hit(loc.At.X, loc.At.Y)
		loc.Hit, loc.Reached = h.ref(), d.reaches(n, h) > 0
	}
}

// aimAt finds a point at which the element is reached: the middle of a part of
// it that can be seen, else another point.
func (p *locating) aimAt(d *document, n *html.Node, parts []driver.Rect, loc *driver.Location) {
	best := -1
	for _, share := range []float64{0, 0.5, 0.9} {
		for _, r := range parts {
			for _, at := range around(r, share) {
				h := p.hit(at.X, at.Y)
				way := d.reaches(n, h)
				if way > best {
					best, loc.At, loc.Hit, loc.Reached = way, at, h.ref(), way > 0
				}
				if way == 2 {
					return
				}
			}
		}
	}
}

// around are points of a rectangle at a share of the way from its middle to its edge.
func around(r driver.Rect, share float64) []driver.Point {
	x, y := r.X+r.Width/2, r.Y+r.Height/2
	if share == 0 {
		return []driver.Point{{X: x, Y: y}}
	}
	dx, dy := r.Width/2*share, r.Height/2*share
	var points []driver.Point
	for _, way := range [][2]float64{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}} {
		points = append(points, driver.Point{X: x + way[0]*dx, Y: y + way[1]*dy})
	}
	return points
}

func (p *locating) find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	d, top, err := p.node(root)
	if err != nil {
		return nil, err
	}
	if f := p.frameOf(d, top); f != nil {
		d = f.doc
		top = d.Root
	} else if s := d.Shadows[top]; s != nil {
		top = s.Root
	}
	nodes, err := d.find(ctx, top, sel)
	var out []driver.NodeRef
	for _, n := range nodes {
		out = append(out, d.ref(n))
	}
	return out, err
}

// Find answers a selector within one root.
func (p *locating) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	return ask(ctx, &p.turn, "find", sel.Text, func(ctx context.Context) ([]driver.NodeRef, error) { return p.find(ctx, root, sel) })
}
