package cdp

import (
	"log/slog"
	"slices"
	"sync"

	cdpbrowser "github.com/mafredri/cdp/protocol/browser"
	"github.com/mafredri/cdp/protocol/fetch"
	"github.com/mafredri/cdp/protocol/input"
	"github.com/mafredri/cdp/protocol/network"
	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/databases"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/process"
	"github.com/wayfinder-engine/wayfinder/driver/internal/intercept"
	"github.com/wayfinder-engine/wayfinder/driver/internal/listen"
)

// What the driver knows is one tree: a Chrome has browsers, a browser has pages,
// and a page has frames. Sessions carry commands to the process of each. All that
// events change in a browser is protected by its mu.

// A Chrome is one running Chrome over one connection, and a driver whose
// browsers are isolated from each other within it: each has cookies, storage,
// cache, permissions and a proxy of its own.
type Chrome struct {
	conn    *conn.Conn
	root    *session
	process *process.Process // nil where we attached to somebody else's
	log     *slog.Logger

	version   string // "Chrome/156.0.8078.79"
	userAgent string
	base      string // id of the context that is the profile's own
	address   string // of the endpoint for others

	mu       sync.Mutex          // protects the following
	contexts map[string]*browser // by browser context id
	closing  bool
	fault    error // why the connection ended; nil after Close
	closed   chan struct{}
}

// A session is Chrome's word for a channel to one target: a page, a frame in
// a process of its own, a worker, or with an empty id the browser itself. All
// sessions share the connection.
type session struct {
	*conn.Session
	chrome *Chrome
	target string
	kind   string // of the target: "page", "iframe", "worker" …; empty for the browser
	parent *session

	// Set before the first event comes, on the reader goroutine.
	waits   bool     // the target is held before its first byte
	page    *page    // that the target is or belongs to; nil for the browser and for shared workers
	browser *browser // nil for the browser itself
}

// A browser is one browser context of a Chrome.
type browser struct {
	chrome  *Chrome
	opts    driver.BrowserOptions
	context string // set before the first page is there
	owner   bool   // Close ends the Chrome
	foreign bool   // the profile of a Chrome that is not ours

	listeners listen.Listeners
	handlers  intercept.Handlers
	switching sync.Mutex // held while interception is switched on or off

	order sync.Mutex // held until what happened under mu is delivered
	mu    sync.Mutex // protects the following, and all pages and frames
	pages []*page    // in the order in which they were opened
	queue []driver.Event
	after []func() // to be called once mu is free
	loads map[string]download
	gone  bool

	workers    []*session                                  // that belong to no page: shared and service workers
	databases  map[databases.At[*session]]*databases.Known // of origins whose state was asked for
	answers    map[fetch.RequestID]chan<- *requestPaused   // who waits for the answer to a request
	challenged map[fetch.RequestID]struct{}                // requests that were asked for credentials
	closed     chan struct{}                               // nil until Close is called
}

// locked runs f with the browser's state to itself. The events that f has
// queued are delivered when it is done. It is called on the reader goroutine,
// and by Close.
func (b *browser) locked(f func()) {
	b.order.Lock()
	b.mu.Lock()
	f()
	events, after := b.queue, b.after
	b.queue, b.after = nil, nil
	b.mu.Unlock()
	for _, e := range events {
		b.listeners.Deliver(e)
	}
	b.order.Unlock()
	for _, f := range after {
		f()
	}
}

// delivered waits until the events of what has happened are delivered.
func (b *browser) delivered() {
	b.order.Lock()
	defer b.order.Unlock()
}

// emit queues an event. b.mu is held.
func (b *browser) emit(e driver.Event) { b.queue = append(b.queue, e) }

// later has f called when b.mu is free. b.mu is held.
func (b *browser) later(f func()) { b.after = append(b.after, f) }

// contextID names the browser's context; nil is the profile's own, whose name
// Chrome tells and, before version 150, does not find for cookies.
func (b *browser) contextID() *cdpbrowser.ContextID {
	if b.context == "" || b.context == b.chrome.base {
		return nil
	}
	return new(cdpbrowser.ContextID(b.context))
}

// A page is one tab.
type page struct {
	browser *browser
	target  string
	opener  driver.PageID
	session *session

	ready    chan struct{} // closed when the page can be used, or never will be
	readyErr error         // set by then
	left     chan struct{} // closed when the page is no more among its browser's

	kept kept // what is kept from look to look; has locks of its own

	// The rest is protected by browser.mu.

	extra     []*session // of frames in processes of their own
	workers   []*session
	frames    map[driver.FrameID]*frame
	main      *frame
	ordinals  int
	requests  map[string]*request
	responses responses
	sockets   bool     // the page has opened a WebSocket
	traffic   int      // changes when a request begins or a document is shown
	travelled *frame   // the last that went to another entry of the history
	opening   []string // addresses of windows that are about to open
	dialogs   dialogState
	emulation driver.Emulation
	scripts   []string // run in every new document
	blank     bool     // every request is answered with an empty document
	refused   map[string]error
	waiters   []*waiter
	calls     []*toolCall // of tools, under way
	crashing  bool        // we end the process of its document, see navigation.go
	noProcess bool        // its document has no process, for that reason
	gone      error       // why no call can succeed any more
	removed   bool
	ours      bool // opened by NewPage, or by such a page
}

// ID implements driver.Page.
func (p *page) ID() driver.PageID { return driver.PageID(p.target) }

// dialogSignal returns a channel that is closed when a dialog opens, or is
// closed already if one is open. Who sends a command that a dialog would
// withhold takes the channel before.
func (p *page) dialogSignal() <-chan struct{} {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return p.dialogs.signal
}

// A dialogState is what a page knows of dialogs. browser.mu protects it.
type dialogState struct {
	answer func(driver.Dialog) driver.DialogAnswer // nil is the default
	open   *driver.Dialog
	signal chan struct{} // closed while a dialog is open
	stayed bool          // the page was not to be left, lately
}

func newDialogState(answer func(driver.Dialog) driver.DialogAnswer) dialogState {
	return dialogState{answer: answer, signal: make(chan struct{})}
}

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
	worlds map[driver.World]runtime.ExecutionContextID

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

// A toolCall is a call of a document's tool that is under way, or a form that
// waits to be sent. Protected by browser.mu.
type toolCall struct {
	frame   *frame
	session *session // that it was sent to
	name    driver.ToolName
	form    bool               // that is filled in, and not sent by itself
	id      string             // Chrome's name of it; empty before it has answered
	invoked bool               // the tool has begun
	given   bool               // nobody waits for it any more
	result  *driver.ToolResult // nil before it is there
	err     error              // why there will be none
}

// leaveTools is for a document that is left: what it offers is gone, and it
// answers nothing any more. browser.mu is held.
func (f *frame) leaveTools() {
	for _, c := range f.page.calls {
		if c.frame == f && c.result == nil {
			c.result = &driver.ToolResult{State: driver.ToolLeft}
		}
	}
	f.page.calls = slices.DeleteFunc(f.page.calls, func(c *toolCall) bool { return c.frame == f })
	if len(f.tools) > 0 {
		f.page.browser.emit(driver.ToolsChanged{Page: f.page.ID(), Frame: f.id})
	}
	f.tools = nil
}

// A frameState is a copy of what is known of a frame.
type frameState struct {
	driver.Frame
	session *session
}

// A pendingNavigation is under way: NavigationRequested was emitted, and its
// end was not. Whatever ends it comes through navigation.go, the only file that
// sets frame.pending:
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

// A fetchFailure is a document that could not be fetched.
type fetchFailure struct {
	loader   driver.DocID
	text     string // "net::ERR_…"
	canceled bool   // nothing is shown in its place
}

// A request is under way.
type request struct {
	frame  driver.FrameID
	loader driver.DocID // the document that it is for
	status int          // of the answer; 0 before it
}

// responses are those of main documents, the oldest first. A document that
// comes out of the back/forward cache has its former one.
type responses struct {
	docs []driver.DocID
	by   map[driver.DocID]*driver.Response
}

// maxResponses is more than a tab's history holds.
const maxResponses = 60

func (r *responses) of(doc driver.DocID) *driver.Response { return r.by[doc] }

func (r *responses) add(doc driver.DocID, res *driver.Response) {
	if r.by == nil {
		r.by = map[driver.DocID]*driver.Response{}
	}
	if _, had := r.by[doc]; !had {
		r.docs = append(r.docs, doc)
	}
	r.by[doc] = res
	if len(r.docs) > maxResponses {
		delete(r.by, r.docs[0])
		r.docs = slices.Delete(r.docs, 0, 1)
	}
}

// A download is under way.
type download struct {
	page     driver.PageID
	tooLarge bool // and canceled by us
}

type requestPaused struct {
	RequestID           fetch.RequestID
	Request             struct{ URL, Method string }
	FrameID             driver.FrameID
	ResourceType        string
	NetworkID           string
	RedirectedRequestID string

	raw string // the request as it came

	// Of an answer.
	status  int
	failure network.ErrorReason
	headers []fetch.HeaderEntry
}

// A kept is what a page keeps from one look to the next.
type kept struct {
	libraries installed
	nodes     remembered
	revision  revisions
	trees     trees
	input     inputState
	dragged   dragState
	prepared  preparation
}

// An installed is the set of worlds that have the library.
type installed struct {
	mu    sync.Mutex
	ready map[worldKey]bool
}

// A remembered is what our scripts remember of nodes: those that were last worked with.
type remembered struct {
	mu   sync.Mutex // protects the following
	last int        // the last number that was given
	list []rememberedNode
}

// A rememberedNode is a node of a document, and its number in our world there.
type rememberedNode struct {
	world  worldKey
	node   driver.NodeID
	number int
}

const mostRemembered = 16 // our scripts remember more

// A worldKey names an execution context. Its id alone does not: a page that
// goes to another site goes on in another process, which counts from the
// start again, within the same session.
type worldKey struct {
	session *session
	id      runtime.ExecutionContextID
	doc     driver.DocID
}

// trees keeps the facts of the documents that were last captured.
type trees struct {
	mu   sync.Mutex // protects docs and what is in them
	docs map[driver.DocID]*treeFacts
}

// A treeFacts is what is known about the trees of one document.
type treeFacts struct {
	hosts map[driver.NodeID]bool // whether an element hosts a shadow root, or a slot has nodes assigned
	armed map[driver.NodeID]bool // hosts whose tree our script watches
}

// An inputState is what is held down on a page, from one call of Input to the next.
type inputState struct {
	mu      sync.Mutex // protects the following
	buttons int        // of the mouse, as a mask
	button  driver.Button
	keys    driver.Modifiers
	drags   sync.Mutex // held while a Drag is under way
}

// A dragState tells of a drag and drop that the page has begun. browser.mu
// protects it.
type dragState struct {
	data *input.DragData
}

// A waiter waits for a state of a page. Its condition is looked at after every
// event of the page, so nothing polls.
type waiter struct {
	page  *page
	check func() (done bool, err error) // called with browser.mu held
	done  chan struct{}                 // closed when err is set
	err   error
}

// A revisions gives looks at a page their numbers.
type revisions struct {
	mu      sync.Mutex // protects the following
	last    driver.Revision
	tuple   tuple  // the look that last belongs to
	content uint64 // hash of the capture that last belongs to; 0 if there is none
}

// A tuple is a look at all processes.
type tuple struct {
	scripts string // documents, worlds, ticks
	counts  string // what each process counts
}

// A preparation is what was sent ahead of the calls that it is for: the gate of
// the next input, and the question what has come of the last.
type preparation struct {
	mu      sync.Mutex // protects the following
	gate    *armedGate
	after   *askedAfter
	lifting *conn.Call // of a gate that was not used
}

// An armedGate is a gate that a glance has set, in a page of one frame.
type armedGate struct {
	world    worldKey
	ref      driver.NodeRef
	label    string
	selected *driver.Selection
}

// An askedAfter is the question that GlanceAfter will ask, on its way.
type askedAfter struct {
	world   worldKey
	ref     driver.NodeRef
	request *conn.Request[runtime.CallFunctionOnReply]
}

// takeGate returns, once, the gate that is set for a target, nil if none is or
// it is not quite that one.
func (a *preparation) takeGate(target *driver.Target) *armedGate {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.gate
	if g == nil || target.At != g.ref || target.Only || target.Label == nil || *target.Label != g.label || (target.Selected == nil) != (g.selected == nil) ||
		g.selected != nil && *target.Selected != *g.selected {
		return nil
	}
	a.gate = nil
	return g
}

// holdsLess is for a call that has held an element to its selector: the gate no
// longer does.
func (a *preparation) holdsLess(ref driver.NodeRef) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gate != nil && a.gate.ref == ref {
		a.gate.selected = nil
	}
}

// takeAfter returns, once, the question about a node that is on its way.
func (a *preparation) takeAfter(world worldKey, ref driver.NodeRef) *conn.Request[runtime.CallFunctionOnReply] {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.after
	a.after = nil
	if q == nil || q.world != world || q.ref != ref {
		return nil
	}
	return q.request
}

func (a *preparation) setGate(g *armedGate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gate = g
}

func (a *preparation) setAfter(q *askedAfter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.after = q
}
