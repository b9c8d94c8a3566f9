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
