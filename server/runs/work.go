package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const (
	retryBusy    = 5 * time.Second  // after which a run is tried again for which there was no session
	finishLimit  = 15 * time.Second // for the store to take an end
	cleanEvery   = time.Hour
	longestEvent = 2000 // bytes of its message
)

// Work does runs with a service, which is this process's own. When ctx ends it
// takes no more, and returns when those under way are over: the service's
// shutdown cuts them short, and then they fail as interrupted. It is called once.
func (r *Runs) Work(ctx context.Context, service http.Handler) {
	defer close(r.ended)
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
			if !wait(ctx, time.Second) {
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

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// watch looks for runs whose process is gone, and for those that are too old.
func (r *Runs) watch(ctx context.Context) {
	var cleaned time.Time
	for wait(ctx, r.queue.Interval()) {
		lost, err := r.queue.Sweep(ctx)
		if err == nil {
			_, err = r.hooks.Sweep(ctx)
		}
		for _, id := range lost {
			if err == nil {
				err = r.notify(ctx, id)
			}
		}
		if err == nil && time.Since(cleaned) > cleanEvery {
			cleaned = time.Now()
			if _, err = r.queue.Clean(ctx, cleaned.Add(-r.opts.Keep)); err == nil {
				_, err = r.hooks.Clean(ctx, cleaned.Add(-r.opts.Keep))
			}
		}
		if err != nil && context.Cause(ctx) == nil {
			r.log.Warn("the runs could not be looked after", "err", err)
		}
	}
}

// task reads what a run is about.
func (r *Runs) task(ctx context.Context, id string) (*task, error) {
	raw, err := r.queue.Payload(ctx, id)
	if err != nil {
		return nil, err
	}
	t := new(task)
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, fmt.Errorf("runs: the task of %s: %w", id, err)
	}
	return t, nil
}

// run does one run.
func (r *Runs) run(ctx context.Context, c *fleet.Claim, service http.Handler) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.Context(), func() { cancel(context.Cause(c.Context())) })()
	t, err := r.task(ctx, c.Job.ID)
	if err != nil {
		return r.conclude(ctx, c, end{Status: wire.RunFailed, Error: &wire.RunError{Code: wire.Internal, Message: "the run's task could not be read"}})
	}
	before, err := c.Log(ctx, nil)
	if err != nil {
		return err
	}
	for _, line := range before {
		var e wire.RunEvent
		if json.Unmarshal(line.Data, &e) == nil && e.Type == "begun" {
			return r.conclude(ctx, c, end{Status: wire.RunFailed, Error: interrupted})
		}
	}
	e, err := r.do(server.As(ctx, t.Home), c, t, service)
	var busy *client.Error
	switch {
	case errors.As(err, &busy) && (busy.Code == wire.TooManySessions || busy.Code == wire.RateLimited || busy.Code == wire.Draining || busy.Code == wire.BrowserUnavailable):
		// Nothing was begun.
		after, stop := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
		defer stop()
		return c.GiveUp(after, retryBusy)
	case err != nil:
		return err
	}
	return r.conclude(ctx, c, e)
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
	if err := r.notify(ctx, c.Job.ID); err != nil {
		r.log.Warn("the webhook of a run is lost", "run", c.Job.ID, "err", err)
	}
	for {
		err := c.Finish(ctx, raw)
		if err == nil || errors.Is(err, fleet.ErrLost) || !wait(ctx, time.Second) {
			return err
		}
	}
}

// do has the agent do the task, in a session of its own. Its error is one of
// before anything was begun, or the loss of the claim.
func (r *Runs) do(ctx context.Context, c *fleet.Claim, t *task, service http.Handler) (end, error) {
	calls, err := client.New("http://localhost", &client.Options{HTTPClient: &http.Client{Transport: within{service}}})
	if err != nil {
		return end{}, err
	}
	session, err := calls.Start(ctx, &wire.SessionStart{ModelName: t.Run.Model})
	if err != nil {
		var refused *client.Error
		if errors.As(err, &refused) && (refused.Status == http.StatusTooManyRequests || refused.Status == http.StatusServiceUnavailable) {
			return end{}, err
		}
		return failed(ctx, err), nil
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
		defer cancel()
		if err := session.End(ending); err != nil {
			r.log.Debug("the session of a run was not ended", "run", c.Job.ID, "err", err)
		}
	}()
	// From here on it is not done again.
	if err := tell(ctx, c, "begun", t.Run.Task); err != nil {
		return end{}, err
	}
	if t.Run.URL != "" {
		if _, err := session.Navigate(ctx, &wire.NavigateRequest{URL: t.Run.URL}); err != nil {
			return failed(ctx, err), nil
		}
	}
	request := &wire.AgentExecuteRequest{
		AgentConfig:    wire.AgentConfig{Mode: t.Run.Mode, SystemPrompt: t.Run.SystemPrompt},
		ExecuteOptions: wire.AgentExecuteOptions{Instruction: t.Run.Task, MaxSteps: t.Run.MaxSteps},
	}
	for frame, err := range session.AgentExecuteStream(ctx, request) {
		switch {
		case err != nil:
			return failed(ctx, err), nil
		case frame.Data.Status == wire.Running:
			if err := tell(ctx, c, "step", frame.Data.Message); errors.Is(err, fleet.ErrLost) {
				return end{}, err // leaving the loop stops the agent
			} else if err != nil {
				r.log.Warn("an event of a run is lost", "run", c.Job.ID, "err", err)
			}
		case frame.Data.Status == wire.Finished:
			result, err := client.Result[wire.AgentResult](frame)
			if err != nil {
				return failed(ctx, err), nil
			}
			if !result.Success {
				return end{Status: wire.RunFailed, Result: frame.Data.Result, Error: &wire.RunError{Code: wire.AgentFailed, Message: result.Message}}, nil
			}
			return end{Status: wire.RunSucceeded, Result: frame.Data.Result}, nil
		}
	}
	return failed(ctx, errors.New("the run ended without a result")), nil
}

// failed is the end of a run by an error.
func failed(ctx context.Context, err error) end {
	var refused *client.Error
	e := end{Status: wire.RunFailed, Error: &wire.RunError{Code: wire.AgentFailed, Message: err.Error()}}
	switch {
	case errors.Is(context.Cause(ctx), fleet.ErrCanceled):
		e.Status, e.Error = wire.RunCanceled, nil
	case context.Cause(ctx) != nil:
		e.Error = interrupted
	case errors.As(err, &refused) && refused.Code == wire.Draining, strings.Contains(err.Error(), "shutting down"): // a stream has no codes
		e.Error = interrupted
	case errors.As(err, &refused):
		e.Error.Message = refused.Message
		if refused.Code != "" {
			e.Error.Code = refused.Code
		}
	}
	return e
}

// tell appends an event to a run's log.
func tell(ctx context.Context, c *fleet.Claim, kind, message string) error {
	if len(message) > longestEvent {
		message = strings.ToValidUTF8(message[:longestEvent], "")
	}
	raw, err := json.Marshal(wire.RunEvent{Type: kind, Time: time.Now().UTC(), Message: message})
	if err != nil {
		return err
	}
	_, err = c.Append(ctx, raw)
	return err
}
