package accessibility_test

import (
	"errors"
	"slices"
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
	s := accessibility.Build(htmlcapture.Of(t, `<table><tr><th>Part<th>Stock<th><tr><td>Lid<td>7<td><button>Order</button><tr><td>Knob<td>7<td><button>Order</button></table>
		<div role=grid><div role=row><span role=columnheader>Name</span><span role=columnheader>Stock</span></div><div role=row><span role=gridcell>Bolt</span><span role=gridcell>9</span></div></div>`), nil)
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
