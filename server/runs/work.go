package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
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

// Work does runs with a service, which is this process's own. When ctx ends it
// takes no more, and returns when those under way are over, or were left for
// another process after a step of theirs; the service's shutdown cuts the step
// short. It is called once.
func (r *Runs) Work(ctx context.Context, service http.Handler) {
	defer close(r.ended)
	defer context.AfterFunc(ctx, func() { close(r.leaving) })()
	under := context.WithoutCancel(ctx)
	var all sync.WaitGroup
	for range r.opts.Workers {
		all.Go(func() {
			r.claims(ctx, r.queue, func(c *fleet.Claim) error { return r.run(under, c, service) })
		})
	}
	deliveries := r.newClient()
	defer deliveries.CloseIdleConnections()
	for range 2 {
		all.Go(func() {
			r.claims(ctx, r.hooks, func(c *fleet.Claim) error { return r.deliver(under, c, deliveries) })
		})
	}
	all.Go(func() { r.watch(ctx) })
	all.Wait()
}

// claims does the jobs of a queue one after the other.
func (r *Runs) claims(ctx context.Context, q *fleet.Queue, do func(*fleet.Claim) error) {
	for {
		c, err := q.Claim(ctx, "")
		if err != nil {
			if context.Cause(ctx) != nil {
				return
			}
			r.log.Warn("no run could be claimed", "err", err)
			if !pause.For(ctx, time.Second) {
				return
			}
			continue
		}
		keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
		var keeper sync.WaitGroup
		keeper.Go(func() { _ = c.Keep(keeping) }) // its end shows in the claim
		err = do(c)
		stop()
		keeper.Wait()
		if err != nil && !errors.Is(err, fleet.ErrLost) {
			r.log.Error("a run could not be ended", "run", c.Job.ID, "err", err)
		}
	}
}

// watch looks for runs whose process is gone, and for those that are too old.
func (r *Runs) watch(ctx context.Context) {
	var cleaned time.Time
	owing := true // webhooks of runs that were given up, by whomever
	for again := true; again; again = pause.For(ctx, r.queue.Interval()) {
		lost, err := r.queue.Sweep(ctx)
		if err == nil {
			_, err = r.hooks.Sweep(ctx)
		}
		owing = owing || len(lost) > 0
		if err == nil && owing {
			err = r.notifyAbandoned(ctx)
			owing = err != nil
		}
		if err == nil && time.Since(cleaned) > cleanEvery {
			cleaned, owing = time.Now(), true
			if _, err = r.queue.Clean(ctx, cleaned.Add(-r.opts.Keep)); err == nil {
				_, err = r.hooks.Clean(ctx, cleaned.Add(-r.opts.Keep))
			}
		}
		if err != nil && context.Cause(ctx) == nil {
			r.log.Warn("the runs could not be looked after", "err", err)
		}
	}
}

// notifyAbandoned has the webhooks delivered of runs that nobody ended.
func (r *Runs) notifyAbandoned(ctx context.Context) error {
	for _, job := range r.queue.ListAll() {
		if job.State != fleet.Abandoned {
			continue
		}
		if err := r.notify(ctx, job.ID); err != nil && !errors.Is(err, fleet.ErrNotFound) {
			return err
		}
	}
	return nil
}

// task reads what a run is about, without its secrets.
func (r *Runs) task(ctx context.Context, id string) (*task, error) {
	t, _, err := r.readTask(ctx, id)
	return t, err
}

func (r *Runs) readTask(ctx context.Context, id string) (*task, []byte, error) {
	raw, err := r.queue.Payload(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	t := new(task)
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, nil, fmt.Errorf("runs: the task of %s: %w", id, err)
	}
	return t, raw, nil
}

// wholeTask reads it with them.
func (r *Runs) wholeTask(ctx context.Context, id string) (*task, error) {
	t, raw, err := r.readTask(ctx, id)
	if err != nil || !t.Sealed {
		return t, err
	}
	sealed, err := r.queue.Secret(ctx, id)
	if err != nil {
		return nil, err
	}
	return t, r.unpack(t, raw, sealed)
}

// run does one run, or goes on with it where another process has left it.
func (r *Runs) run(ctx context.Context, c *fleet.Claim, service http.Handler) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.Context(), func() { cancel(context.Cause(c.Context())) })()
	var t *task
	reading, stop := context.WithTimeout(ctx, finishLimit)
	defer stop()
	err := persist(reading, c, func() (err error) {
		t, err = r.wholeTask(ctx, c.Job.ID)
		return err
	})
	switch {
	case errors.Is(err, errSealed):
		return r.wait(ctx, c, err)
	case errors.Is(err, fleet.ErrUnavailable), context.Cause(ctx) != nil:
		return err
	case err != nil:
		return r.conclude(ctx, c, end{Status: wire.RunFailed, Error: &wire.RunError{Code: wire.Internal, Message: "the run's task could not be read"}})
	}
	var before []fleet.Line
	err = persist(ctx, c, func() (err error) {
		before, err = c.Log(ctx, nil)
		return err
	})
	if err != nil {
		return err
	}
	log := &record{claim: c, sealer: r.opts.Sealer}
	begun, err := log.read(before)
	if err != nil {
		return r.wait(ctx, c, err)
	}
	saved, err := log.saved(ctx, &t.Run)
	if err != nil {
		r.log.Warn("a run cannot be gone on with", "run", c.Job.ID, "err", err)
		return r.conclude(ctx, c, end{Status: wire.RunFailed, Error: interrupted})
	}
	ctx = server.WithLasting(server.As(ctx, t.Home), &server.Lasting{
		Run: c.Job.ID, Store: log, Saved: saved, Variables: t.Run.Variables, Leave: r.leaving,
		NoModel: t.Run.Script != nil && !t.Run.Heal,
	})
	e, err := r.do(ctx, c, t, begun, service)
	var busy *client.Error
	switch {
	case errors.As(err, &busy) && busy.Code != wire.Draining:
		// There is no session for it now, or another has its profile.
		return r.giveUp(ctx, c, retryBusy)
	case errors.Is(err, errLeft), errors.As(err, &busy) && busy.Code == wire.Draining:
		select {
		case <-r.leaving:
			return r.giveUp(ctx, c, 0)
		default: // this node is about to join again
			return r.giveUp(ctx, c, retryGone)
		}
	case errors.Is(err, errCrashed):
		return r.afterCrash(ctx, c, log.crashes+1)
	case err != nil:
		return err
	}
	return r.conclude(ctx, c, e)
}

// errCrashed is a run whose browser has ended.
var errCrashed = errors.New("runs: the browser of the run has ended")

// mostCrashes is how many browsers a run may end.
const mostCrashes = 3

// afterCrash has a run go on in another browser, as where its process has ended.
func (r *Runs) afterCrash(ctx context.Context, c *fleet.Claim, crashes int) error {
	r.log.Warn("the browser of a run has ended", "run", c.Job.ID, "crashes", crashes)
	if crashes >= mostCrashes {
		return r.conclude(ctx, c, end{Status: wire.RunFailed, Error: &wire.RunError{
			Code: wire.BrowserUnavailable, Message: fmt.Sprintf("the run's browser ended %d times; what was done is not repeated, and the run's events tell how far it came", crashes),
		}})
	}
	if err := insist(ctx, c, json.RawMessage(`{"crashed":true}`)); err != nil {
		return err
	}
	return r.giveUp(ctx, c, 0)
}

// errLeft is a run that another process goes on with.
var errLeft = errors.New("runs: the session of the run has ended with its node; another goes on with the run")

// wait returns a run to the queue that cannot be read: another process may have the
// key, or this one after a restart.
func (r *Runs) wait(ctx context.Context, c *fleet.Claim, why error) error {
	r.log.Error("a run waits for a key: give the one that encrypted it", "run", c.Job.ID, "err", why)
	return r.giveUp(ctx, c, retrySealed)
}

// giveUp returns a run to the queue.
func (r *Runs) giveUp(ctx context.Context, c *fleet.Claim, after time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	for {
		err := c.GiveUp(ctx, after)
		if err == nil || errors.Is(err, fleet.ErrLost) || !pause.For(ctx, retryStore) {
			return err
		}
	}
}

// conclude writes a run's end, also after its work was cut short.
func (r *Runs) conclude(ctx context.Context, c *fleet.Claim, e end) error {
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
			err = r.notify(ctx, c.Job.ID)
			notified = !errors.Is(err, fleet.ErrUnavailable) // else the end could not be written either
			if notified && err != nil {
				r.log.Warn("the webhook of a run is lost", "run", c.Job.ID, "err", err)
			}
		}
		if notified {
			err = c.Finish(ctx, raw)
		}
		if notified && err == nil || errors.Is(err, fleet.ErrLost) || c.Held() != nil || !pause.For(ctx, retryStore) {
			return err
		}
	}
}

// do has the task done, or the rest of it, in a session of its own. Its
// error is one of a session that did not begin, the loss of the claim, errLeft
// or errCrashed. begun: the events have said so.
func (r *Runs) do(ctx context.Context, c *fleet.Claim, t *task, begun bool, service http.Handler) (end, error) {
	calls, err := client.New("http://localhost", &client.Options{HTTPClient: &http.Client{Transport: within{service}}})
	if err != nil {
		return end{}, err
	}
	session, err := calls.Start(ctx, &wire.SessionStart{ModelName: t.Run.Model, Browser: t.Run.Browser, Trace: t.Run.Trace})
	if err != nil {
		var refused *client.Error
		if errors.As(err, &refused) && (refused.Status == http.StatusTooManyRequests || refused.Status == http.StatusServiceUnavailable || refused.Code == wire.ProfileInUse) {
			return end{}, err
		}
		return failed(ctx, &t.Run, err)
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
		defer cancel()
		if err := session.End(ending); err != nil {
			r.log.Debug("the session of a run was not ended", "run", c.Job.ID, "err", err)
		}
	}()
	kind := "begun"
	if begun {
		kind = "resumed"
	}
	if err := tell(ctx, c, wire.RunEvent{Type: kind, Message: title(&t.Run), Session: session.ID(), Traced: t.Run.Trace}); err != nil {
		return end{}, err
	}
	// What has begun at a page has that in its log, and a script goes there itself.
	if t.Run.URL != "" && t.Run.Script == nil && !server.GoesOn(ctx) {
		if _, err := session.Navigate(ctx, &wire.NavigateRequest{URL: t.Run.URL}); err != nil {
			return failed(ctx, &t.Run, err)
		}
	}
	return r.follow(ctx, c, &t.Run, begin(ctx, session, &t.Run))
}

// begin has an agent do the task, or the script replayed.
func begin(ctx context.Context, session *client.Session, run *wire.RunCreate) iter.Seq2[wire.Frame, error] {
	if run.Script != nil {
		return session.ScriptStream(ctx, &wire.ScriptRequest{
			Script:  run.Script,
			Options: &wire.ScriptOptions{Start: run.URL, Variables: run.Variables, Files: run.Files, Heal: run.Heal},
		})
	}
	return session.AgentExecuteStream(ctx, &wire.AgentExecuteRequest{
		AgentConfig:    wire.AgentConfig{Mode: run.Mode, SystemPrompt: run.SystemPrompt},
		ExecuteOptions: wire.AgentExecuteOptions{Instruction: run.Task, MaxSteps: run.MaxSteps, Variables: run.Variables},
	})
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

// follow writes a run's events while it is done, and returns its end.
func (r *Runs) follow(ctx context.Context, c *fleet.Claim, run *wire.RunCreate, frames iter.Seq2[wire.Frame, error]) (end, error) {
	for frame, err := range frames {
		switch {
		case err != nil:
			return failed(ctx, run, err)
		case frame.Data.Status == wire.Running:
			if err := tell(ctx, c, wire.RunEvent{Type: "step", Message: frame.Data.Message}); errors.Is(err, fleet.ErrLost) {
				return end{}, err // leaving the loop stops the work
			} else if err != nil {
				r.log.Warn("an event of a run is lost", "run", c.Job.ID, "err", err)
			}
		case frame.Data.Status == wire.Finished:
			result, err := client.Result[struct {
				Success bool   `json:"success"`
				Message string `json:"message"`
			}](frame)
			if err != nil {
				return failed(ctx, run, err)
			}
			// The end of a run whose claim was lost is another's.
			if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, fleet.ErrCanceled) {
				return end{}, cause
			}
			if err := goesOn(result.Message); !result.Success && err != nil {
				return end{}, err
			}
			if !result.Success {
				return end{Status: wire.RunFailed, Result: frame.Data.Result, Error: &wire.RunError{Code: codeOf(run), Message: result.Message}}, nil
			}
			return end{Status: wire.RunSucceeded, Result: frame.Data.Result}, nil
		}
	}
	return failed(ctx, run, errors.New("the run ended without a result"))
}

// codeOf is that of a run which did not succeed.
func codeOf(run *wire.RunCreate) wire.Code {
	if run.Script != nil {
		return wire.ScriptFailed
	}
	return wire.AgentFailed
}

// failed is the end of a run by an error, unless that is the end of this process
// or of the claim: another goes on.
func failed(ctx context.Context, run *wire.RunCreate, err error) (end, error) {
	var refused *client.Error
	e := end{Status: wire.RunFailed, Error: &wire.RunError{Code: codeOf(run), Message: err.Error()}}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, fleet.ErrCanceled):
		e.Status, e.Error = wire.RunCanceled, nil
	case cause != nil:
		return end{}, cause
	case errors.As(err, &refused) && (refused.Code == wire.Draining || refused.Code == wire.SessionGone):
		return end{}, errLeft
	case goesOn(err.Error()) != nil:
		return end{}, goesOn(err.Error())
	case errors.As(err, &refused):
		e.Error.Message = refused.Message
		if refused.Code != "" {
			e.Error.Code = refused.Code
		}
	}
	return e, nil
}

// goesOn tells by its words that a failure is none of the run's: the service ends,
// or this node was taken for dead and its sessions are over, or the browser has
// ended. A stream has no codes.
func goesOn(message string) error {
	switch {
	case strings.Contains(message, "the server is shutting down"), strings.Contains(message, "the session is gone with the node"):
		return errLeft
	case strings.Contains(message, "the session's browser is gone"):
		return errCrashed
	}
	return nil
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
