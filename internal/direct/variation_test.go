package direct_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A field is something that generated pages say of each of their records.
type field struct {
	members []string // names that a schema may give it, each with a schema
	forms   []string
	labels  []string // what a page may call it
	value   func(r *rand.Rand, i int) (text string, gold any)
}

var fields = []field{
	{[]string{"name", "title", "productName"}, []string{`{"type":"string"}`, `{"type":"string","description":"Name of the product"}`}, []string{"Name", "Product name", "Title"},
		func(r *rand.Rand, i int) (string, any) {
			text := fmt.Sprintf("%s %s %d", pick(r, "Oak", "Slate", "Birch", "Copper"), pick(r, "stool", "lamp", "tray"), i+10)
			return text, text
		}},
	{[]string{"price", "unitPrice", "cost"}, []string{`{"type":"number"}`, `{"type":"number","description":"Price in dollars"}`}, []string{"Price", "Cost", "Unit price"},
		func(r *rand.Rand, i int) (string, any) {
			cents := r.IntN(300_000) + 100
			text := fmt.Sprintf("%d.%02d", cents/100, cents%100)
			if cents >= 100_000 {
				text = fmt.Sprintf("%d,%03d.%02d", cents/100_000, cents/100%1000, cents%100)
			}
			return "$" + text, float64(cents) / 100
		}},
	{[]string{"quantity", "qty"}, []string{`{"type":"integer"}`, `{"type":"integer","description":"How many pieces"}`}, []string{"Qty", "Quantity"},
		func(r *rand.Rand, i int) (string, any) { n := r.IntN(90) + 1; return fmt.Sprint(n), n }},
	{[]string{"date", "orderDate"}, []string{`{"type":"string","format":"date"}`}, []string{"Date", "Order date"},
		func(r *rand.Rand, i int) (string, any) {
			d := r.IntN(27) + 1
			return pick(r, fmt.Sprintf("%d Nov 2026", d), fmt.Sprintf("2026-11-%02d", d), fmt.Sprintf("November %d, 2026", d)), fmt.Sprintf("2026-11-%02d", d)
		}},
	{[]string{"company", "employer"}, []string{`{"type":"string"}`}, []string{"Company", "Employer", "Organisation"},
		func(r *rand.Rand, i int) (string, any) {
			t := pick(r, "Lumen", "Oatline", "Fjord", "Pell & Co")
			return t, t
		}},
	{[]string{"location", "place"}, []string{`{"type":"string"}`, `{"type":"string","description":"Where it is"}`}, []string{"Location", "Place"},
		func(r *rand.Rand, i int) (string, any) { t := pick(r, "Ghent", "Metz", "Trier", "Nancy"); return t, t }},
	{[]string{"email"}, []string{`{"type":"string","format":"email"}`, `{"type":"string"}`}, []string{"Email", "E-mail", "Mail"},
		func(r *rand.Rand, i int) (string, any) { t := fmt.Sprintf("p%d@mail.test", r.IntN(900)); return t, t }},
	{[]string{"inStock", "available"}, []string{`{"type":"boolean"}`}, []string{"Available", "In stock"},
		func(r *rand.Rand, i int) (string, any) {
			if r.IntN(2) == 0 {
				return "Yes", true
			}
			return "No", false
		}},
	{[]string{"status"}, []string{`{"type":"string","enum":["open","closed","on hold"]}`, `{"type":"string"}`}, []string{"Status"},
		func(r *rand.Rand, i int) (string, any) { t := pick(r, "open", "closed", "on hold"); return t, t }},
	{[]string{"author"}, []string{`{"type":"string"}`, `{"type":"string","description":"Who wrote it"}`}, []string{"Author", "Written by"},
		func(r *rand.Rand, i int) (string, any) {
			t := pick(r, "Ana", "Bo", "Cy", "Dee") + " Marsh"
			return t, t
		}},
}

// decoys are near what is asked for, and something else.
var decoys = []field{
	{labels: []string{"Shipping cost", "List price", "Deposit", "Was"}, value: fields[1].value},
	{labels: []string{"Due date", "Updated", "Delivery date"}, value: fields[3].value},
	{labels: []string{"Contact name", "Agent", "Warehouse"}, value: fields[9].value},
	{labels: []string{"Minimum quantity", "Weight", "Ref"}, value: fields[2].value},
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// A cell is one thing that a generated record says.
type cell struct{ label, text string }

// TestVariations generates pages that say the same things in other ways: other
// headers, other orders, other markup, with columns that are near to what is
// asked for. Nothing may be wrong. Of the labels a third are the schema's words, and of
// the kinds of pages two in three have labels by markup.
func TestVariations(t *testing.T) {
	filled, all := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 14))
		page, form, want := variation(r)
		result := extract(t, read(t, map[string]string{"https://v.test/": page}, "https://v.test/"), form, "")
		s := compare(t, result.Data, want)
		filled, all = filled+s.right, all+s.all
		if len(s.wrong) > 0 {
			t.Errorf("seed %d: %s\n%s\n%s", seed, strings.Join(s.wrong[:min(len(s.wrong), 4)], "\n"), form, page[:min(len(page), 1800)])
		}
	}
	t.Logf("%d of %d leaves filled, %.1f %%", filled, all, 100*float64(filled)/float64(all))
	if 100*filled < 20*all {
		t.Errorf("%d of %d leaves filled, want at least 20 %%", filled, all)
	}
}

// variation generates a page, a schema, and what the page says of it.
func variation(r *rand.Rand) (page string, form, want json.RawMessage) {
	chosen := append([]field{}, fields[1:]...)
	r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	chosen = append(chosen[:2+r.IntN(4)], fields[0])
	asked := len(chosen)
	for range r.IntN(3) {
		d := decoys[r.IntN(len(decoys))]
		if !slices.ContainsFunc(chosen, func(f field) bool { return f.labels[0] == d.labels[0] }) {
			chosen = append(chosen, d)
		}
	}
	records := 1
	if r.IntN(3) > 0 {
		records = 3 + r.IntN(6)
	}
	labels, members, properties := make([]string, len(chosen)), make([]string, asked), []string{}
	for i, f := range chosen {
		labels[i] = pick(r, f.labels...)
		if i < asked {
			members[i] = pick(r, f.members...)
			properties = append(properties, fmt.Sprintf("%q:%s", members[i], pick(r, f.forms...)))
		}
	}
	order := r.Perm(len(chosen))
	rows := make([][]cell, records)
	gold := make([]map[string]any, records)
	for k := range rows {
		gold[k] = map[string]any{}
		texts := make([]string, len(chosen))
		for i, f := range chosen {
			text, v := f.value(r, k)
			texts[i] = text
			if i < asked {
				gold[k][members[i]] = v
			}
		}
		for _, i := range order {
			rows[k] = append(rows[k], cell{labels[i], texts[i]})
		}
	}
	object := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`
	var body string
	if records == 1 {
		form, body = json.RawMessage(object), detail(r, rows[0])
		want, _ = json.Marshal(gold[0]) // strings and numbers
	} else {
		form = json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":` + object + `}}}`)
		body = list(r, rows)
		want, _ = json.Marshal(map[string]any{"items": gold})
	}
	return `<!doctype html><html lang="en"><title>Acme</title><body><header><a href="/">Acme</a><nav><a href="/a">Deals from $5.00</a><a href="/b">Mail us</a></nav></header><main>` + body +
		`</main><footer><a href="mailto:desk@acme.test">desk@acme.test</a> <p>Company: Acme Ltd</p></footer></body></html>`, form, want
}

// list writes records as one of several kinds of list.
func list(r *rand.Rand, rows [][]cell) string {
	var b strings.Builder
	kind := r.IntN(5)
	b.WriteString("<h1>Overview</h1>")
	switch kind {
	case 0, 1:
		table, row, th, td, end := "<table>", "<tr>", "<th>%s</th>", "<td>%s</td>", [2]string{"</tr>", "</table>"}
		if kind == 1 {
			table, row, th, td, end = `<div role="table">`, `<div role="row">`, `<span role="columnheader">%s</span>`, `<span role="cell">%s</span>`, [2]string{"</div>", "</div>"}
		}
		b.WriteString(table + row)
		for _, c := range rows[0] {
			fmt.Fprintf(&b, th, c.label)
		}
		b.WriteString(end[0])
		for _, cells := range rows {
			b.WriteString(row)
			for _, c := range cells {
				fmt.Fprintf(&b, td, html.EscapeString(c.text))
			}
			b.WriteString(end[0])
		}
		b.WriteString(end[1])
	default:
		for _, cells := range rows {
			b.WriteString([]string{`<div class="entry">`, `<article>`, `<section class="x">`}[kind-2])
			b.WriteString(detailLines(kind-2, cells))
			b.WriteString([]string{`<button>Select</button></div>`, `</article>`, `</section>`}[kind-2])
		}
	}
	return b.String()
}

// detail writes one record as one of several kinds of page.
func detail(r *rand.Rand, cells []cell) string {
	return "<h1>Overview</h1>" + detailLines(r.IntN(5), cells)
}

func detailLines(kind int, cells []cell) string {
	var b strings.Builder
	open := []string{"", "<dl>", "<div>", "<table>", "<form>"}[kind]
	closing := []string{"", "</dl>", "</div>", "</table>", "</form>"}[kind]
	b.WriteString(open)
	for i, c := range cells {
		b.WriteString(strings.NewReplacer("LABEL", c.label, "TEXT", html.EscapeString(c.text), "ID", fmt.Sprint("f", i)).Replace([]string{
			`<p>LABEL: <span>TEXT</span></p>`,
			`<dt>LABEL</dt><dd>TEXT</dd>`,
			`<div><span>LABEL</span> <strong>TEXT</strong></div>`,
			`<tr><th>LABEL</th><td>TEXT</td></tr>`,
			`<div><label for=ID>LABEL</label><input id=ID value="TEXT"></div>`,
		}[kind]))
	}
	b.WriteString(closing)
	return b.String()
}
