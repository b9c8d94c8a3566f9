package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const (
	retryBusy    = 5 * time.Second  // after which a run is tried again for which there was no session
	retryGone    = time.Second      // after which one is whose session ended with its node's place in the fleet
	retrySealed  = time.Minute      // and one whose log cannot be opened
	finishLimit  = 15 * time.Second // for the store to take an end
	cleanEvery   = time.Hour
	longestEvent = 2000 // bytes of its message
)

// A Service gives runs their sessions; it is a [server.Server].
type Service interface {
	// StartRun is [server.Server.StartRun].
	StartRun(ctx context.Context, run *server.Run, start *wire.SessionStart) (*server.RunSession, error)
}

// A turn is one run under way, or the rest of it.
type turn struct {
	*Runs
	claim   *fleet.Claim
	service Service
}

// run does one run, or continues it where another process has left it.
func (w *turn) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.claim.Context(), func() { cancel(context.Cause(w.claim.Context())) })()
	var t *task
	reading, stop := context.WithTimeout(ctx, finishLimit)
	defer stop()
	err := persist(reading, w.claim, func() (err error) {
		t, err = w.wholeTask(ctx, w.claim.Job.ID)
		return err
	})
	switch {
	case errors.Is(err, errSealed):
		return w.wait(ctx, err)
	case errors.Is(err, fleet.ErrUnavailable), context.Cause(ctx) != nil:
		return err
	case err != nil:
		return w.conclude(ctx, end{Status: wire.RunFailed, Error: &wire.RunError{Code: wire.Internal, Message: "the run's task could not be read"}})
	}
	var before []fleet.LogLine
	err = persist(ctx, w.claim, func() (err error) {
		before, err = w.claim.Log(ctx, nil)
		return err
	})
	log := &record{claim: w.claim, keys: w.opts.Keys}
	begun := false
	if err == nil {
		begun, err = log.read(before)
	} else if !errors.Is(err, fleet.ErrDamaged) {
		return err
	}
	if errors.Is(err, fleet.ErrDamaged) {
		w.log.Error("a run is ended, as its log is damaged", "run", w.claim.Job.ID, "err", err)
		return w.conclude(ctx, end{Status: wire.RunFailed, Error: damaged})
	}
	if err != nil {
		return w.wait(ctx, err)
	}
	saved, err := log.saved(ctx, &t.Run)
	if err != nil {
		w.log.Warn("a run cannot be gone on with", "run", w.claim.Job.ID, "err", err)
		return w.conclude(ctx, end{Status: wire.RunFailed, Error: interrupted})
	}
	lasting := &server.Run{
		ID: w.claim.Job.ID, Caller: t.Home, Store: log, Saved: saved, Variables: t.Run.Variables, Leave: w.leaving,
		NoModel: t.Run.Script != nil && !t.Run.Heal,
	}
	e, err := w.do(ctx, t, begun, lasting)
	switch {
	case errors.Is(err, errBusy):
		return w.giveUp(ctx, retryBusy)
	case errors.Is(err, errLeft):
		select {
		case <-w.leaving:
			return w.giveUp(ctx, 0)
		default: // this node is about to join again
			return w.giveUp(ctx, retryGone)
		}
	case errors.Is(err, errCrashed):
		return w.afterCrash(ctx, log.crashes+1)
	case err != nil:
		return err
	}
	return w.conclude(ctx, e)
}

// errBusy is a run for which there is no session now, or whose profile another has.
var errBusy = errors.New("runs: no session can be had now; the run waits for its next turn")

// errCrashed is a run whose browser has ended.
var errCrashed = errors.New("runs: the browser of the run has ended")

// mostCrashes is how many browsers a run may end.
const mostCrashes = 3

// afterCrash has the run continue in another browser, as where its process has ended.
func (w *turn) afterCrash(ctx context.Context, crashes int) error {
	w.log.Warn("the browser of a run has ended", "run", w.claim.Job.ID, "crashes", crashes)
	if crashes >= mostCrashes {
		return w.conclude(ctx, end{Status: wire.RunFailed, Error: &wire.RunError{
			Code: wire.BrowserUnavailable, Message: fmt.Sprintf("the run's browser ended %d times; what was done is not repeated, and the run's events tell how far it came", crashes),
		}})
	}
	if err := insist(ctx, w.claim, json.RawMessage(`{"crashed":true}`)); err != nil {
		return err
	}
	return w.giveUp(ctx, 0)
}

// errLeft is a run that another process continues.
var errLeft = errors.New("runs: the session of the run has ended with its node; another node continues the run")

// wait returns a run to the queue that cannot be read: another process may have the
// key, or this one after a restart.
func (w *turn) wait(ctx context.Context, why error) error {
	w.log.Error("a run waits for a key: give the one that encrypted it", "run", w.claim.Job.ID, "err", why)
	return w.giveUp(ctx, retrySealed)
}

// giveUp returns a run to the queue.
func (w *turn) giveUp(ctx context.Context, after time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	for {
		err := w.claim.GiveUp(ctx, after)
		if err == nil || errors.Is(err, fleet.ErrLost) || !pause.For(ctx, retryStore) {
			return err
		}
	}
}

// conclude writes a run's end, also after its work was cut short.
func (w *turn) conclude(ctx context.Context, e end) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if len(raw) > fleet.MaxValue {
		e.Result = nil
		e.Status, e.Error = wire.RunFailed, &wire.RunError{Code: wire.TooLarge, Message: fmt.Sprintf("the run came to an end (%s), and its result has %d bytes, more than are kept", e.Status, len(raw))}
		if raw, err = json.Marshal(e); err != nil {
			return err
		}
	}
	for notified := false; ; {
		if !notified {
			err = w.notify(ctx, w.claim.Job.ID)
			notified = !errors.Is(err, fleet.ErrUnavailable) // else the end could not be written either
			if notified && err != nil {
				w.log.Warn("the webhook of a run is lost", "run", w.claim.Job.ID, "err", err)
			}
		}
		if notified {
			err = w.claim.Conclude(ctx, string(e.Status), raw)
		}
		if notified && err == nil || errors.Is(err, fleet.ErrLost) || w.claim.Held() != nil || !pause.For(ctx, retryStore) {
			return err
		}
	}
}

// do has the task done, or the rest of it, in a session of its own. Its error is
// errBusy, errLeft or errCrashed, or the loss of the claim. begun: the events have
// said so.
func (w *turn) do(ctx context.Context, t *task, begun bool, run *server.Run) (end, error) {
	session, err := w.service.StartRun(ctx, run, &wire.SessionStart{ModelName: t.Run.Model, Browser: t.Run.Browser, Trace: t.Run.Trace})
	if err != nil {
		var refused *server.RunError
		if errors.As(err, &refused) && refused.Code != wire.Draining && slices.Contains(passing, refused.Code) {
			return end{}, errBusy
		}
		return failed(ctx, &t.Run, err)
	}
	defer func() {
		if err := session.End(); err != nil {
			w.log.Debug("the session of a run was not ended", "run", w.claim.Job.ID, "err", err)
		}
	}()
	kind := "begun"
	if begun {
		kind = "resumed"
	}
	if err := tell(ctx, w.claim, wire.RunEvent{Type: kind, Message: title(&t.Run), Session: session.ID(), Traced: t.Run.Trace}); err != nil {
		return end{}, err
	}
	return w.follow(ctx, &t.Run, session)
}

// passing are the codes of a refusal that says nothing of the run: another time, or
// another node, has a session for it.
var passing = []wire.Code{
	wire.TooManySessions, wire.RateLimited, wire.TooManyRuns, wire.TooManyProfiles,
	wire.Draining, wire.BrowserUnavailable, wire.NodeUnavailable, wire.ProfileInUse,
}

// title is what a run is for, in words.
func title(run *wire.RunCreate) string {
	if run.Script == nil {
		return run.Task
	}
	var script struct {
		Task  string            `json:"task"`
		Start string            `json:"start"`
		Steps []json.RawMessage `json:"steps"`
	}
	if json.Unmarshal(run.Script, &script) == nil && script.Task != "" {
		return script.Task
	}
	return fmt.Sprintf("a script of %d steps at %s", len(script.Steps), cmp.Or(run.URL, script.Start))
}

// mostWaiting is how many lines wait for a store that is slower than the work. What
// comes then is left out.
const mostWaiting = 64

// follow has the task done, writes a run's events meanwhile, and returns its end.
func (w *turn) follow(ctx context.Context, run *wire.RunCreate, session *server.RunSession) (end, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	lines, written := make(chan string, mostWaiting), make(chan struct{})
	go func() {
		defer close(written)
		for line := range lines {
			if err := tell(ctx, w.claim, wire.RunEvent{Type: "step", Message: line}); errors.Is(err, fleet.ErrLost) {
				stop(err)
			} else if err != nil {
				w.log.Warn("an event of a run is lost", "run", w.claim.Job.ID, "err", err)
			}
		}
	}()
	result, err := session.Do(ctx, run, func(line string) {
		select {
		case lines <- line:
		default:
		}
	})
	close(lines)
	<-written
	if err != nil {
		return failed(ctx, run, err)
	}
	// The end of a run whose claim was lost is another's.
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, fleet.ErrCanceled) {
		return end{}, cause
	}
	switch {
	case result.Success:
		return end{Status: wire.RunSucceeded, Result: result.JSON}, nil
	case result.Claimed: // nothing is known to have failed
		return end{Status: wire.RunCompleted, Result: result.JSON}, nil
	}
	return end{Status: wire.RunFailed, Result: result.JSON, Error: &wire.RunError{Code: codeOf(run), Message: result.Message}}, nil
}

// codeOf is that of a run which did not succeed.
func codeOf(run *wire.RunCreate) wire.Code {
	if run.Script != nil {
		return wire.ScriptFailed
	}
	return wire.AgentFailed
}

// failed is the end of a run by an error. Codes that say that the service ends, that
// this node was declared dead, or that the browser has ended do not end the run: it
// continues elsewhere. The error's text decides nothing, as the page or the model may
// have written it.
func failed(ctx context.Context, run *wire.RunCreate, err error) (end, error) {
	var refused *server.RunError
	e := end{Status: wire.RunFailed, Error: &wire.RunError{Code: codeOf(run), Message: err.Error()}}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, fleet.ErrCanceled):
		e.Status, e.Error = wire.RunCanceled, nil
	case cause != nil:
		return end{}, cause
	case !errors.As(err, &refused):
	case refused.Code == wire.Draining || refused.Code == wire.SessionGone:
		return end{}, errLeft
	case refused.Code == wire.BrowserUnavailable:
		return end{}, errCrashed
	case !refused.Begun:
		e.Error.Code = refused.Code
	}
	return e, nil
}

// tell appends an event to a run's log.
func tell(ctx context.Context, c *fleet.Claim, e wire.RunEvent) error {
	e.Time = time.Now().UTC()
	if len(e.Message) > longestEvent {
		e.Message = strings.ToValidUTF8(e.Message[:longestEvent], "")
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return insist(ctx, c, raw)
}
