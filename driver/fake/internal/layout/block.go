package layout

import (
	"maps"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// NewView computes the boxes of a scene in a viewport.
func NewView(s *Scene, size driver.Size) *View {
	s.Containers = nil
	v := &View{scene: s, Size: size}
	v.build()
	v.layout()
	if !s.Queried() {
		return v
	}
	// Styles depend on the sizes of containers, and those on styles: again
	// until they agree, as deep as containers stand within others.
	for range maxContainerDepth {
		sizes := v.containers()
		if maps.Equal(sizes, s.Containers) {
			break
		}
		s.Containers = sizes
		v = &View{scene: s, Size: size}
		v.build()
		v.layout()
	}
	return v
}

const maxContainerDepth = 5

// containers are the sizes of the content boxes of the containers.
func (v *View) containers() map[*html.Node]css.Container {
	all := make(map[*html.Node]css.Container)
	for i := range v.Boxes {
		b := &v.Boxes[i]
		if b.Style == nil || b.Kind != driver.ElementNode || b.Style.Rare == nil {
			continue
		}
		s, r := b.Style, b.Style.Rare
		if r.Container == "inline-size" || r.Container == "size" {
			all[b.Node] = css.Container{Name: r.ContainerName, Kind: r.Container, Size: driver.Size{
				Width:  b.Rect.Width - 2*s.Border - s.Padding.Left - s.Padding.Right,
				Height: b.Rect.Height - 2*s.Border - s.Padding.Top - s.Padding.Bottom}}
		}
	}
	return all
}

// layout gives every box its place.
func (v *View) layout() {
	l := &layouter{View: v, measured: make(map[int32]float64)}
	bottom := 0.0
	for c := int32(1); c < int32(len(v.Boxes)); c = v.Boxes[c].end {
		if b := &v.Boxes[c]; b.Kind == driver.ElementNode && b.Style != nil {
			l.block(c, 0, bottom, v.Size.Width)
			bottom += b.Rect.Height
		}
	}
	v.Boxes[0].Rect = driver.Rect{Width: v.Size.Width, Height: v.Size.Height}
	v.Boxes[0].Rendered = true
	for i := 0; i < len(l.late); i++ {
		l.placeAbsolute(l.late[i])
	}
	v.applyOffsets()
	v.extent()
}

// block lays a block out at x, y in a container of the given width. The
// margins are the caller's affair, except for the width that they take.
func (l *layouter) block(i int32, x, y, avail float64) {
	b := &l.Boxes[i]
	s := b.Style
	width := avail
	if w, ok := l.width(b, avail); ok {
		width = w
	} else if s.Display == "table" || s.Display == "inline-block" || s.Display == "inline-flex" || s.Display == "inline-table" || l.intrinsic(b) {
		width = min(avail, l.measure(i))
	}
	if s.MinWidth.Unit != 0 {
		w, _ := s.MinWidth.Of(avail, l.Size)
		width = max(width, w)
	}
	if s.MaxWidth.Unit != 0 {
		w, _ := s.MaxWidth.Of(avail, l.Size)
		width = min(width, w)
	}
	l.blockOf(i, x, y, width)
}

// blockOf lays out a block whose width is known.
func (l *layouter) blockOf(i int32, x, y, width float64) {
	b := &l.Boxes[i]
	s := b.Style
	inner := driver.Rect{X: x + s.Border + s.Padding.Left, Y: y + s.Border + s.Padding.Top,
		Width: max(0, width-2*s.Border-s.Padding.Left-s.Padding.Right)}
	frame := 2*s.Border + s.Padding.Top + s.Padding.Bottom
	height := 0.0
	if w, h, ok := replacedSize(l.View, b.Node); ok && b.Kind == driver.ElementNode {
		if s.Width.Unit == 0 && b.Kind == driver.ElementNode {
			width = w
		}
		height = h
		l.replacedContent(i, x, y, width, h)
	} else {
		var content driver.Size
		switch {
		case b.Kind == driver.PseudoNode:
			content = driver.Size{Width: textWidth(b.Text), Height: lineHeight}
			if b.Text == "" {
				content.Height = 0
			}
		case s.Display == "table" || s.Display == "inline-table" || s.Display == "table-row-group" || s.Display == "table-header-group" ||
			s.Display == "table-footer-group":
			content.Height = l.rows(i, inner)
		case s.Display == "table-row":
			content.Height = l.cells(i, inner)
		case (s.Display == "flex" || s.Display == "inline-flex") && s.Direction[0] == 'r':
			content.Height = l.flexRow(i, inner)
		default:
			content.Height = l.flow(i, inner)
		}
		height = content.Height + frame
		if dom.IsElement(b.Node, "button") {
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
	if h, ok := s.MinHeight.Of(l.Size.Height, l.Size); ok {
		height = max(height, h)
	}
	if h, ok := s.MaxHeight.Of(l.Size.Height, l.Size); ok {
		height = min(height, h)
	}
	b = &l.Boxes[i]
	b.Rect = driver.Rect{X: x, Y: y, Width: width, Height: height}
	b.Area = driver.Size{Width: width - 2*s.Border, Height: max(natural, height) - 2*s.Border}
	b.Rendered = !b.Skipped
}

// height is the explicit height of the border box. A percentage needs a
// container of explicit height: here, the viewport stands for it at the root.
func (l *layouter) height(s *css.Style, i int32) (float64, bool) {
	if s.Height.Unit == '%' {
		for p := l.Boxes[i].Parent; p >= 0; p = l.Boxes[p].Parent {
			if dom.IsElement(l.Boxes[p].Node, "html", "body") || l.Boxes[p].Kind == driver.DocumentNode {
				continue
			}
			if h, ok := l.Boxes[p].Style.Height.Of(l.Size.Height, l.Size); ok {
				return s.Height.N * h / 100, true
			}
			return 0, false
		}
	}
	return s.Height.Of(l.Size.Height, l.Size)
}

// children calls f with the children of i that take part in a layout.
func (l *layouter) children(i int32, f func(int32)) {
	for c := i + 1; c < l.Boxes[i].end; c = l.Boxes[c].end {
		b := &l.Boxes[c]
		if b.Style == nil || b.Skipped {
			continue
		}
		if b.Kind == driver.ElementNode && b.Style.Display == "contents" {
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
		if l.Boxes[c].Kind == driver.TextNode {
			if w > 0 {
				height = max(height, l.textIn(c, driver.Rect{X: x, Y: in.Y, Width: w}))
			}
		} else {
			s := l.Boxes[c].Style
			l.blockOf(c, x+s.Margin.Left, in.Y+s.Margin.Top, max(0, w-s.Margin.Left-s.Margin.Right))
			height = max(height, l.Boxes[c].Rect.Height+s.Margin.Top+s.Margin.Bottom)
		}
		x += w
	})
	return height
}

// item is the width that a flex item asks for, margins included.
func (l *layouter) item(c int32, avail float64) float64 {
	b := &l.Boxes[c]
	if b.apart() {
		return 0
	}
	if b.Kind == driver.TextNode {
		if n := collapsedLength(b.Node.Data); n > 1 || dom.Collapse(b.Node.Data) != "" {
			return float64(n) * charWidth
		}
		return 0
	}
	m := b.Style.Margin.Left + b.Style.Margin.Right
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

// rows stacks the rows of a table, or of a group of rows.
func (l *layouter) rows(i int32, in driver.Rect) float64 {
	y := in.Y
	l.children(i, func(c int32) {
		b := &l.Boxes[c]
		if b.Kind == driver.TextNode || l.outOfFlow(c, in.X, y) {
			return
		}
		switch b.Style.Display {
		case "table-column", "table-column-group":
			return
		}
		l.blockOf(c, in.X, y, in.Width)
		y += l.Boxes[c].Rect.Height
	})
	return y - in.Y
}

// cells shares the width of a row among its cells.
func (l *layouter) cells(i int32, in driver.Rect) float64 {
	columns := 0
	l.children(i, func(c int32) {
		if l.Boxes[c].Kind == driver.ElementNode {
			columns += span(&l.Boxes[c])
		}
	})
	if columns == 0 {
		return 0
	}
	x, height := in.X, 0.0
	each := in.Width / float64(columns)
	l.children(i, func(c int32) {
		if l.Boxes[c].Kind == driver.TextNode || l.outOfFlow(c, x, in.Y) {
			return
		}
		w := each * float64(span(&l.Boxes[c]))
		l.blockOf(c, x, in.Y, w)
		x += w
		height = max(height, l.Boxes[c].Rect.Height)
	})
	l.children(i, func(c int32) {
		if b := &l.Boxes[c]; b.Rendered && b.Kind == driver.ElementNode && b.Rect.Y == in.Y {
			b.Rect.Height = height
		}
	})
	return height
}

func span(b *Box) int {
	if n, ok := dom.Number(dom.Attr(b.Node, "colspan")); ok && n >= 1 && n <= 1000 {
		return int(n)
	}
	return 1
}
