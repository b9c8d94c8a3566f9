package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet"
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
	Alone   bool          // no other process has the store: who had runs there has lost them

	// Sealer encrypts the logs of runs, which have the cookies and the storage of
	// their browsers, and the values of their variables. nil writes the logs as they
	// are, and takes no runs with variables, or with a proxy's password.
	Sealer Sealer

	// Webhooks says which addresses they may go to; nil is the zero policy, the
	// public Internet.
	Webhooks *policy.Policy
	Logger   *slog.Logger // nil is silence
}

// Runs are the runs of a service. It may be used by any number of goroutines.
type Runs struct {
	queue *fleet.Queue
	hooks *fleet.Queue // runs whose webhook was not delivered yet
	rules *policy.Rules
	opts  Options
	log   *slog.Logger
	ended chan struct{} // closed when Work returns

	leaving chan struct{} // closed when runs are left for other processes

	mux *http.ServeMux
}

var _ http.Handler = (*Runs)(nil)

// New returns the runs that a store has. opts may be nil. The caller has them
// done by Work, and closes them.
func New(ctx context.Context, s fleet.Store, opts *Options) (*Runs, error) {
	r := &Runs{ended: make(chan struct{}), leaving: make(chan struct{})}
	if opts != nil {
		r.opts = *opts
	}
	r.opts.Workers = cmp.Or(r.opts.Workers, 4)
	r.opts.Keep = cmp.Or(r.opts.Keep, 7*24*time.Hour)
	r.log = cmp.Or(r.opts.Logger, slog.New(slog.DiscardHandler))
	var err error
	hooks := *cmp.Or(r.opts.Webhooks, &policy.Policy{})
	hooks.Operated = true
	if r.rules, err = hooks.Compile(); err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	r.queue, err = fleet.NewQueue(ctx, s, "runs", &fleet.QueueOptions{
		Term: r.opts.Term, Running: r.opts.Running, Waiting: cmp.Or(r.opts.Waiting, 1000), Alone: r.opts.Alone, Logger: r.log,
	})
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	if r.hooks, err = fleet.NewQueue(ctx, s, "hooks", &fleet.QueueOptions{Term: r.opts.Term, Waiting: 1_000_000, Losses: mostDeliveries, Alone: r.opts.Alone, Logger: r.log}); err != nil {
		r.queue.Close()
		return nil, fmt.Errorf("runs: %w", err)
	}
	r.mux = http.NewServeMux()
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST /v1/runs": r.create, "GET /v1/runs": r.list, "GET /v1/runs/{run}": r.retrieve,
		"DELETE /v1/runs/{run}": r.cancel, "GET /v1/runs/{run}/events": r.events,
	} {
		r.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
			if err := handle(w, req); err != nil {
				r.fail(w, req, err)
			}
		})
	}
	return r, nil
}

// Close ends the runs' hold on the store. Work has returned by then.
func (r *Runs) Close() {
	r.queue.Close()
	r.hooks.Close()
}

// Counts returns how many runs wait and are done, over all processes.
func (r *Runs) Counts() (waiting, running int) { return r.queue.Counts() }

// ServeHTTP answers one request, which [server.Server] has let in.
func (r *Runs) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(w, req) }

// A task is a run as the queue has it.
type task struct {
	Run    wire.RunCreate `json:"run"`              // without its secrets
	Home   string         `json:"home,omitempty"`   // whose it is
	Sealed bool           `json:"sealed,omitempty"` // it has secrets
}

// An end is the result of a run as the queue has it.
type end struct {
	Status wire.RunStatus  `json:"status"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *wire.RunError  `json:"error,omitempty"`
}

// A refusal is an answer that is no success.
type refusal struct {
	status int
	retry  time.Duration
	code   wire.Code
	text   string
}

func (f *refusal) Error() string { return f.text }

// fail answers with an error.
func (r *Runs) fail(w http.ResponseWriter, req *http.Request, err error) {
	var f *refusal
	switch {
	case errors.As(err, &f):
	case errors.Is(err, fleet.ErrNotFound):
		f = &refusal{status: http.StatusNotFound, code: wire.RunNotFound, text: "there is no such run; it may be too old"}
	case errors.Is(err, fleet.ErrFull):
		f = &refusal{status: http.StatusTooManyRequests, code: wire.TooManyRuns, retry: 10 * time.Second, text: "the key has as many runs waiting as it may have"}
	case errors.Is(err, fleet.ErrMismatch):
		f = &refusal{status: http.StatusUnprocessableEntity, code: wire.KeyReused, text: "the idempotency-key was used for another request; take a new one"}
	case context.Cause(req.Context()) != nil:
		return // nobody reads it
	default:
		r.log.Error("runs", "path", req.URL.Path, "err", err)
		f = &refusal{status: http.StatusServiceUnavailable, code: wire.NodeUnavailable, retry: time.Second, text: "the runs cannot be read or written now; ask again"}
	}
	if f.retry > 0 {
		w.Header().Set("retry-after", strconv.Itoa(int(f.retry.Seconds())))
	}
	write(w, f.status, wire.Failure{Error: f.text, Message: f.text, Code: f.code})
}

func write(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{"success":false,"error":"the answer could not be written","message":"the answer could not be written","code":"internal"}`)
	}
	w.Header().Set("content-type", "application/json")
	w.Header().Set("content-length", strconv.Itoa(len(raw)))
	w.WriteHeader(status)
	_, _ = w.Write(raw) // a client that is gone reads nothing
}

func (r *Runs) create(w http.ResponseWriter, req *http.Request) error {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	t := task{Home: server.Caller(req.Context())}
	if err := json.Unmarshal(raw, &t.Run); err != nil {
		return &refusal{status: http.StatusBadRequest, code: wire.InvalidRequest, text: "the request is not valid: " + err.Error()}
	}
	if err := r.checkWebhook(&t); err != nil {
		return err
	}
	key := req.Header.Get("idempotency-key")
	if len(key) > 255 {
		return &refusal{status: http.StatusBadRequest, code: wire.InvalidRequest, text: "the idempotency-key has more than 255 bytes"}
	}
	request, identities, err := r.pack(&t)
	if err != nil {
		return err
	}
	var job fleet.Job
	created := false
	request.Key = key
	for _, request.Identity = range identities {
		if job, created, err = r.queue.Enqueue(req.Context(), request); !errors.Is(err, fleet.ErrMismatch) {
			break
		}
	}
	if err != nil {
		return err
	}
	run, err := r.describe(req.Context(), job, true)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	write(w, status, wire.Success[wire.RunData]{Success: true, Data: wire.RunData{Run: run}})
	return nil
}

// checkWebhook refuses a webhook that cannot be signed, or goes where it must
// not. The address is looked at again when it is dialed.
func (r *Runs) checkWebhook(t *task) error {
	if t.Run.Webhook == "" {
		return nil
	}
	bad := func(text string) error {
		return &refusal{status: http.StatusBadRequest, code: wire.InvalidRequest, text: "the request is not valid: webhook: " + text}
	}
	if t.Home == "" {
		return bad("there are none on a service without keys: nothing could be signed")
	}
	u, err := url.Parse(t.Run.Webhook)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return bad("write an address as https://example.com/hook, without a password")
	}
	if err := r.rules.CheckURL(t.Run.Webhook); err != nil {
		return &refusal{status: http.StatusForbidden, code: wire.Forbidden, text: "the webhook: " + err.Error()}
	}
	return nil
}

// find returns a job of the caller's; an operator is shown any.
func (r *Runs) find(req *http.Request) (fleet.Job, error) {
	job, err := r.queue.Get(req.Context(), req.PathValue("run"))
	shown := req.Method == http.MethodGet && server.Operator(req.Context())
	if err == nil && job.Owner != server.Caller(req.Context()) && !shown {
		err = fmt.Errorf("%w: it is another's", fleet.ErrNotFound)
	}
	return job, err
}

func (r *Runs) retrieve(w http.ResponseWriter, req *http.Request) error {
	job, err := r.find(req)
	if err != nil {
		return err
	}
	return r.answer(w, req, job)
}

func (r *Runs) cancel(w http.ResponseWriter, req *http.Request) error {
	job, err := r.find(req)
	if err == nil {
		err = r.notify(req.Context(), job.ID)
	}
	if err == nil {
		job, err = r.queue.Cancel(req.Context(), job.ID)
	}
	if err != nil {
		return err
	}
	return r.answer(w, req, job)
}

func (r *Runs) answer(w http.ResponseWriter, req *http.Request, job fleet.Job) error {
	run, err := r.describe(req.Context(), job, true)
	if err != nil {
		return err
	}
	write(w, http.StatusOK, wire.Success[wire.RunData]{Success: true, Data: wire.RunData{Run: run}})
	return nil
}

const (
	mostListed  = 100 // runs of a list
	longestTask = 300 // bytes of its task that a run is described with
)

func (r *Runs) list(w http.ResponseWriter, req *http.Request) error {
	want := wire.RunStatus(req.URL.Query().Get("status"))
	list := wire.RunList{Runs: []wire.Run{}}
	jobs := r.queue.List(server.Caller(req.Context()))
	if server.Operator(req.Context()) {
		jobs = r.queue.ListAll()
	}
	for _, job := range jobs {
		run, err := r.describe(req.Context(), job, false)
		if errors.Is(err, fleet.ErrNotFound) {
			continue // it was cleaned away right then
		}
		if err != nil {
			return err
		}
		if want == "" || run.Status == want {
			list.Runs = append(list.Runs, run)
		}
		if len(list.Runs) == mostListed {
			break
		}
	}
	write(w, http.StatusOK, wire.Success[wire.RunList]{Success: true, Data: list})
	return nil
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
	default:
		raw, err := r.queue.Result(ctx, job.ID)
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
