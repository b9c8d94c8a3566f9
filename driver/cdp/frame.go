package cdp

import (
	"slices"
	"strings"

	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// maxLately is how many documents may follow each other before somebody who
// waits for the first has looked.
const maxLately = 16

// A frame is one frame of a page, as Chrome's events tell of it. browser.mu protects
// its fields, and callers of its methods hold it.
type frame struct {
	page     *page
	session  *session // whose process renders it
	id       driver.FrameID
	parent   *frame
	children []*frame
	ordinal  int

	doc    driver.DocID
	url    string
	name   string
	parsed bool // the document is parsed
	loaded bool // its load event has fired
	worlds map[driver.World]runtime.ExecutionContextID

	library  worldKey                // our world that has the library; to give it again does no harm
	pending  *pendingNavigation      // nil if none is under way
	commits  int                     // documents that were shown
	hops     int                     // navigations within a document
	hopsBack bool                    // the next of them goes to another entry of the history
	failures int                     // navigations that came to nothing
	lately   []driver.DocID          // the last documents shown, the present one included
	tools    []driver.Tool           // that the document offers, as far as told; see BrowserOptions.PageTools
	failure  fetchFailure            // the last that happened
	failed   *driver.NavigationError // why a page of Chrome's own is shown; nil if none is
}

func (f *frame) describe() driver.Frame {
	d := driver.Frame{ID: f.id, Doc: f.doc, URL: f.url, Name: f.name, Ordinal: f.ordinal, Failed: f.failed}
	if f.parent != nil {
		d.Parent = f.parent.id
		d.OwnProcess = f.session != f.parent.session
	}
	return d
}

// state is what needs no lock.
func (f *frame) state() frameState { return frameState{f.describe(), f.session, f.library} }

// appendTo appends the frame and those in it, in document order.
func (f *frame) appendTo(list []*frame) []*frame {
	list = append(list, f)
	for _, c := range f.children {
		list = c.appendTo(list)
	}
	return list
}

// at reports whether the frame's document is as far as until says.
func (f *frame) at(until driver.WaitUntil) bool {
	switch until {
	case driver.WaitCommit:
		return true
	case driver.WaitDOMContentLoaded:
		return f.parsed
	default:
		return f.loaded
	}
}

// drop forgets the frame and the frames in it.
func (f *frame) drop() {
	f.dropChildren()
	f.leaveTools()
	if f.parent != nil {
		f.parent.children = slices.DeleteFunc(f.parent.children, func(o *frame) bool { return o == f })
	}
	delete(f.page.frames, f.id)
	f.endRequests("")
	f.page.browser.emit(driver.FrameDetached{Page: f.page.ID(), Frame: f.id})
}

func (f *frame) dropChildren() {
	for _, c := range slices.Clone(f.children) {
		c.drop()
	}
}

// assign gives a frame to the session of the process that renders it now.
func (f *frame) assign(s *session) {
	if f.session == s {
		return
	}
	f.dropChildren()
	f.session = s
	clear(f.worlds)
}

// show has a frame show a document.
func (f *frame) show(info *cdppage.Frame, restored bool) {
	f.dropChildren()
	f.leaveTools()
	f.doc, f.url, f.name = driver.DocID(info.LoaderID), addressOf(info), value(info.Name)
	f.parsed, f.loaded = restored, restored
	clear(f.worlds)
	f.commit(restored)
	f.commits++
	if f.lately = append(f.lately, f.doc); len(f.lately) > maxLately {
		f.lately = slices.Delete(f.lately, 0, 1)
	}
	f.explainShown(value(info.UnreachableURL))
	f.page.traffic.shown(f)
	f.endRequests(f.doc)
}

// navigated has a frame show the document that a navigation led to, and reports it.
func (f *frame) navigated(info *cdppage.Frame, restored bool) {
	f.show(info, restored)
	status := 0
	if r := f.page.responses.of(f.doc); r != nil {
		status = r.Status
	}
	f.page.browser.emit(driver.Navigated{Page: f.page.ID(), Frame: f.id, Doc: f.doc, URL: f.url, Status: status})
}

// request begins a navigation of the frame.
func (f *frame) request(url string) {
	f.pending = &pendingNavigation{}
	f.page.browser.emit(driver.NavigationRequested{Page: f.page.ID(), Frame: f.id, URL: url})
}

// commit ends the navigation that led to the document that the frame shows now.
func (f *frame) commit(restored bool) {
	if f.pending == nil || f.pending.loader != "" && f.pending.loader != f.doc && !restored {
		return
	}
	if f.pending.history {
		f.page.travelled = f
	}
	f.pending = nil
}

// fail ends a frame's navigation that came to nothing.
func (f *frame) fail() {
	f.failures++
	if f.pending != nil {
		f.pending = nil
		f.page.browser.emit(driver.NavigationEnded{Page: f.page.ID(), Frame: f.id})
	}
	f.askStopped()
}

// askStopped finds out whether a document that has not loaded ever will. Chrome
// stops parsing and loading when the document asks to go elsewhere; if that
// comes to nothing, the part that is there stays, "complete", and neither
// DOMContentLoaded nor load is fired.
func (f *frame) askStopped() {
	if f.loaded || f.doc == "" || f.pending != nil {
		return
	}
	doc, s := f.doc, f.session
	stopped := func(reply runtime.EvaluateReply, err error) {
		if err != nil || string(reply.Result.Value) != `"complete"` {
			return // it continues, or something else came, which is reported elsewhere
		}
		f.page.browser.locked(func() {
			if f.page.gone == nil && f.doc == doc && f.pending == nil {
				f.endLoading()
				f.page.wake()
			}
		})
	}
	f.page.browser.later(func() {
		s.Post(createWorld(f.id).Then(func(made cdppage.CreateIsolatedWorldReply, err error) {
			if err == nil {
				s.Post(protocol.RuntimeEvaluate.With(runtime.EvaluateArgs{
					Expression: "document.readyState", ContextID: &made.ExecutionContextID, Silent: new(true),
				}).Then(stopped))
			}
		}))
	})
}

// endLoading notes that a document is as complete as it will ever be.
func (f *frame) endLoading() {
	if !f.parsed {
		f.parsed = true
		f.page.browser.emit(driver.DOMContentLoaded{Page: f.page.ID(), Frame: f.id})
	}
	if !f.loaded {
		f.loaded = true
		f.page.browser.emit(driver.Loaded{Page: f.page.ID(), Frame: f.id})
	}
}

// explainShown notes why a frame shows a page of Chrome's own, if it does.
// Where a server has answered, with a status and no text, that is the answer.
func (f *frame) explainShown(unreachable string) {
	f.failed = nil
	if !strings.HasPrefix(f.url, errorPage) || f.page.answeredLocked(f.doc) {
		return
	}
	f.failed = &driver.NavigationError{URL: unreachable, Reason: driver.ReasonOther}
	if f.failure.loader == f.doc {
		f.failed.Reason, f.failed.Detail = reasonOf(f.failure.text), f.failure.text
	}
}

// endRequests ends the requests of a frame for other documents than keep:
// Chrome does not tell their ends once it has changed the process.
func (f *frame) endRequests(keep driver.DocID) {
	var ids []string
	for id, r := range f.page.requests {
		if r.frame == f.id && r.loader != keep {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		f.page.endRequest(id, true)
	}
}

// leaveTools is for a document that is left: what it offers is gone, and it
// answers nothing any more.
func (f *frame) leaveTools() {
	f.page.toolProvider.leave(f)
	if len(f.tools) > 0 {
		f.page.browser.emit(driver.ToolsChanged{Page: f.page.ID(), Frame: f.id})
	}
	f.tools = nil
}

// A frameState is a copy of a frame that needs no lock.
type frameState struct {
	driver.Frame
	session *session
	library worldKey // our world that has the library
}

// A pendingNavigation is under way: NavigationRequested was emitted, and its
// end was not. What ends it:
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
// browser.mu protects it.
type pendingNavigation struct {
	loader  driver.DocID // empty until Chrome has begun with it
	history bool         // it goes to another entry of the history
}

// errorPage is the address of what Chrome shows where a fetch failed.
const errorPage = "chrome-error:"

// A fetchFailure is a document that could not be fetched.
type fetchFailure struct {
	loader   driver.DocID
	text     string // "net::ERR_…"
	canceled bool   // nothing is shown in its place
}
