package fake

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// maxResources bounds what one document has fetched beside itself.
const maxResources = 200

// A resource is a style sheet, a picture or a medium of a document, fetched from
// a handler or a network. Pictures and media are asked of handlers alone, and
// only to know whether they are there.
type resource struct {
	kind   driver.RequestKind
	url    *url.URL
	status int
	body   string
}

// fetchResources begins to fetch what the document needs. One request follows
// the other, so that their order is always the same.
func (d *document) fetchResources() {
	b := d.frame.page.browser
	if b.driver.opts.Handler == nil && b.driver.opts.Transport == nil {
		return
	}
	if !d.parsed && !slices.ContainsFunc(fetching, func(tag string) bool { return containsFold(d.source, tag) }) {
		return
	}
	d.parse()
	var todo []*resource
	d.each(func(n *html.Node) {
		r := d.wants(n)
		if r == nil || len(todo) >= maxResources {
			return
		}
		if _, known := d.resources[r.url.String()]; known {
			return
		}
		if _, ok, _ := b.driver.instant("GET", r.url); ok {
			return
		}
		if d.resources == nil {
			d.resources = make(map[string]*resource)
		}
		d.resources[r.url.String()] = r
		todo = append(todo, r)
	})
	if len(todo) == 0 {
		return
	}
	d.loading += len(todo)
	d.frame.page.inflight += len(todo)
	go d.fetchAll(todo)
}

// fetching are the elements that may ask for something.
var fetching = []string{"<link", "<img", "<video", "<audio"}

// wants is the resource that an element asks for; nil if none.
func (d *document) wants(n *html.Node) *resource {
	if n.Namespace != "" {
		return nil
	}
	r := &resource{}
	ref := ""
	switch {
	case n.Data == "link" && strings.Contains(" "+lower(attr(n, "rel"))+" ", " stylesheet "):
		ref, r.kind = attr(n, "href"), driver.RequestStylesheet
	case n.Data == "img" && d.frame.page.browser.driver.opts.Handler != nil:
		ref, r.kind = attr(n, "src"), driver.RequestImage
	case (isElement(n, "video", "audio") || n.Data == "source" && isElement(n.Parent, "video", "audio")) &&
		d.frame.page.browser.driver.opts.Handler != nil:
		ref, r.kind = attr(n, "src"), driver.RequestOther
	}
	if trim(ref) == "" {
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
func (d *document) fetchAll(todo []*resource) {
	f, p := d.frame, d.frame.page
	b := p.browser
	ctx, cancel := context.WithTimeout(p.ctx, callLimit)
	defer cancel()
	for _, r := range todo {
		if p.acquire(p.ctx) != nil {
			return
		}
		gone := f.doc != d || f.detached
		id := "R" + strconv.FormatInt(b.requests.Add(1), 10)
		req := f.request(&navigation{url: r.url, method: http.MethodGet, referrer: d.address(), source: d})
		refused := gone
		if !gone {
			b.emit(driver.RequestStarted{Page: p.id, Frame: f.id, ID: id, Kind: r.kind, Method: http.MethodGet, URL: r.url.String()})
			if allow := b.opts.Allow; allow != nil {
				refused = allow(driver.RequestInfo{URL: r.url.String(), Method: http.MethodGet, Kind: r.kind, Frame: f.id}) != nil
			}
		}
		p.release()
		var res *response
		if !refused {
			var err error
			if res, err = b.fetchWhole(ctx, req); err != nil {
				res = nil
			}
		}
		if p.acquire(p.ctx) != nil {
			return
		}
		r.status = 599
		if res != nil {
			r.status, r.body = res.status, res.body
		}
		p.ended()
		d.loading--
		if !gone {
			b.emit(driver.RequestEnded{Page: p.id, ID: id, Failed: res == nil})
			d.resheet()
			p.changed()
			d.checkLoaded()
		}
		p.release()
	}
}

// fetchWhole follows redirects and waits for the whole body.
func (b *browser) fetchWhole(ctx context.Context, req *request) (*response, error) {
	for range maxRedirects {
		r, err := b.fetch(ctx, req)
		if err != nil {
			return nil, err
		}
		if location := r.header.Get("Location"); location != "" && redirects(r.status) {
			if req.url, err = parseURL(req.url, location); err != nil {
				return nil, err
			}
			continue
		}
		if r.rest != nil {
			if r.body, err = r.rest.whole(ctx, r.header.Get("Content-Type")); err != nil {
				return nil, err
			}
		}
		return r, nil
	}
	return nil, context.DeadlineExceeded
}
