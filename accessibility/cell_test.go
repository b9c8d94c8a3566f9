package accessibility

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

// The cells of a row's line are named by the row and their number.
func TestCellsAreNamed(t *testing.T) {
	snap := Build(htmlcapture.Of(t, `<!DOCTYPE html><table><tr><th>Name<th>Price<tr><td>Kettle<td>30<td><button>Remove</button></table>
		<div role=grid aria-label=Days><div role=row><span role=gridcell id=d1>1</span><span role=gridcell>2</span></div></div>`), nil)
	outline := snap.Outline()
	if strings.Contains(outline, "gridcell") || strings.Contains(outline, ":1]") {
		t.Errorf("cells have lines of their own:\n%s", outline)
	}
	want := map[string]string{"Name": "columnheader th", "Price": "columnheader th", "Kettle": "cell td", "30": "cell td", "1": "gridcell span", "2": "gridcell span"}
	for i := range snap.Nodes {
		row := &snap.Nodes[i]
		for c, cell := range row.Cells {
			ref := row.Ref.Cell(c + 1)
			n, ok := snap.Lookup(ref)
			if !ok || !ref.Valid() {
				t.Errorf("Lookup(%s) found nothing", ref)
				continue
			}
			again, ok := snap.Find(n.Source)
			if !ok || again.Ref != n.Ref || again.Name != n.Name {
				t.Errorf("Find(%v) = %v, want %s", n.Source, again, n.Ref)
			}
			if path := snap.XPath(n); !strings.HasPrefix(path, snap.XPath(row)+"/") {
				t.Errorf("XPath(%s) = %s, want one below the row's", ref, path)
			}
			if cell.Below {
				continue
			}
			if n.Parent != int32(i) || n.Ref != ref || string(n.Role)+" "+n.Tag != want[n.Name] {
				t.Errorf("Lookup(%s) = %s, %s %q <%s> in %d", ref, n.Ref, n.Role, n.Name, n.Tag, n.Parent)
			}
			delete(want, n.Name)
		}
		for _, ref := range []Ref{row.Ref + ":0", row.Ref.Cell(len(row.Cells) + 1), row.Ref + ":01", row.Ref + ":1:1", row.Ref + ":"} {
			if n, ok := snap.Lookup(ref); ok {
				t.Errorf("Lookup(%s) = %v", ref, n)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("no cell says %v:\n%s", want, outline)
	}
}
