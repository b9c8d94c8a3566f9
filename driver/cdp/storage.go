package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mafredri/cdp/protocol/domstorage"
	"github.com/mafredri/cdp/protocol/fetch"
	"github.com/mafredri/cdp/protocol/indexeddb"
	"github.com/mafredri/cdp/protocol/network"
	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/storage"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/databases"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// StorageState implements driver.Browser.
func (b *browser) StorageState(ctx context.Context) (*driver.StorageState, error) {
	cookies, err := b.Cookies(ctx)
	if err != nil {
		return nil, opError("storagestate", "", err)
	}
	state := &driver.StorageState{Cookies: cookies, Origins: []driver.OriginStorage{}}
	seen := map[string]bool{}
	frames := b.shownFrames()
	for _, f := range frames {
		o, err := f.stored(ctx, seen)
		switch {
		case errors.Is(err, driver.ErrDetached), errors.Is(err, driver.ErrStale), errors.Is(err, driver.ErrCrashed):
			continue // it went away meanwhile
		case err != nil:
			return nil, opError("storagestate", f.URL, err)
		}
		if o != nil {
			state.Origins = append(state.Origins, *o)
		}
	}
	b.forgetDatabases(frames)
	return state, nil
}

// A shownFrame is one whose origin may have stored something.
type shownFrame struct {
	frameState
	page *page
}

// shownFrames returns the frames of all pages.
func (b *browser) shownFrames() []shownFrame {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []shownFrame
	for _, p := range b.pages {
		for _, d := range appendFrames(nil, p.main) {
			list = append(list, shownFrame{frameState{d, p.frames[d.ID].session}, p})
		}
	}
	return list
}

// stored reads what a frame's origin has stored. It is nil if that is nothing, or
// belongs to an embedding site, and for an origin that was seen before.
func (f shownFrame) stored(ctx context.Context, seen map[string]bool) (*driver.OriginStorage, error) {
	if !strings.HasPrefix(f.URL, "http:") && !strings.HasPrefix(f.URL, "https:") {
		return nil, nil
	}
	reply, err := protocol.StorageGetStorageKeyForFrame.Do(ctx, f.session, storage.GetStorageKeyForFrameArgs{FrameID: cdppage.FrameID(f.ID)})
	if refused, ok := errors.AsType[*CommandError](err); ok && strings.Contains(refused.Message, "opaque origin") {
		return nil, nil // a frame in a sandbox stores nothing
	}
	if err != nil {
		return nil, err
	}
	key := string(reply.StorageKey)
	origin, partition, _ := strings.Cut(key, "^")
	origin = strings.TrimSuffix(origin, "/")
	if partition != "" || seen[origin] {
		return nil, nil
	}
	items, err := protocol.DOMStorageGetDOMStorageItems.Do(ctx, f.session, domstorage.GetDOMStorageItemsArgs{
		StorageID: domstorage.StorageID{StorageKey: new(domstorage.SerializedStorageKey(key)), IsLocalStorage: true},
	})
	if err != nil {
		return nil, err
	}
	o := &driver.OriginStorage{Origin: origin, LocalStorage: []driver.StorageEntry{}}
	for _, e := range items.Entries {
		o.LocalStorage = append(o.LocalStorage, driver.StorageEntry{Name: e[0], Value: e[1]})
	}
	slices.SortFunc(o.LocalStorage, func(a, b driver.StorageEntry) int { return strings.Compare(a.Name, b.Name) })
	if err := f.databases(ctx, key, o); err != nil {
		return nil, err
	}
	seen[origin] = true
	if len(o.LocalStorage)+len(o.IndexedDB)+len(o.LeftOut) == 0 {
		return nil, nil
	}
	return o, nil
}

const (
	// mostIndexedDB is how many bytes of an origin's databases are read.
	mostIndexedDB = 4 << 20
	// longestReading is how long the databases of an origin may take to be read, and
	// a few answers more: see [databases.Reading].
	// Where that was not enough, a later reading may take laterReading, until seldom
	// times the first one's time has passed.
	longestReading, laterReading = time.Second, 100 * time.Millisecond
	seldom                       = 10
	// longestWriting is how long a database may take to be written.
	longestWriting = 10 * time.Second
)

// databases says what a frame's origin has in IndexedDB. It is read where it has
// changed since it was read last, or is another document's.
func (f shownFrame) databases(ctx context.Context, key string, o *driver.OriginStorage) error {
	b := f.page.browser
	limit := cmp.Or(b.opts.MaxIndexedDB, mostIndexedDB)
	if limit < 0 {
		return nil
	}
	at := databases.At[*session]{Session: f.session, Key: key}
	b.mu.Lock()
	known := b.databases[at]
	if known != nil && known.Doc == f.Doc && known.Contents != nil && !known.Again {
		o.IndexedDB, o.LeftOut = slices.Clone(known.Databases), slices.Clone(known.LeftOut)
		b.mu.Unlock()
		return nil
	}
	wait := longestReading
	if end, ok := ctx.Deadline(); ok { // there is to be time for what else ctx is for
		wait = min(wait, time.Until(end)/2)
	}
	next := &databases.Known{Doc: f.Doc, Begun: time.Now(), Wait: wait}
	if known != nil && known.Doc == f.Doc && wait <= known.Wait && time.Since(known.Begun) < seldom*known.Wait {
		next.Begun, next.Wait = known.Begun, known.Wait
		wait = min(wait, laterReading)
	}
	if b.databases == nil {
		b.databases = map[databases.At[*session]]*databases.Known{}
	}
	b.databases[at] = next
	b.mu.Unlock()
	c, err := f.readDatabases(ctx, key, limit, wait)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil:
		delete(b.databases, at)
		return err
	case c.Origin != "" && c.Origin != o.Origin:
		delete(b.databases, at)
		return driver.ErrStale // another document has come
	}
	if known != nil && known.Doc == f.Doc && known.Contents != nil && b.databases[at] == next {
		c.Keep(known.Contents)
	}
	next.Contents = c
	o.IndexedDB, o.LeftOut = slices.Clone(c.Databases), slices.Clone(c.LeftOut)
	return nil
}

// readDatabases reads an origin's databases by a script of ours, as the protocol
// does not give values. What is not read in time is left out.
func (f shownFrame) readDatabases(ctx context.Context, key string, limit int64, wait time.Duration) (*databases.Contents, error) {
	// The script has its own clock; ours is for a page that has come to a stop.
	reading, cancel := counted(ctx, f.page.browser.chrome.root, wait*3/2)
	defer cancel()
	// From here on Chrome tells of changes.
	_, err := protocol.StorageTrackIndexedDBForStorageKey.Do(reading, f.session, storage.TrackIndexedDBForStorageKeyArgs{StorageKey: key})
	var names indexeddb.RequestDatabaseNamesReply
	if err == nil {
		names, err = protocol.IndexedDBRequestDatabaseNames.Do(reading, f.session, indexeddb.RequestDatabaseNamesArgs{StorageKey: &key})
	}
	c := new(databases.Contents)
	if err == nil && len(names.DatabaseNames) > 0 {
		var text string
		if text, err = f.page.text(reading, f.ID, databases.Reading(limit, wait)); err == nil {
			c, err = databases.Parse(text)
		}
	}
	switch {
	case err == nil:
		return c, nil
	case ctx.Err() != nil, errors.Is(err, driver.ErrDetached), errors.Is(err, driver.ErrStale), errors.Is(err, driver.ErrCrashed), errors.Is(err, driver.ErrClosed):
		return nil, err
	case reading.Err() != nil:
		err = fmt.Errorf("the page did not answer within %v", wait)
	}
	return &databases.Contents{LeftOut: []driver.LeftOut{{Why: err.Error()}}, Again: true}, nil
}

type indexedDBUpdated struct{ StorageKey string }

// indexedDBUpdated has databases read anew when they are asked for again. Chrome
// tells of changes before it answers a command that comes after them, also of those
// by other pages and by workers: TestIndexedDBChanges.
func (p *page) indexedDBUpdated(s *session, e *indexedDBUpdated) {
	at := databases.At[*session]{Session: s, Key: e.StorageKey}
	if _, known := p.browser.databases[at]; known {
		delete(p.browser.databases, at)
		p.browser.later(func() { s.Post(untrack(at)) })
	}
}

// untrack ends what Chrome tells of an origin's databases.
func untrack(at databases.At[*session]) conn.Command {
	return protocol.StorageUntrackIndexedDBForStorageKey.With(storage.UntrackIndexedDBForStorageKeyArgs{StorageKey: at.Key})
}

// forgetDatabases forgets those of documents that are not shown any more.
func (b *browser) forgetDatabases(shown []shownFrame) {
	docs := map[driver.DocID]bool{}
	for _, f := range shown {
		docs[f.Doc] = true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for at, known := range b.databases {
		if !docs[known.Doc] {
			delete(b.databases, at)
			at.Session.Post(untrack(at))
		}
	}
}

// text evaluates an expression in our world in a frame. Its value is a text, or a
// promise of one.
func (p *page) text(ctx context.Context, frame driver.FrameID, expression string) (string, error) {
	raw, err := p.evaluate(ctx, expression, &driver.EvaluateOptions{Frame: frame})
	if err != nil {
		return "", err
	}
	var text string
	return text, json.Unmarshal(raw, &text)
}

// restore brings back a state. Storage needs a document of its origin: a page of
// ours shows an empty one for each, made up here, so that no request leaves; then
// it is closed. Nobody has seen it.
func (b *browser) restore(ctx context.Context, state *driver.StorageState) (err error) {
	if err := b.SetCookies(ctx, state.Cookies...); err != nil {
		return err
	}
	for i := range state.Origins {
		if err := databases.Check(state.Origins[i].IndexedDB); err != nil {
			return fmt.Errorf("restoring the storage of %s: %w", state.Origins[i].Origin, err)
		}
	}
	if len(state.Origins) == 0 {
		return nil
	}
	made, err := b.NewPage(ctx)
	if err != nil {
		return err
	}
	p := made.(*page)
	defer func() { err = errors.Join(err, p.Close(context.WithoutCancel(ctx))) }()
	b.mu.Lock()
	p.blank = true
	b.mu.Unlock()
	if _, err := protocol.FetchEnable.Do(ctx, p.session, fetch.EnableArgs{Patterns: allRequests}); err != nil {
		return err
	}
	for i := range state.Origins {
		if err := p.fillStorage(ctx, &state.Origins[i]); err != nil {
			return fmt.Errorf("restoring the storage of %s: %w", state.Origins[i].Origin, err)
		}
	}
	return nil
}

func (p *page) fillStorage(ctx context.Context, o *driver.OriginStorage) error {
	if _, err := p.Navigate(ctx, o.Origin+"/", &driver.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
		return err
	}
	entries, err := json.Marshal(o.LocalStorage)
	if err != nil {
		return err
	}
	if len(o.LocalStorage) > 0 {
		if _, err := p.text(ctx, "", "for (const {name, value} of "+string(entries)+") localStorage.setItem(name, value); ''"); err != nil {
			return err
		}
	}
	if len(o.IndexedDB) == 0 {
		return nil
	}
	expression, err := databases.Writing(o.IndexedDB, longestWriting)
	if err != nil {
		return err
	}
	wrong, err := p.text(ctx, "", expression)
	if err == nil && wrong != "" {
		err = errors.New(wrong)
	}
	return err
}

// Cookies implements driver.Browser.
func (b *browser) Cookies(ctx context.Context, urls ...string) ([]driver.Cookie, error) {
	var filter []*url.URL
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil {
			return nil, opError("cookies", text, err)
		}
		filter = append(filter, u)
	}
	if b.isGone() {
		return nil, opError("cookies", "", b.goneError())
	}
	all, err := protocol.StorageGetCookies.Do(ctx, b.chrome.root, storage.GetCookiesArgs{BrowserContextID: b.contextID()})
	if err != nil {
		return nil, opError("cookies", "", err)
	}
	list := []driver.Cookie{}
	for i := range all.Cookies {
		if c := &all.Cookies[i]; len(filter) == 0 || sentToAny(c, filter) {
			list = append(list, cookieOf(c))
		}
	}
	return list, nil
}

// send sends a command to Chrome unless the browser is closed.
func (b *browser) send(ctx context.Context, c conn.Command) error {
	if b.isGone() {
		return b.goneError()
	}
	return b.chrome.root.Batch(ctx, c)
}

// SetCookies implements driver.Browser.
func (b *browser) SetCookies(ctx context.Context, cookies ...driver.Cookie) error {
	if len(cookies) == 0 {
		return nil
	}
	list := make([]network.CookieParam, len(cookies))
	for i := range cookies {
		if cookies[i].Name == "" || cookies[i].URL == "" && cookies[i].Domain == "" {
			return opError("setcookies", cookies[i].Name, errors.New("a cookie needs a name, and a domain or a url"))
		}
		list[i] = paramOf(&cookies[i])
	}
	err := b.send(ctx, protocol.StorageSetCookies.With(storage.SetCookiesArgs{Cookies: list, BrowserContextID: b.contextID()}))
	if _, refused := errors.AsType[*CommandError](err); !refused {
		return opError("setcookies", "", err)
	}
	// Chrome does not say which one it dislikes.
	for i := range list {
		one := storage.SetCookiesArgs{Cookies: list[i : i+1], BrowserContextID: b.contextID()}
		if err := b.send(ctx, protocol.StorageSetCookies.With(one)); err != nil {
			return opError("setcookies", list[i].Name, err)
		}
	}
	return nil
}

// ClearCookies implements driver.Browser.
func (b *browser) ClearCookies(ctx context.Context) error {
	return opError("clearcookies", "", b.send(ctx, protocol.StorageClearCookies.With(storage.ClearCookiesArgs{BrowserContextID: b.contextID()})))
}

func paramOf(c *driver.Cookie) network.CookieParam {
	p := network.CookieParam{Name: c.Name, Value: c.Value, SameSite: network.CookieSameSite(c.SameSite)}
	for text, to := range map[*string]**string{&c.URL: &p.URL, &c.Domain: &p.Domain, &c.Path: &p.Path} {
		if *text != "" {
			*to = text
		}
	}
	if c.Path == "" && c.URL == "" {
		p.Path = new("/")
	}
	if c.Secure {
		p.Secure = new(true)
	}
	if c.HTTPOnly {
		p.HTTPOnly = new(true)
	}
	if !c.Expires.IsZero() {
		p.Expires = network.TimeSinceEpoch(float64(c.Expires.UnixMilli()) / 1000)
	}
	return p
}

func cookieOf(w *network.Cookie) driver.Cookie {
	c := driver.Cookie{
		Name: w.Name, Value: w.Value, Domain: w.Domain, Path: w.Path,
		Secure: w.Secure, HTTPOnly: w.HTTPOnly, SameSite: string(w.SameSite),
	}
	if w.Expires > 0 { // -1: it ends with the browser
		whole, part := math.Modf(w.Expires)
		c.Expires = time.Unix(int64(whole), int64(part*1e9)).UTC()
	}
	return c
}

// sentToAny reports whether the cookie would go to one of urls (RFC 6265 §5.4).
func sentToAny(c *network.Cookie, urls []*url.URL) bool {
	for _, u := range urls {
		if sentTo(c, u) {
			return true
		}
	}
	return false
}

func sentTo(w *network.Cookie, u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	domain, sub := strings.CutPrefix(strings.ToLower(w.Domain), ".")
	if host != domain && !(sub && strings.HasSuffix(host, "."+domain)) {
		return false
	}
	if w.Secure && u.Scheme != "https" && u.Scheme != "wss" && !isLoopback(host) {
		return false
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return path == w.Path || strings.HasPrefix(path, strings.TrimSuffix(w.Path, "/")+"/")
}

// isLoopback reports whether a host is this machine, to which browsers send
// secure cookies without encryption.
func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}
