package main

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if beProcess() {
		return
	}
	os.Exit(m.Run())
}

// TestKill is a slice of the command: one of three processes is killed with runs
// under way, and each of them ends, with each effect once.
func TestKill(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	err := within(ctx, 200*time.Millisecond, 5, func(c *cluster) error {
		r, err := c.disturb(12, 0, "kill", c.kill(1))
		t.Log(r)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLeases is a slice of the command: owners of sessions are stopped, cut off and
// have their clocks set, and no session has two.
func TestLeases(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := strife{nodes: 4, sessions: 24, changes: 50, term: 600 * time.Millisecond, seed: 7}
	r, err := s.run(ctx)
	if r != nil {
		t.Log(r)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestSimulation is a slice of the command, with fewer nodes and sessions.
func TestSimulation(t *testing.T) {
	r, err := simulation{nodes: 20, sessions: 2000, life: 20 * time.Minute, failures: 2 * time.Hour, span: 3 * time.Hour, seed: 1}.run(t.Context())
	t.Log(r)
	switch {
	case err != nil:
		t.Error(err)
	case r.looks == 0 || r.failures == 0 || r.cuts == 0 || r.replaced == 0:
		t.Error("nothing was tried")
	case r.worst > 0.1:
		t.Errorf("a node has %.1f %% more or less than the mean", 100*r.worst)
	}
}
