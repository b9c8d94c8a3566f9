package engine_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// sheets has a grid as Handsontable makes it, whose document listens for it, a table
// as jspreadsheet makes it, whose body listens for its cells, and a table of plain
// data.
const sheets = `<!DOCTYPE html><title>Sheets</title>
<div role="treegrid" aria-label="Budget"><table role="presentation"><thead role="rowgroup"><tr role="row"><th role="columnheader" tabindex="-1">Item</th><th role="columnheader" tabindex="-1">Amount</th><th role="columnheader" tabindex="-1">Note</th></tr></thead>
<tbody role="rowgroup"><tr role="row"><td role="gridcell" tabindex="-1">Food</td><td role="gridcell" tabindex="-1">350</td><td role="gridcell" tabindex="-1">weekly</td></tr><tr role="row"><td role="gridcell" tabindex="-1">Rent</td><td role="gridcell" tabindex="-1">900</td><td role="gridcell" tabindex="-1" id="note"></td></tr><tr role="row"><td role="gridcell" tabindex="-1" id="blank"></td><td role="gridcell" tabindex="-1"></td><td role="gridcell" tabindex="-1"></td></tr></tbody></table></div>
<table><thead><tr><td>Name</td><td>Count</td></tr></thead><tbody id="stock"><tr><td>Kettle</td><td>3</td></tr><tr><td>Teapot</td><td>7</td></tr></tbody></table>
<table><tr><th>City</th><th>People</th></tr><tr><td>Bern</td><td>134</td></tr><tr><td></td><td></td></tr></table>
<p id="said"></p>`

const sheetsScript = `<script>
const say = (e) => { if (e.target.tagName === 'TD') said.textContent += e.type + ' ' + (e.target.textContent || e.target.id) + ' ' };
document.addEventListener('click', (e) => { if (e.target.role === 'gridcell') say(e) });
document.addEventListener('dblclick', (e) => { if (e.target.role === 'gridcell') say(e) });
stock.addEventListener('click', say);
</script>`

func sheetsInMemory() *fake.Driver {
	return fake.New(fake.Options{
		Web: fake.Web{shopAddress: sheets},
		Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
			say := func(e *fake.Event) {
				text := e.Target.Text()
				if text == "" {
					text = e.Target.Attr("id")
				}
				d.Find("#said").SetText(d.Find("#said").Text() + e.Type + " " + text + " ")
			}
			cells := func(e *fake.Event) {
				if e.Target.Attr("role") == "gridcell" {
					say(e)
				}
			}
			d.On("click", "html", cells)
			d.On("dblclick", "html", cells)
			d.On("click", "#stock", say)
		}},
	})
}

// said returns what a page has noted.
func said(t *testing.T, page *engine.Page) string {
	t.Helper()
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(snap.Nodes[len(snap.Nodes)-1].Name)
}

// The cells of a grid, and those of a table that listens for them, are among what can
// be done; the cells of plain data are not.
func TestObserveOffersCellsThatTakePresses(t *testing.T) {
	onEach(t, sheetsInMemory(), sheets+sheetsScript, noOptions, func(t *testing.T, page *engine.Page) {
		found, err := page.Observe(t.Context(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		var cells, want []string
		for _, a := range found.Actions {
			if !strings.HasSuffix(a.Fingerprint.Role, "cell") {
				continue
			}
			cells = append(cells, a.Fingerprint.Name)
			want = append(want, "click "+a.Fingerprint.Name)
			if _, err := page.Do(t.Context(), a, nil); err != nil {
				t.Error(err)
			}
		}
		if got := strings.Join(cells, " "); got != "Food 350 weekly Rent 900 Kettle 3 Teapot 7" {
			t.Errorf("Observe offers %q", got)
		}
		if got := said(t, page); got != strings.Join(want, " ") {
			t.Errorf("the page says %q, want %q", got, want)
		}
	})
}

// A grid's empty row can be named: it is there to be filled in. That of a table of
// plain data has no line.
func TestEmptyRowsOfGrids(t *testing.T) {
	onEach(t, sheetsInMemory(), sheets+sheetsScript, noOptions, func(t *testing.T, page *engine.Page) {
		snap, err := page.Snapshot(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var empty []accessibility.Ref
		for i := range snap.Nodes {
			if n := &snap.Nodes[i]; len(n.Cells) > 0 && strings.Trim(n.Name, " |") == "" {
				empty = append(empty, n.Ref)
			}
		}
		if len(empty) != 1 {
			t.Fatalf("%d empty rows, want the grid's in\n%s", len(empty), snap.Outline())
		}
		if _, err := page.DoTo(t.Context(), engine.Target{Snapshot: snap, Ref: empty[0].Cell(1)}, engine.Command{Method: engine.DoubleClick}, nil); err != nil {
			t.Error(err)
		}
		if got := said(t, page); got != "click blank click blank dblclick blank" {
			t.Errorf("the page says %q", got)
		}
	})
}

// A cell is named by what it says, or by its row and its column.
func TestCellsAreNamed(t *testing.T) {
	model := func(*testing.T) *engine.Options { return &engine.Options{Model: offline.New()} }
	onEach(t, sheetsInMemory(), sheets+sheetsScript, model, func(t *testing.T, page *engine.Page) {
		want := ""
		for _, c := range []struct{ instruction, said string }{
			{"click 350", "click 350"},
			{"double click 900", "click 900 click 900 dblclick 900"},
			{"click Note in Rent", "click note"},
			{"click Amount of Food", "click 350"},
			{"click the cell in row Rent and column Note", "click note"},
			{"click the cell in row Teapot and column Count", "click 7"},
			{"click the cell Kettle", "click Kettle"},
		} {
			if _, err := page.Act(t.Context(), c.instruction, nil); err != nil {
				t.Errorf("%s: %v", c.instruction, err)
				continue
			}
			want = strings.TrimSpace(want + " " + c.said)
			if got := said(t, page); got != want {
				t.Errorf("%s: the page says %q, want %q", c.instruction, got, want)
				want = got
			}
		}
	})
}
