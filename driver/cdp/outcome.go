package cdp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A remote is what Chrome tells of a JavaScript value.
type remote struct {
	Type                string
	Subtype             string
	ObjectID            string
	Value               json.RawMessage
	UnserializableValue string
	Description         string
	DeepSerializedValue *reading
}

// A thrown is an exception of a script.
type thrown struct {
	Text      string
	Exception *remote
}

func (t *thrown) Error() string {
	text := t.Text
	if e := t.Exception; e != nil {
		switch {
		case e.Description != "":
			text = e.Description
		case len(e.Value) > 0:
			text += " " + string(e.Value)
		}
	}
	// What follows the first line is a trace of the stack.
	if message, _, found := strings.Cut(text, "\n    at "); found {
		text = message
	}
	return text
}

// words are what our scripts throw.
var words = map[string]error{
	"stale":        driver.ErrStale,
	"detached":     driver.ErrDetached,
	"selector":     driver.ErrSelector,
	"notfocusable": driver.ErrNotFocusable,
	"changed":      driver.ErrChanged,
	"unsupported":  errors.ErrUnsupported,
}

// known returns the error that our script means, if it is one of ours. A
// library that is not there belongs to a world that has been replaced.
func (t *thrown) known() error {
	if t.Exception == nil {
		return t
	}
	var said string
	if err := json.Unmarshal(t.Exception.Value, &said); err == nil {
		if rest, ours := strings.CutPrefix(said, "wayfinder: "); ours {
			word, detail, _ := strings.Cut(rest, " ")
			switch kind := words[word]; {
			case kind != nil && detail != "":
				return fmt.Errorf("%s: %w", detail, kind)
			case kind != nil:
				return kind
			}
			return errors.New(rest)
		}
	}
	return t
}

// An outcome is the reply to Runtime.evaluate and callFunctionOn.
type outcome struct {
	Result           remote
	ExceptionDetails *thrown
}

func readOutcome(raw []byte) (*outcome, error) {
	var o outcome
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, fmt.Errorf("unexpected answer: %w", err)
	}
	if o.ExceptionDetails != nil {
		return nil, o.ExceptionDetails.known()
	}
	if r := o.Result.DeepSerializedValue; r != nil {
		if err := r.link(); err != nil {
			return nil, fmt.Errorf("unexpected answer: %w", err)
		}
	}
	return &o, nil
}
