package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/dashboard"
	"github.com/wayfinder-engine/wayfinder/server/guests"
	"github.com/wayfinder-engine/wayfinder/server/nodes"
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
	listener, err := v.listen(ctx, keys)
	if err != nil {
		return err
	}
	store, closeStore, err := v.openStore(ctx, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer closeStore()
	run, err := v.openRuns(ctx, store, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer run.Close()
	options.Runs = run
	node, err := v.joinNodes(ctx, store, listener.Addr().String(), log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if node != nil {
		options.Elsewhere = node
		options.Limits.StartQueue = -1 // another node may have room
	}
	closeKept, err := v.openKept(ctx, store, node, options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer closeKept()
	var visitors *guests.Guests
	if v.attach {
		visiting := &guests.Options{Base: v.public, Logger: log}
		if node != nil {
			visiting.Elsewhere = node
		}
		visitors = guests.New(visiting)
		options.Guests = visitors.Open
	}
	srv, err := server.New(browsers, options)
	if err != nil {
		return err
	}
	addGauges(figures, srv)
	figures.Gauge("runs_waiting", "Runs that wait for their turn.", func() float64 { waiting, _ := run.Counts(); return float64(waiting) })
	figures.Gauge("runs_working", "Runs at work.", func() float64 { _, working := run.Counts(); return float64(working) })
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
	if node != nil {
		handler = tracing.around(node.Handler(srv))
		defer keepNode(ctx, node, srv)()
	}
	if visitors != nil {
		var beside http.Handler = visitors
		if node != nil {
			beside = node.Handler(visitors)
		}
		handler = besides(handler, beside)
	}
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

// clustering are the flags of a node.
type clustering struct {
	peers     []string
	listen    string
	nats      string
	advertise string
	secret    string
	labels    map[string]string
}

// several reports whether this process is a node of several.
func (c *clustering) several() bool { return len(c.peers) > 0 || c.nats != "" }

// check refuses what no node can be. addr is where the service listens.
func (c *clustering) check(addr string) error {
	switch {
	case !c.several() && (c.listen != "" || c.advertise != "" || c.secret != "" || len(c.labels) > 0):
		return usage("--node-addr, --advertise, --cluster-secret and --label are for several nodes: name them by --peer, or the servers of NATS by --cluster")
	case !c.several():
		return nil
	case len(c.peers) > 0 && c.nats != "":
		return usage("--peer and --cluster: choose one")
	case c.nats != "" && c.listen != "":
		return usage("--node-addr goes with --peer: with --cluster the servers of NATS have addresses of their own")
	case c.secret == "":
		return usage("several nodes share a secret: set WAYFINDER_CLUSTER_SECRET, the same at each, as openssl rand -hex 32 gives one")
	}
	for i, peer := range c.peers {
		if !isHostPort(peer) {
			return usage("--peer %q: write host:port, as node-1:7101", peer)
		}
		if slices.Contains(c.peers[:i], peer) {
			return usage("--peer %s is there twice: each node has an address of its own", peer)
		}
	}
	if len(c.peers) > 0 && !slices.Contains(c.peers, c.listen) {
		return usage("--node-addr %q: it is the one of --peer that this node is: %s", c.listen, strings.Join(c.peers, ", "))
	}
	if len(c.peers) == 1 {
		return usage("--peer names this node alone: name the others, too, or for one node leave --peer and --node-addr out")
	}
	for server := range strings.SplitSeq(c.nats, ",") {
		if u, err := url.Parse(strings.TrimSpace(server)); c.nats != "" && (err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme)) {
			return usage("--cluster: write addresses as nats://host:4222, with commas between them") // not what was given: it may hold a password
		}
	}
	if c.advertise != "" && !isHostPort(c.advertise) {
		return usage("--advertise %q: write the host:port at which the other nodes reach this one", c.advertise)
	}
	host, _, err := net.SplitHostPort(cmp.Or(c.advertise, addr))
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return usage("--advertise is needed: nobody reaches this node at %s; write the host:port at which the others do", cmp.Or(c.advertise, addr))
	}
	for name := range c.labels {
		if name == "" {
			return usage("--label: write NAME=VALUE, as zone=north")
		}
	}
	return nil
}

// isHostPort reports whether an address can be dialed.
func isHostPort(address string) bool {
	host, port, err := net.SplitHostPort(address)
	n, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && host != "" && bad == nil && n > 0
}

// joinTime is how long a node waits for enough of the others.
const joinTime = 5 * time.Minute

// runTerm is after how long the runs of a node are gone on with that is not heard
// of, where there are several.
const runTerm = 3 * time.Second

// openStore opens the records, those from before if --data says where.
func (v *serving) openStore(ctx context.Context, log *slog.Logger) (_ fleet.Store, closeStore func(), err error) {
	if !v.cluster.several() && v.data == "" {
		return new(fleet.Memory), func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	var kept *jetstream.Store
	switch c := &v.cluster; {
	case c.nats != "":
		kept, err = jetstream.Connect(ctx, c.nats, log)
	case len(c.peers) > 0:
		log.Info("waiting for the other nodes", "peers", c.peers)
		kept, err = jetstream.Open(ctx, &jetstream.Options{Dir: v.data, Logger: log, Cluster: &jetstream.Cluster{
			Name: strings.NewReplacer(".", "-", ":", "-", "[", "", "]", "").Replace(c.listen), Listen: c.listen, Peers: c.peers, Secret: c.secret, Nodes: min(3, len(c.peers)),
		}})
	default:
		// A run that goes on relies on what was written before each effect, also after
		// the machine lost its power. Of several nodes, the others have it.
		kept, err = jetstream.Open(ctx, &jetstream.Options{Dir: v.data, Sync: -1, Logger: log})
	}
	if err != nil {
		return nil, nil, missing(fmt.Errorf("the records cannot be opened: %w", err))
	}
	v.runs.Alone = kept.Alone()
	return kept, kept.Close, nil
}

// openRuns opens the runs that there are from before.
func (v *serving) openRuns(ctx context.Context, store fleet.Store, log *slog.Logger) (*runs.Runs, error) {
	keys, err := v.profileKeys()
	if err != nil {
		return nil, err
	}
	if keys != nil {
		v.runs.Sealer = keys
	}
	p := v.policy
	v.runs.Webhooks, v.runs.Logger = &p, log
	if v.cluster.several() {
		v.runs.Term = runTerm
	}
	return runs.New(ctx, store, &v.runs)
}

// joinNodes makes this process a node of several; nil: it is alone.
func (v *serving) joinNodes(ctx context.Context, store fleet.Store, addr string, log *slog.Logger) (*nodes.Node, error) {
	c := &v.cluster
	if !c.several() {
		return nil, nil
	}
	return nodes.Join(ctx, store, &nodes.Options{Address: cmp.Or(c.advertise, addr), Secret: c.secret, Labels: c.labels, Capacity: v.limits.Sessions, Logger: log})
}

// leaveTime is how long a node may take to say that it leaves.
const leaveTime = 5 * time.Second

// keepNode keeps a node known, has no sessions placed at it once ctx ends, and
// leaves at the end, which is done.
func keepNode(ctx context.Context, node *nodes.Node, srv *server.Server) (done func()) {
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	all.Go(func() { node.Keep(keeping, srv) })
	drained := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		defer close(drained)
		bounded, cancel := context.WithTimeout(keeping, leaveTime)
		defer cancel()
		node.Drain(bounded)
	})
	return func() {
		if !release() {
			<-drained
		}
		stop()
		all.Wait()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
		defer cancel()
		node.Close(bounded)
	}
}

// besides serves who attaches to a browser beside what h serves. It is in no
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
	if !v.plain {
		options.Dashboard = dashboard.New()
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
