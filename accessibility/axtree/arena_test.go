package axtree_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A tree that is computed in memory of others is the same as in fresh memory.
func TestArena(t *testing.T) {
	var arena axtree.Arena
	for i, c := range []*driver.Capture{sheet(500), nested(40, "div", "label for=x", "input id=x"), sheet(80), nested(900, "ul", "li"), sheet(500), {}} {
		got, want := arena.Compute(c), axtree.Compute(c)
		if diff := cmp.Diff(want.Objects, got.Objects); len(want.Objects)+len(got.Objects) > 0 && diff != "" {
			t.Errorf("capture %d: Compute in an arena differs (-fresh +arena):\n%s", i, diff)
		}
		if i%2 == 0 {
			arena.Clear()
		}
	}
	if arena.Cap() < 500 {
		t.Errorf("Cap() = %d after a capture of 500 nodes", arena.Cap())
	}
}
