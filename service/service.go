// Package service is what the command wayfinder serve runs, as one call: sessions over
// HTTP, runs that outlive their clients, records, profiles, traces, and the nodes that
// share them.
//
// [Open] puts the parts together: it opens the records, joins the other nodes, gives
// package server what is kept beside it, and counts and traces what all of them do.
// [Service.Serve] answers at a listener until its context ends, and then lets work under
// way finish. What a flag of the command says is a field of [Config] here; reading
// flags, files of keys and signals is the command's.
//
// The zero Config is a service of one process, with Chromes that sessions share and
// records in memory, for callers on this machine alone.
package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/guests"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/telemetry/metrics"
)

// Config says what a service is made of. [Open] copies it.
type Config struct {
	// Server has what clients meet: keys, limits, models, policy. Of its Parts, Open
	// sets Runs, Kept, Guests and Node; they have to be nil.
	// Its Logger is that of all parts. Where Launch, Attach or Endpoint of its Browsers
	// is nil, Open sets what goes with Driver. Its Hooks are called beside the
	// service's own.
	Server server.Options

	// Driver opens the sessions' browsers. It is the caller's to close, after
	// [Service.Close]. Nil is a [Chromes] of the service's own.
	Driver driver.Driver

	// Dir is the directory in which runs, replays, profiles and the use of keys
	// survive a restart. Empty: they are in memory, or with Cluster.NATS on its
	// servers. One process has a directory at a time.
	Dir string

	// AcceptLoss opens records that are damaged in both copies: runs that had not
	// ended are ended as failed. Without it Open fails with [ErrDamaged].
	AcceptLoss bool

	// Cluster makes the service a node of several that share sessions and runs; nil:
	// it is alone.
	Cluster *Cluster

	// Runs bounds the runs. Open sets Alone, Doubt, Keys, Webhooks and Logger.
	Runs runs.Options

	// Keys encrypts profiles, the values of runs and traces. Nil: there are no
	// profiles and no variables of runs, and traces are files in the clear.
	Keys *server.SealingKeys

	// TraceDir is the directory of traces of sessions that ask for one. Empty: such
	// sessions are refused. Open sets the Keys and the Logger of Trace.
	TraceDir string
	Trace    server.TraceOptions

	// Attach gives each session an address at which clients of the DevTools protocol
	// attach to its pages and to no others. AttachBase is this service's address as
	// they reach it, as wss://host; empty is the one that the client asked at.
	Attach     bool
	AttachBase string

	// Metrics counts what the service does. Nil: Open makes one, and where
	// Server.Metrics is nil, too, /metrics answers with it.
	Metrics *metrics.Metrics

	// Tracer makes spans of requests, engines and agents; nil makes none. The caller
	// shuts it down, after [Service.Close].
	Tracer oteltrace.TracerProvider

	// Drain bounds how long work under way may take at the end; 0 is 30 s.
	Drain time.Duration
}

// A Service is sessions and runs, and all that is kept of them. Its methods may be
// called by any number of goroutines; Serve is called once.
type Service struct {
	config  Config
	log     *slog.Logger
	driver  driver.Driver
	records *jetstream.Store // nil: they are in memory
	store   fleet.Store
	runs    *runs.Runs
	node    *server.Node // nil: it is alone
	guests  *guests.Guests
	server  *server.Server
	closers []func() // called from the last to the first
}

// Open opens a service. With a cluster it waits up to five minutes for enough of the
// other nodes. ctx bounds that and the reading of the records; it ends nothing later.
// The caller calls [Service.Serve], once, and then [Service.Close].
//
// An error says which part could not be opened; errors.Is finds [ErrDamaged]
// where records are lost. Nothing stays open after one.
func Open(ctx context.Context, config Config) (_ *Service, err error) {
	s := &Service{config: config, log: cmp.Or(config.Server.Logger, slog.New(slog.DiscardHandler)), driver: config.Driver}
	s.config.Server.Logger = s.log
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	o := &s.config.Server
	if err := count(&s.config); err != nil {
		return nil, err
	}
	s.openBrowsers(o)
	trace(&s.config)
	if s.records, err = openRecords(ctx, &s.config); err != nil {
		return nil, err
	}
	s.store = new(fleet.Memory)
	if s.records != nil {
		s.store = s.records
		s.closers = append(s.closers, s.records.Close)
		setReady(o, s.records)
	}
	if err := s.openRuns(ctx, o); err != nil {
		return nil, err
	}
	if s.node, err = join(ctx, &s.config, s.store); err != nil {
		return nil, err
	}
	if err := s.keep(ctx, o); err != nil {
		return nil, err
	}
	if s.config.Attach {
		s.guests = guests.New(&guests.Options{Base: s.config.AttachBase, Node: s.node, Logger: s.log})
		o.Parts.Guests = s.guests.Open
	}
	if s.server, err = server.New(s.driver, o); err != nil {
		return nil, fmt.Errorf("service: %w", err)
	}
	addGauges(s.config.Metrics, s.server, s.runs)
	return s, nil
}

// openBrowsers chooses what opens the sessions' browsers, and what goes with it.
func (s *Service) openBrowsers(o *server.Options) {
	if s.driver == nil {
		own := &Chromes{Launch: cdp.Launch{Logger: s.log}, Metrics: s.config.Metrics}
		s.driver = own
		s.closers = append(s.closers, func() { _ = own.Close() }) // sessions are over: nothing is lost
	}
	if o.Browsers.Attach == nil {
		o.Browsers.Attach = attach
	}
	shared, ok := s.driver.(*Chromes)
	if !ok {
		return
	}
	if o.Browsers.Launch == nil {
		o.Browsers.Launch = shared.Own
	}
	if o.Browsers.Endpoint == nil {
		o.Browsers.Endpoint = cdp.Endpoint
	}
	if o.Probes.Ready == nil {
		o.Probes.Ready = shared.ready
	}
}

// openRuns opens the runs that there are from before.
func (s *Service) openRuns(ctx context.Context, o *server.Options) (err error) {
	opts := &s.config.Runs
	if s.records != nil {
		opts.Alone, opts.Doubt = s.records.Alone(), s.records.Doubt()
	}
	if s.config.Cluster != nil && opts.Term == 0 {
		opts.Term = runTerm
	}
	opts.Keys, opts.Webhooks, opts.Logger = s.config.Keys, o.Browsers.Policy, s.log
	if s.runs, err = runs.New(ctx, s.store, opts); err != nil {
		return fmt.Errorf("the runs cannot be read: %w", err)
	}
	s.closers = append(s.closers, s.runs.Close)
	o.Parts.Runs = s.runs
	return nil
}

// SetKeys replaces the keys that clients show. Sessions and runs of keys that are not
// among them end; see [server.Server.SetKeys].
func (s *Service) SetKeys(keys []server.Key) { s.server.SetKeys(keys) }

// Serve answers at l, and works on runs, until ctx ends. Then it refuses new work, lets
// what is under way finish for Config.Drain, and returns nil. It closes l. An error is
// that of the listener.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	if s.node != nil {
		defer keepNode(ctx, s.node, s.server)()
	}
	h := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), // what clients do wrong with TLS and HTTP
	}
	worked := make(chan struct{})
	working, stop := context.WithCancel(ctx)
	go func() { defer close(worked); s.runs.Work(working, s.server) }()
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	var err error
	limit := cmp.Or(s.config.Drain, 30*time.Second)
	select {
	case <-ctx.Done():
		s.log.Info("draining", "limit", limit)
	case err = <-failed:
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if late := s.server.Shutdown(bounded); late != nil {
		s.log.Warn("work was cut short", "err", late)
	}
	if late := h.Shutdown(bounded); late != nil {
		_ = h.Close() // connections that do not end by themselves
	}
	s.log.Info("stopped")
	stop() // where the port has failed
	<-worked
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Close closes what Open has opened: what is kept is written, and browsers of the
// service's own end.
func (s *Service) Close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
	s.closers = nil
}

// handler is all that the service answers.
func (s *Service) handler() http.Handler {
	h := traced(s.config.Tracer, s.server)
	if s.guests != nil {
		h = besides(h, s.guests)
	}
	if len(s.config.Server.Keys) == 0 {
		h = LoopbackOnly(h)
	}
	return h
}

// besides serves clients that attach to a browser beside what h serves. They are in no
// trace and no log of requests: the address is a secret.
func besides(h, visitors http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, guests.Path) {
			visitors.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// LoopbackOnly answers only requests that name this machine itself, and the others with
// 421. A service without keys needs it: a web page whose own name was made to stand for
// the loopback address could call the service from a browser on this machine. [Open]
// sees to it for its own.
func LoopbackOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !IsLoopback(strings.Trim(host, "[]")) {
			http.Error(w, "without keys the service answers to localhost and 127.0.0.1 alone", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// IsLoopback reports whether a host without its port is this machine itself: localhost
// or an address of the loopback network.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// keep opens what is kept of sessions beyond their end. What is in memory alone is gone
// with the process anyhow.
func (s *Service) keep(ctx context.Context, o *server.Options) (err error) {
	kept := server.KeepOptions{Node: s.node, Keys: s.config.Keys, TraceDir: s.config.TraceDir, Trace: s.config.Trace, Logger: s.log}
	if s.records != nil {
		kept.Store = s.records
	}
	if s.config.Dir != "" {
		kept.ProfileDir = filepath.Join(s.config.Dir, "profiles")
	}
	if o.Parts.Kept, err = server.OpenKept(ctx, kept); err != nil {
		return err
	}
	s.closers = append(s.closers, o.Parts.Kept.Close)
	return nil
}
