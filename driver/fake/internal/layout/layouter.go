package layout

import (
	"maps"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// A layouter computes boxes for one view.
type layouter struct {
	*View
	late     []placement
	measured map[int32]float64
}

// A placement is an absolutely positioned box that waits for the box which contains it.
type placement struct {
	box  int32
	x, y float64 // where it would stand in the flow
}

// measure is the width of the border box that content asks for.
func (l *layouter) measure(i int32) float64 {
	if w, ok := l.measured[i]; ok {
		return w
	}
	b := &l.Boxes[i]
	s := b.Style
	w := 0.0
	if rw, _, ok := l.replacedSize(b); ok {
		w = rw
	} else if ew, ok := l.width(b, l.Size.Width); ok && s.Width.Unit == 'p' {
		w = ew
	} else {
		w = l.contentWidth(i) + 2*s.Border + s.Padding.Left + s.Padding.Right
		if dom.IsElement(b.Node, "button") && b.Kind == driver.ElementNode {
			w += 16
		}
	}
	l.measured[i] = w
	return w
}

// contentWidth is the widest line of the content, where nothing breaks.
func (l *layouter) contentWidth(i int32) float64 {
	b := &l.Boxes[i]
	if b.Kind == driver.PseudoNode {
		return textWidth(b.Text)
	}
	row := b.Style.Display == "table-row" || strings.HasSuffix(b.Style.Display, "flex") && b.Style.Direction[0] == 'r'
	widest, line := 0.0, 0.0
	for c := i + 1; c < b.end; c = l.Boxes[c].end {
		k := &l.Boxes[c]
		if k.Style == nil || k.Skipped || k.apart() {
			continue
		}
		switch {
		case k.Kind == driver.TextNode:
			if strings.TrimSpace(k.Node.Data) != "" || line > 0 {
				line += float64(collapsedLength(k.Node.Data)) * charWidth
			}
		case dom.IsElement(k.Node, "br") && k.Kind == driver.ElementNode:
			widest, line = max(widest, line), 0
		case row || strings.HasPrefix(k.Style.Display, "inline") || k.Style.Display == "contents":
			if k.Style.Display == "inline" || k.Style.Display == "contents" {
				if _, _, ok := l.replacedSize(k); !ok {
					line += l.contentWidth(c) + k.Style.Padding.Left + k.Style.Padding.Right
					break
				}
			}
			line += l.measure(c) + k.Style.Margin.Left + k.Style.Margin.Right
		case k.Pseudo == "::marker":
		default:
			widest = max(widest, line, l.measure(c)+k.Style.Margin.Left+k.Style.Margin.Right)
			line = 0
		}
	}
	return max(widest, line)
}

// replacedSize is the size of an element whose content is not laid out here:
// controls, pictures, frames.
func (l *layouter) replacedSize(b *Box) (w, h float64, ok bool) {
	n := b.Node
	if b.Kind != driver.ElementNode {
		return 0, 0, false
	}
	if n.Namespace == "svg" && n.Data != "svg" {
		return 0, 0, false
	}
	switch n.Data {
	case "input":
		w, h = inputSize(n)
		return w, h, true
	case "textarea":
		return dimension(n, "cols", 20)*charWidth + 22, dimension(n, "rows", 2)*15 + 6, true
	case "select":
		w, h = selectSize(n)
		return w, h, true
	case "img":
		w, h = 24, 24
		alt, has := dom.Lookup(n, "alt")
		switch broken := l.scene.Pictures.Broken(n); {
		case broken && !has:
			w, h = 16, 16
		case broken && alt != "":
			w, h = textWidth(alt), lineHeight
		case broken, !dom.Has(n, "src") && !dom.Has(n, "srcset"):
			w, h = textWidth(alt), 0
		}
		return dimension(n, "width", w), dimension(n, "height", h), true
	case "iframe":
		return dimension(n, "width", 300) + 4, dimension(n, "height", 150) + 4, true
	case "frame":
		return l.Size.Width, l.Size.Height, true
	case "video", "canvas", "embed", "svg", "object":
		if n.Data != "object" || l.scene.Pictures.Embedded(n) {
			return dimension(n, "width", 300), dimension(n, "height", 150), true
		}
	case "audio":
		return 300, 54, true
	case "progress":
		return 160, 16, true
	case "meter":
		return 80, 16, true
	}
	return 0, 0, false
}

func dimension(n *html.Node, name string, otherwise float64) float64 {
	v := strings.TrimSuffix(dom.Trim(dom.Attr(n, name)), "px")
	if f, err := strconv.ParseFloat(v, 64); err == nil && f >= 0 && f < 1e6 {
		return f
	}
	return otherwise
}

func inputSize(n *html.Node) (w, h float64) {
	switch t := form.InputType(n); t {
	case "checkbox", "radio":
		return 13, 13
	case "submit", "reset", "button":
		return textWidth(dom.AttrOr(n, "value", map[string]string{"submit": "Submit", "reset": "Reset"}[t])) + 16, 22
	case "image":
		return dimension(n, "width", 20), dimension(n, "height", 20)
	case "range":
		return 129, 16
	case "color":
		return 50, 27
	case "file":
		return 253, 22
	case "hidden":
		return 0, 0
	}
	return dimension(n, "size", 20)*7 + 13, 22
}

func selectSize(n *html.Node) (w, h float64) {
	widest, rows := 0.0, 0
	for _, o := range form.Options(n) {
		widest = max(widest, textWidth(form.OptionLabel(o)))
		rows++
	}
	if form.Listbox(n) {
		size := 4.0
		if s, ok := dom.Number(dom.Attr(n, "size")); ok && s > 0 {
			size = s
		}
		return widest + 24, size*lineHeight + 4
	}
	return widest + 24, 20
}

// replacedContent lays out what stands within a replaced element: the options of a
// list box, the shapes of a picture.
func (l *layouter) replacedContent(i int32, x, y, w, h float64) {
	b := &l.Boxes[i]
	if b.Node.Namespace == "svg" {
		l.shapes(i, driver.Rect{X: x, Y: y, Width: w, Height: h})
		return
	}
	if !dom.IsElement(b.Node, "select") || !form.Listbox(b.Node) {
		return
	}
	row := y + 2
	for c := i + 1; c < b.end; c++ {
		k := &l.Boxes[c]
		if k.Kind != driver.ElementNode || k.Style == nil || k.Skipped {
			continue
		}
		option := dom.IsElement(k.Node, "option")
		if !option && !dom.IsElement(k.Node, "optgroup") {
			continue
		}
		k.Rect, k.Rendered = driver.Rect{X: x + 2, Y: row, Width: w - 4, Height: lineHeight}, true
		row += lineHeight
		for m := c + 1; option && m < k.end; m++ {
			if t := &l.Boxes[m]; t.Kind == driver.TextNode && !t.Skipped && dom.Collapse(t.Node.Data) != "" {
				t.Rect, t.Rendered = k.Rect, true
			}
		}
	}
	b.Area = driver.Size{Width: w, Height: row - y}
}

// shapes gives the content of an SVG picture boxes, by their attributes where
// they have some that say it.
func (l *layouter) shapes(i int32, in driver.Rect) {
	aside := int32(0) // end of what is laid out where it is used
	for c := i + 1; c < l.Boxes[i].end; c++ {
		k := &l.Boxes[c]
		if k.Style == nil || k.Skipped || k.Kind == driver.TextNode && strings.TrimSpace(k.Node.Data) == "" {
			continue
		}
		if k.Kind == driver.ElementNode {
			switch k.Node.Data {
			case "title", "desc", "metadata":
				for m := c; m < k.end; m++ {
					l.Boxes[m].Skipped = true
				}
				continue
			case "defs", "symbol", "clipPath", "mask", "marker", "pattern", "linearGradient", "radialGradient", "filter":
				aside = max(aside, k.end)
			}
		}
		if c < aside {
			continue
		}
		k.Rendered, k.Rect = true, in
		if k.Kind == driver.TextNode {
			k.Rect = driver.Rect{X: in.X, Y: in.Y, Width: textWidth(k.Node.Data), Height: lineHeight}
			continue
		}
		switch k.Node.Data {
		case "rect", "image", "foreignObject", "use":
			k.Rect = driver.Rect{X: in.X + dimension(k.Node, "x", 0), Y: in.Y + dimension(k.Node, "y", 0),
				Width: dimension(k.Node, "width", 0), Height: dimension(k.Node, "height", 0)}
		case "circle":
			r := dimension(k.Node, "r", 0)
			k.Rect = driver.Rect{X: in.X + dimension(k.Node, "cx", 0) - r, Y: in.Y + dimension(k.Node, "cy", 0) - r, Width: 2 * r, Height: 2 * r}
		}
	}
}

// The measures of the layout. Every character is as wide as every other, and a
// line breaks at any of them: simple, and the same on every machine.
const (
	charWidth  = css.CharacterWidth
	lineHeight = 18
)

// width is the explicit width of the border box.
func (l *layouter) width(b *Box, avail float64) (float64, bool) {
	w, ok := b.Style.Width.Of(avail, l.Size)
	if ok && !l.whole(b) {
		w += 2*b.Style.Border + b.Style.Padding.Left + b.Style.Padding.Right
	}
	return w, ok
}

// whole reports that width and height are those of the border box.
func (l *layouter) whole(b *Box) bool {
	return b.Style.BorderBox || b.Kind != driver.ElementNode || l.intrinsic(b) || dom.IsElement(b.Node, "table")
}

// intrinsic reports that a block is as wide as its content asks.
func (l *layouter) intrinsic(b *Box) bool {
	_, _, replaced := l.replacedSize(b)
	return replaced || b.Kind == driver.ElementNode && dom.IsElement(b.Node, "button")
}

func textWidth(s string) float64 { return float64(collapsedLength(s)) * charWidth }

// collapsedLength counts the characters of a text whose runs of white space
// are one each.
func collapsedLength(s string) int {
	n, space := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if isSpace(c) {
			if !space {
				n++
			}
			space = true
			continue
		}
		space = false
		if c < 0x80 || c >= 0xC0 { // not a continuation byte
			n++
		}
	}
	return n
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// NewView computes the boxes of a scene in a viewport.
func NewView(s *Scene, size driver.Size) *View {
	s.Containers = nil
	// Styles depend on the sizes of containers, and those on styles: again
	// until they agree, as deep as containers stand within others.
	for depth := 0; ; depth++ {
		v := &View{scene: s, Size: size, items: make(map[*html.Node]int)}
		v.build()
		v.layout()
		if depth == maxContainerDepth || !s.Queried() {
			return v
		}
		sizes := v.containers()
		if maps.Equal(sizes, s.Containers) {
			return v
		}
		s.Containers = sizes
	}
}

const maxContainerDepth = 5

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
	l.blockOf(i, x, y, l.bounded(width, s.MinWidth, s.MaxWidth, avail))
}

// bounded brings a width or height between two bounds.
func (l *layouter) bounded(n float64, least, most css.Length, total float64) float64 {
	if at, ok := least.Of(total, l.Size); ok {
		n = max(n, at)
	}
	if at, ok := most.Of(total, l.Size); ok {
		n = min(n, at)
	}
	return n
}

// blockOf lays out a block whose width is known.
func (l *layouter) blockOf(i int32, x, y, width float64) {
	b := &l.Boxes[i]
	s := b.Style
	inner := driver.Rect{X: x + s.Border + s.Padding.Left, Y: y + s.Border + s.Padding.Top,
		Width: max(0, width-2*s.Border-s.Padding.Left-s.Padding.Right)}
	frame := 2*s.Border + s.Padding.Top + s.Padding.Bottom
	height := 0.0
	if w, h, ok := l.replacedSize(b); ok {
		if s.Width.Unit == 0 {
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
		switch {
		case dom.IsElement(b.Node, "button"):
			height = max(height, 22)
		case content.Height == 0 && b.Node != nil && l.scene.EditingHost(b.Node) == b.Node:
			height += lineHeight // for the caret
		}
	}
	natural := height
	if h, ok := l.height(s, i); ok {
		height = h
		if !l.whole(b) {
			height += frame
		}
	}
	height = l.bounded(height, s.MinHeight, s.MaxHeight, l.Size.Height)
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

// flow lays out the children of i and returns the height that they take.
func (l *layouter) flow(i int32, in driver.Rect) float64 {
	f := newFlow(l, in)
	for c := i + 1; c < l.Boxes[i].end; c = l.Boxes[c].end {
		f.add(c)
	}
	return f.end()
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
	centered := dom.IsElement(b.Node, "dialog") || dom.Has(b.Node, "popover") // margin: auto
	width, sized := l.width(b, in.Width)
	switch {
	case sized:
	case hasLeft && hasRight && !centered:
		width = max(0, in.Width-left-right)
	default:
		width = min(in.Width, l.measure(p.box))
	}
	x, y := p.x, p.y
	below := len(l.late)
	l.blockOf(p.box, 0, 0, width)
	b = &l.Boxes[p.box]
	switch {
	case hasLeft && hasRight && centered:
		x = in.X + max(0, (in.Width-b.Rect.Width)/2)
	case hasLeft:
		x = in.X + left
	case hasRight:
		x = in.X + in.Width - right - b.Rect.Width
	}
	switch {
	case hasTop && hasBottom && centered:
		y = in.Y + max(0, (in.Height-b.Rect.Height)/2)
	case hasTop:
		y = in.Y + top
		if hasBottom && s.Height.Unit == 0 {
			b.Rect.Height = max(0, in.Height-top-bottom)
		}
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

func span(b *Box) int {
	if n, ok := dom.Number(dom.Attr(b.Node, "colspan")); ok && n >= 1 && n <= 1000 {
		return int(n)
	}
	return 1
}
