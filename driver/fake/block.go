package fake

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

// The measures of the layout. Every character is as wide as every other, and a
// line breaks at any of them: simple, and the same on every machine.
const (
	charWidth  = characterWidth
	lineHeight = 18
)

// A layouter computes boxes for one view.
type layouter struct {
	*view
	late     []placement
	measured map[int32]float64
}

// layout gives every box its place.
func (v *view) layout() {
	l := &layouter{view: v, measured: make(map[int32]float64)}
	bottom := 0.0
	for c := int32(1); c < int32(len(v.boxes)); c = v.boxes[c].end {
		if b := &v.boxes[c]; b.kind == driver.ElementNode && b.style != nil {
			l.block(c, 0, bottom, v.size.Width)
			bottom += b.rect.Height
		}
	}
	v.boxes[0].rect = driver.Rect{Width: v.size.Width, Height: v.size.Height}
	v.boxes[0].rendered = true
	for i := 0; i < len(l.late); i++ {
		l.placeAbsolute(l.late[i])
	}
	v.settle()
	v.extent()
}

// block lays a block out at x, y in a container of the given width. The
// margins are the caller's affair, except for the width that they take.
func (l *layouter) block(i int32, x, y, avail float64) {
	b := &l.boxes[i]
	s := b.style
	width := avail
	if w, ok := l.width(b, avail); ok {
		width = w
	} else if s.Display == "table" || s.Display == "inline-block" || s.Display == "inline-flex" || s.Display == "inline-table" || l.intrinsic(b) {
		width = min(avail, l.measure(i))
	}
	if s.minWidth.unit != 0 {
		w, _ := s.minWidth.of(avail, l.size)
		width = max(width, w)
	}
	if s.maxWidth.unit != 0 {
		w, _ := s.maxWidth.of(avail, l.size)
		width = min(width, w)
	}
	l.blockOf(i, x, y, width)
}

// intrinsic reports that a block is as wide as its content asks.
func (l *layouter) intrinsic(b *box) bool {
	if b.kind != driver.ElementNode {
		return false
	}
	_, _, replaced := replacedSize(l.view, b.node)
	return replaced || isElement(b.node, "button", "select", "textarea")
}

// width is the explicit width of the border box.
func (l *layouter) width(b *box, avail float64) (float64, bool) {
	w, ok := b.style.width.of(avail, l.size)
	if ok && !l.whole(b) {
		w += 2*b.style.border + b.style.padding.left + b.style.padding.right
	}
	return w, ok
}

// whole reports that width and height are those of the border box.
func (l *layouter) whole(b *box) bool {
	if b.style.borderBox || b.kind != driver.ElementNode {
		return true
	}
	_, _, replaced := replacedSize(l.view, b.node)
	return replaced || isElement(b.node, "button", "table")
}

// blockOf lays out a block whose width is known.
func (l *layouter) blockOf(i int32, x, y, width float64) {
	b := &l.boxes[i]
	s := b.style
	inner := driver.Rect{X: x + s.border + s.padding.left, Y: y + s.border + s.padding.top,
		Width: max(0, width-2*s.border-s.padding.left-s.padding.right)}
	frame := 2*s.border + s.padding.top + s.padding.bottom
	height := 0.0
	if w, h, ok := replacedSize(l.view, b.node); ok && b.kind == driver.ElementNode {
		if s.width.unit == 0 && b.kind == driver.ElementNode {
			width = w
		}
		height = h
		l.replacedContent(i, x, y, width, h)
	} else {
		var content driver.Size
		switch {
		case b.kind == driver.PseudoNode:
			content = driver.Size{Width: textWidth(b.text), Height: lineHeight}
			if b.text == "" {
				content.Height = 0
			}
		case s.Display == "table" || s.Display == "inline-table" || s.Display == "table-row-group" || s.Display == "table-header-group" ||
			s.Display == "table-footer-group":
			content.Height = l.rows(i, inner)
		case s.Display == "table-row":
			content.Height = l.cells(i, inner)
		case (s.Display == "flex" || s.Display == "inline-flex") && s.direction[0] == 'r':
			content.Height = l.flexRow(i, inner)
		default:
			content.Height = l.flow(i, inner)
		}
		height = content.Height + frame
		if isElement(b.node, "button") {
			height = max(height, 22)
		}
	}
	natural := height
	if h, ok := l.height(s, i); ok {
		height = h
		if !l.whole(b) {
			height += frame
		}
	}
	if h, ok := s.minHeight.of(l.size.Height, l.size); ok {
		height = max(height, h)
	}
	if h, ok := s.maxHeight.of(l.size.Height, l.size); ok {
		height = min(height, h)
	}
	b = &l.boxes[i]
	b.rect = driver.Rect{X: x, Y: y, Width: width, Height: height}
	b.area = driver.Size{Width: width - 2*s.border, Height: max(natural, height) - 2*s.border}
	b.rendered = !b.skipped
}

// height is the explicit height of the border box. A percentage needs a
// container of explicit height: here, the viewport stands for it at the root.
func (l *layouter) height(s *style, i int32) (float64, bool) {
	if s.height.unit == '%' {
		for p := l.boxes[i].parent; p >= 0; p = l.boxes[p].parent {
			if isElement(l.boxes[p].node, "html", "body") || l.boxes[p].kind == driver.DocumentNode {
				continue
			}
			if h, ok := l.boxes[p].style.height.of(l.size.Height, l.size); ok {
				return s.height.n * h / 100, true
			}
			return 0, false
		}
	}
	return s.height.of(l.size.Height, l.size)
}

// children calls f with the children of i that take part in a layout.
func (l *layouter) children(i int32, f func(int32)) {
	for c := i + 1; c < l.boxes[i].end; c = l.boxes[c].end {
		b := &l.boxes[c]
		if b.style == nil || b.skipped {
			continue
		}
		if b.kind == driver.ElementNode && b.style.Display == "contents" {
			l.children(c, f)
			continue
		}
		f(c)
	}
}

// flexRow sets the items side by side, each as wide as it asks, or less where
// they do not fit.
func (l *layouter) flexRow(i int32, in driver.Rect) float64 {
	total := 0.0
	l.children(i, func(c int32) { total += l.item(c, in.Width) })
	scale := 1.0
	if total > in.Width && total > 0 {
		scale = in.Width / total
	}
	x, height := in.X, 0.0
	l.children(i, func(c int32) {
		if l.outOfFlow(c, x, in.Y) {
			return
		}
		w := l.item(c, in.Width) * scale
		if l.boxes[c].kind == driver.TextNode {
			if w > 0 {
				height = max(height, l.textIn(c, driver.Rect{X: x, Y: in.Y, Width: w}))
			}
		} else {
			s := l.boxes[c].style
			l.blockOf(c, x+s.margin.left, in.Y+s.margin.top, max(0, w-s.margin.left-s.margin.right))
			height = max(height, l.boxes[c].rect.Height+s.margin.top+s.margin.bottom)
		}
		x += w
	})
	return height
}

// item is the width that a flex item asks for, margins included.
func (l *layouter) item(c int32, avail float64) float64 {
	b := &l.boxes[c]
	if b.apart() {
		return 0
	}
	if b.kind == driver.TextNode {
		if n := collapsedLength(b.node.Data); n > 1 || collapse(b.node.Data) != "" {
			return float64(n) * charWidth
		}
		return 0
	}
	m := b.style.margin.left + b.style.margin.right
	if w, ok := l.width(b, avail); ok {
		return w + m
	}
	return l.measure(c) + m
}

// textIn lays a text out in a column of its own and returns the height.
func (l *layouter) textIn(c int32, in driver.Rect) float64 {
	f := newFlow(l, in)
	f.text(c)
	return f.end()
}

// apart reports a box that takes no room in the flow. A text has its parent's
// style, and is never one.
func (b *box) apart() bool {
	return (b.kind == driver.ElementNode || b.kind == driver.PseudoNode) && (b.style.Position == "absolute" || b.style.Position == "fixed")
}

// rows stacks the rows of a table, or of a group of rows.
func (l *layouter) rows(i int32, in driver.Rect) float64 {
	y := in.Y
	l.children(i, func(c int32) {
		b := &l.boxes[c]
		if b.kind == driver.TextNode || l.outOfFlow(c, in.X, y) {
			return
		}
		switch b.style.Display {
		case "table-column", "table-column-group":
			return
		}
		l.blockOf(c, in.X, y, in.Width)
		y += l.boxes[c].rect.Height
	})
	return y - in.Y
}

// cells shares the width of a row among its cells.
func (l *layouter) cells(i int32, in driver.Rect) float64 {
	columns := 0
	l.children(i, func(c int32) {
		if l.boxes[c].kind == driver.ElementNode {
			columns += span(&l.boxes[c])
		}
	})
	if columns == 0 {
		return 0
	}
	x, height := in.X, 0.0
	each := in.Width / float64(columns)
	l.children(i, func(c int32) {
		if l.boxes[c].kind == driver.TextNode || l.outOfFlow(c, x, in.Y) {
			return
		}
		w := each * float64(span(&l.boxes[c]))
		l.blockOf(c, x, in.Y, w)
		x += w
		height = max(height, l.boxes[c].rect.Height)
	})
	l.children(i, func(c int32) {
		if b := &l.boxes[c]; b.rendered && b.kind == driver.ElementNode && b.rect.Y == in.Y {
			b.rect.Height = height
		}
	})
	return height
}

func span(b *box) int {
	if n, ok := number(attr(b.node, "colspan")); ok && n >= 1 && n <= 1000 {
		return int(n)
	}
	return 1
}
