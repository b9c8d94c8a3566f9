package fake

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
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
	base    *url.URL // of a srcdoc document
	network bool     // came over a network
	cached  bool
	web     bool          // its body is from a Web
	rest    *network.Body // what is still coming; nil if the body is complete
}

// complete waits for the rest of the body.
func (r *response) complete(ctx context.Context) (err error) {
	if r.rest != nil {
		r.body, err = r.rest.Whole(ctx, r.header.Get("Content-Type"))
		r.rest = nil
	}
	return err
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

var errSentTwice = errors.New("a request can be sent once")

func basicAuth(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
