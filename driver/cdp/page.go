package cdp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mafredri/cdp/protocol/emulation"
	"github.com/mafredri/cdp/protocol/network"
	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/performance"
	"github.com/mafredri/cdp/protocol/security"
	cdptarget "github.com/mafredri/cdp/protocol/target"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

var _ driver.Page = (*page)(nil)

// A page is one tab. It consists of parts, each with a file, fields and often a state of
// its own; together their methods are driver.Page. A part reaches the others through
// its field page.
type page struct {
	browser *browser
	target  string
	opener  driver.PageID
	session *session

	ready *readiness
	left  chan struct{} // closed when the page is no more among its browser's

	// The parts.

	waiting
	frameTree
	traffic
	dialogs
	console
	navigator
	unblocker
	worlds
	handles
	trees
	evaluator
	reader
	glancer
	finder
	actor
	inputs
	dragger
	emulator
	camera
	toolProvider

	// The rest is protected by browser.mu.

	extra   []*session // of frames in processes of their own
	workers []*session
	opening []string // addresses of windows that are about to open
	leading []string // addresses that the last input opens in pages for which Chrome names no opener
	scripts []string // run in every new document
	gone    error    // why no call can succeed any more
	removed bool
	ours    bool // opened by NewPage, or by such a page
	used    bool // navigated, read, given input or an OnDialog through this browser, or opened by such a page
}

func newPage(b *browser, s *session) *page {
	p := &page{
		browser: b, target: s.target, session: s,
		ready:   &readiness{known: make(chan struct{})},
		left:    make(chan struct{}),
		scripts: slices.Clone(b.opts.InitScripts),
	}
	p.frameTree = frameTree{page: p, frames: map[driver.FrameID]*frame{}}
	p.traffic = traffic{page: p, requests: map[string]*request{}, refused: map[string]error{}}
	p.dialogs = newDialogs(p, b.opts.Dialog)
	p.trees.docs = map[driver.DocID]*treeFacts{}
	p.emulator = emulator{page: p, all: b.opts.Emulation}
	p.waiting.page, p.console.page, p.navigator.page, p.unblocker.page = p, p, p, p
	p.worlds.page, p.handles.page, p.evaluator.page = p, p, p
	p.reader.page, p.glancer.page, p.finder.page = p, p, p
	p.actor.page, p.inputs.page, p.dragger.page, p.camera.page, p.toolProvider.page = p, p, p, p, p
	return p
}

// A readiness says whether a page was set up. The connection's reader notes the outcome
// of each command for it. Whoever ends the page's session notes one too, perhaps at the
// same time.
type readiness struct {
	known chan struct{}         // closed when the page can be used, or never will be
	err   atomic.Pointer[error] // the first
}

// note notes what became of a command.
func (r *readiness) note(err error) {
	if err != nil {
		r.err.CompareAndSwap(nil, &err)
	}
}

// end notes what became of the last command.
func (r *readiness) end(err error) {
	r.note(err)
	close(r.known)
}

// failure returns why the page cannot be used, nil if it can, once that is known.
func (r *readiness) failure() error { return value(r.err.Load()) }

// ID implements driver.Page.
func (p *page) ID() driver.PageID { return driver.PageID(p.target) }

// Opener implements driver.Page.
func (p *page) Opener() driver.PageID { return p.opener }

// initScript is the command that has source run in a world of every new
// document, the page's own if it has no name; with now, also in the document
// that is there, which is the empty one of a new window.
func initScript(source, world string, now bool) conn.Command {
	return protocol.PageAddScriptToEvaluateOnNewDocument.With(cdppage.AddScriptToEvaluateOnNewDocumentArgs{
		Source: source, WorldName: &world, RunImmediately: &now,
	})
}

// AddInitScript implements driver.Page.
func (p *page) AddInitScript(ctx context.Context, source string) error {
	p.browser.mu.Lock()
	p.scripts = append(p.scripts, source)
	p.browser.mu.Unlock()
	for _, s := range p.sessions() {
		err := s.Batch(ctx, initScript(source, "", false))
		if err != nil && s == p.session {
			return opError("addinitscript", "", err)
		}
	}
	return nil
}

// sessions returns the page's sessions, that of the main frame first.
func (p *page) sessions() []*session {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return p.sessionsLocked()
}

// sessionsLocked is sessions for those who hold browser.mu.
func (p *page) sessionsLocked() []*session {
	return append([]*session{p.session}, p.extra...)
}

// end has all calls on the page fail, those under way and those to come.
// browser.mu is held.
func (p *page) end(why error) {
	if p.gone != nil {
		return
	}
	p.gone = why
	p.closeDialog(driver.DialogAnswer{})
	p.wake()
	for _, s := range p.sessionsLocked() {
		p.browser.later(func() { s.Fail(why) })
	}
}

// remove ends the page for the reason why. browser.mu is held.
func (p *page) remove(why error) {
	if p.removed {
		return
	}
	b := p.browser
	p.removed = true
	p.end(why)
	b.pages = slices.DeleteFunc(b.pages, func(o *page) bool { return o == p })
	b.emit(driver.PageClosed{Page: p.ID()})
	all := append(p.sessionsLocked(), p.workers...)
	close(p.left)
	b.later(func() {
		for _, s := range all {
			s.Drop(why)
		}
	})
}

// Activate implements driver.Page.
func (p *page) Activate(ctx context.Context) error {
	return opError("activate", "", p.session.Batch(ctx, protocol.PageBringToFront.With(conn.None{})))
}

// Close implements driver.Page.
func (p *page) Close(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	p.browser.locked(func() { p.end(fmt.Errorf("the page is %w", driver.ErrClosed)) })
	closing := func() conn.Command {
		return protocol.TargetCloseTarget.With(cdptarget.CloseTargetArgs{TargetID: cdptarget.ID(p.target)})
	}
	if err := p.browser.chrome.root.Batch(ctx, closing()); err != nil {
		if _, refused := errors.AsType[*CommandError](err); refused || errors.Is(err, driver.ErrClosed) || errors.Is(err, driver.ErrCrashed) {
			return nil // it is gone already
		}
		return opError("close", "", err)
	}
	again := time.NewTicker(closeAgain)
	defer again.Stop()
	for {
		select {
		case <-p.left:
			p.browser.delivered() // PageClosed, before the call returns
			return nil
		case <-again.C:
			p.browser.chrome.root.Post(closing())
		case <-ctx.Done():
			return opError("close", "", ctx.Err())
		}
	}
}

// closeAgain is how soon a page that is still there is closed again: Chrome forgets
// about it where another document is just being committed (TestCloseAtCommit).
const closeAgain = 200 * time.Millisecond

// bounded gives a context without a deadline one.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, conn.CommandLimit, conn.ErrNoAnswer)
}

// minds reports whether the page's dialogs are this browser's to answer. In the
// profile of a Chrome that is not ours other clients and people have pages, too:
// of those, the ones that were used through this browser. browser.mu is held.
func (p *page) minds() bool { return !p.browser.foreign || p.ours || p.used }

// use notes that this browser works with the page, and takes over the dialog that
// is open in it.
func (p *page) use() {
	p.browser.mu.Lock()
	minds := p.minds()
	p.browser.mu.Unlock()
	if minds {
		return
	}
	p.browser.locked(func() {
		p.used = true
		if d := p.dialogs.theirs; d != nil {
			p.dialogs.theirs = nil
			p.dialogOpening(d.session, d.opening)
			p.wake()
		}
	})
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
		attachBelow(),
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
		p.browser.later(func() { s.Drop(errFrameWent) })
	})
}

// errFrameWent is what calls under way get to hear where Chrome has left the process
// of a frame.
var errFrameWent = fmt.Errorf("the frame's process is gone: %w", driver.ErrDetached)

// windowOpen comes before the page that it announces.
func (p *page) windowOpen(s *session, e *cdppage.WindowOpenReply) {
	p.opening = append(p.opening, e.URL)
}

// targetCrashed: the process of the session's frames is gone. The page's own
// takes the page with it, unless we ended it; a frame's leaves a hole.
func (p *page) targetCrashed(s *session, _ *struct{}) {
	if s != p.session {
		p.toolProvider.giveUpCalls(func(c *toolCall) bool { return c.session == s })
		p.browser.later(func() { s.Fail(fmt.Errorf("the frame's process has ended: %w", driver.ErrDetached)) })
		return
	}
	if p.crashing {
		p.crashed()
		return
	}
	p.end(fmt.Errorf("the page's process has ended: %w", driver.ErrCrashed))
	p.browser.emit(driver.PageCrashed{Page: p.ID()})
}
