package fake

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// settle moves the boxes by what scrolling, relative positions and transforms
// move them, and finds what clips each.
func (v *view) settle() {
	type offset struct{ x, y float64 }
	offs := make([]offset, len(v.boxes))
	for i := 1; i < len(v.boxes); i++ {
		b := &v.boxes[i]
		p := &v.boxes[b.parent]
		off := offs[b.parent]
		if p.style != nil && p.kind == driver.ElementNode {
			if s, ok := v.d.scrolls[p.node]; ok && p.pseudo == "" {
				off.x -= s.X
				off.y -= s.Y
			}
		}
		b.clip, b.fixed = p.clip, p.fixed
		if p.clips() {
			b.clip = b.parent
		}
		if s := b.style; s != nil && b.kind != driver.TextNode {
			switch s.Position {
			case "relative":
				off.x += s.left.px() - map[bool]float64{true: s.right.px()}[s.left.unit == 0]
				off.y += s.top.px() - map[bool]float64{true: s.bottom.px()}[s.top.unit == 0]
			case "fixed":
				off, b.clip, b.fixed = offset{}, -1, true
			case "absolute":
				b.clip = v.containerClip(b.parent)
			}
			off.x += s.shiftX
			off.y += s.shiftY
		}
		offs[i] = off
		if off != (offset{}) {
			b.move(off.x, off.y)
		}
	}
}

// clips reports that content outside of the box is not shown.
func (b *box) clips() bool {
	if b.style == nil || b.kind != driver.ElementNode || isElement(b.node, "html", "body") {
		return false
	}
	return b.style.overflowX != "visible" || b.style.overflowY != "visible" || listboxBox(b)
}

func listboxBox(b *box) bool { return isElement(b.node, "select") && listbox(b.node) }

// containerClip is the clip of an absolutely positioned child of p.
func (v *view) containerClip(p int32) int32 {
	for ; p > 0; p = v.boxes[p].parent {
		if b := &v.boxes[p]; b.style.Position != "static" {
			if b.clips() {
				return p
			}
			return b.clip
		}
	}
	return -1
}

// scrolls reports that a person can scroll the content of the box.
func (b *box) scrolls() bool {
	if b.kind != driver.ElementNode || b.style == nil || !b.rendered || isElement(b.node, "html", "body") {
		return false
	}
	auto := func(s string) bool { return s == "auto" || s == "scroll" || s == "hidden" }
	return auto(b.style.overflowX) || auto(b.style.overflowY) || listboxBox(b)
}

// clipped reports that no wheel scrolls the content of the box, though it
// scrolls and there is more of it.
func (b *box) clipped(maxX, maxY float64) bool {
	free := func(s string) bool { return s == "auto" || s == "scroll" || listboxBox(b) }
	return (maxX > 0 || maxY > 0) && !(maxX > 0 && free(b.style.overflowX)) && !(maxY > 0 && free(b.style.overflowY))
}

// extent computes the scrollable area of the page and of each container.
func (v *view) extent() {
	w, h := v.size.Width, v.size.Height
	for i := 1; i < len(v.boxes); i++ {
		b := &v.boxes[i]
		if !b.rendered || b.fixed {
			continue
		}
		right, bottom := b.rect.X+b.rect.Width, b.rect.Y+b.rect.Height
		if b.clip < 0 {
			w, h = max(w, right), max(h, bottom)
			continue
		}
		c := &v.boxes[b.clip]
		s := v.d.scrolls[c.node]
		c.area.Width = max(c.area.Width, right+s.X-c.rect.X-c.style.border)
		c.area.Height = max(c.area.Height, bottom+s.Y-c.rect.Y-c.style.border)
	}
	v.content = driver.Size{Width: w, Height: h}
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
		return slices.Index(v.d.topLayer, v.boxes[a].node) - slices.Index(v.d.topLayer, v.boxes[b].node)
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
	return len(v.d.topLayer) > 0 && slices.Contains(v.d.topLayer, n)
}
