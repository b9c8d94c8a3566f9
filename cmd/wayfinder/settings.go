package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
	"github.com/wayfinder-engine/wayfinder/trace"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// settings are the flags that all commands share.
type settings struct {
	streams
	modelFlags
	json    bool
	driver  string
	cdp     string
	timeout time.Duration
	headed  bool
	policy  engine.Policy
	cache   engine.Cache // of act; nil without
	waits   []engine.Condition
	offers  bool // pages may offer tools
	dialogs bool // confirm and prompt of pages are accepted
	tracing traceFlags
}

// addPolicyFlags adds the flags that say which addresses the browser may ask for.
func addPolicyFlags(cmd *cobra.Command, p *engine.Policy) {
	flags := cmd.PersistentFlags()
	flags.StringSliceVar(&p.Allow, "allow-host", nil, "ask only this host (example.com, or *.example.com for those below it); may be repeated")
	flags.StringSliceVar(&p.Deny, "deny-host", nil, "never ask this host; may be repeated")
	flags.StringSliceVar(&p.Private, "allow-private", nil, "with --allow-host or --deny-host, addresses of this machine and its network are refused, except this host or network (* is all)")
	flags.StringSliceVar(&p.Schemes, "allow-scheme", nil, "with a flag of these, only http and https are opened, and this scheme (as file)")
}

// policyOf returns the policy that the flags ask for; nil, the open network, if
// none does.
func (s *settings) policyOf() *engine.Policy {
	if p := &s.policy; len(p.Allow)+len(p.Deny)+len(p.Private)+len(p.Schemes) == 0 {
		return nil
	}
	return s.gatedPolicy()
}

// gatedPolicy is the policy of the flags, kept by a gate where the browser takes one: a
// Chrome that runs already takes no proxy.
func (s *settings) gatedPolicy() *engine.Policy {
	p := s.policy
	p.NoGate = s.cdp != ""
	return &p
}

// collect has a session written down, if a trace is asked for: it returns the
// driver to open, and completes the options.
func (s *settings) collect(d engine.Driver, opts *engine.Options) engine.Driver {
	if s.tracing.path == "" {
		return d
	}
	return s.collectWith(d, opts, &trace.Options{})
}

func (s *settings) collectWith(d engine.Driver, opts *engine.Options, o *trace.Options) engine.Driver {
	o.Secrets, o.Version = keysOf(os.Environ()), version().Version
	if s.cdp != "" { // pages of others are none of the run
		d = cdp.Attach{URL: s.cdp, Isolated: true}
	}
	c := trace.New(d, o)
	s.tracing.collector = c
	opts.Hooks = engine.JoinHooks(opts.Hooks, c.Hooks())
	if opts.Model != nil {
		opts.Model = c.Model(opts.Model)
	}
	return c.Driver()
}

// attached reports a browser that we attached to, with pages that are not ours.
func (s *settings) attached() bool { return s.cdp != "" && s.tracing.collector == nil }

// check refuses values of the common flags that no command can use.
func (s *settings) check() error {
	switch {
	case driverNamed(s.driver) == nil:
		return usage("--driver %q: it is %s", s.driver, strings.Join(driverNames(), " or "))
	case s.cdp != "" && s.driver != inChrome:
		return usage("--cdp does not go with --driver %s", s.driver)
	case sharedLimits.requests < 0 || sharedLimits.tokens < 0:
		return usage("--model-requests and --model-tokens are numbers above zero, or 0 for no limit")
	case s.timeout <= 0:
		return usage("--timeout %s: it is a time above zero, as 30s or 2m", s.timeout)
	}
	if _, err := s.policy.Compile(); err != nil {
		return usage("%w", err)
	}
	if s.cdp != "" {
		u, err := url.Parse(s.cdp)
		if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
			return usage("--cdp %q: write the address that Chrome listens at, as http://127.0.0.1:9222", s.cdp)
		}
	}
	return nil
}

// explainRefusal says what the policy refused, without the advice for Go programs.
func explainRefusal(refused *policy.RefusedError, err error) string {
	var navigation *driver.NavigationError
	if errors.As(err, &navigation) {
		return fmt.Sprintf("cannot open %s: %s", navigation.URL, refused.Reason())
	}
	return refused.Reason()
}

// adviseRefusal names the flag that would have let it through.
func adviseRefusal(refused *policy.RefusedError) string {
	switch refused.Rule {
	case policy.RuleAllow:
		return "--allow-host " + refused.Entry + " allows it"
	case policy.RuleDeny:
		return "--deny-host " + refused.Entry + " denies it"
	case policy.RulePrivate:
		return "--allow-private " + refused.Entry + " allows it"
	case policy.RuleScheme:
		return "--allow-scheme " + refused.Entry + " allows it"
	}
	return ""
}

// newDriver makes the driver that the flags name; check has seen them.
func (s *settings) newDriver() engine.Driver {
	if s.cdp != "" {
		return cdp.Attach{URL: s.cdp}
	}
	return driverNamed(s.driver).open(s)
}

// An unavailable model says why it is when it is asked.
type unavailable struct {
	name string
	why  error
}

func (m unavailable) Name() string { return m.name }

func (m unavailable) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, m.why
}

// openPage opens a session that shows an address. The caller closes the session.
func (s *settings) openPage(ctx context.Context, address string, needsModel bool) (*engine.Page, error) {
	opts, err := s.options(needsModel)
	if err != nil {
		return nil, err
	}
	address, err = completeAddress(address)
	if err != nil {
		return nil, err
	}
	page, err := s.openBlank(ctx, opts)
	if err != nil {
		return nil, err
	}
	session := page.Session()
	done := s.progress("opening " + address)
	_, err = page.Navigate(ctx, address, &engine.NavigateOptions{Timeout: s.timeout})
	done()
	s.tracing.noted(wayfindertest.Step{Method: "navigate", Instruction: address}, nil)
	if err != nil {
		s.tracing.close(session)
		return nil, s.notOpened(address, err)
	}
	if err := s.await(ctx, page); err != nil {
		s.tracing.close(session)
		return nil, err
	}
	s.lookForNotes(ctx, page)
	return page, nil
}

// addDialogs adds the flag that says how dialogs are answered.
func addDialogs(flags *pflag.FlagSet, s *settings) {
	flags.BoolVar(&s.dialogs, "accept-dialogs", false, "say yes to confirm, and give a prompt its own default; without it both are dismissed")
}

// dialogAnswer is what the flag means; nil is the engine's own.
func (s *settings) dialogAnswer() func(engine.Dialog) engine.DialogAnswer {
	if !s.dialogs {
		return nil
	}
	return func(d engine.Dialog) engine.DialogAnswer { return engine.DialogAnswer{Accept: true, Text: d.Default} }
}

// options are those of the session that the flags name.
func (s *settings) options(needsModel bool) (*engine.Options, error) {
	opts := &engine.Options{Timeout: s.timeout, Policy: s.policyOf(), Hooks: s.noteHooks()}
	opts.Browser.PageTools = s.offers
	opts.Dialog = s.dialogAnswer()
	if !needsModel {
		return opts, nil
	}
	opts.Cache = s.cache
	var err error
	opts.Model, err = s.newModel()
	if err != nil && s.cache != nil && exitCode(err) == exitEnvironment {
		opts.Model, err = unavailable{s.model, err}, nil // the cache may do without
	}
	return opts, err
}

// openBlank opens a session and returns its page, which shows nothing yet. The
// caller closes the session.
func (s *settings) openBlank(ctx context.Context, opts *engine.Options) (*engine.Page, error) {
	done := s.progress("starting the browser")
	session, err := engine.Open(ctx, s.collect(s.newDriver(), opts), opts)
	done()
	if err != nil {
		return nil, missing(s.adviseOpening(err))
	}
	page, err := s.ownPage(ctx, session)
	if err != nil {
		s.tracing.close(session)
		return nil, missing(s.adviseOpening(err))
	}
	return page, nil
}

// ownPage returns the page to work on. In a browser that we attached to, that is a
// new one, which ends with the session. The pages that are open there stay untouched.
func (s *settings) ownPage(ctx context.Context, session *engine.Session) (*engine.Page, error) {
	if s.attached() {
		return session.NewPage(ctx)
	}
	return session.Page(), nil
}

// adviseOpening adds what to do about a browser that did not open.
func (s *settings) adviseOpening(err error) error {
	if s.cdp == "" {
		return err
	}
	return &advisedError{err, "start Chrome with --remote-debugging-port=9222 and a --user-data-dir of its own, and give --cdp http://127.0.0.1:9222"}
}

// notOpened is the error of a page that did not come.
func (s *settings) notOpened(address string, err error) error {
	switch {
	case errors.Is(err, engine.ErrInvalid):
		return usage("%w", err)
	case errors.Is(err, context.DeadlineExceeded):
		return missing(&advisedError{fmt.Errorf("%s did not answer within %s", address, s.timeout), adviseTime})
	}
	return failed(err)
}

// completeAddress takes an address as people write it: without a scheme it is
// https, or http on this machine. A path that begins with /, ./ or ../ is a file.
func completeAddress(address string) (string, error) {
	if strings.TrimSpace(address) == "" {
		return "", usage("the address is empty")
	}
	switch scheme, _, ok := strings.Cut(address, ":"); {
	case strings.Contains(address, "://"), ok && (scheme == "about" || scheme == "data"):
		return address, nil
	case strings.HasPrefix(address, "./"), strings.HasPrefix(address, "../"), strings.HasPrefix(address, "/"):
		path, err := filepath.Abs(address)
		return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String(), err
	case strings.HasPrefix(address, "localhost"), strings.HasPrefix(address, "127."), strings.HasPrefix(address, "[::1]"):
		address = "http://" + address
	default:
		address = "https://" + address
	}
	if u, err := url.Parse(address); err != nil || u.Hostname() == "" {
		return "", usage("%q is no address", address)
	}
	return address, nil
}

// addWaits adds the flag that says what to wait for before the page is read.
func addWaits(cmd *cobra.Command, s *settings) {
	add := func(text string) error {
		c, err := engine.ParseCondition(text)
		if err == nil {
			s.waits = append(s.waits, c)
		}
		return err
	}
	cmd.Flags().Var(&readFlag{"condition", add}, "wait-for",
		"wait until the page is so: text=…, selector=…, address=…, count=…, quiet, …; docs/wait.md has all (may be repeated)")
}

// A readFlag is read each time that it is given.
type readFlag struct {
	kind string // of value, for help
	read func(text string) error
}

func (f *readFlag) String() string        { return "" }
func (f *readFlag) Type() string          { return f.kind }
func (f *readFlag) Set(text string) error { return f.read(text) }

// await waits for what the flags say, in their order.
func (s *settings) await(ctx context.Context, page *engine.Page) error {
	for _, c := range s.waits {
		done := s.progress("waiting for " + c.String())
		err := page.WaitFor(ctx, c)
		done()
		s.tracing.noted(wayfindertest.Step{Method: "wait", Instruction: c.String()}, nil)
		if err != nil {
			return failed(err)
		}
	}
	return nil
}

// lookForNotes reads a page that was opened in memory, also for a command that
// would not: what it does then would be hard to understand.
func (s *settings) lookForNotes(ctx context.Context, page *engine.Page) {
	if s.driver == inMemory {
		look := wayfindertest.Step{Method: "snapshot"}
		look.Result, _ = look.Do(ctx, page.Session(), nil) // for the hook; the command itself meets what is wrong
		s.tracing.noted(look, nil)
	}
}
