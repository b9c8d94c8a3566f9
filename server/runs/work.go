package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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

// Work does runs with a service, which is this process's own. When ctx ends it
// takes no more, and returns when those under way are over, or were left for
// another process after a step of theirs; the service's shutdown cuts the step
// short. It is called once.
func (r *Runs) Work(ctx context.Context, service Service) {
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
		keeper.Go(func() { _ = c.Maintain(keeping) }) // its end shows in the claim
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

// notifyAbandoned delivers the webhooks of runs that the queue has abandoned.
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

// run does one run, or continues it where another process has left it.
func (r *Runs) run(ctx context.Context, c *fleet.Claim, service Service) error {
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
	var before []fleet.LogLine
	err = persist(ctx, c, func() (err error) {
		before, err = c.Log(ctx, nil)
		return err
	})
	log := &record{claim: c, keys: r.opts.Keys}
	begun := false
	if err == nil {
		begun, err = log.read(before)
	} else if !errors.Is(err, fleet.ErrDamaged) {
		return err
	}
	if errors.Is(err, fleet.ErrDamaged) {
		r.log.Error("a run is ended, as its log is damaged", "run", c.Job.ID, "err", err)
		return r.conclude(ctx, c, end{Status: wire.RunFailed, Error: damaged})
	}
	if err != nil {
		return r.wait(ctx, c, err)
	}
	saved, err := log.saved(ctx, &t.Run)
	if err != nil {
		r.log.Warn("a run cannot be gone on with", "run", c.Job.ID, "err", err)
		return r.conclude(ctx, c, end{Status: wire.RunFailed, Error: interrupted})
	}
	lasting := &server.Run{
		ID: c.Job.ID, Caller: t.Home, Store: log, Saved: saved, Variables: t.Run.Variables, Leave: r.leaving,
		NoModel: t.Run.Script != nil && !t.Run.Heal,
	}
	e, err := r.do(ctx, c, t, begun, lasting, service)
	switch {
	case errors.Is(err, errBusy):
		return r.giveUp(ctx, c, retryBusy)
	case errors.Is(err, errLeft):
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

// errBusy is a run for which there is no session now, or whose profile another has.
var errBusy = errors.New("runs: no session can be had now; the run waits for its next turn")

// errCrashed is a run whose browser has ended.
var errCrashed = errors.New("runs: the browser of the run has ended")

// mostCrashes is how many browsers a run may end.
const mostCrashes = 3

// afterCrash has the run continue in another browser, as where its process has ended.
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

// errLeft is a run that another process continues.
var errLeft = errors.New("runs: the session of the run has ended with its node; another node continues the run")

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
			err = c.Conclude(ctx, string(e.Status), raw)
		}
		if notified && err == nil || errors.Is(err, fleet.ErrLost) || c.Held() != nil || !pause.For(ctx, retryStore) {
			return err
		}
	}
}

// do has the task done, or the rest of it, in a session of its own. Its error is
// errBusy, errLeft or errCrashed, or the loss of the claim. begun: the events have
// said so.
func (r *Runs) do(ctx context.Context, c *fleet.Claim, t *task, begun bool, run *server.Run, service Service) (end, error) {
	session, err := service.StartRun(ctx, run, &wire.SessionStart{ModelName: t.Run.Model, Browser: t.Run.Browser, Trace: t.Run.Trace})
	if err != nil {
		var refused *server.RunError
		if errors.As(err, &refused) && refused.Code != wire.Draining && slices.Contains(passing, refused.Code) {
			return end{}, errBusy
		}
		return failed(ctx, &t.Run, err)
	}
	defer func() {
		if err := session.End(); err != nil {
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
	return r.follow(ctx, c, &t.Run, session)
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
func (r *Runs) follow(ctx context.Context, c *fleet.Claim, run *wire.RunCreate, session *server.RunSession) (end, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	lines, written := make(chan string, mostWaiting), make(chan struct{})
	go func() {
		defer close(written)
		for line := range lines {
			if err := tell(ctx, c, wire.RunEvent{Type: "step", Message: line}); errors.Is(err, fleet.ErrLost) {
				stop(err)
			} else if err != nil {
				r.log.Warn("an event of a run is lost", "run", c.Job.ID, "err", err)
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
