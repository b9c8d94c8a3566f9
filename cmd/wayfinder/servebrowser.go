package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/server"
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
	shared := &sharedChrome{launch: cdp.Launch{Headed: v.headed, Logger: v.logger()}, figures: v.figures}
	if v.offers {
		shared.launch.Args = []string{"--enable-features=WebMCP"} // for who asks for it: see BrowserOptions.PageTools
	}
	return shared, shared.close
}

// A sharedChrome is one Chrome in which each browser is isolated. It is started
// when it is needed, and anew when it is gone.
type sharedChrome struct {
	launch  cdp.Launch
	figures *metrics.Metrics

	mu     sync.Mutex // protects what follows
	last   *starting  // nil before the first
	closed bool
}

// A starting is a start of the shared Chrome, and what came of it.
type starting struct {
	cancel context.CancelFunc // ends the start, and nothing once it is done
	done   chan struct{}      // closed when the rest is set
	chrome *cdp.Chrome
	err    error
}

func (s *sharedChrome) String() string { return "chrome" }

// Open opens an isolated browser. A Chrome that turns out to be gone is started
// anew, once.
func (s *sharedChrome) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	chrome, err := s.running(ctx, nil)
	if err != nil {
		return nil, err
	}
	b, err := chrome.Open(ctx, opts)
	if err == nil || ctx.Err() != nil || !errors.Is(err, driver.ErrCrashed) && !errors.Is(err, driver.ErrClosed) {
		return b, err
	}
	if chrome, err = s.running(ctx, chrome); err != nil {
		return nil, err
	}
	return chrome.Open(ctx, opts)
}

// running returns the Chrome that runs; one that was found to be gone is
// replaced, if no one else has done so. The start is not bounded by ctx, as
// other sessions use it too; the wait for it is.
func (s *sharedChrome) running(ctx context.Context, gone *cdp.Chrome) (*cdp.Chrome, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, driver.ErrClosed
	}
	if s.last == nil || s.last.ended(gone) {
		s.last = s.start(context.WithoutCancel(ctx), gone)
	}
	last := s.last
	s.mu.Unlock()
	select {
	case <-last.done:
		return last.chrome, last.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// ended reports whether a start came to nothing, or to the Chrome that is gone.
func (l *starting) ended(gone *cdp.Chrome) bool {
	select {
	case <-l.done:
		return l.err != nil || l.chrome == gone
	default:
		return false
	}
}

// start begins to start a Chrome, in place of one that is gone.
func (s *sharedChrome) start(ctx context.Context, gone *cdp.Chrome) *starting {
	ctx, cancel := context.WithCancel(ctx)
	l := &starting{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer cancel()
		if gone != nil {
			s.figures.BrowserCrashed(sharedProcess)
			_ = gone.Close() // only its directory is left to remove
		}
		l.chrome, l.err = cdp.Start(ctx, s.launch)
		s.figures.BrowserStarted(sharedProcess, l.err)
	}()
	return l
}

// close ends the Chrome, also one that is being started: nothing of it is left.
func (s *sharedChrome) close() error {
	s.mu.Lock()
	s.closed = true
	last := s.last
	s.mu.Unlock()
	if last == nil {
		return nil
	}
	last.cancel()
	<-last.done
	if last.chrome == nil {
		return nil
	}
	return last.chrome.Close()
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
