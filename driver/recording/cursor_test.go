package recording

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Events that were recorded after a call of Frames are delivered after that call
// in the replay, not after the next one, even if no other call follows.
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

// A listener may call Frames and receives no event during that call.
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

// A caller that has received a dialog's opening and waits receives its closing
// too, even if the recorded caller made a call in between, before the closing.
func TestEndOfDialogIsTold(t *testing.T) {
	event := func(e driver.Event) *item { return &item{event: e} }
	asked := func(op string, err error) *item { return &item{call: &call{Op: op, Err: newFailure(err)}} }
	opened, closed := event(driver.DialogOpened{}), event(driver.DialogClosed{})
	tests := []struct {
		name  string
		items []*item
		want  int // items passed
	}{
		{"nobody asked", []*item{opened, closed, asked("state", nil)}, 2},
		{"asked too early", []*item{opened, asked("state", driver.ErrDialog), closed, asked("state", nil)}, 3},
		{"asked twice", []*item{opened, asked("state", driver.ErrDialog), asked("revision", driver.ErrDialog), closed, asked("state", nil)}, 4},
		{"a second dialog", []*item{opened, asked("state", driver.ErrDialog), closed, opened, closed, asked("state", nil)}, 5},
		{"nobody waited for its end", []*item{opened, asked("revision", driver.ErrDialog), closed, asked("activity", nil)}, 1},
		{"the frames were asked for", []*item{opened, {asked: true}, closed, asked("state", nil)}, 1},
		{"the answer was another", []*item{opened, asked("state", nil), closed, asked("state", nil)}, 1},
		{"an action", []*item{opened, asked("input", driver.ErrDialog), closed, asked("state", nil)}, 1},
		{"it stayed open", []*item{opened, asked("state", driver.ErrDialog), asked("state", driver.ErrDialog)}, 1},
		{"no dialog", []*item{asked("state", driver.ErrDialog), closed, asked("state", nil)}, 0},
	}
	for _, test := range tests {
		c := cursor{items: test.items}
		if got := len(c.lead()); got != test.want {
			t.Errorf("%s: %d items were passed, want %d", test.name, got, test.want)
		}
	}
}

// TestRecordedAnswerStands: a dialog that nobody answers now has the recorded answer;
// an answer that is given must be the recorded one.
func TestRecordedAnswerStands(t *testing.T) {
	yes := func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true} }
	no := func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{} }
	for _, recorded := range []bool{true, false} {
		s := &stub{}
		r, _, p := open(t, s, nil)
		if err := p.Input(t.Context(), driver.Tap{}); err != nil {
			t.Fatal(err)
		}
		d := driver.Dialog{Kind: driver.Confirm, Message: "sure?"}
		s.listen(driver.DialogOpened{Page: "P", Dialog: d})
		s.listen(driver.DialogClosed{Page: "P", Dialog: d, Answer: driver.DialogAnswer{Accept: recorded}})
		p.Frames()
		bundle := written(t, r)
		for name, set := range map[string]func(p driver.Page) (refused bool){
			"nobody":       func(driver.Page) bool { return false },
			"nobody again": func(p driver.Page) bool { p.OnDialog(yes); p.OnDialog(no); p.OnDialog(nil); return false },
			"yes":          func(p driver.Page) bool { p.OnDialog(yes); return !recorded },
			"no":           func(p driver.Page) bool { p.OnDialog(no); return recorded },
		} {
			_, replayed := play(t, bundle)
			refused := set(replayed)
			if err := replayed.Input(t.Context(), driver.Tap{}); errors.Is(err, ErrNotRecorded) != refused || err != nil != refused {
				t.Errorf("%s: Input over a dialog answered with %t = %v, want refused: %t", name, recorded, err, refused)
			}
		}
	}
}
