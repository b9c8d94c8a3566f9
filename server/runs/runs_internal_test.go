package runs

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Queue shows the tests a run's job.
func (r *Runs) Queue() *fleet.Queue { return r.queue }

// TestNodeTakenForDead: a run whose session has ended because its node was taken for
// dead, while its own claim still holds, is left to another and has not failed.
func TestNodeTakenForDead(t *testing.T) {
	const gone = "the session is gone with the node that had it; start another"
	for _, err := range []error{
		&server.RunError{Code: wire.SessionGone, Message: gone},
		&server.RunError{Code: wire.SessionGone, Message: "step 2: " + gone, Begun: true},
	} {
		if e, got := failed(t.Context(), new(wire.RunCreate), err); !errors.Is(got, errLeft) {
			t.Errorf("failed(%v) = %+v, %v; want %v", err, e, got, errLeft)
		}
	}
	if e, got := failed(t.Context(), new(wire.RunCreate), errors.New("the page says: "+gone)); got != nil || e.Status != wire.RunFailed {
		t.Errorf("by its words alone it ended as %+v, %v", e, got)
	}
}
