package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// cellPage has a table whose cells are edited by a double click, and a month
// that listens in place of its days.
const cellPage = `<!DOCTYPE html><title>Cells</title>
<table id="stock"><tr><th>Name<th>Count</tr><tr><td>Kettle<td>3</tr><tr><td>Teapot<td>3</tr></table>
<div role="grid" aria-label="March" id="month"><div role="row"><span role="gridcell">1</span> <span role="gridcell">2</span></div><div role="row"><span role="gridcell">8</span> <span role="gridcell">9</span></div></div>
<p id="said"></p>
<script>
stock.ondblclick = (e) => { said.textContent += 'edit ' + e.target.parentNode.cells[0].textContent + ' ' };
month.onclick = (e) => { if (e.target.role === 'gridcell') said.textContent += 'day ' + e.target.textContent + ' ' };
const swap = () => { const [, a, b] = stock.rows; [a.cells[0].textContent, b.cells[0].textContent] = [b.cells[0].textContent, a.cells[0].textContent] };
</script>`

// cellOf returns the ref of a cell.
func cellOf(t *testing.T, snap *engine.Snapshot, row string, n int) accessibility.Ref {
	t.Helper()
	for i := range snap.Nodes {
		if len(snap.Nodes[i].Cells) > 0 && strings.HasPrefix(snap.Nodes[i].Name, row) {
			return snap.Nodes[i].Ref.Cell(n)
		}
	}
	t.Fatalf("no row %q in\n%s", row, snap.Outline())
	return ""
}

func evaluate(t *testing.T, page *engine.Page, expression string) string {
	t.Helper()
	got, err := page.Driver().Evaluate(t.Context(), expression, &driver.EvaluateOptions{World: driver.Main})
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// A cell without a line of its own is acted on by its row's ref and its number,
// and held to its row.
func TestCellsAreActedOn(t *testing.T) {
	var cell accessibility.Ref
	script := llmtest.NewScript(t, llmtest.Step{Purpose: llm.PurposeAct, Answer: func(*llm.Request) any {
		return map[string]any{"found": true, "ref": string(cell), "method": "doubleClick", "arguments": []string{}, "description": "", "reason": "", "more": false}
	}})
	page := lateOnChrome(t, cellPage, &engine.Options{Model: script})
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	cell = cellOf(t, snap, "Teapot", 2)
	result, err := page.Act(t.Context(), "edit the count of the teapots", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.Do(t.Context(), result.Actions[0], nil); err != nil {
		t.Error(err)
	}
	if got := evaluate(t, page, "said.textContent"); got != `"edit Teapot edit Teapot "` {
		t.Errorf("the page says %s", got)
	}
	again := func() error {
		_, err := page.DoTo(t.Context(), engine.Target{Snapshot: snap, Ref: cell}, engine.Command{Method: engine.DoubleClick}, nil)
		return err
	}
	evaluate(t, page, "swap()") // the row is another one then
	if err := again(); err != nil {
		t.Error(err)
	}
	evaluate(t, page, "stock.rows[1].cells[0].textContent = 'Pan', stock.rows[2].cells[0].textContent = 'Pot'")
	if err := again(); !errors.Is(err, engine.ErrMismatch) {
		t.Errorf("DoTo a cell whose row is gone = %v, want %v", err, engine.ErrMismatch)
	}
	if _, err := page.Do(t.Context(), result.Actions[0], nil); !errors.Is(err, engine.ErrMismatch) {
		t.Errorf("Do in a row that is gone = %v, want %v", err, engine.ErrMismatch)
	}
	if got := evaluate(t, page, "said.textContent"); got != `"edit Teapot edit Teapot edit Teapot "` {
		t.Errorf("the page says %s", got)
	}
}

// The days of a month that listens in their place are among what can be done.
func TestObserveOffersCellsOfGrid(t *testing.T) {
	page := lateOnChrome(t, cellPage, nil)
	found, err := page.Observe(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var days []string
	for _, a := range found.Actions {
		if a.Fingerprint.Role != "gridcell" {
			continue
		}
		days = append(days, a.Fingerprint.Name)
		if _, err := page.Do(context.WithoutCancel(t.Context()), a, nil); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(days, " "); got != "1 2 8 9" {
		t.Errorf("Observe offers the days %q", got)
	}
	if got := evaluate(t, page, "said.textContent"); got != `"day 1 day 2 day 8 day 9 "` {
		t.Errorf("the page says %s", got)
	}
}
