package grounding_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/grounding"
)

// long makes a table of n rows, and the data that it says.
func long(n int) (string, json.RawMessage) {
	var b strings.Builder
	b.WriteString("<table><thead><tr><th>Number</th><th>Name</th><th>Price</th><th>Quantity</th><th>Status</th></tr></thead><tbody>")
	type row struct {
		Number   string  `json:"number"`
		Name     string  `json:"name"`
		Price    float64 `json:"price"`
		Quantity int     `json:"quantity"`
		Paid     bool    `json:"paid"`
	}
	colours := strings.Fields("red blue green grey black white amber coral")
	things := strings.Fields("lamp chair table shelf stool bench desk bed rug")
	var rows []row
	for i := range n {
		r := row{fmt.Sprintf("N-%05d", i), colours[i%8] + " " + things[i%9], float64(i%700) + 0.99, i % 7, i%3 != 0}
		status := "paid"
		if !r.Paid {
			status = "unpaid"
		}
		fmt.Fprintf(&b, "<tr><td>%s</td><td>%s</td><td>€%.2f</td><td>%d</td><td>%s</td></tr>", r.Number, r.Name, r.Price, r.Quantity, status)
		rows = append(rows, r)
	}
	b.WriteString("</tbody></table>")
	return b.String(), marshal(rows)
}

// TestLongTable: 5,000 rows in well under a second, and nothing refused.
func TestLongTable(t *testing.T) {
	html, data := long(5000)
	snap := snapshot(t, html)
	start := time.Now()
	r, err := grounding.Check(snap, nil, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start), r.Leaves, len(r.Ungrounded))
	if len(r.Ungrounded) > 0 || r.Leaves != 25000 || len(r.Missing) > 0 {
		t.Errorf("%d of %d leaves refused, first %v, missing %v", len(r.Ungrounded), r.Leaves, r.Ungrounded[:1], len(r.Missing))
	}
}

func BenchmarkLongTable(b *testing.B) {
	html, data := long(5000)
	snap := snapshot(b, html)
	for b.Loop() {
		if _, err := grounding.Check(snap, nil, data, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSame5000: rows that say the same are no way to quadratic time.
func TestSame5000(t *testing.T) {
	chrometest.Long(t)
	html := "<ul>" + strings.Repeat("<li><b>Lamp</b> <i>€5.00</i> <em>in stock</em></li>", 5000) + "</ul>"
	data := "[" + strings.TrimSuffix(strings.Repeat(`{"name":"Lamp","price":5,"inStock":true},`, 5000), ",") + "]"
	snap := snapshot(t, html)
	start := time.Now()
	r, err := grounding.Check(snap, nil, json.RawMessage(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start))
	if len(r.Ungrounded) > 0 {
		t.Errorf("%d refused, first %v", len(r.Ungrounded), r.Ungrounded[0])
	}
}

// contradicted counts the leaves that the page contradicts.
func contradicted(r *grounding.Report) (n int) {
	for _, f := range r.Ungrounded {
		if f.Degree == grounding.Contradicted {
			n++
		}
	}
	return n
}

// known counts the leaves that have a source, or a reason why there is none.
func known(r *grounding.Report) int {
	all := maps.Clone(r.Sources)
	for _, f := range r.Ungrounded {
		all[f.Pointer] = grounding.Source{}
	}
	return len(all)
}

// TestValues: what one value may rest on.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		html, data string
		want       grounding.Kind // empty: refused
	}{
		{"<p>Population 3 Mio.</p>", `{"population":3000000}`, grounding.Number},
		{"<p>12k followers</p>", `{"followers":12000}`, grounding.Number},
		{"<p>12k followers</p>", `{"followers":12}`, ""},
		{"<p>₹1,12,500</p>", `{"price":112500}`, grounding.Number},
		{"<p>1 299,00 €</p>", `{"price":1299}`, grounding.Number},
		{"<p>1.299,00 €</p>", `{"price":1.299}`, ""},
		{"<p>1'299.50 CHF</p>", `{"price":1299.5}`, grounding.Number},
		{"<p>Discount 15 %</p>", `{"discount":0.15}`, grounding.Number},
		{"<p>Temperature −5 °C</p>", `{"temperature":-5}`, grounding.Number},
		{"<p>Temperature −5 °C</p>", `{"temperature":5}`, ""},
		{"<p>Loss (1,250.00)</p>", `{"loss":-1250}`, grounding.Number},
		{"<p>10<sup>6</sup> cells</p>", `{"cells":1000000}`, grounding.Number},
		{"<p>10<sup>6</sup> cells</p>", `{"cells":106}`, ""},
		{"<p>Weight 1.5 kg</p>", `{"weightGrams":1500}`, grounding.Derived},
		{"<p>Price $12.50</p>", `{"priceCents":1250}`, grounding.Derived},
		{"<p>2h 15min</p>", `{"durationMinutes":135}`, grounding.Derived},
		{"<p>Part A4-1299</p>", `{"price":1299}`, ""},
		{"<p>3 Nov</p><p>© 2026</p>", `{"date":"2026-11-03"}`, grounding.Date},
		{"<p>3 Nov</p><p>© 2026</p>", `{"date":"2019-11-03"}`, ""},
		{"<p>11/03/2026</p>", `{"date":"2026-11-03"}`, grounding.Date},
		{"<p>at 2:30 pm</p>", `{"time":"14:30"}`, grounding.Date},
		{"<p>at 2:30 pm</p>", `{"time":"02:30"}`, ""},
		{"<p>yesterday</p>", `{"date":"2026-11-21"}`, grounding.Derived},
		{"<p>2 days ago</p>", `{"date":"2026-11-20"}`, grounding.Derived},
		{"<p>“It’s – fine”</p>", `{"quote":"\"It's - fine\""}`, grounding.Text},
		{"<p>An <b>inline</b> span</p>", `{"text":"an inline span"}`, grounding.Text},
		{"<p>It is inexpensive</p>", `{"text":"It is cheap"}`, ""},
		{"<p>Type: full-time</p>", `{"type":"FULL_TIME"}`, grounding.Text},
		{"<p>Price €5</p>", `{"currency":"EUR"}`, grounding.Text},
		{"<p>Price €5</p>", `{"currency":"USD"}`, ""},
		{"<a href='mailto:a@b.test'>Write</a>", `{"email":"a@b.test"}`, grounding.Address},
		{"<a href='tel:+431234567'>Call</a>", `{"phone":"+43 1 234567"}`, grounding.Address},
		{"<a href='/x'>Open</a>", `{"page":"https://site.test/x"}`, grounding.Address},
		{"<a href='/x'>Open</a>", `{"page":"https://site.test/y"}`, ""},
		{"<img src='/a.png' alt=Cat>", `{"image":"https://site.test/a.png"}`, grounding.Address},
		{"<p>hello</p>", `{"name":""}`, ""},
		{"<dl><dt>Name<dd>–</dl>", `{"name":""}`, grounding.Empty},
		{"<label>Name <input></label>", `{"name":""}`, grounding.Empty},
		{"<p>hello</p>", `{"price":0}`, ""},
		{"<p>Price: free</p>", `{"price":0}`, grounding.Empty},
		{"<p>No comments</p>", `{"comments":0}`, grounding.Empty},
		{"<label><input type=checkbox checked> Gift wrap</label>", `{"giftWrap":true}`, grounding.State},
		{"<label><input type=checkbox> Gift wrap</label>", `{"giftWrap":true}`, ""},
		{"<p>Sold out</p>", `{"inStock":false}`, grounding.Derived}, // and unproven
		{"<p>Sold out</p>", `{"inStock":true}`, ""},
		{"<p>Sold out</p>", `{"soldOut":true}`, grounding.Text},
		{"<p>hello</p>", `{"remote":true}`, ""},
		{"<p>hello</p>", `{"remote":false}`, grounding.Derived},
		{"<p>hello</p>", `{"list":{}}`, ""},
		{"<table><tr><td>Mug<td>12<tr><td>Cup<td>9<tr><td>Jug<td>31</table>", `9`, grounding.Number},
		{"<table><tr><td>Mug<td>12<tr><td>Cup<td>9<tr><td>Jug<td>31</table>", `"Cup"`, grounding.Text},
		{"<table><tr><td>Mug<td>12<tr><td>Cup<td>9<tr><td>Jug<td>31</table>", `8`, ""},
		{"<select aria-label=Size><option>S<option selected>M</select>", `{"size":"M"}`, grounding.Text},
		{"<select aria-label=Size><option>S<option selected>M</select>", `{"size":"S"}`, ""},
	} {
		r, err := grounding.Check(snapshot(t, c.html), nil, json.RawMessage(c.data), &grounding.Options{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		var got grounding.Kind
		for _, s := range r.Sources {
			got = s.Kind
		}
		if got != c.want {
			t.Errorf("Check(%s, %s) = %q %v, want %q", c.html, c.data, got, r.Ungrounded, c.want)
		}
	}
}

// TestSwappedColumns: the page's labels distinguish two numbers of one row.
func TestSwappedColumns(t *testing.T) {
	for _, c := range []struct{ html, right, wrong string }{
		{"<table><tr><th>Product<th>Quantity<th>Price<tr><td>Mug<td>4<td>12<tr><td>Cup<td>6<td>9<tr><td>Jug<td>2<td>31</table>",
			`[{"product":"Mug","quantity":4,"price":12},{"product":"Cup","quantity":6,"price":9}]`, `[{"product":"Mug","quantity":12,"price":4},{"product":"Cup","quantity":9,"price":6}]`},
		{"<ul><li>Mug <del>€20</del> <b>€15</b></li><li>Cup <del>€9</del> <b>€7</b></li></ul>",
			`[{"name":"Mug","oldPrice":20,"price":15},{"name":"Cup","oldPrice":9,"price":7}]`, `[{"name":"Mug","oldPrice":15,"price":20},{"name":"Cup","oldPrice":7,"price":9}]`},
		{"<div><p>Rooms: 3</p><p>Floor: 5</p></div>", `{"rooms":3,"floor":5}`, `{"rooms":5,"floor":3}`},
		{"<ul><li>Mug $15 (12 reviews)</li><li>Cup $8 (40 reviews)</li></ul>", `[{"name":"Mug","price":15,"reviews":12},{"name":"Cup","price":8,"reviews":40}]`, `[{"name":"Mug","price":12,"reviews":15},{"name":"Cup","price":40,"reviews":8}]`},
	} {
		snap := snapshot(t, c.html)
		if r, err := grounding.Check(snap, nil, json.RawMessage(c.right), nil); err != nil || contradicted(r) > 0 {
			t.Errorf("Check(%s, %s): %v %v", c.html, c.right, r.Ungrounded, err)
		}
		r, err := grounding.Check(snap, nil, json.RawMessage(c.wrong), nil)
		if err != nil {
			t.Fatal(err)
		}
		numbers := strings.Count(c.wrong, ":") - strings.Count(c.wrong, `":"`)
		if len(r.Ungrounded) < numbers/2 { // one of the two tells it
			t.Errorf("Check(%s, %s) refuses %d of %d: %v", c.html, c.wrong, len(r.Ungrounded), numbers, r.Ungrounded)
		}
	}
}

// TestDerived: what is computed names its parts.
func TestDerived(t *testing.T) {
	html := "<table><tr><th>Item<th>Cost<tr><td>Mug<td>12<tr><td>Cup<td>9<tr><td>Jug<td>31</table>"
	data := `{"items":[{"item":"Mug","cost":12},{"item":"Cup","cost":9},{"item":"Jug","cost":31}],"total":52,"itemCount":3}`
	r, err := grounding.Check(snapshot(t, html), nil, json.RawMessage(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, how := range map[string]string{"/total": "sum", "/itemCount": "count"} {
		if s := r.Sources[pointer]; s.Kind != grounding.Derived || s.How != how || len(s.Parts) == 0 {
			t.Errorf("%s: %+v, want %s; %v", pointer, s, how, r.Ungrounded)
		}
	}
	wrong := strings.Replace(data, `"total":52`, `"total":53`, 1)
	if r, err = grounding.Check(snapshot(t, html), nil, json.RawMessage(wrong), nil); err != nil || len(r.Ungrounded) != 1 {
		t.Errorf("a wrong sum: %v %v", r.Ungrounded, err)
	}
}

// TestCheckAgain: a page that was read once gives every check the same result as
// if it were the first.
func TestCheckAgain(t *testing.T) {
	chrometest.Long(t)
	for _, s := range append(corpus(t), goldCorpus(t)...) {
		data := marshal(s.gold)
		page := grounding.Read(s.snap, &grounding.Options{Now: now})
		want, err := page.Check(s.form, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := page.Check(s.form, data, nil)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d sources, %d ungrounded, %d missing, %v; want %d, %d, %d", s.name, len(got.Sources), len(got.Ungrounded), len(got.Missing), err, len(want.Sources), len(want.Ungrounded), len(want.Missing))
			}
		}
	}
}

// FuzzCheck: no data and no page ends in a panic.
func FuzzCheck(f *testing.F) {
	f.Add("<table><tr><td rowspan=9 colspan=1000>1<td>2</table>", `{"a":[{"b":1}]}`)
	f.Add("<ul><li>1 <del>2</del><li>3</ul>", `[{"a":1,"b":"x"},{"a":3}]`)
	f.Add("<p>12.05.2024 2h15 ★★ 1'2,3.4 -$.5 10<sup>6</sup>", `{"a":"12.05.2024","b":true,"c":-0.5e3}`)
	f.Add("<dl><dt>a<dd>b<dt>c</dl><h2>x</h2><p>y<h2>z</h2>", `{"":[[],[1],{"":""}]}`)
	f.Add("<iframe srcdoc='<p>in'></iframe><select><option>a", `"a"`)
	f.Fuzz(func(t *testing.T, html, data string) {
		r, err := grounding.Check(snapshot(t, html), nil, json.RawMessage(data), &grounding.Options{Now: now})
		if err == nil && known(r) != r.Leaves {
			t.Errorf("%d have a source or a reason, of %d", known(r), r.Leaves)
		}
	})
}

// TestBesideTheRecord: what is said for all records is no value of one that has
// its own.
func TestBesideTheRecord(t *testing.T) {
	for _, c := range []struct{ html, right, wrong, pointer string }{
		{"<nav><a href=/basket>Basket</a></nav><ul><li><a href=/p/1>Mug</a> $15</li><li><a href=/p/2>Cup</a> $8</li></ul>",
			`[{"name":"Mug","link":"https://site.test/p/1"},{"name":"Cup","link":"https://site.test/p/2"}]`,
			`[{"name":"Mug","link":"https://site.test/p/1"},{"name":"Cup","link":"https://site.test/basket"}]`, "/1/link"},
		{"<h1>Rates for 1 EUR</h1><table><tr><th>Code<th>Rate<tr><td>PLN<td>4.25<tr><td>CZK<td>25.1<tr><td>SEK<td>11.2</table>",
			`[{"code":"PLN","rate":4.25},{"code":"CZK","rate":25.1}]`, `[{"code":"PLN","rate":4.25},{"code":"EUR","rate":25.1}]`, "/1/code"},
	} {
		snap := snapshot(t, c.html)
		if r, err := grounding.Check(snap, nil, json.RawMessage(c.right), nil); err != nil || contradicted(r) > 0 {
			t.Errorf("Check(%s, %s): %v %v", c.html, c.right, r.Ungrounded, err)
		}
		if r, err := grounding.Check(snap, nil, json.RawMessage(c.wrong), nil); err != nil || contradicted(r) != 1 || !slices.ContainsFunc(r.Ungrounded, func(f grounding.Finding) bool { return f.Degree == grounding.Contradicted && f.Pointer == c.pointer }) {
			t.Errorf("Check(%s, %s) refuses %v, %v; want %s", c.html, c.wrong, r.Ungrounded, err, c.pointer)
		}
	}
}

// TestMixedLists: a list that has texts and objects is checked like any other.
func TestMixedLists(t *testing.T) {
	snap := snapshot(t, "<ul><li>Mug 5<li>Cup 6</ul>")
	for _, data := range []string{`[1,{"a":1}]`, `[7,8,{"a":{"b":"Mug"}}]`, `["Mug",{"a":{"b":"Mug"}}]`, `[1,[{"a":"Mug"}],{"a":true}]`, `[{"a":5},"Mug",null]`} {
		if r, err := grounding.Check(snap, nil, json.RawMessage(data), nil); err != nil || known(r) != r.Leaves {
			t.Errorf("Check(%s): %+v, %v; want a source or a reason for each leaf", data, r, err)
		}
	}
}

// TestNestedDeeply: data that is nested without end is an error.
func TestNestedDeeply(t *testing.T) {
	snap := snapshot(t, "<p>a</p>")
	for _, c := range []struct {
		depth int
		ok    bool
	}{{200, true}, {300, false}, {3000, false}, {11_000, false}} {
		for _, data := range []string{strings.Repeat("[", c.depth) + strings.Repeat("]", c.depth), strings.Repeat(`{"a":`, c.depth) + `"a"` + strings.Repeat("}", c.depth)} {
			if _, err := grounding.Check(snap, nil, json.RawMessage(data), nil); (err == nil) != c.ok {
				t.Errorf("Check(%.8s…) nested %d deep = %v, want an error: %v", data, c.depth, err, !c.ok)
			}
		}
	}
}

// BenchmarkCheck: what it costs to trace data to a page of so many elements, the
// page's reading included and not.
func BenchmarkCheck(b *testing.B) {
	for _, elements := range []int{1000, 10_000} {
		html, data := long(elements / 6)
		snap := snapshot(b, html)
		for _, again := range []bool{false, true} {
			name := fmt.Sprintf("elements=%d", elements)
			if again {
				name += "/again"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				page := grounding.Read(snap, nil)
				for b.Loop() {
					if !again {
						page = grounding.Read(snap, nil)
					}
					if _, err := page.Check(nil, data, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkTracing compares the tracing of data to a page with the reading of that page
// in memory: what it takes to open, capture and outline it. The goal is at most 2.
func BenchmarkTracing(b *testing.B) {
	pages := map[string]map[string]json.RawMessage{"corpus": {}}
	for _, s := range corpus(b) {
		html, err := os.ReadFile("testdata/" + s.name + ".html")
		if err != nil {
			b.Fatal(err)
		}
		pages["corpus"][string(html)] = marshal(s.gold)
	}
	html, data := long(5000)
	pages["rows=5000"] = map[string]json.RawMessage{html: data}
	for name, list := range pages {
		b.Run(name, func(b *testing.B) {
			var reading, tracing time.Duration
			for b.Loop() {
				for html, data := range list {
					start := time.Now()
					snap := snapshot(b, html)
					read := time.Now()
					if _, err := grounding.Check(snap, nil, data, &grounding.Options{Now: now}); err != nil {
						b.Fatal(err)
					}
					reading, tracing = reading+read.Sub(start), tracing+time.Since(read)
				}
			}
			b.ReportMetric(float64(tracing)/float64(reading), "tracing/reading")
		})
	}
}

// TestReadingData reads every way to write JSON, and expects an error for other text.
func TestReadingData(t *testing.T) {
	snap := snapshot(t, `<p>Name: Ann "Fox" é</p><p>Size: -25</p><p>Tags: red, blue</p>`)
	for data, want := range map[string][]string{
		`{"name":"Ann \"Fox\" \u00e9","size":-2.5e1,"tags":["red","blue"],"none":null}`: {"/name", "/size", "/tags/0", "/tags/1"},
		" {\n\t\"size\" : 7 , \"size\" : -25 }\r\n":                                     {"/size"},
		`{"a/b":"red","c~d":{"e\"":"blue"},"f":[],"g":{"h":[[]]}}`:                      {"/a~1b", "/c~0d/e\""},
		`"red"`: {""},
		`-25`:   {""},
		`[]`:    nil,
		``:      nil, `{`: nil, `{"a":}`: nil, `[1 2]`: nil, `"red" "blue"`: nil, `tru`: nil, "\"\x01\"": nil,
	} {
		report, err := grounding.Check(snap, nil, json.RawMessage(data), nil)
		if valid := json.Valid([]byte(data)); (err == nil) != valid {
			t.Errorf("Check(%s) fails with %v, and that it is JSON is %v", data, err, valid)
			continue
		} else if !valid {
			continue
		}
		if got := slices.Sorted(maps.Keys(report.Sources)); !slices.Equal(got, want) {
			t.Errorf("Check(%s) traces %q, want %q; %v", data, got, want, report.Ungrounded)
		}
	}
}
