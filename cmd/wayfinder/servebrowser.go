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
	return shared, shared.close
}

// A sharedChrome is one Chrome in which each browser is isolated. It is started
// when it is needed, and anew when it is gone.
type sharedChrome struct {
	launch  cdp.Launch
	figures *metrics.Metrics

	mu     sync.Mutex // protects what follows
	chrome *cdp.Chrome
	closed bool
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
// replaced, if no one else has done so.
func (s *sharedChrome) running(ctx context.Context, gone *cdp.Chrome) (*cdp.Chrome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, driver.ErrClosed
	case s.chrome != nil && s.chrome != gone:
		return s.chrome, nil
	case s.chrome != nil:
		s.figures.BrowserCrashed(sharedProcess)
		_ = s.chrome.Close() // it is gone: only its directory is left to remove
		s.chrome = nil
	}
	// Not bounded by the first session's request: the others use it too.
	chrome, err := cdp.Start(context.WithoutCancel(ctx), s.launch)
	s.figures.BrowserStarted(sharedProcess, err)
	if err != nil {
		return nil, err
	}
	s.chrome = chrome
	return chrome, nil
}

func (s *sharedChrome) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.chrome == nil {
		return nil
	}
	return s.chrome.Close()
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
		Port: may("port"), DownloadsPath: may("downloadsPath"), CDPURL: may("cdpUrl"),
	}
}
