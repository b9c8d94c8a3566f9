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
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
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
func (s *startCalls) start(c *call, req *wire.SessionStart) error {
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

// An opening is work that opens the browser of a new session.
type opening struct {
	*work
	req *wire.SessionStart
	id  string // the session's
}

// newBrowser takes the session's place among the others and opens its browser.
func (o *opening) newBrowser(ctx context.Context) (*session, error) {
	s := o.core
	d, err := s.opts.Browsers.driverFor(o.req.Browser, s.driver)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.stopped, func() { cancel(errShutdown) })()
	free, err := o.takePlace(ctx)
	if err != nil {
		return nil, err
	}
	session, err := o.openIn(ctx, d, free)
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
func (o *opening) takePlace(ctx context.Context) (free func(), _ error) {
	s, h := o.core, o.holder
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
	limit := h.now().Limits.Sessions
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
func (o *opening) openIn(ctx context.Context, d driver.Driver, free func()) (*session, error) {
	s, req := o.core, o.req
	downloads, remove, err := downloads(req.Browser.LaunchOptions, s.limits.Download)
	if err != nil {
		return nil, err
	}
	limited, stop := context.WithTimeout(ctx, s.limits.StartTime)
	defer stop()
	options := o.engineOptions()
	options.Downloads = downloads
	var session *session
	options.Hooks = engine.JoinHooks(options.Hooks, &engine.Hooks{
		Ended: func(_ context.Context, e engine.Entry, _ error) { session.noted(&e) },
	})
	profile, err := o.takeProfile(ctx, options)
	if err == nil {
		if err = o.run.prepare(options); err != nil {
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
		record = s.opts.Parts.Kept.Traces.Record(o.id, o.holder.caller(), d)
		d, options.Hooks = record.Driver(), record.Hooks(options.Hooks)
	}
	opened, err := engine.Open(limited, d, options)
	if err != nil {
		profile.save() // as it was
		remove()
		return nil, openFault(ctx, err)
	}
	session = o.newSession(opened, func() {
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

// takeProfile holds the profile that a session names, and has its browser begin
// with it. No name is none.
func (o *opening) takeProfile(ctx context.Context, options *engine.Options) (*keeper, error) {
	s, name := o.core, o.req.Browser.Profile
	if name == "" {
		return nil, nil
	}
	if s.opts.Parts.Kept.Profiles == nil {
		return nil, errNoProfiles
	}
	hold, err := s.opts.Parts.Kept.Profiles.Hold(ctx, o.holder.caller(), name, o.id)
	if err != nil {
		return nil, profileFault(name, err)
	}
	options.Browser.StorageState = hold.State()
	k := &keeper{hold: hold, log: s.log.With("session", o.id, "profile", name)}
	options.Hooks = engine.JoinHooks(options.Hooks, &engine.Hooks{
		Began: func(ctx context.Context, e engine.Entry) context.Context {
			k.beforeLeaving(ctx, e.Operation)
			return ctx
		},
		Ended: func(context.Context, engine.Entry, error) { hold.Touch() },
	})
	return k, nil
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

func (o *opening) engineOptions() *engine.Options {
	s, req := o.core, o.req
	return &engine.Options{
		Browser:       browserOptions(req),
		Policy:        s.opts.Browsers.policyFor(req.Browser),
		File:          s.opts.Browsers.checkFile,
		Logger:        s.log.With("session", o.id),
		Hooks:         s.hooks(),
		SystemPrompt:  req.SystemPrompt,
		NoHeal:        req.SelfHeal != nil && !*req.SelfHeal,
		Timeout:       s.limits.Step,
		ActTimeout:    cmp.Or(req.ActTimeoutMs.Duration(), s.limits.Step),
		SettleTimeout: req.DOMSettleTimeoutMs.Duration(),
	}
}

func (o *opening) newSession(opened *engine.Session, free func()) *session {
	s, req := o.core, o.req
	one := &session{
		id: o.id, begun: time.Now(), events: s.opts.Hooks.Events, actTimeout: req.ActTimeoutMs.Duration(), holder: o.holder, engine: opened, model: req.ModelName, systemPrompt: req.SystemPrompt, pageTools: req.Browser.LaunchOptions.PageTools, verbose: 1,
		language: o.language, limits: s.limits, log: s.log, forget: s.sessions.remove, free: free,
		closed: make(chan struct{}), queues: map[driver.PageID]int{}, crashed: map[driver.PageID]bool{},
		moved: make(chan struct{}), viewing: map[string]*live.Viewer{},
	}
	if o.run != nil {
		one.run = o.run.ID
	}
	if req.Verbose != nil {
		one.verbose = int(*req.Verbose)
	}
	one.hub = newHub(one)
	// Not the request's context: the session outlives it.
	one.ctx, one.cancel = context.WithCancelCause(context.Background())
	return one
}

// handleEnd closes a session.
func handleEnd(c *call, _ *struct{}) error {
	if err := c.session.endAndTell(); err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, body.Ended{Success: true})
}
