package recording

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A failure is an error of a driver in a form that can be written and made
// into an error again which says the same and is branched on alike.
type failure struct {
	Op         string          `json:"op,omitempty"` // of a driver.OpError
	Target     string          `json:"target,omitempty"`
	Text       string          `json:"text"`
	Is         []fixed         `json:"is,omitempty"` // names of [sentinels]
	Navigation *navigation     `json:"navigation,omitempty"`
	By         *driver.NodeRef `json:"by,omitempty"` // of a driver.ObscuredError
	Missed     *missed         `json:"missed,omitempty"`
}

// missed is what a driver.MissedError says beside its cause.
type missed struct {
	By    driver.NodeRef `json:"by,omitzero"`
	Taken bool           `json:"taken,omitempty"`
}

type navigation struct {
	URL    string        `json:"url"`
	Reason driver.Reason `json:"reason"`
	Detail string        `json:"detail,omitempty"`
}

// sentinels are the errors that callers branch on.
var sentinels = []struct {
	name fixed
	err  error
}{
	{"stale", driver.ErrStale}, {"detached", driver.ErrDetached}, {"not visible", driver.ErrNotVisible},
	{"obscured", driver.ErrObscured}, {"not focusable", driver.ErrNotFocusable}, {"disabled", driver.ErrDisabled}, {"changed", driver.ErrChanged},
	{"slipped", driver.ErrTargetMoved}, {"not typed", driver.ErrNotTyped}, {"not dropped", driver.ErrNotDropped},
	{"selector", driver.ErrSelector},
	{"no history", driver.ErrNoHistory}, {"download", driver.ErrDownload}, {"dialog", driver.ErrDialog},
	{"blocked", driver.ErrBlocked}, {"closed", driver.ErrClosed}, {"crashed", driver.ErrCrashed},
	{"too large", driver.ErrTooLarge}, {"no tool", driver.ErrNoTool}, {"unsupported", errors.ErrUnsupported}, {"no file", fs.ErrNotExist},
	{"deadline", context.DeadlineExceeded}, {"canceled", context.Canceled},
}

func newFailure(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			f.Is = append(f.Is, s.name)
		}
	}
	if op, ok := errors.AsType[*driver.OpError](err); ok && op.Error() == err.Error() {
		f.Op, f.Target, err = op.Op, op.Target, op.Err
	}
	f.Text = err.Error()
	if nav, ok := errors.AsType[*driver.NavigationError](err); ok {
		f.Navigation = &navigation{nav.URL, nav.Reason, nav.Detail}
	}
	if covered, ok := errors.AsType[*driver.ObscuredError](err); ok {
		f.By = &covered.By
	}
	var away *driver.MissedError
	if errors.As(err, &away) {
		f.Missed = &missed{away.By, away.Taken}
	}
	return f
}

// err makes the error again.
func (f *failure) err() error {
	if f == nil {
		return nil
	}
	var err error = &replayed{f}
	if f.Op != "" {
		err = &driver.OpError{Op: f.Op, Target: f.Target, Err: err}
	}
	return err
}

// A replayed error says what a recorded one said.
type replayed struct{ failure *failure }

func (e *replayed) Error() string { return e.failure.Text }

// Is reports what the recorded error was.
func (e *replayed) Is(target error) bool {
	for _, s := range sentinels {
		if s.err == target {
			return slices.Contains(e.failure.Is, s.name)
		}
	}
	return false
}

// As gives the typed errors that callers read.
func (e *replayed) As(target any) bool {
	switch target := target.(type) {
	case **driver.NavigationError:
		if n := e.failure.Navigation; n != nil {
			*target = &driver.NavigationError{URL: n.URL, Reason: n.Reason, Detail: n.Detail}
			return true
		}
	case **driver.ObscuredError:
		if e.failure.By != nil {
			*target = &driver.ObscuredError{By: *e.failure.By}
			return true
		}
	case **driver.MissedError:
		if m := e.failure.Missed; m != nil {
			*target = &driver.MissedError{By: m.By, Taken: m.Taken, Err: e}
			return true
		}
	}
	return false
}
