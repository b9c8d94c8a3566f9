package fake

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// loading fetches what a document has beside itself.
type loading struct {
	events
	awaited int // resources that are still coming
}

// checkLoaded fires the load event once the document and its frames are there.
func (d *loading) checkLoaded() {
	if !d.ready || d.loaded || d.awaited > 0 || d.frame.doc != d.self {
		return
	}
	if slices.ContainsFunc(d.frame.children, func(c *frame) bool { return c.pending != nil || !c.doc.loaded }) {
		return
	}
	d.loaded = true
	p := d.frame.page
	p.step()
	p.browser.emit(driver.Loaded{Page: p.id, Frame: d.frame.id})
	d.fireDocument("load")
	if f := d.frame; f.parent != nil {
		f.parent.doc.checkLoaded()
	}
}

// meta obeys <meta http-equiv=refresh>.
func (d *loading) meta() {
	n := dom.Find(d.Root, func(n *html.Node) bool {
		return dom.IsElement(n, "meta") && dom.Lower(dom.Attr(n, "http-equiv")) == "refresh"
	})
	if n == nil {
		return
	}
	wait, address, ok := refreshOf(dom.Attr(n, "content"))
	if u, err := d.resolve(address); ok && err == nil {
		d.frame.page.after(d.self, wait, func() {
			d.frame.start(&navigation{url: u, source: d.self, replace: wait < time.Second})
		})
	}
}

// refresh is the content of a refresh, as HTML, "shared declarative refresh steps", has
// it: seconds, whose fraction does not count, and an address, with "url=" before it or not.
var refresh = regexp.MustCompile(`(?is)^\s*([0-9]*)([0-9.]*)(?:$|(?:\s+[;,]?|[;,])\s*(?:url\s*=\s*)?(.*)$)`)

// refreshOf reads the content of a refresh. The empty address is the document's own.
func refreshOf(content string) (wait time.Duration, address string, ok bool) {
	m := refresh.FindStringSubmatch(content)
	if m == nil || m[1]+m[2] == "" {
		return 0, "", false
	}
	seconds, err := strconv.ParseInt(m[1], 10, 32)
	if err != nil && m[1] != "" {
		return 0, "", false
	}
	if address = m[3]; address != "" && (address[0] == '"' || address[0] == '\'') {
		address, _, _ = strings.Cut(address[1:], address[:1])
	}
	return time.Duration(seconds) * time.Second, address, true
}

// maxResources bounds what one document has fetched beside itself.
const maxResources = 200

// fetchResources begins to fetch what the document needs. One request follows
// the other, so that their order is always the same.
func (d *loading) fetchResources() {
	b := d.frame.page.browser
	if b.driver.opts.Handler == nil && b.driver.opts.Transport == nil && b.opts.Handler == nil && !b.handlers.Any() {
		return
	}
	var todo []*resource
	d.Each(func(n *html.Node) {
		r := d.wants(n)
		if r == nil || len(todo) >= maxResources {
			return
		}
		if _, known := d.resources[r.url.String()]; known {
			return
		}
		info := driver.RequestInfo{URL: r.url.String(), Method: http.MethodGet, Kind: r.kind, Frame: d.frame.id}
		if _, ok, _ := b.driver.instant("GET", r.url); ok && !d.frame.page.intercepts(info) {
			return
		}
		d.resources[r.url.String()] = r
		todo = append(todo, r)
	})
	if len(todo) == 0 {
		return
	}
	d.awaited += len(todo)
	d.frame.page.inflight += len(todo)
	go d.fetchAll(todo)
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

// wants is the resource that an element asks for; nil if none.
func (d *loading) wants(n *html.Node) *resource {
	if n.Namespace != "" {
		return nil
	}
	r := &resource{}
	ref := ""
	switch {
	case n.Data == "link" && strings.Contains(" "+dom.Lower(dom.Attr(n, "rel"))+" ", " stylesheet "):
		ref, r.kind = dom.Attr(n, "href"), driver.RequestStylesheet
	case n.Data == "img" && d.frame.page.browser.driver.opts.Handler != nil:
		ref, r.kind = dom.Attr(n, "src"), driver.RequestImage
	case d.embeds(n) == "image" && d.frame.page.browser.driver.opts.Handler != nil:
		ref, r.kind = dom.Attr(n, addressOf[n.Data]), driver.RequestImage
	case (dom.IsElement(n, "video", "audio") || n.Data == "source" && dom.IsElement(n.Parent, "video", "audio")) &&
		d.frame.page.browser.driver.opts.Handler != nil:
		ref, r.kind = dom.Attr(n, "src"), driver.RequestOther
	}
	if dom.Trim(ref) == "" {
		return nil
	}
	u, err := d.resolve(ref)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	r.url = u
	return r
}

// fetchAll fetches resources one after the other. It ends with the page.
func (d *loading) fetchAll(todo []*resource) {
	p := d.frame.page
	ctx, cancel := context.WithTimeout(p.ctx, callLimit)
	defer cancel()
	for _, r := range todo {
		id := p.browser.requestID()
		res, err := d.fetchFollowing(ctx, r.kind, id, &navigation{frame: d.frame, url: r.url, method: http.MethodGet})
		if p.acquire(p.ctx) != nil {
			return
		}
		r.status = 599
		if err == nil {
			r.status, r.body = res.status, res.body
		}
		p.ended()
		d.awaited--
		if !d.gone() {
			d.resheet()
			p.changed()
			d.checkLoaded()
		}
		p.release()
	}
}

var errNotFetched = errors.New("resource not fetched")

// fetchFollowing sends a request, and those where its redirects lead.
func (d *loading) fetchFollowing(ctx context.Context, kind driver.RequestKind, id string, nav *navigation) (*response, error) {
	for ; nav.redirects < maxRedirects; nav.redirects++ {
		res, err := d.fetchStep(ctx, kind, id, nav)
		if err != nil {
			return nil, err
		}
		location := res.header.Get("Location")
		if location == "" || !redirects(res.status) {
			return res, nil
		}
		to, err := dom.ParseURL(nav.url, location)
		if err != nil {
			return nil, err
		}
		nav.redirected(res.status, to)
	}
	return nil, errNotFetched
}

// fetchStep sends one request of a resource, if it may be sent, and emits its events.
// A beacon outlives the document, and goes out all the same.
func (d *loading) fetchStep(ctx context.Context, kind driver.RequestKind, id string, nav *navigation) (*response, error) {
	p := d.frame.page
	b := p.browser
	if err := p.acquire(p.ctx); err != nil {
		return nil, err
	}
	if d.gone() && kind != driver.RequestBeacon || !nav.requested() {
		p.release()
		return nil, errNotFetched
	}
	nav.referrer, nav.source = d.address(), d.self
	req := nav.request()
	req.info.Kind = kind
	if !nav.told {
		b.emit(nav.started(id, kind))
	}
	nav.told = false
	var err error
	if allow := b.opts.Allow; allow != nil {
		err = allow(req.info)
	}
	p.release()
	var res *response
	if err == nil {
		res, err = b.fetchWhole(ctx, req)
	}
	if gone := p.acquire(p.ctx); gone != nil {
		return nil, gone
	}
	defer p.release()
	if !d.gone() {
		ended := driver.RequestEnded{Page: p.id, ID: id, Failed: err != nil}
		if res != nil {
			ended.Status = res.status
		}
		b.emit(ended)
	}
	return res, err
}

// fetchByScript sends what a script of the document sends. It ends with the page.
func (d *loading) fetchByScript(kind driver.RequestKind, method, addr, contentType, body string, then func(int, string)) {
	u, err := d.resolve(addr)
	if err != nil {
		return
	}
	p := d.frame.page
	p.inflight++
	id := p.browser.requestID()
	nav := &navigation{frame: d.frame, url: u, method: method, contentType: contentType, body: body}
	if nav.requested() {
		// Before the script goes on: whoever acts sees with the act what it has sent.
		p.browser.emit(nav.started(id, kind))
		nav.told = true
	}
	go func() {
		ctx, cancel := context.WithTimeout(p.ctx, callLimit)
		defer cancel()
		res, err := d.fetchFollowing(ctx, kind, id, nav)
		if p.acquire(p.ctx) != nil {
			return
		}
		defer p.release()
		p.ended()
		if d.gone() || then == nil {
			return
		}
		if err != nil {
			then(0, "")
		} else {
			then(res.status, res.body)
		}
		d.afterScript()
	}()
}
