package mcp

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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

// TestRunsOfOthers: a run is found by its caller alone.
func TestRunsOfOthers(t *testing.T) {
	rs := newRuns(nil, nil)
	r := rs.add(&session{owner: "ada"}, nil, agent.Task{})
	if got, err := rs.find("ada", r.id); got != r || err != nil {
		t.Errorf("find of one's own = %v, %v", got, err)
	}
	if got, err := rs.find("bob", r.id); err == nil {
		t.Errorf("find of another's = %v", got)
	}
}

// TestDecideOnce: an answer to a run that is at work again, because the same answer came
// before, begins nothing.
func TestDecideOnce(t *testing.T) {
	rs := newRuns(nil, nil)
	r := rs.add(&session{}, nil, agent.Task{})
	r.working, r.result = true, &agent.Result{Pending: &agent.Pending{}}
	rs.decide(t.Context(), r, agent.Decision{Approved: true})
	if r.result == nil || r.cancel != nil {
		t.Error("the run was begun a second time")
	}
}

// TestDecisionOf: only an accepted answer counts, and only true approves.
func TestDecisionOf(t *testing.T) {
	for _, action := range []string{"accept", "decline", "cancel", ""} {
		for _, answer := range []any{true, false, "blue", nil, 1.0} {
			d := decisionOf(&sdk.ElicitResult{Action: action, Content: map[string]any{asked: answer}})
			approved, text := action == "accept" && answer == true, ""
			if action == "accept" && answer == "blue" {
				text = "blue"
			}
			if d.Approved != approved || d.Answer != text || (d.Reason == "") != (approved || text != "") {
				t.Errorf("decisionOf(%s, %v) = %+v", action, answer, d)
			}
		}
	}
}
