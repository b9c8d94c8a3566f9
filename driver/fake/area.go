package fake

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// pictureOf is the picture that an area is a part of; nil if there is none.
func (d *document) pictureOf(area *html.Node) *html.Node {
	m := dom.Closest(area, func(n *html.Node) bool { return dom.IsElement(n, "map") })
	if m == nil || dom.Attr(m, "name") == "" {
		return nil
	}
	top := dom.TopOf(area)
	for n := top; n != nil; n = dom.Next(n, top) {
		if dom.IsElement(n, "img") && dom.Attr(n, "usemap") == "#"+dom.Attr(m, "name") {
			return n
		}
	}
	return nil
}

// areaAt is the area of a picture's map at a place in the picture; nil if none is.
func areaAt(picture *html.Node, size driver.Size, x, y float64) *html.Node {
	name, ok := strings.CutPrefix(dom.Attr(picture, "usemap"), "#")
	if !ok || name == "" {
		return nil
	}
	top := dom.TopOf(picture)
	for m := top; m != nil; m = dom.Next(m, top) {
		if !dom.IsElement(m, "map") || dom.Attr(m, "name") != name {
			continue
		}
		for n := dom.Next(m, m); n != nil; n = dom.Next(n, m) {
			if dom.IsElement(n, "area") && shapeOf(n).contains(size, x, y) {
				return n
			}
		}
		return nil
	}
	return nil
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
