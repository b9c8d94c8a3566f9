package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestObserveKept: a page that did not change is not searched for actions again,
// and what a caller does with the list, or a variable that becomes known, is not
// lost on the next.
func TestObserveKept(t *testing.T) {
	const address = "https://list.test/"
	session, err := engine.Open(t.Context(), fake.Web{address: strings.Repeat(`<li>Number 4711 <button>Buy</button></li>`, 300)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	observe := func(opts *engine.ObserveOptions) []engine.Action {
		t.Helper()
		found, err := page.Observe(t.Context(), "", opts)
		if err != nil {
			t.Fatal(err)
		}
		return found.Actions
	}
	first := observe(nil)
	want := observe(nil)
	if diff := cmp.Diff(first, want); diff != "" {
		t.Fatalf("the second list (-first +second):\n%s", diff)
	}
	first[0].Fingerprint.Name, first[0].Surroundings.Row, first[1] = "mine", "mine", engine.Action{}
	if diff := cmp.Diff(want, observe(nil)); diff != "" {
		t.Errorf("after the caller changed his (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, observe(&engine.ObserveOptions{Selector: "body"})); diff != "" {
		t.Errorf("of the body (-all +body):\n%s", diff)
	}
	const perAction = 8
	if n := testing.AllocsPerRun(5, func() { observe(nil) }); n > perAction*float64(len(want)) {
		t.Errorf("Observe of an unchanged page allocates %v times for %d actions, want at most %d each", n, len(want), perAction)
	}
	masked := observe(&engine.ObserveOptions{Variables: map[string]engine.Variable{"code": {Value: "4711"}}})
	if got := masked[0].Surroundings.Row; got != "Number %code%" {
		t.Errorf("the row after its variable became known = %q, want its placeholder", got)
	}
	if err := fake.Change(t.Context(), page.Driver(), func(d *fake.Document) { d.Find("li").Remove() }); err != nil {
		t.Fatal(err)
	}
	if got := len(observe(nil)); got != len(want)-1 {
		t.Errorf("%d actions after one was removed, want %d", got, len(want)-1)
	}
}
