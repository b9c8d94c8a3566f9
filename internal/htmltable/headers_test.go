package htmltable_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/htmltable"
)

// TestHeaders goes through tables row by row: "a b" are headers or data of one column
// each, ">" makes the cell before it a column wider, and a capital is a header.
func TestHeaders(t *testing.T) {
	for table, want := range map[string]string{
		"A B/c d":                 "A B",
		"A >/B C/d e":             "AB AC",   // two rows of headers
		"A B/c d/E F/g h":         "E F",     // another of the same width takes the place
		"A B/c d/E >/f g":         "AE BE",   // and one of another width does not
		"A >/b c/D E/f g":         "AD AE",   //
		"A B/c d/E >/F >/g h/I J": "EFI EFJ", // of the wider ones, both stand in one block
		"A B/C D/e f/G H":         "G H",     // a block takes the place of a block
		"a b":                     "- -",
	} {
		var c htmltable.Headers[string]
		columns := 0
		for row := range strings.SplitSeq(table, "/") {
			cells := strings.Fields(row)
			for i, cell := range cells {
				across := 1
				for i+across < len(cells) && cells[i+across] == ">" {
					across++
				}
				if cell == strings.ToUpper(cell) && cell != ">" {
					c.Add(i, across, cell)
				} else if cell != ">" {
					c.Data(i)
				}
			}
			columns = max(columns, len(cells))
		}
		var got []string
		for i := range columns {
			above := strings.Join(c.Above(i), "")
			if above == "" {
				above = "-"
			}
			got = append(got, above)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: above stand %s, want %s", table, s, want)
		}
		if c.None() != (want == "- -") {
			t.Errorf("%s: none is %t", table, c.None())
		}
	}
}
