package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// The command for sick machines says what is wrong, whatever it is.
func TestDoctorSaysWhatItCouldNotRead(t *testing.T) {
	for _, c := range []struct {
		found *engine.Observation
		err   error
		says  string
	}{
		{nil, fmt.Errorf("observe: %w", context.DeadlineExceeded), "could not be read"},
		{&engine.Observation{}, nil, "0 actions"},
		{&engine.Observation{Actions: make([]engine.Action, 2)}, nil, "2 actions"},
	} {
		if ok, wrong := readAsExpected(c.found, c.err); ok || !strings.Contains(wrong, c.says) {
			t.Errorf("readAsExpected(%v, %v) = %v, %q, want %q", c.found, c.err, ok, wrong, c.says)
		}
	}
	if ok, wrong := readAsExpected(&engine.Observation{Actions: make([]engine.Action, 1)}, nil); !ok || wrong != "" {
		t.Errorf("readAsExpected of one action = %v, %q", ok, wrong)
	}
}
