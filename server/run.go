package server

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A Run is a task of an agent, or a script, whose log outlives the process, so that
// another process can continue it. [Server.StartRun] gives it a session.
type Run struct {
	// ID is the run's.
	ID string
	// Caller owns the run's session; see [Caller].
	Caller string
	// Store has the run's log. Every step is written there before it is done.
	Store runs.Store
	// Saved is what another process has done; nil begins anew. A session that is
	// started with it has the cookies and the storage of the run's browser, and the
	// task, or the script, continues in it.
	Saved Saved
	// NoModel reports that the run asks no model, so that its session needs none.
	NoModel bool
	// Variables are those of the run. The log has their names alone.
	Variables map[string]wire.Variable
	// Leave, when it is closed, ends the run after the step that is under way, for
	// another process to continue. [RunSession.Do] returns [wire.Draining] then.
	Leave <-chan struct{}
}

// A Saved is what another process has done of a run: an [agent.Saved] or a
// [script.Saved].
type Saved interface {
	// Prepare has a session begin as the run's browser was.
	Prepare(opts *engine.Options, variables map[string]engine.Variable) error
}

var (
	_ Saved = (*agent.Saved)(nil)
	_ Saved = (*script.Saved)(nil)
)

// prepare has a session begin with what the run's browser had. Nothing is done for
// the session of a nil run.
func (r *Run) prepare(opts *engine.Options) error {
	if r == nil || r.Saved == nil {
		return nil
	}
	profile := opts.Browser.StorageState
	opts.Browser.StorageState = nil
	err := r.Saved.Prepare(opts, variables(r.Variables))
	if profile != nil { // it is as old as its last write, and the log has the run's last step
		opts.Browser.StorageState = profiles.Merge(profile, opts.Browser.StorageState)
	}
	return err
}

// saved returns what another process has done; nil for a nil run.
func (r *Run) saved() Saved {
	if r == nil {
		return nil
	}
	return r.Saved
}

// leave returns the channel that is closed when the run is left to another process;
// that of a nil run never is.
func (r *Run) leave() <-chan struct{} {
	if r == nil {
		return nil
	}
	return r.Leave
}

// left reports that the run is left to another process.
func (r *Run) left() bool {
	select {
	case <-r.leave():
		return true
	default:
		return false
	}
}

// A RunError is why a run's session did not start, why its task came to no result, or
// what [Runs] refuse. It wraps the cause, which is for logs.
type RunError struct {
	Code    wire.Code
	Message string        // as clients read it
	Retry   time.Duration // after which the client may ask again; 0 says nothing
	// Begun reports that the task itself had begun, and not only its session.
	Begun bool

	cause error
}

// Error returns the message.
func (e *RunError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.cause }

// runError is an error for the caller of a run's session.
func runError(ctx context.Context, err error, begun bool) error {
	if err == nil {
		return nil
	}
	f := faultOf(ctx, err)
	return &RunError{Code: f.code, Message: f.message, Begun: begun, cause: err}
}

// A RunSession is the session of one run. Its methods are called one after the other.
type RunSession struct{ work *work }

// guard turns a panic into an error, as requests have it.
func guard(s *core, run string, err *error) {
	if p := recover(); p != nil {
		f := panicked(p)
		s.log.Error("panic", "run", run, "err", f.cause)
		*err = &RunError{Code: f.code, Message: f.message, cause: f.cause}
	}
}

// ID returns the session's ID.
func (r *RunSession) ID() string { return r.work.session.id }

// A RunResult is what came of a run's task.
type RunResult struct {
	Success bool
	Claimed bool // without success: the model calls the task done, and nothing says otherwise
	Message string
	JSON    json.RawMessage // a [wire.AgentResult] or a [wire.ScriptResult]
}

// Do does the run's task, or the rest of it, and calls report with a line for each
// step; report must not wait. The error is a [*RunError]; its code is [wire.Draining]
// or [wire.SessionGone] where another process has to continue the run, and
// [wire.BrowserUnavailable] where its browser has ended.
func (r *RunSession) Do(ctx context.Context, task *wire.RunCreate, report func(line string)) (_ *RunResult, err error) {
	w := r.work
	defer guard(w.core, w.run.ID, &err)
	// What has begun at a page has that in its log, and a script goes there itself.
	if task.URL != "" && task.Script == nil && w.run.Saved == nil {
		j, err := w.navigation(&wire.NavigateRequest{URL: task.URL})
		if err != nil {
			return nil, runError(ctx, err, false)
		}
		if _, err := r.perform(ctx, "navigate", j, nil); err != nil {
			err := err.(*RunError)
			err.Begun = false // the task has not
			return nil, err
		}
	}
	var j job
	kind := "agentExecute"
	if task.Script != nil {
		kind = "script"
		j, err = (&scriptWork{w, &wire.ScriptRequest{
			Script:  task.Script,
			Options: &wire.ScriptOptions{Start: task.URL, Variables: task.Variables, Files: task.Files, Heal: task.Heal},
		}}).job()
	} else {
		j, err = (&agentWork{w, &wire.AgentExecuteRequest{
			AgentConfig:    wire.AgentConfig{Mode: task.Mode, SystemPrompt: task.SystemPrompt},
			ExecuteOptions: wire.AgentExecuteOptions{Instruction: task.Task, MaxSteps: task.MaxSteps, Variables: task.Variables, Checks: task.Checks, Flows: task.Flows},
		}}).job()
	}
	if err != nil {
		return nil, runError(ctx, err, false)
	}
	out, err := r.perform(ctx, kind, j, func(line body.LogLine) { report(line.Message) })
	if err != nil {
		return nil, err
	}
	return &RunResult{out.success, out.claimed, out.message, out.result}, nil
}

// perform does a job in the session.
func (r *RunSession) perform(ctx context.Context, kind string, j job, tell func(body.LogLine)) (out outcome, _ error) {
	w := r.work
	w.kind, w.sent = kind, wire.SentNone
	if e := w.core.opts.Parts.Node; e != nil {
		if err := e.Held(); err != nil {
			return out, runError(ctx, w.unreachable(ctx, err), false)
		}
	}
	begun := false
	err := w.onPage(ctx, j, func(ctx context.Context, _ context.CancelCauseFunc, page *engine.Page) (err error) {
		begun = true
		out, err = w.do(ctx, page, j, tell)
		return err
	})
	return out, runError(ctx, err, begun)
}

// End ends the session, and returns when its browser is closed.
func (r *RunSession) End() error {
	return runError(context.Background(), r.work.session.endAndTell(), true)
}
