package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/mcp"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/dashboard"
	"github.com/wayfinder-engine/wayfinder/service"
	"github.com/wayfinder-engine/wayfinder/telemetry/metrics"
)

// serving are the flags of serve.
type serving struct {
	*settings
	service      service.Config // as far as flags say it word for word
	cluster      clustering
	addr         string
	config       string
	keysFile     string
	keys         string
	perKey       server.KeyLimits
	clients      []string // what clients may ask for
	logForm      string
	logLevel     string
	traces       string
	denied       []string // what clients may not set
	perChrome    int      // sessions in one Chrome
	plain        bool     // without the page at /
	chiefs       []string // names of operators' keys
	integrations []string
	refuse       []string                       // classes of actions that agents do not do
	profile      struct{ keyFile, keys string } // what encrypts browsers' profiles
	metricsAddr  string
	chosen       bool // the operator has named a model
}

func newServeCommand(s *settings) *cobra.Command {
	v := &serving{settings: s}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve sessions over HTTP",
		Long: `Serves the HTTP interface of Wayfinder: sessions with act, observe, extract, navigate and agents, streamed or not.
/v1/openapi.json describes it, /healthz, /readyz and /metrics tell how it is.

With --model a session needs no modelName: it has that model, with --base-url at that server, as has who asks for it by
its name and without a key. --timeout limits a request whose client names no limit.

Each session is an isolated browser in a Chrome that some share. Where no Chrome is found, pages are opened in memory, without
scripts. Addresses of this machine and its network are refused to sessions; --allow-private says otherwise.

What runs here, how it is confined and what it reads is not the clients' to say. --allow-client leaves them some of
` + strings.Join(clientOptions[:5], ", ") + `,
` + strings.Join(clientOptions[5:], ", ") + `.

Every flag can be set in the environment, as WAYFINDER_MAX_SESSIONS for --max-sessions, and in the file that
--config names, as "max-sessions: 20". SIGHUP reads the keys anew. SIGTERM lets work under way finish.`,
		Example: `  wayfinder serve --driver memory
  wayfinder serve --addr 0.0.0.0:8080 --keys-file /etc/wayfinder/keys
  printf %s "$KEY" | sha256sum >> keys`,
		Args: noArguments,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if v.config == "" {
				v.config = os.Getenv(variableOf("config"))
			}
			if err := configure(cmd.Flags(), v.config, os.LookupEnv); err != nil {
				return err
			}
			v.chosen = cmd.Flags().Changed("model")
			if cmd.Flags().Changed("timeout") {
				v.service.Server.Limits.Step = s.timeout
			}
			return errors.Join(s.check(), v.check())
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			v.chooseDriver(cmd.Flags().Changed("driver"))
			return v.run(cmd.Context())
		},
	}
	v.addFlags(cmd)
	return cmd
}

func (v *serving) addFlags(cmd *cobra.Command) {
	flags, limits, agents := cmd.Flags(), &v.service.Server.Limits, &v.service.Server.Agents
	flags.StringVar(&v.addr, "addr", "127.0.0.1:8080", "where to listen; port 0 is any; others than this machine need keys")
	flags.StringVar(&v.config, "config", "", "YAML `file` of settings, named as the flags are")
	flags.StringVar(&v.keysFile, "keys-file", "", "`file` of the keys that clients show: a SHA-256 in hexadecimal digits and a name a line, as sha256sum writes it")
	flags.StringVar(&v.keys, "keys", "", "the same as a `list` with commas, best set as WAYFINDER_KEYS")
	flags.IntVar(&v.perKey.Sessions, "key-sessions", 0, "sessions that one key may have open; 0 is no limit")
	flags.IntVar(&v.perKey.RequestsPerMinute, "key-requests", 0, "requests a minute of one key; 0 is no limit")
	flags.IntVar(&v.perKey.TokensPerDay, "key-tokens", 0, "models' tokens a day of one key; 0 is no limit")
	flags.Float64Var(&v.perKey.DollarsPerDay, "key-dollars", 0, "models' cost a day of one key, at list prices; 0 is no limit")
	flags.StringSliceVar(&v.clients, "allow-client", nil, "launch options that clients may set, and so run and read here: see above")
	flags.StringSliceVar(&v.denied, "deny-client", nil, "what clients may not set: "+deniable+", the address of a model's server, which this one would call")
	flags.StringVar(&v.metricsAddr, "metrics-addr", "", "serve /metrics at this address, host:port, and nowhere else, to every client that reaches it")
	flags.StringVar(&v.service.Server.Probes.MetricsToken, "metrics-token", "", "serve /metrics to who shows this as Authorization: Bearer, best set as WAYFINDER_METRICS_TOKEN")
	flags.StringVar(&v.service.Server.Browsers.FilesDir, "files", "", "`directory` of files that clients may give to pages; without it, none of this machine")
	flags.IntVar(&limits.Sessions, "max-sessions", 100, "sessions open at once")
	flags.IntVar(&v.perChrome, "sessions-per-browser", 20, "sessions in one Chrome: as many at most are gone when it crashes; another one is started for more")
	flags.IntVar(&limits.StartQueue, "start-queue", 32, "requests for a session that wait for another to end")
	flags.IntVar(&limits.PageQueue, "page-queue", 8, "requests that wait for their turn on a page")
	flags.DurationVar(&limits.Idle, "idle", 10*time.Minute, "a session without work is ended after this time")
	flags.DurationVar(&limits.Lifetime, "lifetime", 6*time.Hour, "every session is ended after this time, once it has no work")
	flags.DurationVar(&limits.Operation, "operation-timeout", 5*time.Minute, "limit for one request's work")
	flags.DurationVar(&agents.RunTime, "agent-timeout", 30*time.Minute, "limit for an agent's whole task")
	flags.IntVar(&agents.Steps, "agent-steps", 0, "steps that an agent's task may have; 0 is what the client asks for")
	flags.IntVar(&agents.Tokens, "agent-tokens", 0, "models' tokens of an agent's task; 0 is no limit")
	flags.Float64Var(&agents.Dollars, "agent-dollars", 0, "models' cost of an agent's task, at list prices; 0 is no limit")
	flags.StringArrayVar(&v.integrations, "mcp", nil, "NAME=ADDRESS: an MCP server, by its URL or its command, whose tools agents get that ask for it by name (may be repeated)")
	flags.StringSliceVar(&v.refuse, "agent-refuse", nil, "refused to agents: "+classNames(agent.Classes()))
	flags.StringVar(&v.service.Dir, "data", "", "`directory` in which runs, replay data, profiles and the use of keys survive a restart; without it they are in memory")
	flags.BoolVar(&v.service.AcceptLoss, "accept-loss", false, "start although records in --data are damaged in both copies: runs that are not over are ended as failed")
	flags.StringVar(&v.service.TraceDir, "keep-traces", "", "`directory` of traces of sessions that ask for one (trace: true), for a week, up to 1 GiB; nodes may share it")
	flags.StringSliceVar(&v.cluster.Peers, "peer", nil, "host:port of each node's records, this one's too: several nodes serve as one, see --node-addr")
	flags.StringVar(&v.cluster.Listen, "node-addr", "", "which of --peer this node is, host:port; it listens there to the others")
	flags.StringVar(&v.cluster.NATS, "cluster", "", "records are kept by servers of NATS with JetStream that run already, as nats://host:4222, in place of --peer")
	flags.StringVar(&v.cluster.Address, "advertise", "", "host:port at which the other nodes reach this one's --addr; that itself if it names a host")
	flags.StringVar(&v.cluster.Secret, "cluster-secret", "", "that the nodes share, best set as WAYFINDER_CLUSTER_SECRET")
	flags.StringToStringVar(&v.cluster.Labels, "label", nil, "NAME=VALUE of this node, which sessions may ask for; may be repeated")
	flags.IntVar(&v.service.Runs.Workers, "runs", 4, "runs at work at once")
	flags.IntVar(&v.service.Runs.Running, "key-runs", 0, "runs of one key at work at once; 0 is no limit")
	flags.BoolVar(&v.service.Attach, "attach", false, "give each session a cdpUrl, at which clients of the DevTools protocol attach to its pages and to no others")
	flags.StringVar(&v.service.AttachBase, "attach-base", "", "this service's `address` in a cdpUrl, as wss://host; without it the one that the client asked at, as ws://")
	flags.BoolVar(&v.plain, "no-dashboard", false, "do not serve the page at /, at which sessions, runs and nodes are looked at")
	flags.StringSliceVar(&v.chiefs, "operator", nil, "`name` of a key that sees the sessions and runs of all keys, and the nodes; may be repeated")
	flags.StringVar(&v.profile.keyFile, "profile-key-file", "", "`file` of keys for profiles and runs' values, 32 bytes in base64 a line (openssl rand -base64 32); first writes, all read")
	flags.StringVar(&v.profile.keys, "profile-key", "", "the same as a `list` with commas, best set as WAYFINDER_PROFILE_KEY; without one: no profiles, no variables of runs")
	flags.Int64Var(&limits.Body, "max-body", 1<<20, "bytes of a request")
	flags.StringSliceVar(&v.service.Server.Origins, "cors-origin", nil, "let scripts of this web origin call; may be repeated")
	flags.DurationVar(&v.service.Drain, "drain", 30*time.Second, "how long work under way may take at the end")
	flags.StringVar(&v.logForm, "log", "text", "form of the log on standard error: text or json")
	flags.StringVar(&v.logLevel, "log-level", "info", "debug, info, warn or error")
	flags.StringVar(&v.traces, "otlp", "", "send traces to this `address`, as http://127.0.0.1:4318, by OTLP over HTTP; the variables of OpenTelemetry are honoured too")
}

// deniable is what an operator may take from clients.
const deniable = "modelBaseURL"

// clientOptions are what an operator may leave to clients.
var clientOptions = []string{
	"executablePath", "args", "ignoreDefaultArgs", "chromiumSandbox", "userDataDir", "preserveUserDataDir", "port", "downloadsPath", "cdpUrl", "pageTools",
}

func (v *serving) check() error {
	config, limits, agents := &v.service, &v.service.Server.Limits, &v.service.Server.Agents
	for _, name := range v.clients {
		if !slices.Contains(clientOptions, name) {
			return usage("--allow-client %q: there are %s", name, strings.Join(clientOptions, ", "))
		}
	}
	v.offers = slices.Contains(v.clients, "pageTools")
	for _, name := range v.denied {
		if name != deniable {
			return usage("--deny-client %q: there is %s", name, deniable)
		}
	}
	switch {
	case v.baseURL != "" && !v.chosen:
		return usage("--base-url needs --model, as --model openai/NAME")
	case v.metricsAddr != "" && config.Server.Probes.MetricsToken != "":
		return usage("--metrics-addr and --metrics-token: choose one")
	}
	for name, n := range map[string]int{
		"max-sessions": limits.Sessions, "max-body": int(limits.Body), "idle": int(limits.Idle),
		"lifetime": int(limits.Lifetime), "operation-timeout": int(limits.Operation), "drain": int(config.Drain), "runs": config.Runs.Workers,
		"sessions-per-browser": v.perChrome,
	} {
		if n <= 0 {
			return usage("--%s: it is above zero", name)
		}
	}
	var err error
	if agents.Refuse, err = parseClasses("--agent-refuse", v.refuse); err != nil {
		return err
	}
	if agents.Steps < 0 || agents.Tokens < 0 || agents.Dollars < 0 || agents.RunTime <= 0 {
		return usage("--agent-timeout is above zero, --agent-steps, --agent-tokens and --agent-dollars are zero or more")
	}
	if err := v.cluster.check(v.addr); err != nil {
		return err
	}
	if base := config.AttachBase; base != "" && (!config.Attach || !strings.HasPrefix(base, "ws://") && !strings.HasPrefix(base, "wss://")) {
		return usage("--attach-base %q: it is ws://… or wss://…, and goes with --attach", base)
	}
	if config.Attach && v.cdp != "" {
		return usage("--attach and --cdp: in a Chrome that runs already clients attach there")
	}
	if config.Runs.Running < 0 {
		return usage("--key-runs: it is zero or more")
	}
	switch {
	case v.logForm != "text" && v.logForm != "json":
		return usage("--log %q: it is text or json", v.logForm)
	case limits.StartQueue < 0 || limits.PageQueue < 0:
		return usage("a queue's length is zero or more")
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(v.logLevel)); err != nil {
		return usage("--log-level %q: it is debug, info, warn or error", v.logLevel)
	}
	files := config.Server.Browsers.FilesDir
	if info, err := os.Stat(files); files != "" && (err != nil || !info.IsDir()) {
		return usage("--files %s: there is no such directory", files)
	}
	// Zero means "the default" to the server, and "none" here.
	if limits.StartQueue == 0 {
		limits.StartQueue = -1
	}
	if limits.PageQueue == 0 {
		limits.PageQueue = -1
	}
	return nil
}

// listen opens the port. Without keys only this machine may use it.
func (v *serving) listen(ctx context.Context, keys []server.Key) (net.Listener, error) {
	host, _, err := net.SplitHostPort(v.addr)
	if err != nil {
		return nil, usage("--addr %q: write host:port, as 127.0.0.1:8080", v.addr)
	}
	if len(keys) == 0 && !service.IsLoopback(host) {
		return nil, usage("--addr %s: others than this machine could use it, so keys are needed: --keys-file, or WAYFINDER_KEYS", v.addr)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", v.addr)
	if err != nil {
		return nil, missing(fmt.Errorf("cannot listen at %s: %w", v.addr, err))
	}
	return l, nil
}

// logger is what serve writes its log with.
func (v *serving) logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(v.logLevel)) // check has seen it
	opts := &slog.HandlerOptions{Level: level}
	if v.logForm == "json" {
		return slog.New(slog.NewJSONHandler(v.err, opts))
	}
	return slog.New(slog.NewTextHandler(v.err, opts))
}

// readKeys returns the keys of the file and of the list.
func (v *serving) readKeys() ([]server.Key, error) {
	keys, err := server.ParseKeys(strings.NewReader(strings.ReplaceAll(v.keys, ",", "\n")))
	if err != nil {
		return nil, usage("--keys: %v", err)
	}
	if v.keysFile != "" {
		file, err := os.Open(v.keysFile)
		if err != nil {
			return nil, missing(fmt.Errorf("the keys cannot be read: %w", err))
		}
		defer file.Close()
		more, err := server.ParseKeys(file)
		if err != nil {
			return nil, usage("%s: %v", v.keysFile, err)
		}
		if len(more) == 0 {
			// A file was named, so keys are wanted: an empty one must not open the
			// service to all.
			return nil, usage("%s has no key", v.keysFile)
		}
		keys = append(keys, more...)
	}
	known := map[string]bool{}
	for i := range keys {
		keys[i].Limits = v.perKey
		keys[i].Operator = slices.Contains(v.chiefs, keys[i].Name)
		known[keys[i].Name] = true
	}
	for _, name := range v.chiefs {
		if !known[name] {
			return nil, usage("--operator %s: no key has this name", name)
		}
	}
	return keys, nil
}

// newHealthCommand is what a container's health check runs.
func newHealthCommand(s *settings) *cobra.Command {
	addr := cmp.Or(os.Getenv(variableOf("addr")), "127.0.0.1:8080")
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a service on this machine whether it is ready",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// What listens at every address is asked at this machine's own.
			host := strings.NewReplacer("0.0.0.0:", "127.0.0.1:", "[::]:", "[::1]:").Replace(addr)
			if strings.HasPrefix(host, ":") {
				host = "127.0.0.1" + host
			}
			client := http.Client{Timeout: min(s.timeout, 3*time.Second)}
			response, err := client.Get("http://" + host + "/readyz")
			if err != nil {
				return missing(fmt.Errorf("nothing answers: %w", err))
			}
			defer response.Body.Close()
			body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
			if err != nil {
				return missing(err)
			}
			fmt.Fprintf(s.out, "%s\n", strings.TrimSpace(string(body)))
			if response.StatusCode != http.StatusOK {
				return missing(fmt.Errorf("it is not ready: %s", response.Status))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&addr, "addr", addr, "where it listens")
	return cmd
}

// chooseDriver takes the browser in memory where no driver was asked for and no
// Chrome is there.
func (v *serving) chooseDriver(asked bool) {
	if asked || v.cdp != "" {
		return
	}
	if _, err := cdp.Find(); err != nil {
		v.driver = inMemory
		v.logger().Warn("no Chrome was found: pages are opened in memory, and their scripts are not run")
	}
}

// chromes returns the processes that sessions share, none of them started. The caller
// closes it.
func (v *serving) chromes() *service.Chromes {
	shared := &service.Chromes{Launch: cdp.Launch{Headed: v.headed, Logger: v.logger()}, PerProcess: v.perChrome}
	if v.offers {
		shared.Launch.Args = []string{"--enable-features=WebMCP"} // for sessions that ask for it: see BrowserOptions.PageTools
	}
	return shared
}

// driverOr returns what opens the sessions' browsers: the driver that a flag names, or
// shared Chromes.
func (v *serving) driverOr(shared *service.Chromes) driver.Driver {
	switch {
	case v.cdp != "":
		return cdp.Attach{URL: v.cdp, Isolated: true, Logger: v.logger()}
	case v.driver != inChrome:
		return v.newDriver()
	}
	return shared
}

// allowed is what clients may ask for.
func (v *serving) allowed() server.Allow {
	may := func(name string) bool { return slices.Contains(v.clients, name) }
	return server.Allow{
		ExecutablePath: may("executablePath"), Args: may("args"), IgnoreDefaultArgs: may("ignoreDefaultArgs"),
		ChromiumSandbox: may("chromiumSandbox"), UserDataDir: may("userDataDir"), PreserveUserDataDir: may("preserveUserDataDir"),
		Port: may("port"), DownloadsPath: may("downloadsPath"), CDPURL: may("cdpUrl"), PageTools: may("pageTools"),
	}
}

// profileKeys returns what encrypts profiles; nil: there is no key.
func (v *serving) profileKeys() (*server.SealingKeys, error) {
	text := v.profile.keys
	if v.profile.keyFile == "" && text == "" {
		return nil, nil
	}
	if v.profile.keyFile != "" {
		raw, err := os.ReadFile(v.profile.keyFile)
		if err != nil {
			return nil, missing(fmt.Errorf("the keys of profiles cannot be read: %w", err))
		}
		text = string(raw) + "\n" + text
	}
	keys, err := server.ParseSealingKeys(strings.NewReader(text))
	if err != nil {
		return nil, usage("--profile-key-file, --profile-key: %v", err)
	}
	return keys, nil
}

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
		err = fmt.Errorf("%w; runs that were at work may have done what is not known any more: put a backup of %s in its place, or start once with --accept-loss, which ends them as failed and goes on with what is left", err, config.Dir)
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
		one, err := newIntegration(given, address, &mcp.Options{Name: name, Logger: options.Logger})
		if err != nil {
			return done, err
		}
		servers, options.Agents.Integrations[name] = append(servers, one), one
	}
	return done, nil
}

// configuration is the service that the flags ask for.
func (v *serving) configuration(log *slog.Logger, keys []server.Key, chromes *service.Chromes) (service.Config, error) {
	config := v.service
	var err error
	if config.Keys, err = v.profileKeys(); err != nil {
		return config, err
	}
	if v.cluster.several() {
		cluster := service.Cluster(v.cluster)
		config.Cluster = &cluster
	}
	config.Trace = server.TraceOptions{Secrets: keysOf(os.Environ()), Version: version().Version}
	config.Metrics, config.Driver = chromes.Metrics, v.driverOr(chromes)
	o := &config.Server
	o.Browsers.Policy, o.Keys, o.Allow, o.Logger = v.gatedPolicy(), keys, v.allowed(), log
	o.Models = server.Models{
		Make:        func(r server.ModelRequest) (llm.Model, error) { return openModel(r.Config) },
		Named:       map[string]llm.Model{wordMatcher: offline.New()},
		NoAddresses: len(v.denied) > 0,
	}
	if v.cdp != "" {
		o.Browsers.Launch = chromes.Own
		// A Chrome that all share would show each client the others' pages. So where
		// clients have keys, the address of no Chrome is given out.
		if len(keys) == 0 {
			o.Browsers.Endpoint = cdp.Endpoint
		}
	}
	if v.metricsAddr == "" {
		o.Probes.Metrics = chromes.Metrics.Handler()
	}
	if !v.plain {
		o.Parts.Dashboard = dashboard.New()
	}
	return config, v.addModels(o)
}

// clustering are the flags of a node.
type clustering service.Cluster

// several reports whether this process is a node of several.
func (c *clustering) several() bool { return len(c.Peers) > 0 || c.NATS != "" }

// check refuses what no node can be. addr is where the service listens.
func (c *clustering) check(addr string) error {
	switch {
	case !c.several() && (c.Listen != "" || c.Address != "" || c.Secret != "" || len(c.Labels) > 0):
		return usage("--node-addr, --advertise, --cluster-secret and --label are for several nodes: name them by --peer, or the servers of NATS by --cluster")
	case !c.several():
		return nil
	case len(c.Peers) > 0 && c.NATS != "":
		return usage("--peer and --cluster: choose one")
	case c.NATS != "" && c.Listen != "":
		return usage("--node-addr goes with --peer: with --cluster the servers of NATS have addresses of their own")
	case c.Secret == "":
		return usage("several nodes share a secret: set WAYFINDER_CLUSTER_SECRET, the same at each, as openssl rand -hex 32 gives one")
	}
	for i, peer := range c.Peers {
		if !isHostPort(peer) {
			return usage("--peer %q: write host:port, as node-1:7101", peer)
		}
		if slices.Contains(c.Peers[:i], peer) {
			return usage("--peer %s is there twice: each node has an address of its own", peer)
		}
	}
	if len(c.Peers) > 0 && !slices.Contains(c.Peers, c.Listen) {
		return usage("--node-addr %q: it is the one of --peer that this node is: %s", c.Listen, strings.Join(c.Peers, ", "))
	}
	if len(c.Peers) == 1 {
		return usage("--peer names this node alone: name the others, too, or for one node leave --peer and --node-addr out")
	}
	for server := range strings.SplitSeq(c.NATS, ",") {
		if u, err := url.Parse(strings.TrimSpace(server)); c.NATS != "" && (err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme)) {
			return usage("--cluster: write addresses as nats://host:4222, with commas between them") // not what was given: it may hold a password
		}
	}
	if c.Address != "" && !isHostPort(c.Address) {
		return usage("--advertise %q: write the host:port at which the other nodes reach this one", c.Address)
	}
	host, _, err := net.SplitHostPort(cmp.Or(c.Address, addr))
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return usage("--advertise is needed: no other node reaches this one at %s; write the host:port at which the others do", cmp.Or(c.Address, addr))
	}
	for name := range c.Labels {
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
		if opts.Models.Named[name], err = v.sharedModel(name); err != nil {
			return err
		}
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

// startTracing begins to send spans, if an address is given by the flag or by
// the usual variables.
func (v *serving) startTracing(ctx context.Context, log *slog.Logger) (*tracing, error) {
	var opts []otlptracehttp.Option
	switch {
	case v.traces != "":
		address, err := tracesAt(v.traces)
		if err != nil {
			return nil, err
		}
		opts = append(opts, otlptracehttp.WithEndpointURL(address))
	case os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "":
		return &tracing{}, nil
	}
	// What cannot be sent is a line of the log, in the log's form.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces were not sent", "err", err) }))
	exporter, err := otlptracehttp.New(ctx, opts...)
	if err != nil {
		return nil, usage("--otlp %s: %v", v.traces, err)
	}
	// OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
	about, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName("wayfinder")), resource.WithFromEnv())
	if err != nil {
		return nil, usage("the resource of OpenTelemetry: %v", err)
	}
	return &tracing{trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))}, nil
}
