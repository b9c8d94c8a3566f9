package layout

import (
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// A placement is an absolutely positioned box that waits for the box which contains it.
type placement struct {
	box  int32
	x, y float64 // where it would stand in the flow
}

// outOfFlow puts an absolutely positioned box aside.
func (l *layouter) outOfFlow(c int32, x, y float64) bool {
	if !l.Boxes[c].apart() {
		return false
	}
	l.late = append(l.late, placement{c, x, y})
	return true
}

// placeAbsolute lays out an absolutely positioned box.
func (l *layouter) placeAbsolute(p placement) {
	b := &l.Boxes[p.box]
	s := b.Style
	in := l.container(p.box)
	left, hasLeft := s.Left.Of(in.Width, l.Size)
	right, hasRight := s.Right.Of(in.Width, l.Size)
	top, hasTop := s.Top.Of(in.Height, l.Size)
	bottom, hasBottom := s.Bottom.Of(in.Height, l.Size)
	width, sized := l.width(b, in.Width)
	switch {
	case sized:
	case hasLeft && hasRight && !dom.IsElement(b.Node, "dialog") && !dom.Has(b.Node, "popover"):
		width = max(0, in.Width-left-right)
	default:
		width = min(in.Width, l.measure(p.box))
	}
	x, y := p.x, p.y
	below := len(l.late)
	l.blockOf(p.box, 0, 0, width)
	b = &l.Boxes[p.box]
	switch {
	case hasLeft && hasRight && (dom.IsElement(b.Node, "dialog") || dom.Has(b.Node, "popover")):
		x = in.X + max(0, (in.Width-b.Rect.Width)/2) // margin: auto
	case hasLeft:
		x = in.X + left
	case hasRight:
		x = in.X + in.Width - right - b.Rect.Width
	}
	switch {
	case hasTop && hasBottom && s.Height.Unit == 0 && !dom.IsElement(b.Node, "dialog") && !dom.Has(b.Node, "popover"):
		y = in.Y + top
		b.Rect.Height = max(0, in.Height-top-bottom)
	case hasTop && hasBottom && (dom.IsElement(b.Node, "dialog") || dom.Has(b.Node, "popover")):
		y = in.Y + max(0, (in.Height-b.Rect.Height)/2)
	case hasTop:
		y = in.Y + top
	case hasBottom:
		y = in.Y + in.Height - bottom - b.Rect.Height
	}
	l.shift(p.box, below, x+s.Margin.Left, y+s.Margin.Top)
}

// container is the padding box that an absolutely positioned box refers to.
func (l *layouter) container(i int32) driver.Rect {
	if l.Boxes[i].Style.Position == "absolute" && !l.onTop(l.Boxes[i].Node) {
		for p := l.Boxes[i].Parent; p > 0; p = l.Boxes[p].Parent {
			if b := &l.Boxes[p]; b.Style.Position != "static" && b.Rendered {
				w := b.Style.Border
				return driver.Rect{X: b.Rect.X + w, Y: b.Rect.Y + w, Width: b.Rect.Width - 2*w, Height: b.Rect.Height - 2*w}
			}
		}
	}
	return driver.Rect{Width: l.Size.Width, Height: l.Size.Height}
}

// shift moves a subtree that was laid out at the origin. The placements from
// below on are those within it: they were put aside when it was laid out.
func (l *layouter) shift(i int32, below int, dx, dy float64) {
	for c := i; c < l.Boxes[i].end; c++ {
		l.Boxes[c].move(dx, dy)
	}
	for k := below; k < len(l.late); k++ {
		l.late[k].x += dx
		l.late[k].y += dy
	}
}

func (b *Box) move(dx, dy float64) {
	if !b.Rendered {
		return
	}
	b.Rect.X += dx
	b.Rect.Y += dy
	for k := range b.Frags {
		b.Frags[k].X += dx
		b.Frags[k].Y += dy
	}
}

// applyOffsets moves the boxes by what scrolling, relative positions and transforms
// move them, and finds what clips each.
func (v *View) applyOffsets() {
	type offset struct{ x, y float64 }
	offs := make([]offset, len(v.Boxes))
	for i := 1; i < len(v.Boxes); i++ {
		b := &v.Boxes[i]
		p := &v.Boxes[b.Parent]
		off := offs[b.Parent]
		if p.Style != nil && p.Kind == driver.ElementNode {
			if s, ok := v.scene.Scrolls[p.Node]; ok && p.Pseudo == "" {
				off.x -= s.X
				off.y -= s.Y
			}
		}
		b.Clip, b.Fixed = p.Clip, p.Fixed
		if p.clips() {
			b.Clip = b.Parent
		}
		if s := b.Style; s != nil && b.Kind != driver.TextNode {
			switch s.Position {
			case "relative":
				off.x += s.Left.Px() - map[bool]float64{true: s.Right.Px()}[s.Left.Unit == 0]
				off.y += s.Top.Px() - map[bool]float64{true: s.Bottom.Px()}[s.Top.Unit == 0]
			case "fixed":
				off, b.Clip, b.Fixed = offset{}, -1, true
			case "absolute":
				b.Clip = v.containerClip(b.Parent)
				if v.onTop(b.Node) { // the page contains it
					off, b.Clip, b.Fixed = offset{}, -1, false
				}
			}
			off.x += s.ShiftX
			off.y += s.ShiftY
		}
		offs[i] = off
		if off != (offset{}) {
			b.move(off.x, off.y)
		}
		b.shrink()
	}
}

// shrink takes the area of what is scaled to nothing, and the height of letters of a
// pixel. Lines keep theirs, unlike a browser's.
func (b *Box) shrink() {
	if b.Style == nil || b.Style.Rare == nil {
		return
	}
	r := b.Style.Rare
	switch {
	case r.Vanished:
		b.Rect.Width, b.Rect.Height, b.Frags = 0, 0, nil
	case r.Tiny && (b.Kind == driver.TextNode || b.Style.Display == "inline"):
		b.Rect.Height = min(b.Rect.Height, 1)
	}
}

// clips reports that content outside of the box is not shown.
func (b *Box) clips() bool {
	if b.Style == nil || b.Kind != driver.ElementNode || dom.IsElement(b.Node, "html", "body") {
		return false
	}
	return b.Style.OverflowX != "visible" || b.Style.OverflowY != "visible" || listboxBox(b)
}

func listboxBox(b *Box) bool { return dom.IsElement(b.Node, "select") && form.Listbox(b.Node) }

// containerClip is the clip of an absolutely positioned child of p.
func (v *View) containerClip(p int32) int32 {
	for ; p > 0; p = v.Boxes[p].Parent {
		if b := &v.Boxes[p]; b.Style.Position != "static" {
			if b.clips() {
				return p
			}
			return b.Clip
		}
	}
	return -1
}

// Scrolls reports that a person can scroll the content of the box.
func (b *Box) Scrolls() bool {
	if b.Kind != driver.ElementNode || b.Style == nil || !b.Rendered || dom.IsElement(b.Node, "html", "body") {
		return false
	}
	auto := func(s string) bool { return s == "auto" || s == "scroll" || s == "hidden" }
	return auto(b.Style.OverflowX) || auto(b.Style.OverflowY) || listboxBox(b)
}

// Clipped reports that no wheel scrolls the content of the box, though it
// scrolls and there is more of it.
func (b *Box) Clipped(maxX, maxY float64) bool {
	free := func(s string) bool { return s == "auto" || s == "scroll" || listboxBox(b) }
	return (maxX > 0 || maxY > 0) && !(maxX > 0 && free(b.Style.OverflowX)) && !(maxY > 0 && free(b.Style.OverflowY))
}

// extent computes the scrollable area of the page and of each container.
func (v *View) extent() {
	w, h := v.Size.Width, v.Size.Height
	for i := 1; i < len(v.Boxes); i++ {
		b := &v.Boxes[i]
		if !b.Rendered || b.Fixed {
			continue
		}
		right, bottom := b.Rect.X+b.Rect.Width, b.Rect.Y+b.Rect.Height
		if b.Clip < 0 {
			w, h = max(w, right), max(h, bottom)
			continue
		}
		c := &v.Boxes[b.Clip]
		s := v.scene.Scrolls[c.Node]
		c.Area.Width = max(c.Area.Width, right+s.X-c.Rect.X-c.Style.Border)
		c.Area.Height = max(c.Area.Height, bottom+s.Y-c.Rect.Y-c.Style.Border)
	}
	v.Content = driver.Size{Width: w, Height: h}
}
