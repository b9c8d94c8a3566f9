package drivertest

import (
	"context"
	"errors"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const asking = `<button id=a>alert</button><button id=c>confirm</button><button id=p>prompt</button><p id=log></p>`

var askingDoes = []Behavior{
	on("click", "#a", Action{Kind: ShowAlert, Text: "Hello"}, Action{Kind: SetText, Target: "#log", Text: "told"}),
	on("click", "#c", Action{Kind: ShowConfirm, Text: "Sure?", Target: "#log"}),
	on("click", "#p", Action{Kind: ShowPrompt, Text: "Name?", Name: "nobody", Target: "#log"}),
}

var dialogCases = rows(Case{Doc: "Page.OnDialog", pages: pages{"/": asking}, does: askingDoes},
	rule("dialogs/default", "By default alert is accepted, confirm and prompt are dismissed.").opens(func(t *trial) {
		t.equal("log after alert", ask(t, "#a"), "told")
		t.equal("log after confirm", ask(t, "#c"), "false")
		t.equal("log after prompt", ask(t, "#p"), "null")
	}),
	rule("dialogs/answer", "OnDialog's answer is given: accepted, with a prompt's text, or dismissed.").opens(func(t *trial) {
		t.page.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true, Text: "Ann"} })
		t.equal("log after confirm", ask(t, "#c"), "true")
		t.equal("log after prompt", ask(t, "#p"), "Ann")
		t.page.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{} })
		t.equal("log after a dismissed confirm", ask(t, "#c"), "false")
		t.equal("log after a dismissed prompt", ask(t, "#p"), "null")
	}),
	rule("dialogs/leaving",
		"A page that asks before it is left, once somebody has acted on it, opens a dialog of the kind BeforeUnload: declined, the page stays and Navigate is aborted; accepted, as by default, it is left.").
		with(pages{"/": `<button id=b>x</button>`, "/next": "<p>next"}).
		doing(on("beforeunload", "", Action{Kind: PreventDefault})).
		opens(func(t *trial) {
			t.click("#b")
			t.events.mark()
			t.page.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{} })
			_, err := t.page.Navigate(t.ctx, t.url("/next"), nil)
			var failed *driver.NavigationError
			t.must(errors.As(err, &failed) && failed.Reason == driver.ReasonAborted, "Navigate, declined = %v, want it aborted", err)
			t.equal("URL, declined", t.main().URL, t.url("/"))
			t.equal("Kind", wait[driver.DialogOpened](t, nil).Dialog.Kind, driver.BeforeUnload)
			t.page.OnDialog(nil)
			t.openIn(t.page, "/next")
			t.equal("URL, accepted", t.main().URL, t.url("/next"))
		}),
	rule("dialogs/restored", "OnDialog with nil restores the default.").opens(func(t *trial) {
		t.page.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true} })
		t.equal("log after an accepted confirm", ask(t, "#c"), "true")
		t.page.OnDialog(nil)
		t.equal("log after the default", ask(t, "#c"), "false")
	}),
	rule("dialogs/what", "A Dialog has its kind, message, a prompt's default, and the address of the frame that asks.").at("Dialog").opens(func(t *trial) {
		asked := make(chan driver.Dialog, 1)
		t.page.OnDialog(func(d driver.Dialog) driver.DialogAnswer {
			asked <- d
			return driver.DialogAnswer{}
		})
		for id, want := range map[string]driver.Dialog{
			"#a": {Kind: driver.Alert, Message: "Hello"}, "#c": {Kind: driver.Confirm, Message: "Sure?"},
			"#p": {Kind: driver.Prompt, Message: "Name?", Default: "nobody"},
		} {
			want.URL = t.url("/")
			ask(t, id)
			t.equal("Dialog", <-asked, want)
		}
	}),
	rule("dialogs/events", "DialogOpened and then DialogClosed with the answer are told.").at("DialogClosed").opens(func(t *trial) {
		t.page.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true, Text: "Ann"} })
		t.trigger("#p")
		opened := wait[driver.DialogOpened](t, nil)
		closed := wait[driver.DialogClosed](t, nil)
		t.equal("Page", opened.Page, t.page.ID())
		t.equal("Dialog of DialogClosed", closed.Dialog, opened.Dialog)
		t.equal("Answer", closed.Answer, driver.DialogAnswer{Accept: true, Text: "Ann"})
		for _, e := range t.events.since() {
			if _, ok := e.(driver.DialogClosed); ok {
				t.errorf("DialogClosed was told before DialogOpened")
			}
			if _, ok := e.(driver.DialogOpened); ok {
				break
			}
		}
	}),
	rule("dialogs/input-returns", "A dialog that opens because of the input does not hold Input up: it returns while the dialog is open, and DialogOpened has been told.").at("Actor.Input").
		opens(func(t *trial) {
			answer := answerLater(t)
			opensDialog(t, "#c")
			t.equal("dialogs closed when Input returned", len(told[driver.DialogClosed](t)), 0)
			answer <- driver.DialogAnswer{Accept: true}
			wait[driver.DialogClosed](t, nil)
			t.equal("log", t.text("#log"), "true")
		}),
	rule("dialogs/calls-wait", "While a dialog is open, calls that need the page's script wait within their contexts, or fail with ErrDialog; none hangs. When it is answered the page is as before.").
		opens(func(t *trial) {
			ref := t.find("#log")
			answer := answerLater(t)
			opensDialog(t, "#c")
			ctx, cancel := context.WithCancel(t.ctx)
			failed := make(chan error, 1)
			go func() { failed <- errOf(t.page.State(ctx, ref)) }()
			cancel()
			err := <-failed
			t.must(errors.Is(err, context.Canceled) || errors.Is(err, driver.ErrDialog), "State: error %v, want context.Canceled or ErrDialog", err)
			answer <- driver.DialogAnswer{}
			wait[driver.DialogClosed](t, nil)
			t.equal("log", t.text("#log"), "false")
		}),
	rule("dialogs/from-the-start", "BrowserOptions.Dialog answers the dialogs of every page until OnDialog is called on it.").at("BrowserOptions.Dialog").
		under(func(_ *trial, o *driver.BrowserOptions) {
			o.Dialog = func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true, Text: "first"} }
		}).
		opens(func(t *trial) {
			t.equal("log after prompt", ask(t, "#p"), "first")
			t.page.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true, Text: "second"} })
			t.equal("log after OnDialog", ask(t, "#p"), "second")
		}),
	rule("dialogs/on-load", "A dialog that a page shows while it loads is answered, and the navigation goes on.").
		doing(on("load", "", Action{Kind: ShowConfirm, Text: "Load?", Target: "#log"})).
		checks(func(t *trial) {
			t.page.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true} })
			t.open("/")
			wait[driver.DialogClosed](t, nil)
			t.equal("log", t.text("#log"), "true")
		}),
	rule("dialogs/pages", "OnDialog is a page's own.").checks(func(t *trial) {
		other := t.newPage()
		other.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true} })
		t.ok("Activate", t.page.Activate(t.ctx))
		t.open("/")
		t.equal("log", ask(t, "#c"), "false")
	}),
	rule("dialogs/several", "Dialogs that follow one another are all answered, in their order.").
		on(`<button id=b>x</button><p id=l1></p><p id=l2></p>`).
		doing(on("click", "#b", Action{Kind: ShowPrompt, Text: "1", Target: "#l1"},
			Action{Kind: ShowAlert, Text: "between"}, Action{Kind: ShowPrompt, Text: "2", Target: "#l2"})).
		opens(func(t *trial) {
			t.page.OnDialog(func(d driver.Dialog) driver.DialogAnswer {
				return driver.DialogAnswer{Accept: true, Text: "to " + d.Message}
			})
			t.trigger("#b")
			wait(t, func(e driver.DialogClosed) bool { return e.Dialog.Message == "2" })
			t.equal("texts", []string{t.text("#l1"), t.text("#l2")}, []string{"to 1", "to 2"})
		}),
	rule("dialogs/close", "A page whose dialog is open can be closed; so can its browser.").at("Page.Close").checks(func(t *trial) {
		t.newPage()
		t.ok("Activate", t.page.Activate(t.ctx))
		t.open("/")
		answerLater(t)
		opensDialog(t, "#c")
		t.ok("Page.Close", t.page.Close(t.ctx))
		t.equal("pages", len(t.browser.Pages()), 1)
	}),
)

// ask clicks what shows a dialog, waits until it is answered, and returns the log.
func ask(t *trial, selector string) string {
	t.trigger(selector)
	wait[driver.DialogClosed](t, nil)
	return t.text("#log")
}

// inputLimit is less than any limit that a driver sets itself: an Input that
// waits for a dialog's answer runs into it.
const inputLimit = 20 * time.Second

// opensDialog clicks what shows a dialog that nobody answers yet.
func opensDialog(t *trial, selector string) {
	l := t.locate(t.find(selector), nil)
	t.events.mark()
	ctx, cancel := context.WithTimeout(t.ctx, inputLimit)
	defer cancel()
	t.ok("Input that opens a dialog", t.page.Input(ctx, clickOn(l.At)...))
	t.must(ctx.Err() == nil, "Input returned no more than %v after it was called, though a dialog opened", inputLimit)
	wait[driver.DialogOpened](t, nil)
}

// answerLater has the page's dialogs wait for an answer of the check's.
func answerLater(t *trial) chan<- driver.DialogAnswer {
	answer := make(chan driver.DialogAnswer, 1)
	done := make(chan struct{})
	t.cleanup(func() { close(done) })
	t.page.OnDialog(func(driver.Dialog) driver.DialogAnswer {
		select {
		case a := <-answer:
			return a
		case <-done:
			return driver.DialogAnswer{}
		}
	})
	return answer
}
