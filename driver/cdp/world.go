package cdp

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mafredri/cdp/protocol/dom"
	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

//go:embed script/*.js
var scripts embed.FS

// gateScript runs in our world of every document from its beginning.
//
//go:embed gate.js
var gateScript string

// library is what every isolated world of ours is given once: an object of
// functions that the calls below use. The page's world does not see it. A window
// that moves from its first, empty document to another of the same origin
// takes the world with it, and gets a library of the new document.
var library = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString(gateScript) // in a document that was there before us
	b.WriteString("(() => { if (Object.hasOwn(globalThis, 'wayfinder') && wayfinder.document === document) return; const wf = { document };\n")
	files, err := scripts.ReadDir("script")
	for _, f := range files {
		text, rerr := scripts.ReadFile("script/" + f.Name())
		err = errors.Join(err, rerr)
		b.Write(text)
	}
	if err != nil {
		panic(err) // the files are part of the program
	}
	b.WriteString("globalThis.wayfinder = wf; })()")
	return b.String()
})

// A worlds finds the worlds of a page's frames, where scripts run.
type worlds struct{ page *page }

// A world is our isolated world in the document that a frame shows.
type world struct {
	frameState
	page *page
	id   runtime.ExecutionContextID
}

// A worldKey names an execution context. Its id alone does not: a page that
// goes to another site continues in another process, which counts from the
// start again, within the same session.
type worldKey struct {
	session *session
	id      runtime.ExecutionContextID
	doc     driver.DocID
}

// isolated returns our world in a frame; a zero id is the main frame.
func (ws *worlds) isolated(ctx context.Context, id driver.FrameID) (world, error) {
	w, err := ws.worldOf(ctx, id, driver.Isolated)
	if err == nil && w.Doc == "" {
		err = w.learn(ctx)
	}
	return w, err
}

// learn has a frame say which document it shows. Chrome says nothing of the
// empty one that a frame begins with.
func (w *world) learn(ctx context.Context) error {
	var self int
	nodes, err := w.ask(ctx, call{name: "self", document: true, deep: true}, &self)
	if err != nil {
		return err
	}
	w.page.browser.mu.Lock()
	defer w.page.browser.mu.Unlock()
	if f := w.page.frames[w.ID]; f != nil && f.doc == "" {
		f.doc = nodes.at(self).Doc
	}
	w.Doc = nodes.at(self).Doc
	w.library = w.key()
	return nil
}

func (w *world) key() worldKey { return worldKey{w.session, w.id, w.Doc} }

// refOf names a node that our script found in the world's document.
func (w *world) refOf(n deepNode) driver.NodeRef {
	if n.ID == 0 {
		return driver.NodeRef{}
	}
	return driver.NodeRef{Frame: w.ID, Doc: w.Doc, Node: n.ID}
}

// install returns the commands that have to precede the first call in a world. The
// caller sends them.
func (w *world) install() []conn.Command {
	frame, key := w.ID, w.key()
	if w.library == key {
		return nil
	}
	w.library = key
	give := protocol.RuntimeEvaluate.With(runtime.EvaluateArgs{Expression: library(), ContextID: &w.id, Silent: new(true)})
	give.OnAnswer(func(err error) {
		w.page.browser.mu.Lock()
		defer w.page.browser.mu.Unlock()
		if f := w.page.frames[frame]; f != nil && err == nil {
			f.library = key
		}
	})
	return []conn.Command{give}
}

// ask makes a call in a world, which is given the library before that if it has none, in
// one write. It decodes what the call returns as [callRequest.answer] does.
func (w *world) ask(ctx context.Context, c call, v any) (nodeList, error) {
	r := c.request(w)
	if err := w.session.Batch(ctx, append(w.install(), r)...); err != nil {
		return nil, err
	}
	return r.answer(ctx, v)
}

// forget has a world made anew when it is next asked for: the one that is
// remembered is gone.
func (w *world) forget() {
	w.page.browser.mu.Lock()
	defer w.page.browser.mu.Unlock()
	f := w.page.frames[w.ID]
	if f != nil && f.worlds[driver.Isolated] == w.id {
		delete(f.worlds, driver.Isolated)
	}
	if f != nil && f.library == w.key() {
		f.library = worldKey{}
	}
}

// worldName is how the developer tools list our world.
const worldName = "wayfinder"

// worldOf returns a world in a frame, made if it is not there: a script that runs
// in it sees the document that the world tells, and no other.
func (ws *worlds) worldOf(ctx context.Context, id driver.FrameID, kind driver.World) (world, error) {
	ws.page.use()
	ws.page.browser.mu.Lock()
	f, err := ws.page.frameLocked(id)
	if err != nil {
		ws.page.browser.mu.Unlock()
		return world{}, err
	}
	w, ok := f.world(kind)
	ws.page.browser.mu.Unlock()
	switch {
	case ok:
		return w, nil
	case kind == driver.Main:
		return ws.findMain(ctx, w.session, w.ID)
	default:
		return ws.makeIsolated(ctx, w.session, w.ID)
	}
}

// world returns a world of a frame's document, and whether it is there. browser.mu is held.
func (f *frame) world(kind driver.World) (world, bool) {
	id, ok := f.worlds[kind]
	return world{frameState: f.state(), page: f.page, id: id}, ok
}

func (ws *worlds) makeIsolated(ctx context.Context, s *session, id driver.FrameID) (world, error) {
	var w world
	// The document that the frame shows when the answer comes is the one that
	// the world is in; a moment later it may be another.
	err := s.Batch(ctx, createWorld(id).Then(func(made cdppage.CreateIsolatedWorldReply, err error) {
		if err != nil {
			return
		}
		ws.page.browser.mu.Lock()
		defer ws.page.browser.mu.Unlock()
		if f := ws.page.frames[id]; f != nil && f.session == s {
			f.worlds[driver.Isolated] = made.ExecutionContextID
			w, _ = f.world(driver.Isolated)
		}
	}))
	if err != nil {
		return world{}, err // and not w, which the answer may yet fill in
	}
	if w.session == nil {
		return world{}, fmt.Errorf("frame %s: %w", id, driver.ErrDetached)
	}
	return w, nil
}

// createWorld is the command that makes our world in a frame, or finds it.
func createWorld(id driver.FrameID) *conn.Request[cdppage.CreateIsolatedWorldReply] {
	return protocol.PageCreateIsolatedWorld.With(cdppage.CreateIsolatedWorldArgs{
		FrameID: cdppage.FrameID(id), WorldName: new(worldName), GrantUniveralAccess: new(true),
	})
}

// findMain learns the main worlds of a session's frames. Chrome lists them
// when the Runtime domain is enabled, which is undone at once unless the console
// is listened to: a page can notice that it is on.
func (ws *worlds) findMain(ctx context.Context, s *session, id driver.FrameID) (world, error) {
	enable, disable := protocol.RuntimeEnable.With(conn.None{}), protocol.RuntimeDisable.With(conn.None{})
	order := []conn.Command{enable, disable}
	if ws.page.browser.opts.Console {
		order = []conn.Command{disable, enable} // it stays on
	}
	if err := s.Batch(ctx, order...); err != nil {
		return world{}, err
	}
	ws.page.browser.mu.Lock()
	defer ws.page.browser.mu.Unlock()
	f, err := ws.page.frameLocked(id)
	if err != nil {
		return world{}, err
	}
	w, ok := f.world(driver.Main)
	if !ok || f.session != s {
		return world{}, fmt.Errorf("frame %s has another document now: %w", id, driver.ErrStale)
	}
	return w, nil
}

// resolve gives nodes as objects of a world. A node that belongs to another
// document is an error that wraps driver.ErrStale.
func (w *world) resolve(ctx context.Context, ids ...driver.NodeID) ([]string, error) {
	objects, err := w.resolveSome(ctx, ids)
	if at := slices.Index(objects, ""); err == nil && at >= 0 {
		// A number of the page before, whose node lives on in the cache.
		err = fmt.Errorf("node %d is of another document: %w", ids[at], driver.ErrStale)
	}
	if err != nil {
		release(w.session, objects...)
		return nil, err
	}
	return objects, nil
}

// resolveSome is resolve for nodes that may have gone: those are empty, and the error is
// that of the first.
func (w *world) resolveSome(ctx context.Context, ids []driver.NodeID) ([]string, error) {
	requests := make([]*conn.Request[dom.ResolveNodeReply], len(ids))
	for i, id := range ids {
		requests[i] = protocol.DOMResolveNode.With(dom.ResolveNodeArgs{BackendNodeID: new(dom.BackendNodeID(id)), ExecutionContextID: &w.id})
	}
	replies, err := conn.All(ctx, w.session, requests)
	objects := make([]string, len(replies))
	for i, reply := range replies {
		if reply != nil {
			objects[i] = string(value(reply.Object.ObjectID))
		}
	}
	return objects, err
}
