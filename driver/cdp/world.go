package cdp

import (
	"context"
	"embed"
	"encoding/json"
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

// A world is our isolated world in the document that a frame shows.
type world struct {
	frameState
	page  *page
	id    runtime.ExecutionContextID
	fresh bool // it has no library yet
}

// maxInstalled bounds what a page remembers of worlds that may be gone. Giving
// a world its library again does no harm.
const maxInstalled = 512

// An installed is the set of worlds that have the library.
type installed struct {
	mu    sync.Mutex
	ready map[worldKey]bool
}

// A worldKey names an execution context. Its id alone does not: a page that
// goes to another site continues in another process, which counts from the
// start again, within the same session.
type worldKey struct {
	session *session
	id      runtime.ExecutionContextID
	doc     driver.DocID
}

func (e *installed) has(k worldKey) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ready[k]
}

func (e *installed) add(k worldKey) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ready == nil || len(e.ready) >= maxInstalled {
		e.ready = make(map[worldKey]bool)
	}
	e.ready[k] = true
}

func (e *installed) drop(k worldKey) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.ready, k)
}

// isolated returns our world in a frame; a zero id is the main frame.
func (p *page) isolated(ctx context.Context, id driver.FrameID) (world, error) {
	c, state, err := p.worldOf(ctx, id, driver.Isolated)
	if err != nil {
		return world{}, err
	}
	w := world{frameState: state, page: p, id: c}
	w.fresh = !p.kept.libraries.has(w.key())
	if w.Doc == "" {
		return w, w.learn(ctx)
	}
	return w, nil
}

// learn has a frame say which document it shows. Chrome says nothing of the
// empty one that a frame begins with.
func (w *world) learn(ctx context.Context) error {
	e, err := w.run(ctx, call{name: "self", document: true, deep: true})
	if err != nil {
		return err
	}
	n, err := e.deep.node()
	if err != nil {
		return err
	}
	release(w.session, e.object)
	w.page.browser.mu.Lock()
	defer w.page.browser.mu.Unlock()
	if f := w.page.frames[w.ID]; f != nil && f.doc == "" {
		f.doc = n.Doc
	}
	w.Doc, w.fresh = n.Doc, false
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

// install returns the commands that have to precede the first call in a world.
func (w *world) install() []conn.Command {
	if !w.fresh {
		return nil
	}
	key := w.key()
	give := protocol.RuntimeEvaluate.With(runtime.EvaluateArgs{Expression: library(), ContextID: &w.id, Silent: new(true)})
	give.OnAnswer(func(err error) {
		if err == nil {
			w.page.kept.libraries.add(key)
		}
	})
	return []conn.Command{give}
}

// A remembered is what our scripts remember of nodes: those that were last worked with.
type remembered struct {
	mu   sync.Mutex // protects the following
	last int        // the last number that was given
	list []rememberedNode
}

// of returns the number of a node, 0 if it is not remembered.
func (r *remembered) of(world worldKey, node driver.NodeID) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.list {
		if n.world == world && n.node == node {
			return n.number
		}
	}
	return 0
}

// next returns a number for another node.
func (r *remembered) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

func (r *remembered) add(world worldKey, node driver.NodeID, number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == mostRemembered {
		r.list = slices.Delete(r.list, 0, 1)
	}
	r.list = append(r.list, rememberedNode{world, node, number})
}

// A call is a function of the library to be called.
type call struct {
	name     string   // of the function
	object   string   // id of the object that is its first argument; empty: none
	number   int      // by which our script remembers, or is to remember, that object
	document bool     // the document is its first argument
	nodes    []string // ids of objects that come next
	args     []any    // the rest of them

	// deep makes nodes in the result numbers; see [deepValue].
	deep bool
	// gesture calls it as if a person had caused it.
	gesture bool
	// wait awaits the promise that the function returns.
	wait bool
}

// deepNodes has Chrome serialize nodes by their backend node ids, closed
// shadow roots included, without their children.
var deepNodes = &runtime.SerializationOptions{
	Serialization: "deep", MaxDepth: new(8),
	AdditionalParameters: json.RawMessage(`{"maxNodeDepth":0,"includeShadowTree":"all"}`),
}

// A callRequest is a call as a command.
type callRequest = conn.Request[runtime.CallFunctionOnReply]

// request returns the call as a command. Arguments are values that JSON has.
func (c call) request(w *world) *callRequest {
	args := runtime.CallFunctionOnArgs{
		AwaitPromise: &c.wait, UserGesture: &c.gesture, Silent: new(true),
		Arguments: make([]runtime.CallArgument, 0, len(c.nodes)+len(c.args)),
	}
	for _, id := range c.nodes {
		args.Arguments = append(args.Arguments, runtime.CallArgument{ObjectID: new(runtime.RemoteObjectID(id))})
	}
	for _, a := range c.args {
		value, err := json.Marshal(a)
		if err != nil {
			panic(err) // the calls are ours: flags, numbers, texts and lists of them
		}
		args.Arguments = append(args.Arguments, runtime.CallArgument{Value: value})
	}
	if c.deep {
		args.SerializationOptions = deepNodes
	} else {
		args.ReturnByValue = new(true)
	}
	switch {
	case c.object != "" && c.number != 0:
		args.ObjectID = new(runtime.RemoteObjectID(c.object))
		args.FunctionDeclaration = fmt.Sprintf("function(...a) { return wayfinder.%s(wayfinder.keep(%d, this), ...a) }", c.name, c.number)
	case c.number != 0:
		args.ExecutionContextID = &w.id
		args.FunctionDeclaration = fmt.Sprintf("(...a) => wayfinder.%s(wayfinder.kept(%d), ...a)", c.name, c.number)
	case c.object != "":
		args.ObjectID = new(runtime.RemoteObjectID(c.object))
		args.FunctionDeclaration = "function(...a) { return wayfinder." + c.name + "(this, ...a) }"
	case c.document:
		args.ExecutionContextID = &w.id
		args.FunctionDeclaration = "(...a) => wayfinder." + c.name + "(document, ...a)"
	default:
		args.ExecutionContextID = &w.id
		args.FunctionDeclaration = "(...a) => wayfinder." + c.name + "(...a)"
	}
	return protocol.RuntimeCallFunctionOn.With(args)
}

// run makes a call in a world, which is given the library before that if it
// has none, in one write.
func (w *world) run(ctx context.Context, c call) (*evaluation, error) {
	r := c.request(w)
	if err := w.session.Batch(ctx, append(w.install(), r)...); err != nil {
		return nil, err
	}
	return evaluationOf(ctx, r)
}

// value makes one call and decodes its result into v.
func (w *world) value(ctx context.Context, c call, v any) error {
	e, err := w.run(ctx, c)
	if err != nil {
		return err
	}
	return e.decode(&c, v)
}

// forget has a world made anew when it is next asked for: the one that is
// remembered is gone.
func (w *world) forget() {
	w.page.kept.libraries.drop(w.key())
	w.page.browser.mu.Lock()
	defer w.page.browser.mu.Unlock()
	if f := w.page.frames[w.ID]; f != nil && f.worlds[driver.Isolated] == w.id {
		delete(f.worlds, driver.Isolated)
	}
}

// worldName is how the developer tools list our world.
const worldName = "wayfinder"

// worldOf returns the execution context of a world in a frame, made if it is
// not there, and the state of the frame that it belongs to: a script that runs
// in it sees that document and no other.
func (p *page) worldOf(ctx context.Context, id driver.FrameID, w driver.World) (runtime.ExecutionContextID, frameState, error) {
	p.use()
	p.browser.mu.Lock()
	f, err := p.frameLocked(id)
	if err != nil {
		p.browser.mu.Unlock()
		return 0, frameState{}, err
	}
	state := frameState{f.describe(), f.session}
	c, ok := f.worlds[w]
	p.browser.mu.Unlock()
	switch {
	case ok:
		return c, state, nil
	case w == driver.Main:
		return p.findMain(ctx, state.session, state.ID)
	default:
		return p.makeIsolated(ctx, state.session, state.ID)
	}
}

func (p *page) makeIsolated(ctx context.Context, s *session, id driver.FrameID) (runtime.ExecutionContextID, frameState, error) {
	var made cdppage.CreateIsolatedWorldReply
	var state frameState
	// The document that the frame shows when the answer comes is the one that
	// the world is in; a moment later it may be another.
	err := s.Batch(ctx, createWorld(id).Then(func(reply cdppage.CreateIsolatedWorldReply, err error) {
		if err != nil {
			return
		}
		made = reply
		p.browser.mu.Lock()
		defer p.browser.mu.Unlock()
		if f := p.frames[id]; f != nil && f.session == s {
			f.worlds[driver.Isolated] = made.ExecutionContextID
			state = frameState{f.describe(), s}
		}
	}))
	if err != nil {
		return 0, frameState{}, err
	}
	if state.session == nil {
		return 0, frameState{}, fmt.Errorf("frame %s: %w", id, driver.ErrDetached)
	}
	return made.ExecutionContextID, state, nil
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
func (p *page) findMain(ctx context.Context, s *session, id driver.FrameID) (runtime.ExecutionContextID, frameState, error) {
	enable, disable := protocol.RuntimeEnable.With(conn.None{}), protocol.RuntimeDisable.With(conn.None{})
	order := []conn.Command{enable, disable}
	if p.browser.opts.Console {
		order = []conn.Command{disable, enable} // it stays on
	}
	if err := s.Batch(ctx, order...); err != nil {
		return 0, frameState{}, err
	}
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	f, err := p.frameLocked(id)
	if err != nil {
		return 0, frameState{}, err
	}
	c, ok := f.worlds[driver.Main]
	if !ok || f.session != s {
		return 0, frameState{}, fmt.Errorf("frame %s has another document now: %w", id, driver.ErrStale)
	}
	return c, frameState{f.describe(), s}, nil
}

// release drops objects, with the next command. Nothing waits for it.
func release(s *session, objects ...string) {
	var commands []conn.Command
	for _, id := range objects {
		if id != "" {
			commands = append(commands, protocol.RuntimeReleaseObject.With(runtime.ReleaseObjectArgs{ObjectID: runtime.RemoteObjectID(id)}))
		}
	}
	if len(commands) > 0 {
		s.Later(commands...)
	}
}

func evaluationOf(ctx context.Context, r *callRequest) (*evaluation, error) {
	reply, err := r.Wait(ctx)
	if err != nil {
		return nil, err
	}
	return readEvaluation(&reply)
}

// draw waits until the page has drawn n times. A dialog keeps it from drawing:
// that is driver.ErrDialog.
func (p *page) draw(ctx context.Context, n int) error {
	dialog, err := p.noDialog()
	if err != nil {
		return err
	}
	drawing, stop := unlessDialog(ctx, dialog)
	defer stop()
	for range n {
		w, err := p.isolated(drawing, "")
		if err == nil {
			err = w.value(drawing, call{name: "frame", wait: true}, nil)
		}
		switch {
		case err != nil && context.Cause(drawing) == driver.ErrDialog:
			p.browser.delivered() // DialogOpened, before the call returns
			return driver.ErrDialog
		case err != nil:
			return err
		}
	}
	return nil
}

// unlessDialog returns a context that a dialog ends, too, with driver.ErrDialog as its cause.
func unlessDialog(ctx context.Context, dialog <-chan struct{}) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-dialog:
			cancel(driver.ErrDialog)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// A rememberedNode is a node of a document, and its number in our world there.
type rememberedNode struct {
	world  worldKey
	node   driver.NodeID
	number int
}

const mostRemembered = 16 // our scripts remember more

// askThen makes a call in a world and, behind it, asks what GlanceAfter will ask about a
// node, in all frames; nothing where at is nil or an element of another frame than the
// main one. It forgets what was asked before.
func (w *world) askThen(ctx context.Context, r *callRequest, at *nodeHandle) error {
	w.page.prepared.setAfter(nil)
	var q *askedAfter
	list := append(w.install(), r)
	if at != nil && at.Parent == "" && at.object == "" && at.number != 0 {
		if looks, err := w.page.allWorlds(ctx); err == nil && looks[0].worlds[0].key() == at.key() {
			q = &askedAfter{at.ref, looks}
			list = append(list, q.own(at.on(call{name: "glanceAfter", wait: true}).request(&at.world))...)
		}
	}
	_, err := w.session.Start(ctx, list...)
	if err == nil && q != nil && q.others(ctx) == nil {
		w.page.prepared.setAfter(q)
	}
	return err
}

// resolve gives nodes as objects of a world. A node that belongs to another
// document is an error that wraps driver.ErrStale.
func (w *world) resolve(ctx context.Context, ids ...driver.NodeID) ([]string, error) {
	replies, err := conn.All(ctx, w.session, resolving(w, ids))
	if err != nil {
		return nil, err
	}
	objects := make([]string, len(ids))
	for i, reply := range replies {
		objects[i] = string(value(reply.Object.ObjectID))
		if objects[i] == "" { // null: a number of the page before, whose node lives on in the cache
			release(w.session, objects...)
			return nil, fmt.Errorf("node %d is of another document: %w", ids[i], driver.ErrStale)
		}
	}
	return objects, nil
}

func resolving(w *world, ids []driver.NodeID) []*conn.Request[dom.ResolveNodeReply] {
	requests := make([]*conn.Request[dom.ResolveNodeReply], len(ids))
	for i, id := range ids {
		requests[i] = protocol.DOMResolveNode.With(dom.ResolveNodeArgs{BackendNodeID: new(dom.BackendNodeID(id)), ExecutionContextID: &w.id})
	}
	return requests
}

// resolveSome is resolve for nodes that may have gone: those are empty.
func (w *world) resolveSome(ctx context.Context, ids []driver.NodeID) ([]string, error) {
	replies, err := conn.All(ctx, w.session, resolving(w, ids))
	if err != nil && !errors.As(err, new(*CommandError)) {
		return nil, err
	}
	objects := make([]string, len(ids))
	for i, reply := range replies {
		if reply != nil {
			objects[i] = string(value(reply.Object.ObjectID))
		}
	}
	return objects, nil
}

// argument gives a node as an object of any world of its frame.
func (w *world) argument(ctx context.Context, ref driver.NodeRef) (string, error) {
	if ref.Doc != w.Doc {
		return "", driver.ErrStale
	}
	if ref.Node == 0 {
		reply, err := protocol.RuntimeEvaluate.Do(ctx, w.session, runtime.EvaluateArgs{Expression: "document", ContextID: &w.id})
		if err != nil {
			return "", err
		}
		e, err := readEvaluation((*runtime.CallFunctionOnReply)(&reply))
		if err != nil {
			return "", err
		}
		return e.object, nil
	}
	// Our own world checks that the node is in the document still.
	if err := w.page.callWith(ctx, ref, call{name: "check"}, nil); err != nil {
		return "", err
	}
	objects, err := w.resolve(ctx, ref.Node)
	if err != nil {
		return "", err
	}
	return objects[0], nil
}
