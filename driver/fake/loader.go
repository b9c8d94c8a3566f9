package fake

import (
	"context"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/network"
)

// maxRedirects is how many a navigation follows.
const maxRedirects = 20

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

func (r *response) mediaType() string {
	if r.header == nil {
		return ""
	}
	return dom.MediaType(r.header.Get("Content-Type"))
}

// download reports a response that is saved instead of shown.
func (r *response) download() (name string, ok bool) {
	disposition, name := dispositionOf(r.header.Get("Content-Disposition"))
	if disposition == "attachment" {
		return name, true
	}
	switch t := r.mediaType(); {
	case t == "", strings.HasPrefix(t, "text/"), strings.HasPrefix(t, "image/"), t == "application/xhtml+xml", t == "application/xml",
		t == "application/json", t == "application/javascript", strings.HasSuffix(t, "+xml"), strings.HasSuffix(t, "+json"),
		strings.HasPrefix(t, "multipart/"), strings.HasPrefix(t, "audio/"), strings.HasPrefix(t, "video/"):
		return "", false
	}
	return name, true
}

// public is the response as the contract has it.
func (r *response) public() *driver.Response {
	out := &driver.Response{URL: r.url.String(), Status: r.status, StatusText: r.text, Headers: make(map[string]string, len(r.header)), FromCache: r.cached}
	for _, k := range slices.Sorted(maps.Keys(r.header)) {
		out.Headers[strings.ToLower(k)] = strings.Join(r.header[k], ", ")
	}
	return out
}

// A request is one request of a navigation.
type request struct {
	method, body, contentType, referrer string
	url                                 *url.URL
	header                              http.Header
}

// fetch asks the handler or the network. It runs without the page's lock.
func (b *browser) fetch(ctx context.Context, r *request) (*response, error) {
	var sent io.Reader
	if r.body != "" {
		sent = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.url.String(), sent)
	if err != nil {
		return nil, &driver.NavigationError{URL: r.url.String(), Reason: driver.ReasonAddress, Detail: "net::ERR_INVALID_URL"}
	}
	req.Header = r.header
	limit := b.driver.opts.MaxBytes
	if h := b.driver.opts.Handler; h != nil {
		status, header, text, err := network.Serve(h, req, limit)
		if err != nil {
			return nil, network.Failure(r.url, err)
		}
		return answered(r.url, &response{status: status, text: http.StatusText(status), header: header}, text)
	}
	res, err := b.transport.RoundTrip(req)
	if err != nil {
		return nil, network.Failure(r.url, err)
	}
	text, err := network.Receive(ctx, res.Body, limit)
	if err != nil {
		return nil, network.Failure(r.url, err)
	}
	reason := strings.TrimSpace(strings.TrimPrefix(res.Status, strconv.Itoa(res.StatusCode)))
	return answered(r.url, &response{status: res.StatusCode, text: reason, header: res.Header, network: true}, text)
}

// answered completes a response with what has come of its body.
func answered(u *url.URL, r *response, from *network.Body) (*response, error) {
	over := from.Over()
	text, err := from.Now(r.header.Get("Content-Type"))
	if err != nil {
		return nil, network.Failure(u, err)
	}
	r.url, r.body = u, text
	if !over {
		r.rest = from
	}
	return r, nil
}

// headers are those of a request of the page.
func (p *page) headers(r *request) http.Header {
	h := make(http.Header)
	h.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	h.Set("User-Agent", "Mozilla/5.0 (compatible; Wayfinder)")
	if p.UserAgent != "" {
		h.Set("User-Agent", p.UserAgent)
	}
	h.Set("Accept-Language", "en-US,en;q=0.9")
	if p.Locale != "" {
		h.Set("Accept-Language", p.Locale)
	}
	if r.contentType != "" {
		h.Set("Content-Type", r.contentType)
	}
	if r.referrer != "" && !strings.HasPrefix(r.referrer, "about:") && !strings.HasPrefix(r.referrer, "data:") {
		h.Set("Referer", referrerFor(r.referrer, r.url))
	}
	for k, v := range p.Headers {
		h.Set(k, v)
	}
	return h
}

// referrerFor is the policy strict-origin-when-cross-origin.
func referrerFor(from string, to *url.URL) string {
	u, err := url.Parse(from)
	if err != nil || u.Scheme == "https" && to.Scheme == "http" {
		return ""
	}
	if dom.OriginOf(from) != dom.OriginOf(to.String()) {
		return dom.OriginOf(from) + "/"
	}
	u.Fragment, u.User = "", nil
	return u.String()
}

// dispositionOf reads a Content-Disposition header.
func dispositionOf(header string) (kind, name string) {
	if header == "" {
		return "", ""
	}
	kind, params, err := mime.ParseMediaType(header)
	if err != nil {
		kind, _, _ = strings.Cut(header, ";")
		return dom.Lower(dom.Trim(kind)), ""
	}
	return kind, params["filename"]
}

// download saves a response, or says that it was refused.
func (p *page) download(u *url.URL, name string, r *response) {
	b := p.browser
	id := "L" + strconv.FormatInt(b.downloads.Add(1), 10)
	if name == "" {
		if name = path.Base(u.Path); name == "." || name == "/" {
			name = "download"
		}
	}
	b.emit(driver.DownloadStarted{Page: p.id, ID: id, URL: u.String(), Name: name})
	end := driver.DownloadEnded{Page: p.id, ID: id, Canceled: true}
	switch limit := b.opts.MaxDownload; {
	case b.opts.DownloadDir == "":
	case limit > 0 && int64(len(r.body)) > limit:
		end.Err = driver.ErrTooLarge
	default:
		file := filepath.Join(b.opts.DownloadDir, string(p.id)+"-"+id)
		if err := os.WriteFile(file, []byte(r.body), 0o600); err == nil {
			end.Path, end.Size, end.Canceled = file, int64(len(r.body)), false
		} else {
			p.main.doc.note("a download could not be saved: " + err.Error())
		}
	}
	b.emit(end)
}

// save downloads what a link with a download attribute points at.
func (p *page) save(d *document, u *url.URL, name string) {
	nav := &navigation{url: u, method: "GET", referrer: d.address(), source: d}
	f := &frame{page: p, id: d.frame.id, parent: d.frame.parent, doc: d}
	if f.allowed(nav) != nil {
		return
	}
	r, ok, err := p.browser.driver.instant("GET", u)
	finish := func(r *response) {
		if given, ok := r.download(); ok && given != "" {
			name = given
		}
		p.download(u, name, r)
	}
	if ok {
		if err == nil {
			finish(r)
		}
		return
	}
	req := f.request(nav)
	p.inflight++ // the page is not idle before the download is told
	go func() {
		r, err := p.browser.fetchWhole(p.ctx, req)
		if p.acquire(p.ctx) != nil {
			return
		}
		defer p.release()
		p.ended()
		if err != nil {
			return
		}
		p.browser.cookies.Receive(u, r.header, time.Now())
		finish(r)
	}()
}
