package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A Server is the HTTP service. It may be used by any number of connections at
// once, and lives until Shutdown.
type Server struct {
	driver   driver.Driver
	opts     Options
	limits   Limits
	log      *slog.Logger
	contract *contract
	routes   *http.ServeMux
	holders  holders
	sessions registry
	streams  atomic.Int64 // open

	stopped context.Context // ends when no more time is given to work
	stop    context.CancelCauseFunc

	work     sync.WaitGroup // requests that may touch a page
	mu       sync.Mutex     // protects draining against work
	draining bool
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
	s := &Server{driver: d, contract: contract}
	if opts != nil {
		s.opts = *opts
	}
	s.stopped, s.stop = context.WithCancelCause(context.Background())
	s.limits = s.opts.Limits.withDefaults()
	s.log = cmp.Or(s.opts.Logger, slog.New(slog.DiscardHandler))
	if s.opts.Policy == nil {
		s.opts.Policy = &engine.Policy{}
	}
	s.holders.anyone = &holder{}
	s.holders.set(s.opts.Keys)
	s.sessions.init(s.limits)
	if s.routes, err = s.newRoutes(); err != nil {
		return nil, err
	}
	return s, nil
}

// Drain has the server refuse new sessions and new work, with 503; what is
// under way goes on. /readyz says so.
func (s *Server) Drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

// Shutdown drains, waits for the work under way until ctx ends, and then ends
// every session with its browser. It returns when all are closed. It may be
// called again.
func (s *Server) Shutdown(ctx context.Context) error {
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
func (s *Server) beginWork() (done func(), _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return nil, newFaultDraining()
	}
	s.work.Add(1)
	return s.work.Done, nil
}

func newFaultDraining() *fault {
	f := newFault(errShutdown.code, "%s", errShutdown.message)
	f.retry = time.Second
	return f
}

// health answers as long as the process serves.
func (s *Server) health(c *call) error {
	return c.writeJSON(http.StatusOK, healthNow("ok"))
}

// ready reports whether sessions can be started.
func (s *Server) ready(c *call) error {
	s.mu.Lock()
	draining := s.draining
	s.mu.Unlock()
	if draining {
		return c.writeJSON(http.StatusServiceUnavailable, healthNow("draining"))
	}
	if s.opts.Ready != nil {
		if err := s.opts.Ready(c.r.Context()); err != nil {
			s.log.Warn("not ready", "err", err)
			return c.writeJSON(http.StatusServiceUnavailable, healthNow("starting"))
		}
	}
	return c.writeJSON(http.StatusOK, healthNow("ok"))
}

func (s *Server) metrics(c *call) error {
	if s.opts.Metrics == nil {
		return newFault("not_implemented", "this server has no metrics")
	}
	s.opts.Metrics.ServeHTTP(c, c.r)
	return nil
}
