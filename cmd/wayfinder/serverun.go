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
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/mcp"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/dashboard"
	"github.com/wayfinder-engine/wayfinder/service"
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
	tracing, err := v.startTracing(ctx, log)
	if err != nil {
		return err
	}
	defer tracing.stop(log)
	chromes := v.chromes()
	defer chromes.Close()
	chromes.Metrics = figures
	config, err := v.configuration(log, keys, chromes)
	if err != nil {
		return err
	}
	closeIntegrations, err := v.addIntegrations(&config.Server)
	defer closeIntegrations()
	if err != nil {
		return err
	}
	if tracing.provider != nil {
		config.Tracer = tracing.provider
	}
	listener, err := v.listen(ctx, keys)
	if err != nil {
		return err
	}
	if config.Cluster != nil && config.Cluster.Address == "" {
		config.Cluster.Address = listener.Addr().String()
	}
	s, err := service.Open(ctx, config)
	if errors.Is(err, service.ErrDamaged) {
		err = fmt.Errorf("%w; runs that were at work may have done what is not known any more: put a backup of %s in its place, or start once with --accept-loss, which ends them as failed and goes on with what is left", err, v.data)
	}
	if err != nil {
		return errors.Join(missing(err), listener.Close())
	}
	defer s.Close()
	stopMetrics, err := v.serveMetrics(ctx, figures.Handler(), log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer stopMetrics()
	fmt.Fprintf(v.out, "listening at http://%s\n", listener.Addr())
	log.Info("listening", "addr", listener.Addr().String(), "browser", fmt.Sprint(config.Driver), "keys", len(keys))
	stopReload := v.reloadOnHangup(s, log)
	defer stopReload()
	return s.Serve(ctx, listener)
}

// addIntegrations sets up the MCP servers whose tools clients' agents may ask for, until
// done. They are connected when an agent first needs one.
func (v *serving) addIntegrations(options *server.Options) (done func(), _ error) {
	var servers []*mcp.Server
	done = func() {
		for _, s := range servers {
			s.Close() // no agent is at work any more
		}
	}
	options.Agents.Integrations = map[string]agent.Integration{}
	for _, given := range v.integrations {
		name, address, ok := strings.Cut(given, "=")
		if !ok || name == "" || options.Agents.Integrations[name] != nil {
			return done, usage("--mcp %q: write NAME=ADDRESS, each name once, as tickets=https://mcp.example/mcp", given)
		}
		endpoint, err := mcp.Parse(address)
		if err != nil {
			return done, usage("--mcp %q: %v", given, err)
		}
		one, err := mcp.New(endpoint, &mcp.Options{Name: name, Logger: options.Logger})
		if err != nil {
			return done, usage("--mcp %q: %v", given, err)
		}
		servers, options.Agents.Integrations[name] = append(servers, one), one
	}
	return done, nil
}

// configuration is the service that the flags ask for.
func (v *serving) configuration(log *slog.Logger, keys []server.Key, chromes *service.Chromes) (service.Config, error) {
	p := v.policy
	p.NoGate = v.cdp != "" // a Chrome that runs already takes no proxy
	profileKeys, err := v.profileKeys()
	if err != nil {
		return service.Config{}, err
	}
	config := service.Config{
		Server: server.Options{
			Browsers: server.Browsers{Policy: &p, FilesDir: v.files},
			Models: server.Models{
				Make:        func(r server.ModelRequest) (llm.Model, error) { return openModel(r.Config) },
				Named:       map[string]llm.Model{wordMatcher: offline.New()},
				NoAddresses: len(v.denied) > 0,
			},
			Agents: v.agents, Keys: keys, Allow: v.allowed(), Limits: v.limits, Origins: v.origins, Logger: log,
			Probes: server.Probes{MetricsToken: v.metricsToken},
		},
		Dir: v.data, AcceptLoss: v.acceptLoss, Cluster: v.cluster.config(), Runs: v.runs, Keys: profileKeys,
		TraceDir: v.keep, Trace: server.TraceOptions{Secrets: keysOf(os.Environ()), Version: version().Version},
		Attach: v.attach, AttachBase: v.public, Metrics: chromes.Metrics, Drain: v.drain, Driver: v.driverOr(chromes),
	}
	if v.cdp != "" {
		config.Server.Browsers.Launch = chromes.Own
		// A Chrome that all share would show each client the others' pages. So where
		// clients have keys, the address of no Chrome is given out.
		if len(keys) == 0 {
			config.Server.Browsers.Endpoint = cdp.Endpoint
		}
	}
	if v.metricsAddr == "" {
		config.Server.Probes.Metrics = chromes.Metrics.Handler()
	}
	if !v.plain {
		config.Server.Parts.Dashboard = dashboard.New()
	}
	return config, v.addModels(&config.Server)
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
		return usage("--advertise is needed: no other node reaches this one at %s; write the host:port at which the others do", cmp.Or(c.advertise, addr))
	}
	for name := range c.labels {
		if name == "" {
			return usage("--label: write NAME=VALUE, as zone=north")
		}
	}
	return nil
}

// config is the node that the flags ask for; nil: the service is alone.
func (c *clustering) config() *service.Cluster {
	if !c.several() {
		return nil
	}
	return &service.Cluster{Peers: c.peers, Listen: c.listen, NATS: c.nats, Secret: c.secret, Address: c.advertise, Labels: c.labels}
}

// isHostPort reports whether an address can be dialed.
func isHostPort(address string) bool {
	host, port, err := net.SplitHostPort(address)
	n, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && host != "" && bad == nil && n > 0
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
		_ = h.Close() // nothing is lost: a client sends its request again
		<-done
	}, nil
}

// addModels makes the operator's models known: by their names, and as that of
// sessions that name none.
func (v *serving) addModels(opts *server.Options) (err error) {
	if !v.chosen {
		return nil
	}
	if opts.Models.Default, err = v.newModel(); err != nil {
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
		opts.Models.Named[name] = m
	}
	return nil
}

// reloadOnHangup reads the keys anew at each SIGHUP. Keys that cannot be read
// leave those that are known in force.
func (v *serving) reloadOnHangup(s *service.Service, log *slog.Logger) (stop func()) {
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
			s.SetKeys(keys)
			log.Info("the keys were read anew", "keys", len(keys))
		}
	}()
	return func() {
		signal.Stop(hangup)
		close(done)
	}
}
