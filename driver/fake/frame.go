package fake

import (
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/network"
)

// frameTree is a page's frames, and what is true of the page as a whole.
type frameTree struct {
	turn
	frameList        atomic.Pointer[[]driver.Frame] // what Frames returns
	main             *frame
	ordinals         int
	revision         uint64
	driver.Emulation // what the page takes its environment to be
	inputState
	mutations
}

// Bounds of frame trees, as browsers have them.
const (
	maxFrames     = 1000 // in a page
	maxFrameDepth = 20
)

// Frames returns the frames as they were when the page last changed them.
func (p *frameTree) Frames() []driver.Frame {
	list := *p.frameList.Load()
	return append([]driver.Frame(nil), list...)
}

// listFrames renews what Frames returns.
func (p *frameTree) listFrames() {
	frames := p.frames()
	list := make([]driver.Frame, 0, len(frames))
	for _, f := range frames {
		d := driver.Frame{ID: f.id, Doc: f.doc.id, URL: f.doc.address(), Name: f.name, Ordinal: f.ordinal}
		if f.parent != nil {
			d.Parent = f.parent.id
			d.OwnProcess = f.doc.url.Host != "" && !network.SameSite(f.parent.doc.address(), f.doc.url)
		}
		list = append(list, d)
	}
	p.frameList.Store(&list)
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

func (f *frame) depth() int {
	n := 0
	for f.parent != nil {
		f = f.parent
		n++
	}
	return n
}

// detach takes the frame and those below it away.
func (f *frame) detach() {
	for _, c := range f.children {
		c.detach()
	}
	f.children = nil
	f.detached = true
	f.drop()
	f.page.step()
	f.page.browser.emit(driver.FrameDetached{Page: f.page.id, Frame: f.id})
}

// load opens what the frame's element asks for.
func (f *frame) load() {
	parent := f.parent.doc
	if src, ok := dom.Lookup(f.owner, "srcdoc"); ok {
		u := *dom.BlankURL()
		u.Opaque = "srcdoc"
		f.start(&navigation{url: &u, response: &response{url: &u, body: src, base: parent.base()}, initial: true})
		return
	}
	src := dom.Trim(dom.Attr(f.owner, addressOf[f.owner.Data]))
	if src == "" || src == "about:blank" {
		return
	}
	u, err := parent.resolve(src)
	if err != nil || f.circular(u.String()) {
		return
	}
	f.start(&navigation{url: u, referrer: parent.address(), initial: true})
}

// circular reports that the address is already shown by two frames above: one
// is allowed, as in browsers.
func (f *frame) circular(addr string) bool {
	addr = dom.WithoutFragment(addr)
	n := 0
	for a := f.parent; a != nil; a = a.parent {
		if dom.WithoutFragment(a.doc.address()) == addr {
			n++
		}
	}
	return n > 1
}

// named finds the frame that a link's or form's target names, seen from f. nil
// is a new page.
func (f *frame) named(target string) *frame {
	switch dom.Lower(target) {
	case "", "_self":
		return f
	case "_top":
		return f.page.main
	case "_parent":
		if f.parent != nil {
			return f.parent
		}
		return f
	case "_blank":
		return nil
	}
	for _, c := range f.page.frames() {
		if c.name == target {
			return c
		}
	}
	return nil
}

// addressOf are the attributes that say what an element shows, by its name.
var addressOf = map[string]string{"iframe": "src", "frame": "src", "embed": "src", "object": "data"}

// embeddedKinds are the media types that an address without one is taken for.
var embeddedKinds = map[string]string{"": "text/html", ".html": "text/html", ".htm": "text/html", ".php": "text/html", ".txt": "text/plain",
	".svg": "image/svg+xml", ".png": "image/png", ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}

// frameOf returns the frame that n is the owner element of.
func (p *frameTree) frameOf(d *document, n *html.Node) *frame {
	for _, c := range d.frame.children {
		if c.owner == n {
			return c
		}
	}
	return nil
}

// frames returns the attached frames in document order, main frame first.
func (p *frameTree) frames() []*frame {
	return p.main.withBelow()
}

// withBelow is the frame and those within it, each in front of its own.
func (f *frame) withBelow() []*frame {
	all := []*frame{f}
	for _, c := range f.children {
		all = append(all, c.withBelow()...)
	}
	return all
}

// frame finds an attached frame; the main frame for the zero id.
func (p *frameTree) frame(id driver.FrameID) *frame {
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

// node finds what a reference names, or says why it can't.
func (p *frameTree) node(ref driver.NodeRef) (*document, *html.Node, error) {
	if ref.IsZero() {
		d := p.main.doc
		return d, d.Root, nil
	}
	f := p.frame(ref.Frame)
	if f == nil || ref.Frame == "" {
		return nil, nil, driver.ErrDetached
	}
	d := f.doc
	if d.id != ref.Doc {
		return nil, nil, driver.ErrStale
	}
	if ref.Node == 0 {
		return d, d.Root, nil
	}
	if ref.Node < 1 || int(ref.Node) > len(d.Nodes) {
		return nil, nil, driver.ErrStale
	}
	n := d.Nodes[ref.Node-1]
	if !d.Connected(n) {
		return nil, nil, driver.ErrDetached
	}
	return d, n, nil
}

// element is node for what must be an element.
func (p *frameTree) element(ref driver.NodeRef) (*document, *html.Node, error) {
	d, n, err := p.node(ref)
	if err == nil && n.Type != html.ElementNode {
		err = driver.ErrNotVisible
	}
	return d, n, err
}

// changed gives the page a new revision.
func (p *frameTree) changed() {
	p.revision++
	p.stepped = true
}

// mutation notes a change of n.
func (p *frameTree) mutation(n *html.Node, added bool) {
	now := time.Now()
	if p.changes == nil || len(p.changes) > 10000 {
		p.changes = make(map[*html.Node][]time.Time)
	}
	times := slices.DeleteFunc(p.changes[n], func(t time.Time) bool { return now.Sub(t) > habitWindow })
	novel := added || len(times) < habit-1
	if now.Sub(p.touched) > afterInput {
		times = append(times, now)
	}
	p.changes[n] = times
	if novel {
		p.last = now
	}
}

// focusedDocument is the document that keys go to.
func (p *frameTree) focusedDocument() *document {
	if p.focused != nil && !p.focused.detached {
		return p.focused.doc
	}
	return p.main.doc
}

func (p *frameTree) setFocused(f *frame) {
	if f == p.main {
		f = nil
	}
	if p.focused != f {
		p.focused = f
		p.changed()
	}
}

// mutations are the changes of the tree that scripts made.
type mutations struct {
	last    time.Time
	touched time.Time // when input last came
	changes map[*html.Node][]time.Time
}

// habit is how many changes of a node within habitWindow are a habit.
const (
	habit       = 4
	habitWindow = 1500 * time.Millisecond
	// afterInput is how long a change is taken to come from input, which makes
	// no habit however often it is sent.
	afterInput = 250 * time.Millisecond
)

// start begins a navigation. What the map can answer is shown when start
// returns; what must be fetched is shown later.
func (f *frame) start(nav *navigation) {
	nav.frame = f
	p := f.page
	if nav.method == "" {
		nav.method = "GET"
	}
	if nav.url.Scheme == "javascript" {
		nav.ended = true
		return
	}
	if nav.fragment() {
		return
	}
	if f.pending != nil {
		f.supersede()
	}
	f.pending = nav
	p.browser.emit(driver.NavigationRequested{Page: p.id, Frame: f.id, URL: nav.url.String()})
	if nav.response != nil {
		nav.answered(nav.response, nil)
		return
	}
	nav.advance()
}

// supersede gives the pending navigation up for another.
func (f *frame) supersede() {
	nav := f.pending
	f.pending = nil
	nav.end(&driver.NavigationError{URL: nav.url.String(), Reason: driver.ReasonAborted, Detail: "net::ERR_ABORTED"})
}

// drop ends what the frame has under way, because the frame is gone.
func (f *frame) drop() {
	if f.pending != nil {
		f.supersede()
	}
	f.page.dropTimers(f.doc)
	if f.doc.stop != nil {
		f.doc.stop()
	}
}

// origin is where the frame's viewport begins in the main frame's viewport.
func (f *frame) origin() (x, y float64) {
	for ; f.parent != nil; f = f.parent {
		v := f.parent.doc.render()
		b := v.Find(f.owner)
		if b == nil || b.Style == nil {
			continue
		}
		r := v.Shown(b.Rect, b.Fixed)
		x += r.X + b.Style.Border
		y += r.Y + b.Style.Border
	}
	return x, y
}

// hidden reports that the frame's element, or one above, is not displayed.
func (f *frame) hidden() bool {
	for ; f.parent != nil; f = f.parent {
		if b := f.parent.doc.render().Find(f.owner); b == nil || !b.Rendered {
			return true
		}
	}
	return false
}

// clipToViewports clips a rectangle of the main viewport by those of the frame
// and of all above it.
func (f *frame) clipToViewports(r driver.Rect) driver.Rect {
	for {
		x, y := f.origin()
		size := f.doc.Viewport()
		r = layout.Intersect(r, driver.Rect{X: x, Y: y, Width: size.Width, Height: size.Height})
		if f.parent == nil || r.IsZero() {
			return r
		}
		r = f.parent.visiblePart(f.owner, r)
		f = f.parent
	}
}

// visiblePart returns the part of a rectangle in the main viewport that shows at n.
func (f *frame) visiblePart(n *html.Node, r driver.Rect) driver.Rect {
	v := f.doc.render()
	if i := v.Index(n); i >= 0 {
		x, y := f.origin()
		r.X, r.Y = r.X-x, r.Y-y
		r = v.VisiblePart(i, r)
		r.X, r.Y = r.X+x, r.Y+y
	}
	return r
}
