package parts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/gold"
	"github.com/wayfinder-engine/wayfinder/internal/parts"
)

func snapshot(tb testing.TB, web map[string]string, address string) *accessibility.Snapshot {
	tb.Helper()
	b, err := fake.Web(web).Open(tb.Context(), &driver.BrowserOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0]
	if _, err := p.Navigate(tb.Context(), address, nil); err != nil {
		tb.Fatal(err)
	}
	c, err := p.Capture(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return accessibility.Build(c, nil)
}

func page(tb testing.TB, html string) *accessibility.Snapshot {
	return snapshot(tb, map[string]string{"https://site.test/": html}, "https://site.test/")
}

// Each line of a page is in exactly one part, no part is too large, and each
// part reads back as an outline; so do the halves of each.
func TestDivideCoversEachLineOnce(t *testing.T) {
	for _, c := range gold.Cases() {
		snap := snapshot(t, c.Web, c.URL)
		all := accessibility.Tokens(snap.Outline())
		for _, room := range []int{all * 2, all/2 + 50, all/7 + 100} {
			d := parts.Divide(snap, nil, room)
			next := int32(0)
			check := func(p parts.Part) {
				text := d.Outline(p)
				if _, err := accessibility.ParseOutline(text); err != nil {
					t.Errorf("%s: part %d–%d: %v", c.Name, p.From, p.To, err)
				}
				if got := accessibility.Tokens(text); got > p.Tokens || got > room && p.To-p.From > 1 {
					t.Errorf("%s: part %d–%d has %d tokens, said %d, may have %d", c.Name, p.From, p.To, got, p.Tokens, room)
				}
			}
			for _, p := range d.All() {
				if p.From != next {
					t.Fatalf("%s: a part begins at line %d, want %d", c.Name, p.From, next)
				}
				next = p.To
				check(p)
				first, second, ok := d.Halve(p)
				if ok != (p.To-p.From > 1) || ok && (first.From != p.From || first.To != second.From || second.To != p.To || first.To == first.From || second.To == second.From) {
					t.Errorf("%s: Halve(%d–%d) = %d–%d, %d–%d", c.Name, p.From, p.To, first.From, first.To, second.From, second.To)
				}
			}
			if int(next) != len(snap.Nodes) {
				t.Errorf("%s: the parts end at line %d of %d", c.Name, next, len(snap.Nodes))
			}
		}
	}
}

// firsts are the first lines of each part but the first, without refs.
func firsts(d *parts.Division) []string {
	var out []string
	for _, p := range d.All()[1:] {
		p.Context = nil
		line, _, _ := strings.Cut(strings.TrimSpace(d.Outline(p)), "\n")
		_, line, _ = strings.Cut(line, "] ")
		out = append(out, line)
	}
	return out
}

// Parts begin where things begin.
func TestDivideAtSeams(t *testing.T) {
	repeat := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(form, "%d", fmt.Sprint(i)))
		}
		return b.String()
	}
	for _, c := range []struct {
		name, html, begin string
	}{
		{"rows", "<h1>Lamps</h1><table>" + repeat(200, "<tr><td>N-%d</td><td><a href=/%d>Lamp %d</a><p>Two lines</p><p>of text</p></td></tr>") + "</table>", "row: "},
		{"cards without a role", "<h1>Lamps</h1><div>" + repeat(100, "<div><p>Brand %d</p><div>Lamp %d</div><div><div>€%d</div><button>Buy</button></div></div>") + "</div>", `text: Brand `},
		{"sections", repeat(60, "<h2>Chapter %d</h2><p>First %d.</p><p>Second.</p><p>Third.</p>"), "heading: Chapter "},
		{"items", "<ul>" + repeat(300, "<li><b>Name %d</b><p>text</p><p>more</p></li>") + "</ul>", "listitem"},
		{"spans", "<table>" + repeat(100, "<tr><td rowspan=3>Stop %d<td>10:%d<td>N1</tr><tr><td>11:%d<td>N2</tr><tr><td>12:%d<td>N3</tr>") + "</table>", "row: Stop "},
	} {
		snap := page(t, c.html)
		for _, room := range []int{400, 777} {
			begins := firsts(parts.Divide(snap, nil, room))
			if len(begins) == 0 {
				t.Errorf("%s: one part in %d tokens", c.name, room)
			}
			for _, line := range begins {
				if !strings.HasPrefix(line, c.begin) {
					t.Errorf("%s: a part of %d tokens begins with %q, want %s…", c.name, room, line, c.begin)
				}
			}
		}
	}
}

// What stands above a part is shown with it.
func TestDivideContext(t *testing.T) {
	var b strings.Builder
	b.WriteString("<main><h1>Depot</h1><h2>Lamps</h2><p>old</p><h2>Chairs</h2><table><caption>Stock</caption><thead><tr><th>Number<th>Name</thead><tbody>")
	b.WriteString("<tr><td colspan=2>Oak</tr>")
	for i := range 300 {
		fmt.Fprintf(&b, "<tr><td>N-%d<td>Chair %d</tr>", i, i)
	}
	b.WriteString("</tbody></table></main>")
	d := parts.Divide(page(t, b.String()), nil, 500)
	all := d.All()
	if len(all) < 3 {
		t.Fatalf("%d parts", len(all))
	}
	for _, p := range all[1:] {
		text := d.Outline(p)
		for _, want := range []string{"main", "heading: Depot", "heading: Chairs", "table: Stock", "row: Number | Name", "row: Oak\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("part %d–%d lacks %q:\n%.600s", p.From, p.To, want, text)
			}
		}
		if strings.Contains(text, "Lamps") || strings.Contains(text, "old") {
			t.Errorf("part %d–%d shows the section before:\n%.600s", p.From, p.To, text)
		}
		if !slices.IsSorted(p.Context) {
			t.Errorf("context %v", p.Context)
		}
	}
	// Rows that a cell spans for longer than a part get the row of the cell.
	b.Reset()
	b.WriteString("<table><tr><td rowspan=150>Oslo<td>1</tr>")
	for i := range 149 {
		fmt.Fprintf(&b, "<tr><td>time %d</tr>", i)
	}
	d = parts.Divide(page(t, b.String()+"</table>"), nil, 500)
	for _, p := range d.All() {
		if !strings.Contains(d.Outline(p), "Oslo") {
			t.Errorf("part %d–%d does not say which stop: %.300s", p.From, p.To, d.Outline(p))
		}
	}
}

// A line that is longer than a part is shortened, masked as all are.
func TestDivideLongLine(t *testing.T) {
	html := "<p>Before</p><p>" + strings.Repeat("secret words ", 5000) + "</p><p>" + strings.Repeat("short ", 600) + "</p>"
	hide := func(s string) string { return strings.ReplaceAll(s, "secret", "%x%") }
	d := parts.Divide(page(t, html), hide, 1500)
	var text string
	for _, p := range d.All() {
		text += d.Outline(p)
	}
	if strings.Contains(text, "secret") || !strings.Contains(text, "more characters") || strings.Count(text, "short ") < 599 {
		t.Errorf("Outline = %.200s…", text)
	}
}
