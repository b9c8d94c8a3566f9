package cdp

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

// event handles an event of one of the page's sessions.
func (p *page) event(s *session, method string, params []byte) {
	handle := handlers[method]
	if handle == nil {
		return
	}
	p.browser.locked(func() {
		if p.gone == nil {
			handle(p, s, params)
			p.wake()
		}
	})
}

// handlers are called with browser.mu held.
var handlers = map[string]func(p *page, s *session, params []byte){
	"Page.frameAttached":              on((*page).frameAttached),
	"Page.frameDetached":              on((*page).frameDetached),
	"Page.frameRequestedNavigation":   on((*page).frameRequestedNavigation),
	"Page.frameStartedNavigating":     on((*page).frameStartedNavigating),
	"Page.frameNavigated":             on((*page).frameNavigated),
	"Page.navigatedWithinDocument":    on((*page).navigatedWithinDocument),
	"Page.lifecycleEvent":             on((*page).lifecycleEvent),
	"Runtime.executionContextCreated": on((*page).executionContextCreated),
}

// on makes a handler of a method that wants the parameters decoded.
func on[T any](f func(*page, *session, *T)) func(*page, *session, []byte) {
	return func(p *page, s *session, params []byte) {
		if v, ok := decode[T](p.browser, "event", params); ok {
			f(p, s, &v)
		}
	}
}

type frameAttached struct {
	FrameID, ParentFrameID driver.FrameID
}

func (p *page) frameAttached(s *session, e *frameAttached) {
	if f := p.frames[e.FrameID]; f != nil {
		// It comes back from a process of its own.
		if f.session != s && f.parent != nil {
			p.dropChildren(f)
			f.session = s
			clear(f.worlds)
		}
		return
	}
	p.addFrame(s, e.FrameID, e.ParentFrameID)
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
		// It goes on in another process, whose session is about to come.
		p.dropChildren(f)
	default:
		p.dropFrame(f)
	}
}

type frameRequestedNavigation struct {
	FrameID     driver.FrameID
	URL         string
	Disposition string
}

func (p *page) frameRequestedNavigation(s *session, e *frameRequestedNavigation) {
	if f := p.frames[e.FrameID]; f != nil && e.Disposition == "currentTab" {
		f.requested, f.loader = true, ""
		p.browser.tell(driver.NavigationRequested{Page: p.ID(), Frame: f.id, URL: e.URL})
	}
}

type frameStartedNavigating struct {
	FrameID        driver.FrameID
	URL            string
	LoaderID       string
	NavigationType string
}

func (p *page) frameStartedNavigating(s *session, e *frameStartedNavigating) {
	f := p.frames[e.FrameID]
	if f == nil || e.NavigationType == "sameDocument" || e.NavigationType == "historySameDocument" {
		return
	}
	if !f.requested {
		p.browser.tell(driver.NavigationRequested{Page: p.ID(), Frame: f.id, URL: e.URL})
	}
	f.requested, f.loader = true, e.LoaderID
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
	p.dropChildren(f)
	f.session = s
	f.doc, f.url, f.name = e.Frame.LoaderID, e.Frame.address(), e.Frame.Name
	f.parsed, f.loaded = false, false
	clear(f.worlds)
	f.requested = false
	f.commits++
	if e.Type == "BackForwardCacheRestore" {
		f.parsed, f.loaded = true, true
	}
	p.browser.tell(driver.Navigated{Page: p.ID(), Frame: f.id, Doc: f.doc, URL: f.url})
}

type navigatedWithinDocument struct {
	FrameID driver.FrameID
	URL     string
}

func (p *page) navigatedWithinDocument(s *session, e *navigatedWithinDocument) {
	f := p.frames[e.FrameID]
	if f == nil {
		return
	}
	f.url = e.URL
	f.hops++
	p.browser.tell(driver.Navigated{Page: p.ID(), Frame: f.id, Doc: f.doc, URL: f.url, SameDocument: true})
}

type lifecycleEvent struct {
	FrameID  driver.FrameID
	LoaderID driver.DocID
	Name     string
}

func (p *page) lifecycleEvent(s *session, e *lifecycleEvent) {
	f := p.frames[e.FrameID]
	if f == nil || f.doc != e.LoaderID {
		return
	}
	switch e.Name {
	case "DOMContentLoaded":
		f.parsed = true
		p.browser.tell(driver.DOMContentLoaded{Page: p.ID(), Frame: f.id})
	case "load":
		f.loaded = true
		p.browser.tell(driver.Loaded{Page: p.ID(), Frame: f.id})
	}
}

type executionContextCreated struct {
	Context struct {
		ID      int64
		AuxData struct {
			IsDefault bool
			FrameID   driver.FrameID
		}
	}
}

func (p *page) executionContextCreated(s *session, e *executionContextCreated) {
	aux := e.Context.AuxData
	if f := p.frames[aux.FrameID]; f != nil && f.session == s && aux.IsDefault {
		f.worlds[driver.Main] = e.Context.ID
	}
}
