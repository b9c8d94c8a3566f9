package htmltable

import (
	"math"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// border is how far the edges of a column may lie apart, in px: grids draw a line there.
const border = 2

// Under reports whether the cells of a table's first row, by column, stand right below
// the headers of another table. A grid with fixed headers consists of two tables, and only
// their positions connect them.
func Under(heads, cells []driver.Rect) bool {
	apart := func(a, b float64) bool { return math.Abs(a-b) >= border }
	for i, c := range cells {
		if i >= len(heads) || c.IsZero() {
			return false
		}
		h := &heads[i]
		if apart(h.X, c.X) || apart(h.Width, c.Width) || c.Y >= h.Y+h.Height+border { // above is one that has scrolled
			return false
		}
	}
	return len(cells) > 0
}
