package engine

import (
	"errors"
	"reflect"
	"slices"
)

// redact puts placeholders in the place of the values of variables, wherever a
// result could show one: a field's content before and after, an address that
// holds what was typed, an error that quotes it.
func (s *Session) redact(r *ActResult) {
	if s.secrets.matcher.Load() == nil {
		return
	}
	r.Message = s.secrets.hideShown(r.Message)
	r.Description = s.secrets.hide(r.Description)
	for i := range r.Actions {
		r.Actions[i] = s.hideAction(r.Actions[i])
	}
	s.hideTexts(reflect.ValueOf(&r.Evidence).Elem())
	if r.Cache != nil {
		r.Cache.Detail = s.secrets.hideShown(r.Cache.Detail)
	}
}

// hideAction hides values in an action: in what it says of its element, which
// the page has named, and in arguments.
func (s *Session) hideAction(a Action) Action {
	a.Description = s.secrets.hide(a.Description)
	a.Arguments = slices.Clone(a.Arguments)
	for i := range a.Arguments {
		a.Arguments[i] = s.secrets.hide(a.Arguments[i])
	}
	if a.Fingerprint != nil {
		print := s.hidePrint(*a.Fingerprint)
		a.Fingerprint = &print
	}
	if a.Surroundings != nil {
		around := *a.Surroundings
		around.Row = s.secrets.hide(around.Row)
		a.Surroundings = &around
	}
	return a
}

func (s *Session) hidePrint(f Fingerprint) Fingerprint {
	f.Name = s.secrets.hide(f.Name)
	return f
}

// hideTexts hides values in every text below v, which is settable, but those
// whose field says hide:"-": names that a program goes by.
func (s *Session) hideTexts(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(s.secrets.hideShown(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			s.hideTexts(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.hideTexts(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			s.hideTexts(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("hide") != "-" {
				s.hideTexts(v.Field(i))
			}
		}
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
	if hidden := s.secrets.hideShown(text); hidden != text {
		return &redactedError{text: hidden, err: err}
	}
	return err
}
