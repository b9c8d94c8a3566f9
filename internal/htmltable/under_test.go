package htmltable_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/htmltable"
)

// TestUnder: cells are under headers that have their edges and touch them, or whose rows
// have scrolled.
func TestUnder(t *testing.T) {
	row := func(y float64, edges ...float64) (boxes []driver.Rect) {
		for i := range edges[1:] {
			boxes = append(boxes, driver.Rect{X: edges[i], Y: y, Width: edges[i+1] - edges[i], Height: 20})
		}
		return boxes
	}
	heads := row(100, 10, 60, 200)
	for name, c := range map[string]struct {
		cells []driver.Rect
		want  bool
	}{
		"right below":        {row(120, 10, 60, 200), true},
		"behind a border":    {row(121, 11, 61, 201), true},
		"scrolled":           {row(-500, 10, 60, 200), true},
		"fewer columns":      {row(120, 10, 60), true}, // the last header stands over the bar that scrolls
		"more columns":       {row(120, 10, 60, 200, 240), false},
		"other columns":      {row(120, 10, 80, 200), false},
		"as wide, elsewhere": {row(120, 13, 63, 203), false},
		"further down":       {row(130, 10, 60, 200), false},
		"without height":     {[]driver.Rect{{X: 10, Y: 120, Width: 50}}, false},
		"none":               {nil, false},
	} {
		if got := htmltable.Under(heads, c.cells); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
