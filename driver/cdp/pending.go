package cdp

import (
	"encoding/json"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A pendingNavigation is under way: NavigationRequested was told of it, and its
// end was not. Whatever ends it comes through this file, which is the only one
// that sets frame.pending:
//
//	committed    frameNavigated shows its document
//	given up     loadingFailed says that it was canceled, and nothing is shown
//	             in its place: a 204, a download, a refusal, window.stop, an
//	             address for another program
//	never begun  frameClearedScheduledNavigation comes without a start: file:
//	             by a form
//	declined     the page was asked whether it may be left, and stays
//	superseded   the frame requests another
//
// One that fails otherwise shows Chrome's own page about it, which commits.
//
// All of it is called with browser.mu held.
type pendingNavigation struct {
	loader  driver.DocID // empty until Chrome has begun with it
	history bool         // it goes to another entry of the history
}

// request begins a navigation of the frame.
func (p *page) request(f *frame, url string) {
	f.pending = &pendingNavigation{}
	p.browser.tell(driver.NavigationRequested{Page: p.ID(), Frame: f.id, URL: url})
}

type frameRequestedNavigation struct {
	FrameID     driver.FrameID
	URL         string
	Disposition string
}

func (p *page) frameRequestedNavigation(s *session, e *frameRequestedNavigation) {
	// What opens elsewhere, or is saved, does not move this frame.
	if f := p.frames[e.FrameID]; f != nil && e.Disposition == "currentTab" {
		p.request(f, e.URL)
	}
}

type frameStartedNavigating struct {
	FrameID        driver.FrameID
	URL            string
	LoaderID       driver.DocID
	NavigationType string
}

func (p *page) frameStartedNavigating(s *session, e *frameStartedNavigating) {
	f := p.frames[e.FrameID]
	if f == nil || e.NavigationType == "sameDocument" {
		return
	}
	if e.NavigationType == "historySameDocument" {
		f.hopsBack = true
		return
	}
	if f.pending == nil || f.pending.loader != "" && f.pending.loader != e.LoaderID {
		p.request(f, e.URL)
	}
	f.pending.loader, f.pending.history = e.LoaderID, e.NavigationType == "historyDifferentDocument"
}

type frameClearedScheduledNavigation struct{ FrameID driver.FrameID }

// frameClearedScheduledNavigation: the frame's process has handed a navigation
// on, or has dropped it. By the time that it answers a question, the start of
// one that was handed on has been told.
func (p *page) frameClearedScheduledNavigation(s *session, e *frameClearedScheduledNavigation) {
	f := p.frames[e.FrameID]
	if f == nil || f.pending == nil || f.pending.loader != "" {
		return
	}
	dropped := f.pending
	p.browser.later(func() {
		s.Post(conn.Command{Method: "Page.getFrameTree", Then: func([]byte, error) {
			p.browser.locked(func() {
				if p.gone == nil && f.pending == dropped && dropped.loader == "" {
					p.fail(f)
					p.wake()
				}
			})
		}})
	})
}

// commit ends the navigation that led to the document that the frame shows now.
func (p *page) commit(f *frame, restored bool) {
	if f.pending == nil || f.pending.loader != "" && f.pending.loader != f.doc && !restored {
		return
	}
	if f.pending.history {
		p.travelled = f
	}
	f.pending = nil
}

// giveUp ends the navigation that a loader stood for, whose document will not
// be shown.
func (p *page) giveUp(loader driver.DocID) {
	for _, f := range p.frames {
		if f.pending != nil && f.pending.loader == loader {
			p.fail(f)
		}
	}
}

// fail ends a frame's navigation that came to nothing.
func (p *page) fail(f *frame) {
	f.failures++
	if f.pending != nil {
		f.pending = nil
		p.browser.tell(driver.NavigationEnded{Page: p.ID(), Frame: f.id})
	}
	p.askStopped(f)
}

type frameStoppedLoading struct{ FrameID driver.FrameID }

func (p *page) frameStoppedLoading(s *session, e *frameStoppedLoading) {
	if f := p.frames[e.FrameID]; f != nil && f.session == s {
		p.askStopped(f)
	}
}

// askStopped finds out whether a document that has not loaded ever will. Chrome
// stops parsing and loading when the document asks to go elsewhere; if that
// comes to nothing, the part that is there stays, "complete", and neither
// DOMContentLoaded nor load is fired.
func (p *page) askStopped(f *frame) {
	if f.loaded || f.doc == "" || f.pending != nil {
		return
	}
	doc, s := f.doc, f.session
	stopped := func(raw []byte, err error) {
		var o outcome
		var state string
		if err != nil || json.Unmarshal(raw, &o) != nil || json.Unmarshal(o.Result.Value, &state) != nil || state != "complete" {
			return // it goes on, or something else came, which is told elsewhere
		}
		p.browser.locked(func() {
			if p.gone == nil && f.doc == doc && f.pending == nil {
				p.endLoading(f)
				p.wake()
			}
		})
	}
	p.browser.later(func() {
		s.Post(conn.Command{
			Method: "Page.createIsolatedWorld",
			Params: map[string]any{"frameId": f.id, "worldName": worldName, "grantUniveralAccess": true}, // Chrome's spelling
			Then: func(raw []byte, err error) {
				var made struct{ ExecutionContextID int64 }
				if err != nil || json.Unmarshal(raw, &made) != nil {
					return
				}
				s.Post(conn.Command{
					Method: "Runtime.evaluate",
					Params: map[string]any{"expression": "document.readyState", "contextId": made.ExecutionContextID, "silent": true},
					Then:   stopped,
				})
			},
		})
	})
}

// endLoading notes that a document is as complete as it will ever be.
func (p *page) endLoading(f *frame) {
	if !f.parsed {
		f.parsed = true
		p.browser.tell(driver.DOMContentLoaded{Page: p.ID(), Frame: f.id})
	}
	if !f.loaded {
		f.loaded = true
		p.browser.tell(driver.Loaded{Page: p.ID(), Frame: f.id})
	}
}

// A fetchFailure is a document that could not be fetched.
type fetchFailure struct {
	loader   driver.DocID
	text     string // "net::ERR_…"
	canceled bool   // nothing is shown in its place
}

// errorPage is the address of what Chrome shows where a fetch failed.
const errorPage = "chrome-error:"

// explainShown notes why a frame shows a page of Chrome's own, if it does.
// Where a server has answered, with a status and no text, that is the answer.
func (p *page) explainShown(f *frame, unreachable string) {
	f.failed = nil
	if !strings.HasPrefix(f.url, errorPage) || p.answeredLocked(f.doc) {
		return
	}
	f.failed = &driver.NavigationError{URL: unreachable, Reason: driver.ReasonOther}
	if f.failure.loader == f.doc {
		f.failed.Reason, f.failed.Detail = reasonOf(f.failure.text), f.failure.text
	}
}
