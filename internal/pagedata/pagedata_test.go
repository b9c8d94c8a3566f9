package pagedata_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func read(t *testing.T, html string) *pagedata.Page {
	t.Helper()
	const address = "https://site.test/"
	b, err := fake.Web{address: html}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0]
	if _, err := p.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	c, err := p.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return pagedata.New(accessibility.Build(c, nil), now)
}

// said are the lines that a part of a page shows.
func said(p *pagedata.Page, lo, hi int32) string {
	var out []string
	for l := p.FirstLine(lo); int(l) < len(p.Lines) && p.LineStarts[l] < hi; l++ {
		if !p.Lines[l].Hidden {
			out = append(out, strings.TrimSpace(p.Lines[l].Text))
		}
	}
	return strings.Join(out, " / ")
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\n\t= %q,\nwant %q", what, got, want)
	}
}

// TestLines: what stands on one line is one text, in one spelling.
func TestLines(t *testing.T) {
	for html, want := range map[string][]string{
		`<p>An <b>inline</b> span<br>of two</p>`:          {"an inline span", "of two"},
		`<div>One<p>Two</p>Three</div>`:                   {"one", "two", "three"},
		`<p>“It’s” – 3 m²</p>`:                            {"\"it's\" - 3 m\x012"},
		`<p>１２円</p>`:                                      {"12円"},
		`<p>$19<sup>99</sup></p>`:                         {"$19\x0199"},
		`<ul><li><b>Mug</b><i>12</i></li></ul>`:           {"mug 12"},
		`<p>seen</p><p hidden>not seen</p>`:               {"seen"},
		`<pre>Alba  12` + "\n\n" + `Boro  7</pre>`:        {"alba 12", "boro 7"},
		`<label>Name <input value="Ada"></label>`:         {"name", "ada"},
		`<select><option>S<option selected>M</select>`:    {"m"},
		`<p>a</p><iframe srcdoc="<p>in it</p>"></iframe>`: {"a", "in it"},
	} {
		p := read(t, html)
		var got []string
		for i := range p.Lines {
			if l := &p.Lines[i]; !l.Hidden {
				got = append(got, strings.TrimSpace(l.Text))
			}
		}
		equal(t, html, got, want)
	}
}

// TestRecords: what a page repeats is records. A star says that one is a thing of its own.
func TestRecords(t *testing.T) {
	for html, want := range map[string][]string{
		`<ul><li><h3>Mug</h3><p>$15</p><li><h3>Cup</h3><p>$8</p></ul>`:          {"mug / $15*", "cup / $8*"},
		`<ul><li>Mug<li>Cup</ul>`:                                               {"mug", "cup"},
		`<table><tr><th>Item<th>Price<tr><td>Mug<td>15<tr><td>Cup<td>8</table>`: {"mug / 15*", "cup / 8*"},
		`<h2>Mon</h2><p>Ana</p><p>Bo</p><h2>Tue</h2><p>Cy</p>`:                  {"mon / ana / bo*", "tue / cy*", "mon", "tue", "ana", "bo", "cy"},
		`<dl><dt>Name<dd>Ada<dt>Town<dd>Delft</dl>`:                             {"name / ada", "town / delft", "name", "town", "ada", "delft"},
		`<div class=card>A <b>1</b></div><div class=card>B <b>2</b></div>`:      {"a 1*", "b 2*"},
		`<div class=card-1>A <b>1</b></div><div class=card-2>B <b>2</b></div>`:  {"a 1*", "b 2*"},
		`<div class=a>A <b>1</b></div><div class=b>B <b>2</b></div>`:            {},
		"<pre>Alba  chair  12\nBoro  stool  7\n</pre>":                          {"alba chair 12*", "boro stool 7*"},
		"<pre>A text that\nruns on over\nthree lines</pre>":                     {"a text that", "runs on over", "three lines"},
		`<p>Only one</p>`: {},
	} {
		p := read(t, html)
		got := []string{}
		for _, r := range p.Rec.All[1:] {
			if text := said(p, r.Lo, r.Hi); text != "" && !r.Header && r.Group >= 0 && p.Tag(r.Lo) != "th" && p.Tag(r.Lo) != "td" {
				if r.Solid {
					text += "*"
				}
				got = append(got, text)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		equal(t, html, got, want)
	}
}

// TestCaptions: what a page calls a place: X of each page, by its label, by what its row
// begins with, by classes and the words before it, and whether it is struck through.
func TestCaptions(t *testing.T) {
	for _, c := range []struct{ html, sure, row, hint string }{
		{`<table><tr><th>Item<th>Unit price<tr><td>Mug<td>X</table>`, "unit price", "mug", ""},
		{`<table><tr><th>Price<td>X</table>`, "price", "price", ""},
		{`<table><tr><th>Height<td>1<th>Width<td>X</table>`, "width", "height", ""},
		{`<table><tr><td>Price<td>X</table>`, "price", "price", ""},
		{`<table><tr><td>Mug<td>X<td>2</table>`, "", "mug", ""},
		{`<table><tr><th colspan=2>Wins<th>Draws<tr><td>1<td>X<td>3</table>`, "win", "1", ""},
		{`<div role=table><p role=row><i role=columnheader>Item</i><i role=columnheader>Unit price</i></p><p role=row><i role=cell>Mug</i><i role=cell>X</i></p></div>`, "unit price", "mug", "mug"},
		{`<table><tr><th>Item<th><abbr title="Goals scored">GS</abbr><tr><td>Mug<td>X</table>`, "goal scored", "mug", ""},
		{`<table><tr><th colspan=2>2026<tr><th>Item<th>Price<tr><td>Mug<td>X</table>`, "price", "mug", ""},
		{`<table><tr><th rowspan=2>Item<th colspan=2>2026<tr><th>Price<th>Weight<tr><td>Mug<td>X<td>2</table>`, "2026 price", "mug", ""},
		{`<table><tr><th>Item<th>Price<tr><td>Mug<td>3<tr><th>Tool<th>Weight<tr><td>Saw<td>X</table>`, "weight", "saw", ""},                                                                                                       // a section with headers of its own
		{`<div role=grid><p role=row aria-rowindex=2><i role=gridcell>Mug</i><i role=gridcell>X</i></p><p role=row aria-rowindex=1><i role=columnheader>Item</i><i role=columnheader>Price</i></p></div>`, "price", "mug", "mug"}, // headers that stay, behind what scrolls
		{`<div role=grid><p role=row><i role=columnheader aria-colindex=1>Item</i></p><p role=row><i role=columnheader aria-colindex=2>Price</i><i role=columnheader aria-colindex=9>Weight</i></p>
			<p role=row><i role=gridcell aria-colindex=1>Mug</i></p><p role=row aria-colindex=2><i role=gridcell>3</i><i role=gridcell aria-colindex=9>X</i></p></div>`, "weight", "3", ""}, // columns that stay, in rows of their own
		{`<table style="border-spacing:0;width:200px"><tr><th>Item<th>Price</table><table style="border-spacing:0;width:200px"><tr><td>Mug<td>X</table>`, "price", "mug", ""}, // headers that stay, in a table of their own
		{`<table style="border-spacing:0;width:200px"><tr><th>Item<th>Price</table><table style="border-spacing:0;width:300px"><tr><td>Mug<td>X</table>`, "mug", "mug", ""},   // of another table
		{`<dl><dt>Prep time<dd>X</dl>`, "prep time", "", ""},
		{`<dl><dt>A<dt>B<dd>1<dd>X</dl>`, "b", "", ""},
		{`<p>Price: X</p>`, "price", "", ""},
		{`<p>Now. Price: X</p>`, "price", "", ""},
		{`<p>was X</p>`, "", "", "was"},
		{`<p class="old-price">X</p>`, "", "", "old price"},
		{`<p itemprop=ratingValue>X</p>`, "", "", "rating"},
		{`<p><del>X</del> 3</p>`, "", "", ""},
		{`<label>Town <input value=X></label>`, "town", "", ""},
		{`<p>Nothing of it</p><p>X</p>`, "", "", ""},
	} {
		p := read(t, c.html)
		i := slices.IndexFunc(p.Lines, func(l pagedata.Line) bool { return !l.Hidden && slices.Contains(strings.Fields(l.Text), "x") })
		if i < 0 {
			t.Fatal(c.html)
		}
		at := int32(strings.Index(p.Lines[i].Text, "x"))
		got := p.CaptionOf(p.Lines[i].ElemAt(at), at)
		if s := strings.Join(got.Sure, " "); s != c.sure {
			t.Errorf("CaptionOf(%s) is sure of %q, want %q", c.html, s, c.sure)
		}
		if s := strings.Join(p.LabelOf(got.Row), " "); s != c.row {
			t.Errorf("CaptionOf(%s): its row begins with %q, want %q", c.html, s, c.row)
		}
		if s := strings.Join(got.Hint, " "); s != c.hint {
			t.Errorf("CaptionOf(%s) hints at %q, want %q", c.html, s, c.hint)
		}
		if old := strings.Contains(c.html, "<del>"); got.Old != old {
			t.Errorf("CaptionOf(%s): old is %t", c.html, got.Old)
		}
	}
}

// TestLabels: the words of a label are stems, without those that say nothing; a name is
// split at its capitals.
func TestLabels(t *testing.T) {
	for s, want := range map[string]string{
		"The unit prices": "unit price", "Categories:": "category", "Boxes & glass": "box & glass", "Größe (cm)": "große cm", "": "",
	} {
		equal(t, s, []string{strings.Join(pagedata.LabelWords(s), " ")}, []string{want})
	}
	for s, want := range map[string]string{
		"oldPrice": "old price", "FULL_TIME": "full time", "goals90": "goals 90", "HTTPServer": "httpserver", "größe": "größe",
	} {
		equal(t, s, []string{strings.Join(pagedata.SplitName(s), " ")}, []string{want})
	}
}

// TestGrid: a cell that spans columns or rows stands in each of its places.
func TestGrid(t *testing.T) {
	for html, want := range map[string][]string{
		`<table><tr><td>a<td>b<tr><td>c<td>d</table>`:                                                           {"a b", "c d"},
		`<table><tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e</table>`:                                            {"a a b", "c d e"},
		`<table><tr><td rowspan=2>a<td>b<tr><td>c</table>`:                                                      {"a b", "a c"},
		`<table><tr><td>a<td rowspan=3>b<tr><td>c<tr><td>d</table>`:                                             {"a b", "c b", "d b"},
		`<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c</table>`:                                            {"a a b", "a a c"},
		`<table><tbody><tr><td rowspan=9>a<td>b<tbody><tr><td>c<td>d</table>`:                                   {"a b", "c d"},
		`<table><tr><td>a<td rowspan=2>b<td rowspan=2>c<tr></table>`:                                            {"a b c", "- b c"},
		`<table><tr><td>a<table><tr><td>x</table><td>b</table>`:                                                 {"a b"},
		`<div role=table><div role=row><i role=columnheader>a</i><i role=cell aria-colspan=2>b</i></div></div>`: {"a b b"},
	} {
		p := read(t, html)
		table := int32(1)
		for p.Part(table) != "table" {
			table++
		}
		var got []string
		for _, row := range p.TableOf(table).Rows {
			var cells []string
			for _, c := range row.Cells {
				if c < 0 {
					cells = append(cells, "-")
					continue
				}
				cells = append(cells, strings.Fields(p.TextOf(c, 80) + " ")[0])
			}
			got = append(got, strings.Join(cells, " "))
		}
		equal(t, html, got, want)
	}
}

// TestNumbers: every value that a number may stand for, with its currency and its unit.
func TestNumbers(t *testing.T) {
	for s, want := range map[string][]string{
		"1.299,00 €":   {"1299 EUR"},
		"€1,299.00":    {"1299 EUR"},
		"1 299 kg":     {"1299 kg", "1 ", "299 kg"},
		"1'299.50 CHF": {"1299.5 CHF"},
		"₹1,12,500":    {"112500 INR"},
		"12k":          {"12000 k"},
		"3 Mio.":       {"3000000 mio"},
		"15 %":         {"15|0.15 %"},
		"−5 °C":        {"-5 °"},
		"(1,250.00)":   {"1250|-1250 "},
		"10⁶":          {"1000000|10 ", "10 "},
		"E155":         nil,
		"v1":           nil,
		"12:30":        {"12 ", "30 "}, // a time, or how a match ended
		"28:9":         {"28 ", "9 "},
		"A4-1299":      nil,
		"★★★☆":         {"3 stars"},
		".5":           {"0.5 "},
		"預熱200度":       {"200 度"},
		"１２円":          {"12 JPY"},
	} {
		n := pagedata.Normalize(s)
		var got []string
		for _, num := range pagedata.NumbersIn(n, pagedata.Tokenize(n, nil), pagedata.Decimals{Dot: true, Comma: true}) {
			var keys []string
			for _, r := range num.Readings {
				keys = append(keys, r.Key)
			}
			unit := num.After
			if num.Percent {
				unit = "%"
			} else if num.Currency != "" {
				unit = num.Currency
			}
			got = append(got, strings.Join(keys, "|")+" "+unit)
		}
		equal(t, s, got, want)
	}
}

// TestMoments: dates, times of day and lengths of time, however they are written.
func TestMoments(t *testing.T) {
	for s, want := range map[string][]string{
		"3 Nov":            {"date 0-11-3"},
		"3. November 2026": {"date 2026-11-3"},
		"November 3, 2026": {"date 2026-11-3"},
		"2026-11-03":       {"date 2026-11-3"},
		"11/03/2026":       {"date 2026-3-11", "date 2026-11-3"},
		"03.11.2026":       {"date 2026-11-3"},
		"2026年11月3日":       {"date 2026-11-3"},
		"November 2026":    {"date 2026-11-0"},
		"yesterday":        {"date 2026-11-21"},
		"2 days ago":       {"length 172800", "date 2026-11-20"},
		"at 2:30 pm":       {"time 52200"},
		"14:30 Uhr":        {"time 52200"},
		"noon":             {"time 43200"},
		"2h 15min":         {"time 8100", "length 8100", "length 900"},
		"PT1H30M":          {"length 5400", "time 5400", "length 5400", "length 1800"},
		"90 minutes":       {"length 5400"},
		"version 3.11":     nil,
		"may be":           nil,
	} {
		n := pagedata.Normalize(s)
		var got []string
		for _, m := range pagedata.MomentsIn(n, pagedata.Tokenize(n, nil), now) {
			switch m.Kind {
			case pagedata.DateMoment:
				got = append(got, fmt.Sprintf("date %d-%d-%d", m.Year, m.Month, m.Day))
			case pagedata.TimeMoment:
				got = append(got, fmt.Sprintf("time %d", m.Seconds))
			default:
				got = append(got, fmt.Sprintf("length %d", m.Seconds))
			}
		}
		equal(t, s, got, want)
	}
}
