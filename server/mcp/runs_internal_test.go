package mcp

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// Where there are too many runs, the oldest that is over goes: not one that is
// at work, and not one that a person still has to answer.
func TestForget(t *testing.T) {
	rs := newRuns(nil, nil)
	var all []*run
	for range mostRuns {
		all = append(all, rs.add(&session{}, nil, agent.Task{}))
	}
	all[0].working = true
	all[1].result = &agent.Result{Pending: &agent.Pending{}}
	rs.add(&session{}, nil, agent.Task{})
	rs.add(&session{}, nil, agent.Task{})
	for i, r := range all {
		_, err := rs.find("", r.id)
		if want := i != 2 && i != 3; (err == nil) != want {
			t.Errorf("run %d is known: %v, want %v", i, err == nil, want)
		}
	}
}
