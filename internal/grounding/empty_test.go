package grounding_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/grounding"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// TestEmptyData: data that says nothing of the page is refused, unless the page
// says that there is nothing. An empty list and a null claim nothing.
func TestEmptyData(t *testing.T) {
	const product = `<h1>Lamp</h1><dl><dt>Price</dt><dd>$12</dd><dt>Brand</dt><dd>Harrow</dd></dl><label><input type=checkbox checked> In stock</label>`
	const shelf = `<ul><li><h3>Cup</h3><b>$8</b></li><li><h3>Mug</h3><b>$15</b></li></ul>`
	const nothing = `<h1>Search</h1><p>No results for “zeppelin”.</p>`
	for _, c := range []struct {
		html, data string
		refused    []string
	}{
		{product, `{"name":"","price":0}`, []string{"/name", "/price"}},
		{product, `{"name":null,"price":null}`, []string{""}},
		{product, `{"product":{"name":null,"price":null},"seller":null}`, []string{""}},
		{product, `{"name":"Lamp","maker":{"name":null}}`, nil},
		{product, `{"product":{"name":"","price":0}}`, []string{"/product/name", "/product/price"}},
		{product, `{"items":[{"name":"","price":0}]}`, []string{"/items/0/name", "/items/0/price"}},
		{product, `{"items":[{}]}`, []string{"/items/0"}},
		{product, `{"items":[{"name":null}]}`, []string{"/items/0"}},
		{product, `{"items":[{"name":null,"tags":[],"maker":{"name":null}}]}`, []string{"/items/0"}},
		{shelf, `[{"name":"Cup","price":8},{"name":null,"price":null}]`, []string{"/1"}},
		{shelf, `[{"name":"Cup","price":8},{"name":"Mug","price":15,"sale":false}]`, nil},
		{product, `{"refurbished":false,"discontinued":false}`, nil},
		{product, `{"price":null,"discontinued":false}`, []string{""}},
		{product, `{"warranty":null,"discontinued":false}`, nil},
		{product, `{"items":[{"refurbished":false}]}`, []string{"/items/0"}},
		{product, `{"items":[{"name":null,"refurbished":false}]}`, []string{"/items/0"}},
		{product, `{"items":[{"inStock":true}]}`, nil},
		{product, `{"name":"Lamp","discontinued":false}`, nil},
		{product, `{}`, []string{""}},
		{product, `[]`, nil},
		{product, `{"items":[]}`, nil},
		{product, `""`, []string{""}},
		{product, `null`, nil},
		{product, `{"a":"Lamp","b":{}}`, []string{"/b"}},
		{product, `["",""]`, []string{"/0", "/1"}},
		{product, `[null,null]`, []string{""}},
		{nothing, `{"results":[]}`, nil},
		{nothing, `{"results":[],"total":0}`, nil},
		{nothing, `{"results":[],"price":0}`, []string{"/price"}},
		{shelf, `{"results":[],"total":0}`, []string{"/total"}},
		{nothing, `{"results":[{"name":"","price":0}]}`, []string{"/results/0/name", "/results/0/price"}},
		{nothing, `{"name":null,"price":null}`, nil},
		{`<dl><dt>Name</dt><dd>-</dd><dt>Price</dt><dd></dd></dl>`, `{"name":"","price":0}`, nil},
		{`<dl><dt>Name</dt><dd>-</dd><dt>Price</dt><dd></dd></dl>`, `{"name":null,"price":null}`, nil},
	} {
		r, err := grounding.Check(snapshot(t, c.html), nil, json.RawMessage(c.data), &grounding.Options{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Ungrounded {
			if f.Degree == grounding.Contradicted {
				got = append(got, f.Pointer)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.refused) {
			t.Errorf("Check(%s) of %s refuses %q, want %q: %v", c.data, c.html, got, c.refused, r.Ungrounded)
		}
		if known(r) != r.Leaves {
			t.Errorf("Check(%s): %d have a source or a reason, of %d", c.data, known(r), r.Leaves)
		}
	}
}

// TestEmptyList: what of the page makes an empty list a gap, and what does not.
func TestEmptyList(t *testing.T) {
	pairs := `{"type":"object","properties":{"people":{"type":"array","items":{"type":"object","properties":{"full_name":{"type":"string"},"role":{"type":"string"}}}}}}`
	texts := `{"type":"object","properties":{"people":{"type":"array","items":{"type":"string"}}}}`
	for _, c := range []struct {
		html, form string
		want       int // entries that it leaves out
	}{
		{`<table><tr><td>Full name</td><td>Role</td></tr><tr><td>Ann Fox</td><td>Chair</td></tr><tr><td>Bo Lund</td><td>Clerk</td></tr></table>`, pairs, 3},
		{`<table><tr><td>Town</td><td>Office</td></tr><tr><td>Graz</td><td>Main</td></tr><tr><td>Linz</td><td>Branch</td></tr></table>`, pairs, 0},
		{"<pre>Full name    Role\nAnn Fox      Chair\nBo Lund      Clerk</pre>", pairs, 3},
		{"<pre>Town:     Graz\nPeople:   Ann Fox    Chair\nPeople:   Bo Lund    Clerk</pre>", pairs, 2},
		{`<h2>People</h2><p>Nothing yet, be first, please</p>`, texts, 0},
	} {
		form, err := schema.Parse(json.RawMessage(c.form))
		if err != nil {
			t.Fatal(err)
		}
		r, err := grounding.Check(snapshot(t, c.html), form, json.RawMessage(`{"people":[]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, g := range r.Missing {
			got += len(g.Refs)
		}
		if got != c.want {
			t.Errorf("Check of no people in %s finds %d left out, want %d: %v", c.html, got, c.want, r.Missing)
		}
	}
}

// TestNone: what an empty list rests on where the page has nothing that it leaves out.
func TestNone(t *testing.T) {
	const rows = `<table><tr><th>Name<th>Tags<tr><td>Ann<td>red, blue<tr><td>Bo<td></table>`
	for _, c := range []struct {
		html, data, pointer string
		want                grounding.Kind // empty: unproven
	}{
		{`<h1>Search</h1><p>No results for “zeppelin”.</p>`, `{"results":[]}`, "/results", grounding.Empty},
		{`<dl><dt>Tags</dt><dd>–</dd></dl>`, `{"tags":[]}`, "/tags", grounding.Empty},
		{`<dl><dt>Tags</dt><dd></dd></dl>`, `{"tags":[]}`, "/tags", grounding.Empty},
		{rows, `[{"name":"Ann","tags":["red","blue"]},{"name":"Bo","tags":[]}]`, "/1/tags", grounding.Empty},
		{`<ul><li>Ann: <b>red</b></li><li>Bo: </li></ul>`, `[{"name":"Ann","tags":["red"]},{"name":"Bo","tags":[]}]`, "/1/tags", grounding.Derived},
		{`<ul><li>Ann</li><li>Bo</li></ul>`, `[{"name":"Ann","tags":[]},{"name":"Bo","tags":[]}]`, "/1/tags", ""},
		{`<p>Dear reader</p>`, `{"tags":[]}`, "/tags", ""},
		{`<p>Dear reader</p>`, `[]`, "", ""},
	} {
		r, err := grounding.Check(snapshot(t, c.html), nil, json.RawMessage(c.data), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Sources[c.pointer].Kind; got != c.want || len(r.Missing) > 0 {
			t.Errorf("Check(%s) of %s: %s rests on %q, want %q; missing %v", c.data, c.html, c.pointer, got, c.want, r.Missing)
		}
		doubted := slices.ContainsFunc(r.Ungrounded, func(f grounding.Finding) bool {
			return f.Pointer == c.pointer && f.Degree == grounding.Unproven
		})
		if doubted != (c.want == "") {
			t.Errorf("Check(%s) of %s: doubts %v", c.data, c.html, r.Ungrounded)
		}
	}
}
