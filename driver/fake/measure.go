package fake

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// measure is the width of the border box that content asks for.
func (l *layouter) measure(i int32) float64 {
	if w, ok := l.measured[i]; ok {
		return w
	}
	b := &l.boxes[i]
	s := b.style
	w := 0.0
	if rw, _, ok := replacedSize(l.view, b.node); ok && b.kind == driver.ElementNode {
		w = rw
	} else if ew, ok := l.width(b, l.size.Width); ok && s.width.unit == 'p' {
		w = ew
	} else {
		w = l.contentWidth(i) + 2*s.border + s.padding.left + s.padding.right
		if isElement(b.node, "button") && b.kind == driver.ElementNode {
			w += 16
		}
	}
	l.measured[i] = w
	return w
}

// contentWidth is the widest line of the content, where nothing breaks.
func (l *layouter) contentWidth(i int32) float64 {
	b := &l.boxes[i]
	if b.kind == driver.PseudoNode {
		return textWidth(b.text)
	}
	row := b.style.Display == "table-row" || strings.HasSuffix(b.style.Display, "flex") && b.style.direction[0] == 'r'
	widest, line := 0.0, 0.0
	for c := i + 1; c < b.end; c = l.boxes[c].end {
		k := &l.boxes[c]
		if k.style == nil || k.skipped || k.apart() {
			continue
		}
		switch {
		case k.kind == driver.TextNode:
			if strings.TrimSpace(k.node.Data) != "" || line > 0 {
				line += float64(collapsedLength(k.node.Data)) * charWidth
			}
		case isElement(k.node, "br") && k.kind == driver.ElementNode:
			widest, line = max(widest, line), 0
		case row || strings.HasPrefix(k.style.Display, "inline") || k.style.Display == "contents":
			if k.style.Display == "inline" || k.style.Display == "contents" {
				if _, _, ok := replacedSize(l.view, k.node); !ok || k.kind != driver.ElementNode {
					line += l.contentWidth(c) + k.style.padding.left + k.style.padding.right
					break
				}
			}
			line += l.measure(c) + k.style.margin.left + k.style.margin.right
		case k.pseudo == "::marker":
		default:
			widest = max(widest, line, l.measure(c)+k.style.margin.left+k.style.margin.right)
			line = 0
		}
	}
	return max(widest, line)
}

// replacedSize is the size of an element whose content is not laid out here:
// controls, pictures, frames.
func replacedSize(v *view, n *html.Node) (w, h float64, ok bool) {
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
		if v.scene.pictures.Broken(n) {
			alt, has := lookup(n, "alt")
			if has {
				return dimension(n, "width", textWidth(alt)), dimension(n, "height", map[bool]float64{true: lineHeight}[alt != ""]), true
			}
			return dimension(n, "width", 16), dimension(n, "height", 16), true
		}
		if !has(n, "src") && !has(n, "srcset") {
			return dimension(n, "width", textWidth(attr(n, "alt"))), dimension(n, "height", 0), true
		}
		return dimension(n, "width", 24), dimension(n, "height", 24), true
	case "iframe":
		return dimension(n, "width", 300) + 4, dimension(n, "height", 150) + 4, true
	case "frame":
		return v.size.Width, v.size.Height, true
	case "video", "canvas", "embed":
		return dimension(n, "width", 300), dimension(n, "height", 150), true
	case "object":
		if has(n, "data") {
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
	v := strings.TrimSuffix(trim(attr(n, name)), "px")
	if f, err := strconv.ParseFloat(v, 64); err == nil && f >= 0 && f < 1e6 {
		return f
	}
	return otherwise
}

func inputSize(n *html.Node) (w, h float64) {
	switch t := inputType(n); t {
	case "checkbox", "radio":
		return 13, 13
	case "submit", "reset", "button":
		label, ok := lookup(n, "value")
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
	for _, o := range options(n) {
		widest = max(widest, textWidth(optionLabel(o)))
		rows++
	}
	if listbox(n) {
		size := 4.0
		if s, ok := number(attr(n, "size")); ok && s > 0 {
			size = s
		}
		return widest + 24, size*lineHeight + 4
	}
	return widest + 24, 20
}

// replacedContent lays out what stands within a replaced element: the options of a
// list box, the shapes of a picture.
func (l *layouter) replacedContent(i int32, x, y, w, h float64) {
	b := &l.boxes[i]
	if b.node.Namespace == "svg" {
		l.shapes(i, driver.Rect{X: x, Y: y, Width: w, Height: h})
		return
	}
	if !isElement(b.node, "select") || !listbox(b.node) {
		return
	}
	row := y + 2
	for c := i + 1; c < b.end; c++ {
		k := &l.boxes[c]
		if k.kind != driver.ElementNode || k.style == nil || k.skipped {
			continue
		}
		switch {
		case isElement(k.node, "option"):
			k.rect, k.rendered = driver.Rect{X: x + 2, Y: row, Width: w - 4, Height: lineHeight}, true
			for m := c + 1; m < k.end; m++ {
				if t := &l.boxes[m]; t.kind == driver.TextNode && !t.skipped && collapse(t.node.Data) != "" {
					t.rect, t.rendered = k.rect, true
				}
			}
			row += lineHeight
		case isElement(k.node, "optgroup"):
			k.rect, k.rendered = driver.Rect{X: x + 2, Y: row, Width: w - 4, Height: lineHeight}, true
			row += lineHeight
		}
	}
	b.area = driver.Size{Width: w, Height: row - y}
}

// shapes gives the content of an SVG picture boxes, by their attributes where
// they have some that say it.
func (l *layouter) shapes(i int32, in driver.Rect) {
	aside := int32(0) // end of what is laid out where it is used
	for c := i + 1; c < l.boxes[i].end; c++ {
		k := &l.boxes[c]
		if k.style == nil || k.skipped || k.kind == driver.TextNode && strings.TrimSpace(k.node.Data) == "" {
			continue
		}
		if k.kind == driver.ElementNode {
			switch k.node.Data {
			case "title", "desc", "metadata":
				for m := c; m < k.end; m++ {
					l.boxes[m].skipped = true
				}
				continue
			case "defs", "symbol", "clipPath", "mask", "marker", "pattern", "linearGradient", "radialGradient", "filter":
				aside = max(aside, k.end)
			}
		}
		if c < aside {
			continue
		}
		k.rendered, k.rect = true, in
		if k.kind == driver.TextNode {
			k.rect = driver.Rect{X: in.X, Y: in.Y, Width: textWidth(k.node.Data), Height: lineHeight}
			continue
		}
		switch k.node.Data {
		case "rect", "image", "foreignObject", "use":
			k.rect = driver.Rect{X: in.X + dimension(k.node, "x", 0), Y: in.Y + dimension(k.node, "y", 0),
				Width: dimension(k.node, "width", 0), Height: dimension(k.node, "height", 0)}
		case "circle":
			r := dimension(k.node, "r", 0)
			k.rect = driver.Rect{X: in.X + dimension(k.node, "cx", 0) - r, Y: in.Y + dimension(k.node, "cy", 0) - r, Width: 2 * r, Height: 2 * r}
		}
	}
}
