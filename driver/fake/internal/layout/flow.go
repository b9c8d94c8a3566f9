package layout

import (
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A flow stacks blocks and sets inline content in lines within one block.
type flow struct {
	l       *layouter
	in      driver.Rect
	x, y    float64 // where the next inline content goes
	line    int
	filled  bool    // the line has content
	space   bool    // the line ends with a space that swallows the next
	tall    float64 // height of the line
	gap     float64 // margin below the last block
	started bool    // something stands above
	atoms   []piece
	trail   int32 // the text that the line ends with, if it is nothing but white space
}

// A piece is a bit of inline content.
type piece struct {
	rect driver.Rect
	line int
}

func newFlow(l *layouter, in driver.Rect) *flow {
	return &flow{l: l, in: in, x: in.X, y: in.Y, tall: lineHeight}
}

// end closes the last line and returns the height of all.
func (f *flow) end() float64 {
	f.breakLine()
	return f.y + f.gap - f.in.Y
}

// trim takes away white space at the end of a line, where none is shown.
func (f *flow) trim() {
	if f.trail == 0 {
		return
	}
	b := &f.l.Boxes[f.trail]
	b.Rendered, b.Rect, b.Frags = false, driver.Rect{}, nil
	last := &f.atoms[len(f.atoms)-1].rect
	f.x -= last.Width
	last.Width = 0
	f.trail = 0
}

func (f *flow) breakLine() {
	f.trim()
	if f.filled {
		f.y += f.tall
		f.started = true
	}
	f.x, f.tall, f.filled, f.space = f.in.X, lineHeight, false, false
	f.line++
}

func (f *flow) add(c int32) {
	b := &f.l.Boxes[c]
	if b.Style == nil || b.Skipped {
		return
	}
	switch b.Kind {
	case driver.TextNode:
		f.text(c)
		return
	case driver.PseudoNode, driver.ElementNode:
	default:
		return
	}
	if f.l.outOfFlow(c, f.x, f.y) {
		return
	}
	if b.Pseudo == "::marker" { // stands outside of the flow
		b.Rect = driver.Rect{X: f.in.X - 2*charWidth, Y: f.y, Width: 2 * charWidth, Height: lineHeight}
		b.Rendered = true
		return
	}
	if b.Style.Float {
		f.inlineBlock(c) // to the side, in the line where it stands
		return
	}
	switch b.Style.Display {
	case "contents":
		for k := c + 1; k < b.end; k = f.l.Boxes[k].end {
			f.add(k)
		}
	case "inline", "ruby", "ruby-text", "math", "block math":
		if _, _, replaced := f.l.replacedSize(b); replaced {
			f.inlineBlock(c)
			return
		}
		f.inline(c)
	case "inline-block", "inline-flex", "inline-grid", "inline-table":
		f.inlineBlock(c)
	case "table-column", "table-column-group":
	default:
		f.block(c)
	}
}

func (f *flow) block(c int32) {
	f.breakLine()
	s := f.l.Boxes[c].Style
	if f.started || s.Border > 0 {
		f.y += max(f.gap, s.Margin.Top)
	} else if !dom.IsElement(f.l.Boxes[c].Node, "html") {
		f.y += s.Margin.Top
	}
	f.gap = 0
	f.l.block(c, f.in.X+s.Margin.Left, f.y, max(0, f.in.Width-s.Margin.Left-s.Margin.Right))
	r := f.l.Boxes[c].Rect
	f.atoms = append(f.atoms, piece{r, f.line})
	f.y += r.Height
	f.gap = s.Margin.Bottom
	f.started = true
	f.line++
}

// begin makes room for the first content of a line.
func (f *flow) begin() {
	if !f.filled {
		f.y += f.gap
		f.gap = 0
	}
	f.filled, f.trail = true, 0
}

// inline sets an inline element: its box is that of its content, line by line.
func (f *flow) inline(c int32) {
	b := &f.l.Boxes[c]
	if dom.IsElement(b.Node, "br") && b.Kind == driver.ElementNode {
		f.trim()
		f.begin()
		b.Rect, b.Rendered = driver.Rect{X: f.x, Y: f.y, Height: lineHeight}, true
		f.breakLine()
		return
	}
	if dom.IsElement(b.Node, "wbr") {
		b.Rendered = true
		return
	}
	from, x, y := len(f.atoms), f.x, f.y
	f.x += b.Style.Padding.Left + b.Style.Margin.Left
	if b.Kind == driver.PseudoNode {
		f.run(c, b.Text, false)
	} else {
		for k := c + 1; k < b.end; k = f.l.Boxes[k].end {
			f.add(k)
		}
	}
	f.x += b.Style.Padding.Right + b.Style.Margin.Right
	b = &f.l.Boxes[c]
	b.Rendered = true
	if b.Rect = (driver.Rect{X: x, Y: y}); len(f.atoms) > from {
		b.consist(f.atoms[from:])
	}
}

// consist gives a box the place of its content.
func (b *Box) consist(atoms []piece) {
	b.Frags = fragments(atoms)
	if b.Rect = Union(b.Frags); len(b.Frags) == 1 {
		b.Frags = nil
	}
}

// fragments joins atoms by their lines.
func fragments(atoms []piece) []driver.Rect {
	var out []driver.Rect
	line := -1
	for _, a := range atoms {
		if len(out) > 0 && a.line == line {
			out[len(out)-1] = union2(out[len(out)-1], a.rect)
			continue
		}
		out = append(out, a.rect)
		line = a.line
	}
	return out
}

func Union(rects []driver.Rect) driver.Rect {
	u := rects[0]
	for _, r := range rects[1:] {
		u = union2(u, r)
	}
	return u
}

func union2(a, b driver.Rect) driver.Rect {
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return driver.Rect{X: x, Y: y, Width: max(a.X+a.Width, b.X+b.Width) - x, Height: max(a.Y+a.Height, b.Y+b.Height) - y}
}

// inlineBlock sets a box that is a block within and a piece of text without.
func (f *flow) inlineBlock(c int32) {
	b := &f.l.Boxes[c]
	s := b.Style
	w, ok := f.l.width(b, f.in.Width)
	if !ok {
		w = min(f.l.measure(c), max(f.in.Width, 0))
	}
	w = f.l.bounded(w, s.MinWidth, s.MaxWidth, f.in.Width)
	outer := w + s.Margin.Left + s.Margin.Right
	if f.x+outer > f.in.X+f.in.Width && f.x > f.in.X {
		f.breakLine()
	}
	f.begin()
	f.l.blockOf(c, f.x+s.Margin.Left, f.y+s.Margin.Top, w)
	r := f.l.Boxes[c].Rect
	f.x += r.Width + s.Margin.Left + s.Margin.Right
	f.tall = max(f.tall, r.Height+s.Margin.Top+s.Margin.Bottom)
	f.atoms = append(f.atoms, piece{r, f.line})
	f.space = false
}

func (f *flow) text(c int32) {
	b := &f.l.Boxes[c]
	f.run(c, b.Node.Data, strings.HasPrefix(b.Style.WhiteSpace, "pre") || b.Style.WhiteSpace == "break-spaces")
}

// run sets a text. Its box counts as rendered if anything of it is there.
func (f *flow) run(c int32, text string, pre bool) {
	from := len(f.atoms)
	if pre {
		for i := 0; text != ""; i++ {
			line, rest, more := strings.Cut(text, "\n")
			if i == maxTextLines { // a wall of text: the rest is one block
				line, rest = text, ""
			}
			f.characters(utf8.RuneCountInString(line), f.l.Boxes[c].Style.WhiteSpace == "pre")
			if more {
				f.begin()
				f.breakLine()
			}
			text = rest
		}
	} else {
		n := collapsedLength(text)
		if n == 0 {
			return
		}
		if first := text[0]; isSpace(first) && (!f.filled || f.space) {
			if n--; n == 0 {
				return
			}
		}
		f.characters(n, f.l.Boxes[c].Style.WhiteSpace == "nowrap")
		f.space = isSpace(text[len(text)-1])
	}
	b := &f.l.Boxes[c]
	if atoms := f.atoms[from:]; len(atoms) > 0 {
		b.Rendered = true
		if !pre && b.Kind == driver.TextNode && len(atoms) == 1 && strings.Trim(text, " \t\r\n\f") == "" {
			f.trail = c
		}
		b.consist(atoms)
	}
}

// maxTextLines bounds the lines of one preformatted text that get boxes of their own.
const maxTextLines = 10000

// characters sets n characters: what fits on the line, a block of full lines,
// and the rest. So the longest text is three pieces.
func (f *flow) characters(n int, nowrap bool) {
	if n == 0 {
		return
	}
	if f.filled && f.x+float64(n)*charWidth > f.in.X+f.in.Width && f.in.X+f.in.Width-f.x < charWidth {
		f.breakLine()
	}
	perLine := int(f.in.Width / charWidth)
	rest := int((f.in.X + f.in.Width - f.x) / charWidth)
	if nowrap || n <= rest || perLine < 1 {
		f.begin()
		f.put(float64(n)*charWidth, lineHeight)
		return
	}
	if rest > 0 {
		f.begin()
		f.put(float64(rest)*charWidth, lineHeight)
		n -= rest
	}
	f.breakLine()
	if full := n / perLine; full > 0 {
		f.begin()
		f.put(float64(perLine)*charWidth, float64(full)*lineHeight)
		n -= full * perLine
		if n > 0 {
			f.breakLine()
		}
	}
	if n > 0 {
		f.begin()
		f.put(float64(n)*charWidth, lineHeight)
	}
}

func (f *flow) put(w, h float64) {
	f.atoms = append(f.atoms, piece{driver.Rect{X: f.x, Y: f.y, Width: w, Height: h}, f.line})
	f.x += w
	f.tall = max(f.tall, h)
}
