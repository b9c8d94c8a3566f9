package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A frame is what is known of a frame. All of it is protected by browser.mu.
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

	requested bool   // a navigation is told and has not come to an end
	loader    string // of that navigation, if known
	commits   int    // documents that were shown
	hops      int    // navigations within a document
	failures  int    // navigations that came to nothing

	worlds map[driver.World]int64 // execution contexts of doc
}

// A frameState is a copy of what is known of a frame.
type frameState struct {
	driver.Frame
	session *session
}

func (f *frame) describe() driver.Frame {
	d := driver.Frame{ID: f.id, Doc: f.doc, URL: f.url, Name: f.name, Ordinal: f.ordinal}
	if f.parent != nil {
		d.Parent = f.parent.id
		d.OwnProcess = f.session != f.parent.session
	}
	return d
}

// addFrame makes a frame known. browser.mu is held.
func (p *page) addFrame(s *session, id, parent driver.FrameID) *frame {
	f := &frame{page: p, session: s, id: id, ordinal: p.ordinals, worlds: map[driver.World]int64{}}
	p.ordinals++
	p.frames[id] = f
	if up := p.frames[parent]; up != nil {
		f.parent = up
		up.children = append(up.children, f)
		p.browser.tell(driver.FrameAttached{Page: p.ID(), Frame: id, Parent: parent})
	}
	return f
}

// dropFrame forgets a frame and what is in it. browser.mu is held.
func (p *page) dropFrame(f *frame) {
	p.dropChildren(f)
	if f.parent != nil {
		f.parent.children = slices.DeleteFunc(f.parent.children, func(o *frame) bool { return o == f })
	}
	delete(p.frames, f.id)
	p.browser.tell(driver.FrameDetached{Page: p.ID(), Frame: f.id})
}

func (p *page) dropChildren(f *frame) {
	for _, c := range slices.Clone(f.children) {
		p.dropFrame(c)
	}
}

// swapOut hands a frame over to the session of its new process. browser.mu is held.
func (p *page) swapOut(s *session) {
	f := p.frames[driver.FrameID(s.target)]
	if f == nil {
		return
	}
	p.dropChildren(f)
	f.session = s
	clear(f.worlds)
}

// orphan sees to the frames of a session that is gone. browser.mu is held.
func (p *page) orphan(s *session) {
	f := p.frames[driver.FrameID(s.target)]
	if f != nil && f.session == s && f.parent != nil {
		p.dropFrame(f)
	}
}

// A frameTree is Chrome's account of the frames of one process.
type frameTree struct {
	Frame       frameInfo
	ChildFrames []frameTree
}

type frameInfo struct {
	ID          driver.FrameID
	ParentID    driver.FrameID
	LoaderID    driver.DocID
	Name        string
	URL         string
	URLFragment string
}

func (i *frameInfo) address() string { return i.URL + i.URLFragment }

// takeTree learns the frames that were there before the session.
func (p *page) takeTree(s *session, result []byte, err error) {
	var tree struct{ FrameTree frameTree }
	if err != nil || json.Unmarshal(result, &tree) != nil {
		return // the session is gone, which is told elsewhere
	}
	p.browser.locked(func() { p.takeFrames(s, &tree.FrameTree) })
}

func (p *page) takeFrames(s *session, t *frameTree) {
	f := p.frames[t.Frame.ID]
	if f == nil {
		if p.frames[t.Frame.ParentID] == nil {
			return // it went away meanwhile
		}
		f = p.addFrame(s, t.Frame.ID, t.Frame.ParentID)
	}
	if f.session == s {
		f.doc, f.url, f.name = t.Frame.LoaderID, t.Frame.address(), t.Frame.Name
	}
	for i := range t.ChildFrames {
		p.takeFrames(s, &t.ChildFrames[i])
	}
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

// frame returns the state of a frame now; a zero id is the main frame. A
// frame that is not there is an error that wraps driver.ErrDetached.
func (p *page) frame(id driver.FrameID) (frameState, error) {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	if p.gone != nil {
		return frameState{}, p.gone
	}
	f := p.main
	if id != "" {
		f = p.frames[id]
	}
	if f == nil {
		return frameState{}, fmt.Errorf("frame %s: %w", id, driver.ErrDetached)
	}
	return frameState{f.describe(), f.session}, nil
}

// worldOf returns the execution context of a world in a frame, made if it is
// not there, and the state of the frame that it belongs to: a script that runs
// in it sees that document and no other.
func (p *page) worldOf(ctx context.Context, id driver.FrameID, w driver.World) (int64, frameState, error) {
	p.browser.mu.Lock()
	f := p.main
	if id != "" {
		f = p.frames[id]
	}
	if p.gone != nil || f == nil {
		p.browser.mu.Unlock()
		_, err := p.frame(id)
		return 0, frameState{}, err
	}
	if c, ok := f.worlds[w]; ok {
		state := frameState{f.describe(), f.session}
		p.browser.mu.Unlock()
		return c, state, nil
	}
	s := f.session
	id = f.id
	p.browser.mu.Unlock()
	if w == driver.Main {
		return p.makeMain(ctx, s, id)
	}
	return p.makeIsolated(ctx, s, id)
}

// worldName is how the developer tools list our world.
const worldName = "wayfinder"

func (p *page) makeIsolated(ctx context.Context, s *session, id driver.FrameID) (int64, frameState, error) {
	var made struct{ ExecutionContextID int64 }
	var state frameState
	calls, err := s.start(ctx, command{
		method: "Page.createIsolatedWorld",
		params: map[string]any{"frameId": id, "worldName": worldName, "grantUniveralAccess": true},
		// The document that the frame shows when the answer comes is the one
		// that the world is in; a moment later it may be another.
		then: func(result []byte, err error) {
			if err != nil || json.Unmarshal(result, &made) != nil {
				return
			}
			p.browser.mu.Lock()
			defer p.browser.mu.Unlock()
			if f := p.frames[id]; f != nil && f.session == s {
				f.worlds[driver.Isolated] = made.ExecutionContextID
				state = frameState{f.describe(), s}
			}
		}})
	if err == nil {
		_, err = calls[0].wait(ctx)
	}
	if err == nil && state.session == nil {
		err = fmt.Errorf("frame %s: %w", id, driver.ErrDetached)
	}
	return made.ExecutionContextID, state, err
}

// makeMain learns the main worlds of a session's frames. Chrome lists them
// when the Runtime domain is enabled, which is undone at once: a page can
// notice that it is on.
func (p *page) makeMain(ctx context.Context, s *session, id driver.FrameID) (int64, frameState, error) {
	if _, err := s.batch(ctx, command{method: "Runtime.enable"}, command{method: "Runtime.disable"}); err != nil {
		return 0, frameState{}, err
	}
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	f := p.frames[id]
	if f == nil || f.session != s {
		return 0, frameState{}, fmt.Errorf("frame %s: %w", id, driver.ErrDetached)
	}
	c, ok := f.worlds[driver.Main]
	if !ok {
		return 0, frameState{}, fmt.Errorf("frame %s has no script: %w", id, driver.ErrStale)
	}
	return c, frameState{f.describe(), s}, nil
}
