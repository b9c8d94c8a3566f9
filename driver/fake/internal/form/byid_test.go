package form

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A stillPage changes when the test says so.
type stillPage struct{ stamp uint64 }

func (p *stillPage) Stamp() uint64      { return p.stamp }
func (p *stillPage) Touched(*html.Node) { p.stamp++ }
func (p *stillPage) Restructure()       { p.stamp++ }

// TestByID: elements of many labels and controls are found as by a search, by
// one table, which is made anew after a change.
func TestByID(t *testing.T) {
	root, err := html.Parse(strings.NewReader(strings.Repeat(`<label for=a></label><input id=a form=f><form id=f></form>`, 3) +
		strings.Repeat(`<label for=b></label><p id=b></p><label for=c></label><textarea id=c></textarea><label for=none></label>`, 50)))
	if err != nil {
		t.Fatal(err)
	}
	page := &stillPage{stamp: 1}
	s := &State{Page: page}
	s.Root = root
	compare := func() {
		t.Helper()
		for n := root; n != nil; n = dom.Next(n, root) {
			for _, id := range []string{"a", "b", "c", "d", "f", "none", ""} {
				if got, want := s.byID(n, id), dom.ByID(n, id); got != want {
					t.Fatalf("byID(%s, %q) = %v, want %v", n.Data, id, got, want)
				}
			}
		}
		if got := len(s.cache.ids); got != 1 {
			t.Errorf("%d tables of ids, want 1", got)
		}
	}
	compare()
	first := dom.ByID(root, "a")
	first.Attr = []html.Attribute{{Key: "id", Val: "d"}}
	page.Restructure()
	compare()

	apart := &html.Node{Type: html.ElementNode, Data: "div"} // in no document
	for i := range 10 {
		child := &html.Node{Type: html.ElementNode, Data: "p", Attr: []html.Attribute{{Key: "id", Val: fmt.Sprint(i)}}}
		apart.AppendChild(child)
		if got := s.byID(apart, fmt.Sprint(i)); got != child {
			t.Errorf("byID(%d) = %v in a tree that grows unseen, want %v", i, got, child)
		}
	}
}
