package computer

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// A drag that cannot be done as it is meant is refused, and not done otherwise.
func TestDragWithKeysHeld(t *testing.T) {
	drag := Action{Kind: Drag, At: At(1, 1), Path: []Place{{X: 9, Y: 9}}, Modifiers: "shift"}
	if _, err := (&Hand{}).drag(t.Context(), drag); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a drag with Shift held: %v, want it refused", err)
	}
	drag.Modifiers = ""
	if _, err := (&Hand{held: []string{"Alt"}}).drag(t.Context(), drag); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a drag with Alt held: %v, want it refused", err)
	}
}
