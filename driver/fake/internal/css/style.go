package css

import (
	"maps"
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
	Top, Right, Bottom, Left Length
	Width, Height            Length
	MinWidth, MaxWidth       Length
	MinHeight, MaxHeight     Length
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

	CounterReset, CounterSet, CounterIncrement string
	Container                                  string // container-type
	ContainerName                              string
	Security                                   string // -webkit-text-security
	Vanished                                   bool   // it, or what is around it, is scaled to nothing
	Tiny                                       bool   // its letters are of two pixels at most
	ClipMargin                                 float64
}

// Same reports that two styles, of one view or of two, look the same.
func (s *Style) Same(other *Style) bool {
	a, b := *s, *other
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

// A Length is a CSS length or percentage; auto if unit is 0.
type Length struct {
	N    float64
	Unit byte // 0 auto, 'p' pixels, '%' percent, 'w' and 'h' hundredths of the viewport
}

// Of resolves the length. total is what percentages are of.
func (l Length) Of(total float64, view driver.Size) (float64, bool) {
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

var units = map[string]Length{
	"px": {1, 'p'}, "rem": {16, 'p'}, "em": {16, 'p'}, "ch": {CharacterWidth, 'p'}, "ex": {8, 'p'}, "pt": {4.0 / 3, 'p'}, "in": {96, 'p'},
	"cm": {96 / 2.54, 'p'}, "mm": {9.6 / 2.54, 'p'}, "%": {1, '%'}, "vw": {1, 'w'}, "svw": {1, 'w'}, "dvw": {1, 'w'}, "vh": {1, 'h'},
	"svh": {1, 'h'}, "dvh": {1, 'h'},
}

// parseLength reads a length; ok is false for what is none. "auto" is one.
func parseLength(s string) (l Length, ok bool) {
	switch s {
	case "auto", "none", "fit-content", "max-content", "min-content", "normal":
		return Length{}, true
	case "0":
		return Length{0, 'p'}, true
	}
	end := strings.LastIndexAny(s, "0123456789.") + 1
	unit, known := units[s[end:]]
	if n, err := strconv.ParseFloat(s[:end], 64); known && err == nil {
		return Length{n * unit.N, unit.Unit}, true
	}
	return Length{}, false
}

// pixels reads a length that has no percentage.
func pixels(s string) (float64, bool) {
	l, ok := parseLength(s)
	if !ok || l.Unit != 'p' {
		return 0, ok && l.Unit == 0
	}
	return l.N, true
}

func (l Length) Px() float64 {
	if l.Unit == 'p' {
		return l.N
	}
	return 0
}

// fourLengths reads the shorthand of one to four lengths: top, right, bottom, left.
func fourLengths(value string) (e [4]Length, ok bool) {
	words := strings.Fields(value)
	if len(words) == 0 || len(words) > 4 {
		return e, false
	}
	for side, word := range [...][4]int{{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 2, 1}, {0, 1, 2, 3}}[len(words)-1] {
		if e[side], ok = parseLength(words[word]); !ok {
			return e, false
		}
	}
	return e, true
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

func (s *Style) setShift(value string) {
	s.ShiftX, s.ShiftY = 0, 0
	for _, m := range translation.FindAllStringSubmatch(value, -1) {
		first, _ := pixels(strings.TrimSpace(m[2]))
		second, _ := pixels(strings.TrimSpace(m[3]))
		switch m[1] {
		case "x":
			s.ShiftX = first
		case "y":
			s.ShiftY = first
		default:
			s.ShiftX, s.ShiftY = first, second
		}
	}
}
