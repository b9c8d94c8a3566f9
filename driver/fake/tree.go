package fake

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/network"
	"github.com/wayfinder-engine/wayfinder/driver/internal/intercept"
	"github.com/wayfinder-engine/wayfinder/driver/internal/listen"
)

// What the driver holds is one tree: a browser has pages, a page has frames, and
// a frame shows a document.

// A browser is one isolated profile in memory.
type browser struct {
	driver    *Driver
	opts      driver.BrowserOptions // a copy
	cookies   *network.CookieStore
	events    listen.Listeners
	handlers  intercept.Handlers
	ctx       context.Context // ends with Close: for handlers and the network, not for calls
	cancel    context.CancelFunc
	transport network.Transport

	frames, docs, requests, downloads atomic.Int64 // counters of identifiers

	mu      sync.Mutex // protects the fields below
	pages   []*page
	storage map[string]*originStorage // by origin
	names   map[string]*page          // by window name
	closed  bool
}

// originStorage is what an origin has stored.
type originStorage struct {
	local     map[string]string
	databases map[string][]byte // as JSON
}

func (b *browser) emit(e driver.Event) { b.events.Deliver(e) }

func (b *browser) frameID() driver.FrameID {
	return driver.FrameID("F" + strconv.FormatInt(b.frames.Add(1), 10))
}

func (b *browser) docID() driver.DocID {
	return driver.DocID("D" + strconv.FormatInt(b.docs.Add(1), 10))
}

// A page is one tab. What it shows is guarded by a lock that can be given up
// when a context ends, because a caller may hold it while a dialog is open.
type page struct {
	browser *browser
	id      driver.PageID
	opener  driver.PageID
	ctx     context.Context // ends with the page: for what runs in the background
	cancel  context.CancelFunc

	frameList atomic.Pointer[[]driver.Frame] // what Frames returns
	dialog    atomic.Pointer[driver.Dialog]  // the one that stands open

	mu     sync.Mutex    // protects the fields below
	gone   error         // why the page ended: ErrClosed, ErrCrashed
	done   chan struct{} // closed when it ends
	answer func(driver.Dialog) driver.DialogAnswer

	lock chan struct{} // holds a token while somebody has the page

	// All that follows belongs to the holder of lock.
	main     *frame
	ordinals int
	revision uint64
	shown    bool // brought to the front
	emulation
	history
	timers
	inputState
	tasks   []func()        // to run before the lock is let go
	waiting []chan struct{} // closed at the next change
	stepped bool            // something changed that somebody may wait for
	mutations
	inflight int       // requests under way
	idle     time.Time // when the last of them ended
	yielded  chan struct{}
}

// changed gives the page a new revision.
func (p *page) changed() {
	p.revision++
	p.stepped = true
}

// emulation is what the page takes its environment to be.
type emulation struct {
	driver.Emulation
}

// inputState is what is pressed, pointed at and focused.
type inputState struct {
	pointer   hit // the element under the pointer
	x, y      float64
	down      hit // where the button was pressed
	pressed   bool
	modifiers driver.Modifiers
	spaceDown hit    // the element that Space was pressed on
	focused   *frame // the frame that has the focus; nil is the main frame
	answered  answer // by the element that was focused last
	dragging  hit
	inserted  int // how often text was inserted
}

// timers are what a page has to do later. They are kept in the order in which
// they are due, and those due at one moment in the order in which they were
// set. Whoever takes the page first makes up for what is due, so a reader never
// sees a state older than the clock; a single timer of package time wakes the
// page when nobody comes. Within testing/synctest that clock is virtual.
type timers struct {
	due   []timer
	armed time.Time // what wake is set for

	wakeMu sync.Mutex // protects wake, which Close stops without the page's lock
	wake   *time.Timer
}

type timer struct {
	at time.Time
	d  *document
	f  func()
}

// A history is the list of a page's moves, those of its frames included.
type history struct {
	entries  []move
	position int // moves that are made; those behind can be made again
}

// A move took a frame from one state to another.
type move struct {
	frame    *frame
	from, to snapshot
}

// A snapshot is what a frame showed.
type snapshot struct {
	doc    *document // alive in the cache, or nil
	url    string
	answer *response
	method string
	scroll driver.ScrollTarget
}

// mutations are the changes of the tree that scripts made.
type mutations struct {
	last    time.Time
	touched time.Time // when input last came
	changes map[*html.Node][]time.Time
}

// An answer is how the focus changed the label of an element.
type answer struct {
	n             *html.Node
	before, after string
}

// A frame shows one document at a time.
type frame struct {
	page     *page
	id       driver.FrameID
	parent   *frame
	owner    *html.Node // in the parent's document
	name     string
	ordinal  int
	doc      *document
	pending  *navigation // under way, or nil
	detached bool
	children []*frame
}

// A navigation moves a frame to another document.
type navigation struct {
	url          *url.URL
	method       string // GET if empty
	body         string
	contentType  string
	referrer     string
	response     *response // where it is known beforehand
	source       *document // whose link or form it is; nil for a person's
	initial      bool      // the first of a frame
	replace      bool      // takes the place of the history entry
	traverse     int       // 1 + the history position that it goes to; 0 for a new entry
	reload       bool
	redirects    int
	id           string // of its request
	cancel       context.CancelFunc
	ended        bool
	err          error
	res          *driver.Response
	doc          *document
	sameDocument bool
	open         bool // its request is under way
	status       int  // of the answer; 0 before it
	slow         bool // its answer is awaited in the background
}

// A document is what one navigation gave. It is parsed when it is first looked
// at. Node numbers begin at 1 in each: two documents never agree by more than chance.
type document struct {
	layout.Scene
	frame   *frame
	id      driver.DocID
	url     *url.URL
	source  string // until it is parsed
	plain   string // the media type, if it is not HTML
	parsed  bool
	web     bool     // its source is from a Web
	network bool     // from a network
	parent  *url.URL // base of a srcdoc document
	based   *url.URL // what base found
	status  int
	notes   []string

	method, sent, contentType, referrer string // of the request that gave it
	answer                              *response

	stop          func() // ends the answer that is still coming; or nil
	resources     map[string]*resource
	loading       int  // of them
	dirty         bool // a script changed the tree
	ready, loaded bool
	active        *html.Node // focused element
	byKeyboard    bool       // the focus was last moved by keys
	view          *layout.View
	before        *layout.View // the last one, where transitions want to know it
	transitions   map[*html.Node]run
	animations    map[*html.Node]run
	appearance    appearance
	script        *Document
	paused        []timer // of a document in the cache
}

// A resource is a style sheet, a picture or a medium of a document, fetched from
// a handler or a network. Pictures and media are asked of handlers alone, and
// only to know whether they are there.
type resource struct {
	kind   driver.RequestKind
	url    *url.URL
	status int
	body   string
}

// A run is a transition or an animation under way.
type run struct {
	until time.Time
	moves bool
}

// An appearance is what a view of a document shows at a glance.
type appearance struct {
	busyOf, blankOf *layout.View // for which the answers hold
	busy, blank     bool
}

// A hit is an element with its document.
type hit struct {
	d *document
	n *html.Node
}

// A response is the answer to one request.
type response struct {
	url     *url.URL
	status  int
	text    string // of the status
	header  http.Header
	body    string
	srcdoc  bool
	base    *url.URL // of a srcdoc document
	network bool     // came over a network
	cached  bool
	web     bool          // its body is from a Web
	rest    *network.Body // what is still coming; nil if the body is complete
}

// A Document is a page as a script sees it. It is passed to the functions of
// [Options].Scripts and to the handlers that they set, and may be used within
// them alone: they have the page to themselves while they run.
type Document struct {
	d        *document
	handlers []handler
	elements map[*html.Node]*Element
	tools    []Tool
}

// An Element is one element of a [Document]. Two of the same document are equal
// if they are the same element. A nil Element panics, as in a script.
type Element struct {
	s *Document
	n *html.Node
}

// An Event is passed to handlers.
type Event struct {
	Type      string
	Document  *Document
	Target    *Element // where it happened
	Current   *Element // the element whose handler runs
	Submitter *Element // of submit: the button, or nil
	Key       string   // of keydown and keyup
	Data      string   // of input: what was written

	prevented, stopped bool
}

// A handler is a Go function that stands for an event listener.
type handler struct {
	kind string
	sel  *css.Selector // nil for the document's own events
	elem *html.Node
	run  func(*Event)
}

// complete marks a document that has nothing to load.
func (d *document) complete() { d.ready, d.loaded = true, true }

// frames returns the attached frames in document order, main frame first.
func (p *page) frames() []*frame {
	if len(p.main.children) == 0 {
		return []*frame{p.main}
	}
	var out []*frame
	stack := []*frame{p.main}
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, f)
		for i := len(f.children) - 1; i >= 0; i-- {
			stack = append(stack, f.children[i])
		}
	}
	return out
}

// frame finds an attached frame; the main frame for the zero id.
func (p *page) frame(id driver.FrameID) *frame {
	if id == "" || id == p.main.id {
		return p.main
	}
	for _, f := range p.frames() {
		if f.id == id {
			return f
		}
	}
	return nil
}

// A Tool is what a document offers to agents by RegisterTool, as scripts do by
// document.modelContext.registerTool.
type Tool struct {
	Name        string // letters, digits, _, - and ., at most 128
	Description string // not empty
	InputSchema string // the JSON of an object, or empty

	ReadOnly, Consequential, Untrusted bool // what the page claims

	// Run does the work. It answers by c, at once or later; a tool that never does
	// hangs.
	Run func(c *ToolCall)
}

// A ToolCall is a call of a [Tool].
type ToolCall struct {
	Document  *Document
	Arguments map[string]any
	Input     string // the same as JSON

	canceled bool
	result   *driver.ToolResult
}
