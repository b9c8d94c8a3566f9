package fake

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/network"
)

// Bounds of frame trees, as browsers have them.
const (
	maxFrames     = 1000 // in a page
	maxFrameDepth = 20
)

// Frames returns the frames as they were when the page last changed them.
func (p *page) Frames() []driver.Frame {
	list := *p.frameList.Load()
	return append([]driver.Frame(nil), list...)
}

// listFrames renews what Frames returns.
func (p *page) listFrames() {
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
		f.start(&navigation{url: &u, response: &response{url: &u, body: src, srcdoc: true, base: parent.base()}, initial: true})
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
func (p *page) frameOf(d *document, n *html.Node) *frame {
	for _, c := range d.frame.children {
		if c.owner == n {
			return c
		}
	}
	return nil
}
