package cdp

import (
	"slices"

	cdppage "github.com/mafredri/cdp/protocol/page"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// OnDialog implements driver.Page.
func (p *page) OnDialog(answer func(driver.Dialog) driver.DialogAnswer) {
	p.browser.mu.Lock()
	p.dialogs.answer = answer
	minds := p.minds()
	p.browser.mu.Unlock()
	if !minds {
		// A listener may call this, so use, which delivers events, is called elsewhere.
		mind := protocol.BrowserGetVersion.With(conn.None{})
		mind.OnAnswer(func(error) { p.use() })
		p.browser.chrome.root.Post(mind)
	}
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
	if !p.minds() {
		p.dialogs.theirs = &theirDialog{s, e}
		return
	}
	d := driver.Dialog{Kind: e.Type, Message: e.Message, Default: e.DefaultPrompt, URL: e.URL}
	if p.dialogs.open == nil {
		close(p.dialogs.signal)
	}
	p.dialogs.open, p.dialogs.session, p.dialogs.answered = &d, s, false
	p.browser.emit(driver.DialogOpened{Page: p.ID(), Dialog: d})
	if p.browser.guests == 0 {
		p.browser.later(p.answerDialog())
		return
	}
	// Chrome tells all sessions of the dialog before it answers anything else: once
	// this is answered we know whether a guest has heard of it, whose it then is.
	told := protocol.BrowserGetVersion.With(conn.None{})
	told.OnAnswer(func(error) {
		p.browser.locked(func() {
			if p.dialogs.open == &d {
				p.browser.later(p.answerDialog())
			}
		})
	})
	p.browser.later(func() { p.browser.chrome.root.Post(told) })
}

// answerDialog returns what answers the dialog that is open: nothing where a guest
// has it, or it was answered already. browser.mu is held.
func (p *page) answerDialog() func() {
	open, s := p.dialogs.open, p.dialogs.session
	if open == nil || p.dialogs.answered || len(p.dialogs.guests) > 0 {
		return func() {}
	}
	p.dialogs.answered = true
	d, answer := *open, p.dialogs.answer
	handle := func(a driver.DialogAnswer) {
		args := cdppage.HandleJavaScriptDialogArgs{Accept: a.Accept}
		if d.Kind == driver.Prompt && a.Accept {
			args.PromptText = &a.Text
		}
		s.Post(protocol.PageHandleJavaScriptDialog.With(args))
	}
	if answer == nil {
		return func() { handle(defaultAnswer(d)) }
	}
	return func() { go func() { handle(answer(d)) }() }
}

// guestDialog notes that a guest's session was told of the dialog of a target, or
// that it listens no more. The last that leaves a dialog open leaves it to us.
func (b *browser) guestDialog(target string, session any, listens bool) {
	b.mu.Lock()
	at := slices.IndexFunc(b.pages, func(p *page) bool { return p.target == target })
	answer := func() {}
	if at >= 0 {
		switch p := b.pages[at]; {
		case p.dialogs.open == nil:
		case listens:
			p.dialogs.guests[session] = true
		case p.dialogs.guests[session]:
			delete(p.dialogs.guests, session)
			answer = p.answerDialog()
		}
	}
	b.mu.Unlock()
	answer()
}

// guestUsed notes that a guest works with a page: what it does not answer there is
// ours.
func (b *browser) guestUsed(target string) {
	if p := b.pageOf(target); p != nil {
		p.use()
	}
}

type dialogClosed struct {
	Result    bool
	UserInput string
}

func (p *page) dialogClosed(s *session, e *dialogClosed) {
	stay := p.dialogs.open != nil && p.dialogs.open.Kind == driver.BeforeUnload && !e.Result
	if d := p.dialogs.theirs; d != nil {
		p.dialogs.theirs = nil
		stay = d.opening.Type == driver.BeforeUnload && !e.Result
	}
	p.closeDialog(driver.DialogAnswer{Accept: e.Result, Text: e.UserInput})
	if stay {
		p.dialogs.stayed = true
		p.main.fail()
	}
}

// closeDialog forgets the dialog that is open.
func (p *page) closeDialog(a driver.DialogAnswer) {
	d := p.dialogs.open
	if d == nil {
		return
	}
	p.dialogs.open = nil
	clear(p.dialogs.guests)
	p.dialogs.signal = make(chan struct{})
	p.browser.emit(driver.DialogClosed{Page: p.ID(), Dialog: *d, Answer: a})
}

// dialogSignal returns a channel that is closed when a dialog opens, or is
// closed already if one is open. Who sends a command that a dialog would
// withhold takes the channel before.
func (p *page) dialogSignal() <-chan struct{} {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return p.dialogs.signal
}

// A dialogState is what a page knows of dialogs. browser.mu protects it.
type dialogState struct {
	answer func(driver.Dialog) driver.DialogAnswer // nil is the default
	open   *driver.Dialog
	signal chan struct{} // closed while a dialog is open
	stayed bool          // the page was not to be left, lately
	theirs *theirDialog  // one that is open in a page that is not ours to mind

	// Of the dialog that is open.
	session  *session     // that told of it
	answered bool         // we answer it, or have
	guests   map[any]bool // their sessions that were told of it, and whose it is
}

func newDialogState(answer func(driver.Dialog) driver.DialogAnswer) dialogState {
	return dialogState{answer: answer, signal: make(chan struct{}), guests: map[any]bool{}}
}

// A theirDialog is a dialog that another client, or a person, is to answer.
type theirDialog struct {
	session *session
	opening *dialogOpening
}
