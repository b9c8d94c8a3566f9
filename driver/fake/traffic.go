package fake

import (
	"cmp"
	"context"
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
)

// traffic is what a page has asked for and waits for.
type traffic struct {
	history
	inflight int       // requests under way
	idle     time.Time // when the last of them ended
}

// headers are those of a request of the page.
func (p *traffic) headers(r *request) http.Header {
	h := make(http.Header)
	h.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	h.Set("User-Agent", cmp.Or(p.UserAgent, "Mozilla/5.0 (compatible; Wayfinder)"))
	h.Set("Accept-Language", cmp.Or(p.Locale, "en-US,en;q=0.9"))
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

// intercepts reports a request that a handler may take part in, or that the network's
// absence stops: it is not answered at once, even where that could be done.
func (p *traffic) intercepts(info driver.RequestInfo) bool {
	if p.Connection == driver.Offline {
		return true
	}
	chain := p.browser.handlers.TakingPart(info, p.browser.opts.Handler)
	defer chain.Leave()
	return !chain.Empty()
}

// ended counts a request off.
func (p *traffic) ended() {
	p.inflight--
	p.idle = time.Now()
	p.step()
}

// download saves a response, or says that there is none or that it was refused.
func (p *traffic) download(u *url.URL, name string, r *response) {
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
	case r == nil || b.opts.DownloadDir == "":
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
func (p *traffic) save(d *document, u *url.URL, name string) {
	from := &frame{page: p.self, id: d.frame.id, parent: d.frame.parent, doc: d}
	p.requestFile(&navigation{frame: from, url: u, method: "GET", referrer: d.address(), source: d}, name)
}

// requestFile sends the request of a download, if it may be sent.
func (p *traffic) requestFile(nav *navigation, name string) {
	if nav.allowed() != nil {
		p.download(nav.url, name, nil)
		return
	}
	r, ok, err := p.browser.driver.instant("GET", nav.url)
	if ok {
		p.fileAnswered(nav, name, r, err)
		return
	}
	req := nav.request()
	p.inflight++ // the page is not idle before the download is reported
	go func() {
		r, err := p.browser.fetchWhole(p.ctx, req)
		if p.acquire(p.ctx) != nil {
			return
		}
		defer p.release()
		p.ended()
		if err == nil {
			p.browser.cookies.Receive(nav.url, r.header, time.Now())
		}
		p.fileAnswered(nav, name, r, err)
	}()
}

// fileAnswered saves the answer to a download's request, or asks where its redirect
// leads. Chrome follows a link normally if its redirect leads to another origin, and
// so do we: a site cannot declare another site's page to be a file.
func (p *traffic) fileAnswered(nav *navigation, name string, r *response, err error) {
	location := ""
	if err == nil && redirects(r.status) {
		location = r.header.Get("Location")
	}
	if location == "" {
		if err != nil {
			r = nil
		} else if given, ok := r.download(); ok && given != "" {
			name = given
		}
		p.download(nav.url, name, r)
		return
	}
	to, err := dom.ParseURL(nav.url, location)
	if nav.redirects++; err != nil || nav.redirects > maxRedirects {
		p.download(nav.url, name, nil)
		return
	}
	elsewhere := dom.OriginOf(to.String()) != dom.OriginOf(nav.url.String())
	nav.redirected(r.status, to)
	switch d := nav.source; {
	case !elsewhere:
		p.requestFile(nav, name)
	case !d.gone():
		d.open(&navigation{url: to, referrer: nav.referrer, source: d, redirects: nav.redirects}, "_self")
	}
}

// visit begins a navigation of another page's main frame.
func (p *traffic) visit(nav *navigation) {
	if p.acquire(p.ctx) != nil {
		return
	}
	p.main.start(nav)
	p.release()
}

// begin brings a new document to life: its scripts, frames, focus and events.
func (p *traffic) begin(d *document) {
	if d.answer != nil && d.answer.network && !d.Scripts {
		d.noteScripts()
	}
	d.runScripts()
	if d.frame.doc != d {
		return
	}
	d.meta()
	d.autofocus()
	d.attachFrames()
	d.fetchResources()
	if d.url.Fragment != "" {
		d.scrollToFragment()
	}
	d.ready = true
	p.step()
	if d.address() != "about:blank" || d.frame.parent != nil || len(p.entries) > 0 {
		p.browser.emit(driver.DOMContentLoaded{Page: p.id, Frame: d.frame.id})
	}
	d.fireDocument("DOMContentLoaded")
	d.checkLoaded()
}

// awaitNavigations waits a little for the navigations that an act has caused.
// The caller does not hold the lock.
func (p *traffic) awaitNavigations(ctx context.Context) {
	if err := p.acquire(ctx); err != nil {
		return
	}
	slow := func(f *frame) bool { return f.pending != nil && f.pending.slow }
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if p.await(ctx, func() bool { return !slices.ContainsFunc(p.frames(), slow) }) == nil {
		p.release()
	}
}

// networkIdle waits until no request has been under way for 500 ms.
func (p *traffic) networkIdle(ctx context.Context) error {
	const silence = 500 * time.Millisecond
	since := time.Now()
	for {
		if err := p.acquire(ctx); err != nil {
			return err
		}
		if err := p.await(ctx, func() bool { return p.inflight == 0 }); err != nil {
			return err
		}
		if p.idle.After(since) {
			since = p.idle
		}
		p.release()
		left := silence - time.Since(since)
		if left <= 0 {
			return nil
		}
		select {
		case <-time.After(left):
		case <-p.done:
			return p.lost()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leave begins a navigation of the main frame if the page may be left. The caller holds
// the page, and holds it again if no error is returned. A page that asks is held until
// somebody has answered, also where ctx ends before: only then does the navigation begin,
// as in a browser.
func (p *traffic) leave(ctx context.Context, nav *navigation) error {
	begin := func() {
		if !p.mayLeave(p.main) {
			nav.ended, nav.err = true, &driver.NavigationError{URL: nav.url.String(), Reason: driver.ReasonAborted, Detail: "net::ERR_ABORTED"}
		} else if p.main.pending != nav && !nav.ended {
			p.main.start(nav)
		}
	}
	if p.answerer() == nil || !p.main.doc.mayAsk() {
		begin()
		return nil
	}
	begun, left := make(chan struct{}), make(chan struct{})
	go func() {
		begin()
		select {
		case begun <- struct{}{}:
		case <-left:
			p.release()
		}
	}()
	select {
	case <-begun:
		return nil
	case <-ctx.Done():
		close(left)
		return ctx.Err()
	}
}

// mayLeave asks the documents below f whether they may be left.
func (p *traffic) mayLeave(f *frame) bool {
	d := f.doc
	return !d.mayAsk() || !d.fireDocument("beforeunload") || d.ask(driver.Dialog{Kind: driver.BeforeUnload}).Accept
}
