package fake

import (
	"net/url"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// fragment answers a navigation within the document.
func (f *frame) fragment(nav *navigation) bool {
	if nav.method != "GET" || nav.reload || nav.response != nil || nav.traverse > 0 || nav.initial || f.doc == nil {
		return false
	}
	to := nav.url.String()
	if nav.url.Fragment == "" && to[len(to)-1] != '#' || withoutFragment(to) != withoutFragment(f.doc.address()) {
		return false
	}
	d := f.doc
	nav.ended, nav.sameDocument, nav.doc = true, true, d
	d.moveTo(nav.url, to == d.address() || nav.replace)
	d.scrollToFragment()
	return true
}

// moveTo gives the document another address.
func (d *document) moveTo(u *url.URL, replace bool) {
	f, p := d.frame, d.frame.page
	from := d.snapshot()
	d.url = u
	d.based = nil
	d.restyle()
	p.rememberWithin(f, from, d.snapshot(), replace)
	p.changed()
	p.listFrames()
	p.browser.emit(driver.Navigated{Page: p.id, Frame: f.id, Doc: d.id, URL: d.address(), SameDocument: true, Status: d.status})
}

// scrollToFragment shows what the address points at.
func (d *document) scrollToFragment() {
	id := d.url.Fragment
	if id == "" {
		return
	}
	d.parse()
	n := byID(d.root, id)
	if n == nil {
		if lower(id) == "top" {
			d.scrollTo(d.root, d.scroll.X, 0)
		}
		return
	}
	if r, ok := d.target(n); ok {
		d.scrollTo(d.root, d.scroll.X, r.Y)
	}
}
