package fake

import (
	"context"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// viewport is what lies where in the page's viewport.
type viewport struct{ navigator }

// HitTest returns the deepest element at a point.
func (p *viewport) HitTest(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
	return ask(ctx, &p.turn, "hittest", "", func(context.Context) (driver.NodeRef, error) {
		h, err := p.hitAt(at)
		return h.ref(), err
	})
}

// hitAt finds the deepest element at a point of a frame's viewport.
func (p *viewport) hitAt(at driver.Point) (hit, error) {
	x, y, err := p.toMain(at)
	if err != nil {
		return hit{}, err
	}
	return p.hit(x, y), nil
}

// toMain turns a point into the coordinates of the main frame's viewport.
func (p *viewport) toMain(at driver.Point) (x, y float64, err error) {
	f := p.frame(at.Frame)
	if f == nil {
		return 0, 0, driver.ErrDetached
	}
	dx, dy := f.origin()
	return at.X + dx, at.Y + dy, nil
}

// hit finds the deepest element at a point of the main viewport.
func (p *viewport) hit(x, y float64) hit {
	d := p.main.doc
	for {
		v := d.render()
		n := v.Hit(x, y)
		if n == nil {
			return hit{}
		}
		f := p.frameOf(d, n)
		if f == nil {
			if dom.IsElement(n, "img") && dom.Has(n, "usemap") {
				if b := v.Find(n); b != nil {
					r := v.Shown(b.Rect, b.Fixed)
					if area := areaAt(n, driver.Size{Width: r.Width, Height: r.Height}, x-r.X, y-r.Y); area != nil {
						n = area
					}
				}
			}
			return hit{d, n}
		}
		b := v.Find(n)
		r := v.Shown(b.Rect, b.Fixed)
		x, y = x-r.X-b.Style.Border, y-r.Y-b.Style.Border
		if size := f.doc.Viewport(); x < 0 || y < 0 || x >= size.Width || y >= size.Height {
			return hit{d, n}
		}
		d = f.doc
	}
}

// ScrollTo scrolls an element's content, or the page's.
func (p *viewport) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	return ask(ctx, &p.turn, "scrollto", "", func(context.Context) (driver.ScrollState, error) {
		d, n, err := p.node(node)
		if err != nil {
			return driver.ScrollState{}, err
		}
		if f := p.frameOf(d, n); f != nil {
			d = f.doc
			n = d.Root
		}
		if dom.IsElement(n, "html", "body") {
			n = d.Root
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
		return d.scrollState(n), nil
	})
}

// scrollIntoView brings n into view: in each container, from the outside in, by
// the least scrolling that shows it, or with a place that place in it.
func (p *viewport) scrollIntoView(d *document, n *html.Node, place *driver.Offset) {
	if f := d.frame; f.parent != nil {
		p.scrollIntoView(f.parent.doc, f.owner, nil)
	}
	v := d.render()
	if dom.IsElement(n, "area") {
		n = d.standIn(n)
	}
	i := v.Index(n)
	if i < 0 || v.Boxes[i].Style == nil {
		return
	}
	var chain []*html.Node
	for c := v.Boxes[i].Clip; c >= 0; c = v.Boxes[c].Clip {
		if v.Boxes[c].Scrolls() {
			chain = append(chain, v.Boxes[c].Node)
		}
	}
	if !v.Boxes[i].Fixed {
		// The page first brings the outermost container, or the element itself.
		outer := n
		if len(chain) > 0 {
			outer = chain[len(chain)-1]
		}
		d.scrollPage(d.part(outer, n, place))
	}
	for k := len(chain) - 1; k >= 0; k-- {
		inner := n
		if k > 0 {
			inner = chain[k-1]
		}
		r, ok := d.part(inner, n, place)
		c := d.render().Find(chain[k])
		if !ok || c == nil {
			continue
		}
		at := d.Scrolls[chain[k]]
		x := r.X + at.X - c.Rect.X - c.Style.Border
		y := r.Y + at.Y - c.Rect.Y - c.Style.Border
		d.scrollTo(chain[k], least(at.X, x, r.Width, c.Rect.Width-2*c.Style.Border), least(at.Y, y, r.Height, c.Rect.Height-2*c.Style.Border))
	}
	// A container larger than the viewport may still hide its part.
	if len(chain) > 0 && !d.render().Boxes[i].Fixed {
		d.scrollPage(d.target(n))
	}
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

// areaAt is the area of a picture's map at a place in the picture; nil if none is.
func areaAt(picture *html.Node, size driver.Size, x, y float64) *html.Node {
	name, ok := strings.CutPrefix(dom.Attr(picture, "usemap"), "#")
	if !ok || name == "" {
		return nil
	}
	m := dom.Find(dom.TopOf(picture), func(n *html.Node) bool { return dom.IsElement(n, "map") && dom.Attr(n, "name") == name })
	return dom.Find(m, func(n *html.Node) bool { return dom.IsElement(n, "area") && shapeOf(n).contains(size, x, y) })
}

// A shape is that of an area, in pixels of its picture.
type shape struct {
	kind   string // "rect", "circle", "poly" or "default"
	coords []float64
}

func shapeOf(area *html.Node) shape {
	s := shape{kind: "rect"}
	switch kind := dom.Lower(dom.Attr(area, "shape")); kind {
	case "circle", "circ":
		s.kind = "circle"
	case "poly", "polygon":
		s.kind = "poly"
	case "default":
		s.kind = kind
	}
	for word := range strings.FieldsFuncSeq(dom.Attr(area, "coords"), func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			n = 0
		}
		s.coords = append(s.coords, n)
	}
	if need := map[string]int{"rect": 4, "circle": 3, "poly": 6}[s.kind]; len(s.coords) < need {
		s.coords, s.kind = nil, ""
	}
	return s
}

// box is the box around the shape.
func (s shape) box(size driver.Size) driver.Rect {
	c := s.coords
	switch s.kind {
	case "":
		return driver.Rect{}
	case "default":
		return driver.Rect{Width: size.Width, Height: size.Height}
	case "circle":
		return driver.Rect{X: c[0] - c[2], Y: c[1] - c[2], Width: 2 * c[2], Height: 2 * c[2]}
	}
	left, top, right, bottom := c[0], c[1], c[0], c[1]
	for i := 0; i+1 < len(c); i += 2 {
		left, right = min(left, c[i]), max(right, c[i])
		top, bottom = min(top, c[i+1]), max(bottom, c[i+1])
	}
	return driver.Rect{X: left, Y: top, Width: right - left, Height: bottom - top}
}

func (s shape) contains(size driver.Size, x, y float64) bool {
	r := s.box(size)
	if x < r.X || y < r.Y || x >= r.X+r.Width || y >= r.Y+r.Height {
		return false
	}
	c := s.coords
	switch s.kind {
	case "circle":
		return math.Hypot(x-c[0], y-c[1]) < c[2]
	case "poly":
		in := false
		n := len(c) / 2
		for i, j := 0, n-1; i < n; j, i = i, i+1 {
			xi, yi, xj, yj := c[2*i], c[2*i+1], c[2*j], c[2*j+1]
			if (yi > y) != (yj > y) && x < (xj-xi)*(y-yi)/(yj-yi)+xi {
				in = !in
			}
		}
		return in
	}
	return true
}

// outline is the box of an area on its picture, in the coordinates of the layout.
func outline(area *html.Node, picture driver.Rect) driver.Rect {
	r := shapeOf(area).box(driver.Size{Width: picture.Width, Height: picture.Height})
	r.X, r.Y = r.X+picture.X, r.Y+picture.Y
	return r
}
