package cdp

import (
	"fmt"

	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// frame returns the state of a frame now; a zero id is the main frame. A
// frame that is not there is an error that wraps driver.ErrDetached.
func (p *page) frame(id driver.FrameID) (frameState, error) {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	f, err := p.frameLocked(id)
	if err != nil {
		return frameState{}, err
	}
	return frameState{f.describe(), f.session}, nil
}

// frameLocked is frame for those who hold browser.mu.
func (p *page) frameLocked(id driver.FrameID) (*frame, error) {
	if p.gone != nil {
		return nil, p.gone
	}
	f := p.main
	if id != "" {
		f = p.frames[id]
	}
	if f == nil {
		return nil, fmt.Errorf("frame %s: %w", id, driver.ErrDetached)
	}
	return f, nil
}

// Frames implements driver.Page.
func (p *page) Frames() []driver.Frame {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return appendFrames(nil, p.main)
}

func appendFrames(list []driver.Frame, f *frame) []driver.Frame {
	list = append(list, f.describe())
	for _, c := range f.children {
		list = appendFrames(list, c)
	}
	return list
}

// What follows is called with browser.mu held.

// addFrame makes a frame known.
func (p *page) addFrame(s *session, id, parent driver.FrameID) *frame {
	f := &frame{page: p, session: s, id: id, ordinal: p.ordinals, worlds: map[driver.World]runtime.ExecutionContextID{}}
	p.ordinals++
	p.frames[id] = f
	if up := p.frames[parent]; up != nil {
		f.parent = up
		up.children = append(up.children, f)
		p.browser.emit(driver.FrameAttached{Page: p.ID(), Frame: id, Parent: parent})
	}
	return f
}

// orphan sees to the frame of a session that is gone. It may be gone, too, or
// rendered by its parent's process again, which that process may yet have to
// tell: it is asked, and what it tells by then counts.
func (p *page) orphan(s *session) {
	f := p.frames[driver.FrameID(s.target)]
	if f == nil || f.session != s || f.parent == nil {
		return // handed on before
	}
	f.dropChildren()
	up := f.parent.session
	p.browser.later(func() {
		ask := protocol.PageGetFrameTree.With(conn.None{})
		ask.OnAnswer(func(error) {
			p.browser.locked(func() {
				if p.frames[f.id] == f && f.session == s && p.gone == nil {
					f.drop()
					p.wake()
				}
			})
		})
		up.Post(ask)
	})
}

type frameAttached struct {
	FrameID, ParentFrameID driver.FrameID
}

func (p *page) frameAttached(s *session, e *frameAttached) {
	if f := p.frames[e.FrameID]; f != nil {
		f.assign(s) // it comes back from a process of its own
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
		// It continues in another process, whose session comes or has come.
		if f.session == s {
			f.dropChildren()
		}
	case f.session == s || f.parent.session == s:
		f.drop()
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
	f.assign(s)
	restored := e.Type == "BackForwardCacheRestore"
	f.navigated(&e.Frame, restored)
	if restored {
		// It had loaded before, and Chrome does not say so again.
		p.browser.emit(driver.DOMContentLoaded{Page: p.ID(), Frame: f.id})
		p.browser.emit(driver.Loaded{Page: p.ID(), Frame: f.id})
		// Its frames come back with it, and are not reported one by one. Its tools
		// were reported before it.
		again := []conn.Command{p.askTree(s)}
		if p.browser.opts.PageTools {
			again = append(again, protocol.WebMCPDisable.With(conn.None{}), protocol.WebMCPEnable.With(conn.None{}))
		}
		p.browser.later(func() { s.Post(again...) })
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
		p.browser.emit(driver.Navigated{Page: p.ID(), Frame: f.id, Doc: f.doc, URL: f.url, SameDocument: true})
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
		p.browser.emit(driver.DOMContentLoaded{Page: p.ID(), Frame: f.id})
	case "load":
		f.parsed, f.loaded = true, true
		p.browser.emit(driver.Loaded{Page: p.ID(), Frame: f.id})
	}
}

// A frameInfo is what is read of Chrome's account of a frame.
type frameInfo struct {
	ID          driver.FrameID
	ParentID    driver.FrameID
	LoaderID    driver.DocID
	Name        string
	URL         string
	URLFragment string

	UnreachableURL string
}

func infoOf(f *cdppage.Frame) *frameInfo {
	return &frameInfo{
		ID: driver.FrameID(f.ID), ParentID: driver.FrameID(value(f.ParentID)), LoaderID: driver.DocID(f.LoaderID),
		Name: value(f.Name), URL: f.URL, URLFragment: value(f.URLFragment), UnreachableURL: value(f.UnreachableURL),
	}
}

// value is what an optional member holds; zero if it is not there.
func value[T any](v *T) T {
	if v == nil {
		return *new(T)
	}
	return *v
}

func (i *frameInfo) address() string { return i.URL + i.URLFragment }

// askTree is the command that learns the frames that are there without
// having been reported.
func (p *page) askTree(s *session) conn.Command {
	return protocol.PageGetFrameTree.With(conn.None{}).Then(func(reply cdppage.GetFrameTreeReply, err error) {
		if err != nil {
			return // the session is gone, which is reported elsewhere
		}
		p.browser.locked(func() {
			p.takeFrames(s, &reply.FrameTree)
			p.wake()
		})
	})
}

func (p *page) takeFrames(s *session, t *cdppage.FrameTree) {
	info := infoOf(&t.Frame)
	f := p.frames[info.ID]
	if f == nil {
		if p.frames[info.ParentID] == nil {
			return // it went away meanwhile
		}
		f = p.addFrame(s, info.ID, info.ParentID)
	}
	if f.session != s {
		return // rendered elsewhere
	}
	if f.pending != nil && f.pending.loader == info.LoaderID {
		// The frame's new process had committed the navigation before we listened to
		// it, as Chrome does with a sandboxed srcdoc: no event reports that.
		f.navigated(info, false)
	}
	f.doc, f.url = info.LoaderID, info.address()
	if info.Name != "" {
		f.name = info.Name
	}
	for i := range t.ChildFrames {
		p.takeFrames(s, &t.ChildFrames[i])
	}
}
