package engine_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestUnknownOutcomeIsTold: a click whose answer was lost is no click that was
// not sent: the error, the result, the history, the metrics and the log say so.
func TestUnknownOutcomeIsTold(t *testing.T) {
	var log bytes.Buffer
	d := faults.Wrap(fake.New(fake.Options{Web: fake.Web{shopAddress: "<button>Pay</button>"}}), faults.Lose(1, "input", errOdd))
	page := openOn(t, d, &engine.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	r, err := page.Do(t.Context(), engine.Action{Selector: "button", Method: engine.Click}, nil)
	if !errors.Is(err, engine.ErrMayHaveHappened) || !errors.Is(err, errOdd) || engine.Kind(err) != "may_have_happened" {
		t.Errorf("error = %v, of the kind %s", err, engine.Kind(err))
	}
	if r.Success || r.Sent != engine.SentPossible || len(r.Actions) != 1 || r.Actions[0].Method != engine.Click {
		t.Errorf("result = %+v", r)
	}
	const words = "the click may have been sent; its effect is unknown: look at the page before you retry"
	if !strings.Contains(r.Message, words) {
		t.Errorf("message = %q", r.Message)
	}
	history := page.Session().History()
	if last := history[len(history)-1]; last.Sent != engine.SentPossible || len(last.Actions) != 1 || !strings.Contains(last.Message, words) {
		t.Errorf("entry = %+v", last)
	}
	if m := page.Session().Metrics(); m.Failed != 1 || m.Unknown != 1 {
		t.Errorf("metrics = %+v", m)
	}
	if !strings.Contains(log.String(), "sent=possible") {
		t.Errorf("log = %s", log.String())
	}
}

// TestWhatWasDoneBeforeIsTold: an act that fails at its second action says that
// the first was done.
func TestWhatWasDoneBeforeIsTold(t *testing.T) {
	model := &chooser{choices: []string{"more button Menu click", `none "there is no Export"`}}
	page := openOn(t, fake.Web{shopAddress: "<button>Menu</button>"}, &engine.Options{Model: model})
	r, err := page.Act(t.Context(), "export", nil)
	if !errors.Is(err, engine.ErrNotFound) || errors.Is(err, engine.ErrMayHaveHappened) {
		t.Errorf("error = %v", err)
	}
	if r.Sent != engine.SentAll || len(r.Actions) != 1 || !strings.Contains(r.Message, `done before that: clicked button "Menu"`) {
		t.Errorf("result = %+v", r)
	}
}

// TestWithheldIsNotSent: a press that the driver has withheld, because something
// lies on the element by then, is safe to repeat.
func TestWithheldIsNotSent(t *testing.T) {
	d := faults.Wrap(fake.New(fake.Options{Web: fake.Web{shopAddress: `<button id=b>Pay</button>`}}), faults.Obscure("#b"))
	page := openOn(t, d, &engine.Options{Patience: 1})
	r, err := page.Do(t.Context(), engine.Action{Selector: "#b"}, nil)
	if !errors.Is(err, driver.ErrObscured) || errors.Is(err, engine.ErrMayHaveHappened) || r.Sent != engine.SentNone || len(r.Actions) != 0 {
		t.Errorf("Do = %+v, %v, want ErrObscured and nothing sent", r, err)
	}
}

// TestSentOfSeveralSteps: a step that needs no input leaves what the one before
// has sent.
func TestSentOfSeveralSteps(t *testing.T) {
	model := &chooser{choices: []string{"more button Terms click", "checkbox Agree check"}}
	page := openOn(t, fake.Web{shopAddress: "<button>Terms</button><input type=checkbox aria-label=Agree checked>"}, &engine.Options{Model: model})
	r, err := page.Act(t.Context(), "agree", nil)
	if err != nil || r.Sent != engine.SentAll || len(r.Actions) != 2 {
		t.Errorf("Act = %+v, %v", r, err)
	}
	r, err = page.Do(t.Context(), engine.Action{Selector: "input", Method: engine.Check}, nil)
	if err != nil || r.Sent != engine.SentNone {
		t.Errorf("Do on a box that is checked = %+v, %v, want nothing sent", r, err)
	}
}
