package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Runs does tasks for clients that do not wait, and remembers what came of them: see
// package server/runs. Its methods may be called at once. Errors are [*RunError], or
// the cause of ctx.
type Runs interface {
	// Create puts a run in the queue. A key that is not empty is the client's own name
	// for the request: where the client has made the same one before, the run is that
	// of then, and created is false.
	Create(ctx context.Context, by RunClient, run *wire.RunCreate, key string) (_ wire.Run, created bool, _ error)

	// List returns the client's runs, the latest first, of one status or, if that is
	// empty, of all.
	List(ctx context.Context, by RunClient, status wire.RunStatus) ([]wire.Run, error)

	// Get returns one run, with its result when it is over.
	Get(ctx context.Context, by RunClient, id string) (wire.Run, error)

	// Cancel ends a run; one that has begun ends after what it is doing right then.
	Cancel(ctx context.Context, by RunClient, id string) (wire.Run, error)

	// Events returns what happens in a run, from its beginning or behind the event
	// with the number after. The channel is closed after the last event, when ctx
	// ends, and when the process is about to end.
	Events(ctx context.Context, by RunClient, id string, after int) (<-chan RunEvent, error)

	// Counts returns how many runs wait and are done, over all processes.
	Counts() (waiting, running int)
}

// A RunClient is the client that asks for runs.
type RunClient struct {
	// Caller is the SHA-256 of the client's key in hexadecimal digits; empty where the
	// server has no keys.
	Caller string
	// Operator sees the runs of all, and changes only its own.
	Operator bool
}

// A RunEvent is an event of a run as it is streamed.
type RunEvent struct {
	Number int    // 0 of the last one, which says that the run is over
	Type   string // begun, resumed, step or over
	JSON   json.RawMessage
}

// errNoRuns refuses what is about runs where there are none.
var errNoRuns = newFault(wire.NotImplemented, "this server does no runs")

// runCalls answer what is asked of runs.
type runCalls struct {
	core     *core
	runs     Runs // nil: there are none
	profiles *profileCalls
}

// about makes the handler of an operation on runs, which is refused where there
// are none.
func (r *runCalls) about(handle func(*call, Runs, RunClient) error) func(*call) error {
	return func(c *call) error {
		if r.runs == nil {
			return errNoRuns
		}
		return handle(c, r.runs, c.forRuns())
	}
}

func (r *runCalls) list(c *call, runs Runs, by RunClient) error {
	list, err := runs.List(c.r.Context(), by, wire.RunStatus(c.r.URL.Query().Get("status")))
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, wire.Success[wire.RunList]{Success: true, Data: wire.RunList{Runs: list}})
}

func (r *runCalls) retrieve(c *call, runs Runs, by RunClient) error {
	return c.writeRun(http.StatusOK)(runs.Get(c.r.Context(), by, c.r.PathValue("run")))
}

func (r *runCalls) cancel(c *call, runs Runs, by RunClient) error {
	return c.writeRun(http.StatusOK)(runs.Cancel(c.r.Context(), by, c.r.PathValue("run")))
}

// events streams a run's events until it is over.
func (r *runCalls) events(c *call, runs Runs, by RunClient) (err error) {
	after := 0
	if last := c.r.Header.Get("last-event-id"); last != "" {
		if after, err = strconv.Atoi(last); err != nil || after < 0 {
			return newFault(wire.InvalidRequest, "the header last-event-id is the number of an event")
		}
	}
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	events, err := runs.Events(ctx, by, c.r.PathValue("run"), after)
	if err != nil {
		return err
	}
	st := beginStream(c, "no-store")
	st.write([]byte(": events\n\n"))
	for st.failed == nil {
		select {
		case e, more := <-events:
			if !more {
				return nil // the client asks again where no event said that the run is over
			}
			frame := fmt.Sprintf("event: %s\ndata: %s\n\n", e.Type, e.JSON)
			if e.Number > 0 {
				frame = fmt.Sprintf("id: %d\n", e.Number) + frame
			}
			st.write([]byte(frame))
		case <-st.silence():
			st.keepAlive()
		}
	}
	c.err = st.failed
	return nil
}

// create holds the request against the contract first.
func (r *runCalls) create(c *call) error {
	done, err := r.core.beginWork()
	if err != nil {
		return err
	}
	defer done()
	req, err := read[wire.RunCreate](c)
	if err != nil {
		return err
	}
	if err := r.check(req); err != nil {
		return err
	}
	if err := r.checkBrowser(c, req); err != nil {
		return err
	}
	key := c.r.Header.Get("idempotency-key")
	if len(key) > 255 {
		return newFault(wire.InvalidRequest, "the idempotency-key has more than 255 bytes")
	}
	if r.runs == nil {
		return errNoRuns
	}
	run, created, err := r.runs.Create(c.r.Context(), c.forRuns(), req, key)
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return c.writeRun(status)(run, err)
}

// check refuses what no session is needed for to be refused.
func (r *runCalls) check(req *wire.RunCreate) error {
	if req.Task == "" == (req.Script == nil) {
		return invalid([]any{"task"}, "give a task or a script, and not both")
	}
	if req.Model == "" && r.core.opts.Models.Default == nil && (req.Script == nil || req.Heal) {
		return invalid([]any{"model"}, "is required: this server's operator has named no model")
	}
	type member struct {
		name  string
		given bool
	}
	others, kind := []member{{"heal", req.Heal}, {"files", req.Files != nil}}, "a script"
	if req.Script != nil {
		others, kind = []member{{"mode", req.Mode != ""}, {"maxSteps", req.MaxSteps != 0}, {"systemPrompt", req.SystemPrompt != ""}, {"checks", req.Checks != nil}, {"flows", req.Flows != nil}}, "a task"
	}
	for _, m := range others {
		if m.given {
			return invalid([]any{m.name}, "is for %s; leave it out", kind)
		}
	}
	if req.Script == nil {
		_, err := checksOf(req.Checks, "checks")
		return err
	}
	_, err := checkScript(&r.core.opts.Browsers, req.Script, &wire.ScriptOptions{Start: req.URL, Variables: req.Variables, Files: req.Files}, map[string][]any{"start": {"url"}})
	return err
}

// checkBrowser holds the browser of a run against what sessions may have, and
// refuses what belongs to one machine: which one does the run is not known yet.
func (r *runCalls) checkBrowser(c *call, req *wire.RunCreate) error {
	b, o := wire.Browser{}, wire.LaunchOptions{}
	if req.Browser != nil {
		b = *req.Browser
	}
	if b.LaunchOptions != nil {
		o = *b.LaunchOptions
	}
	b.LaunchOptions = &o
	for _, one := range []struct {
		asked bool
		path  []any
	}{
		{b.CDPURL != "", []any{"cdpUrl"}},
		{len(b.Labels) > 0, []any{"labels"}},
		{o.CDPURL != "", []any{"launchOptions", "cdpUrl"}},
		{o.CDPHeaders != nil, []any{"launchOptions", "cdpHeaders"}},
		{o.ConnectTimeoutMs != 0, []any{"launchOptions", "connectTimeoutMs"}},
		{o.DownloadsPath != "", []any{"launchOptions", "downloadsPath"}},
		{ownProcess(&o) != "", []any{"launchOptions", ownProcess(&o)}},
	} {
		if one.asked {
			return invalid(append([]any{"browser"}, one.path...), "is not for a run, which has a browser of the service's own at whichever machine takes it; leave it out, or start a session")
		}
	}
	if o.PageTools {
		return invalid([]any{"browser", "launchOptions", "pageTools"}, "is not for a run, whose agent takes no tools of pages; leave it out, or start a session")
	}
	if err := r.core.checkBrowser(&b, req.Trace); err != nil {
		return err
	}
	if b.Profile != "" {
		if err := r.profiles.check(c, b.Profile); err != nil {
			return err
		}
	}
	return r.checkProxy(c.r.Context(), &b)
}

// checkProxy holds a proxy against the operator's policy, as the browser's opening
// does.
func (r *runCalls) checkProxy(ctx context.Context, b *wire.Browser) error {
	rules, err := r.core.opts.Browsers.policyFor(b).Compile()
	if err != nil {
		return err
	}
	if b.LaunchOptions.Proxy == nil || rules.Open() {
		return nil
	}
	return rules.CheckProxy(ctx, proxyOf(b.LaunchOptions))
}
