package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	cdpbrowser "github.com/mafredri/cdp/protocol/browser"
	"github.com/mafredri/cdp/protocol/emulation"
	"github.com/mafredri/cdp/protocol/network"
	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/performance"
	"github.com/mafredri/cdp/protocol/runtime"
	"github.com/mafredri/cdp/protocol/security"
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
func (b *browser) attachBelow() conn.Command {
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

	owed    atomic.Int32  // questions in a row that Chrome has not answered; see watch
	watched chan struct{} // closed when watch has returned; nil where there is none

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

// A targetInfo is what Chrome says of a target.
type targetInfo struct {
	TargetID         string
	Type             string
	URL              string
	OpenerID         string
	BrowserContextID string
	Subtype          string
}

// attached takes in a target that Chrome has attached us to. It waits until
// we let it run.
func (c *Chrome) attached(parent *session, id string, info *targetInfo, waits bool) {
	if info.Type == "browser" {
		return // a guest's, which takes it itself: see Admit
	}
	s := &session{chrome: c, target: info.TargetID, kind: info.Type, parent: parent, waits: waits}
	s.Session = c.conn.Open(id, s)
	switch {
	case info.Type == "page" && parent == c.root && info.Subtype == "":
		if b := c.browserOf(info.BrowserContextID); b != nil && b.addPage(s, info) {
			return
		}
	case info.Type == "iframe" && parent.page != nil:
		if parent.page.addFrameSession(s) {
			return
		}
	case info.Type != "page" && info.Type != "iframe":
		b := parent.browser
		if parent == c.root {
			b = c.browserOf(info.BrowserContextID)
		}
		if b != nil && !b.hasWorker(s) {
			b.addWorker(s)
			return
		}
	}
	c.release(s)
}

// addPage takes in a page whose target waits, and sets it up. It reports
// false if the browser is closed.
func (b *browser) addPage(s *session, info *targetInfo) bool {
	p := newPage(b, s)
	s.page, s.browser = p, b
	taken := false
	b.locked(func() {
		if taken = !b.gone; !taken {
			return
		}
		opener, url := b.openerLocked(info)
		if opener != nil {
			p.opener, p.ours, p.used = opener.ID(), opener.ours, opener.used
		}
		b.pages = append(b.pages, p)
		p.main = p.addFrame(s, driver.FrameID(info.TargetID), "")
		p.main.url = info.URL
		b.emit(driver.PageOpened{Page: p.ID(), Opener: p.opener, URL: url})
		p.prepare(s)
	})
	if !taken {
		s.page, s.browser = nil, nil
	}
	return taken
}

// openerLocked returns the page that opened a new one, nil if none did, and the
// address that the new one is going to show. For a link that a person opens with
// Control, Shift or the middle button Chrome names no opener; the link's page has asked
// for another tab before it comes.
func (b *browser) openerLocked(info *targetInfo) (opener *page, url string) {
	if opener = b.pageLocked(info.OpenerID); opener != nil {
		announced := opener.announced()
		return opener, cmp.Or(info.URL, announced)
	}
	for _, p := range b.pages {
		for i, url := range p.leading {
			if info.URL == "" || info.URL == url {
				p.leading = slices.Delete(p.leading, i, i+1)
				return p, url
			}
		}
	}
	return nil, info.URL
}

// announced returns the address of the window that was announced first.
func (p *page) announced() string {
	if len(p.opening) == 0 {
		return ""
	}
	url := p.opening[0]
	p.opening = slices.Delete(p.opening, 0, 1)
	return url
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
func (c *Chrome) detached(id string) {
	s, _ := c.conn.Handler(id).(*session)
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
	switch method {
	case "Target.attachedToTarget":
		var e struct {
			SessionID          string
			TargetInfo         targetInfo
			WaitingForDebugger bool
		}
		if c.read(method, params, &e) {
			c.attached(s, e.SessionID, &e.TargetInfo, e.WaitingForDebugger)
		}
	case "Target.detachedFromTarget":
		var e struct{ SessionID string }
		if c.read(method, params, &e) {
			c.detached(e.SessionID)
		}
	case "Fetch.requestPaused":
		var e requestPaused
		if s.browser != nil && c.read(method, params, &e) {
			s.browser.requestPaused(s, &e)
		}
	case "Fetch.authRequired":
		var e authRequired
		if s.browser != nil && c.read(method, params, &e) {
			s.browser.authRequired(s, &e)
		}
	default:
		switch {
		case s.page != nil:
			s.page.event(s, method, params)
		case strings.HasPrefix(method, "Browser.download"):
			c.download(method, params)
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

// download handles an event of a download, which Chrome tells for all
// browsers in one place.
func (c *Chrome) download(method string, params []byte) {
	switch strings.TrimPrefix(method, "Browser.") {
	case "downloadWillBegin":
		var e downloadWillBegin
		if !c.read(method, params, &e) {
			return
		}
		for _, b := range c.browsers() {
			b.locked(func() { b.downloadBegins(&e) })
		}
	case "downloadProgress":
		var e downloadProgress
		if !c.read(method, params, &e) {
			return
		}
		for _, b := range c.browsers() {
			b.locked(func() {
				if e.State == "inProgress" {
					b.downloadGoesOn(&e)
				} else {
					b.downloadEnds(&e)
				}
			})
		}
	}
}

// prepare has a new session sent all that it needs, in one write; then its
// target runs. browser.mu is held.
func (p *page) prepare(s *session) {
	commands := p.setup(s)
	if s == p.session {
		commands[len(commands)-1].OnAnswer(p.ready.end)
	}
	p.browser.later(func() {
		if _, err := s.Start(context.Background(), commands...); err != nil && s == p.session {
			p.ready.end(err)
		}
	})
}

// setup lists what a session of the page begins with. browser.mu is held.
func (p *page) setup(s *session) []conn.Command {
	list := []conn.Command{
		protocol.InspectorEnable.With(conn.None{}),
		protocol.PageEnable.With(conn.None{}),
		p.askTree(s),
		// A page that is rendered ahead would take this one's place, unseen.
		protocol.PageSetPrerenderingAllowed.With(cdppage.SetPrerenderingAllowedArgs{IsAllowed: false}),
		protocol.PageSetLifecycleEventsEnabled.With(cdppage.SetLifecycleEventsEnabledArgs{Enabled: true}),
		protocol.PageSetInterceptFileChooserDialog.With(cdppage.SetInterceptFileChooserDialogArgs{Enabled: true}),
		protocol.PerformanceEnable.With(performance.EnableArgs{}), // counts layouts, see look.go
		// Nobody asks for the bodies, so Chrome need not keep them.
		protocol.NetworkEnable.With(network.EnableArgs{MaxTotalBufferSize: new(1), MaxResourceBufferSize: new(1)}),
		protocol.EmulationSetFocusEmulationEnabled.With(emulation.SetFocusEmulationEnabledArgs{Enabled: true}),
		p.browser.attachBelow(),
	}
	if p.browser.opts.IgnoreHTTPSErrors {
		list = append(list, protocol.SecuritySetIgnoreCertificateErrors.With(security.SetIgnoreCertificateErrorsArgs{Ignore: true}))
	}
	if p.browser.intercepts() {
		list = append(list, p.browser.interception())
	}
	if p.browser.opts.PageTools {
		list = append(list, protocol.WebMCPEnable.With(conn.None{}))
	}
	if p.browser.opts.Console {
		list = append(list, protocol.RuntimeEnable.With(conn.None{}))
	}
	for _, c := range p.emulator.commands(s, &p.emulator.all) {
		if s == p.session {
			c.OnAnswer(func(err error) { p.ready.note(refusedEmulation(err)) })
		}
		list = append(list, c)
	}
	list = append(list, initScript(gateScript, worldName, s.waits))
	if p.browser.sealed {
		list = append(list, initScript(sealScript, "", s.waits))
	}
	for _, source := range p.scripts {
		list = append(list, initScript(source, "", s.waits))
	}
	return append(list, protocol.RuntimeRunIfWaitingForDebugger.With(conn.None{}))
}

// addFrameSession takes in the session of a frame in a process of its own.
func (p *page) addFrameSession(s *session) bool {
	taken := false
	p.browser.locked(func() {
		if taken = p.gone == nil; !taken {
			return
		}
		s.page, s.browser = p, p.browser
		p.extra = append(p.extra, s)
		if f := p.frames[driver.FrameID(s.target)]; f != nil {
			f.assign(s)
		}
		p.prepare(s)
	})
	return taken
}

// removeSession drops such a session. Its frame may continue living in
// its parent's process.
func (p *page) removeSession(s *session) {
	p.browser.locked(func() {
		p.extra = slices.DeleteFunc(p.extra, func(o *session) bool { return o == s })
		p.orphan(s)
		p.browser.later(func() { s.Drop(fmt.Errorf("the frame's process is gone: %w", driver.ErrDetached)) })
	})
}

// hasWorker reports whether another session has a worker's target already. Chrome
// attaches us to a service worker twice, for the browser and for the page that it
// serves. Requests held by both sessions would be decided about twice, and Chrome
// can lose a frame's document while the worker begins.
func (b *browser) hasWorker(s *session) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.workers, func(o *session) bool { return o.target == s.target })
}

// addWorker takes in a worker that waits, so that its requests are decided
// about, too, now or from some moment on.
func (b *browser) addWorker(s *session) {
	s.browser = b
	b.mu.Lock()
	sealed := b.sealed
	if s.page = s.parent.page; s.page != nil {
		s.page.workers = append(s.page.workers, s)
	} else {
		b.workers = append(b.workers, s)
	}
	b.mu.Unlock()
	if sealed && s.kind == "shared_worker" { // of a document that was there before
		b.endWorker(s)
		return
	}
	commands := []conn.Command{b.attachBelow(), protocol.RuntimeRunIfWaitingForDebugger.With(conn.None{})}
	if sealed {
		commands = append([]conn.Command{protocol.RuntimeEvaluate.With(runtime.EvaluateArgs{Expression: sealScript})}, commands...)
	}
	if b.intercepts() {
		commands = append([]conn.Command{b.interception()}, commands...)
	}
	s.Post(commands...)
}

// dropWorker drops a worker.
func (b *browser) dropWorker(s *session) {
	is := func(o *session) bool { return o == s }
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.page != nil {
		s.page.workers = slices.DeleteFunc(s.page.workers, is)
	} else {
		b.workers = slices.DeleteFunc(b.workers, is)
	}
}
