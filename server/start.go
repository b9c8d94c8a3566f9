package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// start opens a session.
func (s *Server) start(c *call) error {
	req, err := read[wire.SessionStart](c)
	if err != nil {
		return err
	}
	if err := s.checkStart(req); err != nil {
		return err
	}
	done, err := s.beginWork()
	if err != nil {
		return err
	}
	defer done()
	session, err := s.open(c, req)
	if err != nil {
		return err
	}
	c.session = session
	data := wire.SessionStarted{SessionID: session.id, Available: true}
	if s.opts.Endpoint != nil {
		if address := s.opts.Endpoint(session.engine.Browser()); address != "" {
			data.CDPURL = &address
		}
	}
	return c.writeJSON(http.StatusOK, wire.Success[wire.SessionStarted]{Success: true, Data: data})
}

// checkStart refuses what the schema has no word for.
func (s *Server) checkStart(req *wire.SessionStart) error {
	const why = "is of a hosted vendor's browsers; this server has its own: leave it out"
	if req.BrowserbaseSessionID != nil {
		return invalid([]any{"browserbaseSessionID"}, why)
	}
	if req.BrowserbaseSessionCreateParams != nil {
		return invalid([]any{"browserbaseSessionCreateParams"}, why)
	}
	if req.Browser == nil {
		req.Browser = &wire.Browser{}
	}
	if req.Browser.LaunchOptions == nil {
		req.Browser.LaunchOptions = &wire.LaunchOptions{}
	}
	if _, err := s.modelConfig(wire.ModelName(req.ModelName)); err != nil {
		return invalidDocument(err)
	}
	return s.checkAllowed(req.Browser)
}

// open takes the session's place among the others and opens its browser.
func (s *Server) open(c *call, req *wire.SessionStart) (_ *session, err error) {
	var taken []func()
	free := func() {
		for _, giveBack := range taken {
			giveBack()
		}
	}
	defer func() {
		if err != nil {
			free()
		}
	}()
	d, err := s.driverFor(req.Browser)
	if err != nil {
		return nil, err
	}
	if err := c.holder.openSession(); err != nil {
		return nil, err
	}
	taken = append(taken, c.holder.closeSession)
	if err := s.sessions.reserve(c.r.Context()); err != nil {
		return nil, err
	}
	taken = append(taken, s.sessions.giveBack)
	options, remove, err := browserOptions(req, req.Browser.LaunchOptions)
	taken = append(taken, remove)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), s.limits.StartTime)
	defer cancel()
	id := engine.NewID()
	opened, err := engine.Open(ctx, d, s.engineOptions(id, req, options))
	if err != nil {
		return nil, openFault(err)
	}
	session := s.newSession(id, c, req, opened, free)
	session.watch()
	if err := s.sessions.add(session); err != nil {
		session.end(err)
		return nil, err
	}
	return session, nil
}

// openFault is a browser that did not open. A wrong option is the client's.
func openFault(err error) error {
	if errors.Is(err, engine.ErrInvalid) || errors.Is(err, context.Canceled) {
		return err
	}
	return &fault{code: wire.BrowserUnavailable, message: "the browser did not open", retry: time.Second, cause: err}
}

func (s *Server) engineOptions(id string, req *wire.SessionStart, browser driver.BrowserOptions) *engine.Options {
	return &engine.Options{
		Browser:       browser,
		Policy:        s.opts.Policy,
		File:          s.checkFile,
		Logger:        s.log.With("session", id),
		Hooks:         s.hooks(),
		SystemPrompt:  req.SystemPrompt,
		NoHeal:        req.SelfHeal != nil && !*req.SelfHeal,
		ActTimeout:    req.ActTimeoutMs.Duration(),
		SettleTimeout: req.DOMSettleTimeoutMs.Duration(),
	}
}

func (s *Server) newSession(id string, c *call, req *wire.SessionStart, opened *engine.Session, free func()) *session {
	one := &session{
		id: id, holder: c.holder, engine: opened, model: req.ModelName, verbose: 1,
		language: c.r.Header.Get("x-language"), limits: s.limits, log: s.log, registry: &s.sessions, free: free,
		closed: make(chan struct{}), queues: map[driver.PageID]int{}, crashed: map[driver.PageID]bool{},
	}
	if req.Verbose != nil {
		one.verbose = int(*req.Verbose)
	}
	// Not the request's context: the session outlives it.
	one.ctx, one.cancel = context.WithCancelCause(context.Background())
	return one
}

// end closes a session.
func (s *Server) end(c *call) error {
	if _, err := read[struct{}](c); err != nil {
		return err
	}
	c.session.end(errEnded)
	return c.writeJSON(http.StatusOK, wire.Ended{Success: true})
}
