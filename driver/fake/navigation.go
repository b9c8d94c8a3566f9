package fake

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/network"
)

// grace is how long an act waits for a navigation that it caused. An answer
// that takes longer comes while the page is used, as in a browser.
const grace = 250 * time.Millisecond

func (nav *navigation) end(err error) {
	if nav.cancel != nil {
		nav.cancel()
	}
	nav.endRequest(true)
	nav.ended, nav.err = true, err
	nav.frame.page.step()
}

// A navigation moves a frame to another document.
type navigation struct {
	frame        *frame // that navigates
	url          *url.URL
	hash         bool   // see withHash
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
	told         bool // the event of its next request has been emitted
	status       int  // of the answer; 0 before it
	slow         bool // its answer is awaited in the background
}

// started is the event of a request, with what it sends.
func (nav *navigation) started(id string, kind driver.RequestKind) driver.RequestStarted {
	e := driver.RequestStarted{Page: nav.frame.page.id, Frame: nav.frame.id, ID: id, Kind: kind, Method: nav.method, URL: nav.url.String()}
	if nav.body != "" && len(nav.body) <= driver.MaxBody && (kind == driver.RequestDocument || kind == driver.RequestFetch) {
		e.ContentType, e.Body = nav.contentType, nav.body
	}
	return e
}

// advance sends requests until an answer must be waited for or is there.
func (nav *navigation) advance() {
	p := nav.frame.page
	for {
		d := p.browser.driver
		if nav.requested() {
			if nav.id == "" {
				nav.id = p.browser.requestID()
			}
			p.inflight++
			nav.open = true
			p.browser.emit(nav.started(nav.id, driver.RequestDocument))
		}
		err := nav.permitted()
		if err == nil {
			err = nav.allowed()
		}
		if err != nil {
			nav.fail(err)
			return
		}
		if p.intercepts(nav.info()) {
			nav.fetch()
			return
		}
		r, ok, err := d.instant(nav.method, nav.url)
		if !ok {
			nav.fetch()
			return
		}
		if !nav.answered(r, err) {
			return
		}
	}
}

// permitted refuses what no browser lets a site do: lead from the web to
// another scheme by a redirect, or the page to a document of its own making.
func (nav *navigation) permitted() error {
	detail := ""
	switch web := nav.requested(); {
	case !web && nav.redirects > 0:
		detail = "net::ERR_UNSAFE_REDIRECT"
	case !web && nav.source != nil && nav.frame.parent == nil && (nav.url.Scheme == "data" || nav.url.Scheme == "about" && !isBlank(nav.url)):
		detail = "net::ERR_ABORTED"
	default:
		return nil
	}
	return &driver.NavigationError{URL: nav.url.String(), Reason: driver.ReasonOther, Detail: detail}
}

// isBlank reports an address that stands for no request at all.
func isBlank(u *url.URL) bool {
	return u.Scheme == "about" && (u.Opaque == "blank" || u.Opaque == "srcdoc")
}

// info is what is known of a navigation's request before it is sent.
func (nav *navigation) info() driver.RequestInfo {
	return driver.RequestInfo{URL: nav.url.String(), Method: nav.method, Kind: driver.RequestDocument, Frame: nav.frame.id, Redirected: nav.redirects > 0}
}

func (nav *navigation) allowed() error {
	allow := nav.frame.page.browser.opts.Allow
	if allow == nil || isBlank(nav.url) {
		return nil
	}
	err := allow(nav.info())
	if err == nil {
		return nil
	}
	return &driver.NavigationError{URL: nav.url.String(), Reason: driver.ReasonBlocked, Detail: err.Error(), Err: errors.Join(driver.ErrBlocked, err)}
}

// fetch asks the handler or the network on a goroutine of its own. The page's
// end, its own limit, or another navigation stops it.
func (nav *navigation) fetch() {
	p := nav.frame.page
	ctx, cancel := context.WithTimeout(p.ctx, callLimit)
	nav.cancel, nav.slow = cancel, true
	req := nav.request()
	go func() {
		defer cancel()
		r, err := p.browser.fetch(ctx, req)
		if err == nil && !r.shownEarly() {
			if err = r.complete(ctx); err != nil {
				err = network.Failure(nav.url, err)
			}
		}
		if p.acquire(p.ctx) != nil {
			return
		}
		if nav.frame.pending == nav && nav.answered(r, err) {
			nav.advance()
		}
		p.step()
		p.release()
		if err == nil && r.rest != nil && nav.doc != nil {
			nav.await(ctx, r)
		}
	}()
}

// await completes a document that is shown while it is coming.
func (nav *navigation) await(ctx context.Context, r *response) {
	p := nav.frame.page
	whole := *r
	err := whole.complete(ctx)
	if p.acquire(p.ctx) != nil {
		return
	}
	defer p.release()
	nav.endRequest(err != nil)
	if d := nav.doc; nav.frame.doc == d && !d.ready {
		if err == nil {
			d.complement(&whole)
		}
		p.changed()
		p.begin(d)
	}
}

func (nav *navigation) request() *request {
	p := nav.frame.page
	req := &request{method: nav.method, body: nav.body, contentType: nav.contentType, referrer: nav.referrer, url: nav.url}
	req.header = p.headers(req)
	req.info, req.offline = nav.info(), p.Connection == driver.Offline
	site := ""
	if nav.source != nil {
		site = nav.source.address()
	} else if nav.frame.parent != nil {
		site = nav.frame.page.main.doc.address()
	}
	if c := p.browser.cookies.Header(nav.url, nav.method, site, nav.frame.parent == nil, time.Now()); c != "" {
		req.header.Set("Cookie", c)
	}
	if user := nav.url.User; user != nil && req.header.Get("Authorization") == "" {
		password, _ := user.Password()
		req.header.Set("Authorization", basicAuth(user.Username(), password))
	}
	return req
}

// answered takes the answer to a request. It reports whether it was a redirect
// that is to be followed.
func (nav *navigation) answered(r *response, err error) (again bool) {
	f := nav.frame
	p := f.page
	if f.pending != nav {
		return false
	}
	if err != nil {
		nav.fail(err)
		return false
	}
	nav.status = r.status
	if r.header != nil && nav.response == nil {
		p.browser.cookies.Receive(nav.url, r.header, time.Now())
	}
	if location := r.header.Get("Location"); location != "" && redirects(r.status) {
		return nav.redirect(r.status, location)
	}
	switch {
	case r.status == 204 || r.status == 205:
		nav.fail(&driver.NavigationError{URL: nav.url.String(), Reason: driver.ReasonAborted, Detail: "net::ERR_ABORTED"})
		return false
	case nav.response == nil && r.header != nil:
		if name, ok := r.download(); ok {
			nav.endRequest(false)
			p.download(nav.url, name, r)
			nav.fail(&driver.NavigationError{URL: nav.url.String(), Reason: driver.ReasonAborted, Detail: "net::ERR_ABORTED", Err: driver.ErrDownload})
			return false
		}
	}
	nav.commit(r)
	return false
}

// fail ends a navigation that came to nothing. The frame keeps its document.
func (nav *navigation) fail(err error) {
	f := nav.frame
	f.pending = nil
	nav.end(err)
	f.page.browser.emit(driver.NavigationEnded{Page: f.page.id, Frame: f.id})
	if f.parent != nil {
		f.parent.doc.checkLoaded()
	}
}

func (nav *navigation) endRequest(failed bool) {
	if !nav.open {
		return
	}
	nav.open = false
	nav.frame.page.ended()
	nav.frame.page.browser.emit(driver.RequestEnded{Page: nav.frame.page.id, ID: nav.id, Failed: failed, Status: nav.status})
}

// requested reports that a server is asked.
func (nav *navigation) requested() bool { return nav.url.Scheme == "http" || nav.url.Scheme == "https" }

// commit shows the answer.
func (nav *navigation) commit(r *response) {
	f := nav.frame
	p := f.page
	old := f.doc
	shown := *r
	shown.url = nav.url
	d := newDocument(f, shown)
	d.hash = nav.hash
	d.method, d.sent, d.contentType, d.answer = nav.method, nav.body, nav.contentType, r
	d.referrer = nav.referrer
	for _, c := range f.children {
		c.detach()
	}
	framed := len(f.children) > 0
	f.children = nil
	p.remember(nav, old, d, framed)
	old.leave()
	f.doc, f.pending = d, nil
	p.step()
	if p.focused != nil && p.focused != p.main && (p.focused == f || p.focused.detached) {
		p.focused = nil
	}
	if f.parent == nil {
		p.resetInput()
	} else if dom.IsElement(f.owner, "object") {
		f.parent.doc.restyle() // an answer that is an error shows what stands within it
	}
	nav.doc, nav.slow = d, false
	if nav.requested() || r.status != 0 {
		nav.res = shown.public()
	}
	d.navigated(false)
	nav.ended = true
	if r.rest != nil {
		d.stop = nav.cancel
		return
	}
	nav.endRequest(false)
	p.begin(d)
}

func (nav *navigation) redirect(status int, location string) bool {
	nav.endRequest(false)
	nav.status = 0
	to, err := dom.ParseURL(nav.url, location)
	if err != nil {
		nav.fail(&driver.NavigationError{URL: location, Reason: driver.ReasonAddress, Detail: "net::ERR_INVALID_REDIRECT"})
		return false
	}
	if nav.redirects++; nav.redirects > maxRedirects {
		nav.fail(&driver.NavigationError{URL: nav.url.String(), Reason: driver.ReasonOther, Detail: "net::ERR_TOO_MANY_REDIRECTS"})
		return false
	}
	if to.Fragment == "" {
		to.Fragment = nav.url.Fragment
	}
	nav.redirected(status, to)
	return true
}

// redirected makes the request the one that a redirect asks for (Fetch, HTTP-redirect fetch).
func (nav *navigation) redirected(status int, to *url.URL) {
	if status == 303 && nav.method != "HEAD" || (status == 301 || status == 302) && nav.method == "POST" {
		nav.method, nav.body, nav.contentType = "GET", "", ""
	}
	nav.url = to
}

// fragment answers a navigation within the document.
func (nav *navigation) fragment() bool {
	if nav.method != "GET" || nav.reload || nav.response != nil || nav.traverse > 0 || nav.initial || nav.frame.doc == nil {
		return false
	}
	to := withHash(nav.url, nav.hash)
	if nav.url.Fragment == "" && !nav.hash || dom.WithoutFragment(to) != dom.WithoutFragment(nav.frame.doc.address()) {
		return false
	}
	d := nav.frame.doc
	nav.ended, nav.sameDocument, nav.doc = true, true, d
	d.moveTo(nav.url, nav.hash, to == d.address() || nav.replace)
	d.scrollToFragment()
	return true
}
