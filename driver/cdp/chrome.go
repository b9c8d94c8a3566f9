package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	cdpbrowser "github.com/mafredri/cdp/protocol/browser"
	cdptarget "github.com/mafredri/cdp/protocol/target"
	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/process"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

func newChrome(l conn.Link, log *slog.Logger, p *process.Process) *Chrome {
	c := &Chrome{
		process: p, log: log,
		contexts: map[string]*browser{},
		closed:   make(chan struct{}),
	}
	c.watchdog.chrome = c
	c.root = &session{chrome: c}
	c.conn = conn.New(l, conn.Options{Log: log, Root: c.root, Refused: commandError, End: c.end})
	c.root.Session = c.conn.Root()
	c.conn.Run()
	return c
}

// attachTo has every new target of these types wait for us before its first byte.
func attachTo(types ...string) conn.Command {
	filter := make(cdptarget.Filter, 0, len(types)+1)
	for _, t := range types {
		filter = append(filter, cdptarget.FilterEntry{Type: &t})
	}
	return autoAttach(append(filter, cdptarget.FilterEntry{Exclude: new(true)}))
}

// autoAttach has the targets that a filter names wait for us.
func autoAttach(filter cdptarget.Filter) conn.Command {
	return protocol.TargetSetAutoAttach.With(cdptarget.SetAutoAttachArgs{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: filter})
}

// attachBelow has whatever a page or a worker begets attached to us before its
// first byte: frames in processes of their own, workers and worklets of every
// kind. It names none, because Chrome holds those that a filter leaves out, too,
// and then nobody is there to let them run.
func attachBelow() conn.Command {
	return autoAttach(cdptarget.Filter{{}})
}

// A Chrome is one running Chrome over one connection, and a driver whose
// browsers are isolated from each other within it: each has cookies, storage,
// cache, permissions and a proxy of its own.
type Chrome struct {
	conn    *conn.Conn
	root    *session
	process *process.Process // nil where we attached to somebody else's
	log     *slog.Logger

	version   string // "Chrome/156.0.8078.79"
	userAgent string
	base      string // id of the context that is the profile's own
	address   string // of the endpoint for others

	watchdog

	mu       sync.Mutex          // protects the following
	contexts map[string]*browser // by browser context id
	closing  bool
	fault    error // why the connection ended; nil after Close
	closed   chan struct{}
}

// begin asks what Chrome is and has it tell us of every page. base, if not
// nil, is the browser that is the profile's own.
func (c *Chrome) begin(ctx context.Context, base *browser) error {
	return c.root.Batch(ctx,
		protocol.BrowserGetVersion.With(conn.None{}).Then(func(version cdpbrowser.GetVersionReply, err error) {
			if err == nil {
				c.version, c.userAgent = version.Product, version.UserAgent
			}
		}),
		protocol.TargetGetBrowserContexts.With(conn.None{}).Then(func(contexts protocol.GetBrowserContextsReply, err error) {
			if err != nil {
				return
			}
			c.base = string(contexts.DefaultBrowserContextID)
			if base != nil {
				c.register(c.base, base) // before any page of it is reported
			}
		}),
		attachTo("page", "service_worker", "shared_worker"))
}

// String names the running Chrome.
func (c *Chrome) String() string { return strings.ToLower(c.version) }

// Endpoint returns the address at which others can attach to this Chrome, and
// [Attach] can; it is empty unless [Launch].Port was set.
func (c *Chrome) Endpoint() string { return c.address }

// Silent reports whether Chrome says nothing, although it was asked: for a sixth of
// [Launch].AnswerLimit at least. It may still recover. At the limit it is ended, and
// what its browsers do fails with [driver.ErrCrashed].
func (c *Chrome) Silent() bool { return c.owed.Load() > 1 }

// Open makes an isolated browser in the running Chrome.
func (c *Chrome) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b := newBrowser(c, opts)
	if err := c.isolate(ctx, b, opts); err != nil {
		return nil, opError("open", "", closing(b, err))
	}
	return b, nil
}

// isolate makes a context for a browser and opens its first page.
func (c *Chrome) isolate(ctx context.Context, b *browser, opts *driver.BrowserOptions) error {
	args := cdptarget.CreateBrowserContextArgs{DisposeOnDetach: new(true)}
	if p := opts.Proxy; p != nil {
		args.ProxyServer, args.ProxyBypassList = &p.Server, new(process.ProxyBypass(p))
	}
	err := c.root.Batch(ctx, protocol.TargetCreateBrowserContext.With(args).Then(func(made cdptarget.CreateBrowserContextReply, err error) {
		if err != nil {
			return
		}
		c.register(string(made.BrowserContextID), b) // before any page of it is reported
		if b.isGone() {
			// Whoever wanted it has given up, and closed what was not there yet.
			c.unregister(b)
			c.root.Post(disposal(string(made.BrowserContextID)))
		}
	}))
	if err != nil {
		return err
	}
	return b.begin(ctx, opts)
}

// register makes a browser known by its context.
func (c *Chrome) register(id string, b *browser) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b.context = id
	c.contexts[id] = b
}

// contextOf returns the context of a browser, or "" if Chrome has not told it yet. A browser
// whose Open was given up is closed while that answer may still be on its way.
func (c *Chrome) contextOf(b *browser) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return b.context
}

func (c *Chrome) unregister(b *browser) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.contexts[b.context] == b {
		delete(c.contexts, b.context)
	}
}

// browserOf returns the browser of a context, if it is ours.
func (c *Chrome) browserOf(context string) *browser {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.contexts[context]
}

// ended says why the connection has ended; nil if it has not, or after Close.
func (c *Chrome) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

// browsers returns those that are open.
func (c *Chrome) browsers() []*browser {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*browser, 0, len(c.contexts))
	for _, b := range c.contexts {
		list = append(list, b)
	}
	return list
}

// Close ends all browsers, and the process if it is ours. It is bounded, and
// may be called again.
func (c *Chrome) Close() error {
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		<-c.closed
		return nil
	}
	c.closing = true
	c.mu.Unlock()
	defer close(c.closed)
	for _, b := range c.browsers() {
		b.end(nil) // before Chrome begins to fail what is under way
	}
	if c.process == nil {
		return c.conn.Close()
	}
	c.root.Post(protocol.BrowserClose.With(conn.None{}))
	err := c.process.End()
	// The process is gone, but something may still hold its end of the pipe.
	err = errors.Join(err, c.conn.Close())
	if c.watched != nil {
		<-c.watched
	}
	return err
}

// end is called on the reader goroutine when the connection has ended.
func (c *Chrome) end(cause error) error {
	c.mu.Lock()
	closing := c.closing
	c.mu.Unlock()
	fault := fmt.Errorf("the browser is %w", driver.ErrClosed)
	if !closing {
		fault = fmt.Errorf("the connection to Chrome broke (%v): %w", cause, driver.ErrCrashed)
		switch {
		case c.owed.Swap(0) == mostOwed:
			fault = errSilent
		case c.process != nil:
			fault = c.process.Cause()
		}
	}
	c.mu.Lock()
	c.fault = fault
	c.mu.Unlock()
	for _, b := range c.browsers() {
		if closing {
			b.end(nil)
		} else {
			b.end(fault)
		}
	}
	return fault
}

// closing closes what could not be finished, for the error err.
func closing(c interface{ Close() error }, err error) error {
	return errors.Join(err, c.Close())
}

// attached takes in a target that Chrome has attached us to. It waits until
// we let it run.
func (c *Chrome) attached(parent *session, e *cdptarget.AttachedToTargetReply) {
	info := &e.TargetInfo
	if info.Type == "browser" {
		return // a guest's, which takes it itself: see Admit
	}
	s := &session{chrome: c, target: string(info.TargetID), kind: info.Type, parent: parent, waits: e.WaitingForDebugger}
	s.Session = c.conn.Open(string(e.SessionID), s)
	switch {
	case info.Type == "page" && parent == c.root && value(info.Subtype) == "":
		if b := c.browserOf(string(value(info.BrowserContextID))); b != nil && b.addPage(s, info) {
			return
		}
	case info.Type == "iframe" && parent.page != nil:
		if parent.page.addFrameSession(s) {
			return
		}
	case info.Type != "page" && info.Type != "iframe":
		b := parent.browser
		if parent == c.root {
			b = c.browserOf(string(value(info.BrowserContextID)))
		}
		if b != nil && !b.hasWorker(s) {
			b.addWorker(s)
			return
		}
	}
	c.release(s)
}

// release lets a target run that is none of ours. We leave when it has taken
// that: a shared worker that lost us before would wait for ever.
func (c *Chrome) release(s *session) {
	run := protocol.RuntimeRunIfWaitingForDebugger.With(conn.None{})
	run.OnAnswer(func(error) {
		s.parent.Post(protocol.TargetDetachFromTarget.With(cdptarget.DetachFromTargetArgs{SessionID: new(cdptarget.SessionID(s.ID()))}))
	})
	s.Post(run)
}

// detached drops a target.
func (c *Chrome) detached(_ *session, e *cdptarget.DetachedFromTargetReply) {
	s, _ := c.conn.Handler(string(e.SessionID)).(*session)
	switch {
	case s == nil:
	case s.page != nil && s.kind == "page":
		p := s.page
		p.browser.locked(func() { p.remove(fmt.Errorf("the page is %w", driver.ErrClosed)) })
	case s.page != nil && s.kind == "iframe":
		s.page.removeSession(s)
	default:
		if s.browser != nil {
			s.browser.dropWorker(s)
		}
		s.Drop(driver.ErrClosed)
	}
}

// event handles an event on the reader goroutine.
func (c *Chrome) event(s *session, method string, params []byte) {
	if handle := chromeHandlers[method]; handle != nil {
		handle(c, s, method, params)
	} else if s.page != nil {
		s.pageEvent(method, params)
	}
}

// chromeHandlers are for the events of all targets and browsers. Chrome tells of downloads
// for all browsers in one place.
var chromeHandlers = map[string]func(c *Chrome, s *session, method string, params []byte){
	"Target.attachedToTarget":   heard((*Chrome).attached),
	"Target.detachedFromTarget": heard((*Chrome).detached),
	"Fetch.requestPaused": heard(func(_ *Chrome, s *session, e *requestPaused) {
		if s.browser != nil {
			s.browser.requestPaused(s, e)
		}
	}),
	"Fetch.authRequired": heard(func(_ *Chrome, s *session, e *authRequired) {
		if s.browser != nil {
			s.browser.authRequired(s, e)
		}
	}),
	"Browser.downloadWillBegin": heard(func(c *Chrome, _ *session, e *cdpbrowser.DownloadWillBeginReply) {
		for _, b := range c.browsers() {
			b.locked(func() { b.downloadBegins(e) })
		}
	}),
	"Browser.downloadProgress": heard(func(c *Chrome, _ *session, e *cdpbrowser.DownloadProgressReply) {
		for _, b := range c.browsers() {
			b.locked(func() { b.downloadProgresses(e) })
		}
	}),
}

// heard makes a handler of a function that wants the parameters decoded.
func heard[T any](f func(*Chrome, *session, *T)) func(*Chrome, *session, string, []byte) {
	return func(c *Chrome, s *session, method string, params []byte) {
		var e T
		if c.read(method, params, &e) {
			f(c, s, &e)
		}
	}
}

// read decodes the parameters of an event. A large one, of which few members
// are wanted, reads itself.
func (c *Chrome) read(method string, params []byte, v any) bool {
	if r, ok := v.(interface{ read(gjson.Result) }); ok {
		r.read(gjson.ParseBytes(params))
		return true
	}
	if err := json.Unmarshal(params, v); err != nil {
		c.log.Warn("cdp: unreadable event", "method", method, "err", err)
		return false
	}
	return true
}
