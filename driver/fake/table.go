package fake

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

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
