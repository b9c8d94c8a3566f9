package accessibility_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A locator's own text is read as the same locator.
func TestLocatorText(t *testing.T) {
	for text, want := range map[string]string{
		`role=button`:                               `role=button`,
		`role = button [ name = "Print" ]`:          `role=button[name="Print"]`,
		`role=row[text*="Tea"i] >> role=link`:       `role=row[text*="Tea"i] >> role=link`,
		`text=Log in`:                               `text="Log in"`,
		`label="Say \"hi\" \\ >> there"`:            `label="Say \"hi\" \\ >> there"`,
		`testid=a >> nth=-1`:                        `testid="a" >> nth=-1`,
		`placeholder="x" >> role=link[name="a" i]`:  `placeholder="x" >> role=link[name="a"i]`,
		`role=cell[name="a"][text="b"] >> text="c"`: `role=cell[name="a"][text="b"] >> text="c"`,
	} {
		l, err := accessibility.ParseLocator(text)
		if err != nil || l.String() != want || !accessibility.IsLocator(text) {
			t.Errorf("%s = %v, %v; want %s", text, l, err, want)
		}
	}
	for _, selector := range []string{"#id", "button", "a[href='x']", "//a", "css=role=x", "xpath=//a", "[role=button]", "role", ""} {
		if accessibility.IsLocator(selector) {
			t.Errorf("%q is taken for a locator", selector)
		}
	}
}

// Cells on their row's line are found by row, by column and by text.
func TestLocateCells(t *testing.T) {
	s := accessibility.Build(htmlcapture.Of(t, `<table><tr><th>Part<th>Stock<th>Do<tr><td>Lid<td>7<td><button>Order</button><tr><td>Knob<td>7<td><button>Order</button></table>
		<table><tr><th>A<th>B<th>C<tr><td>Outer<td>Two<td><table><tr><th>D<th>E<tr><td>In <a href="#a">Inner</a><td>Three</table></table>
		<div role=grid><div role=row><span role=columnheader>Name</span><span role=columnheader>Stock</span></div><div role=row><span role=gridcell>Bolt</span><span role=gridcell>9</span></div>
		<div role=row><span role=gridcell><input aria-label=Screw></span><span role=gridcell><input aria-label=Screws></span></div></div>`), nil)
	for text, want := range map[string][]string{
		`role=row[text="Lid"] >> column="Stock"`: {"7"},
		`column="Stock"`:                         {"7", "7", "9"},
		`role=row[text="Bolt"] >> column=Stock`:  {"9"},
		`role=row[text="Lid"] >> column=Price`:   nil,
		`role=row[text="Knob"] >> role=cell`:     {"Knob", "7", ""},
		`text=7`:                                 {"7", "7"},
		`role=row[text="Knob"] >> text="7"`:      {"7"},
		`text="Lid"`:                             {"Lid"},
		`role=cell[name="7"] >> nth=1`:           {"7"},
		`role=cell[name="Lid"] >> role=cell`:     nil,
		`role=row[text="Knob"] >> role=button`:   {"Order"},
		`role=columnheader[name="Stock"]`:        {"Stock", "Stock"},
		// What is in a cell, also in one that the outline leaves out for it.
		`role=row[text="Lid"] >> column="Do" >> role=button`:    {"Order"},
		`role=row[text="Lid"] >> role=cell >> role=button`:      {"Order"},
		`role=row[text="Lid"] >> column="Stock" >> role=button`: nil,
		`column="Do" >> role=button`:                            {"Order", "Order"},
		`role=cell >> role=link`:                                {"Inner"},
		`column="Stock" >> role=textbox`:                        {"Screws"},
		`column="Name" >> role=textbox`:                         {"Screw"},
	} {
		l, err := accessibility.ParseLocator(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range s.Locate(l) {
			if same, ok := s.Find(n.Source); !ok || same.Ref != n.Ref {
				t.Errorf("%s: %s is not found again by its node", text, n.Ref)
			}
			got = append(got, n.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s = %q, want %q", text, got, want)
		}
	}
}

// A column is found by a header that sorts, or that has more in it, and by its place
// among all cells of the row.
func TestLocateBelowHeadersWithContent(t *testing.T) {
	for _, head := range []string{
		`<tr><th>No<th>Title<th>Author<th>Status`,
		`<tr><th><a href=n>No</a><th><a href=t>Title</a><th><a href=a>Author</a><th><button>Status</button>`,
		`<tr><th><input type=checkbox><th><a href=t>Title</a><th aria-label=Author><a href=x>up</a> <a href=y>down</a><th><a href=s>Status</a>`,
	} {
		s := accessibility.Build(htmlcapture.Of(t, `<table>`+head+`<tr><td>1<td>Cats<td>Cleo<td>Draft<tr><td>2<td>Dogs<td>Ada<td>Sent</table>`), nil)
		for text, want := range map[string][]string{
			`column="Title"`: {"Cats", "Dogs"},
			`role=row[text="Dogs"] >> column="Status"`: {"Sent"},
			`column="down"`: nil,
		} {
			if got := located(t, s, text); !slices.Equal(got, want) {
				t.Errorf("below %s: %s = %q, want %q\n%s", head, text, got, want, s.Outline())
			}
		}
	}
}

// fixedHeaders returns a table that has only headers, followed by a table with one row.
// It puts inside behind the text of each header, and between between the tables.
func fixedHeaders(inside, between string) string {
	const style = `<table role=table style="border-spacing:0;width:200px"><tr>`
	return style + `<th style="width:90px"><div>Town</div>` + inside + `<th style="width:110px"><div>People</div>` + inside + `</table>` + between +
		style + `<td style="width:90px">Ulm<td style="width:110px">126</table>`
}

// A cell has every header above it that HTML gives it ("forming relationships between
// data cells and header cells"): those of several header rows and of columns that it
// shares, and not one that another of the same width has taken the place of.
func TestLocateBelowSeveralHeaders(t *testing.T) {
	for _, c := range []struct {
		html string
		want map[string][]string
	}{
		{
			`<table><thead><tr><th rowspan=2>Name<th colspan=2>2024<th colspan=2>2025<tr><th>Q1<th>Q2<th>Q3<th>Q4</thead>
			<tr><td>Ann<td>1<td>2<td>3<td>4<tr><td rowspan=2>Bob<td>5<td>6<td>7<td>8<tr><td>9<td>10<td colspan=2>11</table>`,
			map[string][]string{
				`role=row[text="Ann"] >> column="Q2"`: {"2"},
				`role=row[text="Bob"] >> column="Q4"`: {"8"},
				`role=row[text="9"] >> column="Q1"`:   {"9"},
				`role=row[text="9"] >> column="Q4"`:   {"11"},
				`role=row[text="9"] >> column="2024"`: {"9", "10"},
				`column="Name"`:                       {"Ann", "Bob"},
				`column="2025"`:                       {"3", "4", "7", "8", "11"},
				`column="Q1"`:                         {"1", "5", "9"},
			},
		},
		{ // sections, the second of which has headers of its own
			`<table><tr><th>Fruit<th>Price<tr><th colspan=2>Fresh<tr><td>Fig<td>3<tr><th colspan=2>Dried<tr><td>Date<td>4
			<tr><th>Tool<th>Weight<tr><td>Saw<td>5</table>`,
			map[string][]string{
				`column="Fruit"`:  {"Fig", "Date"},
				`column="Price"`:  {"3", "4"},
				`column="Fresh"`:  {"Fig", "3"},
				`column="Dried"`:  {"Date", "4", "Saw", "5"},
				`column="Tool"`:   {"Saw"},
				`column="Weight"`: {"5"},
			},
		},
		{ // a table in a cell has its own
			`<table><tr><th>Order<th>Lines<tr><td>17<td><table><tr><th>Part<th>Count<tr><td>Nut<td>8</table><tr><td>18<td>none</table>`,
			map[string][]string{
				`column="Order"`:                      {"17", "18"},
				`role=row[text="18"] >> column=Lines`: {"none"},
				`column="Count"`:                      {"8"},
				`column="Part"`:                       {"Nut"},
			},
		},
		{ // without headers the first row is taken for them
			`<div role=grid><div role=row><span role=gridcell>Town</span><span role=gridcell>People</span></div>
			<div role=row><span role=gridcell>Ulm</span><span role=gridcell>126</span></div></div>`,
			map[string][]string{`column="People"`: {"126"}, `column="Town"`: {"Ulm"}},
		},
		{ // headers that stay are written behind the rows that scroll below them
			`<div role=grid><div><div role=row aria-rowindex=2><span role=gridcell>Ulm</span><span role=gridcell>126</span></div>
			<div role=row aria-rowindex=3><span role=gridcell>Bonn</span><span role=gridcell>330</span></div></div>
			<div><div role=row aria-rowindex=1><span role=columnheader>Town</span><span role=columnheader>People</span></div></div></div>`,
			map[string][]string{`column="People"`: {"126", "330"}, `column="Town"`: {"Ulm", "Bonn"}, `role=row[text="Bonn"] >> column="People"`: {"330"}},
		},
		{ // or in a table of their own
			fixedHeaders(`<button aria-label="Sort"></button>`, ""),
			map[string][]string{`column="People"`: {"126"}, `column="Town"`: {"Ulm"}, `role=row[text="Ulm"] >> column="People"`: {"126"}},
		},
		{ // which a table below a heading of its own does not belong to
			fixedHeaders("", "<h2>Others</h2>"),
			map[string][]string{`column="People"`: {}},
		},
		{ // nor one with other columns
			strings.Replace(fixedHeaders("", ""), "width:200px", "width:300px", 1),
			map[string][]string{`column="People"`: {}},
		},
		{ // no table has so many columns: the number counts as none
			`<div role=grid><div role=row><span role=columnheader aria-colindex=1000000>Town</span></div><div role=row><span role=gridcell>Ulm</span></div></div>`,
			map[string][]string{`column="Town"`: {"Ulm"}},
		},
		{ // columns that stay are written as rows of their own, which begin at other columns
			`<div role=grid><div><div role=row aria-rowindex=1><span role=columnheader aria-colindex=1>Town</span></div></div>
			<div><div role=row aria-rowindex=1><span role=columnheader aria-colindex=2>People</span><span role=columnheader aria-colindex=9>Area</span></div></div>
			<div><div role=row aria-rowindex=2><span role=gridcell aria-colindex=1>Ulm</span></div></div>
			<div><div role=row aria-rowindex=2 aria-colindex=2><span role=gridcell>126</span><span role=gridcell aria-colindex=9>118</span></div></div></div>`,
			map[string][]string{`column="Town"`: {"Ulm"}, `column="People"`: {"126"}, `column="Area"`: {"118"}},
		},
	} {
		s := accessibility.Build(htmlcapture.Of(t, c.html), nil)
		for text, want := range c.want {
			if got := located(t, s, text); !slices.Equal(got, want) {
				t.Errorf("%s = %q, want %q\n%s", text, got, want, s.Outline())
			}
		}
	}
}

// located returns the names of what a locator finds.
func located(t *testing.T, s *accessibility.Snapshot, text string) (names []string) {
	t.Helper()
	l, err := accessibility.ParseLocator(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range s.Locate(l) {
		names = append(names, n.Name)
	}
	return names
}

func FuzzLocator(f *testing.F) {
	f.Add(`role=row[text*="Tea"i] >> role=link[name="O\"k"] >> nth=2`)
	f.Add("a >> >> ")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := accessibility.ParseLocator(text)
		if err != nil {
			if !errors.Is(err, driver.ErrSelector) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if again, err := accessibility.ParseLocator(l.String()); err != nil || again.String() != l.String() {
			t.Errorf("%q is written as %s, which is read as %v, %v", text, l, again, err)
		}
	})
}

// TestLabel: a label names what takes a value, and no button or link.
func TestLabel(t *testing.T) {
	s := accessibility.Build(htmlcapture.Of(t, `<label>Photo <input id=f type=FILE></label><label>Name <input id=n></label><label>Save <button id=b></button></label><input id=s type=submit aria-label=Send><a href=/ aria-label=Home>x</a>`), nil)
	for words, want := range map[string]int{"Photo": 1, "Name": 1, "Save": 0, "Send": 0, "Home": 0} {
		l, err := accessibility.ParseLocator(`label="` + words + `"`)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Locate(l); len(got) != want {
			t.Errorf("label=%s finds %d elements, want %d", words, len(got), want)
		}
	}
}
