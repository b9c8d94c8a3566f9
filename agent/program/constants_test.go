package program_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/program"
)

// TestConstants: what stands at a program's top is its constants, and others take
// their place without a change of anything else.
func TestConstants(t *testing.T) {
	const source = "# what for\nwho = \"Änne\" # the one\nmost = -3; dry = True\nwho2 = '''a\nb'''\nlog(who)\nlater = 1\n"
	var have []string
	for _, c := range program.Constants(source) {
		have = append(have, c.Name+"="+c.Value)
	}
	if want := "who=\"Änne\"|most=-3|dry=True|who2='''a\nb'''"; strings.Join(have, "|") != want {
		t.Errorf("Constants = %q, want %q", strings.Join(have, "|"), want)
	}
	got, err := program.WithConstants(source, map[string]any{"who": "Bob\"\n', log('x')", "most": 12.0, "dry": false, "who2": "c"})
	want := "# what for\nwho = \"Bob\\\"\\n', log('x')\" # the one\nmost = 12; dry = False\nwho2 = \"c\"\nlog(who)\nlater = 1\n"
	if err != nil || got != want {
		t.Errorf("WithConstants = %q, %v, want %q", got, err, want)
	}
	for name, value := range map[string]any{"later": 2.0, "who": 1.0, "most": "many", "dry": "False", "who2": nil, "none": "x"} {
		if _, err := program.WithConstants(source, map[string]any{name: value}); !errors.Is(err, program.ErrInvalid) {
			t.Errorf("WithConstants(%s: %v): %v, want ErrInvalid", name, value, err)
		}
	}
	for _, source := range []string{"", "log(1)\na = 1", "a = b", "a += 1", "a, b = 1, 2", "a = (", "a = 1 + 1", strings.Repeat("(", 1000)} {
		if c := program.Constants(source); len(c) > 0 {
			t.Errorf("Constants(%.20q) = %v, want none", source, c)
		}
	}
}
