package accessibility

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

// TestReachedCells: a ref to a column that another cell reaches into is that cell.
func TestReachedCells(t *testing.T) {
	s := Build(htmlcapture.Of(t, `<table><tr><th>a<th>b<th>c<tr><td rowspan=2>day<td colspan=2>closed<tr><td>from<td>to</table>`), nil)
	for i := range s.Nodes {
		row := &s.Nodes[i]
		for k, c := range row.Cells {
			n, ok := s.Lookup(row.Ref.Cell(k + 1))
			want := c.Text
			switch c.Reach {
			case FromLeft:
				want = "closed"
			case FromAbove:
				want = "day"
			}
			if !ok || n.Name != want {
				t.Errorf("cell %d of %q is %v, %v, want %q", k+1, s.Line(row), n, ok, want)
			} else if source := s.CellSource(row, k+1); source != n.Source {
				t.Errorf("CellSource(%q, %d) = %v, want %v", s.Line(row), k+1, source, n.Source)
			}
		}
	}
}
