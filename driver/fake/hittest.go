package fake

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// hit finds the topmost element at a point of the viewport; nil outside of it.
func (v *view) hit(x, y float64) *html.Node {
	if x < 0 || y < 0 || x >= v.size.Width || y >= v.size.Height {
		return nil
	}
	order := v.paintOrder()
	modal := v.scene.modal()
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
	for c := v.scene.root.FirstChild; c != nil; c = c.NextSibling {
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

// shown turns a rectangle of the layout into the coordinates of the viewport.
func (v *view) shown(r driver.Rect, fixed bool) driver.Rect {
	if !fixed {
		r.X -= v.scene.scroll.X
		r.Y -= v.scene.scroll.Y
	}
	return r
}

// paintOrder lists the elements from the lowest to the topmost: the flow, then
// what is positioned by its z-index, then the top layer.
func (v *view) paintOrder() []int32 {
	if v.order != nil {
		return v.order
	}
	n := len(v.boxes)
	layer := make([]int32, n)      // the positioned box that a box is painted with
	context := make([]int32, n)    // the stacking context that a box stands in
	members := map[int32][]int32{} // by layer
	layers := map[int32][]int32{}  // by stacking context
	var top []int32
	for i := int32(1); i < int32(n); i++ {
		b := &v.boxes[i]
		layer[i], context[i] = layer[b.parent], context[b.parent]
		if v.stacks(b.parent) {
			context[i] = b.parent
		}
		if b.kind == driver.ElementNode && b.style != nil {
			if v.onTop(b.node) {
				layer[i] = i
				top = append(top, i)
			} else if b.style.Position != "static" || b.style.shiftX != 0 || b.style.shiftY != 0 {
				layer[i] = i
				layers[context[i]] = append(layers[context[i]], i)
			}
			members[layer[i]] = append(members[layer[i]], i)
		}
	}
	var emit func(ctx int32)
	emit = func(ctx int32) {
		below := layers[ctx]
		slices.SortStableFunc(below, func(a, b int32) int { return v.boxes[a].style.zIndex - v.boxes[b].style.zIndex })
		k := 0
		paint := func(i int32) {
			if v.stacks(i) {
				emit(i)
			} else {
				v.order = append(v.order, members[i]...)
			}
		}
		for ; k < len(below) && v.boxes[below[k]].style.zIndex < 0; k++ {
			paint(below[k])
		}
		v.order = append(v.order, members[ctx]...)
		for ; k < len(below); k++ {
			paint(below[k])
		}
	}
	emit(0)
	slices.SortFunc(top, func(a, b int32) int {
		return slices.Index(v.scene.topLayer, v.boxes[a].node) - slices.Index(v.scene.topLayer, v.boxes[b].node)
	})
	for _, i := range top {
		emit(i)
	}
	return v.order
}

// stacks reports that box i makes a stacking context.
func (v *view) stacks(i int32) bool {
	b := &v.boxes[i]
	if i == 0 {
		return true
	}
	if b.style == nil || b.kind != driver.ElementNode {
		return false
	}
	p := b.style.Position
	return p == "fixed" || p == "sticky" || p != "static" && b.style.hasZ || b.style.shiftX != 0 || b.style.shiftY != 0 || v.onTop(b.node)
}

// onTop reports that n is in the top layer.
func (v *view) onTop(n *html.Node) bool {
	return len(v.scene.topLayer) > 0 && slices.Contains(v.scene.topLayer, n)
}

// rectsOf are the boxes at which the element of box i is seen: its own, or
// those of what is in it where it has none with an area.
func (v *view) rectsOf(i int32) []driver.Rect {
	b := &v.boxes[i]
	contents := b.style.Display == "contents"
	if !b.rendered && !contents {
		return nil
	}
	own := b.frags
	if len(own) == 0 && !contents {
		own = []driver.Rect{b.rect}
	}
	if len(own) > 0 && !union(own).IsZero() || !contents && (b.style.overflowX != "visible" || b.style.overflowY != "visible") {
		return own
	}
	if inner := v.below(i); len(inner) > 0 && !union(inner).IsZero() {
		return inner
	}
	return own
}

// pointable reports whether a person could point at a control: not at one that
// lets the pointer through, is clipped away, or is but a pixel wide.
func (v *view) pointable(n *html.Node) bool {
	i := v.index(n)
	if i < 0 {
		return false
	}
	b := &v.boxes[i]
	return b.rendered && b.style.PointerEvents != "none" && !b.style.clippedAway() && b.rect.Width > 1 && b.rect.Height > 1
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

func intersect(a, b driver.Rect) driver.Rect {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	return driver.Rect{X: x, Y: y, Width: max(0, min(a.X+a.Width, b.X+b.Width)-x), Height: max(0, min(a.Y+a.Height, b.Y+b.Height)-y)}
}

// modal is the topmost modal dialog; nil if there is none.
func (s *scene) modal() *html.Node {
	for i := len(s.topLayer) - 1; i >= 0; i-- {
		n := s.topLayer[i]
		if c := s.inputs[n]; c != nil && c.modal && s.connected(n) {
			return n
		}
	}
	return nil
}
