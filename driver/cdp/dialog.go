package cdp

import (
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A dialogState is what a page knows of dialogs. browser.mu protects it.
type dialogState struct {
	answer func(driver.Dialog) driver.DialogAnswer // nil is the default
	open   *driver.Dialog
	signal chan struct{} // closed while a dialog is open
	stays  bool          // the page was not to be left, lately
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
	p.browser.tell(driver.DialogOpened{Page: p.ID(), Dialog: d})
	handle := func(a driver.DialogAnswer) {
		params := map[string]any{"accept": a.Accept}
		if d.Kind == driver.Prompt && a.Accept {
			params["promptText"] = a.Text
		}
		s.Post(conn.Command{Method: "Page.handleJavaScriptDialog", Params: params})
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
		p.dialogs.stays = true
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
	p.browser.tell(driver.DialogClosed{Page: p.ID(), Dialog: *d, Answer: a})
}
