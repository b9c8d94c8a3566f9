package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/mcp"
	"github.com/wayfinder-engine/wayfinder/service"
)

// mcpFlags are what mcp has beside the common flags.
type mcpFlags struct {
	serving
	http    string // address; empty is standard input and output
	approve []string
	tools   []string // hosts whose pages may offer some
	options mcp.Options
}

func newMCPCommand(s *settings) *cobra.Command {
	f := &mcpFlags{serving: serving{settings: s, logForm: "text", logLevel: "warn"}}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Be a browser for other agents, over the Model Context Protocol",
		Long: `Serves the engine as tools of the Model Context Protocol: over standard input and output for the program that starts it,
or over HTTP with --http. Each session is an isolated browser in one Chrome, which starts when it is needed.

What --approve names is asked about before an agent does it, through the client:
` + classNames(agent.Classes()) + `.
Where the client cannot ask, that is refused.`,
		Example: `  wayfinder mcp --model anthropic/claude-sonnet-5
  wayfinder mcp --http 127.0.0.1:8090 --keys-file /etc/wayfinder/keys
  {"mcpServers": {"wayfinder": {"command": "wayfinder", "args": ["mcp"]}}}`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.chooseDriver(cmd.Flags().Changed("driver"))
			return f.serve(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.http, "http", "", "serve over HTTP at this `address`, host:port; others than this machine need keys")
	flags.StringVar(&f.keysFile, "keys-file", "", "`file` of the keys that clients show over HTTP, as for serve")
	flags.StringVar(&f.keys, "keys", "", "the same as a `list` with commas, best set as WAYFINDER_KEYS")
	flags.StringSliceVar(&f.approve, "approve", nil, "classes of actions that an agent asks about: see above")
	flags.StringSliceVar(&f.tools, "page-tools", nil, "`host` whose pages may offer tools of their own (WebMCP), to agents and by call_page_tool; * is all; may be repeated")
	flags.IntVar(&f.options.Sessions, "max-sessions", 8, "sessions that one caller may have open")
	flags.StringVar(&f.traces, "otlp", "", "send traces to this `address`, as http://127.0.0.1:4318, by OTLP over HTTP; the variables of OpenTelemetry are honoured too")
	flags.DurationVar(&f.options.Idle, "idle", 10*time.Minute, "a session without calls is ended after this time")
	return cmd
}

func (f *mcpFlags) serve(ctx context.Context) error {
	if f.options.Sessions <= 0 || f.options.Idle <= 0 {
		return usage("--max-sessions and --idle are above zero")
	}
	classes, err := parseClasses("--approve", f.approve)
	if err != nil {
		return err
	}
	model, err := f.newModel()
	if err != nil {
		return err
	}
	keys, err := f.readKeys()
	if err != nil {
		return err
	}
	f.options.Version, f.options.Logger = version().Version, f.logger()
	tracing, err := f.startTracing(ctx, f.options.Logger)
	if err != nil {
		return err
	}
	defer tracing.stop(f.options.Logger)
	f.offers = len(f.tools) > 0
	chromes := f.chromes()
	defer chromes.Close()
	browsers := f.driverOr(chromes)
	hooks, agentHooks, toolCalls := tracing.spans()
	f.options.Agent, f.options.Began = agent.Config{NeedApproval: classes, PageTools: f.tools, Hooks: agentHooks}, toolCalls
	if _, err := agent.New(f.options.Agent); err != nil {
		return usage("--page-tools: %v", err)
	}
	f.options.Owner = ownerOf(keys)
	f.options.Open = func(ctx context.Context) (*engine.Session, error) {
		opts := &engine.Options{Model: model, Timeout: f.timeout, Policy: f.policyFor(), Hooks: hooks, File: f.file()}
		opts.Browser.PageTools = f.offers
		return engine.Open(ctx, browsers, opts)
	}
	srv, err := mcp.New(f.options)
	if err != nil {
		return err
	}
	if f.http == "" {
		err = srv.Serve(ctx, io.NopCloser(f.in), nopCloser{f.out})
	} else {
		err = f.serveMCP(ctx, srv, keys)
	}
	return errors.Join(err, srv.Close())
}

// policyFor is the policy of a session: over HTTP the service's, as its clients are
// not the operator; else that of the commands.
func (f *mcpFlags) policyFor() *engine.Policy {
	if f.http == "" {
		return f.policyOf()
	}
	return f.gatedPolicy()
}

// file decides which files of this machine may be given to pages. A client that
// started this program may give its own.
func (f *mcpFlags) file() func(path string) error {
	if f.http == "" {
		return nil
	}
	return func(string) error { return errors.New("this server gives no files to pages") }
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// ownerOf tells callers apart by the keys that they show; nil if there are none.
func ownerOf(keys []server.Key) func(http.Header) (string, error) {
	if len(keys) == 0 {
		return nil
	}
	return func(h http.Header) (string, error) {
		_, shown, _ := strings.Cut(h.Get("Authorization"), " ")
		digest := sha256.Sum256([]byte(strings.TrimSpace(shown)))
		owner := ""
		for _, k := range keys { // to the end: the time must not tell which fits
			if subtle.ConstantTimeCompare(k.Digest[:], digest[:]) == 1 {
				owner = fmt.Sprintf("%x", k.Digest)
			}
		}
		if owner == "" {
			return "", errors.New("a key that is known here is needed, as Authorization: Bearer")
		}
		return owner, nil
	}
}

// serveMCP serves over HTTP until ctx ends.
func (f *mcpFlags) serveMCP(ctx context.Context, srv *mcp.Server, keys []server.Key) error {
	f.addr = f.http
	listener, err := f.listen(ctx, keys)
	if err != nil {
		return err
	}
	handler := srv.Handler()
	if len(keys) == 0 {
		handler = service.LoopbackOnly(handler)
	}
	h := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	fmt.Fprintf(f.out, "listening at http://%s\n", listener.Addr())
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case <-ctx.Done():
		return h.Close()
	case err := <-failed:
		return fmt.Errorf("mcp: %w", err)
	}
}
