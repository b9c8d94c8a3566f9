package fake

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/network"
)

// A Web is a whole web in a map: documents by address. It is a
// [driver.Driver] as it stands.
//
//	web := fake.Web{
//		"https://shop.test/":      `<h1>Shop</h1> <a href="/cart">Cart</a>`,
//		"https://shop.test/cart":  `<form action="/pay" method="post"><button>Pay</button></form>`,
//		"POST https://shop.test/pay": `<h1>Thank you</h1>`,
//		"https://shop.test/old":   "HTTP/1.1 302 Found\nLocation: /cart\n\n",
//	}
//
// A key is an address without a fragment, with a method and a space in front
// if it answers another than GET and HEAD. A request is answered by the key
// with its query, else by the one without. A value is HTML, or, where it
// begins with "HTTP/", a whole response: status line, headers, an empty line,
// body. An address whose host occurs in no key is a host that does not exist;
// another path of a known host is a 404.
//
// A Web is read and never changed; do not change it while a browser is open.
type Web map[string]string

var _ driver.Driver = Web(nil)

func (w Web) String() string { return "memory" }

// DialsItself implements driver.SelfDialer: there is nothing to dial.
func (w Web) DialsItself() bool { return true }

// Options say what a [Driver] serves. The zero value knows no host at all.
type Options struct {
	// Web holds the documents. It is asked first.
	Web Web

	// Handler answers what Web does not: every host exists then. It is called
	// on a goroutine of its own for each request, whose context ends when the
	// page or the browser is closed. A panic in it is a cut connection.
	Handler http.Handler

	// Transport goes to a network for what neither of the others answers.
	// Documents that come from it are shown without their scripts, as a
	// browser shows them that has scripts switched off. See [Network].
	Transport http.RoundTripper

	// Scripts stand where a page's own scripts would: each is called with
	// every document of its address, as soon as that is parsed. A key is an
	// address without fragment, matched with its query, then without; "*" is
	// called for every document, before the other. Where none is for a
	// document, noscript shows what stands in it.
	Scripts map[string]func(*Document)

	// Expressions are what Evaluate answers, by the exact text of the
	// expression. The result is encoded as JSON.
	Expressions map[string]func(d *Document, args []any) (any, error)

	// MaxBytes bounds a response's body; 0 is 64 MiB. A longer one fails
	// the navigation.
	MaxBytes int64
}

// A Driver is a configured in-memory browser. It is a fixed configuration and
// safe for concurrent use.
type Driver struct {
	opts  Options
	hosts map[string]bool // scheme://host of Web's keys

	sources dom.Sources // of Web's documents
}

var _ driver.Driver = (*Driver)(nil)

// New returns the driver that opts describe. It keeps the maps of opts: do not
// change them later.
func New(opts Options) *Driver {
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = 64 << 20
	}
	d := &Driver{opts: opts, hosts: make(map[string]bool)}
	for key := range opts.Web {
		if _, addr, ok := strings.Cut(key, " "); ok {
			key = addr
		}
		d.hosts[dom.OriginOf(key)] = true
	}
	return d
}

// Network returns a driver that loads pages over real HTTP, without running
// their scripts.
func Network() *Driver { return New(Options{Transport: network.DefaultTransport()}) }

func (d *Driver) String() string {
	if d.opts.Transport != nil {
		return "memory (network)"
	}
	return "memory"
}

// DialsItself implements driver.SelfDialer. A Transport that is not of net/http
// has ways of its own.
func (d *Driver) DialsItself() bool {
	_, ok := d.opts.Transport.(*http.Transport)
	return ok || d.opts.Transport == nil
}

// Open gives an isolated browser on the web.
func (w Web) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	return New(Options{Web: w}).Open(ctx, opts)
}

// Open gives an isolated browser with one page at about:blank.
func (d *Driver) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	if err := ctx.Err(); err != nil {
		return nil, &driver.OpError{Op: "open", Err: err}
	}
	b := newBrowser(d, opts)
	if opts.StorageState != nil {
		if err := b.restore(opts.StorageState); err != nil {
			return nil, &driver.OpError{Op: "open", Err: err}
		}
	}
	b.addPage("", "about:blank")
	return b, nil
}

// scripts returns the Go functions that take the place of the scripts of a document.
func (d *Driver) scripts(u *url.URL) []func(*Document) {
	scripts := d.opts.Scripts
	if len(scripts) == 0 {
		return nil
	}
	run := scripts[dom.WithoutFragment(u.String())]
	if run == nil && u.RawQuery != "" {
		plain := *u
		plain.RawQuery, plain.Fragment = "", ""
		run = scripts[plain.String()]
	}
	return slices.DeleteFunc([]func(*Document){scripts["*"], run}, func(f func(*Document)) bool { return f == nil })
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
func (d *Driver) entry(method string, u *url.URL) (string, bool) {
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
	body, ok := d.opts.Web[prefix+v.String()]
	return body, ok
}

// knows reports that the web has an answer for an address, or may have one.
func (d *Driver) knows(u *url.URL) bool {
	if d.opts.Handler != nil || d.opts.Transport != nil || u.Scheme == "data" || u.Scheme == "blob" {
		return true
	}
	_, ok := d.entry("GET", u)
	return ok
}

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
