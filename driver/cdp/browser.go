package cdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	cdpbrowser "github.com/mafredri/cdp/protocol/browser"
	"github.com/mafredri/cdp/protocol/runtime"
	cdptarget "github.com/mafredri/cdp/protocol/target"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
	"github.com/wayfinder-engine/wayfinder/driver/internal/listen"
)

// What the driver knows is one tree: a Chrome has browsers, a browser has pages,
// and a page has frames. Sessions carry commands to the process of each. All that
// events change in a browser is protected by its mu.

var (
	_ driver.Browser     = (*browser)(nil)
	_ driver.Interceptor = (*browser)(nil)
)

func newBrowser(c *Chrome, opts *driver.BrowserOptions) *browser {
	b := &browser{chrome: c, opts: cloneOptions(opts)}
	b.interceptor.browser, b.sealer.browser, b.cookies.browser, b.host.browser = b, b, b, b
	b.storage = storage{browser: b, known: map[storageAt]*knownDatabases{}}
	b.downloader = downloader{browser: b, loads: map[string]download{}}
	return b
}

// A browser is one browser context of a Chrome.
type browser struct {
	chrome  *Chrome
	opts    driver.BrowserOptions
	context string // set before the first page is there
	owner   bool   // Close ends the Chrome
	foreign bool   // the profile of a Chrome that is not ours

	listeners listen.Listeners

	// The parts, each with a file; together their methods are driver.Browser.

	interceptor
	sealer
	downloader
	storage
	cookies
	host

	order sync.Mutex // held until what happened under mu is delivered
	mu    sync.Mutex // protects the following, and all pages and frames
	pages []*page    // in the order in which they were opened
	queue []driver.Event
	after []func() // to be called once mu is free
	gone  bool

	workers []*session    // that belong to no page: shared and service workers
	closed  chan struct{} // nil until Close is called
}

// begin opens the first page and restores what is to be restored.
func (b *browser) begin(ctx context.Context, opts *driver.BrowserOptions) error {
	b.chrome.root.Post(b.downloads())
	if err := b.grant(ctx, opts.Permissions); err != nil {
		return err
	}
	if _, err := b.NewPage(ctx); err != nil {
		return err
	}
	return b.restore(ctx, opts.StorageState)
}

// silentLimit bounds how long takeOver waits for pages that do not answer. Such a page runs
// a script, or has a dialog open, which Chrome does not report to a client that attaches
// later. A silent page is set up once it answers, and calls on it wait until then.
const silentLimit = 5 * time.Second

// takeOver is begin in a profile that is not ours: it waits until the pages that were
// there can be used, all but silent ones.
func (b *browser) takeOver(ctx context.Context, opts *driver.BrowserOptions) error {
	if opts.Proxy != nil {
		return fmt.Errorf("the proxy of a running profile cannot be changed: attach with Isolated, or start Chrome with it")
	}
	silent := time.NewTimer(silentLimit)
	defer silent.Stop()
waiting:
	for _, p := range b.Pages() {
		select {
		case <-p.(*page).ready.known:
		case <-silent.C:
			break waiting
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if b.opts.DownloadDir != "" {
		b.chrome.root.Post(b.downloads())
	}
	if len(b.Pages()) == 0 {
		if _, err := b.NewPage(ctx); err != nil {
			return err
		}
	}
	return b.restore(ctx, opts.StorageState)
}

// grant gives the pages of origins what they may do.
func (b *browser) grant(ctx context.Context, permissions map[string][]string) error {
	var list []conn.Command
	for _, origin := range slices.Sorted(maps.Keys(permissions)) {
		for _, name := range permissions[origin] {
			args := cdpbrowser.SetPermissionArgs{
				Permission:       cdpbrowser.PermissionDescriptor{Name: name},
				Setting:          cdpbrowser.PermissionSettingGranted,
				BrowserContextID: b.contextID(),
			}
			if origin != "*" {
				args.Origin = &origin
			}
			list = append(list, protocol.BrowserSetPermission.With(args))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return b.chrome.root.Batch(ctx, list...)
}

// Pages implements driver.Browser.
func (b *browser) Pages() []driver.Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]driver.Page, len(b.pages))
	for i, p := range b.pages {
		list[i] = p
	}
	return list
}

// NewPage implements driver.Browser.
func (b *browser) NewPage(ctx context.Context) (driver.Page, error) {
	if b.isGone() {
		return nil, opError("newpage", "", b.goneError())
	}
	create := protocol.TargetCreateTarget.With(cdptarget.CreateTargetArgs{URL: "about:blank", BrowserContextID: b.contextID()})
	create.Then(func(made cdptarget.CreateTargetReply, err error) {
		if err == nil && ctx.Err() != nil {
			// Whoever wanted the page has given up.
			b.chrome.root.Post(protocol.TargetCloseTarget.With(cdptarget.CloseTargetArgs(made)))
		}
	})
	var made cdptarget.CreateTargetReply
	_, err := b.chrome.root.Start(ctx, create)
	if err == nil {
		made, err = create.Wait(ctx)
	}
	if err != nil {
		return nil, opError("newpage", "", err)
	}
	// Chrome tells of the target before it answers.
	p := b.pageOf(string(made.TargetID))
	if p == nil {
		return nil, opError("newpage", "", fmt.Errorf("the page went away: %w", driver.ErrClosed))
	}
	b.mu.Lock()
	p.ours = true
	b.mu.Unlock()
	select {
	case <-p.ready.known:
		if err := p.ready.failure(); err != nil {
			return nil, opError("newpage", "", errors.Join(err, p.Close(context.WithoutCancel(ctx))))
		}
		return p, nil
	case <-ctx.Done():
		return nil, opError("newpage", "", errors.Join(ctx.Err(), p.Close(context.WithoutCancel(ctx))))
	}
}

func (b *browser) pageOf(target string) *page {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pageLocked(target)
}

// pageLocked is pageOf for those who hold mu.
func (b *browser) pageLocked(target string) *page {
	i := slices.IndexFunc(b.pages, func(p *page) bool { return p.target == target })
	if i < 0 {
		return nil
	}
	return b.pages[i]
}

// Version implements driver.Browser.
func (b *browser) Version() string { return b.chrome.version }

// disposeLimit is how long Chrome may take to end a context.
const disposeLimit = 5 * time.Second

// Close implements driver.Browser.
func (b *browser) Close() error {
	b.mu.Lock()
	if b.closed != nil {
		b.mu.Unlock()
		<-b.closed
		return nil
	}
	b.closed = make(chan struct{})
	b.mu.Unlock()
	defer close(b.closed)
	switch {
	case b.foreign:
		return opError("close", "", errors.Join(b.leave(), b.chrome.Close()))
	case b.owner && b.chrome.process == nil:
		return opError("close", "", errors.Join(b.dispose(), b.chrome.Close()))
	case b.owner:
		return opError("close", "", b.chrome.Close())
	}
	return opError("close", "", b.dispose())
}

// dispose ends the context within a Chrome that continues.
func (b *browser) dispose() error {
	defer b.chrome.unregister(b)
	b.end(nil)
	id := b.chrome.contextOf(b)
	if id == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), disposeLimit)
	defer cancel()
	err := b.chrome.root.Batch(ctx, disposal(id))
	if errors.Is(err, driver.ErrClosed) || errors.Is(err, driver.ErrCrashed) {
		return nil // Chrome itself is gone, and the context with it
	}
	return err
}

// disposal is the command that ends a context.
func disposal(context string) conn.Command {
	return protocol.TargetDisposeBrowserContext.With(cdptarget.DisposeBrowserContextArgs{BrowserContextID: cdpbrowser.ContextID(context)})
}

func (b *browser) isGone() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gone
}

// leave closes the pages that we opened in a profile that is not ours.
func (b *browser) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), disposeLimit)
	defer cancel()
	var errs error
	for _, p := range b.opened() {
		errs = errors.Join(errs, p.Close(ctx))
	}
	return errs
}

// opened returns the pages that are there because of us.
func (b *browser) opened() []*page {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.pages), func(p *page) bool { return !p.ours })
}

// end tells everybody that the browser is no more: calls under way fail, and
// so do later ones. fault is nil if we closed it.
func (b *browser) end(fault error) {
	b.locked(func() {
		if b.gone {
			return
		}
		b.gone = true
		why := fault
		if why == nil {
			why = fmt.Errorf("the browser is %w", driver.ErrClosed)
		}
		for _, p := range slices.Clone(b.pages) {
			p.remove(why)
		}
		b.emit(driver.BrowserGone{Err: fault})
	})
}

// Listen implements driver.Browser.
func (b *browser) Listen(fn func(driver.Event)) (stop func()) { return b.listeners.Add(fn) }

// cloneOptions copies what outlives the call of Open.
func cloneOptions(o *driver.BrowserOptions) driver.BrowserOptions {
	c := *o
	c.Headers = maps.Clone(o.Headers)
	c.InitScripts = slices.Clone(o.InitScripts)
	if o.Proxy != nil {
		p := *o.Proxy
		c.Proxy = &p
	}
	c.StorageState = nil // restored at once
	return c
}

// goneError says why the browser is no more.
func (b *browser) goneError() error {
	return cmp.Or(b.chrome.ended(), fmt.Errorf("the browser is %w", driver.ErrClosed))
}

// locked runs f with the browser's state to itself. The events that f has
// queued are delivered when it is done. It is called on the reader goroutine,
// and by Close.
func (b *browser) locked(f func()) {
	b.order.Lock()
	b.mu.Lock()
	f()
	events, after := b.queue, b.after
	b.queue, b.after = nil, nil
	b.mu.Unlock()
	for _, e := range events {
		b.listeners.Deliver(e)
	}
	b.order.Unlock()
	for _, f := range after {
		f()
	}
}

// behind calls f with the browser locked once s has answered a question. Chrome answers
// in order, so every event from before the question has arrived by then.
func (b *browser) behind(s *session, question conn.Command, f func()) {
	question.OnAnswer(func(error) { b.locked(f) })
	s.Post(question)
}

// delivered waits until the events of what has happened are delivered.
func (b *browser) delivered() {
	b.order.Lock()
	defer b.order.Unlock()
}

// emit queues an event. b.mu is held.
func (b *browser) emit(e driver.Event) { b.queue = append(b.queue, e) }

// later has f called when b.mu is free. b.mu is held.
func (b *browser) later(f func()) { b.after = append(b.after, f) }

// contextID names the browser's context; nil is the profile's own, whose name
// Chrome tells and, before version 150, does not find for cookies.
func (b *browser) contextID() *cdpbrowser.ContextID {
	if b.context == "" || b.context == b.chrome.base {
		return nil
	}
	return new(cdpbrowser.ContextID(b.context))
}

// sessions are those of all pages, frames and workers.
func (b *browser) sessions() []*session {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := slices.Clone(b.workers)
	for _, p := range b.pages {
		list = append(append(list, p.sessionsLocked()...), p.workers...)
	}
	return list
}

// addPage takes in a page whose target waits, and sets it up. It reports
// false if the browser is closed.
func (b *browser) addPage(s *session, info *cdptarget.Info) bool {
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
func (b *browser) openerLocked(info *cdptarget.Info) (opener *page, url string) {
	if opener = b.pageLocked(string(value(info.OpenerID))); opener != nil {
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
	commands := []conn.Command{attachBelow(), protocol.RuntimeRunIfWaitingForDebugger.With(conn.None{})}
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

// endWorker ends a shared worker: it waits for no interception.
func (b *browser) endWorker(w *session) {
	b.chrome.root.Post(protocol.TargetCloseTarget.With(cdptarget.CloseTargetArgs{TargetID: cdptarget.ID(w.target)}))
}
