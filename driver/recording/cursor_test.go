package recording

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// What happened behind a question for the frames is told to who asked it again,
// and asks nothing more, in its place: behind that question, and not behind the
// next one.
func TestEventsBehindQuestionsForFrames(t *testing.T) {
	s := &stub{capture: full()}
	r, _, p := open(t, s, nil)
	ctx := t.Context()
	requested := func(url string) { s.listen(driver.NavigationRequested{Page: "P", Frame: "P", URL: url}) }
	if err := p.Input(ctx, driver.Tap{}); err != nil {
		t.Fatal(err)
	}
	requested("1")
	p.Frames()
	requested("2")
	requested("3")
	p.Frames()
	p.Frames()
	requested("4")
	if _, err := p.Capture(ctx); err != nil {
		t.Fatal(err)
	}
	p.Frames()
	requested("5") // nothing was asked any more

	b, replayed := play(t, written(t, r))
	var told []string
	b.Listen(func(e driver.Event) {
		if e, ok := e.(driver.NavigationRequested); ok {
			told = append(told, e.URL)
		}
	})
	look := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("told by %s (-recorded +played):\n%s", what, diff)
		}
		told = nil
	}
	if err := replayed.Input(ctx, driver.Tap{}); err != nil {
		t.Fatal(err)
	}
	look("the answer to input", "1")
	replayed.Frames()
	look("the first question for the frames", "2", "3")
	replayed.Frames()
	look("the second one")
	replayed.Frames()
	look("the third one", "4")
	replayed.Frames()
	look("one too many")
	if _, err := replayed.Capture(ctx); err != nil {
		t.Fatal(err)
	}
	look("the answer to a question for the page")
	replayed.Frames()
	look("the last question", "5")
}

// A listener may ask for the frames, and is told nothing meanwhile.
func TestListenerAsksForFrames(t *testing.T) {
	s := &stub{}
	r, _, p := open(t, s, nil)
	if err := p.Input(t.Context(), driver.Tap{}); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"1", "2"} {
		s.listen(driver.NavigationRequested{Page: "P", Frame: "P", URL: url})
		p.Frames()
	}
	b, replayed := play(t, written(t, r))
	var told []string
	b.Listen(func(e driver.Event) {
		if e, ok := e.(driver.NavigationRequested); ok {
			replayed.Frames()
			told = append(told, e.URL)
		}
	})
	if err := replayed.Input(t.Context(), driver.Tap{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1", "2"}, told); diff != "" {
		t.Errorf("told (-recorded +played):\n%s", diff)
	}
}
