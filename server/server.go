package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A Server is the HTTP service. It may be used by any number of connections at
// once, and lives until Shutdown. Its own methods translate between HTTP and its core.
type Server struct {
	*core
	contract *contract
	routes   *http.ServeMux
	origins  origins
	probes   *probeCalls
	nodes    *nodeCalls
	ended    *endedCalls // for sessions that no node has
}

var _ http.Handler = (*Server)(nil)

// New returns a server whose sessions open their browsers with d, unless they
// ask for another. opts may be nil. The caller ends it by Shutdown.
func New(d driver.Driver, opts *Options) (*Server, error) {
	if d == nil {
		return nil, errors.New("server: no driver; pass for example a running cdp.Chrome, or fake.Network()")
	}
	contract, err := theContract()
	if err != nil {
		return nil, err
	}
	s := &Server{core: &core{driver: d, opts: *cmp.Or(opts, &Options{})}, contract: contract}
	s.stopped, s.stop = context.WithCancelCause(context.Background())
	s.limits = s.opts.Limits.withDefaults()
	s.log = cmp.Or(s.opts.Logger, slog.New(slog.DiscardHandler))
	own := *cmp.Or(s.opts.Browsers.Policy, &engine.Policy{})
	own.Operated = true
	s.opts.Browsers.Policy = &own
	s.holders.anyone = &holder{}
	s.opts.Parts.Kept = cmp.Or(s.opts.Parts.Kept, &Kept{})
	s.holders.ledger = s.opts.Parts.Kept.Ledger
	s.sessions.init(s.limits)
	if s.opts.Parts.Node != nil {
		s.sessions.removed = s.opts.Parts.Node.Drop
		s.holders.take = s.opts.Parts.Node.Requests
	}
	s.holders.set(s.opts.Keys)
	s.origins = s.opts.Origins
	s.probes = &probeCalls{s.opts.Probes, s.core}
	s.ended = &endedCalls{s.core, s.opts.Parts.Kept}
	s.nodes = &nodeCalls{s.core, s.opts.Parts.Node, s.ended}
	if s.routes, err = s.newRoutes(); err != nil {
		return nil, err
	}
	return s, nil
}

// handlers are what the operations of the contract do, by operationId.
func (s *Server) handlers() map[string]func(*call) error {
	parts := &s.opts.Parts
	profiles := &profileCalls{parts.Kept}
	runs := &runCalls{s.core, parts.Runs, profiles}
	vendor := &vendorCalls{s.opts.Browsers.Endpoint}
	start := &startCalls{s.core, s.nodes, vendor}
	return map[string]func(*call) error{
		"SessionStart":        reading(start.start),
		"SessionAct":          operated(actJob),
		"SessionObserve":      operated(observeJob),
		"SessionExtract":      operated(extractJob),
		"SessionNavigate":     operated((*call).navigation),
		"SessionAgentExecute": operated(agentJob),
		"SessionScript":       operated(func(c *call, req *wire.ScriptRequest) (job, error) { return (&scriptWork{&c.work, req}).job() }),
		"SessionRetrieve":     vendor.retrieve,
		"SessionUpdate":       reading(vendor.update),
		"SessionDebug":        vendor.debug,
		"SessionReplay":       handleReplay,
		"SessionTrace":        handleTrace,
		"SessionList":         s.nodes.list,
		"SessionLive":         handleLive,
		"SessionTake":         reading(handleTake),
		"SessionGiveBack":     reading(handleGiveBack),
		"SessionInput":        reading(handleInput),
		"NodeList":            s.nodes.all,
		"SessionEnd":          reading(handleEnd),
		"RunCreate":           runs.create,
		"RunList":             runs.about(runs.list),
		"RunRetrieve":         runs.about(runs.retrieve),
		"RunCancel":           runs.about(runs.cancel),
		"RunEvents":           runs.about(runs.events),
		"ProfileList":         profiles.about(profiles.list),
		"ProfileRetrieve":     profiles.about(profiles.retrieve),
		"ProfilePut":          profiles.about(profiles.put),
		"ProfileRename":       profiles.about(profiles.rename),
		"ProfileDelete":       profiles.about(profiles.delete),
		"Health":              handleHealth,
		"Ready":               s.probes.ready,
		"OpenAPI":             s.contract.serve,
		"Metrics":             s.probes.metrics,
	}
}

// newRoutes makes the routes of the contract: every operation has its handler.
func (s *Server) newRoutes() (*http.ServeMux, error) {
	handlers := s.handlers()
	routes := http.NewServeMux()
	for _, op := range s.contract.operations {
		handle := handlers[op.id]
		if handle == nil {
			return nil, fmt.Errorf("server: openapi.yaml has the operation %q, which nothing serves", op.id)
		}
		delete(handlers, op.id)
		routes.HandleFunc(op.method+" "+op.path, func(w http.ResponseWriter, r *http.Request) {
			s.serve(w.(*call), r, &op, handle)
		})
	}
	for id := range handlers {
		return nil, fmt.Errorf("server: nothing in openapi.yaml is %q", id)
	}
	return routes, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var pass *nodes.Pass
	if s.opts.Parts.Node != nil {
		if r, pass = s.opts.Parts.Node.Receive(w, r); r == nil {
			return
		}
	}
	c := newCall(s.core, w, r)
	c.pass = pass
	defer c.conclude()
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler { // an answer that could not be passed on to its end
				panic(p)
			}
			s.log.Error("panic", "request", c.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			c.fail(errInternal)
		}
	}()
	if s.origins.letIn(c) {
		return
	}
	if !s.origins.trusts(r.Header.Get("origin")) && new(http.CrossOriginProtection).Check(r) != nil {
		// A browser sends a POST without a body for any page, with what it knows: an address.
		c.fail(newFault(wire.Forbidden, "a web page of another origin sent this request; the operator can let the scripts of an origin in"))
		return
	}
	if d := s.opts.Parts.Dashboard; d != nil && (r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/dashboard/")) {
		d.ServeHTTP(c, r)
		return
	}
	// The mux would answer these itself, by a redirect or in its own words.
	if r.URL.Path == "" || path.Clean(r.URL.Path) != r.URL.Path || r.Method == http.MethodConnect {
		c.fail(newFault(wire.NotFound, "nothing is at this address"))
		return
	}
	if _, pattern := s.routes.Handler(r); pattern == "" {
		c.fail(s.unrouted(c))
		return
	}
	s.routes.ServeHTTP(c, r)
}

// unrouted says why no operation answers: the address, or the method.
func (s *Server) unrouted(c *call) error {
	var methods []string
	for _, op := range s.contract.operations {
		probe := &http.Request{Method: op.method, URL: c.r.URL, Host: c.r.Host}
		if _, pattern := s.routes.Handler(probe); pattern == op.method+" "+op.path {
			methods = append(methods, op.method)
		}
	}
	if methods == nil {
		return newFault(wire.NotFound, "nothing is at this address; /v1/openapi.json lists what there is")
	}
	c.Header().Set("allow", strings.Join(methods, ", "))
	return newFault(wire.MethodNotAllowed, "%s is not taken here, only %s", c.r.Method, strings.Join(methods, ", "))
}

// serve is what all operations have in common.
func (s *Server) serve(c *call, r *http.Request, op *operation, handle func(*call) error) {
	c.r, c.op, c.kind = r, op, path.Base(op.path) // r has the path's values
	if op.id == "SessionAct" || op.id == "SessionAgentExecute" || op.id == "SessionScript" {
		c.sent = wire.SentNone
		c.tellSent()
	}
	err := s.admit(c)
	switch id := r.PathValue("id"); {
	case err != nil:
	case id != "" && c.session == nil:
		err = s.nodes.elsewhere(c, id)
	default:
		err = handle(c)
	}
	if err != nil && c.status == 0 {
		err = s.ended.instead(c, r.PathValue("id"), err)
	}
	if err != nil && c.status == 0 {
		err = s.nodes.trace(c, err)
	}
	if err != nil {
		c.fail(err)
	}
}

// admit finds the caller of a request, and its session.
func (s *Server) admit(c *call) error {
	if c.op.public {
		return nil
	}
	if c.op.id == "Metrics" && s.probes.MetricsToken != "" {
		return s.probes.checkToken(c.r)
	}
	var err error
	if c.holder, err = s.holders.authenticate(c); err != nil {
		return err
	}
	id := c.r.PathValue("id")
	// What came from another node was counted there, and a person's input is held to
	// its session.
	if c.pass == nil && c.op.id != "SessionInput" {
		if err := c.holder.countRequest(c.r.Context()); err != nil {
			return err
		}
	}
	if id == "" {
		return nil
	}
	if c.r.Method == http.MethodPost {
		c.Header().Set("x-should-retry", "false")
	}
	if s.opts.Parts.Node != nil {
		if !s.sessions.has(id) && c.pass == nil {
			return nil
		}
		if err := s.opts.Parts.Node.Held(); err != nil {
			return c.unreachable(c.r.Context(), err)
		}
	}
	c.session, err = s.sessions.find(id, c.holder, c.op.watch)
	return err
}
