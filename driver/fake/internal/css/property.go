package css

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A property is what a declaration of its name does to a style. What is not in the
// table of properties changes nothing that is computed here: rules without any that is
// are dropped, as most hover styles are.
type property struct {
	set       func(s *Style, value string)
	take      func(to, from *Style) // copies it, for the keywords of all properties; nil where those do nothing
	inherited bool                  // by nature
	painted   bool                  // transitions alone notice it
	words     []string              // the values, where there are no others
}

var properties = map[string]property{
	"display": word(func(s *Style) *string { return &s.Display },
		"none", "block", "inline", "inline-block", "contents", "flex", "inline-flex", "grid", "inline-grid", "list-item", "flow-root", "table",
		"inline-table", "table-row", "table-cell", "table-row-group", "table-header-group", "table-footer-group", "table-caption",
		"table-column", "table-column-group", "ruby", "ruby-text", "math", "block math"),
	"visibility":         word(func(s *Style) *string { return &s.Visibility }, "visible", "hidden", "collapse").inherits(),
	"position":           word(func(s *Style) *string { return &s.Position }, "static", "relative", "absolute", "fixed", "sticky"),
	"pointer-events":     word(func(s *Style) *string { return &s.PointerEvents }, "auto", "none", "all", "visiblePainted", "painted", "fill", "stroke", "visible").inherits(),
	"content-visibility": word(func(s *Style) *string { return &s.ContentVisibility }, "visible", "hidden", "auto"),
	"interactivity":      word(func(s *Style) *string { return &s.Interactivity }, "auto", "inert").inherits(),
	"text-transform":     word(func(s *Style) *string { return &s.Transform }, "none", "uppercase", "lowercase", "capitalize").inherits(),
	"white-space":        word(func(s *Style) *string { return &s.WhiteSpace }, "normal", "nowrap", "pre", "pre-wrap", "pre-line", "break-spaces").inherits(),
	"flex-direction":     word(func(s *Style) *string { return &s.Direction }, "row", "column", "row-reverse", "column-reverse"),
	"overflow-x":         overflow(func(s *Style) *string { return &s.OverflowX }),
	"overflow-y":         overflow(func(s *Style) *string { return &s.OverflowY }),
	"overflow": {
		set: func(s *Style, value string) {
			x, y, two := strings.Cut(value, " ")
			if !two {
				y = x
			}
			setOverflow(&s.OverflowX, x)
			setOverflow(&s.OverflowY, y)
		},
		take: func(to, from *Style) { to.OverflowX, to.OverflowY = from.OverflowX, from.OverflowY },
	},
	"cursor": {
		set:  func(s *Style, value string) { s.Cursor = strings.TrimSpace(value[strings.LastIndex(value, ",")+1:]) },
		take: func(to, from *Style) { to.Cursor = from.Cursor }, inherited: true,
	},
	"content": {set: func(s *Style, value string) { s.Content = value }, take: func(to, from *Style) { to.Content = from.Content }},
	"z-index": {
		set: func(s *Style, value string) {
			if n, err := strconv.Atoi(value); err == nil {
				s.ZIndex, s.HasZ = n, true
			} else if value == "auto" {
				s.ZIndex, s.HasZ = 0, false
			}
		},
		take: func(to, from *Style) { to.ZIndex, to.HasZ = from.ZIndex, from.HasZ },
	},
	"list-style": {
		set:  (*Style).setList,
		take: func(to, from *Style) { to.ListStyle, to.ListInside = from.ListStyle, from.ListInside }, inherited: true,
	},
	"list-style-type": {set: (*Style).setList, take: func(to, from *Style) { to.ListStyle = from.ListStyle }, inherited: true},
	"list-style-position": {
		set:  func(s *Style, value string) { s.ListInside = value == "inside" },
		take: func(to, from *Style) { to.ListInside = from.ListInside }, inherited: true,
	},
	"float":      {set: func(s *Style, value string) { s.Float = value != "none" }, take: func(to, from *Style) { to.Float = from.Float }},
	"box-sizing": {set: func(s *Style, value string) { s.BorderBox = value == "border-box" }},
	"clip": {set: func(s *Style, value string) {
		s.clip = strings.NewReplacer("0px", "0", ", ", ",", " ", ",").Replace(value)
	}},

	"opacity":                   text(func(s *Style) *string { return &s.opacity }),
	"color":                     {set: setPaint, painted: true},
	"background":                {set: setPaint, painted: true},
	"background-color":          {set: setPaint, painted: true},
	"animation":                 text(func(s *Style) *string { return &s.Animation }),
	"animation-name":            {set: addAnimation},
	"animation-duration":        {set: addAnimation},
	"animation-iteration-count": {set: addAnimation},
	"transition":                text(func(s *Style) *string { return &s.Transition }),
	"transition-duration":       {set: func(s *Style, value string) { s.Transition += " " + value }},
	"translate":                 {set: (*Style).setShift},
	"transform": {set: func(s *Style, value string) {
		s.setShift(value)
		s.Vanished = s.Vanished || zeroScale.MatchString(value)
	}},
	"scale": {set: func(s *Style, value string) {
		s.Vanished = s.Vanished || strings.HasPrefix(value+" ", "0 ") || strings.HasSuffix(value, " 0")
	}},
	"font-size": {set: func(s *Style, value string) {
		size, ok := pixels(value)
		s.Tiny = ok && size < 3
	}},

	"counter-reset":         text(func(s *Style) *string { return &s.CounterReset }),
	"counter-set":           text(func(s *Style) *string { return &s.CounterSet }),
	"counter-increment":     text(func(s *Style) *string { return &s.CounterIncrement }),
	"container-type":        text(func(s *Style) *string { return &s.Container }),
	"container-name":        text(func(s *Style) *string { return &s.ContainerName }),
	"-webkit-text-security": text(func(s *Style) *string { return &s.Security }),
	"container": {set: func(s *Style, value string) {
		name, kind, _ := strings.Cut(value, "/")
		s.ContainerName, s.Container = strings.TrimSpace(name), strings.TrimSpace(kind)
	}},
	"overflow-clip-margin": {set: func(s *Style, value string) {
		if margin, ok := pixels(value); ok {
			s.ClipMargin = margin
		}
	}},

	"top":         measure(func(s *Style) *Length { return &s.Top }),
	"right":       measure(func(s *Style) *Length { return &s.Right }),
	"bottom":      measure(func(s *Style) *Length { return &s.Bottom }),
	"left":        measure(func(s *Style) *Length { return &s.Left }),
	"width":       measure(func(s *Style) *Length { return &s.Width }),
	"inline-size": measure(func(s *Style) *Length { return &s.Width }),
	"height":      measure(func(s *Style) *Length { return &s.Height }),
	"block-size":  measure(func(s *Style) *Length { return &s.Height }),
	"min-width":   measure(func(s *Style) *Length { return &s.MinWidth }),
	"max-width":   measure(func(s *Style) *Length { return &s.MaxWidth }),
	"min-height":  measure(func(s *Style) *Length { return &s.MinHeight }),
	"max-height":  measure(func(s *Style) *Length { return &s.MaxHeight }),
	"inset": {set: func(s *Style, value string) {
		if e, ok := fourLengths(value); ok {
			s.Top, s.Right, s.Bottom, s.Left = e[0], e[1], e[2], e[3]
		}
	}},
	"margin":         sides(func(s *Style) *edges { return &s.Margin }),
	"margin-top":     side(func(s *Style) *float64 { return &s.Margin.Top }),
	"margin-right":   side(func(s *Style) *float64 { return &s.Margin.Right }),
	"margin-bottom":  side(func(s *Style) *float64 { return &s.Margin.Bottom }),
	"margin-left":    side(func(s *Style) *float64 { return &s.Margin.Left }),
	"padding":        sides(func(s *Style) *edges { return &s.Padding }),
	"padding-top":    side(func(s *Style) *float64 { return &s.Padding.Top }),
	"padding-right":  side(func(s *Style) *float64 { return &s.Padding.Right }),
	"padding-bottom": side(func(s *Style) *float64 { return &s.Padding.Bottom }),
	"padding-left":   side(func(s *Style) *float64 { return &s.Padding.Left }),
	"border":         {set: setBorder},
	"border-width":   {set: setBorder},
}

// word is a property that is one of some words.
func word(at func(*Style) *string, words ...string) property {
	return property{
		set:   func(s *Style, value string) { oneOf(at(s), value, words...) },
		take:  func(to, from *Style) { *at(to) = *at(from) },
		words: words,
	}
}

func (p property) inherits() property {
	p.inherited = true
	return p
}

func oneOf(to *string, value string, words ...string) {
	if i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, value) }); i >= 0 {
		*to = words[i]
	}
}

func overflow(at func(*Style) *string) property {
	p := word(at)
	p.set, p.words = func(s *Style, value string) { setOverflow(at(s), value) }, nil
	return p
}

func setOverflow(to *string, value string) {
	if value == "overlay" {
		value = "auto"
	}
	oneOf(to, value, "visible", "hidden", "auto", "scroll", "clip")
}

func setPaint(s *Style, value string) { s.paint = value }

func addAnimation(s *Style, value string) { s.Animation += " " + value }

func text(at func(*Style) *string) property {
	return property{set: func(s *Style, value string) { *at(s) = value }}
}

func measure(at func(*Style) *Length) property {
	return property{set: func(s *Style, value string) {
		if l, ok := parseLength(value); ok {
			*at(s) = l
		}
	}}
}

func side(at func(*Style) *float64) property {
	return property{set: func(s *Style, value string) {
		if n, ok := pixels(value); ok {
			*at(s) = n
		}
	}}
}

func sides(at func(*Style) *edges) property {
	return property{set: func(s *Style, value string) {
		if e, ok := fourLengths(value); ok {
			*at(s) = edges{e[0].Px(), e[1].Px(), e[2].Px(), e[3].Px()}
		}
	}}
}

func setBorder(s *Style, value string) {
	s.Border = 0
	for _, word := range strings.Fields(value) {
		if n, ok := pixels(word); ok && n > 0 {
			s.Border = n
		}
	}
}

var (
	translation = regexp.MustCompile(`translate(x|y|)\(([^,)]*)(?:,([^)]*))?\)`)
	// zeroScale finds the transforms that leave nothing of an element.
	zeroScale = regexp.MustCompile(`scale(x|y|3d)?\(\s*0(\.0*)?\s*[,)]|scale\([^,)]*,\s*0(\.0*)?\s*\)`)
)
