package fake

import (
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A history is the list of a page's moves, those of its frames included.
type history struct {
	frameTree
	entries  []move
	position int // moves that are made; those behind can be made again
}

// cachedDocuments is how many documents a page keeps alive for Back.
const cachedDocuments = 6

// A snapshot is what a frame showed.
type snapshot struct {
	doc    *document // alive in the cache, or nil
	url    string
	answer *response
	method string
	scroll driver.ScrollTarget
}

// remember writes a move to another document down.
func (p *history) remember(nav *navigation, old, d *document, framed bool) {
	f := nav.frame
	from := old.snapshot()
	if framed || f.parent != nil || nav.reload {
		from.doc = nil // only whole pages without frames are kept
	}
	switch {
	case nav.initial:
	case nav.traverse > 0:
		p.arrived(f, from)
		p.position = nav.traverse - 1
		p.arrived(f, d.snapshot())
	case nav.replace || nav.url.String() == old.address() && nav.method == "GET":
		p.arrived(f, d.snapshot())
	default:
		p.rememberWithin(f, from, d.snapshot(), false)
		if i := p.position - 1 - cachedDocuments; i >= 0 {
			p.entries[i].from.doc = nil
			if i > 0 {
				p.entries[i-1].to.doc = nil
			}
		}
	}
}

// rememberWithin writes a move within a document down.
func (p *history) rememberWithin(f *frame, from, to snapshot, replace bool) {
	if replace {
		p.arrived(f, to)
		return
	}
	p.arrived(f, from)
	p.entries = append(p.entries[:p.position:p.position], move{f, from, to})
	p.position++
}

// arrived renews what the neighbouring moves know of the state of f.
func (p *history) arrived(f *frame, s snapshot) {
	for i := p.position - 1; i >= 0; i-- {
		if p.entries[i].frame == f {
			p.entries[i].to = s
			break
		}
	}
	for i := p.position; i < len(p.entries); i++ {
		if p.entries[i].frame == f {
			p.entries[i].from = s
			break
		}
	}
}

// revisit shows an earlier state of a frame.
func (p *history) revisit(f *frame, to snapshot, position int) (*navigation, error) {
	u, err := dom.ParseURL(nil, to.url)
	if err != nil {
		return nil, err
	}
	nav := &navigation{url: u, hash: endsWithHash(to.url), method: to.method, traverse: position + 1, response: to.answer}
	switch {
	case to.doc != nil && to.doc == f.doc:
		d := f.doc
		p.arrived(f, d.snapshot())
		p.position = position
		d.readdress(u, nav.hash)
		d.Scroll = to.scroll
		d.navigated(true)
		d.fireDocument("popstate")
		nav.ended, nav.sameDocument, nav.doc = true, true, d
	case to.doc != nil:
		p.restore(nav, f, to)
	default:
		if nav.response != nil {
			cached := *nav.response
			cached.cached = true
			nav.response = &cached
		}
		if f != p.main {
			f.start(nav)
		}
	}
	return nav, nil
}

// restore shows a document out of the cache: it is the same one as before.
func (p *history) restore(nav *navigation, f *frame, to snapshot) {
	if f.pending != nil {
		f.supersede()
	}
	old := f.doc
	p.browser.emit(driver.NavigationRequested{Page: p.id, Frame: f.id, URL: to.url})
	from := old.snapshot()
	for _, c := range f.children {
		c.detach()
		from.doc = nil
	}
	f.children = nil
	old.leave()
	p.arrived(f, from)
	p.position = nav.traverse - 1
	d := to.doc
	f.doc = d
	d.readdress(nav.url, nav.hash)
	p.resetInput()
	nav.doc, nav.ended = d, true
	if d.answer != nil {
		shown := *d.answer
		shown.url, shown.cached = d.url, true
		if nav.requested() || shown.status != 0 {
			nav.res = shown.public()
		}
	}
	d.navigated(false)
	p.browser.emit(driver.DOMContentLoaded{Page: p.id, Frame: f.id})
	p.browser.emit(driver.Loaded{Page: p.id, Frame: f.id})
	d.ready, d.loaded = true, true
	d.resumeTimers()
	d.fireDocument("pageshow")
}

// A move took a frame from one state to another.
type move struct {
	frame    *frame
	from, to snapshot
}
