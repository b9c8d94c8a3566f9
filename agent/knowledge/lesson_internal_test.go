package knowledge

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// TestOrigin: a lesson about an address belongs to its scheme, host and port. One about
// an address of no site is not kept.
func TestOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"https://Shop.test/a?b": "https://shop.test", "http://shop.test:8080/": "http://shop.test:8080",
		"file://server/home/ada/list.html": "", "file:///list.html": "", "about:blank": "", "data:text/html,a": "", "https:///a": "",
	} {
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := origin(at); got != want {
			t.Errorf("origin(%s) = %q, want %q", address, got, want)
		}
	}
}

// TestLessonWaits: a run that waits for a person teaches nothing yet, and a page of no
// site never does.
func TestLessonWaits(t *testing.T) {
	store := Memory()
	k := &keeper{store: store}
	l := &lesson{learned: []learned{{origin: "https://a.test", text: "The list is below."}}}
	l.add(nil, learned{text: "Of no page."})
	ctx := context.WithValue(t.Context(), lessonKey{}, l)
	for _, c := range []struct {
		result agent.Result
		want   int
	}{
		{agent.Result{Success: true, Pending: &agent.Pending{}}, 0},
		{agent.Result{Success: true}, 1},
	} {
		k.ended(ctx, &c.result, nil)
		s, err := store.Get(t.Context(), "https://a.test")
		if err != nil || len(s.Entries) != c.want {
			t.Errorf("waiting %v: %+v, %v; want %d entries", c.result.Pending != nil, s, err, c.want)
		}
	}
}

// TestEarlierHost: a step at a host that is, or holds, the value of a variable teaches
// nothing.
func TestEarlierHost(t *testing.T) {
	l := &lesson{}
	for _, address := range []string{"https://%place%/", "https://%place%.test/", "https://shop.%place%:8080/", "about:blank", "https://a.test/?q=%place%"} {
		l.earlier(&agent.Action{Type: rememberName, Status: agent.Done, PageURL: address, Arguments: []byte(`{"note":"x"}`)})
	}
	if len(l.learned) != 1 || l.learned[0].origin != "https://a.test" {
		t.Errorf("learned is %+v, want what was at a.test", l.learned)
	}
}

// TestProgramsOffered: a program is run by its id where it is proved, and offered where
// it can be run.
func TestProgramsOffered(t *testing.T) {
	const source = `log("a")`
	s := &Site{Entries: []Entry{{ID: "p1", Text: "one", Program: source}, {ID: "p2", Text: "two", Program: source, Proved: true}, {ID: "n3", Text: "a note"}}}
	l := &lesson{offered: map[string]*Site{"https://a.test": s}}
	for id, want := range map[string]string{"p1": "", "p2": source, "n3": ""} {
		if got, err := l.program("https://a.test", id); got != want || (err == nil) != (want != "") {
			t.Errorf("program(%s) = %q, %v", id, got, err)
		}
	}
	for _, programs := range []bool{false, true} {
		text, shown := write(s, programs, 1000, nil)
		if strings.Contains(text, "program") != programs || len(shown) != map[bool]int{false: 1, true: 2}[programs] {
			t.Errorf("offered to a run that can run programs (%v): %q", programs, text)
		}
	}
}

// TestProvedByEarlierRuns: a program that a run writes twice is not its own proof, and
// another program is none.
func TestProvedByEarlierRuns(t *testing.T) {
	l := &lesson{task: "count", learned: []learned{{origin: "o", program: `log("a")`}, {origin: "o", program: `log("a")`}}}
	s := &Site{Entries: []Entry{{ID: "p0", Text: "another task", Program: `log("b", 1)`}}}
	l.apply(s, "o", true)
	if len(s.Entries) != 2 || s.Entries[1].Proved {
		t.Errorf("after one run: %+v", s.Entries)
	}
	l.apply(s, "o", true)
	if len(s.Entries) != 2 || !s.Entries[1].Proved {
		t.Errorf("after two runs: %+v", s.Entries)
	}
}

// busy is a store in which others write first for a while.
type busy struct {
	Store
	times int
}

func (b *busy) Put(ctx context.Context, origin string, s *Site) error {
	if b.times--; b.times >= 0 {
		return ErrConflict
	}
	return b.Store.Put(ctx, origin, s)
}

// TestOthersWriteFirst: what others write at the same time costs nothing of what was
// learned, as long as they stop once.
func TestOthersWriteFirst(t *testing.T) {
	for times, want := range map[int]int{0: 1, 1: 1, mostTries - 1: 1, mostTries: 0} {
		b := &busy{Memory(), times}
		k := &keeper{store: b}
		err := k.change(t.Context(), "https://a.test", func(s *Site) { s.Entries = append(s.Entries, Entry{ID: "n1", Text: "x"}) })
		s, failure := b.Get(t.Context(), "https://a.test")
		if failure != nil || len(s.Entries) != want || (err == nil) != (want == 1) {
			t.Errorf("after %d conflicts: %+v, %v, %v", times, s, err, failure)
		}
	}
}

// TestNotesHide: no value of a variable is in what is kept, wherever a model wrote it.
func TestNotesHide(t *testing.T) {
	l := &lesson{task: "count for ada", hide: func(text string) string { return strings.ReplaceAll(text, "ada", "%name%") }, learned: []learned{
		{origin: "o", text: "The order of ada is below.", beside: "https://ada.test"}, {origin: "o", program: `log("a")`},
	}}
	s := &Site{}
	l.apply(s, "o", true)
	for _, e := range s.Entries {
		if strings.Contains(e.Text+e.Beside, "ada") {
			t.Errorf("kept is %+v", e)
		}
	}
	if len(s.Entries) != 2 {
		t.Errorf("kept is %+v, want both", s.Entries)
	}
}
