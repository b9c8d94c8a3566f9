package cdp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A page is one tab.
type page struct {
	browser *browser
	target  string
	opener  driver.PageID
	session *session

	ready    chan struct{} // closed when the page can be used, or never will be
	readyErr error         // set by then

	// The rest is protected by browser.mu.

	extra    []*session // of frames in processes of their own
	frames   map[driver.FrameID]*frame
	main     *frame
	ordinals int
	watches  []*watch
	gone     error // why the page is no more
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
		browser: b, target: info.TargetID, opener: driver.PageID(info.OpenerID), session: s,
		ready:  make(chan struct{}),
		frames: map[driver.FrameID]*frame{},
	}
	s.page = p
	taken := false
	b.locked(func() {
		if taken = !b.gone; !taken {
			return
		}
		b.pages = append(b.pages, p)
		p.main = p.addFrame(s, driver.FrameID(info.TargetID), "")
		p.main.url = info.URL
		b.tell(driver.PageOpened{Page: p.ID(), Opener: p.opener, URL: info.URL})
		b.later(func() { p.prepare(s, true) })
	})
	if !taken {
		s.page = nil
	}
	return taken
}

// prepare sends a new session all that it needs, in one write, and lets its
// target run.
func (p *page) prepare(s *session, main bool) {
	commands := p.setup(s)
	last := &commands[len(commands)-1]
	last.then = func(_ []byte, err error) {
		if main {
			p.readyErr = err
			close(p.ready)
		}
	}
	if _, err := s.mux.start(s, commands); err != nil && main {
		p.readyErr = err
		close(p.ready)
	}
}

// setup lists what every session of the page begins with.
func (p *page) setup(s *session) []command {
	list := []command{
		{method: "Page.enable"},
		{method: "Page.getFrameTree", then: func(result []byte, err error) { p.takeTree(s, result, err) }},
		{method: "Page.setLifecycleEventsEnabled", params: map[string]any{"enabled": true}},
		{method: "Network.enable", params: map[string]any{"maxTotalBufferSize": 1, "maxResourceBufferSize": 1}},
		attachTo("iframe"),
	}
	list = append(list, p.environment(s)...)
	return append(list, command{method: "Runtime.runIfWaitingForDebugger"})
}

// environment is what the browser's options say about every page.
func (p *page) environment(s *session) []command {
	list := []command{{method: "Emulation.setFocusEmulationEnabled", params: map[string]any{"enabled": true}}}
	return list
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
		p.extra = append(p.extra, s)
		p.swapOut(s)
		p.browser.later(func() { p.prepare(s, false) })
	})
	return taken
}

// removeSession takes leave of such a session. Its frame may go on living in
// its parent's process.
func (p *page) removeSession(s *session) {
	p.browser.locked(func() {
		p.extra = slices.DeleteFunc(p.extra, func(o *session) bool { return o == s })
		p.orphan(s)
		p.browser.later(func() { s.mux.drop(s, fmt.Errorf("the frame's process is gone: %w", driver.ErrDetached)) })
	})
}

// remove ends the page for the reason why. browser.mu is held.
func (p *page) remove(why error) {
	if p.gone != nil {
		return
	}
	b := p.browser
	p.gone = why
	b.pages = slices.DeleteFunc(b.pages, func(o *page) bool { return o == p })
	p.wake()
	b.tell(driver.PageClosed{Page: p.ID()})
	all := append([]*session{p.session}, p.extra...)
	b.later(func() {
		for _, s := range all {
			s.mux.drop(s, why)
		}
	})
}

// Activate implements driver.Page.
func (p *page) Activate(ctx context.Context) error {
	return opError("activate", "", p.session.call(ctx, "Page.bringToFront", nil, nil))
}

// Close implements driver.Page.
func (p *page) Close(ctx context.Context) error {
	gone := p.watch(func() (bool, error) { return false, nil })
	err := p.browser.chrome.root.call(ctx, "Target.closeTarget", map[string]any{"targetId": p.target}, nil)
	if err != nil {
		gone.stop()
		var refused *CommandError
		if errors.Is(err, driver.ErrClosed) || errors.Is(err, driver.ErrCrashed) || errors.As(err, &refused) {
			return nil // it is gone already
		}
		return opError("close", "", err)
	}
	if err := gone.wait(ctx); errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return opError("close", "", err)
	}
	return nil
}
