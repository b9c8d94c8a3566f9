package css

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Style holds the computed values that layout, hit-tests and captures depend
// on. Equal styles are one value: compare pointers.
type Style struct {
	driver.Style
	OverflowX, OverflowY     string // "visible", "hidden", "auto", "scroll", "clip"
	Top, Right, Bottom, Left length
	Width, Height            length
	MinWidth, MaxWidth       length
	MinHeight, MaxHeight     length
	Margin, Padding          edges
	BorderBox                bool
	Border                   float64 // all four sides
	ZIndex                   int
	HasZ                     bool
	Transform                string // text-transform
	WhiteSpace               string
	Direction                string // flex-direction
	ListStyle                string // list-style-type
	listDepth                int    // lists around, two at most
	ListInside, Float        bool
	Animation, Transition    string
	opacity, paint           string // what no rule here needs, and transitions notice
	ShiftX, ShiftY           float64
	clip                     string
	vars                     *variables
	Rare                     *Rare // nil where there is nothing rare
}

// Rare are values that few elements have. It is never changed.
type Rare struct {
	CounterReset, CounterSet, CounterIncrement string
	Container                                  string // container-type
	ContainerName                              string
	Security                                   string // -webkit-text-security
	Vanished                                   bool   // it, or what is around it, is scaled to nothing
	Tiny                                       bool   // its letters are of two pixels at most
	ClipMargin                                 float64
}

// rarely changes a rare value.
func (s *Style) rarely(change func(*Rare)) {
	var r Rare
	if s.Rare != nil {
		r = *s.Rare
	}
	change(&r)
	s.Rare = &r
}

// Same reports that two styles, of one view or of two, look the same.
func (s *Style) Same(other *Style) bool {
	a, b := *s, *other
	if a.Rare != nil && b.Rare != nil && *a.Rare == *b.Rare {
		a.Rare, b.Rare = nil, nil
	}
	a.vars, b.vars = nil, nil
	return a == b
}

// ClippedAway reports the old way to hide text that is for screen readers alone.
func (s *Style) ClippedAway() bool {
	return s.clip == "rect(0,0,0,0)" && (s.Position == "absolute" || s.Position == "fixed")
}

// Transparent reports an opacity of 0.
func (s *Style) Transparent() bool {
	n, err := strconv.ParseFloat(strings.TrimSuffix(s.opacity, "%"), 64)
	return err == nil && n <= 0
}

// edges are the widths of the four sides.
type edges struct{ Top, Right, Bottom, Left float64 }

// A length is a CSS length or percentage; auto if unit is 0.
type length struct {
	N    float64
	Unit byte // 0 auto, 'p' pixels, '%' percent, 'w' and 'h' hundredths of the viewport
}

// Of resolves the length. total is what percentages are of.
func (l length) Of(total float64, view driver.Size) (float64, bool) {
	switch l.Unit {
	case 'p':
		return l.N, true
	case '%':
		return l.N * total / 100, true
	case 'w':
		return l.N * view.Width / 100, true
	case 'h':
		return l.N * view.Height / 100, true
	}
	return 0, false
}

// CharacterWidth is the width of every character, in pixels.
const CharacterWidth = 8

var units = []struct {
	name string
	to   float64
	unit byte
}{
	{"px", 1, 'p'}, {"rem", 16, 'p'}, {"em", 16, 'p'}, {"%", 1, '%'}, {"svw", 1, 'w'}, {"dvw", 1, 'w'}, {"vw", 1, 'w'},
	{"svh", 1, 'h'}, {"dvh", 1, 'h'}, {"vh", 1, 'h'}, {"pt", 4.0 / 3, 'p'}, {"ch", CharacterWidth, 'p'}, {"ex", 8, 'p'},
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
	if !ok || l.Unit != 'p' {
		return 0, ok && l.Unit == 0
	}
	return l.N, true
}

// set assigns one declaration. What is not known is ignored, as CSS has it.
func (s *Style) set(property, value string) {
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
		s.setOverflow(&s.OverflowX, x)
		s.setOverflow(&s.OverflowY, y)
	case "overflow-x":
		s.setOverflow(&s.OverflowX, value)
	case "overflow-y":
		s.setOverflow(&s.OverflowY, value)
	case "z-index":
		if n, err := strconv.Atoi(value); err == nil {
			s.ZIndex, s.HasZ = n, true
		} else if value == "auto" {
			s.ZIndex, s.HasZ = 0, false
		}
	case "text-transform":
		oneOf(&s.Transform, value, "none", "uppercase", "lowercase", "capitalize")
	case "white-space":
		oneOf(&s.WhiteSpace, value, "normal", "nowrap", "pre", "pre-wrap", "pre-line", "break-spaces")
	case "flex-direction":
		oneOf(&s.Direction, value, "row", "column", "row-reverse", "column-reverse")
	case "box-sizing":
		s.BorderBox = value == "border-box"
	case "list-style", "list-style-type":
		s.setList(value)
	case "list-style-position":
		s.ListInside = value == "inside"
	case "float":
		s.Float = value != "none"
	case "animation":
		s.Animation = value
	case "animation-name", "animation-duration", "animation-iteration-count":
		s.Animation += " " + value
	case "transition":
		s.Transition = value
	case "transition-duration":
		s.Transition += " " + value
	case "opacity":
		s.opacity = value
	case "color", "background", "background-color":
		s.paint = value
	case "transform", "translate":
		s.setShift(value)
		if property == "transform" {
			s.vanish(zeroScale.MatchString(value))
		}
	case "scale":
		s.vanish(strings.HasPrefix(value+" ", "0 ") || strings.HasSuffix(value, " 0"))
	case "font-size":
		size, ok := pixels(value)
		if tiny := ok && size < 3; tiny || s.Rare != nil && s.Rare.Tiny {
			s.rarely(func(r *Rare) { r.Tiny = tiny })
		}
	case "counter-reset":
		s.rarely(func(r *Rare) { r.CounterReset = value })
	case "counter-set":
		s.rarely(func(r *Rare) { r.CounterSet = value })
	case "counter-increment":
		s.rarely(func(r *Rare) { r.CounterIncrement = value })
	case "interactivity":
		oneOf(&s.Interactivity, value, "auto", "inert")
	case "overflow-clip-margin":
		if margin, ok := pixels(value); ok {
			s.rarely(func(r *Rare) { r.ClipMargin = margin })
		}
	case "container-type":
		s.rarely(func(r *Rare) { r.Container = value })
	case "container-name":
		s.rarely(func(r *Rare) { r.ContainerName = value })
	case "container":
		name, kind, _ := strings.Cut(value, "/")
		s.rarely(func(r *Rare) { r.ContainerName, r.Container = strings.TrimSpace(name), strings.TrimSpace(kind) })
	case "-webkit-text-security":
		s.rarely(func(r *Rare) { r.Security = value })
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

func (s *Style) setOverflow(to *string, value string) {
	if value == "overlay" {
		value = "auto"
	}
	oneOf(to, value, "visible", "hidden", "auto", "scroll", "clip")
}

func (s *Style) setShift(value string) {
	s.ShiftX, s.ShiftY = 0, 0
	for _, f := range []struct {
		name string
		x, y *float64
	}{{"translate(", &s.ShiftX, &s.ShiftY}, {"translateX(", &s.ShiftX, nil}, {"translateY(", nil, &s.ShiftY}} {
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

// zeroScale finds the transforms that leave nothing of an element.
var zeroScale = regexp.MustCompile(`scale(X|Y|3d)?\(\s*0(\.0*)?\s*[,)]|scale\([^,)]*,\s*0(\.0*)?\s*\)`)

// vanish notes that an element is scaled to nothing.
func (s *Style) vanish(yes bool) {
	if yes {
		s.rarely(func(r *Rare) { r.Vanished = true })
	}
}

func (s *Style) setLength(property, value string) {
	var to *length
	switch property {
	case "top":
		to = &s.Top
	case "right":
		to = &s.Right
	case "bottom":
		to = &s.Bottom
	case "left":
		to = &s.Left
	case "width", "inline-size":
		to = &s.Width
	case "height", "block-size":
		to = &s.Height
	case "min-width":
		to = &s.MinWidth
	case "max-width":
		to = &s.MaxWidth
	case "min-height":
		to = &s.MinHeight
	case "max-height":
		to = &s.MaxHeight
	case "inset":
		if e, ok := fourLengths(value); ok {
			s.Top, s.Right, s.Bottom, s.Left = e[0], e[1], e[2], e[3]
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

func (s *Style) setEdges(property, value string) {
	name, side, _ := strings.Cut(property, "-")
	var to *edges
	switch name {
	case "margin":
		to = &s.Margin
	case "padding":
		to = &s.Padding
	case "border":
		if side == "" || side == "width" {
			s.Border = 0
			for _, word := range strings.Fields(value) {
				if n, ok := pixels(word); ok && n > 0 {
					s.Border = n
				}
			}
		}
		return
	default:
		return
	}
	if side == "" {
		if e, ok := fourLengths(value); ok {
			*to = edges{e[0].Px(), e[1].Px(), e[2].Px(), e[3].Px()}
		}
		return
	}
	n, ok := pixels(value)
	if !ok {
		return
	}
	switch side {
	case "top":
		to.Top = n
	case "right":
		to.Right = n
	case "bottom":
		to.Bottom = n
	case "left":
		to.Left = n
	}
}

func (l length) Px() float64 {
	if l.Unit == 'p' {
		return l.N
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
func (s *Style) setList(value string) {
	if value[0] == '"' || value[0] == '\'' {
		s.ListStyle = value[:quoted(value, 0)]
		return
	}
	for _, word := range strings.Fields(value) {
		switch {
		case word == "inside" || word == "outside":
			s.ListInside = word == "inside"
		case !strings.Contains(word, "("):
			s.ListStyle = word
		}
	}
}

// cascade applies the declarations of rules, weakest first, and of the element
// itself: custom properties before those that may refer to them.
func (s *Style) cascade(rules []*rule, own []declaration, parent *Style, browser Style) {
	s.define(rules, own, parent)
	if len(rules)+len(own) == 0 {
		return
	}
	c := cascade{Style: s, parent: parent, browser: browser, below: *s}
	for _, important := range []bool{false, true} {
		if important {
			rules = strictest(rules)
		}
		for i, r := range rules {
			if i > 0 && r.layer != rules[i-1].layer {
				c.below = *s
			}
			c.apply(r.decls, important)
		}
		c.below = *s
		c.apply(own, important)
	}
}

// take copies a property from another style.
func (s *Style) take(property string, from *Style) {
	switch property {
	case "display":
		s.Display = from.Display
	case "visibility":
		s.Visibility = from.Visibility
	case "position":
		s.Position = from.Position
	case "pointer-events":
		s.PointerEvents = from.PointerEvents
	case "cursor":
		s.Cursor = from.Cursor
	case "content":
		s.Content = from.Content
	case "content-visibility":
		s.ContentVisibility = from.ContentVisibility
	case "overflow":
		s.OverflowX, s.OverflowY = from.OverflowX, from.OverflowY
	case "overflow-x":
		s.OverflowX = from.OverflowX
	case "overflow-y":
		s.OverflowY = from.OverflowY
	case "z-index":
		s.ZIndex, s.HasZ = from.ZIndex, from.HasZ
	case "text-transform":
		s.Transform = from.Transform
	case "white-space":
		s.WhiteSpace = from.WhiteSpace
	case "interactivity":
		s.Interactivity = from.Interactivity
	case "flex-direction":
		s.Direction = from.Direction
	case "list-style":
		s.ListStyle, s.ListInside = from.ListStyle, from.ListInside
	case "list-style-type":
		s.ListStyle = from.ListStyle
	case "list-style-position":
		s.ListInside = from.ListInside
	case "float":
		s.Float = from.Float
	}
}

// define gives the style the custom properties that its element declares.
func (s *Style) define(rules []*rule, own []declaration, parent *Style) {
	var set map[string]string
	take := func(decls []declaration, important bool) {
		for i := range decls {
			d := &decls[i]
			if d.important != important || !d.custom() {
				continue
			}
			if set == nil {
				set = make(map[string]string)
			}
			switch strings.ToLower(d.value) {
			case "initial":
				set[d.property] = invalid
			case "inherit", "unset", "revert", "revert-layer":
				delete(set, d.property)
			default:
				set[d.property] = d.value
			}
		}
	}
	for _, important := range []bool{false, true} {
		for _, r := range rules {
			if r.custom {
				take(r.decls, important)
			}
		}
		take(own, important)
	}
	if len(set) == 0 {
		return
	}
	r := resolver{from: &variables{parent: parent.vars, own: set}, known: make(map[string]string, len(set))}
	same := true
	resolved := make(map[string]string, len(set))
	for _, name := range slices.Sorted(maps.Keys(set)) {
		value, ok := r.resolve(name)
		if !ok {
			value = invalid
		}
		resolved[name] = value
		had, has := parent.vars.lookup(name)
		same = same && has == (value != invalid) && (!has || had == value)
	}
	if !same {
		s.vars = &variables{parent: parent.vars, own: resolved}
	}
}

// displays are the values of display that are known.
var displays = map[string]bool{
	"none": true, "block": true, "inline": true, "inline-block": true, "contents": true, "flex": true, "inline-flex": true,
	"grid": true, "inline-grid": true, "list-item": true, "flow-root": true, "table": true, "inline-table": true,
	"table-row": true, "table-cell": true, "table-row-group": true, "table-header-group": true, "table-footer-group": true,
	"table-caption": true, "table-column": true, "table-column-group": true, "ruby": true, "ruby-text": true, "math": true,
	"block math": true,
}
