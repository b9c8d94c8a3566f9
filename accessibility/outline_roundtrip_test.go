package accessibility

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// pieces are what texts are made of: every character that the form of an outline
// uses, and plain words.
var pieces = []string{
	"↓", "←", "↑", "|", " ", "…", "(", ")", "[", "]", `"`, `\`, "=", ":", ",", "\n", "\t", "\u200b", "\u202e", "\ufffd", "~", "+", "-", "%",
	"Pay now", "a", "0-1", "value", "options", "3 more", "more characters", "true", "level 2", "header", "row", "disabled", ": (", "é", "日本",
}

func anyText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(5) {
		b.WriteString(pieces[r.IntN(len(pieces))])
		if r.IntN(2) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func anyCut(r *rand.Rand) int {
	if r.IntN(4) > 0 {
		return 0
	}
	return 1 + r.IntN(2_000_000)
}

// anyItem makes an item with any content that a snapshot could give it.
func anyItem(r *rand.Rand) Item {
	roles := []Role{"row", "button", "combobox", "textbox", "text", "heading", "generic"}
	yes := func() bool { return r.IntN(4) == 0 }
	it := Item{Ref: "0-1", Parent: -1, Role: roles[r.IntN(len(roles))]}
	it.Name, it.Cut.Name = anyText(r), anyCut(r)
	it.Value, it.Cut.Value = anyText(r), anyCut(r)
	it.Placeholder, it.Cut.Placeholder = anyText(r), anyCut(r)
	it.Description, it.Cut.Description = anyText(r), anyCut(r)
	it.URL, it.Cut.URL = anyText(r), anyCut(r)
	it.Min, it.Max = anyText(r), anyText(r)
	it.Header, it.Clickable, it.Editable, it.Password, it.Covered = yes(), yes(), yes(), yes(), yes()
	it.Link = []string{"", "", "anchor", "download", "mailto", "new window", "sms", "tel"}[r.IntN(8)]
	if yes() {
		it.Counts = Counts{Rows: r.IntN(3) * 1000, Columns: r.IntN(3) * 9, Row: r.IntN(3) * 40, Position: 2, Size: 1 + r.IntN(5000)}
	}
	it.Heading = r.IntN(3)
	it.States = States{
		Checked: []Tristate{Unset, On, Mixed}[r.IntN(3)], Pressed: []Tristate{Unset, On, Mixed}[r.IntN(3)],
		Expanded: Tristate(r.IntN(3)), Selected: []Tristate{Unset, On}[r.IntN(2)],
		Disabled: yes(), Required: yes(), ReadOnly: yes(), Focused: yes(), Modal: yes(), Busy: yes(), Multiline: yes(), Multiselectable: yes(),
		Level: r.IntN(4), Invalid: anyText(r), HasPopup: anyText(r), Current: anyText(r), Sort: anyText(r), Keys: anyText(r),
	}
	if yes() {
		it.ScrollY, it.ScrollX = Percent{true, r.IntN(101)}, Percent{true, r.IntN(101)}
	}
	group := ""
	for range r.IntN(5) {
		if yes() {
			group = anyText(r)
		}
		it.Options = append(it.Options, Option{Label: anyText(r), Group: group, Disabled: yes()})
	}
	if yes() {
		it.MoreOptions = 1 + r.IntN(5000)
	}
	if it.Role == "row" {
		for range 1 + r.IntN(4) {
			c := OutlineCell{Cell: Cell{Text: anyText(r)}, Cut: anyCut(r)}
			if yes() {
				c = OutlineCell{Cell: []Cell{{Below: true}, {Reach: FromLeft}, {Reach: FromAbove}}[r.IntN(3)]}
			}
			it.Cells = append(it.Cells, c)
		}
		it.Name, it.Cut.Name = "", 0
	}
	return it
}

// TestLinesComeBack: whatever the text of a page, its lines parse to what was
// written.
func TestLinesComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 6))
	for range 5_000 {
		it := anyItem(r)
		line := string(appendItem(nil, &it))
		o, err := ParseOutline(line + "\n")
		if err != nil {
			t.Fatalf("ParseOutline(%q): %v", line, err)
		}
		if diff := cmp.Diff(it, o.Items[0], cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q comes back as (-written +read):\n%s", line, diff)
		}
	}
}

// A cell whose text begins with the sign for "below" is still text.
func TestCellThatBeginsWithAnArrow(t *testing.T) {
	for _, text := range []string{"↓ Pay now", "↓Pay", "↓↓", "↓…", "↓"} {
		it := Item{Ref: "0-1", Role: "row", Parent: -1, Cells: []OutlineCell{{Cell: Cell{Text: "a"}}, {Cell: Cell{Text: text}}, {Cell: Cell{Below: true}}}}
		line := string(appendItem(nil, &it))
		o, err := ParseOutline(line + "\n")
		if err != nil {
			t.Errorf("ParseOutline(%q): %v", line, err)
			continue
		}
		if diff := cmp.Diff(it, o.Items[0]); diff != "" {
			t.Errorf("%q comes back as (-written +read):\n%s", line, diff)
		}
	}
	if _, err := ParseOutline("[0-1] row: a | ↓ Pay now\n"); err != nil {
		t.Errorf("a row with a bare arrow and words: %v", err)
	}
}
