package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// twinPage makes a page with many elements that look the same, in lists,
// tables, grids of cells and within each other.
func twinPage(r *rand.Rand) string {
	var b strings.Builder
	word := func() string { return string(rune('a' + r.IntN(4))) }
	var part func(depth int)
	part = func(depth int) {
		switch kind := r.IntN(9); {
		case kind < 2 || depth > 5:
			fmt.Fprintf(&b, "<button>%s</button>", word())
		case kind == 2:
			fmt.Fprintf(&b, `<a href="/%s">%s</a> %s`, word(), word(), word())
		case kind == 3:
			b.WriteString("<button></button>")
		case kind == 4:
			fmt.Fprintf(&b, "<p>%s %s</p>", word(), word())
		case kind == 5:
			b.WriteString(`<table role="grid" onclick="">`)
			for range 1 + r.IntN(3) {
				fmt.Fprintf(&b, "<tr><td>%s<td>%s<td>", word(), word())
				if r.IntN(2) == 0 {
					part(depth + 1)
				}
			}
			b.WriteString("</table>")
		default:
			tag := []string{"ul", "section aria-label=" + word(), "div role=button", "li", "div"}[r.IntN(5)]
			b.WriteString("<" + tag + ">")
			for range r.IntN(5) {
				part(depth + 1)
			}
			name, _, _ := strings.Cut(tag, " ")
			b.WriteString("</" + name + ">")
		}
	}
	for range 12 {
		part(0)
	}
	return b.String()
}

func snapshotOf(t *testing.T, source string) *Snapshot {
	t.Helper()
	const address = "https://twins.test/"
	session, err := Open(t.Context(), fake.New(fake.Options{
		Web: fake.Web{address: source},
		Scripts: map[string]func(*fake.Document){address: func(d *fake.Document) {
			d.On("click", "[role=grid]", func(*fake.Event) {})
		}},
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	snap, err := session.Page().Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// TestSurroundingsOfMany: what is shared between many elements changes none of
// their surroundings.
func TestSurroundingsOfMany(t *testing.T) {
	cells, twins := 0, 0
	for seed := range uint64(60) {
		snap := snapshotOf(t, twinPage(rand.New(rand.NewPCG(seed, 15))))
		many := newRows(snap, strings.ToUpper)
		check := func(node driver.NodeRef) {
			got, want := many.surroundings(node), surroundingsIn(snap, node, strings.ToUpper)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: surroundings of %v (-alone +among many):\n%s", seed, node, diff)
			}
			if got.Alike > 1 {
				twins++
			}
		}
		for i := range snap.Nodes {
			check(snap.Nodes[i].Source)
			for _, cell := range cellsOf(snap, &snap.Nodes[i]) {
				check(cell.Source)
				cells++
			}
		}
		if got := many.surroundings(driver.NodeRef{Frame: "another"}); got != nil {
			t.Errorf("surroundings of a node that is not there = %v, want none", got)
		}
	}
	if cells < 100 || twins < 100 {
		t.Errorf("%d cells and %d elements that look like others were compared, want more", cells, twins)
	}
}

// TestRowsOfTwins: the text that belongs to an element is found in frames, in owned
// elements and under headings.
func TestRowsOfTwins(t *testing.T) {
	for _, c := range []struct{ what, page, anna, bob string }{
		{"frames beside", `<p>Anna<p><iframe srcdoc="<button>x</button>"></iframe><p>Bob<p><iframe srcdoc="<button>x</button>"></iframe>`, "Anna", "Bob"},
		{"frames of their own", `<iframe srcdoc="Anna <button>x</button>"></iframe><iframe srcdoc="Bob <button>x</button>"></iframe>`, "Anna", "Bob"},
		{"one in a frame", `<div>Anna <button>x</button></div><div>Bob <iframe srcdoc="<button>x</button>"></iframe></div>`, "Anna", "Bob"},
		{"owned", `<div role=group aria-owns=a>Anna</div><div id=a><button>x</button></div><div role=group aria-owns=b>Bob</div><div id=b><button>x</button></div>`, "Anna", "Bob"},
		{"sections", `<h2>Anna</h2><ul><li>5 € <button>x</button></ul><h2>Bob</h2><ul><li>5 € <button>x</button></ul>`, "Anna 5 €", "Bob 5 €"},
		{"sections of several", `<h2>Anna</h2><ul><li>5 € <button>x</button><li>6 € <button>x</button></ul><h2>Bob</h2><ul><li>5 € <button>x</button><li>6 € <button>x</button></ul>`, "Anna 5 €", "Bob 6 €"},
		{"named lists", `<ul aria-label=Anna><li>5 € <button>x</button></ul><ul aria-label=Bob><li>5 € <button>x</button></ul>`, "Anna 5 €", "Bob 5 €"},
		{"nothing", `<button>x</button><button>x</button>`, "", ""},
	} {
		snap := snapshotOf(t, c.page)
		var rows []string
		for i := range snap.Nodes {
			if n := &snap.Nodes[i]; n.Role == "button" && n.Name == "x" {
				rows = append(rows, surroundingsIn(snap, n.Source, squeeze).Row)
			}
		}
		if c.anna != "" && (len(rows) < 2 || rows[0] != c.anna || rows[len(rows)-1] != c.bob) || c.anna == "" && strings.Join(rows, "") != "" {
			t.Errorf("%s: rows are %q, want %q and %q\n%s", c.what, rows, c.anna, c.bob, snap.Outline())
		}
	}
}

// TestSurroundingsAreLinear: to hide what is around a thousand elements that
// look the same takes no more calls for each than for a hundred.
func TestSurroundingsAreLinear(t *testing.T) {
	count := func(size int) (calls int, letters int) {
		snap := snapshotOf(t, strings.Repeat(`<li>some words <button>Buy</button></li>`, size))
		around := newRows(snap, func(text string) string {
			calls, letters = calls+1, letters+len(text)
			return text
		})
		var buttons []*accessibility.Node
		for i := range snap.Nodes {
			if snap.Nodes[i].Role == "button" {
				buttons = append(buttons, &snap.Nodes[i])
			}
		}
		for _, n := range buttons {
			around.surroundings(n.Source)
		}
		return calls / len(buttons), letters / len(buttons)
	}
	calls, letters := count(100)
	if more, further := count(1000); more > calls || further > letters+1 {
		t.Errorf("surroundings of one of 1,000: %d calls, %d letters; of 100: %d, %d", more, further, calls, letters)
	}
}
