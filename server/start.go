package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/internal/live"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
	"github.com/wayfinder-engine/wayfinder/server/nodes"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// startCalls start sessions.
type startCalls struct {
	*core
	nodes  *nodeCalls
	vendor *vendorCalls
}

// start opens a session.
func (s *startCalls) start(c *call) error {
	req, err := read[wire.SessionStart](c)
	if err != nil {
		return err
	}
	ignored, err := s.checkStart(req, false)
	if err != nil {
		return err
	}
	c.ignore(ignored)
	if c.session, err = s.resumed(c, req); err != nil {
		return err
	}
	if c.elsewhere {
		return nil // it has answered
	}
	if c.session != nil {
		if req.Trace && c.session.record == nil {
			return invalid([]any{"trace"}, "is said when a session begins: this one is open, and not recorded")
		}
		return s.started(c)
	}
	return s.nodes.start(c, req.Browser.Labels, func(id string) error { return s.here(c, req, id) })
}

// here opens a session at this server.
func (s *startCalls) here(c *call, req *wire.SessionStart, id string) error {
	done, err := s.beginWork()
	if err != nil {
		return err
	}
	defer done()
	if err := c.open(c.r.Context(), req, id); err != nil {
		if errors.Is(err, nodes.ErrKeyFull) {
			c.Header().Set(nodes.HeaderLimit, "key")
		}
		return err
	}
	return s.started(c)
}

// started answers with a session that is open.
func (s *startCalls) started(c *call) error {
	data := wire.SessionStarted{SessionID: c.session.id, Available: true}
	if address := s.vendor.endpointOf(c); address != "" {
		data.CDPURL = &address
	}
	return c.writeJSON(http.StatusOK, wire.Success[wire.SessionStarted]{Success: true, Data: data})
}

// resumed is the session that a request continues; nil if it wants a new one.
func (s *startCalls) resumed(c *call, req *wire.SessionStart) (*session, error) {
	raw := req.BrowserbaseSessionID
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var id string
	if json.Unmarshal(raw, &id) == nil {
		found, err := s.sessions.find(id, c.holder, false)
		if err == nil {
			return found, found.over()
		}
		if s.opts.Parts.Node != nil && c.pass == nil && !s.sessions.has(id) {
			if err = s.nodes.elsewhere(c, id); err == nil {
				return nil, nil
			}
		}
	}
	return nil, invalid([]any{"browserbaseSessionID"}, "is no open session of this server, which has its own browsers: leave it out to start one")
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
		if _, err := s.modelConfig(modelName(req.ModelName)); err != nil {
			return nil, invalidDocument(err)
		}
	}
	if err := s.checkBrowser(req.Browser, req.Trace); err != nil {
		return nil, err
	}
	return takeVendorParams(req)
}

// open opens the session that the work is in.
func (w *work) open(ctx context.Context, req *wire.SessionStart, id string) (err error) {
	if w.session, err = w.newBrowser(ctx, req, id); err != nil {
		w.core.opts.Hooks.Events.started(w.begin, faultOf(ctx, err).code)
		return err
	}
	w.core.opts.Hooks.Events.started(w.begin, "")
	return nil
}

// newBrowser takes the session's place among the others and opens its browser.
func (w *work) newBrowser(ctx context.Context, req *wire.SessionStart, id string) (*session, error) {
	s := w.core
	d, err := s.driverFor(req.Browser)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.stopped, func() { cancel(errShutdown) })()
	free, err := s.takePlace(ctx, w.holder)
	if err != nil {
		return nil, err
	}
	session, err := w.openIn(ctx, d, req, id, free)
	if err != nil {
		free()
		return nil, err
	}
	err = s.sessions.add(session)
	if err == nil {
		err = context.Cause(ctx) // its client has gone: the session would be open unseen
	}
	if err != nil {
		session.end(err)
		return nil, err
	}
	return session, nil
}

// takePlace takes a session's place among those of its key and among all. free
// gives both back.
func (s *core) takePlace(ctx context.Context, h *holder) (free func(), _ error) {
	if err := h.openSession(); err != nil {
		return nil, err
	}
	begin := time.Now()
	err := s.sessions.reserve(ctx)
	s.opts.Hooks.Events.waited(SessionQueue, begin)
	if err != nil {
		h.closeSession()
		return nil, err
	}
	here := func() {
		s.sessions.giveBack()
		h.closeSession()
	}
	limit := h.mostSessions()
	if s.opts.Parts.Node == nil || limit <= 0 {
		return here, nil
	}
	shared, err := s.opts.Parts.Node.Take(ctx, h.caller(), limit)
	if err != nil {
		here()
		if errors.Is(err, nodes.ErrKeyFull) {
			return nil, keyFull(limit, err)
		}
		return nil, &fault{code: wire.NodeUnavailable, message: "the key's sessions cannot be counted now; ask again", retry: time.Second, cause: err}
	}
	return func() {
		here()
		shared()
	}, nil
}

// openIn opens the browser. free is called when the session has ended.
func (w *work) openIn(ctx context.Context, d driver.Driver, req *wire.SessionStart, id string, free func()) (*session, error) {
	s := w.core
	downloads, remove, err := s.downloads(req.Browser.LaunchOptions)
	if err != nil {
		return nil, err
	}
	limited, stop := context.WithTimeout(ctx, s.limits.StartTime)
	defer stop()
	options := s.engineOptions(id, req)
	options.Downloads = downloads
	var session *session
	options.Hooks = engine.JoinHooks(options.Hooks, &engine.Hooks{
		Ended: func(_ context.Context, e engine.Entry, _ error) { session.noted(&e) },
	})
	profile, err := w.takeProfile(ctx, req.Browser.Profile, id, options)
	if err == nil {
		if err = w.run.prepare(options); err != nil {
			profile.save()
		}
	}
	if err != nil {
		remove()
		return nil, err
	}
	keepReplay := s.replayKeeper(options)
	var record *traces.Record
	if req.Trace {
		record = s.opts.Parts.Kept.Traces.Record(id, w.holder.caller(), d)
		d, options.Hooks = record.Driver(), record.Hooks(options.Hooks)
	}
	opened, err := engine.Open(limited, d, options)
	if err != nil {
		profile.save() // as it was
		remove()
		return nil, openFault(ctx, err)
	}
	session = w.newSession(id, req, opened, func() {
		remove()
		free()
	})
	session.own, session.record = ownBrowser(req.Browser), record
	record.Begin(wayfindertest.Setup{SystemPrompt: options.SystemPrompt, NoHeal: options.NoHeal})
	history := keepReplay(session)
	session.endHistory = func() {
		if history != nil {
			history.End(session.lastPage())
		}
	}
	session.profile = profile.keep(session.ctx, opened.Browser(), options.Browser.StorageState)
	if s.opts.Parts.Guests != nil && req.Browser.CDPURL == "" && req.Browser.LaunchOptions.CDPURL == "" {
		session.address, session.dismiss = s.opts.Parts.Guests(session.forGuests())
	}
	session.watch()
	return session, nil
}

// openFault is a browser that did not open. A wrong option is the client's.
func openFault(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.Is(err, engine.ErrInvalid) || errors.Is(err, driver.ErrBlocked) {
		return err
	}
	return &fault{code: wire.BrowserUnavailable, message: "the browser did not open", retry: time.Second, cause: err}
}

func (s *core) engineOptions(id string, req *wire.SessionStart) *engine.Options {
	return &engine.Options{
		Browser:       browserOptions(req),
		Policy:        s.policyFor(req.Browser),
		File:          s.checkFile,
		Logger:        s.log.With("session", id),
		Hooks:         s.hooks(),
		SystemPrompt:  req.SystemPrompt,
		NoHeal:        req.SelfHeal != nil && !*req.SelfHeal,
		Timeout:       s.limits.Step,
		ActTimeout:    cmp.Or(req.ActTimeoutMs.Duration(), s.limits.Step),
		SettleTimeout: req.DOMSettleTimeoutMs.Duration(),
	}
}

func (w *work) newSession(id string, req *wire.SessionStart, opened *engine.Session, free func()) *session {
	s := w.core
	one := &session{
		id: id, begun: time.Now(), events: s.opts.Hooks.Events, actTimeout: req.ActTimeoutMs.Duration(), holder: w.holder, engine: opened, model: req.ModelName, systemPrompt: req.SystemPrompt, pageTools: req.Browser.LaunchOptions.PageTools, verbose: 1,
		language: w.language, limits: s.limits, log: s.log, forget: s.sessions.remove, free: free,
		closed: make(chan struct{}), queues: map[driver.PageID]int{}, crashed: map[driver.PageID]bool{},
		moved: make(chan struct{}), viewing: map[string]*live.Viewer{},
	}
	if w.run != nil {
		one.run = w.run.ID
	}
	if req.Verbose != nil {
		one.verbose = int(*req.Verbose)
	}
	one.hub = one.newHub()
	// Not the request's context: the session outlives it.
	one.ctx, one.cancel = context.WithCancelCause(context.Background())
	return one
}

// handleEnd closes a session.
func handleEnd(c *call) error {
	if _, err := read[struct{}](c); err != nil {
		return err
	}
	if err := c.session.endAndTell(); err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, body.Ended{Success: true})
}
