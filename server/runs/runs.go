package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/policy"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Options are how runs are done. The zero value is usable.
type Options struct {
	Workers int           // runs at once in this process; 0 is 4
	Running int           // runs at once of one key; 0 is no limit
	Waiting int           // runs of one key that wait; 0 is 1,000
	Keep    time.Duration // how long a run is known after its end; 0 is a week
	Term    time.Duration // after which a process that is not heard of has lost its runs; 0 is 10 s
	Alone   bool          // no other process uses the store: claims from before are lost

	// Doubt says that records may be missing from the store, or be older than they
	// were. A run that is not over is ended as failed: what it did is unknown.
	Doubt bool

	// Keys encrypt the logs of runs, which have the cookies and the storage of
	// their browsers, and the values of their variables. nil writes the logs as they
	// are, and takes no runs with variables, or with a proxy's password.
	Keys *server.SealingKeys

	// Webhooks says which addresses they may go to; nil is the zero policy, the
	// public Internet.
	Webhooks *policy.Policy
	Logger   *slog.Logger // nil is silence
}

// Runs are the runs of a service. It may be used by any number of goroutines.
type Runs struct {
	queue *fleet.Queue
	hooks webhooks
	opts  Options
	log   *slog.Logger
	ended chan struct{} // closed when Work returns

	leaving chan struct{} // closed when runs are left for other processes
}

var _ server.Runs = (*Runs)(nil)

// New returns the runs that a store has. opts may be nil. The caller has them
// done by Work, and closes them.
func New(ctx context.Context, s fleet.Store, opts *Options) (*Runs, error) {
	r := &Runs{opts: *cmp.Or(opts, &Options{}), ended: make(chan struct{}), leaving: make(chan struct{})}
	r.opts.Workers = cmp.Or(r.opts.Workers, 4)
	r.opts.Keep = cmp.Or(r.opts.Keep, 7*24*time.Hour)
	r.log = cmp.Or(r.opts.Logger, slog.New(slog.DiscardHandler))
	var err error
	hooks := *cmp.Or(r.opts.Webhooks, &policy.Policy{})
	hooks.Operated = true
	r.hooks = webhooks{log: r.log, over: r.over}
	if r.hooks.rules, err = hooks.Compile(); err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	r.queue, err = fleet.NewQueue(ctx, s, "runs", &fleet.QueueOptions{
		Term: r.opts.Term, Running: r.opts.Running, Waiting: cmp.Or(r.opts.Waiting, 1000), Alone: r.opts.Alone, Logger: r.log,
	})
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	if r.hooks.queue, err = fleet.NewQueue(ctx, s, "hooks", &fleet.QueueOptions{Term: r.opts.Term, Waiting: 1_000_000, Losses: mostDeliveries, Alone: r.opts.Alone, Logger: r.log}); err != nil {
		r.queue.Close()
		return nil, fmt.Errorf("runs: %w", err)
	}
	if r.opts.Doubt {
		ended, err := r.queue.Distrust(ctx)
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("runs: %w", err)
		}
		for _, id := range ended {
			r.log.Error("a run was ended, as records are damaged and it is not known what it did", "run", id)
		}
	}
	return r, nil
}

// Close ends the runs' hold on the store. Work has returned by then.
func (r *Runs) Close() {
	r.queue.Close()
	r.hooks.queue.Close()
}

// Counts implements [server.Runs].
func (r *Runs) Counts() (waiting, running int) { return r.queue.Counts() }

// An end is the result of a run as the queue has it.
type end struct {
	Status wire.RunStatus  `json:"status"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *wire.RunError  `json:"error,omitempty"`
}

// refused is why a client does not get what it asked for.
func (r *Runs) refused(ctx context.Context, err error) error {
	var f *server.RunError
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case errors.Is(err, fleet.ErrNotFound):
		return &server.RunError{Code: wire.RunNotFound, Message: "there is no such run; it may be too old"}
	case errors.Is(err, fleet.ErrFull):
		return &server.RunError{Code: wire.TooManyRuns, Retry: 10 * time.Second, Message: "the key has as many runs waiting as it may have"}
	case errors.Is(err, fleet.ErrMismatch):
		return &server.RunError{Code: wire.KeyReused, Message: "the idempotency-key was used for another request; take a new one"}
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	}
	r.log.Error("the runs cannot be read or written", "err", err)
	return &server.RunError{Code: wire.NodeUnavailable, Retry: time.Second, Message: "the runs cannot be read or written now; ask again"}
}

// Create implements [server.Runs].
func (r *Runs) Create(ctx context.Context, by server.RunClient, run *wire.RunCreate, key string) (_ wire.Run, created bool, err error) {
	defer func() { err = r.refused(ctx, err) }()
	t := task{Home: by.Caller, Run: *run}
	if err := r.checkWebhook(&t); err != nil {
		return wire.Run{}, false, err
	}
	request, identities, err := t.pack(r.opts.Keys)
	if err != nil {
		return wire.Run{}, false, err
	}
	var job fleet.Job
	request.Key = key
	for _, request.Identity = range identities {
		if job, created, err = r.queue.Enqueue(ctx, request); !errors.Is(err, fleet.ErrMismatch) {
			break
		}
	}
	if err != nil {
		return wire.Run{}, false, err
	}
	made, err := r.describe(ctx, job, true)
	return made, created, err
}

// checkWebhook refuses a webhook that cannot be signed, or goes where it must
// not. The address is looked at again when it is dialed.
func (r *Runs) checkWebhook(t *task) error {
	if t.Run.Webhook == "" {
		return nil
	}
	bad := func(text string) error {
		return &server.RunError{Code: wire.InvalidRequest, Message: "the request is not valid: webhook: " + text}
	}
	if t.Home == "" {
		return bad("there are none on a service without keys: nothing could be signed")
	}
	u, err := url.Parse(t.Run.Webhook)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return bad("write an address as https://example.com/hook, without a password")
	}
	if err := r.hooks.rules.CheckURL(t.Run.Webhook); err != nil {
		return &server.RunError{Code: wire.Forbidden, Message: "the webhook: " + err.Error()}
	}
	return nil
}

// find returns a job of the client's; with shown, an operator gets any.
func (r *Runs) find(ctx context.Context, by server.RunClient, id string, shown bool) (fleet.Job, error) {
	job, err := r.queue.Get(ctx, id)
	if err == nil && job.Owner != by.Caller && !(shown && by.Operator) {
		err = fmt.Errorf("%w: it is another's", fleet.ErrNotFound)
	}
	return job, err
}

// Get implements [server.Runs].
func (r *Runs) Get(ctx context.Context, by server.RunClient, id string) (_ wire.Run, err error) {
	defer func() { err = r.refused(ctx, err) }()
	job, err := r.find(ctx, by, id, true)
	if err != nil {
		return wire.Run{}, err
	}
	return r.describe(ctx, job, true)
}

// Cancel implements [server.Runs].
func (r *Runs) Cancel(ctx context.Context, by server.RunClient, id string) (_ wire.Run, err error) {
	defer func() { err = r.refused(ctx, err) }()
	job, err := r.find(ctx, by, id, false)
	if err == nil {
		err = r.notify(ctx, job.ID)
	}
	if err == nil {
		job, err = r.queue.Cancel(ctx, job.ID)
	}
	if err != nil {
		return wire.Run{}, err
	}
	return r.describe(ctx, job, true)
}

const (
	mostListed  = 100 // runs of a list
	longestTask = 300 // bytes of its task that a run is described with
)

// List implements [server.Runs].
func (r *Runs) List(ctx context.Context, by server.RunClient, status wire.RunStatus) ([]wire.Run, error) {
	list := []wire.Run{}
	jobs := r.queue.List(by.Caller)
	if by.Operator {
		jobs = r.queue.ListAll()
	}
	for _, job := range jobs {
		run, err := r.describe(ctx, job, false)
		if errors.Is(err, fleet.ErrNotFound) {
			continue // it was cleaned away right then
		}
		if err != nil { // one that can't be read hides no other
			if cause := context.Cause(ctx); cause != nil {
				return nil, cause
			}
			r.log.Error("the result of a run cannot be read", "run", job.ID, "err", err)
			run.Status, run.Error = outcomeOf(job), unreadable
		}
		if status == "" || run.Status == status {
			list = append(list, run)
		}
		if len(list) == mostListed {
			break
		}
	}
	return list, nil
}

// describe is a job as its client sees it.
func (r *Runs) describe(ctx context.Context, job fleet.Job, whole bool) (wire.Run, error) {
	run := wire.Run{ID: job.ID, Priority: job.Priority, Created: job.Enqueued}
	if t, err := r.task(ctx, job.ID); err == nil { // else it was cleaned away, or is not here yet
		task := title(&t.Run)
		run.Task = strings.ToValidUTF8(task[:min(len(task), longestTask)], "")
	}
	if !job.Started.IsZero() {
		run.Started = &job.Started
	}
	if !job.Ended.IsZero() {
		run.Ended = &job.Ended
	}
	switch job.State {
	case fleet.Waiting:
		run.Status = wire.RunQueued
	case fleet.Running:
		run.Status = wire.RunRunning
	case fleet.Abandoned:
		run.Status, run.Error = wire.RunFailed, interrupted
		if job.Damaged {
			run.Error = damaged
		}
	default:
		raw, err := r.queue.Result(ctx, job.ID)
		if errors.Is(err, fleet.ErrNotFound) && job.State == fleet.Finished && r.opts.Alone {
			run.Status, run.Error = outcomeOf(job), unreadable // no other node will have it
			break
		}
		if errors.Is(err, fleet.ErrNotFound) && job.State == fleet.Finished {
			return run, fmt.Errorf("%w: the result of %s, which was written before its end, is not here yet", fleet.ErrUnavailable, job.ID)
		}
		if err != nil && !errors.Is(err, fleet.ErrNotFound) {
			return run, err
		}
		var e end
		if err == nil {
			if err := json.Unmarshal(raw, &e); err != nil {
				return run, fmt.Errorf("runs: the result of %s: %w", job.ID, err)
			}
		}
		run.Status, run.Error = e.Status, e.Error
		if whole {
			run.Result = e.Result
		}
		if job.State == fleet.Canceled {
			run.Status, run.Error = wire.RunCanceled, nil
		}
	}
	return run, nil
}

// interrupted is why a run failed whose process is gone.
var interrupted = &wire.RunError{Code: wire.RunInterrupted, Message: "the processes that did the run ended before it was over; what was done is not repeated, and the run's events tell how far it came"}

// damaged is why a run failed whose records are.
var damaged = &wire.RunError{Code: wire.RunInterrupted, Message: "the service's records were damaged: it is not known what the run has done, and nothing is done again; look at what it did before you retry"}

// unreadable is why a run that is over has no result.
var unreadable = &wire.RunError{Code: wire.Internal, Message: "the run's result cannot be read; its status is as its own record says"}

// outcomeOf is how a job ended by its own record.
func outcomeOf(job fleet.Job) wire.RunStatus {
	if job.Outcome == "" {
		return wire.RunFailed // of an earlier version
	}
	return wire.RunStatus(job.Outcome)
}

// over waits until a run is over, and describes it.
func (r *Runs) over(ctx context.Context, id string) (wire.Run, error) {
	job, err := r.queue.Await(ctx, id, func(j fleet.Job) bool { return j.State.Over() })
	if err != nil {
		return wire.Run{}, err
	}
	return r.describe(ctx, job, true)
}

// notify has a run's webhook delivered once the run is over. It may be called
// again for one run, and is called before the end is written: a process that
// ends between the two must not have forgotten it.
func (r *Runs) notify(ctx context.Context, id string) error {
	t, err := r.task(ctx, id)
	if err != nil || t.Run.Webhook == "" {
		return err
	}
	return r.hooks.add(ctx, delivery{Run: id, Home: t.Home, Address: t.Run.Webhook})
}

// Events implements [server.Runs].
func (r *Runs) Events(ctx context.Context, by server.RunClient, id string, after int) (<-chan server.RunEvent, error) {
	job, err := r.find(ctx, by, id, true)
	if err != nil {
		return nil, r.refused(ctx, err)
	}
	// A slow reader does not hold up the store.
	heard := &heard{more: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(ctx)
	stop, err := r.queue.Follow(ctx, job.ID, after, heard.line)
	if err != nil {
		cancel()
		return nil, r.refused(ctx, err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		job, err = r.queue.Await(ctx, id, func(j fleet.Job) bool { return j.State.Over() })
	}()
	f := &following{runs: r, events: make(chan server.RunEvent), sent: after}
	go func() {
		defer close(f.events)
		defer cancel()
		defer stop()
		for {
			select {
			case <-heard.more:
				if !f.catchUp(ctx, id, heard) {
					return // the client asks again, with what it has read
				}
			case <-r.ended:
				return
			case <-over:
				if err == nil { // else it went away, or the run was cleaned away
					f.last(ctx, job)
				}
				return
			}
		}
	}()
	return f.events, nil
}

// line reads a line that was written, which need not show yet.
func (r *Runs) line(ctx context.Context, id string, number int) (fleet.LogLine, error) {
	ctx, cancel := context.WithTimeout(ctx, lineLimit)
	defer cancel()
	for {
		l, err := r.queue.LogLine(ctx, id, number)
		if err == nil || !pause.For(ctx, retryStore) {
			return l, err
		}
	}
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
			r.claims(ctx, r.queue, func(c *fleet.Claim) error { return (&turn{r, c, service}).run(under) })
		})
	}
	deliveries := r.hooks.newClient()
	defer deliveries.CloseIdleConnections()
	for range 2 {
		all.Go(func() {
			r.claims(ctx, r.hooks.queue, func(c *fleet.Claim) error { return r.hooks.deliver(under, c, deliveries) })
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
			_, err = r.hooks.queue.Sweep(ctx)
		}
		owing = owing || len(lost) > 0
		if err == nil && owing {
			err = r.notifyAbandoned(ctx)
			owing = err != nil
		}
		if err == nil && time.Since(cleaned) > cleanEvery {
			cleaned, owing = time.Now(), true
			if _, err = r.queue.Clean(ctx, cleaned.Add(-r.opts.Keep)); err == nil {
				_, err = r.hooks.queue.Clean(ctx, cleaned.Add(-r.opts.Keep))
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
	return t, t.unpack(r.opts.Keys, raw, sealed)
}
