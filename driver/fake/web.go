package fake

import (
	"net/http"
	"strings"

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
