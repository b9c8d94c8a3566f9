package cdp

import (
	"cmp"
	"fmt"

	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// A frameTree is the frames of a page, as Chrome's events tell of them. browser.mu
// protects it.
type frameTree struct {
	page      *page
	frames    map[driver.FrameID]*frame
	main      *frame
	ordinals  int
	travelled *frame // the last that went to another entry of the history
}

// frame returns the state of a frame now; a zero id is the main frame. A
// frame that is not there is an error that wraps driver.ErrDetached.
func (t *frameTree) frame(id driver.FrameID) (frameState, error) {
	t.page.browser.mu.Lock()
	defer t.page.browser.mu.Unlock()
	f, err := t.frameLocked(id)
	if err != nil {
		return frameState{}, err
	}
	return f.state(), nil
}

// frameLocked is frame for those who hold browser.mu.
func (t *frameTree) frameLocked(id driver.FrameID) (*frame, error) {
	if t.page.gone != nil {
		return nil, t.page.gone
	}
	f := t.main
	if id != "" {
		f = t.frames[id]
	}
	if f == nil {
		return nil, fmt.Errorf("frame %s: %w", id, driver.ErrDetached)
	}
	return f, nil
}

// Frames implements driver.Page.
func (t *frameTree) Frames() []driver.Frame {
	t.page.browser.mu.Lock()
	defer t.page.browser.mu.Unlock()
	var list []driver.Frame
	for _, f := range t.main.appendTo(nil) {
		list = append(list, f.describe())
	}
	return list
}

// frameStates returns the frames in document order.
func (t *frameTree) frameStates() ([]frameState, error) {
	t.page.browser.mu.Lock()
	defer t.page.browser.mu.Unlock()
	if t.page.gone != nil {
		return nil, t.page.gone
	}
	var list []frameState
	for _, f := range t.main.appendTo(nil) {
		list = append(list, f.state())
	}
	return list, nil
}

// What follows is called with browser.mu held.

// addFrame makes a frame known.
func (t *frameTree) addFrame(s *session, id, parent driver.FrameID) *frame {
	f := &frame{page: t.page, session: s, id: id, ordinal: t.ordinals, worlds: map[driver.World]runtime.ExecutionContextID{}}
	t.ordinals++
	t.frames[id] = f
	if up := t.frames[parent]; up != nil {
		f.parent = up
		up.children = append(up.children, f)
		t.page.browser.emit(driver.FrameAttached{Page: t.page.ID(), Frame: id, Parent: parent})
	}
	return f
}

// orphan sees to the frame of a session that is gone. It may be gone, too, or
// rendered by its parent's process again, which that process may yet have to
// tell: it is asked, and what it tells by then counts.
func (t *frameTree) orphan(s *session) {
	f := t.frames[driver.FrameID(s.target)]
	if f == nil || f.session != s || f.parent == nil {
		return // handed on before
	}
	f.dropChildren()
	up := f.parent.session
	t.page.browser.later(func() {
		t.page.browser.behind(up, protocol.PageGetFrameTree.With(conn.None{}), func() {
			if t.frames[f.id] == f && f.session == s && t.page.gone == nil {
				f.drop()
				t.page.wake()
			}
		})
	})
}

// of returns the frame that Chrome calls so, nil if there is none.
func (t *frameTree) of(id cdppage.FrameID) *frame { return t.frames[driver.FrameID(id)] }

func (t *frameTree) frameAttached(s *session, e *cdppage.FrameAttachedReply) {
	if f := t.of(e.FrameID); f != nil {
		f.assign(s) // it comes back from a process of its own
		return
	}
	if t.of(e.ParentFrameID) != nil {
		t.addFrame(s, driver.FrameID(e.FrameID), driver.FrameID(e.ParentFrameID))
	}
}

func (t *frameTree) frameDetached(s *session, e *cdppage.FrameDetachedReply) {
	f := t.of(e.FrameID)
	switch {
	case f == nil || f.parent == nil:
	case e.Reason == "swap":
		// It continues in another process, whose session comes or has come.
		if f.session == s {
			f.dropChildren()
		}
	case f.session == s || f.parent.session == s:
		f.drop()
	}
}

func (t *frameTree) frameNavigated(s *session, e *cdppage.FrameNavigatedReply) {
	f := t.of(e.Frame.ID)
	if f == nil {
		return
	}
	f.assign(s)
	restored := e.Type == "BackForwardCacheRestore"
	f.navigated(&e.Frame, restored)
	if restored {
		// It had loaded before, and Chrome does not say so again.
		t.page.browser.emit(driver.DOMContentLoaded{Page: t.page.ID(), Frame: f.id})
		t.page.browser.emit(driver.Loaded{Page: t.page.ID(), Frame: f.id})
		// Its frames come back with it, and are not reported one by one. Its tools
		// were reported before it.
		again := []conn.Command{t.askTree(s)}
		if t.page.browser.opts.PageTools {
			again = append(again, protocol.WebMCPDisable.With(conn.None{}), protocol.WebMCPEnable.With(conn.None{}))
		}
		t.page.browser.later(func() { s.Post(again...) })
	}
}

func (t *frameTree) navigatedWithinDocument(s *session, e *cdppage.NavigatedWithinDocumentReply) {
	if f := t.of(e.FrameID); f != nil {
		f.url = e.URL
		f.hops++
		if f.hopsBack {
			t.travelled, f.hopsBack = f, false
		}
		t.page.browser.emit(driver.Navigated{Page: t.page.ID(), Frame: f.id, Doc: f.doc, URL: f.url, SameDocument: true})
	}
}

// documentOpened: document.open gives a frame the address of who called it.
func (t *frameTree) documentOpened(s *session, e *cdppage.DocumentOpenedReply) {
	if f := t.of(e.Frame.ID); f != nil && f.doc == driver.DocID(e.Frame.LoaderID) {
		f.url = addressOf(&e.Frame)
	}
}

func (t *frameTree) lifecycleEvent(s *session, e *cdppage.LifecycleEventReply) {
	f, doc := t.of(e.FrameID), driver.DocID(e.LoaderID)
	if f == nil || f.session != s {
		return
	}
	if f.doc == "" {
		f.doc = doc // the empty document that every frame begins with
	}
	if f.doc != doc {
		return
	}
	switch e.Name {
	case "init":
		f.parsed, f.loaded = false, false
	case "DOMContentLoaded":
		f.parsed = true
		t.page.browser.emit(driver.DOMContentLoaded{Page: t.page.ID(), Frame: f.id})
	case "load":
		f.parsed, f.loaded = true, true
		t.page.browser.emit(driver.Loaded{Page: t.page.ID(), Frame: f.id})
	}
}

// value is what an optional member holds; zero if it is not there.
func value[T any](v *T) T {
	if v == nil {
		return *new(T)
	}
	return *v
}

// addressOf is the whole address of what a frame shows.
func addressOf(f *cdppage.Frame) string { return f.URL + value(f.URLFragment) }

// askTree is the command that learns the frames that are there without
// having been reported.
func (t *frameTree) askTree(s *session) conn.Command {
	return protocol.PageGetFrameTree.With(conn.None{}).Then(func(reply cdppage.GetFrameTreeReply, err error) {
		if err != nil {
			return // the session is gone, which is reported elsewhere
		}
		t.page.browser.locked(func() {
			t.takeFrames(s, &reply.FrameTree)
			t.page.wake()
		})
	})
}

func (t *frameTree) takeFrames(s *session, shown *cdppage.FrameTree) {
	info := &shown.Frame
	f := t.of(info.ID)
	if f == nil {
		parent := driver.FrameID(value(info.ParentID))
		if t.frames[parent] == nil {
			return // it went away meanwhile
		}
		f = t.addFrame(s, driver.FrameID(info.ID), parent)
	}
	if f.session != s {
		return // rendered elsewhere
	}
	if f.pending != nil && f.pending.loader == driver.DocID(info.LoaderID) {
		// The frame's new process had committed the navigation before we listened to
		// it, as Chrome does with a sandboxed srcdoc: no event reports that.
		f.navigated(info, false)
	}
	f.doc, f.url, f.name = driver.DocID(info.LoaderID), addressOf(info), cmp.Or(value(info.Name), f.name)
	for i := range shown.ChildFrames {
		t.takeFrames(s, &shown.ChildFrames[i])
	}
}

func (t *frameTree) frameRequestedNavigation(s *session, e *cdppage.FrameRequestedNavigationReply) {
	// What opens elsewhere, or is saved, does not move this frame.
	switch f := t.of(e.FrameID); {
	case f == nil:
	case e.Disposition == "currentTab":
		f.request(e.URL)
	case e.Disposition == "newTab", e.Disposition == "newWindow":
		t.page.leading = append(t.page.leading, e.URL)
	}
}

type frameStartedNavigating struct {
	FrameID        driver.FrameID
	URL            string
	LoaderID       driver.DocID
	NavigationType string
}

func (t *frameTree) frameStartedNavigating(s *session, e *frameStartedNavigating) {
	f := t.frames[e.FrameID]
	if f == nil || e.NavigationType == "sameDocument" {
		return
	}
	if e.NavigationType == "historySameDocument" {
		f.hopsBack = true
		return
	}
	if f.pending == nil || f.pending.loader != "" && f.pending.loader != e.LoaderID {
		f.request(e.URL)
	}
	f.pending.loader, f.pending.history = e.LoaderID, e.NavigationType == "historyDifferentDocument"
}

// frameClearedScheduledNavigation: the frame's process has handed a navigation
// on, or has dropped it. By the time that it answers a question, the start of
// one that was handed on has been reported.
func (t *frameTree) frameClearedScheduledNavigation(s *session, e *cdppage.FrameClearedScheduledNavigationReply) {
	f := t.of(e.FrameID)
	if f == nil || f.pending == nil || f.pending.loader != "" {
		return
	}
	dropped := f.pending
	t.page.browser.later(func() {
		t.page.browser.behind(s, protocol.PageGetFrameTree.With(conn.None{}), func() {
			if t.page.gone == nil && f.pending == dropped && dropped.loader == "" {
				f.fail()
				t.page.wake()
			}
		})
	})
}

// giveUp ends the navigation that a loader stood for, whose document will not
// be shown.
func (t *frameTree) giveUp(loader driver.DocID) {
	for _, f := range t.frames {
		if f.pending != nil && f.pending.loader == loader {
			f.fail()
		}
	}
}

func (t *frameTree) frameStoppedLoading(s *session, e *cdppage.FrameStoppedLoadingReply) {
	if f := t.of(e.FrameID); f != nil && f.session == s {
		f.askStopped()
	}
}

func (t *frameTree) executionContextCreated(s *session, e *executionContextCreated) {
	aux := e.Context.AuxData
	if f := t.frames[aux.FrameID]; f != nil && f.session == s && aux.IsDefault {
		f.worlds[driver.Main] = e.Context.ID
	}
}

type executionContextCreated struct {
	Context struct {
		ID      runtime.ExecutionContextID
		AuxData struct {
			IsDefault bool
			FrameID   driver.FrameID
		}
	}
}

func (t *frameTree) fileChooserOpened(s *session, e *cdppage.FileChooserOpenedReply) {
	if f := t.of(e.FrameID); f != nil {
		t.page.browser.emit(driver.FileChooserOpened{
			Page: t.page.ID(), Node: driver.NodeRef{Frame: f.id, Doc: f.doc, Node: driver.NodeID(value(e.BackendNodeID))},
			Multiple: e.Mode == "selectMultiple",
		})
	}
}

// frameOfWorld returns the frame whose own script has a context; zero if none has.
func (t *frameTree) frameOfWorld(s *session, id runtime.ExecutionContextID) driver.FrameID {
	for _, f := range t.frames {
		if f.session == s && f.worlds[driver.Main] == id {
			return f.id
		}
	}
	return ""
}
