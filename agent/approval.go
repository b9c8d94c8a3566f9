package agent

import (
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// approvals are what a run has approved, and is asking about.
type approvals struct {
	asking chan struct{} // has one place: one question is put at a time

	// Of the run's goroutine.
	holds []held

	stands *engine.Hold // of the whole run; nil: nothing needs approval, or the browser cannot hold requests

	mu     sync.Mutex      // protects what follows
	last   Approval        // what would be asked about the action under way
	given  []string        // what was typed and chosen
	search *redact.Matcher // of given
}

// A held is a hold, with how many of its decisions are known.
type held struct {
	*engine.Hold
	told int
}

// begins notes the action that is about to be done.
func (l *approvals) begins(a Approval, given []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = a
	for _, v := range given {
		if strings.TrimSpace(v) != "" && !slices.Contains(l.given, v) {
			l.given = append(l.given, v)
			l.search = nil
		}
	}
}

// carries reports whether a text carries what was typed or chosen.
func (l *approvals) carries(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.given) == 0 {
		return false
	}
	if l.search == nil {
		var values []redact.Value
		for _, v := range l.given {
			values = append(values, redact.Value{Name: "given", Text: v})
		}
		l.search = redact.New(values)
	}
	return len(l.search.Find(text, false)) > 0
}

func (l *approvals) about() Approval {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// binding are the classes whose approval is for what leaves the browser.
var binding = []Class{ClassPay, ClassSend, ClassDelete, ClassSignUp}

func binds(classes []Class) bool {
	return slices.ContainsFunc(classes, func(c Class) bool { return slices.Contains(binding, c) })
}

// relax is for when the next action begins.
func (l *approvals) relax() {
	for _, h := range l.holds {
		h.Relax()
	}
}

// end ends all holds.
func (l *approvals) end() {
	for _, h := range l.holds {
		h.End()
	}
	if l.stands != nil {
		l.stands.End()
	}
	l.holds, l.stands = nil, nil
}

// withheld counts the requests that were not let out since it was last asked.
func (l *approvals) withheld() (n int) {
	for i := range l.holds {
		h := &l.holds[i]
		seen, _, _ := h.Seen(h.told)
		h.told += len(seen)
		for _, why := range seen {
			if why != nil {
				n++
			}
		}
	}
	return n
}

func sameAction(a, b Approval) bool {
	if a.Tool != b.Tool || a.Target != b.Target || string(a.Arguments) != string(b.Arguments) || a.Described != b.Described || a.Action.Method != b.Action.Method || !slices.Equal(a.Action.Arguments, b.Action.Arguments) {
		return false
	}
	if a.Action.Fingerprint == nil || b.Action.Fingerprint == nil {
		return a.Action.Fingerprint == b.Action.Fingerprint
	}
	return *a.Action.Fingerprint == *b.Action.Fingerprint
}

func describe(a *Approval) string {
	switch {
	case a == nil:
		return "another thing"
	case a.Action.Fingerprint != nil:
		return a.Tool + " " + a.Action.Fingerprint.String()
	case a.Target != "":
		return a.Tool + " " + a.Target
	}
	return a.Tool
}
