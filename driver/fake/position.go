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
