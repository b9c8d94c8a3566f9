package cdp

import (
	"context"
	"errors"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/guest"
)

var _ driver.Host = (*browser)(nil)

// A host lets other clients work with a browser's pages.
type host struct {
	browser *browser
	guests  int // clients that are let in; protected by browser.mu
}

// Admit implements driver.Host.
func (h *host) Admit(ctx context.Context, o *driver.GuestOptions) (driver.Guest, error) {
	b := h.browser
	if b.isGone() {
		return nil, opError("admit", "", b.goneError())
	}
	in := &hosted{}
	h.countGuests(1)
	in.leave = sync.OnceFunc(func() { h.countGuests(-1) })
	g, err := guest.Admit(ctx, guest.Options{
		Conn: b.chrome.conn, Context: b.context, Base: b.contextID() == nil, Guest: o,
		Allow: h.allowAddress, Refusal: wordsOf, Left: h.emulateAgain, Dialog: h.guestDialog, Used: h.guestUsed,
	})
	if err != nil {
		in.leave()
		return nil, opError("admit", "", err)
	}
	in.Guest = g
	in.stop = b.Listen(func(e driver.Event) {
		if _, gone := e.(driver.BrowserGone); gone {
			g.Close()
		}
	})
	if b.isGone() { // before it listened
		in.Close()
		return nil, opError("admit", "", b.goneError())
	}
	return in, nil
}

// A hosted guest listens for its browser's end.
type hosted struct {
	*guest.Guest
	stop  func()
	leave func() // may be called again
}

func (h *hosted) Close() {
	h.stop()
	h.Guest.Close()
	h.leave()
}

func (h *host) countGuests(n int) {
	h.browser.mu.Lock()
	defer h.browser.mu.Unlock()
	h.guests += n
}

// allowAddress decides about an address that a guest has a page ask for.
func (h *host) allowAddress(url string) error {
	if h.browser.opts.Allow == nil {
		return nil
	}
	return h.browser.opts.Allow(driver.RequestInfo{URL: url, Method: "GET", Kind: driver.RequestDocument})
}

// wordsOf reads an error as Chrome wrote it.
func wordsOf(err error) (code int, message string) {
	if refused, ok := errors.AsType[*CommandError](err); ok {
		return refused.Code, refused.Message
	}
	return -32000, err.Error()
}

// emulateAgain gives the pages the environment back that a guest has taken from
// them by one of its own.
func (h *host) emulateAgain() {
	h.browser.locked(func() {
		for _, p := range h.browser.pages {
			for _, s := range p.sessionsLocked() {
				if list := p.emulator.commands(s, &p.emulator.all); len(list) > 0 {
					h.browser.later(func() { s.Post(list...) })
				}
			}
		}
	})
}

// guestDialog records that a guest's session has received a target's dialog, or that it
// has stopped listening. When the last such session stops, we answer the open dialog.
func (h *host) guestDialog(target string, session any, listens bool) {
	h.browser.mu.Lock()
	answer := func() {}
	switch p := h.browser.pageLocked(target); {
	case p == nil || p.dialogs.open == nil:
	case listens:
		p.dialogs.guests[session] = true
	case p.dialogs.guests[session]:
		delete(p.dialogs.guests, session)
		answer = p.answerDialog()
	}
	h.browser.mu.Unlock()
	answer()
}

// guestUsed notes that a guest works with a page: what it does not answer there is
// ours.
func (h *host) guestUsed(target string) {
	if p := h.browser.pageOf(target); p != nil {
		p.use()
	}
}
