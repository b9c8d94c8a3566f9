package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/telemetry/metrics"
)

// run serves until ctx ends, and then lets work under way finish.
func (v *serving) run(ctx context.Context) error {
	log := v.logger()
	keys, err := v.readKeys()
	if err != nil {
		return err
	}
	prices, err := middleware.ListPrices()
	if err != nil {
		return err
	}
	figures := metrics.New(prices)
	v.figures = figures
	tracing, err := v.startTracing(ctx, log)
	if err != nil {
		return err
	}
	defer tracing.stop(log)
	browsers, closeBrowsers := v.browsers()
	defer closeBrowsers()
	options := v.options(log, keys, figures, tracing)
	if err := v.addModels(options); err != nil {
		return err
	}
	run, closeRuns, err := v.openRuns(ctx, log)
	if err != nil {
		return err
	}
	defer closeRuns()
	options.Runs = run
	srv, err := server.New(browsers, options)
	if err != nil {
		return err
	}
	addGauges(figures, srv)
	figures.Gauge("runs_waiting", "Runs that wait for their turn.", func() float64 { waiting, _ := run.Counts(); return float64(waiting) })
	figures.Gauge("runs_working", "Runs at work.", func() float64 { _, working := run.Counts(); return float64(working) })
	listener, err := v.listen(ctx, keys)
	if err != nil {
		return err
	}
	stopMetrics, err := v.serveMetrics(ctx, figures.Handler(), log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer stopMetrics()
	fmt.Fprintf(v.out, "listening at http://%s\n", listener.Addr())
	log.Info("listening", "addr", listener.Addr().String(), "browser", fmt.Sprint(browsers), "keys", len(keys))
	stopReload := v.reloadOnHangup(srv, log)
	defer stopReload()
	handler := tracing.around(srv)
	if len(keys) == 0 {
		handler = byOwnNames(handler)
	}
	worked := make(chan struct{})
	working, stop := context.WithCancel(ctx)
	go func() { defer close(worked); run.Work(working, srv) }()
	err = v.serve(ctx, listener, srv, handler, log)
	stop() // where the port has failed
	<-worked
	return err
}

// openRuns opens the runs that there are from before, if --data says where.
func (v *serving) openRuns(ctx context.Context, log *slog.Logger) (_ *runs.Runs, closeAll func(), err error) {
	store, closeStore := fleet.Store(new(fleet.Memory)), func() {}
	if v.data != "" {
		if err := os.MkdirAll(v.data, 0o700); err != nil {
			return nil, nil, missing(fmt.Errorf("--data: %w", err))
		}
		kept, err := jetstream.Open(ctx, &jetstream.Options{Dir: v.data, Logger: log})
		if err != nil {
			return nil, nil, missing(fmt.Errorf("--data %s: %w", v.data, err))
		}
		store, closeStore = kept, kept.Close
	}
	p := v.policy
	v.runs.Webhooks, v.runs.Logger = &p, log
	r, err := runs.New(ctx, store, &v.runs)
	if err != nil {
		closeStore()
		return nil, nil, err
	}
	return r, func() { r.Close(); closeStore() }, nil
}

// byOwnNames answers only requests that name this machine itself: without keys,
// a web page whose own name was made to stand for the loopback address could
// call the service from a browser on this machine.
func byOwnNames(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !isLoopback(strings.Trim(host, "[]")) {
			http.Error(w, "without keys the service answers to localhost and 127.0.0.1 alone", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// serveMetrics answers with the metrics at an address of their own, if there is
// one.
func (v *serving) serveMetrics(ctx context.Context, figures http.Handler, log *slog.Logger) (stop func(), _ error) {
	if v.metricsAddr == "" {
		return func() {}, nil
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", v.metricsAddr)
	if err != nil {
		return nil, missing(fmt.Errorf("cannot listen at --metrics-addr %s: %w", v.metricsAddr, err))
	}
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", figures)
	h := &http.Server{Handler: routes, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	log.Info("metrics", "addr", l.Addr().String())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the metrics are not served any more", "err", err)
		}
	}()
	return func() {
		_ = h.Close() // nothing is lost: whoever asks, asks again
		<-done
	}, nil
}

// events count sessions as they come and go.
func (v *serving) events(figures *metrics.Metrics) *server.Events {
	return &server.Events{
		Started: func(s server.Start) { figures.SessionStarted(string(s.Failed)) },
		Ended: func(e server.End) {
			figures.SessionEnded(string(e.Reason))
			if e.Reason == server.EndedGone && e.Own {
				figures.BrowserCrashed(ownProcess)
			}
		},
		Waited: func(w server.Wait) { figures.Waited(string(w.Queue), w.Duration) },
	}
}

// addModels makes the operator's models known: by their names, and as that of
// sessions that name none.
func (v *serving) addModels(opts *server.Options) (err error) {
	if !v.chosen {
		return nil
	}
	if opts.Default, err = v.newModel(); err != nil {
		return err
	}
	for name := range strings.SplitSeq(v.model, ",") {
		name = strings.TrimSpace(name)
		m, c, err := v.namedModel(name)
		if err != nil {
			return err
		}
		if c != nil {
			m = sharedLimits.around(m, c)
		}
		opts.Models[name] = m
	}
	return nil
}

func (v *serving) options(log *slog.Logger, keys []server.Key, figures *metrics.Metrics, tracing *tracing) *server.Options {
	p := v.policy
	p.NoGate = v.cdp != "" // a Chrome that runs already takes no proxy
	options := &server.Options{
		Launch: v.launchOwn, Attach: attach, Endpoint: v.endpoint(keys),
		Model: func(r server.ModelRequest) (llm.Model, error) { return openModel(r.Config) },
		Models: map[string]llm.Model{
			wordMatcher: offline.New(),
		},
		Keys: keys, Allow: v.allowed(), Limits: v.limits, Policy: &p,
		Hooks: tracing.hooks(figures.Hooks()), Origins: v.origins, Metrics: figures.Handler(), Logger: log,
		FilesDir: v.files, Ready: v.ready, NoModelAddresses: len(v.denied) > 0,
		Agent: v.agents, AgentHooks: tracing.agentHooks(),
		Events: v.events(figures), MetricsToken: v.metricsToken,
		Served: func(ctx context.Context, s server.Served) {
			figures.Request(s.Route, s.Status, s.Duration)
			nameSpan(ctx, s.Route)
		},
	}
	if v.metricsAddr != "" {
		options.Metrics = nil
	}
	return options
}

// endpoint tells clients where they can attach to their session's browser. A
// Chrome that all share would show each client the others' pages: where clients
// are told apart, none hears of it.
func (v *serving) endpoint(keys []server.Key) func(driver.Browser) string {
	if v.cdp != "" && len(keys) > 0 {
		return nil
	}
	return cdp.Endpoint
}

// ready tells whether a browser can be opened, as far as that shows without
// opening one.
func (v *serving) ready(context.Context) error {
	if v.cdp != "" || v.driver == "memory" {
		return nil
	}
	_, err := cdp.Find()
	return err
}

func addGauges(m *metrics.Metrics, srv *server.Server) {
	m.Gauge("sessions", "Open sessions.", func() float64 { return float64(srv.Load().Sessions) })
	m.Gauge("sessions_working", "Sessions with a request at work or waiting.", func() float64 { return float64(srv.Load().Working) })
	m.Gauge("streams", "Open streams.", func() float64 { return float64(srv.Load().Streams) })
	m.Gauge("starts_waiting", "Requests for a session that wait for another to end.", func() float64 { return float64(srv.Load().Waiting) })
}

// serve answers until ctx ends. Then it refuses new work, lets what is under way
// finish for a while, and closes every browser.
func (v *serving) serve(ctx context.Context, l net.Listener, srv *server.Server, handler http.Handler, log *slog.Logger) error {
	h := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug), // what clients do wrong with TLS and HTTP
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	var err error
	select {
	case <-ctx.Done():
		log.Info("draining", "limit", v.drain)
	case err = <-failed:
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), v.drain)
	defer cancel()
	if late := srv.Shutdown(bounded); late != nil {
		log.Warn("work was cut short", "err", late)
	}
	if late := h.Shutdown(bounded); late != nil {
		_ = h.Close() // connections that do not end by themselves
	}
	log.Info("stopped")
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// reloadOnHangup reads the keys anew at each SIGHUP. Keys that cannot be read
// leave those that are known in force.
func (v *serving) reloadOnHangup(srv *server.Server, log *slog.Logger) (stop func()) {
	hangup := make(chan os.Signal, 1)
	notifyHangup(hangup)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-hangup:
			}
			keys, err := v.readKeys()
			if err != nil {
				log.Error("the keys were not read anew", "err", err)
				continue
			}
			srv.SetKeys(keys)
			log.Info("the keys were read anew", "keys", len(keys))
		}
	}()
	return func() {
		signal.Stop(hangup)
		close(done)
	}
}
