package fake

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/network"
	"github.com/wayfinder-engine/wayfinder/driver/internal/intercept"
	"github.com/wayfinder-engine/wayfinder/driver/internal/listen"
)

// What the driver holds is one tree: a browser has pages, a page has frames, and
// a frame shows a document.

var (
	_ driver.Browser     = (*browser)(nil)
	_ driver.Interceptor = (*browser)(nil)
)

func newBrowser(d *Driver, opts *driver.BrowserOptions) *browser {
	b := &browser{driver: d, opts: *opts, storage: make(map[string]*originStorage), names: make(map[string]*page)}
	b.opts.Headers = maps.Clone(opts.Headers)
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.transport = network.NewTransport(d.opts.Transport, &b.opts)
	return b
}

// A browser is one isolated profile in memory.
type browser struct {
	driver    *Driver
	opts      driver.BrowserOptions // a copy
	cookies   network.CookieStore
	events    listen.Listeners
	handlers  intercept.Handlers
	ctx       context.Context // ends with Close: for handlers and the network, not for calls
	cancel    context.CancelFunc
	transport http.RoundTripper

	frames, docs, requests, downloads atomic.Int64 // counters of identifiers

	mu      sync.Mutex // protects the fields below
	pages   []*page
	storage map[string]*originStorage // by origin
	names   map[string]*page          // by window name
	closed  bool
}

func (b *browser) Version() string { return "memory/1" }

func (b *browser) Pages() []driver.Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]driver.Page, len(b.pages))
	for i, p := range b.pages {
		out[i] = p
	}
	return out
}

func (b *browser) NewPage(ctx context.Context) (driver.Page, error) {
	if err := ctx.Err(); err != nil {
		return nil, &driver.OpError{Op: "newpage", Err: err}
	}
	p := b.addPage("", "about:blank")
	if p == nil {
		return nil, &driver.OpError{Op: "newpage", Err: driver.ErrClosed}
	}
	return p, nil
}

// addPage opens a page at about:blank; nil if the browser is closed. url is
// what PageOpened says that it will show.
func (b *browser) addPage(opener driver.PageID, url string) *page {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	p := newPage(b, opener)
	b.pages = append(b.pages, p)
	b.mu.Unlock()
	b.emit(driver.PageOpened{Page: p.id, Opener: opener, URL: url})
	return p
}

// named finds an open page by the name of its window.
func (b *browser) named(name string) *page {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.names[name]; p != nil && slices.Contains(b.pages, p) {
		return p
	}
	return nil
}

func (b *browser) setName(p *page, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names[name] = p
}

func (b *browser) check(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return driver.ErrClosed
	}
	return ctx.Err()
}

func (b *browser) Cookies(ctx context.Context, urls ...string) ([]driver.Cookie, error) {
	if err := b.check(ctx); err != nil {
		return nil, &driver.OpError{Op: "cookies", Err: err}
	}
	return b.cookies.List(urls, time.Now())
}

func (b *browser) SetCookies(ctx context.Context, cookies ...driver.Cookie) error {
	if err := b.check(ctx); err != nil {
		return &driver.OpError{Op: "setcookies", Err: err}
	}
	return b.cookies.Set(cookies, time.Now())
}

func (b *browser) ClearCookies(ctx context.Context) error {
	if err := b.check(ctx); err != nil {
		return &driver.OpError{Op: "clearcookies", Err: err}
	}
	b.cookies.Clear()
	return nil
}

func (b *browser) StorageState(ctx context.Context) (*driver.StorageState, error) {
	if err := b.check(ctx); err != nil {
		return nil, &driver.OpError{Op: "storagestate", Err: err}
	}
	cookies, err := b.cookies.List(nil, time.Now())
	if err != nil {
		return nil, err
	}
	s := &driver.StorageState{Cookies: cookies, Origins: []driver.OriginStorage{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, origin := range slices.Sorted(maps.Keys(b.storage)) {
		stored := b.storage[origin]
		o := driver.OriginStorage{Origin: origin, LocalStorage: []driver.StorageEntry{}}
		for _, name := range slices.Sorted(maps.Keys(stored.local)) {
			o.LocalStorage = append(o.LocalStorage, driver.StorageEntry{Name: name, Value: stored.local[name]})
		}
		o.IndexedDB, o.LeftOut = stored.list(cmp.Or(b.opts.MaxIndexedDB, mostIndexedDB))
		if len(o.LocalStorage)+len(o.IndexedDB)+len(o.LeftOut) > 0 {
			s.Origins = append(s.Origins, o)
		}
	}
	return s, nil
}

func (b *browser) restore(s *driver.StorageState) error {
	for _, o := range s.Origins {
		b.stored(o.Origin, func(stored *originStorage) {
			for _, e := range o.LocalStorage {
				stored.local[e.Name] = e.Value
			}
		})
		for _, d := range o.IndexedDB {
			if err := b.storeDatabase(o.Origin, d); err != nil {
				return fmt.Errorf("restore storage state: %s: %w", o.Origin, err)
			}
		}
	}
	if err := b.cookies.Set(s.Cookies, time.Now()); err != nil {
		return fmt.Errorf("restore storage state: %w", err)
	}
	return nil
}

// mostIndexedDB is how many bytes of an origin's databases StorageState tells of.
const mostIndexedDB = 4 << 20

// originStorage is what an origin has stored.
type originStorage struct {
	local     map[string]string
	databases map[string][]byte // as JSON
}

// list returns the databases that fit into limit bytes, the smallest first, in the
// order of their names, and those that do not.
func (o *originStorage) list(limit int64) (fit []driver.Database, leftOut []driver.LeftOut) {
	if limit < 0 {
		return nil, nil
	}
	names := slices.SortedFunc(maps.Keys(o.databases), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(o.databases[a]), len(o.databases[b])), cmp.Compare(a, b))
	})
	for _, name := range names {
		raw := o.databases[name]
		if limit -= int64(len(raw)); limit < 0 {
			leftOut = append(leftOut, driver.LeftOut{Database: name, Why: fmt.Sprintf("%d bytes are too many", len(raw))})
			continue
		}
		fit = append(fit, decodeDatabase(raw))
	}
	slices.SortFunc(fit, func(a, b driver.Database) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(leftOut, func(a, b driver.LeftOut) int { return cmp.Compare(a.Database, b.Database) })
	return fit, leftOut
}

func decodeDatabase(raw []byte) (d driver.Database) {
	if err := json.Unmarshal(raw, &d); err != nil {
		panic(err) // it was written by storeDatabase
	}
	return d
}

// stored gives f what an origin has stored, to be read and changed.
func (b *browser) stored(origin string, f func(*originStorage)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.storage[origin]
	if o == nil {
		o = &originStorage{local: make(map[string]string), databases: make(map[string][]byte)}
		b.storage[origin] = o
	}
	f(o)
}

func (b *browser) storeDatabase(origin string, d driver.Database) error {
	raw, err := json.Marshal(d)
	if err == nil && d.Version < 1 {
		err = fmt.Errorf("database %q has the version %d", d.Name, d.Version)
	}
	if err == nil {
		b.stored(origin, func(o *originStorage) { o.databases[d.Name] = raw })
	}
	return err
}

func (b *browser) Listen(fn func(driver.Event)) (stop func()) { return b.events.Add(fn) }

// Close ends everything. It waits for nobody but a listener under way.
func (b *browser) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	pages := b.pages
	b.pages = nil
	b.mu.Unlock()
	b.cancel()
	for _, p := range pages {
		p.end(driver.ErrClosed)
	}
	if own, ok := b.transport.(*http.Transport); ok {
		own.CloseIdleConnections()
	}
	b.emit(driver.BrowserGone{})
	return nil
}

// Intercept implements driver.Interceptor.
func (b *browser) Intercept(ctx context.Context, h *driver.Handler) (stop func(), err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, opError("intercept", "", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, opError("intercept", "", driver.ErrClosed)
	}
	return b.handlers.Add(h), nil
}

// Covers implements driver.Interceptor: whatever leaves a page in memory passes the
// handlers of that moment.
func (b *browser) Covers(driver.PageID) bool { return true }

func (b *browser) emit(e driver.Event) { b.events.Deliver(e) }

func (b *browser) frameID() driver.FrameID {
	return driver.FrameID("F" + strconv.FormatInt(b.frames.Add(1), 10))
}

func (b *browser) docID() driver.DocID {
	return driver.DocID("D" + strconv.FormatInt(b.docs.Add(1), 10))
}

func (b *browser) requestID() string { return "R" + strconv.FormatInt(b.requests.Add(1), 10) }

// removePage takes a page off the list; false if it was not on it.
func (b *browser) removePage(p *page) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.pages, p)
	if i < 0 {
		return false
	}
	b.pages = slices.Delete(b.pages, i, i+1)
	return true
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
		if err := got.complete(ctx); err != nil {
			return nil, err
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
	status := cmp.Or(reply.Status, http.StatusOK)
	header := http.Header{}
	maps.Copy(header, reply.Header.Clone())
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

// fetchWhole waits for the whole body.
func (b *browser) fetchWhole(ctx context.Context, req *request) (*response, error) {
	r, err := b.fetch(ctx, req)
	if err == nil {
		err = r.complete(ctx)
	}
	return r, err
}
