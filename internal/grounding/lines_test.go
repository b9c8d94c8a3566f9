package grounding_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/grounding"
)

// findings are what is refused or marked of data on a page, by pointer.
func findings(t *testing.T, html, data string) (map[string]grounding.Degree, *grounding.Report) {
	t.Helper()
	r, err := grounding.Check(snapshot(t, html), nil, json.RawMessage(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]grounding.Degree{}
	for _, f := range r.Ungrounded {
		out[f.Pointer] = f.Degree
	}
	return out, r
}

// TestPreformattedLines: the lines of a preformatted text are records, as those of the
// contents of an RFC; the words of a paragraph run on over them.
func TestPreformattedLines(t *testing.T) {
	for name, contents := range map[string]string{
		"text": "Table of Contents\n\n   1.  Introduction  . . . . . . . . . . .   3\n     1.1.  Notation  . . . . . . . . . . . .   4\n   2.  Semantics . . . . . . . . . . . . .   4\n   3.  Security Considerations . . . . . .   9\n\n1.  Introduction\n\n   This document has 12 parts, which\n   nobody counted.\n",
		"links": "Table of Contents\n\n   <a href=\"#s1\">1</a>.  Introduction  . . . . . . . . . . .   <a href=\"#p3\">3</a>\n     <a href=\"#s1.1\">1.1</a>.  Notation  . . . . . . . . . . . .   <a href=\"#p4\">4</a>\n" +
			"   <a href=\"#s2\">2</a>.  Semantics . . . . . . . . . . . . .   <a href=\"#p4\">4</a>\n   <a href=\"#s3\">3</a>.  Security Considerations . . . . . .   <a href=\"#p9\">9</a>\n\n1.  Introduction\n\n   This document has 12 parts, which\n   nobody counted.\n",
	} {
		html := "<title>RFC</title><pre>" + contents + "</pre>"
		const data = `{"contents":[{"number":"1","title":"Introduction","page":3},{"number":"1.1","title":"Notation","page":4},{"number":"2","title":"Semantics","page":4},{"number":"3","title":"Security Considerations","page":9}],"note":"This document has 12 parts, which nobody counted."}`
		if found, r := findings(t, html, data); len(found) > 0 || len(r.Missing) > 0 {
			t.Errorf("%s: true, and %v, missing %v", name, r.Ungrounded, r.Missing)
		}
		for _, wrong := range [][2]string{{`"page":3`, `"page":9`}, {`"title":"Semantics"`, `"title":"Notation"`}} {
			if found, _ := findings(t, html, strings.Replace(data, wrong[0], wrong[1], 1)); len(found) == 0 {
				t.Errorf("%s: %s for %s is not noticed", name, wrong[1], wrong[0])
			}
		}
		short := strings.Replace(data, `{"number":"2","title":"Semantics","page":4},`, "", 1)
		if _, r := findings(t, html, short); len(r.Missing) != 1 {
			t.Errorf("%s: a line that is left out: missing %v", name, r.Missing)
		}
	}
}

// TestLeftOut: what lists leave out is a gap: one of two rows, and a text of a list of
// texts, whether its entries are elements or parts of a line.
func TestLeftOut(t *testing.T) {
	const cards = `<ul><li><h3>Mug</h3><p>$4.50</p><li><h3>Jug</h3><p>$9.00</p></ul>`
	const rows = `<table><tr><th>Name<th>Price<tr><td>Mug<td>$4.50<tr><td>Jug<td>$9.00</table>`
	const grid = `<div role=grid><p class=head role=row><i role=columnheader>Name</i><i role=columnheader>Price</i></p>
		<p class=even role=row><i role=gridcell>Mug</i><i role=gridcell>$4.50</i></p><p class=odd role=row><i role=gridcell>Jug</i><i role=gridcell>$9.00</i></p>
		<p class=even role=row><i role=gridcell>Pot</i><i role=gridcell>$3.00</i></p></div>`
	const texts = `<h2>Authors</h2><ul><li>Robert Griesemer<li>Rob Pike<li>Ken Thompson</ul><h2>Other</h2><p>None.`
	const line = `<h2>Tags</h2><p>Tags: tea, green, loose leaf</p>`
	const badges = `<h2>Skills</h2><div><a href="#">Licence C</a> <a href="#">Night shift</a> <a href="#">English</a></div>`
	for _, c := range []struct {
		html, data string
		missing    int
	}{
		{texts, `{"authors":["Ken Thompson"]}`, 1},
		{badges, `{"skills":["Licence C","Night shift","English"]}`, 0},
		{badges, `{"skills":["Licence C","Night shift"]}`, 1},
		{badges, `{"skills":["English"]}`, 1},
		{cards, `{"items":[{"name":"Mug","price":4.5},{"name":"Jug","price":9}]}`, 0},
		{cards, `{"items":[{"name":"Jug","price":9}]}`, 1},
		{rows, `{"items":[{"name":"Mug","price":4.5},{"name":"Jug","price":9}]}`, 0},
		{rows, `{"items":[{"name":"Mug","price":4.5}]}`, 1},
		{grid, `{"items":[{"name":"Mug","price":4.5},{"name":"Jug","price":9},{"name":"Pot","price":3}]}`, 0},
		{grid, `{"items":[{"name":"Mug","price":4.5},{"name":"Pot","price":3}]}`, 1},
		{texts, `{"authors":["Robert Griesemer","Rob Pike","Ken Thompson"]}`, 0},
		{texts, `{"authors":["Robert Griesemer","Ken Thompson"]}`, 1},
		{texts, `{"authors":["Robert Griesemer","Rob Pike"]}`, 1},
		{line, `{"tags":["tea","green","loose leaf"]}`, 0},
		{line, `{"tags":["tea","loose leaf"]}`, 1},
	} {
		if _, r := findings(t, c.html, c.data); contradicted(r) > 0 || len(r.Missing) != c.missing {
			t.Errorf("%s: %v, missing %v, want %d lists that leave something out", c.data, r.Ungrounded, r.Missing, c.missing)
		}
	}
}

// TestExchanged: of two rows, where no label says which value is which, the one that has
// them as no other has is refused.
func TestExchanged(t *testing.T) {
	const cards = `<ul><li><h3>Mug</h3><p>Delft</p><li><h3>Jug</h3><p>Gouda</p></ul>`
	for data, want := range map[string]bool{
		`{"items":[{"name":"Mug","town":"Delft"},{"name":"Jug","town":"Gouda"}]}`: false,
		`{"items":[{"name":"Mug","town":"Delft"},{"name":"Gouda","town":"Jug"}]}`: true,
		`{"items":[{"name":"Delft","town":"Mug"},{"name":"Jug","town":"Gouda"}]}`: true,
	} {
		if found, r := findings(t, cards, data); len(found) > 0 != want {
			t.Errorf("%s: %v, noticed is %t, want %t", data, r.Ungrounded, len(found) > 0, want)
		}
	}
}

// TestCitedLine: a text of several lines is cited by its ref and the words that a line
// begins with, and the source is in that line.
func TestCitedLine(t *testing.T) {
	snap := snapshot(t, "<title>Stock</title><pre>Stock\n\nAlba  chair  12\nBoro  stool  12\nCleo  bench  12\n</pre>")
	text := snap.Nodes[1]
	for words, at := range map[string]int{"": 17, " Alba": 17, " boro  stool": 31, " Cleo bench 12": 45, " Dora": 17} {
		cited := map[string]accessibility.Ref{"/count": text.Ref + accessibility.Ref(words)}
		r, err := grounding.Read(snap, nil).Check(nil, json.RawMessage(`{"count":12}`), cited)
		if err != nil {
			t.Fatal(err)
		}
		s := r.Sources["/count"]
		if s.Ref != text.Ref || s.Found || s.Text != "12" || s.Start != at {
			t.Errorf("cited %q: %+v of %q, want it at %d", words, s, text.Name, at)
		}
	}
}

// TestColumnsAreRecords: whatever a table's headers are called, its columns are the records
// where they hold what each item has, and a list in an item is of the column's cells.
func TestColumnsAreRecords(t *testing.T) {
	const html = `<table><tr><th>Kurs<th>11<th>13<th>17<tr><th>Schiff<td>Libelle<td>Reiher<td>Möwe<tr><th>Altdorf<td>09.05<td>11.05<td>14.35<tr><th>Rüti<td>09.28<td>–<td>14.58<tr><th>Talwil<td>10.20<td>12.13<td>15.50</table>`
	const data = `[{"course":"11","ship":"Libelle","stops":[{"pier":"Altdorf","time":"09:05"},{"pier":"Rüti","time":"09:28"},{"pier":"Talwil","time":"10:20"}]},{"course":"13","ship":"Reiher","stops":[{"pier":"Altdorf","time":"11:05"},{"pier":"Talwil","time":"12:13"}]},{"course":"17","ship":"Möwe","stops":[{"pier":"Altdorf","time":"14:35"},{"pier":"Rüti","time":"14:58"},{"pier":"Talwil","time":"15:50"}]}]`
	if _, r := findings(t, html, data); contradicted(r) > 0 || len(r.Missing) > 0 {
		t.Errorf("true, and %v, missing %v", r.Ungrounded, r.Missing)
	}
	for _, wrong := range [][2]string{{"Reiher", "Möwe"}, {"11:05", "14:35"}, {"09:28", "14:58"}} {
		if _, r := findings(t, html, strings.Replace(data, wrong[0], wrong[1], 1)); contradicted(r) == 0 {
			t.Errorf("%s for %s is not noticed", wrong[1], wrong[0])
		}
	}
	if _, r := findings(t, html, strings.Replace(data, `{"pier":"Rüti","time":"09:28"},`, "", 1)); len(r.Missing) != 1 {
		t.Errorf("a stop that is left out: missing %v", r.Missing)
	}
}

// TestPreformattedColumns: a value of another column of an aligned text is refused.
func TestPreformattedColumns(t *testing.T) {
	const html = "<pre>\nName         Role       Since\n-----------  ---------  -----\nAda Brook    Owner      2009\nBo Carl      Billing    2014\nCleo Dorn    Technical  2021\n</pre>"
	const data = `[{"name":"Ada Brook","role":"Owner","since":"2009"},{"name":"Bo Carl","role":"Billing","since":"2014"},{"name":"Cleo Dorn","role":"Technical","since":"2021"}]`
	if _, r := findings(t, html, data); contradicted(r) > 0 {
		t.Errorf("true, and %v", r.Ungrounded)
	}
	if found, _ := findings(t, html, strings.Replace(data, `"role":"Billing"`, `"role":"Bo Carl"`, 1)); len(found) == 0 {
		t.Error("a name for a role is not noticed")
	}
}
