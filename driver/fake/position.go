package fake

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A placement is an absolutely positioned box that waits for the box which contains it.
type placement struct {
	box  int32
	x, y float64 // where it would stand in the flow
}

// outOfFlow puts an absolutely positioned box aside.
func (l *layouter) outOfFlow(c int32, x, y float64) bool {
	if !l.boxes[c].apart() {
		return false
	}
	l.late = append(l.late, placement{c, x, y})
	return true
}

// placeAbsolute lays out an absolutely positioned box.
func (l *layouter) placeAbsolute(p placement) {
	b := &l.boxes[p.box]
	s := b.style
	in := l.container(p.box)
	left, hasLeft := s.left.of(in.Width, l.size)
	right, hasRight := s.right.of(in.Width, l.size)
	top, hasTop := s.top.of(in.Height, l.size)
	bottom, hasBottom := s.bottom.of(in.Height, l.size)
	width, sized := l.width(b, in.Width)
	switch {
	case sized:
	case hasLeft && hasRight && !isElement(b.node, "dialog") && !has(b.node, "popover"):
		width = max(0, in.Width-left-right)
	default:
		width = min(in.Width, l.measure(p.box))
	}
	x, y := p.x, p.y
	l.blockOf(p.box, 0, 0, width)
	b = &l.boxes[p.box]
	switch {
	case hasLeft && hasRight && (isElement(b.node, "dialog") || has(b.node, "popover")):
		x = in.X + max(0, (in.Width-b.rect.Width)/2) // margin: auto
	case hasLeft:
		x = in.X + left
	case hasRight:
		x = in.X + in.Width - right - b.rect.Width
	}
	switch {
	case hasTop && hasBottom && s.height.unit == 0 && !isElement(b.node, "dialog") && !has(b.node, "popover"):
		y = in.Y + top
		b.rect.Height = max(0, in.Height-top-bottom)
	case hasTop && hasBottom && (isElement(b.node, "dialog") || has(b.node, "popover")):
		y = in.Y + max(0, (in.Height-b.rect.Height)/2)
	case hasTop:
		y = in.Y + top
	case hasBottom:
		y = in.Y + in.Height - bottom - b.rect.Height
	}
	l.shift(p.box, x+s.margin.left, y+s.margin.top)
}

// container is the padding box that an absolutely positioned box refers to.
func (l *layouter) container(i int32) driver.Rect {
	if l.boxes[i].style.Position == "absolute" {
		for p := l.boxes[i].parent; p > 0; p = l.boxes[p].parent {
			if b := &l.boxes[p]; b.style.Position != "static" && b.rendered {
				w := b.style.border
				return driver.Rect{X: b.rect.X + w, Y: b.rect.Y + w, Width: b.rect.Width - 2*w, Height: b.rect.Height - 2*w}
			}
		}
	}
	return driver.Rect{Width: l.size.Width, Height: l.size.Height}
}

// shift moves a subtree that was laid out at the origin.
func (l *layouter) shift(i int32, dx, dy float64) {
	for c := i; c < l.boxes[i].end; c++ {
		l.boxes[c].move(dx, dy)
	}
	for k := range l.late {
		if c := l.late[k].box; c > i && c < l.boxes[i].end {
			l.late[k].x += dx
			l.late[k].y += dy
		}
	}
}

func (b *box) move(dx, dy float64) {
	if !b.rendered {
		return
	}
	b.rect.X += dx
	b.rect.Y += dy
	for k := range b.frags {
		b.frags[k].X += dx
		b.frags[k].Y += dy
	}
}

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
			if s, ok := v.scene.scrolls[p.node]; ok && p.pseudo == "" {
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
		s := v.scene.scrolls[c.node]
		c.area.Width = max(c.area.Width, right+s.X-c.rect.X-c.style.border)
		c.area.Height = max(c.area.Height, bottom+s.Y-c.rect.Y-c.style.border)
	}
	v.content = driver.Size{Width: w, Height: h}
}
