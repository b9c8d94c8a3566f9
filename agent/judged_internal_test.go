package agent

import (
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestSpoiled: a step that was done proves nothing where the page, its server or the policy
// says that nothing came of it.
func TestSpoiled(t *testing.T) {
	const page = "https://shop.test/"
	at := time.Unix(1e9, 0)
	post := func(after time.Duration, status int) engine.RequestSeen {
		return engine.RequestSeen{Method: "POST", URL: "https://shop.test/order", Begin: at.Add(after), Ended: true, Status: status}
	}
	for _, c := range []struct {
		name     string
		evidence engine.Evidence
		requests []engine.RequestSeen
		proves   bool
	}{
		{"it changed the page", engine.Evidence{Effect: engine.EffectPage}, nil, true},
		{"a confirm was accepted", engine.Evidence{Dialogs: []engine.DialogSeen{{Kind: "confirm", Accepted: true}}}, nil, true},
		{"a confirm was dismissed", engine.Evidence{Dialogs: []engine.DialogSeen{{Kind: "confirm"}}}, nil, false},
		{"an alert was closed", engine.Evidence{Dialogs: []engine.DialogSeen{{Kind: "alert"}}}, nil, true},
		{"it led to a page", engine.Evidence{Navigation: &engine.NavigationSeen{To: page, Status: 200}}, nil, true},
		{"it led to an error page", engine.Evidence{Navigation: &engine.NavigationSeen{To: page, Status: 500}}, nil, false},
		{"it led nowhere", engine.Evidence{Navigation: &engine.NavigationSeen{To: page, Failed: "no answer"}}, nil, false},
		{"the policy refused a request", engine.Evidence{Refused: []engine.Refusal{{}}}, nil, false},
		{"a download was broken off", engine.Evidence{Downloads: []engine.DownloadSeen{{Canceled: true}}}, nil, false},
		{"its request was answered", engine.Evidence{}, []engine.RequestSeen{post(1, 200)}, true},
		{"its request was refused", engine.Evidence{}, []engine.RequestSeen{post(1, 409)}, false},
		{"its request got no answer", engine.Evidence{}, []engine.RequestSeen{post(1, 0)}, false},
		{"it was sent again with success", engine.Evidence{}, []engine.RequestSeen{post(1, 409), post(2, 200)}, true},
		{"one before it was refused", engine.Evidence{}, []engine.RequestSeen{post(-1, 409)}, true},
		{"one of the page's own was refused", engine.Evidence{}, []engine.RequestSeen{post(-1, 200), post(1, 409)}, true},
		{"one behind the next step was refused", engine.Evidence{}, []engine.RequestSeen{post(3*time.Second, 409)}, true},
	} {
		f := &course{hide: func(s string) string { return s }, requests: c.requests, steps: []Action{
			{Step: 1, Status: Done, PageURL: page, Begin: at, Duration: time.Second, Evidence: &c.evidence},
			{Step: 2, Status: Done, PageURL: page, Begin: at.Add(2 * time.Second), Evidence: &engine.Evidence{}},
		}}
		if o := f.outcome(0); o.proves != c.proves {
			t.Errorf("%s: proves %v, want %v: %q", c.name, o.proves, c.proves, o.why)
		}
		f.steps[0].Status = Unknown
		if o := f.outcome(0); o.proves {
			t.Errorf("%s, and it is not known what came of it: it proves", c.name)
		}
	}
}

// TestSameAction: an approval is for the action that was asked about, and for none that is
// another in any respect.
func TestSameAction(t *testing.T) {
	asked := func() Approval {
		return Approval{Tool: "click", Target: "https://shop.test/pay", Arguments: []byte(`{"a":1}`), Described: "pays", Action: engine.Action{
			Method: engine.Click, Arguments: []string{"right"}, Fingerprint: &engine.Fingerprint{Role: "button", Name: "Pay"},
		}}
	}
	if !sameAction(asked(), asked()) {
		t.Error("the same action is another one")
	}
	for name, change := range map[string]func(*Approval){
		"another tool":    func(a *Approval) { a.Tool = "press" },
		"another target":  func(a *Approval) { a.Target = "https://evil.test/pay" },
		"other arguments": func(a *Approval) { a.Arguments = []byte(`{"a":2}`) },
		"another tool's":  func(a *Approval) { a.Described = "pays twice" },
		"another method":  func(a *Approval) { a.Action.Method = engine.DoubleClick },
		"another value":   func(a *Approval) { a.Action.Arguments = []string{"left"} },
		"another element": func(a *Approval) { a.Action.Fingerprint.Name = "Pay all" },
		"no element":      func(a *Approval) { a.Action.Fingerprint = nil },
	} {
		a := asked()
		change(&a)
		if sameAction(asked(), a) || sameAction(a, asked()) {
			t.Errorf("%s: it is the same action", name)
		}
	}
}

// TestCarries: what was typed is found in what leaves, and nothing is before anything was.
func TestCarries(t *testing.T) {
	var l approvals
	if l.carries("to=4711") {
		t.Error("before anything was typed something carries it")
	}
	l.begins(Approval{}, []string{" ", "4711", "tea pot"})
	for text, want := range map[string]bool{"to=4711": true, "q=tea+pot": true, "": false, "a b": false} {
		if got := l.carries(text); got != want {
			t.Errorf("carries(%q) = %v, want %v", text, got, want)
		}
	}
}
