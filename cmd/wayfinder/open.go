package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/runs/sqlite"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// defaultModel is what WAYFINDER_MODEL names, or the word matcher.
func defaultModel() string {
	if name := os.Getenv("WAYFINDER_MODEL"); name != "" {
		return name
	}
	return wordMatcher
}

// newDriver makes the driver that the flags name; check has seen them.
func (s *settings) newDriver() engine.Driver {
	switch {
	case s.cdp != "":
		return cdp.Attach{URL: s.cdp}
	case s.driver == "memory":
		return fake.Network()
	}
	return cdp.Launch{Headed: s.headed}
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
	s.noted(wayfindertest.Step{Method: "navigate", Instruction: address}, nil)
	if err != nil {
		s.close(session)
		return nil, s.notOpened(address, err)
	}
	if err := s.await(ctx, page); err != nil {
		s.close(session)
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
		s.close(session)
		return nil, missing(s.adviseOpening(err))
	}
	return page, nil
}

// ownPage returns the page to work on. In a browser that we attached to, that is a
// new one, which ends with the session: what is open there stays as it is.
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
	cmd.Flags().Var((*waitFlag)(s), "wait-for",
		"wait until the page is so: text=…, selector=…, address=…, count=…, quiet, …; docs/wait.md has all (may be repeated)")
}

// A waitFlag adds a condition each time it is given.
type waitFlag settings

func (f *waitFlag) String() string { return "" }
func (f *waitFlag) Type() string   { return "condition" }

func (f *waitFlag) Set(text string) error {
	c, err := engine.ParseCondition(text)
	if err == nil {
		f.waits = append(f.waits, c)
	}
	return err
}

// await waits for what the flags say, in their order.
func (s *settings) await(ctx context.Context, page *engine.Page) error {
	for _, c := range s.waits {
		done := s.progress("waiting for " + c.String())
		err := page.WaitFor(ctx, c)
		done()
		s.noted(wayfindertest.Step{Method: "wait", Instruction: c.String()}, nil)
		if err != nil {
			return failed(err)
		}
	}
	return nil
}

// lookForNotes reads a page that was opened in memory, also for a command that
// would not: what it does then would be hard to understand.
func (s *settings) lookForNotes(ctx context.Context, page *engine.Page) {
	if s.driver == "memory" {
		look := wayfindertest.Step{Method: "snapshot"}
		look.Result, _ = look.Do(ctx, page.Session(), nil) // for the hook; the command itself meets what is wrong
		s.noted(look, nil)
	}
}

// A runStore is a store that knows which of its runs was written to last.
type runStore interface {
	runs.Store
	Newest(context.Context) (string, error)
}

// databaseAt returns the file of a store that is one; ok is false for a directory.
func databaseAt(place string) (file string, ok bool) {
	if file, ok := strings.CutPrefix(place, "sqlite:"); ok {
		return file, true
	}
	info, err := os.Stat(place)
	return place, filepath.Ext(place) == ".db" && (err != nil || !info.IsDir())
}

// openStore opens the store that --store names. The function that it returns closes
// it.
func openStore(ctx context.Context, place string) (store runStore, end func(), err error) {
	end = func() {}
	if file, ok := databaseAt(place); ok {
		var db *sqlite.Store
		if db, err = sqlite.Open(ctx, file); err == nil {
			store, end = db, func() { _ = db.Close() } // each record is on the disk
		}
	} else {
		store, err = runs.NewDir(place)
	}
	if err != nil {
		return nil, end, usage("--store: %v", err)
	}
	return store, end, nil
}

// openThere opens one that is there, for the run that --resume names, and puts the
// run's name in the place of "last".
func openThere(ctx context.Context, place string, run *string) (store runStore, end func(), err error) {
	end = func() {}
	if place == "" {
		return nil, end, usage("--resume %s: say by --store where the run is", *run)
	}
	file, _ := databaseAt(place)
	if _, err := os.Stat(file); err != nil {
		return nil, end, usage("--store: %v", err)
	}
	if store, end, err = openStore(ctx, place); err != nil {
		return nil, end, err
	}
	if *run == "last" {
		if *run, err = store.Newest(ctx); err != nil {
			end()
			return nil, func() {}, usage("--resume last: %v", err)
		}
	}
	return store, end, nil
}
