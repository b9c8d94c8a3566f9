package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/server/internal/replays"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A core is the service below HTTP: callers and their limits, sessions, and the work
// in them. Requests and runs use it through [work]. It handles no HTTP message; its
// errors are faults.
type core struct {
	driver   driver.Driver
	opts     Options
	limits   Limits
	log      *slog.Logger
	holders  holders
	sessions registry
	streams  atomic.Int64 // open

	stopped context.Context // ends when no more time is given to work
	stop    context.CancelCauseFunc

	work     sync.WaitGroup // requests that may touch a page
	mu       sync.Mutex     // protects draining against work
	draining bool
}

// Drain has the server refuse new sessions and new work, with 503, while the work
// under way continues. /readyz says so.
func (s *core) Drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

// Shutdown drains, waits for the work under way until ctx ends, and then ends
// every session with its browser. It returns when all are closed. It may be
// called again.
func (s *core) Shutdown(ctx context.Context) error {
	s.Drain()
	idle := make(chan struct{})
	go func() {
		s.work.Wait()
		close(idle)
	}()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = fmt.Errorf("server: shutdown: work was cut short: %w", context.Cause(ctx))
	}
	s.stop(errShutdown)
	s.sessions.closeAll(errShutdown)
	<-idle
	return err
}

// beginWork counts a request that Shutdown waits for.
func (s *core) beginWork() (done func(), _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return nil, newFaultDraining()
	}
	s.work.Add(1)
	return s.work.Done, nil
}

// Load reports what the server has at hand. It may be called at any time.
func (s *core) Load() Load {
	l := Load{Waiting: int(s.sessions.waiting.Load()), Streams: int(s.streams.Load())}
	for _, one := range s.sessions.all() {
		open, working := one.load()
		if open {
			l.Sessions++
		}
		if working {
			l.Working++
		}
	}
	return l
}

// KeepNode keeps the server's node known to the others until ctx ends. When the others
// have taken it for dead, its sessions end, and new ones can be started.
func (s *core) KeepNode(ctx context.Context) {
	s.opts.Parts.Node.Maintain(ctx, func() int { return s.Load().Sessions }, func() { s.sessions.endAll(errNodeGone) })
}

// SetKeys replaces the keys. Sessions stay those of the keys that started them;
// a key that is gone reaches none. It may be called at any time.
func (s *core) SetKeys(keys []Key) {
	s.holders.set(keys)
}

func newFaultDraining() *fault {
	return newFault(errShutdown.code, "%s", errShutdown.message).later(time.Second, nil)
}

// Load is what a server has at hand at a moment.
type Load struct {
	Sessions int // open
	Working  int // of which a request is at work or waits for its page
	Waiting  int // requests for a session that wait for another to end
	Streams  int // open
}

// checkBrowser refuses a browser that the operator does not leave to clients, or
// whose settings do not go together.
func (s *core) checkBrowser(b *wire.Browser, traced bool) error {
	if err := s.opts.Allow.check(b); err != nil {
		return err
	}
	if b.Profile != "" {
		if err := checkProfileFits(b); err != nil {
			return err
		}
	}
	if traced {
		return s.checkTrace(b)
	}
	return nil
}

// checkStart refuses what the schema has no word for, and returns the names of
// members that have no effect.
func (s *core) checkStart(req *wire.SessionStart, noModel bool) (ignored []string, _ error) {
	if req.Browser == nil {
		req.Browser = &wire.Browser{}
	}
	if req.Browser.LaunchOptions == nil {
		req.Browser.LaunchOptions = &wire.LaunchOptions{}
	}
	if req.ModelName == "" && s.opts.Models.Default == nil && !noModel {
		return nil, invalid([]any{"modelName"}, "is required: this server's operator has named no model")
	}
	if req.ModelName != "" {
		if _, err := s.opts.Models.config(modelName(req.ModelName)); err != nil {
			return nil, invalidDocument(err)
		}
	}
	if err := s.checkBrowser(req.Browser, req.Trace); err != nil {
		return nil, err
	}
	return takeVendorParams(req)
}

// StartRun starts the session of a run at this server, as a request of the run's
// caller would: with the caller's rights, sessions and limits. The caller of StartRun
// ends it. The error is a [*RunError], or the cause of ctx.
func (s *core) StartRun(ctx context.Context, run *Run, req *wire.SessionStart) (_ *RunSession, err error) {
	defer guard(s, run.ID, &err)
	w := &work{core: s, begin: time.Now(), kind: "start", run: run}
	done, err := s.beginWork()
	if err != nil {
		return nil, runError(ctx, err, false)
	}
	defer done()
	if w.holder, err = s.holders.of(run.Caller); err != nil {
		return nil, runError(ctx, err, false)
	}
	if _, err := s.checkStart(req, run.NoModel); err != nil {
		return nil, runError(ctx, err, false)
	}
	id := uuid.New()
	if s.opts.Parts.Node != nil {
		if err := s.opts.Parts.Node.Own(ctx, id); err != nil {
			s.log.Warn("the session of a run can be looked at by its own node alone", "session", id, "err", err)
		}
	}
	if err := w.open(ctx, req, id); err != nil {
		if s.opts.Parts.Node != nil {
			s.opts.Parts.Node.Drop(id)
		}
		return nil, runError(ctx, err, false)
	}
	s.log.Info("the session of a run is open", "run", run.ID, "session", id, "key", w.holder.name())
	return &RunSession{w}, nil
}

// checkTrace refuses to record a session that cannot be.
func (s *core) checkTrace(b *wire.Browser) error {
	switch {
	case s.opts.Parts.Kept.Traces == nil:
		return errNoTraces
	case b != nil && (b.CDPURL != "" || b.LaunchOptions.CDPURL != ""):
		return invalid([]any{"trace"}, "is not for a browser that runs already: its pages may be others'; leave it out, or cdpUrl")
	}
	return nil
}

// replayKeeper prepares a session's options so that what is done in it is kept;
// begin does so once it is open.
func (s *core) replayKeeper(options *engine.Options) (begin func(*session) *replays.Writer) {
	prices, err := middleware.ListPrices()
	if s.opts.Parts.Kept.Replays == nil || err != nil { // the list is compiled in
		return func(*session) *replays.Writer { return nil }
	}
	var writer atomic.Pointer[replays.Writer]
	options.Hooks = engine.JoinHooks(options.Hooks, &engine.Hooks{Ended: func(context.Context, engine.Entry, error) { writer.Load().Touch() }})
	return func(one *session) *replays.Writer {
		about := replays.Session{
			Owner: one.holder.caller(), Language: one.language, Begun: one.begun.UTC(), Model: one.model, Run: one.run, Traced: one.record != nil,
		}
		history := s.opts.Parts.Kept.Replays.Begin(one.id, about, func() []replays.Entry { return callsOf(one.engine.History(), prices) })
		writer.Store(history)
		return history
	}
}

// hooks are those of every session: the requests' progress and the operator's.
func (s *core) hooks() *engine.Hooks {
	return engine.JoinHooks(&engine.Hooks{
		Began: func(ctx context.Context, e engine.Entry) context.Context {
			if e.Parent == "" {
				progressOf(ctx).began(e.ID)
			}
			return ctx
		},
		Looked: func(ctx context.Context, l engine.Look) {
			progressOf(ctx).say(2, "read %s: %d elements, about %d tokens", l.URL, l.Nodes, l.Tokens)
		},
		Asked: func(ctx context.Context, a engine.Ask) {
			came := fmt.Sprintf("%d tokens in, %d out", a.Usage.Input, a.Usage.Output)
			if a.Err != nil {
				came = "no answer"
			}
			progressOf(ctx).part("asked %s: %s", a.Model, came)
		},
		Acted: func(ctx context.Context, r engine.ActResult) {
			progressOf(ctx).part("%s", r.Message)
		},
		Ended: func(ctx context.Context, e engine.Entry, _ error) { progressOf(ctx).add(e.Sent) },
	}, s.opts.Hooks.Engine)
}
