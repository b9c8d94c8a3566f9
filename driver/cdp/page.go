package cdp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	cdppage "github.com/mafredri/cdp/protocol/page"
	cdptarget "github.com/mafredri/cdp/protocol/target"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

var _ driver.Page = (*page)(nil)

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
