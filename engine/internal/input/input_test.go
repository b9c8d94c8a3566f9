package input_test

import (
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
)

const everything = input.TakesButton | input.TakesModifiers | input.TakesPlace | input.TakesDropPlace | input.TakesTime

// A gesture is written as it is read.
func TestGesture(t *testing.T) {
	for _, test := range []struct{ words, want []string }{
		{nil, nil},
		{[]string{"left"}, nil},
		{[]string{"Right", "shift+ctrl"}, []string{"right", "Control+Shift"}},
		{[]string{"Shift", "Alt"}, []string{"Alt+Shift"}},
		{[]string{"at 12.5, 3px", "to 0,0"}, []string{"at 12.5,3", "to 0,0"}},
		{[]string{"for 1.5 s", "right"}, []string{"right", "for 1.5s"}},
	} {
		g, err := input.ParseGesture(test.words, everything)
		if got := g.Arguments(); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("ParseGesture(%q) = %q, %v, want %q", test.words, got, err, test.want)
		}
	}
}

func TestGestureRefused(t *testing.T) {
	for _, test := range []struct {
		word  string
		takes input.Takes
	}{
		{"right", input.TakesPlace},
		{"Shift", input.TakesButton},
		{"at 1,2", input.TakesModifiers},
		{"at 1", everything},
		{"at NaN,1", everything},
		{"Shift+A", everything},
		{"for 2s", input.TakesPlace},
		{"for 2", everything},
		{"for 0s", everything},
		{"for 11s", everything},
		{"twice", everything},
		{"", everything},
	} {
		if g, err := input.ParseGesture([]string{test.word}, test.takes); err == nil {
			t.Errorf("ParseGesture(%q) = %q, want it refused", test.word, g.Arguments())
		}
	}
}
