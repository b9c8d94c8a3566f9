package css

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A sheet that asks for the pointer alone is not read again for every key.
func TestKindsOfLiveRules(t *testing.T) {
	for css, want := range map[string][2]bool{
		".a{display:none}":                {false, false},
		".a:hover{display:none}":          {true, false},
		".a:hover{color:red}":             {false, false},
		"#b:checked ~ p{display:none}":    {false, true},
		"p:hover:checked{display:none}":   {true, true},
		"a:focus-within p{display: none}": {false, true},
	} {
		rules, _ := parseSheet(css, Medium{Size: driver.Size{Width: 1280, Height: 720}}, 0, &layer{})
		s := &ruleSet{keyed: map[string][]rule{}}
		for _, r := range rules {
			s.add(r)
		}
		if got := [2]bool{s.hover, s.state}; got != want {
			t.Errorf("sheet %q: hover, state = %v, want %v", css, got, want)
		}
	}
}
