package service

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/telemetry/metrics"
)

// defaultPerProcess is how many browsers share a Chrome where nothing else is said: as
// many are gone when it crashes.
const defaultPerProcess = 20

// Chromes is a driver whose browsers share processes, each browser isolated from the
// others. A process is started when those that run are full, and ended when it has been
// empty for a while; the last one stays. What one process takes along when it crashes
// is bounded by that.
//
// The zero value is ready to use. Its fields are set before the first Open. The caller
// closes it.
type Chromes struct {
	Launch     cdp.Launch       // how each process is started
	PerProcess int              // browsers in one process; 0 is 20
	Spare      time.Duration    // how long a process without browsers is kept beside another; 0 is a minute
	Metrics    *metrics.Metrics // counts starts and crashes; nil: nothing does

	ending sync.WaitGroup // ends of Chromes under way

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

	open  int         // browsers that are open or opening; protected by Chromes.mu, as is
	empty *time.Timer // that ends it; nil while it is used
}

// String is "chrome", as the log names it.
func (s *Chromes) String() string { return "chrome" }

// Open opens an isolated browser. A Chrome that turns out to be gone is replaced.
func (s *Chromes) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
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
			b.Listen(func(e driver.Event) {
				if gone, ok := e.(driver.BrowserGone); ok && gone.Err != nil {
					s.drop(one)
				}
			})
			return &sharing{Browser: b, leave: sync.OnceFunc(func() { s.leave(one) })}, nil
		}
		gone := errors.Is(err, driver.ErrCrashed) || errors.Is(err, driver.ErrClosed)
		if one.failed() || gone && ctx.Err() == nil {
			s.drop(one)
		}
		s.leave(one)
		if fresh || !gone && !one.silent() || ctx.Err() != nil {
			return nil, err
		}
	}
}

// take chooses the fullest Chrome that has room, so that others become empty, or
// begins to start one. The start is not bounded by ctx, as other sessions use it
// too; the wait for it is.
func (s *Chromes) take(ctx context.Context) (_ *chromeProcess, fresh bool, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false, driver.ErrClosed
	}
	var best *chromeProcess
	for _, one := range s.all {
		if one.open < cmp.Or(s.PerProcess, defaultPerProcess) && !one.failed() && !one.silent() && (best == nil || one.open > best.open) {
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

// started reports whether the start is over.
func (c *chromeProcess) started() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// failed reports whether a start has come to nothing.
func (c *chromeProcess) failed() bool { return c.started() && c.err != nil }

// silent reports whether a Chrome that has started answers nothing.
func (c *chromeProcess) silent() bool { return c.started() && c.err == nil && c.chrome.Silent() }

// ready reports whether sessions can be started. One that shares a silent Chrome
// cannot go on, and what has silenced it may silence the next: that counts until the
// Chrome answers again, or is ended.
func (s *Chromes) ready(context.Context) error {
	s.mu.Lock()
	silent := slices.ContainsFunc(s.all, (*chromeProcess).silent)
	s.mu.Unlock()
	if silent {
		return errors.New("a Chrome answers nothing: it is ended, with its sessions, unless it answers soon")
	}
	if s.Launch.ExecutablePath != "" {
		return nil
	}
	_, err := cdp.Find()
	return err
}

// start begins to start a Chrome.
func (s *Chromes) start(ctx context.Context) *chromeProcess {
	ctx, cancel := context.WithCancel(ctx)
	one := &chromeProcess{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(one.done)
		defer cancel()
		one.chrome, one.err = cdp.Start(ctx, s.Launch)
		if s.Metrics != nil {
			s.Metrics.BrowserStarted(sharedProcess, one.err)
		}
	}()
	return one
}

// leave gives a browser's place in a Chrome back.
func (s *Chromes) leave(one *chromeProcess) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.open--; one.open > 0 || s.closed || !slices.Contains(s.all, one) {
		return
	}
	one.empty = time.AfterFunc(cmp.Or(s.Spare, time.Minute), func() {
		s.mu.Lock()
		unused := one.open == 0 && len(s.all) > 1 && s.remove(one)
		s.mu.Unlock()
		if unused {
			s.end(one)
		}
	})
}

// drop removes a Chrome that is gone, or has not started. It waits for nothing, as
// events do not.
func (s *Chromes) drop(one *chromeProcess) {
	s.mu.Lock()
	known := s.remove(one)
	s.mu.Unlock()
	if known && one.chrome != nil && s.Metrics != nil {
		s.Metrics.BrowserCrashed(sharedProcess)
	}
	if known {
		go s.end(one) // only its directory is left to remove
	}
}

// remove takes a Chrome from the list, and counts its end as under way; false: it was
// removed before. s.mu is held.
func (s *Chromes) remove(one *chromeProcess) bool {
	i := slices.Index(s.all, one)
	if i < 0 {
		return false
	}
	s.all = slices.Delete(s.all, i, i+1)
	s.ending.Add(1)
	return true
}

// end ends a Chrome that was removed.
func (s *Chromes) end(one *chromeProcess) {
	defer s.ending.Done()
	one.cancel()
	<-one.done
	if one.chrome != nil {
		_ = one.chrome.Close() // no session uses it any more
	}
}

// Close ends all processes, also those that are being started: nothing is left. An Open
// that comes later fails with [driver.ErrClosed].
func (s *Chromes) Close() error {
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

// Own makes the driver of a session that wants a process of its own, by the options that
// a client may set: see [server.Browsers.Launch].
func (s *Chromes) Own(o wire.LaunchOptions) (driver.Driver, error) {
	l := cdp.Launch{
		ExecutablePath: o.ExecutablePath, Args: o.Args, UserDataDir: o.UserDataDir, PreserveUserDataDir: o.PreserveUserDataDir,
		Headed: s.Launch.Headed, Devtools: o.Devtools, Sandbox: o.ChromiumSandbox,
		ConnectTimeout: o.ConnectTimeoutMs.Duration(), Logger: s.Launch.Logger,
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
	return ownChrome{l, s.Metrics}, nil
}

// The kinds of browser processes, as the metrics name them.
const (
	sharedProcess = "shared"
	ownProcess    = "own"
)

// An ownChrome is a Chrome of one session's own, which is counted.
type ownChrome struct {
	cdp.Launch
	metrics *metrics.Metrics // nil: nothing counts it
}

// Open starts it.
func (o ownChrome) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := o.Launch.Open(ctx, opts)
	if o.metrics != nil {
		o.metrics.BrowserStarted(ownProcess, err)
	}
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
