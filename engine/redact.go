package engine

import "errors"

// redact puts placeholders in the place of the values of variables, wherever a
// result could show one: a field's content before and after, an address that
// holds what was typed, an error that quotes it.
func (s *Session) redact(r *ActResult) {
	hide := s.secrets.hide
	r.Message = hide(r.Message)
	r.Description = hide(r.Description)
	for i := range r.Actions {
		r.Actions[i].Description = hide(r.Actions[i].Description)
	}
	ev := &r.Evidence
	if n := ev.Navigation; n != nil {
		n.From, n.To = hide(n.From), hide(n.To)
	}
	for i := range ev.NewPages {
		ev.NewPages[i].URL = hide(ev.NewPages[i].URL)
	}
	for i := range ev.Dialogs {
		ev.Dialogs[i].Message, ev.Dialogs[i].Answer = hide(ev.Dialogs[i].Message), hide(ev.Dialogs[i].Answer)
	}
	for i := range ev.Downloads {
		ev.Downloads[i].URL, ev.Downloads[i].Name = hide(ev.Downloads[i].URL), hide(ev.Downloads[i].Name)
	}
	ev.Changes = hide(ev.Changes)
	if v := ev.Value; v != nil {
		v.Before, v.After = hide(v.Before), hide(v.After)
	}
}

// A redactedError is an error whose text held the value of a variable.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

// Is lets callers branch as before; As is left out, since what it would give
// could hold the value.
func (e *redactedError) Is(target error) bool { return errors.Is(e.err, target) }

func (s *Session) hideError(err error) error {
	text := err.Error()
	if hidden := s.secrets.hide(text); hidden != text {
		return &redactedError{text: hidden, err: err}
	}
	return err
}
