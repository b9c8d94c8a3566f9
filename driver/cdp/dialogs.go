package cdp

import (
	"context"
	"errors"
	"slices"
	"strings"

	cdppage "github.com/mafredri/cdp/protocol/page"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// dialogs holds who answers the dialogs of a page, and the one that is open. browser.mu
// protects it.
type dialogs struct {
	page   *page
	answer func(driver.Dialog) driver.DialogAnswer // nil is the default
	open   *driver.Dialog
	signal chan struct{} // closed while a dialog is open
	stayed bool          // the page was not to be left, lately
	theirs *theirDialog  // one that is open in a page that is not ours to mind

	// freed is the document that a dialog has blocked since our last navigation began;
	// instead is the one that we requested in its place, once Chrome has begun it.
	freed, instead driver.DocID
	failed         error // instead of it

	// Of the dialog that is open.
	session  *session     // that told of it
	answered bool         // we answer it, or have
	guests   map[any]bool // their sessions that were told of it, and whose it is
}

func newDialogs(p *page, answer func(driver.Dialog) driver.DialogAnswer) dialogs {
	return dialogs{page: p, answer: answer, signal: make(chan struct{}), guests: map[any]bool{}}
}

// OnDialog implements driver.Page.
func (ds *dialogs) OnDialog(answer func(driver.Dialog) driver.DialogAnswer) {
	ds.page.browser.mu.Lock()
	ds.answer = answer
	minds := ds.page.minds()
	ds.page.browser.mu.Unlock()
	if !minds {
		// A listener may call this, so use, which delivers events, is called elsewhere.
		mind := protocol.BrowserGetVersion.With(conn.None{})
		mind.OnAnswer(func(error) { ds.page.use() })
		ds.page.browser.chrome.root.Post(mind)
	}
}

// defaultAnswer is that of a page nobody looks after.
func defaultAnswer(d driver.Dialog) driver.DialogAnswer {
	return driver.DialogAnswer{Accept: d.Kind == driver.Alert || d.Kind == driver.BeforeUnload}
}

func (ds *dialogs) dialogOpening(s *session, e *cdppage.JavascriptDialogOpeningReply) {
	if !ds.page.minds() {
		ds.theirs = &theirDialog{s, e}
		return
	}
	d := driver.Dialog{Kind: driver.DialogKind(e.Type), Message: e.Message, Default: value(e.DefaultPrompt), URL: e.URL}
	if ds.open == nil {
		close(ds.signal)
	}
	ds.open, ds.session, ds.answered = &d, s, false
	ds.page.browser.emit(driver.DialogOpened{Page: ds.page.ID(), Dialog: d})
	if ds.page.browser.guests == 0 {
		ds.page.browser.later(ds.answerDialog())
		return
	}
	// Chrome tells all sessions of the dialog before it answers anything else: once
	// this is answered we know whether a guest has heard of it, whose it then is.
	b := ds.page.browser
	b.later(func() {
		b.behind(b.chrome.root, protocol.BrowserGetVersion.With(conn.None{}), func() {
			if ds.open == &d {
				b.later(ds.answerDialog())
			}
		})
	})
}

// answerDialog returns what answers the dialog that is open: nothing where a guest
// has it, or it was answered already. browser.mu is held.
func (ds *dialogs) answerDialog() func() {
	open, s := ds.open, ds.session
	if open == nil || ds.answered || len(ds.guests) > 0 {
		return func() {}
	}
	ds.answered = true
	d, answer := *open, ds.answer
	handle := func(a driver.DialogAnswer) {
		args := cdppage.HandleJavaScriptDialogArgs{Accept: a.Accept}
		if d.Kind == driver.Prompt && a.Accept {
			args.PromptText = &a.Text
		}
		answer := protocol.PageHandleJavaScriptDialog.With(args)
		answer.OnAnswer(func(err error) {
			if refused, ok := errors.AsType[*CommandError](err); ok && strings.Contains(refused.Message, "Not attached to an active page") {
				ds.free(open)
			}
		})
		s.Post(answer)
	}
	if answer == nil {
		return func() { handle(defaultAnswer(d)) }
	}
	return func() { go func() { handle(answer(d)) }() }
}

// free closes a dialog that blocks the next document. Once Chrome has that document's
// response, the page's sessions belong to it: Chrome refuses our answer to the old dialog,
// and the new document waits until the dialog is closed. Another navigation closes it. If
// a caller is navigating, we request the same address again. We never repeat a request of
// the page's own: the page goes to an empty document instead.
func (ds *dialogs) free(d *driver.Dialog) {
	p := ds.page
	p.browser.locked(func() {
		next, address := p.main.pending, "about:blank"
		if ds.open != d || next == nil {
			return // it was closed meanwhile
		}
		if come := p.responses.of(next.loader); come != nil && p.navigator.underway > 0 {
			ds.freed, address = next.loader, come.URL
		}
		p.browser.chrome.log.Warn("cdp: a dialog that takes no answer keeps the next document from its place", "page", p.target, "instead", address)
		p.browser.later(func() { go ds.askAgain(address) })
	})
}

// askAgain navigates to an address instead of the document that a dialog has blocked.
// Chrome may still show that document first.
func (ds *dialogs) askAgain(address string) {
	reply, err := protocol.PageNavigate.Do(context.Background(), ds.page.session, cdppage.NavigateArgs{URL: address})
	if text := value(reply.ErrorText); err == nil && text != "" {
		err = errors.New(text)
	}
	ds.page.browser.locked(func() {
		ds.instead, ds.failed = driver.DocID(value(reply.LoaderID)), err
		ds.page.wake()
	})
}

// arrived reports whether the page shows the document that we requested again.
func (ds *dialogs) arrived() (bool, error) {
	return ds.failed != nil || ds.instead != "" && slices.Contains(ds.page.main.lately, ds.instead), ds.failed
}

func (ds *dialogs) dialogClosed(s *session, e *cdppage.JavascriptDialogClosedReply) {
	stay := ds.open != nil && ds.open.Kind == driver.BeforeUnload && !e.Result
	if d := ds.theirs; d != nil {
		ds.theirs = nil
		stay = d.opening.Type == cdppage.DialogTypeBeforeunload && !e.Result
	}
	ds.closeDialog(driver.DialogAnswer{Accept: e.Result, Text: e.UserInput})
	if stay {
		ds.stayed = true
		ds.page.main.fail()
	}
}

// closeDialog forgets the dialog that is open.
func (ds *dialogs) closeDialog(a driver.DialogAnswer) {
	d := ds.open
	if d == nil {
		return
	}
	ds.open = nil
	clear(ds.guests)
	ds.signal = make(chan struct{})
	ds.page.browser.emit(driver.DialogClosed{Page: ds.page.ID(), Dialog: *d, Answer: a})
}

// dialogSignal returns a channel that is closed when a dialog opens, or is
// closed already if one is open. Who sends a command that a dialog would
// withhold takes the channel before.
func (ds *dialogs) dialogSignal() <-chan struct{} {
	ds.page.browser.mu.Lock()
	defer ds.page.browser.mu.Unlock()
	return ds.signal
}

// A theirDialog is a dialog that another client, or a person, is to answer.
type theirDialog struct {
	session *session
	opening *cdppage.JavascriptDialogOpeningReply
}

// noDialog returns the signal of the next dialog, and an error if one is open.
func (ds *dialogs) noDialog() (<-chan struct{}, error) {
	signal := ds.dialogSignal()
	select {
	case <-signal:
		ds.page.browser.delivered() // DialogOpened, before the call returns
		return nil, driver.ErrDialog
	default:
		return signal, nil
	}
}

// undisturbed calls f with a context that a dialog ends, too. A dialog, and one that is open
// already, is driver.ErrDialog.
func (ds *dialogs) undisturbed(ctx context.Context, f func(ctx context.Context) error) error {
	dialog, err := ds.noDialog()
	if err != nil {
		return err
	}
	ctx, stop := unless(ctx, dialog, driver.ErrDialog)
	defer stop()
	if err = f(ctx); err != nil && context.Cause(ctx) == driver.ErrDialog {
		ds.page.browser.delivered() // DialogOpened, before the call returns
		return driver.ErrDialog
	}
	return err
}

// unless returns a context that a channel ends, too, with why as its cause.
func unless(ctx context.Context, closed <-chan struct{}, why error) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-closed:
			cancel(why)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
