package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// An attempt is one section of a trap: what is done, and what must come of it.
type attempt struct {
	name    string // "trap" or "never"
	start   string // path of the page
	device  driver.Emulation
	options engine.Options
	limit   time.Duration
	before  []engine.Action // done first, by Do
	leave   []string        // paths gone to after the element was seen

	action      engine.Action
	instruction string
	choices     []string
	meanwhile   []string // what a fault does to the page, see [trial.fault]
	chromeOnly  bool     // a script is run in the page

	hits     []string
	evidence []any             // parts of the evidence, as JSON
	states   map[string]any    // parts of the states of elements, by selector
	says     map[string]string // texts in the message, by way; "" is each
	errs     map[string]error  // by way; "" is each
	mayFail  error             // that may come as well as none
}

// sentinels are what a line "error" may name.
var sentinels = map[string]error{
	"ErrInvalid": engine.ErrInvalid, "ErrNotFound": engine.ErrNotFound, "ErrAmbiguous": engine.ErrAmbiguous,
	"ErrMismatch": engine.ErrMismatch, "ErrDisabled": engine.ErrDisabled, "ErrNotStill": engine.ErrNotStill,
	"ErrNoEffect": engine.ErrNoEffect, "ErrMayHaveHappened": engine.ErrMayHaveHappened, "ErrClosed": driver.ErrClosed, "ErrNotVisible": driver.ErrNotVisible,
	"ErrObscured": driver.ErrObscured, "ErrStale": driver.ErrStale, "ErrDetached": driver.ErrDetached,
	"ErrCrashed": driver.ErrCrashed, "ErrDialog": driver.ErrDialog, "ErrBlocked": driver.ErrBlocked,
	"ErrNotFocusable": driver.ErrNotFocusable, "DeadlineExceeded": context.DeadlineExceeded,
}

// read takes in the lines of a section:
//
//	open PATH                        the page; / for a trap, /never for its negative
//	device WIDTH HEIGHT SCALE        the window, in place of 1280 720 1
//	limit DURATION                   the time that the act may take
//	dialogs accept                   every dialog is accepted
//	before METHOD SELECTOR [ARG...]  an action that comes first
//	leave PATH                       go there once the act's element was seen
//	do METHOD SELECTOR [ARG...]      the action for Do
//	print ROLE NAME TAG              its fingerprint
//	act INSTRUCTION | CHOICE...      the instruction for Act, and what the model answers
//	meanwhile OP N CHANGE            before the nth call of the driver's operation, the
//	                                 page changes: rerender, remove or obscure SELECTOR,
//	                                 crash, or run SCRIPT (on Chrome alone)
//	hit EVENT                        an event that the page must feel
//	error [do:|act:] SENTINEL        the error that must come
//	error perhaps SENTINEL           the error that may come as well as none
//	evidence JSON                    a part of the evidence
//	state SELECTOR JSON              a part of an element's state afterwards
//	says [do:|act:] TEXT             a part of the message
func (a *attempt) read(t *testing.T, name, text string) {
	t.Helper()
	*a = attempt{name: name, start: map[string]string{"trap": "/", "never": "/never"}[name],
		states: map[string]any{}, says: map[string]string{}, errs: map[string]error{}}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if !a.readPlan(t, word, rest) && !a.readOutcome(t, word, rest) {
			t.Fatalf("%s: unknown line %q", name, line)
		}
	}
	if a.action.Selector == "" || a.instruction == "" {
		t.Fatalf("%s: both a line do and a line act are needed", name)
	}
	if name == "never" && len(a.errs) == 0 && a.mayFail == nil && len(a.evidence) == 0 {
		t.Fatal("never: say the error, or the evidence that it was vain")
	}
}

// readPlan takes in a line about what is done.
func (a *attempt) readPlan(t *testing.T, word, rest string) bool {
	switch word {
	case "open":
		a.start = rest
	case "device":
		var numbers [3]float64
		if err := json.Unmarshal([]byte("["+strings.Join(strings.Fields(rest), ",")+"]"), &numbers); err != nil {
			t.Fatalf("device %s: %v", rest, err)
		}
		a.device = driver.Emulation{Viewport: driver.Size{Width: numbers[0], Height: numbers[1]}, Scale: numbers[2]}
	case "limit":
		limit, err := time.ParseDuration(rest)
		if err != nil {
			t.Fatal(err)
		}
		a.limit = limit
	case "dialogs":
		a.options.Dialog = func(engine.Dialog) engine.DialogAnswer { return engine.DialogAnswer{Accept: rest == "accept"} }
	case "before":
		a.before = append(a.before, actionOf(t, rest))
	case "leave":
		a.leave = append(a.leave, rest)
	case "do":
		a.action = actionOf(t, rest)
	case "print":
		words := splitWords(t, rest)
		a.action.Fingerprint = &engine.Fingerprint{Role: words[0], Name: words[1], Tag: words[2]}
	case "act":
		parts := strings.Split(rest, " | ")
		a.instruction, a.choices = splitWords(t, parts[0])[0], parts[1:]
	case "meanwhile":
		a.meanwhile = append(a.meanwhile, rest)
		a.chromeOnly = a.chromeOnly || strings.Contains(rest, " run ")
	default:
		return false
	}
	return true
}

// readOutcome takes in a line about what must come of it.
func (a *attempt) readOutcome(t *testing.T, word, rest string) bool {
	switch word {
	case "hit":
		a.hits = append(a.hits, rest)
	case "error":
		if name, ok := strings.CutPrefix(rest, "perhaps "); ok {
			a.mayFail = sentinels[name]
			break
		}
		way, name := cutWay(rest)
		if a.errs[way] = sentinels[name]; a.errs[way] == nil {
			t.Fatalf("unknown error %q", rest)
		}
	case "evidence":
		a.evidence = append(a.evidence, mustDecode(t, rest))
	case "state":
		selector, part, _ := strings.Cut(rest, " {")
		a.states[selector] = mustDecode(t, "{"+part)
	case "says":
		way, text := cutWay(rest)
		a.says[way] = text
	default:
		return false
	}
	return true
}

// cutWay takes the way off a line that holds for one of them alone.
func cutWay(line string) (way, rest string) {
	for _, way := range []string{"do", "act"} {
		if rest, ok := strings.CutPrefix(line, way+": "); ok {
			return way, rest
		}
	}
	return "", line
}

func actionOf(t *testing.T, line string) engine.Action {
	words := splitWords(t, line)
	if len(words) < 2 {
		t.Fatalf("an action is METHOD SELECTOR [ARG...], got %q", line)
	}
	return engine.Action{Method: engine.Method(words[0]), Selector: words[1], Arguments: words[2:]}
}

func mustDecode(t *testing.T, text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
