package fake

import (
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A style holds the computed values that layout, hit-tests and captures depend
// on. Equal styles are one value: compare pointers.
type style struct {
	driver.Style
	overflowX, overflowY     string // "visible", "hidden", "auto", "scroll", "clip"
	top, right, bottom, left length
	width, height            length
	minWidth, maxWidth       length
	minHeight, maxHeight     length
	margin, padding          edges
	borderBox                bool
	border                   float64 // all four sides
	zIndex                   int
	hasZ                     bool
	transform                string // text-transform
	whiteSpace               string
	direction                string // flex-direction
	listStyle                string // list-style-type
	listDepth                int    // lists around, two at most
	listInside, float        bool
	animation, transition    string
	opacity, paint           string // what no rule here needs, and transitions notice
	shiftX, shiftY           float64
	clip                     string
}

// clippedAway tells the old way to hide what screen readers are to read.
func (s *style) clippedAway() bool {
	return s.clip == "rect(0,0,0,0)" && (s.Position == "absolute" || s.Position == "fixed")
}

// edges are the widths of the four sides.
type edges struct{ top, right, bottom, left float64 }

// A length is a CSS length or percentage; auto if unit is 0.
type length struct {
	n    float64
	unit byte // 0 auto, 'p' pixels, '%' percent, 'w' and 'h' hundredths of the viewport
}

// of resolves the length. total is what percentages are of.
func (l length) of(total float64, view driver.Size) (float64, bool) {
	switch l.unit {
	case 'p':
		return l.n, true
	case '%':
		return l.n * total / 100, true
	case 'w':
		return l.n * view.Width / 100, true
	case 'h':
		return l.n * view.Height / 100, true
	}
	return 0, false
}

// characterWidth is the width of every character, in pixels.
const characterWidth = 8

var units = []struct {
	name string
	to   float64
	unit byte
}{
	{"px", 1, 'p'}, {"rem", 16, 'p'}, {"em", 16, 'p'}, {"%", 1, '%'}, {"svw", 1, 'w'}, {"dvw", 1, 'w'}, {"vw", 1, 'w'},
	{"svh", 1, 'h'}, {"dvh", 1, 'h'}, {"vh", 1, 'h'}, {"pt", 4.0 / 3, 'p'}, {"ch", characterWidth, 'p'}, {"ex", 8, 'p'},
	{"in", 96, 'p'}, {"cm", 96 / 2.54, 'p'}, {"mm", 9.6 / 2.54, 'p'},
}

// parseLength reads a length; ok is false for what is none. "auto" is one.
func parseLength(s string) (l length, ok bool) {
	switch s {
	case "auto", "none", "fit-content", "max-content", "min-content", "normal":
		return length{}, true
	case "0":
		return length{0, 'p'}, true
	}
	for _, u := range units {
		if num, found := strings.CutSuffix(s, u.name); found {
			n, err := strconv.ParseFloat(num, 64)
			if err != nil {
				return length{}, false
			}
			return length{n * u.to, u.unit}, true
		}
	}
	return length{}, false
}

// pixels reads a length that has no percentage.
func pixels(s string) (float64, bool) {
	l, ok := parseLength(s)
	if !ok || l.unit != 'p' {
		return 0, ok && l.unit == 0
	}
	return l.n, true
}

// set assigns one declaration. What is not known is ignored, as CSS has it.
func (s *style) set(property, value string) {
	switch property {
	case "display":
		if displays[value] {
			s.Display = value
		}
	case "visibility":
		oneOf(&s.Visibility, value, "visible", "hidden", "collapse")
	case "position":
		oneOf(&s.Position, value, "static", "relative", "absolute", "fixed", "sticky")
	case "pointer-events":
		oneOf(&s.PointerEvents, value, "auto", "none", "all", "visiblePainted", "painted", "fill", "stroke", "visible")
	case "clip":
		s.clip = strings.NewReplacer("0px", "0", ", ", ",", " ", ",").Replace(value)
	case "cursor":
		if i := strings.LastIndex(value, ","); i >= 0 {
			value = strings.TrimSpace(value[i+1:])
		}
		s.Cursor = value
	case "content":
		s.Content = value
	case "content-visibility":
		oneOf(&s.ContentVisibility, value, "visible", "hidden", "auto")
	case "overflow":
		x, y, two := strings.Cut(value, " ")
		if !two {
			y = x
		}
		s.setOverflow(&s.overflowX, x)
		s.setOverflow(&s.overflowY, y)
	case "overflow-x":
		s.setOverflow(&s.overflowX, value)
	case "overflow-y":
		s.setOverflow(&s.overflowY, value)
	case "z-index":
		if n, err := strconv.Atoi(value); err == nil {
			s.zIndex, s.hasZ = n, true
		} else if value == "auto" {
			s.zIndex, s.hasZ = 0, false
		}
	case "text-transform":
		oneOf(&s.transform, value, "none", "uppercase", "lowercase", "capitalize")
	case "white-space":
		oneOf(&s.whiteSpace, value, "normal", "nowrap", "pre", "pre-wrap", "pre-line", "break-spaces")
	case "flex-direction":
		oneOf(&s.direction, value, "row", "column", "row-reverse", "column-reverse")
	case "box-sizing":
		s.borderBox = value == "border-box"
	case "list-style", "list-style-type":
		s.setList(value)
	case "list-style-position":
		s.listInside = value == "inside"
	case "float":
		s.float = value != "none"
	case "animation":
		s.animation = value
	case "animation-name", "animation-duration", "animation-iteration-count":
		s.animation += " " + value
	case "transition":
		s.transition = value
	case "transition-duration":
		s.transition += " " + value
	case "opacity":
		s.opacity = value
	case "color", "background", "background-color":
		s.paint = value
	case "transform", "translate":
		s.setShift(value)
	default:
		s.setLength(property, value)
	}
}

func oneOf(to *string, value string, allowed ...string) {
	for _, a := range allowed {
		if strings.EqualFold(a, value) {
			*to = a
			return
		}
	}
}

func (s *style) setOverflow(to *string, value string) {
	if value == "overlay" {
		value = "auto"
	}
	oneOf(to, value, "visible", "hidden", "auto", "scroll", "clip")
}

func (s *style) setShift(value string) {
	s.shiftX, s.shiftY = 0, 0
	for _, f := range []struct {
		name string
		x, y *float64
	}{{"translate(", &s.shiftX, &s.shiftY}, {"translateX(", &s.shiftX, nil}, {"translateY(", nil, &s.shiftY}} {
		i := strings.Index(value, f.name)
		if i < 0 {
			continue
		}
		args, _, _ := strings.Cut(value[i+len(f.name):], ")")
		first, second, _ := strings.Cut(args, ",")
		if f.x != nil {
			*f.x, _ = pixels(strings.TrimSpace(first))
		} else {
			second = first
		}
		if f.y != nil {
			*f.y, _ = pixels(strings.TrimSpace(second))
		}
	}
}

func (s *style) setLength(property, value string) {
	var to *length
	switch property {
	case "top":
		to = &s.top
	case "right":
		to = &s.right
	case "bottom":
		to = &s.bottom
	case "left":
		to = &s.left
	case "width", "inline-size":
		to = &s.width
	case "height", "block-size":
		to = &s.height
	case "min-width":
		to = &s.minWidth
	case "max-width":
		to = &s.maxWidth
	case "min-height":
		to = &s.minHeight
	case "max-height":
		to = &s.maxHeight
	case "inset":
		if e, ok := fourLengths(value); ok {
			s.top, s.right, s.bottom, s.left = e[0], e[1], e[2], e[3]
		}
		return
	default:
		s.setEdges(property, value)
		return
	}
	if l, ok := parseLength(value); ok {
		*to = l
	}
}

func (s *style) setEdges(property, value string) {
	name, side, _ := strings.Cut(property, "-")
	var to *edges
	switch name {
	case "margin":
		to = &s.margin
	case "padding":
		to = &s.padding
	case "border":
		if side == "" || side == "width" {
			s.border = 0
			for _, word := range strings.Fields(value) {
				if n, ok := pixels(word); ok && n > 0 {
					s.border = n
				}
			}
		}
		return
	default:
		return
	}
	if side == "" {
		if e, ok := fourLengths(value); ok {
			*to = edges{e[0].px(), e[1].px(), e[2].px(), e[3].px()}
		}
		return
	}
	n, ok := pixels(value)
	if !ok {
		return
	}
	switch side {
	case "top":
		to.top = n
	case "right":
		to.right = n
	case "bottom":
		to.bottom = n
	case "left":
		to.left = n
	}
}

func (l length) px() float64 {
	if l.unit == 'p' {
		return l.n
	}
	return 0
}

// fourLengths reads the shorthand of one to four lengths: top, right, bottom, left.
func fourLengths(value string) (e [4]length, ok bool) {
	words := strings.Fields(value)
	if len(words) == 0 || len(words) > 4 {
		return e, false
	}
	for i, w := range words {
		if e[i], ok = parseLength(w); !ok {
			return e, false
		}
	}
	switch len(words) {
	case 1:
		e[1], e[2], e[3] = e[0], e[0], e[0]
	case 2:
		e[2], e[3] = e[0], e[1]
	case 3:
		e[3] = e[1]
	}
	return e, true
}

// setList reads the list-style shorthand, or one of its parts.
func (s *style) setList(value string) {
	if value[0] == '"' || value[0] == '\'' {
		s.listStyle = value[:quoted(value, 0)]
		return
	}
	for _, word := range strings.Fields(value) {
		switch {
		case word == "inside" || word == "outside":
			s.listInside = word == "inside"
		case !strings.Contains(word, "("):
			s.listStyle = word
		}
	}
}
