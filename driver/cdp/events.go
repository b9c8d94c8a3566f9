package cdp

import (
	"fmt"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// event handles an event of one of the page's sessions, on the reader goroutine.
func (p *page) event(s *session, method string, params []byte) {
	handle := handlers[method]
	if handle == nil {
		return
	}
	p.browser.locked(func() {
		if p.gone == nil {
			handle(p, s, method, params)
			p.wake()
		}
	})
}

// handlers are called with browser.mu held.
var handlers = map[string]func(p *page, s *session, method string, params []byte){
	"Input.dragIntercepted":           on((*page).dragIntercepted),
	"Page.frameAttached":              on((*page).frameAttached),
	"Page.frameDetached":              on((*page).frameDetached),
	"Page.frameRequestedNavigation":   on((*page).frameRequestedNavigation),
	"Page.frameStartedNavigating":     on((*page).frameStartedNavigating),
	"Page.frameStoppedLoading":        on((*page).frameStoppedLoading),
	"Page.frameNavigated":             on((*page).frameNavigated),
	"Page.navigatedWithinDocument":    on((*page).navigatedWithinDocument),
	"Page.documentOpened":             on((*page).documentOpened),
	"Page.lifecycleEvent":             on((*page).lifecycleEvent),
	"Page.windowOpen":                 on((*page).windowOpen),
	"Page.javascriptDialogOpening":    on((*page).dialogOpening),
	"Page.javascriptDialogClosed":     on((*page).dialogClosed),
	"Page.fileChooserOpened":          on((*page).fileChooserOpened),
	"Network.requestWillBeSent":       on((*page).requestWillBeSent),
	"Network.responseReceived":        on((*page).responseReceived),
	"Network.loadingFinished":         on((*page).loadingFinished),
	"Network.loadingFailed":           on((*page).loadingFailed),
	"Runtime.executionContextCreated": on((*page).executionContextCreated),
	"Inspector.targetCrashed":         on((*page).targetCrashed),

	"Page.frameClearedScheduledNavigation": on((*page).frameClearedScheduledNavigation),
	"Inspector.targetReloadedAfterCrash":   on((*page).targetReloaded),
}

// on makes a handler of a method that wants the parameters decoded.
func on[T any](f func(*page, *session, *T)) func(*page, *session, string, []byte) {
	return func(p *page, s *session, method string, params []byte) {
		var e T
		if p.browser.chrome.read(method, params, &e) {
			f(p, s, &e)
		}
	}
}

type frameAttached struct {
	FrameID, ParentFrameID driver.FrameID
}

func (p *page) frameAttached(s *session, e *frameAttached) {
	if f := p.frames[e.FrameID]; f != nil {
		p.hand(f, s) // it comes back from a process of its own
		return
	}
	if p.frames[e.ParentFrameID] != nil {
		p.addFrame(s, e.FrameID, e.ParentFrameID)
	}
}

type frameDetached struct {
	FrameID driver.FrameID
	Reason  string
}

func (p *page) frameDetached(s *session, e *frameDetached) {
	f := p.frames[e.FrameID]
	switch {
	case f == nil || f.parent == nil:
	case e.Reason == "swap":
		// It goes on in another process, whose session comes or has come.
		if f.session == s {
			p.dropChildren(f)
		}
	case f.session == s || f.parent.session == s:
		p.dropFrame(f)
	}
}

type frameNavigated struct {
	Frame frameInfo
	Type  string
}

func (p *page) frameNavigated(s *session, e *frameNavigated) {
	f := p.frames[e.Frame.ID]
	if f == nil {
		return
	}
	p.hand(f, s)
	restored := e.Type == "BackForwardCacheRestore"
	p.show(f, &e.Frame, restored)
	status := 0
	if r := p.responses.of(f.doc); r != nil {
		status = r.Status
	}
	p.browser.tell(driver.Navigated{Page: p.ID(), Frame: f.id, Doc: f.doc, URL: f.url, Status: status})
	if restored {
		// It had loaded before, and Chrome does not say so again.
		p.browser.tell(driver.DOMContentLoaded{Page: p.ID(), Frame: f.id})
		p.browser.tell(driver.Loaded{Page: p.ID(), Frame: f.id})
		// Its frames come back with it, and are not told one by one.
		p.browser.later(func() { s.Post(p.askTree(s)) })
	}
}

type navigatedWithinDocument struct {
	FrameID driver.FrameID
	URL     string
}

func (p *page) navigatedWithinDocument(s *session, e *navigatedWithinDocument) {
	if f := p.frames[e.FrameID]; f != nil {
		f.url = e.URL
		f.hops++
		if f.hopsBack {
			p.travelled, f.hopsBack = f, false
		}
		p.browser.tell(driver.Navigated{Page: p.ID(), Frame: f.id, Doc: f.doc, URL: f.url, SameDocument: true})
	}
}

type documentOpened struct{ Frame frameInfo }

// documentOpened: document.open gives a frame the address of who called it.
func (p *page) documentOpened(s *session, e *documentOpened) {
	if f := p.frames[e.Frame.ID]; f != nil && f.doc == e.Frame.LoaderID {
		f.url = e.Frame.address()
	}
}

type lifecycleEvent struct {
	FrameID  driver.FrameID
	LoaderID driver.DocID
	Name     string
}

func (p *page) lifecycleEvent(s *session, e *lifecycleEvent) {
	f := p.frames[e.FrameID]
	if f == nil || f.session != s {
		return
	}
	if f.doc == "" {
		f.doc = e.LoaderID // the empty document that every frame begins with
	}
	if f.doc != e.LoaderID {
		return
	}
	switch e.Name {
	case "init":
		f.parsed, f.loaded = false, false
	case "DOMContentLoaded":
		f.parsed = true
		p.browser.tell(driver.DOMContentLoaded{Page: p.ID(), Frame: f.id})
	case "load":
		f.parsed, f.loaded = true, true
		p.browser.tell(driver.Loaded{Page: p.ID(), Frame: f.id})
	}
}

type windowOpen struct{ URL string }

// windowOpen comes before the page that it announces.
func (p *page) windowOpen(s *session, e *windowOpen) { p.opening = append(p.opening, e.URL) }

// announced returns the address of the window that was announced first.
func (p *page) announced() string {
	if len(p.opening) == 0 {
		return ""
	}
	url := p.opening[0]
	p.opening = slices.Delete(p.opening, 0, 1)
	return url
}

type fileChooserOpened struct {
	FrameID       driver.FrameID
	Mode          string
	BackendNodeID driver.NodeID
}

func (p *page) fileChooserOpened(s *session, e *fileChooserOpened) {
	if f := p.frames[e.FrameID]; f != nil {
		p.browser.tell(driver.FileChooserOpened{
			Page: p.ID(), Node: driver.NodeRef{Frame: f.id, Doc: f.doc, Node: e.BackendNodeID},
			Multiple: e.Mode == "selectMultiple",
		})
	}
}

type targetCrashed struct{}

// targetCrashed: the process of the session's frames is gone. The page's own
// takes the page with it, unless we ended it; a frame's leaves a hole.
func (p *page) targetCrashed(s *session, _ *targetCrashed) {
	fault := fmt.Errorf("the page's process has ended: %w", driver.ErrCrashed)
	if s != p.session {
		p.browser.later(func() { s.Fail(fault) })
		return
	}
	if p.crashing {
		p.crashed()
		return
	}
	p.end(fault)
	p.browser.tell(driver.PageCrashed{Page: p.ID()})
}

type targetReloaded struct{}

// targetReloaded: a page or frame whose process had ended has a new one.
func (p *page) targetReloaded(s *session, _ *targetReloaded) {
	if s == p.session {
		p.bare = false
		defer p.browser.later(func() { s.Post(p.askTree(s)) }) // it may show nothing as yet
	}
	p.browser.later(func() { s.Revive() })
}
