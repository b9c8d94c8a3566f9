package cdp

import (
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
	"github.com/mafredri/cdp/protocol/network"
	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/runtime"
	"github.com/mafredri/cdp/protocol/storage"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
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
	for _, f := range b.shownFrames() {
		o, err := localStorage(ctx, f)
		switch {
		case errors.Is(err, driver.ErrDetached), errors.Is(err, driver.ErrStale), errors.Is(err, driver.ErrCrashed):
			continue // it went away meanwhile
		case err != nil:
			return nil, opError("storagestate", f.URL, err)
		}
		if o != nil && !seen[o.Origin] {
			seen[o.Origin] = true
			state.Origins = append(state.Origins, *o)
		}
	}
	return state, nil
}

// shownFrames returns the frames of all pages.
func (b *browser) shownFrames() []frameState {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []frameState
	for _, p := range b.pages {
		for _, d := range appendFrames(nil, p.main) {
			list = append(list, frameState{d, p.frames[d.ID].session})
		}
	}
	return list
}

// localStorage reads the local storage of a frame's origin, without a script.
// It is nil if there is none, or one that belongs to an embedding site.
func localStorage(ctx context.Context, f frameState) (*driver.OriginStorage, error) {
	if !strings.HasPrefix(f.URL, "http:") && !strings.HasPrefix(f.URL, "https:") {
		return nil, nil
	}
	key, err := protocol.StorageGetStorageKeyForFrame.Do(ctx, f.session, storage.GetStorageKeyForFrameArgs{FrameID: cdppage.FrameID(f.ID)})
	if err != nil {
		return nil, err
	}
	origin, partition, _ := strings.Cut(string(key.StorageKey), "^")
	if partition != "" {
		return nil, nil
	}
	items, err := protocol.DOMStorageGetDOMStorageItems.Do(ctx, f.session, domstorage.GetDOMStorageItemsArgs{
		StorageID: domstorage.StorageID{StorageKey: new(domstorage.SerializedStorageKey(key.StorageKey)), IsLocalStorage: true},
	})
	if err != nil {
		return nil, err
	}
	if len(items.Entries) == 0 {
		return nil, nil
	}
	o := &driver.OriginStorage{Origin: strings.TrimSuffix(origin, "/")}
	for _, e := range items.Entries {
		o.LocalStorage = append(o.LocalStorage, driver.StorageEntry{Name: e[0], Value: e[1]})
	}
	slices.SortFunc(o.LocalStorage, func(a, b driver.StorageEntry) int { return strings.Compare(a.Name, b.Name) })
	return o, nil
}

// restore brings back a state. Local storage needs a document of its origin:
// a page of ours shows an empty one for each, made up here, so that no
// request leaves; then it is closed. Nobody has seen it.
func (b *browser) restore(ctx context.Context, state *driver.StorageState) (err error) {
	if err := b.SetCookies(ctx, state.Cookies...); err != nil {
		return err
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
	world, state, err := p.worldOf(ctx, "", driver.Isolated)
	if err != nil {
		return err
	}
	entries, err := json.Marshal(o.LocalStorage)
	if err != nil {
		return err
	}
	result, err := protocol.RuntimeEvaluate.Do(ctx, state.session, runtime.EvaluateArgs{
		ContextID:  &world,
		Expression: "for (const {name, value} of " + string(entries) + ") localStorage.setItem(name, value)",
	})
	if err == nil && result.ExceptionDetails != nil {
		err = (*thrown)(result.ExceptionDetails)
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
