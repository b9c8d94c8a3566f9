package css

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestSupports(t *testing.T) {
	for text, want := range map[string]bool{
		"(display: grid)":                                 true,
		"(display: grid) and (gap: 1px)":                  true,
		"(display: nonsense)":                             false,
		"not (display: nonsense)":                         true,
		"not ((display: grid) or (display: nonsense))":    false,
		"(display: nonsense) or (not (display: nothing))": true,
		"(display:grid) and (not (display:inline-grid))":  false,
		"(width: calc(1px + 2px))":                        true,
		"selector(a > b)":                                 true,
		"selector(:nonsense)":                             false,
		"not selector(:has(+ a))":                         false,
		"(display: grid) and (gap: 1px) or (top: 0)":      true,
		"unknown(x)":                                      false,
		"(display)":                                       false,
		"display: grid":                                   false,
		"((((display: block))))":                          true,
		"(display: block) nor (display: grid)":            false,
	} {
		if got := supports(text); got != want {
			t.Errorf("supports(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestContainerAnswers(t *testing.T) {
	c := Container{Size: driver.Size{Width: 320, Height: 200}, Kind: "inline-size"}
	for feature, want := range map[string]bool{
		"min-width: 320px": true, "max-width: 20em": true, "width: 320px": true, "width > 320px": false, "320px <= width": true,
		"100px < width < 400px": true, "400px > width > 330px": false, "width": true, "min-height: 1px": false, "width >= lots": false,
		"orientation: landscape": true, "colour": false,
	} {
		if got := c.answers(feature); got != want {
			t.Errorf("%v answers %q = %v, want %v", c, feature, got, want)
		}
	}
}

func TestNestedSelectors(t *testing.T) {
	for _, test := range [][3]string{
		{".a", ".b", ".a .b"}, {".a", "&.b", ".a.b"}, {".a", "> b", ".a > b"}, {".a", ".x &", ".x .a"}, {"a, b", "&:hover", ":is(a, b):hover"},
		{"p > i", ".x", ":is(p > i) .x"}, {".a", `[title="&"]`, `.a [title="&"]`}, {"p", ".x&", ".x:is(p)"},
	} {
		if got := below(test[0], test[1]); got != test[2] {
			t.Errorf("below(%q, %q) = %q, want %q", test[0], test[1], got, test[2])
		}
	}
}

// What a page sends costs neither time nor memory beyond its size.
func TestHostileSheets(t *testing.T) {
	long := strings.Repeat
	for _, text := range map[string]string{
		"nested &":    long("& & & &,& & & & {", 40) + "display:none",
		"nested":      long("a{", 5000) + "display:none",
		"supports":    "@supports " + long("(", 50000) + "display:grid" + long(")", 50000) + "{a{display:none}}",
		"supports in": long("@supports (display:grid){", 5000),
		"has":         long("a:has(> b + c ~ d){display:none}", 2000),
		"has nested":  long("a:has(> b:is(", 3000),
	} {
		parseSheet(text, Medium{}, 0, &layer{})
	}
	// Each of a hundred doubles the one before, or asks for it ten times.
	var doubled, empty []declaration
	for i := range 100 {
		at, next := "--v"+long("i", i), "var(--v"+long("i", i+1)+")"
		doubled = append(doubled, declaration{property: at, value: "x" + next + next, refers: true})
		empty = append(empty, declaration{property: at, value: long(next, 10), refers: true})
	}
	for _, own := range [][]declaration{doubled, append(empty, declaration{property: "--v" + long("i", 100)})} {
		s := Inherit(RootStyle)
		s.cascade(nil, append(slices.Clip(own), declaration{property: "display", value: "var(--v)", refers: true}), RootStyle, s)
		if s.Display != "inline" {
			t.Errorf("display = %q, want inline", s.Display)
		}
	}
	s := Inherit(RootStyle)
	s.cascade(nil, []declaration{{property: "display", value: long("var(--a,", 100000) + long(")", 100000), refers: true}}, RootStyle, s)
}
