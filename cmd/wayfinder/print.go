package main

import (
	"encoding/json"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// writeJSON writes a value on a line of its own.
func (s *settings) writeJSON(v any) error {
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// describeAction is one action on a line, for people.
func describeAction(a engine.Action) string {
	line := a.Description
	if line == "" {
		line = fmt.Sprintf("%s %s", a.Method, a.Fingerprint)
	}
	for _, arg := range a.Arguments {
		line += fmt.Sprintf(" %q", arg)
	}
	return line
}
