package fake

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
)

// scrolling is where the page and its containers are scrolled to.
type scrolling struct{ loading }

// scrollState is how far the content of n is scrolled. A document node
// stands for the page.
func (d *scrolling) scrollState(n *html.Node) driver.ScrollState {
	v := d.render()
	if n == d.Root {
		return driver.ScrollState{X: d.Scroll.X, Y: d.Scroll.Y, MaxX: max(0, v.Content.Width-v.Size.Width),
			MaxY: max(0, v.Content.Height-v.Size.Height), View: v.Size}
	}
	b := v.Find(n)
	if b == nil || !b.Rendered {
		return driver.ScrollState{}
	}
	view := driver.Size{Width: max(0, b.Rect.Width-2*b.Style.Border), Height: max(0, b.Rect.Height-2*b.Style.Border)}
	if !b.Scrolls() {
		return driver.ScrollState{View: view}
	}
	at := d.Scrolls[n]
	maxX, maxY := max(0, b.Area.Width-view.Width), max(0, b.Area.Height-view.Height)
	return driver.ScrollState{X: at.X, Y: at.Y, MaxX: maxX, MaxY: maxY, View: view, Clipped: b.Clipped(maxX, maxY)}
}

// scrollTo scrolls as far as it goes and reports whether anything moved.
func (d *scrolling) scrollTo(n *html.Node, x, y float64) bool {
	at := d.scrollState(n)
	x, y = min(max(0, x), at.MaxX), min(max(0, y), at.MaxY)
	if x == at.X && y == at.Y {
		return false
	}
	if n == d.Root {
		d.Scroll = driver.ScrollTarget{X: x, Y: y}
	} else {
		d.Scrolls[n] = driver.ScrollTarget{X: x, Y: y}
		d.restyle()
	}
	d.frame.page.changed()
	target := n
	if n == d.Root {
		target = d.body()
	}
	d.fire("scroll", target)
	return true
}

// scrollAway scrolls the page so that an element stands at a share of the
// viewport's height, and reports whether it did.
func (d *scrolling) scrollAway(n *html.Node, share float64) bool {
	r, ok := d.target(n)
	if i := d.render().Index(n); !ok || i >= 0 && d.render().Boxes[i].Fixed {
		return false
	}
	d.scrollTo(d.Root, d.Scroll.X, r.Y-share*(d.Viewport().Height-r.Height))
	return true
}

// scrollPage scrolls the page by the least that shows a rectangle, if there is one.
func (d *scrolling) scrollPage(r driver.Rect, ok bool) {
	if size := d.Viewport(); ok {
		d.scrollTo(d.Root, least(d.Scroll.X, r.X, r.Width, size.Width), least(d.Scroll.Y, r.Y, r.Height, size.Height))
	}
}

// part is target, or of n one pixel at a place in it.
func (d *scrolling) part(m, n *html.Node, place *driver.Offset) (driver.Rect, bool) {
	r, ok := d.target(m)
	if ok && m == n && place != nil {
		r = driver.Rect{X: r.X + place.X, Y: r.Y + place.Y, Width: 1, Height: 1}
	}
	return r, ok
}

// target is the box to be shown, in the coordinates of the document.
func (d *scrolling) target(n *html.Node) (driver.Rect, bool) {
	v := d.render()
	i := v.Index(n)
	if i < 0 {
		return driver.Rect{}, false
	}
	b := &v.Boxes[i]
	if b.Rendered {
		if len(b.Frags) > 0 {
			return b.Frags[0], true
		}
		return b.Rect, true
	}
	if rects := v.Below(i); b.Style != nil && len(rects) > 0 {
		return layout.Union(rects), true
	}
	return driver.Rect{}, false
}

// scrollToFragment shows what the address points at.
func (d *scrolling) scrollToFragment() {
	id := d.url.Fragment
	if id == "" && !d.hash {
		return
	}
	n := dom.ByID(d.Root, id)
	if n == nil {
		if id == "" || dom.Lower(id) == "top" {
			d.scrollTo(d.Root, d.Scroll.X, 0)
		}
		return
	}
	if d.self.focusable(n) {
		d.self.focus(n, false)
	} else {
		d.self.blurActive()
	}
	if r, ok := d.target(n); ok {
		d.scrollTo(d.Root, d.Scroll.X, r.Y)
	}
}

// scrollByKey scrolls the page.
func (d *scrolling) scrollByKey(key string, mods driver.Modifiers) {
	view := d.Viewport().Height
	by := 0.0
	switch key {
	case "PageDown":
		by = view * 0.875
	case "PageUp":
		by = -view * 0.875
	case "ArrowDown":
		by = 40
	case "ArrowUp":
		by = -40
	case " ":
		by = view * 0.875
		if mods&driver.Shift != 0 {
			by = -by
		}
	case "Home":
		by = -d.Scroll.Y
	case "End":
		by = d.scrollState(d.Root).MaxY - d.Scroll.Y
	default:
		return
	}
	d.scrollTo(d.Root, d.Scroll.X, d.Scroll.Y+by)
}
