package direct_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/direct"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// rowsOf is a page with n records.
func rowsOf(kind string, n int) string {
	var b strings.Builder
	b.WriteString("<main><h1>Stock</h1>")
	form := `<article class="card"><h3><a href="/p/%[1]d">Lamp %[1]d</a></h3><dl><dt>Maker<dd>Pell<dt>Price<dd>$%[2]d.50</dl></article>`
	switch kind {
	case "table":
		b.WriteString("<table><tr><th>Name</th><th>Maker</th><th>Price</th></tr>")
		form = `<tr><td><a href="/p/%[1]d">Lamp %[1]d</a></td><td>Pell</td><td>$%[2]d.50</td></tr>`
	case "deep":
		form = strings.Repeat("<div>", 12) + form + strings.Repeat("</div>", 12)
	}
	for i := range n {
		fmt.Fprintf(&b, form, i+1, i%900+1)
	}
	return b.String()
}

const rowsForm = `{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"maker":{"type":"string"},"price":{"type":"number"},"link":{"type":"string","format":"uri"}}}}`

// TestLinear: a page of ten times the size takes about ten times as much. Time
// is bounded generously, for machines that do other things, too; memory is not.
func TestLinear(t *testing.T) {
	s, err := schema.Parse([]byte(rowsForm))
	if err != nil {
		t.Fatal(err)
	}
	for kind, few := range map[string]int{"table": 500, "cards": 200, "deep": 200} {
		many := 10 * few
		took, allocations := map[int]time.Duration{}, map[int]float64{}
		for _, n := range []int{few, many} {
			page := read(t, map[string]string{"https://l.test/": rowsOf(kind, n)}, "https://l.test/")
			took[n] = time.Hour
			allocations[n] = testing.AllocsPerRun(1, func() {
				start := time.Now()
				result := mustExtract(t, page, s)
				took[n] = min(took[n], time.Since(start))
				if got := strings.Count(string(result.Data), `"Pell"`); got != n || len(result.Unfilled) > 0 {
					t.Errorf("%s: %d of %d records, unfilled %d", kind, got, n, len(result.Unfilled))
				}
			})
		}
		t.Logf("%s: %d records %v, %d records %v", kind, few, took[few], many, took[many])
		if took[many] > 60*took[few] && took[many] > 5*time.Second || allocations[many] > 15*allocations[few] {
			t.Errorf("%s: %d records took %v and %.0f allocations, %d took %v and %.0f: that is not linear",
				kind, few, took[few], allocations[few], many, took[many], allocations[many])
		}
	}
}

func BenchmarkExtract(b *testing.B) {
	s, err := schema.Parse([]byte(rowsForm))
	if err != nil {
		b.Fatal(err)
	}
	for _, kind := range []string{"table", "cards", "deep"} {
		b.Run(kind, func(b *testing.B) {
			page := read(b, map[string]string{"https://l.test/": rowsOf(kind, 5000)}, "https://l.test/")
			b.ReportAllocs()
			for b.Loop() {
				mustExtract(b, page, s)
			}
		})
	}
}

func mustExtract(t testing.TB, snap *accessibility.Snapshot, s *schema.Schema) *direct.Result {
	t.Helper()
	result, err := direct.Extract(snap, s, "")
	if err != nil {
		t.Fatal(err)
	}
	return result
}
