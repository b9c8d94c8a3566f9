package layout

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// measure is the width of the border box that content asks for.
func (l *layouter) measure(i int32) float64 {
	if w, ok := l.measured[i]; ok {
		return w
	}
	b := &l.Boxes[i]
	s := b.Style
	w := 0.0
	if rw, _, ok := replacedSize(l.View, b.Node); ok && b.Kind == driver.ElementNode {
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
				if _, _, ok := replacedSize(l.View, k.Node); !ok || k.Kind != driver.ElementNode {
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
func replacedSize(v *View, n *html.Node) (w, h float64, ok bool) {
	if n.Type != html.ElementNode {
		return 0, 0, false
	}
	if n.Namespace == "svg" {
		if n.Data != "svg" {
			return 0, 0, false
		}
		return dimension(n, "width", 300), dimension(n, "height", 150), true
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
		if v.scene.Pictures.Broken(n) {
			alt, has := dom.Lookup(n, "alt")
			if has {
				return dimension(n, "width", textWidth(alt)), dimension(n, "height", map[bool]float64{true: lineHeight}[alt != ""]), true
			}
			return dimension(n, "width", 16), dimension(n, "height", 16), true
		}
		if !dom.Has(n, "src") && !dom.Has(n, "srcset") {
			return dimension(n, "width", textWidth(dom.Attr(n, "alt"))), dimension(n, "height", 0), true
		}
		return dimension(n, "width", 24), dimension(n, "height", 24), true
	case "iframe":
		return dimension(n, "width", 300) + 4, dimension(n, "height", 150) + 4, true
	case "frame":
		return v.Size.Width, v.Size.Height, true
	case "video", "canvas", "embed":
		return dimension(n, "width", 300), dimension(n, "height", 150), true
	case "object":
		if v.scene.Pictures.Embedded(n) {
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
		label, ok := dom.Lookup(n, "value")
		if !ok {
			label = map[string]string{"submit": "Submit", "reset": "Reset"}[t]
		}
		return textWidth(label) + 16, 22
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
		switch {
		case dom.IsElement(k.Node, "option"):
			k.Rect, k.Rendered = driver.Rect{X: x + 2, Y: row, Width: w - 4, Height: lineHeight}, true
			for m := c + 1; m < k.end; m++ {
				if t := &l.Boxes[m]; t.Kind == driver.TextNode && !t.Skipped && dom.Collapse(t.Node.Data) != "" {
					t.Rect, t.Rendered = k.Rect, true
				}
			}
			row += lineHeight
		case dom.IsElement(k.Node, "optgroup"):
			k.Rect, k.Rendered = driver.Rect{X: x + 2, Y: row, Width: w - 4, Height: lineHeight}, true
			row += lineHeight
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

// A layouter computes boxes for one view.
type layouter struct {
	*View
	late     []placement
	measured map[int32]float64
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
	if b.Style.BorderBox || b.Kind != driver.ElementNode {
		return true
	}
	_, _, replaced := replacedSize(l.View, b.Node)
	return replaced || dom.IsElement(b.Node, "button", "table")
}

// intrinsic reports that a block is as wide as its content asks.
func (l *layouter) intrinsic(b *Box) bool {
	if b.Kind != driver.ElementNode {
		return false
	}
	_, _, replaced := replacedSize(l.View, b.Node)
	return replaced || dom.IsElement(b.Node, "button", "select", "textarea")
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
