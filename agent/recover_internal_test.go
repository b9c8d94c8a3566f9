package agent

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
)

// TestEndedWithoutStep: a log whose checksums hold, and that says nonsense, is damaged.
func TestEndedWithoutStep(t *testing.T) {
	for _, action := range []string{`{}`, `{"step":0}`, `{"step":-3}`, `{"step":"1"}`, `7`, ``} {
		p := &past{run: &run{}}
		if err := p.take(journal.Entry{Of: &journal.Ended{Action: []byte(action)}}); !errors.Is(err, runs.ErrDamaged) {
			t.Errorf("%s: %v, want %v", action, err, runs.ErrDamaged)
		}
	}
}
