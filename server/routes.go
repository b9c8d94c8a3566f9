package server

import (
	"fmt"
	"net/http"
	"path"
	"runtime/debug"
	"strings"

	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// handlers are what the operations of the contract do, by operationId.
func (s *Server) handlers() map[string]func(*call) error {
	return map[string]func(*call) error{
		"SessionStart":        s.start,
		"SessionAct":          s.act,
		"SessionObserve":      s.observe,
		"SessionExtract":      s.extract,
		"SessionNavigate":     s.navigate,
		"SessionAgentExecute": s.agentExecute,
		"SessionRetrieve":     s.retrieve,
		"SessionUpdate":       s.update,
		"SessionDebug":        s.debug,
		"SessionReplay":       s.replay,
		"SessionEnd":          s.end,
		"Health":              s.health,
		"Ready":               s.ready,
		"OpenAPI":             s.serveContract,
		"Metrics":             s.metrics,
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
	c := s.newCall(w, r)
	defer c.conclude()
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "request", c.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			c.fail(errInternal)
		}
	}()
	if s.crossOrigin(c) {
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
	c.r, c.op = r, op // r has the path's values
	if op.id == "SessionAct" || op.id == "SessionAgentExecute" {
		c.tellSent(wire.SentNone)
	}
	err := s.admit(c)
	if err == nil {
		err = handle(c)
	}
	if err != nil {
		c.fail(err)
	}
}

// admit finds out who asks, and for which session.
func (s *Server) admit(c *call) error {
	if c.op.public {
		return nil
	}
	if c.op.id == "Metrics" && s.opts.MetricsToken != "" {
		return s.checkMetricsToken(c.r)
	}
	var err error
	if c.holder, err = s.authenticate(c.r); err != nil {
		return err
	}
	if err := c.holder.countRequest(); err != nil {
		return err
	}
	id := c.r.PathValue("id")
	if id == "" {
		return nil
	}
	if c.r.Method == http.MethodPost {
		c.Header().Set("x-should-retry", "false")
	}
	c.session, err = s.sessions.find(id, c.holder)
	return err
}
