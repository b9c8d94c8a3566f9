package fake

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/network"
)

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
	info                                driver.RequestInfo
	offline                             bool
}

// ask asks the handler or the network.
func (b *browser) ask(ctx context.Context, r *request) (*response, error) {
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

// instant answers from the map alone. ok is false where the answer must be fetched.
func (d *Driver) instant(method string, u *url.URL) (*response, bool, error) {
	switch u.Scheme {
	case "about":
		return &response{url: u}, true, nil
	case "data":
		r, err := dataResponse(u)
		return r, true, err
	case "http", "https":
	default:
		return nil, true, &driver.NavigationError{URL: u.String(), Reason: driver.ReasonAddress, Detail: "net::ERR_UNKNOWN_URL_SCHEME"}
	}
	if text, ok := d.entry(method, u); ok {
		r, err := readResponse(text)
		if err != nil {
			return nil, true, &driver.NavigationError{URL: u.String(), Reason: driver.ReasonReset, Detail: "net::ERR_INVALID_HTTP_RESPONSE", Err: err}
		}
		r.url, r.web = u, true
		return r, true, nil
	}
	if d.opts.Handler != nil {
		return nil, false, nil
	}
	if d.hosts[dom.OriginOf(u.String())] {
		return &response{url: u, status: 404, text: "Not Found", header: htmlHeader(),
			body: "<!doctype html><title>404 Not Found</title><h1>Not Found</h1>" + d.otherMethod(method, u)}, true, nil
	}
	if d.opts.Transport != nil {
		return nil, false, nil
	}
	return nil, true, &driver.NavigationError{URL: u.String(), Reason: driver.ReasonDNS, Detail: "net::ERR_NAME_NOT_RESOLVED"}
}

// entry finds what the map says about an address.
// otherMethod says that Web answers an address, and by which method, where it is
// asked by another: the map lacks the method in front of a key.
func (d *Driver) otherMethod(method string, u *url.URL) string {
	var others []string
	for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		if _, ok := d.entry(m, u); ok {
			others = append(others, m)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("<p>The Web has no key for %s %s; there is one for %s. A key for it begins with \"%s \".</p>",
		cmp.Or(method, "GET"), html.EscapeString(u.String()), strings.Join(others, ", "), cmp.Or(method, "GET"))
}

func (d *Driver) entry(method string, u *url.URL) (string, bool) {
	if len(d.opts.Web) == 0 {
		return "", false
	}
	prefix := ""
	if method != "GET" && method != "HEAD" && method != "" {
		prefix = method + " "
	}
	v := *u
	v.Fragment, v.RawFragment = "", ""
	for _, key := range []string{v.String(), strings.TrimSuffix(v.String(), "/")} {
		if body, ok := d.opts.Web[prefix+key]; ok && (key == v.String() || v.Path == "/") {
			return body, true
		}
	}
	v.RawQuery, v.ForceQuery = "", false
	if body, ok := d.opts.Web[prefix+v.String()]; ok {
		return body, true
	}
	return "", false
}

// knows reports that the web has an answer for an address, or may have one.
func (d *Driver) knows(u *url.URL) bool {
	if d.opts.Handler != nil || d.opts.Transport != nil || u.Scheme == "data" || u.Scheme == "blob" {
		return true
	}
	_, ok := d.entry("GET", u)
	return ok
}

// maxRedirects is how many a navigation follows.
const maxRedirects = 20

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

// readResponse reads a value of the map.
func readResponse(text string) (*response, error) {
	if !strings.HasPrefix(text, "HTTP/") {
		return &response{status: 200, text: "OK", header: htmlHeader(), body: text}, nil
	}
	head, body := text, ""
	for _, sep := range []string{"\r\n\r\n", "\n\n"} {
		if i := strings.Index(text, sep); i >= 0 {
			head, body = text[:i], text[i+len(sep):]
			break
		}
	}
	line, rest, _ := strings.Cut(head, "\n")
	fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
	if len(fields) < 2 {
		return nil, fmt.Errorf("status line %q", line)
	}
	status, err := strconv.Atoi(fields[1])
	if err != nil || status < 100 || status > 599 {
		return nil, fmt.Errorf("status line %q", line)
	}
	r := &response{status: status, text: http.StatusText(status), body: body}
	if len(fields) == 3 {
		r.text = fields[2]
	}
	h, err := textproto.NewReader(bufio.NewReader(strings.NewReader(rest + "\r\n\r\n"))).ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.header = http.Header(h)
	if r.header.Get("Content-Type") == "" {
		r.header.Set("Content-Type", "text/html; charset=utf-8")
	}
	return r, nil
}

// dataResponse decodes a data: address.
func dataResponse(u *url.URL) (*response, error) {
	bad := &driver.NavigationError{URL: u.String(), Reason: driver.ReasonAddress, Detail: "net::ERR_INVALID_URL"}
	opaque := u.Opaque
	if opaque == "" {
		opaque = u.Path
	}
	if u.RawQuery != "" {
		opaque += "?" + u.RawQuery
	}
	meta, data, ok := strings.Cut(opaque, ",")
	if !ok {
		return nil, bad
	}
	text, err := url.PathUnescape(data)
	if err != nil {
		text = data
	}
	if m, ok := strings.CutSuffix(meta, ";base64"); ok {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, bad
		}
		meta, text = m, string(raw)
	}
	if meta == "" || strings.HasPrefix(meta, ";") {
		meta = "text/plain" + meta
	}
	return &response{url: u, header: http.Header{"Content-Type": {meta}}, body: text}, nil
}

var defaultHeader = http.Header{"Content-Type": {"text/html; charset=utf-8"}}

func htmlHeader() http.Header { return defaultHeader }

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

// shownEarly reports that a browser shows the answer while it is coming.
func (r *response) shownEarly() bool {
	_, download := r.download()
	t := r.mediaType()
	return !redirects(r.status) && !download && (t == "" || t == "text/html" || t == "application/xhtml+xml")
}

func redirects(status int) bool {
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308
}

// fetch answers a request: by the handler that takes part in it, else by what
// answers this browser. It runs without the page's lock.
func (b *browser) fetch(ctx context.Context, r *request) (*response, error) {
	if r.offline {
		return nil, &driver.NavigationError{URL: r.url.String(), Reason: driver.ReasonOther, Detail: "net::ERR_INTERNET_DISCONNECTED"}
	}
	chain := b.handlers.TakingPart(r.info, b.opts.Handler)
	defer chain.Leave()
	if chain.Empty() {
		return b.send(ctx, r)
	}
	held := &driver.Request{RequestInfo: r.info, Header: r.header.Clone(), Body: []byte(r.body)}
	var sent *response
	held.Send = func(ctx context.Context) (*driver.Reply, error) {
		if sent != nil {
			return nil, errSentTwice
		}
		got, err := b.sendChanged(ctx, r, held)
		if err != nil {
			return nil, err
		}
		if got.rest != nil {
			if got.body, err = got.rest.Whole(ctx, got.header.Get("Content-Type")); err != nil {
				return nil, err
			}
			got.rest = nil
		}
		sent = got
		return &driver.Reply{Status: got.status, Header: got.header.Clone(), Body: []byte(got.body)}, nil
	}
	reply, err := chain.Handle(ctx, held, func() bool { return sent != nil })
	switch {
	case err != nil:
		return nil, &driver.NavigationError{URL: r.url.String(), Reason: driver.ReasonBlocked, Detail: err.Error(), Err: err}
	case reply != nil:
		return b.replied(ctx, r, reply)
	case sent != nil:
		return sent, nil
	}
	return b.sendChanged(ctx, r, held)
}

var errSentTwice = errors.New("a request can be sent once")

// sendChanged sends what a handler has made of a request.
func (b *browser) sendChanged(ctx context.Context, r *request, held *driver.Request) (*response, error) {
	again := *r
	again.method, again.header, again.body = held.Method, held.Header, string(held.Body)
	if held.URL != r.info.URL {
		u, err := url.Parse(held.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("a handler sent a request to %q: it can go to addresses over http and https", held.URL)
		}
		if allow := b.opts.Allow; allow != nil {
			if err := allow(held.RequestInfo); err != nil {
				return nil, errors.Join(driver.ErrBlocked, err)
			}
		}
		again.url = u
	}
	got, err := b.send(ctx, &again)
	if err != nil {
		return nil, err
	}
	got.url = r.url // the page sees its own address
	return got, nil
}

// replied is the answer that a handler gave.
func (b *browser) replied(ctx context.Context, r *request, reply *driver.Reply) (*response, error) {
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	header := reply.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	text, err := network.Receive(ctx, io.NopCloser(bytes.NewReader(reply.Body)), b.driver.opts.MaxBytes)
	if err != nil {
		return nil, network.Failure(r.url, err)
	}
	return answered(r.url, &response{status: status, text: http.StatusText(status), header: header}, text)
}

// send asks the map, the handler or the network, with the credentials that a
// server asks for.
func (b *browser) send(ctx context.Context, r *request) (*response, error) {
	if res, ok, err := b.driver.instant(r.method, r.url); ok {
		return res, err
	}
	res, err := b.ask(ctx, r)
	if err != nil || res.status != http.StatusUnauthorized || r.header.Get("Authorization") != "" {
		return res, err
	}
	for _, c := range b.opts.Credentials {
		if dom.OriginOf(c.Origin) == dom.OriginOf(r.url.String()) {
			again := *r
			again.header = r.header.Clone()
			again.header.Set("Authorization", basicAuth(c.Username, c.Password))
			return b.ask(ctx, &again)
		}
	}
	return res, nil
}

func basicAuth(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
