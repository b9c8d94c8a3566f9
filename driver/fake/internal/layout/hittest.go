package layout

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// Hit finds the topmost element at a point of the viewport; nil outside of it.
func (v *View) Hit(x, y float64) *html.Node {
	if x < 0 || y < 0 || x >= v.Size.Width || y >= v.Size.Height {
		return nil
	}
	order := v.paintOrder()
	modal := v.scene.Modal()
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		b := &v.Boxes[i]
		if b.Style.PointerEvents == "none" || b.Style.Visibility != "visible" || b.Style.Display == "contents" || b.Style.ClippedAway() {
			continue
		}
		inside := b.Rendered && v.covers(b, x, y) && v.unclipped(i, x, y)
		if modal != nil && b.Node == modal {
			return modal // its backdrop covers the rest
		}
		if inside && !v.Inert(i, modal) {
			return b.Node
		}
	}
	if modal != nil {
		return modal
	}
	for c := v.scene.Root.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode { // the canvas belongs to the root element
			return c
		}
	}
	return nil
}

func (v *View) covers(b *Box, x, y float64) bool {
	if !contains(v.Shown(b.Rect, b.Fixed), x, y) {
		return false
	}
	if len(b.Frags) == 0 {
		return true
	}
	for _, r := range b.Frags {
		if contains(v.Shown(r, b.Fixed), x, y) {
			return true
		}
	}
	return false
}

func contains(r driver.Rect, x, y float64) bool {
	return x >= r.X && x < r.X+r.Width && y >= r.Y && y < r.Y+r.Height
}

// unclipped reports that no scroll container cuts the point off.
func (v *View) unclipped(i int32, x, y float64) bool {
	for c := v.Boxes[i].Clip; c >= 0; c = v.Boxes[c].Clip {
		b := &v.Boxes[c]
		if !contains(v.clipEdge(b), x, y) {
			return false
		}
	}
	return true
}

// clipEdge is what a box that clips shows of its content, in the viewport.
func (v *View) clipEdge(b *Box) driver.Rect {
	r := v.Shown(b.Rect, b.Fixed)
	if b.Style.Rare == nil || b.Style.OverflowX != "clip" || b.Style.OverflowY != "clip" {
		return r
	}
	m := b.Style.Rare.ClipMargin
	return driver.Rect{X: r.X - m, Y: r.Y - m, Width: r.Width + 2*m, Height: r.Height + 2*m}
}

// Inert reports that box i takes no part: by its style, by an attribute of it or of
// an ancestor, or because a modal dialog is open elsewhere.
func (v *View) Inert(i int32, modal *html.Node) bool {
	if s := v.Boxes[i].Style; s != nil && s.Interactivity == "inert" {
		return true
	}
	for ; i > 0; i = v.Boxes[i].Parent {
		n := v.Boxes[i].Node
		if n == modal {
			return false
		}
		if n.Type == html.ElementNode && n.Namespace == "" && dom.Has(n, "inert") {
			return true
		}
	}
	return modal != nil
}

// Shown turns a rectangle of the layout into the coordinates of the viewport.
func (v *View) Shown(r driver.Rect, fixed bool) driver.Rect {
	if !fixed {
		r.X -= v.scene.Scroll.X
		r.Y -= v.scene.Scroll.Y
	}
	return r
}

// paintOrder lists the elements from the lowest to the topmost: the flow, then
// what is positioned by its z-index, then the top layer.
func (v *View) paintOrder() []int32 {
	if v.order != nil {
		return v.order
	}
	n := len(v.Boxes)
	layer := make([]int32, n)      // the positioned box that a box is painted with
	context := make([]int32, n)    // the stacking context that a box stands in
	members := map[int32][]int32{} // by layer
	layers := map[int32][]int32{}  // by stacking context
	var top []int32
	for i := int32(1); i < int32(n); i++ {
		b := &v.Boxes[i]
		layer[i], context[i] = layer[b.Parent], context[b.Parent]
		if v.stacks(b.Parent) {
			context[i] = b.Parent
		}
		if b.Kind == driver.ElementNode && b.Style != nil {
			if v.onTop(b.Node) {
				layer[i] = i
				top = append(top, i)
			} else if b.Style.Position != "static" || b.Style.ShiftX != 0 || b.Style.ShiftY != 0 {
				layer[i] = i
				layers[context[i]] = append(layers[context[i]], i)
			}
			members[layer[i]] = append(members[layer[i]], i)
		}
	}
	var emit func(ctx int32)
	emit = func(ctx int32) {
		below := layers[ctx]
		slices.SortStableFunc(below, func(a, b int32) int { return v.Boxes[a].Style.ZIndex - v.Boxes[b].Style.ZIndex })
		k := 0
		paint := func(i int32) {
			if v.stacks(i) {
				emit(i)
			} else {
				v.order = append(v.order, members[i]...)
			}
		}
		for ; k < len(below) && v.Boxes[below[k]].Style.ZIndex < 0; k++ {
			paint(below[k])
		}
		v.order = append(v.order, members[ctx]...)
		for ; k < len(below); k++ {
			paint(below[k])
		}
	}
	emit(0)
	slices.SortFunc(top, func(a, b int32) int {
		return slices.Index(v.scene.TopLayer, v.Boxes[a].Node) - slices.Index(v.scene.TopLayer, v.Boxes[b].Node)
	})
	for _, i := range top {
		emit(i)
	}
	return v.order
}

// stacks reports that box i makes a stacking context.
func (v *View) stacks(i int32) bool {
	b := &v.Boxes[i]
	if i == 0 {
		return true
	}
	if b.Style == nil || b.Kind != driver.ElementNode {
		return false
	}
	p := b.Style.Position
	return p == "fixed" || p == "sticky" || p != "static" && b.Style.HasZ || b.Style.ShiftX != 0 || b.Style.ShiftY != 0 || v.onTop(b.Node)
}

// onTop reports that n is in the top layer.
func (v *View) onTop(n *html.Node) bool {
	return len(v.scene.TopLayer) > 0 && slices.Contains(v.scene.TopLayer, n)
}

// RectsOf are the boxes at which the element of box i shows: its own, or
// those of what is in it where it has none with an area.
func (v *View) RectsOf(i int32) []driver.Rect {
	b := &v.Boxes[i]
	contents := b.Style.Display == "contents"
	if !b.Rendered && !contents {
		return nil
	}
	own := b.Frags
	if len(own) == 0 && !contents {
		own = []driver.Rect{b.Rect}
	}
	if len(own) > 0 && !Union(own).IsZero() || !contents && (b.Style.OverflowX != "visible" || b.Style.OverflowY != "visible") {
		return own
	}
	if inner := v.Below(i); len(inner) > 0 && !Union(inner).IsZero() {
		return inner
	}
	return own
}

// Pointable reports whether a person could point at a control: not at one that
// lets the pointer through, is clipped away, or is but a pixel wide.
func (v *View) Pointable(n *html.Node) bool {
	i := v.Index(n)
	if i < 0 {
		return false
	}
	b := &v.Boxes[i]
	for c := b.Clip; c >= 0; c = v.Boxes[c].Clip {
		if edge := v.clipEdge(&v.Boxes[c]); edge.Width <= 1 || edge.Height <= 1 {
			return false
		}
	}
	return b.Rendered && b.Style.PointerEvents != "none" && !b.Style.ClippedAway() && b.Rect.Width > 1 && b.Rect.Height > 1
}

// Opaque reports that neither a node nor one around it has an opacity of 0.
func (v *View) Opaque(n *html.Node) bool {
	for i := v.Index(n); i > 0; i = v.Boxes[i].Parent {
		if s := v.Boxes[i].Style; s != nil && s.Transparent() {
			return false
		}
	}
	return true
}

// Draws reports that a node shows something of its own besides text.
func (v *View) Draws(n *html.Node) bool {
	b := v.Find(n)
	return b != nil && b.Style != nil && b.Rendered && (b.Style.Border > 0 || dom.IsElement(n, "img", "canvas", "video") || n.Data == "svg")
}

// Below are the boxes of the nearest rendered descendants.
func (v *View) Below(i int32) []driver.Rect {
	var out []driver.Rect
	for c := i + 1; c < v.Boxes[i].end; c++ {
		if b := &v.Boxes[c]; b.Rendered {
			out = append(out, b.Rect)
		}
	}
	return out
}

// VisiblePart clips a rectangle of the viewport by the scroll containers of box i.
func (v *View) VisiblePart(i int32, r driver.Rect) driver.Rect {
	for c := v.Boxes[i].Clip; c >= 0; c = v.Boxes[c].Clip {
		b := &v.Boxes[c]
		r = Intersect(r, v.clipEdge(b))
	}
	return r
}

func Intersect(a, b driver.Rect) driver.Rect {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	return driver.Rect{X: x, Y: y, Width: max(0, min(a.X+a.Width, b.X+b.Width)-x), Height: max(0, min(a.Y+a.Height, b.Y+b.Height)-y)}
}

// Modal is the topmost modal dialog; nil if there is none.
func (s *Scene) Modal() *html.Node {
	for i := len(s.TopLayer) - 1; i >= 0; i-- {
		n := s.TopLayer[i]
		if c := s.Inputs[n]; c != nil && c.Modal && s.Connected(n) {
			return n
		}
	}
	return nil
}
