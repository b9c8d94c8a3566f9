package runs

import (
	"errors"
	"net/http"
	"testing"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Queue shows the tests a run's job.
func (r *Runs) Queue() *fleet.Queue { return r.queue }

// TestNodeTakenForDead: a run whose session has ended because its node was taken for
// dead, while its own claim still holds, is left to another and has not failed.
func TestNodeTakenForDead(t *testing.T) {
	const gone = "the session is gone with the node that had it; start another"
	for _, err := range []error{
		&client.Error{Status: http.StatusGone, Code: wire.SessionGone, Message: gone},
		errors.New("step 2: " + gone), // of a stream
	} {
		if e, got := failed(t.Context(), new(wire.RunCreate), err); !errors.Is(got, errLeft) {
			t.Errorf("failed(%v) = %+v, %v; want %v", err, e, got, errLeft)
		}
	}
}
