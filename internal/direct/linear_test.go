package direct_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/internal/direct"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// rowsOf is a page with n records.
func rowsOf(kind string, n int) string {
	var b strings.Builder
	b.WriteString("<main><h1>Stock</h1>")
	form := `<article class="card"><h3><a href="/p/%[1]d">Lamp %[1]d</a></h3><div>Maker: <b>Pell</b></div><div class="price">$%[2]d.50</div></article>`
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

// TestLinear: a page of ten times the size takes about ten times as long.
func TestLinear(t *testing.T) {
	s, err := schema.Parse([]byte(rowsForm))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"table", "cards", "deep"} {
		took := map[int]time.Duration{}
		for _, n := range []int{500, 5000} {
			tree := read(t, map[string]string{"https://l.test/": rowsOf(kind, n)}, "https://l.test/")
			best := time.Hour
			for range 3 {
				start := time.Now()
				result := mustExtract(t, tree, s)
				best = min(best, time.Since(start))
				if got := strings.Count(string(result.Data), `"Pell"`); got != n || len(result.Unfilled) > 0 {
					t.Errorf("%s: %d of %d records, unfilled %d", kind, got, n, len(result.Unfilled))
				}
			}
			took[n] = best
		}
		t.Logf("%s: 500 records %v, 5000 records %v", kind, took[500], took[5000])
		if took[5000] > 40*took[500] && took[5000] > time.Second {
			t.Errorf("%s: 500 records took %v, 5000 took %v: that is not linear", kind, took[500], took[5000])
		}
	}
}

func mustExtract(t testing.TB, tree *axtree.Tree, s *schema.Schema) *direct.Result {
	t.Helper()
	result, err := direct.Extract(tree, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}
