package fleet_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// TestAlone: who has a store alone takes over at once what another has claimed, and
// nothing that was claimed since.
func TestAlone(t *testing.T) {
	store := new(fleet.Memory)
	open := func(alone bool) *fleet.Queue {
		q, err := fleet.NewQueue(t.Context(), store, "runs", &fleet.QueueOptions{Alone: alone})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	before := open(false)
	var claims []*fleet.Claim
	for range 2 {
		if _, _, err := before.Enqueue(t.Context(), fleet.Request{Owner: "o", Payload: []byte("x")}); err != nil {
			t.Fatal(err)
		}
		if len(claims) > 0 {
			break // that one waits
		}
		c, err := before.TryClaim(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		claims = append(claims, c)
	}
	if lost, err := open(false).Sweep(t.Context()); err != nil || len(lost) > 0 {
		t.Errorf("one of several has swept %v, %v", lost, err)
	}
	alone := open(true)
	own, err := alone.TryClaim(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if lost, err := alone.Sweep(t.Context()); err != nil || !slices.Equal(lost, []string{claims[0].Job.ID}) {
		t.Errorf("swept %v, %v; want %s", lost, err, claims[0].Job.ID)
	}
	if err := claims[0].Finish(t.Context(), nil); !errors.Is(err, fleet.ErrLost) {
		t.Errorf("Finish of the lost one: %v", err)
	}
	if err := own.Finish(t.Context(), nil); err != nil {
		t.Errorf("Finish of the other: %v", err)
	}
}
