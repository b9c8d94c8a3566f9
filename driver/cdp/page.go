package cdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

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

// A page is one tab.
type page struct {
	browser *browser
	target  string
	opener  driver.PageID
	session *session

	ready    chan struct{} // closed when the page can be used, or never will be
	readyErr error         // set by then
	left     chan struct{} // closed when the page is no more among its browser's

	kept kept // what is kept from look to look; has locks of its own

	// The rest is protected by browser.mu.

	extra     []*session // of frames in processes of their own
	workers   []*session
	frames    map[driver.FrameID]*frame
	main      *frame
	ordinals  int
	requests  map[string]*request
	responses responses
	traffic   int      // changes when a request begins or a document is shown
	travelled *frame   // the last that went to another entry of the history
	opening   []string // addresses of windows that are about to open
	dialogs   dialogState
	emulation driver.Emulation
	scripts   []string // run in every new document
	blank     bool     // every request is answered with an empty document
	refused   map[string]error
	waiters   []*waiter
	crashing  bool  // we end the process of its document, see navigation.go
	noProcess bool  // its document has no process, for that reason
	gone      error // why no call can succeed any more
	removed   bool
	ours      bool // opened by NewPage, or by such a page
}

// A kept is what a page keeps from one look to the next.
type kept struct {
	libraries installed
	revision  revisions
	trees     trees
	input     inputState
	dragged   dragState
}

var _ driver.Page = (*page)(nil)

// ID implements driver.Page.
func (p *page) ID() driver.PageID { return driver.PageID(p.target) }

// Opener implements driver.Page.
func (p *page) Opener() driver.PageID { return p.opener }

// addPage takes in a page whose target waits, and sets it up. It reports
// false if the browser is closed.
func (b *browser) addPage(s *session, info *targetInfo) bool {
	p := &page{
		browser: b, target: info.TargetID, session: s,
		ready:     make(chan struct{}),
		left:      make(chan struct{}),
		frames:    map[driver.FrameID]*frame{},
		requests:  map[string]*request{},
		refused:   map[string]error{},
		dialogs:   newDialogState(b.opts.Dialog),
		emulation: b.opts.Emulation,
		scripts:   slices.Clone(b.opts.InitScripts),
	}
	s.page, s.browser = p, b
	taken := false
	b.locked(func() {
		if taken = !b.gone; !taken {
			return
		}
		url := info.URL
		if opener := b.pageLocked(info.OpenerID); opener != nil {
			p.opener, p.ours = opener.ID(), opener.ours
			if announced := opener.announced(); url == "" {
				url = announced
			}
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

// prepare has a new session sent all that it needs, in one write; then its
// target runs. browser.mu is held.
func (p *page) prepare(s *session) {
	commands := p.setup(s)
	if s == p.session {
		commands[len(commands)-1].OnAnswer(func(err error) {
			p.readyErr = cmp.Or(p.readyErr, err)
			close(p.ready)
		})
	}
	p.browser.later(func() {
		if _, err := s.Start(context.Background(), commands...); err != nil && s == p.session {
			p.readyErr = err
			close(p.ready)
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
		protocol.PerformanceEnable.With(performance.EnableArgs{}), // counts layouts, see revision.go
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
	if p.browser.opts.Console {
		list = append(list, protocol.RuntimeEnable.With(conn.None{}))
	}
	for _, c := range p.emulate(s, &p.emulation) {
		if s == p.session {
			c.OnAnswer(func(err error) { p.readyErr = cmp.Or(p.readyErr, refusedEmulation(err)) })
		}
		list = append(list, c)
	}
	list = append(list, initScript(gateScript, worldName, s.waits))
	for _, source := range p.scripts {
		list = append(list, initScript(source, "", s.waits))
	}
	return append(list, protocol.RuntimeRunIfWaitingForDebugger.With(conn.None{}))
}

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
	return append([]*session{p.session}, p.extra...)
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
			p.assign(f, s)
		}
		p.prepare(s)
	})
	return taken
}

// removeSession takes leave of such a session. Its frame may go on living in
// its parent's process.
func (p *page) removeSession(s *session) {
	p.browser.locked(func() {
		p.extra = slices.DeleteFunc(p.extra, func(o *session) bool { return o == s })
		p.orphan(s)
		p.browser.later(func() { s.Drop(fmt.Errorf("the frame's process is gone: %w", driver.ErrDetached)) })
	})
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
	for _, s := range append([]*session{p.session}, p.extra...) {
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
	all := append(append([]*session{p.session}, p.extra...), p.workers...)
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
	err := p.browser.chrome.root.Batch(ctx, protocol.TargetCloseTarget.With(cdptarget.CloseTargetArgs{TargetID: cdptarget.ID(p.target)}))
	if err != nil {
		if _, refused := errors.AsType[*CommandError](err); refused || errors.Is(err, driver.ErrClosed) || errors.Is(err, driver.ErrCrashed) {
			return nil // it is gone already
		}
		return opError("close", "", err)
	}
	select {
	case <-p.left:
		p.browser.delivered() // PageClosed, before the call returns
		return nil
	case <-ctx.Done():
		return opError("close", "", ctx.Err())
	}
}

// bounded gives a context without a deadline one.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, conn.CommandLimit, conn.ErrNoAnswer)
}

// A dialogState is what a page knows of dialogs. browser.mu protects it.
type dialogState struct {
	answer func(driver.Dialog) driver.DialogAnswer // nil is the default
	open   *driver.Dialog
	signal chan struct{} // closed while a dialog is open
	stayed bool          // the page was not to be left, lately
}

func newDialogState(answer func(driver.Dialog) driver.DialogAnswer) dialogState {
	return dialogState{answer: answer, signal: make(chan struct{})}
}

// dialogSignal returns a channel that is closed when a dialog opens, or is
// closed already if one is open. Who sends a command that a dialog would
// withhold takes the channel before.
func (p *page) dialogSignal() <-chan struct{} {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return p.dialogs.signal
}

// OnDialog implements driver.Page.
func (p *page) OnDialog(answer func(driver.Dialog) driver.DialogAnswer) {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	p.dialogs.answer = answer
}

// defaultAnswer is that of a page nobody looks after.
func defaultAnswer(d driver.Dialog) driver.DialogAnswer {
	return driver.DialogAnswer{Accept: d.Kind == driver.Alert || d.Kind == driver.BeforeUnload}
}

type dialogOpening struct {
	URL           string
	Message       string
	Type          driver.DialogKind
	DefaultPrompt string
}

func (p *page) dialogOpening(s *session, e *dialogOpening) {
	d := driver.Dialog{Kind: e.Type, Message: e.Message, Default: e.DefaultPrompt, URL: e.URL}
	if p.dialogs.open == nil {
		close(p.dialogs.signal)
	}
	p.dialogs.open = &d
	p.browser.emit(driver.DialogOpened{Page: p.ID(), Dialog: d})
	handle := func(a driver.DialogAnswer) {
		args := cdppage.HandleJavaScriptDialogArgs{Accept: a.Accept}
		if d.Kind == driver.Prompt && a.Accept {
			args.PromptText = &a.Text
		}
		s.Post(protocol.PageHandleJavaScriptDialog.With(args))
	}
	if answer := p.dialogs.answer; answer != nil {
		p.browser.later(func() { go func() { handle(answer(d)) }() })
		return
	}
	p.browser.later(func() { handle(defaultAnswer(d)) })
}

type dialogClosed struct {
	Result    bool
	UserInput string
}

func (p *page) dialogClosed(s *session, e *dialogClosed) {
	stay := p.dialogs.open != nil && p.dialogs.open.Kind == driver.BeforeUnload && !e.Result
	p.closeDialog(driver.DialogAnswer{Accept: e.Result, Text: e.UserInput})
	if stay {
		p.dialogs.stayed = true
		p.fail(p.main)
	}
}

// closeDialog forgets the dialog that is open.
func (p *page) closeDialog(a driver.DialogAnswer) {
	d := p.dialogs.open
	if d == nil {
		return
	}
	p.dialogs.open = nil
	p.dialogs.signal = make(chan struct{})
	p.browser.emit(driver.DialogClosed{Page: p.ID(), Dialog: *d, Answer: a})
}
