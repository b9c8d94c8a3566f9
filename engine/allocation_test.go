package engine_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestAllocations bounds how often memory is asked for by what programs do all the
// time, on a page of 1,000 elements: the figures of one machine and a half more.
func TestAllocations(t *testing.T) {
	page := openOn(t, benchWeb(1000), &engine.Options{Model: scriptedModel{}})
	if _, err := page.Navigate(t.Context(), shopAddress, nil); err != nil {
		t.Fatal(err)
	}
	look := func() {
		if _, err := page.Snapshot(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	change := func() {
		if _, err := page.Do(t.Context(), engine.Action{Selector: "#go"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		does func()
		most float64
	}{
		{"a look at a page that did not change", look, 30},
		{"an action by its selector", change, 170},
		{"an action, and a look at what came of it", func() { change(); look() }, 2400},
	} {
		c.does()
		if n := testing.AllocsPerRun(10, c.does); n > c.most {
			t.Errorf("%s allocates %v times, want at most %v", c.name, n, c.most)
		}
	}
}
