package cdp

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A person is one at a Chrome that others attach to: its dialogs stay open until
// the person says something.
type person struct {
	chrome *browser
	asked  chan driver.Dialog
	says   chan driver.DialogAnswer
}

// aPerson starts a Chrome with a debugging port.
func aPerson(t *testing.T) *person {
	t.Helper()
	testChrome(t) // skips where there is none
	t.Setenv("TMPDIR", shortDir(t))
	p := &person{asked: make(chan driver.Dialog, 100), says: make(chan driver.DialogAnswer)}
	ctx := t.Context()
	b, err := Launch{Port: -1}.Open(ctx, &driver.BrowserOptions{Dialog: func(d driver.Dialog) driver.DialogAnswer {
		p.asked <- d
		select {
		case a := <-p.says:
			return a
		case <-ctx.Done():
			return driver.DialogAnswer{}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.chrome = b.(*browser)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// attach attaches a session that gives every dialog one answer.
func (p *person) attach(t *testing.T, accept bool) *browser {
	t.Helper()
	b, err := Attach{URL: Endpoint(p.chrome)}.Open(t.Context(), &driver.BrowserOptions{
		Dialog: func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: accept} },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b.(*browser)
}

// TestAttachedSessionsShareNoDialog: of two sessions that are attached to one Chrome
// each answers the dialogs of its own pages, and of what these open.
func TestAttachedSessionsShareNoDialog(t *testing.T) {
	base := site{"/": "x", "/popup": "<script>document.title = confirm('?')</script>"}.serve(t)
	someone := aPerson(t)
	for _, c := range []struct {
		b    *browser
		want string
	}{{someone.attach(t, true), "true"}, {someone.attach(t, false), "false"}} {
		opened, err := c.b.NewPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := opened.(*page)
		goTo(t, p, base)
		for range 10 {
			if got := evaluate(t, p, "confirm('sure?')"); got != c.want {
				t.Fatalf("confirm = %s, want %s", got, c.want)
			}
		}
		r := recording(t, c.b)
		evaluate(t, p, "open('/popup'); 1")
		popup := await(t, r, func(e driver.PageOpened) bool { return e.Opener == p.ID() })
		await(t, r, func(e driver.Loaded) bool { return e.Page == popup.Page })
		if got := evaluate(t, c.b.pageOf(string(popup.Page)), "document.title"); got != c.want {
			t.Errorf("confirm of a popup = %s, want %s", got, c.want)
		}
	}
}

// TestAttachedLeavesPersonsDialog: a dialog of a tab that an attached session has not
// used is the person's, and the session is told nothing of it.
func TestAttachedLeavesPersonsDialog(t *testing.T) {
	someone := aPerson(t)
	tab := someone.chrome.Pages()[0].(*page)
	goTo(t, tab, site{"/": "x"}.serve(t))
	b := someone.attach(t, false)
	r := recording(t, b)
	call := ask(t, tab)
	<-someone.asked
	// All sessions have heard of the dialog, and what they say of it has arrived.
	for _, c := range []*Chrome{b.chrome, b.chrome, someone.chrome.chrome} {
		if err := c.root.Call(t.Context(), "Browser.getVersion", struct{}{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	someone.says <- driver.DialogAnswer{Accept: true}
	if !confirmed(t, call) {
		t.Error("an attached session answered a person's dialog")
	}
	evaluate(t, b.pageOf(tab.target), "1")
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		switch e.(type) {
		case driver.DialogOpened, driver.DialogClosed:
			t.Errorf("the session was told %+v", e)
		}
	}
}

// TestUseTakesDialogOver: a session that begins to use a tab answers the dialog that is
// open there, and those that come.
func TestUseTakesDialogOver(t *testing.T) {
	base := site{"/": "x"}.serve(t)
	someone := aPerson(t)
	for name, use := range map[string]func(ctx context.Context, p *page) error{
		"evaluate":   func(ctx context.Context, p *page) error { _, err := p.Evaluate(ctx, "1", nil); return err },
		"capture":    func(ctx context.Context, p *page) error { _, err := p.Capture(ctx); return err },
		"screenshot": func(ctx context.Context, p *page) error { _, err := p.Screenshot(ctx, nil); return err },
		"navigate":   func(ctx context.Context, p *page) error { _, err := p.Navigate(ctx, base, nil); return err },
		"reload":     func(ctx context.Context, p *page) error { _, err := p.Reload(ctx, nil); return err },
		"input": func(ctx context.Context, p *page) error {
			if err := p.Input(ctx, driver.KeyDown{Key: "a"}); !errors.Is(err, driver.ErrDialog) {
				return err // the dialog was gone before the key was sent
			}
			return nil
		},
		"ondialog": func(_ context.Context, p *page) error {
			p.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true} })
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			mine, err := someone.chrome.NewPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tab := mine.(*page)
			goTo(t, tab, base)
			b := someone.attach(t, name != "ondialog")
			r := recording(t, b)
			call := ask(t, tab)
			<-someone.asked
			theirs := b.pageOf(tab.target)
			if err := use(t.Context(), theirs); err != nil {
				t.Fatal(err)
			}
			await[driver.DialogOpened](t, r, nil)
			closed := await[driver.DialogClosed](t, r, nil)
			// A navigation closes the dialog of the document that it leaves, if our answer
			// is not there before.
			if name != "navigate" && name != "reload" {
				if !closed.Answer.Accept || !confirmed(t, call) {
					t.Errorf("the dialog that was open was closed by %+v", closed.Answer)
				}
			}
			if !confirmed(t, ask(t, tab)) {
				t.Error("the next dialog was dismissed")
			}
		})
	}
}

// TestAttachBesideDialog: a tab whose dialog stood open before a session attached keeps
// it from nothing else, and can be used once the dialog is answered.
func TestAttachBesideDialog(t *testing.T) {
	someone := aPerson(t)
	tab := someone.chrome.Pages()[0].(*page)
	goTo(t, tab, site{"/": "x"}.serve(t))
	call := ask(t, tab)
	<-someone.asked
	b := someone.attach(t, false)
	opened, err := b.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, opened.(*page), "confirm('sure?')"); got != "false" {
		t.Errorf("confirm beside the tab = %s, want false", got)
	}
	someone.says <- driver.DialogAnswer{Accept: true}
	if !confirmed(t, call) {
		t.Error("the session answered a person's dialog")
	}
	if got := evaluate(t, b.pageOf(tab.target), "1+1"); got != "2" {
		t.Errorf("the tab says %s after its dialog, want 2", got)
	}
}

// TestGuestUsesTab: a client that acts on a tab without listening to it has its dialogs
// answered by the session that let it in.
func TestGuestUsesTab(t *testing.T) {
	someone := aPerson(t)
	tab := someone.chrome.Pages()[0].(*page)
	goTo(t, tab, site{"/": "x"}.serve(t))
	b := someone.attach(t, true)
	v, session := enter(t, b)
	r := v.must(session, "Runtime.evaluate", `{"expression":"confirm('sure?')"}`)
	if !strings.Contains(string(r), "true") {
		t.Errorf("confirm = %s, want true", r)
	}
}
