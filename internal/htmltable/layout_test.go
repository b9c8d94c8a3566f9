package htmltable_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/htmltable"
)

// TestLayout goes through tables row by row. A cell is a letter with what it says:
// 2x3 takes two columns and three rows, and @5 stands in the fifth. In the layout a small
// letter is a cell's further column, one in brackets reaches down, and a dot is nothing.
func TestLayout(t *testing.T) {
	for table, want := range map[string]string{
		"A B/C D":               "AB/CD",
		"A2x1 B/C D E":          "AaB/CDE",
		"A1x2 B/C":              "AB/(A)C",
		"A B1x2 C1x3/D/E F":     "ABC/D(B)(C)/EF(C)",
		"A B C1x2/D":            "ABC/D.(C)", // a short row, which C reaches into behind it
		"A2x2 B/C/D":            "AaB/(A)(A)C/D",
		"A1x2 B1x2/-/C":         "AB/(A)(B)/C", // a row without cells
		"A1x0 B/C/D":            "AB/(A)C/(A)D",
		"A1x0 B/|C/D":           "AB/C/D", // no further than its section
		"A B@4 C/D@2":           "A..BC/.D",
		"A1x2 B/C@3":            "AB/(A).C",
		"A@2 B@1":               ".AB", // a number that is taken counts as none
		"A B1x2/C2x1 D/E F G":   "AB/Cc" + "D/EFG",
		"A0x1 B1x-3 C":          "ABC",
		"A1x2 B/C D1x2/E F G@4": "AB/(A)CD/EF(D)G",
	} {
		var layout htmltable.Layout[string]
		var got []string
		for row := range strings.SplitSeq(table, "/") {
			row, section := strings.CutPrefix(row, "|")
			if section {
				layout.EndSection()
			}
			var cells []htmltable.Cell[string]
			for text := range strings.FieldsSeq(strings.Trim(row, "-")) {
				c := htmltable.Cell[string]{Cell: text[:1]}
				across, down := 1, 1
				fmt.Sscanf(text[1:], "%dx%d", &across, &down)
				fmt.Sscanf(text[1:], "@%d", &c.Column)
				c.Span = htmltable.SpanOf(&driver.Node{Attrs: []driver.Attr{{Name: "colspan", Value: fmt.Sprint(across)}, {Name: "rowspan", Value: fmt.Sprint(down)}}})
				cells = append(cells, c)
			}
			line := ""
			for _, slot := range layout.Row(cells) {
				switch slot.From {
				case htmltable.Nothing:
					line += "."
				case htmltable.Own:
					line += slot.Cell
				case htmltable.Left:
					line += strings.ToLower(slot.Cell)
				case htmltable.Above:
					line += "(" + slot.Cell + ")"
				}
			}
			got = append(got, line)
		}
		if s := strings.Join(got, "/"); s != want {
			t.Errorf("%s is laid out as %s, want %s", table, s, want)
		}
	}
}

// TestWidestRow: no number of a page makes a row wider than a table can be.
func TestWidestRow(t *testing.T) {
	var layout htmltable.Layout[int]
	cells := make([]htmltable.Cell[int], 50)
	for i := range cells {
		cells[i].Span = htmltable.SpanOf(&driver.Node{Attrs: []driver.Attr{{Name: "colspan", Value: "1000000"}}})
	}
	cells[0].Column = 1 << 30
	if n := len(layout.Row(cells)); n != htmltable.MaxColumns {
		t.Errorf("the row has %d columns", n)
	}
}
