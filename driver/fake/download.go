package fake

import (
	"mime"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// dispositionOf reads a Content-Disposition header.
func dispositionOf(header string) (kind, name string) {
	if header == "" {
		return "", ""
	}
	kind, params, err := mime.ParseMediaType(header)
	if err != nil {
		kind, _, _ = strings.Cut(header, ";")
		return lower(trim(kind)), ""
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
		p.browser.cookies.receive(u, r.header, time.Now())
		finish(r)
	}()
}
