package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/ledger"
	"github.com/wayfinder-engine/wayfinder/server/nodes"
	"github.com/wayfinder-engine/wayfinder/server/profiles"
	"github.com/wayfinder-engine/wayfinder/server/replays"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/telemetry/metrics"
)

// chooseDriver takes the browser in memory where no driver was asked for and no
// Chrome is there.
func (v *serving) chooseDriver(asked bool) {
	if asked || v.cdp != "" {
		return
	}
	if _, err := cdp.Find(); err != nil {
		v.driver = "memory"
		v.logger().Warn("no Chrome was found: pages are opened in memory, and their scripts are not run")
	}
}

// browsers returns what opens the sessions' browsers. The caller closes it.
func (v *serving) browsers() (_ driver.Driver, close func() error) {
	switch {
	case v.cdp != "":
		return cdp.Attach{URL: v.cdp, Isolated: true, Logger: v.logger()}, func() error { return nil }
	case v.driver == "memory":
		return fake.Network(), func() error { return nil }
	}
	shared := &chromes{launch: cdp.Launch{Headed: v.headed, Logger: v.logger()}, figures: v.figures, most: v.perChrome, spare: spareTime}
	if v.offers {
		shared.launch.Args = []string{"--enable-features=WebMCP"} // for who asks for it: see BrowserOptions.PageTools
	}
	return shared, shared.close
}

// spareTime is how long a Chrome without sessions is kept beside another.
const spareTime = time.Minute

// Chromes are the processes that sessions share, each browser isolated. One is
// started when those that run are full, and ended when it has been empty for a
// while; the last one stays. What one process takes along when it crashes is
// bounded by that.
type chromes struct {
	launch  cdp.Launch
	figures *metrics.Metrics
	most    int // browsers in one
	spare   time.Duration
	ending  sync.WaitGroup // ends of Chromes under way

	mu     sync.Mutex // protects what follows
	all    []*chromeProcess
	closed bool
}

// A chromeProcess is one of them, from the beginning of its start.
type chromeProcess struct {
	cancel context.CancelFunc // ends the start, and nothing once it is done
	done   chan struct{}      // closed when the rest is set
	chrome *cdp.Chrome
	err    error

	open  int         // browsers that are open or opening; protected by chromes.mu, as is
	empty *time.Timer // that ends it; nil while it is used
}

func (s *chromes) String() string { return "chrome" }

// Open opens an isolated browser. A Chrome that turns out to be gone is replaced.
func (s *chromes) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	for {
		one, fresh, err := s.take(ctx)
		if err != nil {
			return nil, err
		}
		var b driver.Browser
		select {
		case <-one.done:
			if err = one.err; err == nil {
				b, err = one.chrome.Open(ctx, opts)
			}
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		if err == nil {
			return &sharing{Browser: b, leave: sync.OnceFunc(func() { s.leave(one) })}, nil
		}
		gone := errors.Is(err, driver.ErrCrashed) || errors.Is(err, driver.ErrClosed)
		if one.failed() || gone && ctx.Err() == nil {
			s.drop(one)
		}
		s.leave(one)
		if fresh || !gone || ctx.Err() != nil {
			return nil, err
		}
	}
}

// take chooses the fullest Chrome that has room, so that others become empty, or
// begins to start one. The start is not bounded by ctx, as other sessions use it
// too; the wait for it is.
func (s *chromes) take(ctx context.Context) (_ *chromeProcess, fresh bool, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false, driver.ErrClosed
	}
	var best *chromeProcess
	for _, one := range s.all {
		if one.open < s.most && !one.failed() && (best == nil || one.open > best.open) {
			best = one
		}
	}
	if best == nil {
		best, fresh = s.start(context.WithoutCancel(ctx)), true
		s.all = append(s.all, best)
	}
	best.open++
	if best.empty != nil {
		best.empty.Stop()
		best.empty = nil
	}
	return best, fresh, nil
}

// failed reports whether a start has come to nothing.
func (c *chromeProcess) failed() bool {
	select {
	case <-c.done:
		return c.err != nil
	default:
		return false
	}
}

// start begins to start a Chrome.
func (s *chromes) start(ctx context.Context) *chromeProcess {
	ctx, cancel := context.WithCancel(ctx)
	one := &chromeProcess{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(one.done)
		defer cancel()
		one.chrome, one.err = cdp.Start(ctx, s.launch)
		s.figures.BrowserStarted(sharedProcess, one.err)
	}()
	return one
}

// leave gives a browser's place in a Chrome back.
func (s *chromes) leave(one *chromeProcess) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.open--; one.open > 0 || s.closed || !slices.Contains(s.all, one) {
		return
	}
	one.empty = time.AfterFunc(s.spare, func() {
		s.mu.Lock()
		unused := one.open == 0 && len(s.all) > 1 && s.remove(one)
		s.mu.Unlock()
		if unused {
			s.end(one)
		}
	})
}

// drop removes a Chrome that is gone, or has not started.
func (s *chromes) drop(one *chromeProcess) {
	s.mu.Lock()
	known := s.remove(one)
	s.mu.Unlock()
	if known && one.chrome != nil {
		s.figures.BrowserCrashed(sharedProcess)
	}
	if known {
		s.end(one) // only its directory is left to remove
	}
}

// remove takes a Chrome from the list, and counts its end as under way; false:
// somebody else has. s.mu is held.
func (s *chromes) remove(one *chromeProcess) bool {
	i := slices.Index(s.all, one)
	if i < 0 {
		return false
	}
	s.all = slices.Delete(s.all, i, i+1)
	s.ending.Add(1)
	return true
}

// end ends a Chrome that was removed.
func (s *chromes) end(one *chromeProcess) {
	defer s.ending.Done()
	one.cancel()
	<-one.done
	if one.chrome != nil {
		_ = one.chrome.Close() // nobody uses it any more
	}
}

// close ends all of them, also those that are being started: nothing is left.
func (s *chromes) close() error {
	s.mu.Lock()
	s.closed = true
	all := s.all
	s.all = nil
	s.mu.Unlock()
	var errs []error
	for _, one := range all {
		one.cancel()
		<-one.done
		if one.chrome != nil {
			errs = append(errs, one.chrome.Close())
		}
	}
	s.ending.Wait()
	return errors.Join(errs...)
}

// A sharing is a browser that takes a place in a shared Chrome.
type sharing struct {
	driver.Browser
	leave func()
}

var _ driver.BrowserWrapper = (*sharing)(nil)

// Unwrap implements driver.BrowserWrapper.
func (s *sharing) Unwrap() driver.Browser { return s.Browser }

// Close closes the browser, and gives its place back.
func (s *sharing) Close() error {
	defer s.leave()
	return s.Browser.Close()
}

// launchOwn makes the driver of a session that wants a process of its own.
func (v *serving) launchOwn(o wire.LaunchOptions) (driver.Driver, error) {
	if v.driver == "memory" {
		return nil, fmt.Errorf("this server opens pages in memory, and launches no browser: %w", errors.ErrUnsupported)
	}
	l := cdp.Launch{
		ExecutablePath: o.ExecutablePath, Args: o.Args, UserDataDir: o.UserDataDir, PreserveUserDataDir: o.PreserveUserDataDir,
		Headed: v.headed, Devtools: o.Devtools, Sandbox: o.ChromiumSandbox,
		ConnectTimeout: o.ConnectTimeoutMs.Duration(), Logger: v.logger(),
	}
	if o.Headless != nil {
		l.Headed = !*o.Headless
	}
	if o.Port != nil {
		if l.Port = *o.Port; l.Port == 0 {
			l.Port = -1 // any
		}
	}
	if ignore := o.IgnoreDefaultArgs; ignore != nil {
		l.IgnoreAllDefaultArgs, l.IgnoreDefaultArgs = ignore.All, ignore.List
	}
	return ownChrome{l, v.figures}, nil
}

// The kinds of browser processes, as the metrics name them.
const (
	sharedProcess = "shared"
	ownProcess    = "own"
)

// An ownChrome is a Chrome of one session's own, which is counted.
type ownChrome struct {
	cdp.Launch
	figures *metrics.Metrics
}

// Open starts it.
func (o ownChrome) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := o.Launch.Open(ctx, opts)
	o.figures.BrowserStarted(ownProcess, err)
	return b, err
}

// attach makes the driver of a session in a Chrome that runs elsewhere.
func attach(a server.Address) (driver.Driver, error) {
	header := http.Header{}
	for name, value := range a.Headers {
		header.Set(name, value)
	}
	return cdp.Attach{URL: a.URL, Headers: header, ConnectTimeout: a.Timeout}, nil
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
func (v *serving) profileKeys() (*profiles.Keys, error) {
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
	keys, err := profiles.ParseKeys(strings.NewReader(text))
	if err != nil {
		return nil, usage("--profile-key-file, --profile-key: %v", err)
	}
	return keys, nil
}

// openProfiles gives the service the profiles that there are from before, if it
// has a key for them: of several nodes those that all share, of one those below
// --data.
func (v *serving) openProfiles(store fleet.Store, node *nodes.Node, options *server.Options) (done func(), _ error) {
	keys, err := v.profileKeys()
	if err != nil || keys == nil {
		return func() {}, err
	}
	opts := &profiles.Options{Logger: options.Logger}
	switch {
	case node != nil:
		options.Profiles = profiles.New(profiles.Shared(store, node), keys, opts)
	case v.data == "":
		options.Profiles = profiles.New(profiles.Shared(store, nil), keys, opts)
	default:
		dir, err := profiles.OpenDir(filepath.Join(v.data, "profiles"))
		if err != nil {
			return nil, missing(err)
		}
		options.Profiles = profiles.New(dir, keys, opts)
		return func() { _ = dir.Close() }, nil // the process's end does so, too
	}
	return func() {}, nil
}

// readTime is how long what keys have used may take to be read at the start, and
// flushTime the last of what is kept to be written.
const (
	readTime  = time.Minute
	flushTime = 5 * time.Second
)

// keepLedger has the service keep what keys have used, where there is something to
// keep it in, until done.
func (v *serving) keepLedger(ctx context.Context, store fleet.Store, node *nodes.Node, options *server.Options) (done func(), err error) {
	if v.data == "" && node == nil {
		return func() {}, nil
	}
	opening, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	if options.Ledger, err = ledger.Open(opening, store, options.Logger); err != nil {
		return nil, missing(err)
	}
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx)) // sessions end after ctx
	var all sync.WaitGroup
	all.Go(func() { options.Ledger.Run(keeping) })
	return func() {
		stop()
		all.Wait()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
		defer cancel()
		options.Ledger.Close(last)
	}, nil
}

// keepReplays has the service keep what was done in sessions, where there is
// something to keep it in, until done.
func (v *serving) keepReplays(ctx context.Context, store fleet.Store, node *nodes.Node, options *server.Options) (done func()) {
	if v.data == "" && node == nil {
		return func() {}
	}
	options.Replays = replays.New(store, &replays.Options{Logger: options.Logger})
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // sessions end after ctx
	var all sync.WaitGroup
	all.Go(func() { options.Replays.Run(ctx) })
	return func() {
		stop()
		all.Wait()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
		defer cancel()
		options.Replays.Flush(last)
	}
}
