package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Call is one call of a tool.
type Call struct {
	ID        string // as the model's provider names it
	Name      string
	Arguments json.RawMessage // satisfy the tool's schema

	Run   string // the run's ID
	Step  int    // the number of the call's step
	Class Class  // of the tool; what it does has been approved as one of that class

	run   *run
	wants chan want     // of the tool's goroutine, to the run's
	over  chan struct{} // closed when the run stops waiting for the tool
}

// Page is the page that the run is at.
func (c *Call) Page() *engine.Page { return c.run.page }

// Variables lists the names of the task's variables, sorted.
func (c *Call) Variables() []string { return slices.Sorted(maps.Keys(c.run.task.Variables)) }

// Do does a step of the run on the way of a call: it calls one of the agent's own
// tools, as the model would. Approvals, bounds and hooks hold as for any step, and
// the step is yielded and recorded, with [Action].Parent as the call's own. What
// only reads the page does not count against [Task].MaxSteps. The time that a tool
// may take begins anew with each step.
//
// Elements are named by refs of the newest [Call.Read], or of what the model was
// shown if there was none.
//
// An error means that the step was not done, or that it is not known whether it
// was ([engine.ErrMayHaveHappened]): the tool should end, and say so. Do must
// not be called once the tool has returned; it may be called by several goroutines, of
// which one at a time is served.
func (c *Call) Do(ctx context.Context, tool string, arguments json.RawMessage) (*Action, error) {
	got, err := c.want(ctx, want{ctx: ctx, tool: tool, arguments: arguments})
	return got.action, err
}

// Read reads the page that the run is at, once it is quiet. What it shows counts
// as seen by the run; it is not shown to the model.
func (c *Call) Read(ctx context.Context) (*engine.Snapshot, error) {
	got, err := c.want(ctx, want{ctx: ctx})
	return got.snapshot, err
}

func (c *Call) want(ctx context.Context, w want) (given, error) {
	answer := make(chan given, 1)
	w.answer = answer
	if c.wants == nil {
		return given{}, fmt.Errorf("%w: the tool %s is one of the agent's own, and does no steps", ErrInvalid, c.Name)
	}
	select {
	case c.wants <- w:
	case <-ctx.Done():
		return given{}, context.Cause(ctx)
	case <-c.over:
		return given{}, fmt.Errorf("%w: the call is over", engine.ErrClosed)
	}
	got := <-answer // the run serves what it took, and ends with ctx
	return got, got.err
}

// A want is a tool's request to the run; without a tool it is a reading.
type want struct {
	ctx       context.Context
	tool      string
	arguments json.RawMessage
	answer    chan<- given
}

type given struct {
	action   *Action
	snapshot *engine.Snapshot
	err      error
}

// An errand is a call that does steps on its way. The run's goroutine alone uses it.
type errand struct {
	step  *Step // of the call
	begun bool  // a step was done, or the page read
	shown view  // what the model knows of the page

	evidence *engine.Evidence // of the last step with an effect
	end      error            // the run ends with it
	later    *pendingError    // a step waits for a person
	waiting  llm.ToolCall     // that step's
}
