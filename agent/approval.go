package agent

import (
	"slices"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// approvals are what a run has approved, and is asking about.
type approvals struct {
	asking chan struct{} // has one place: one question is put at a time

	// Of the run's goroutine.
	holds []*engine.Hold
	told  []int // how many decisions of each are known
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
	l.holds, l.told = nil, nil
}

// withheld counts the requests that were not let out since it was last asked.
func (l *approvals) withheld() (n int) {
	for i, h := range l.holds {
		seen, _, _ := h.Seen(l.told[i])
		l.told[i] += len(seen)
		for _, s := range seen {
			if !s.Out {
				n++
			}
		}
	}
	return n
}

func sameAction(a, b Approval) bool {
	if a.Tool != b.Tool || a.Target != b.Target || a.Reason != b.Reason || a.Action.Method != b.Action.Method || !slices.Equal(a.Action.Arguments, b.Action.Arguments) {
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

func orWord(word, other string) string {
	if word == "" {
		return other
	}
	return word
}
