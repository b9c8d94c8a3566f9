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

	"github.com/wayfinder-engine/wayfinder/driver"
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
	var key struct{ StorageKey string }
	if err := f.session.Call(ctx, "Storage.getStorageKeyForFrame", map[string]any{"frameId": f.ID}, &key); err != nil {
		return nil, err
	}
	origin, partition, _ := strings.Cut(key.StorageKey, "^")
	if partition != "" {
		return nil, nil
	}
	var items struct{ Entries [][2]string }
	id := map[string]any{"storageKey": key.StorageKey, "isLocalStorage": true}
	if err := f.session.Call(ctx, "DOMStorage.getDOMStorageItems", map[string]any{"storageId": id}, &items); err != nil {
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
	if err := p.session.Call(ctx, "Fetch.enable", map[string]any{"patterns": []map[string]any{{"urlPattern": "*"}}}, nil); err != nil {
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
	var result struct {
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	err = state.session.Call(ctx, "Runtime.evaluate", map[string]any{
		"contextId":  world,
		"expression": "for (const {name, value} of " + string(entries) + ") localStorage.setItem(name, value)",
	}, &result)
	if err == nil && result.ExceptionDetails != nil {
		err = errors.New(result.ExceptionDetails.Exception.Description)
	}
	return err
}

// A wireCookie is a cookie as Chrome writes and reads it.
type wireCookie struct {
	Name     string   `json:"name"`
	Value    string   `json:"value"`
	URL      string   `json:"url,omitempty"`
	Domain   string   `json:"domain,omitempty"`
	Path     string   `json:"path,omitempty"`
	Expires  *float64 `json:"expires,omitempty"` // seconds; -1 or absent: ends with the browser
	Secure   bool     `json:"secure,omitempty"`
	HTTPOnly bool     `json:"httpOnly,omitempty"`
	SameSite string   `json:"sameSite,omitempty"`
}

// inContext adds the browser's context to parameters.
func (b *browser) inContext(params map[string]any) map[string]any {
	if params == nil {
		params = map[string]any{}
	}
	if b.context != "" {
		params["browserContextId"] = b.context
	}
	return params
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
	var all struct{ Cookies []wireCookie }
	if err := b.call(ctx, "Storage.getCookies", b.inContext(nil), &all); err != nil {
		return nil, opError("cookies", "", err)
	}
	list := []driver.Cookie{}
	for _, w := range all.Cookies {
		if len(filter) == 0 || w.sentToAny(filter) {
			list = append(list, w.cookie())
		}
	}
	return list, nil
}

// call sends a command to Chrome unless the browser is closed.
func (b *browser) call(ctx context.Context, method string, params, result any) error {
	if b.isGone() {
		return b.goneError()
	}
	return b.chrome.root.Call(ctx, method, params, result)
}

// goneError says why the browser is no more.
func (b *browser) goneError() error {
	return cmp.Or(b.chrome.ended(), fmt.Errorf("the browser is %w", driver.ErrClosed))
}

// SetCookies implements driver.Browser.
func (b *browser) SetCookies(ctx context.Context, cookies ...driver.Cookie) error {
	if len(cookies) == 0 {
		return nil
	}
	list := make([]wireCookie, len(cookies))
	for i := range cookies {
		if cookies[i].Name == "" || cookies[i].URL == "" && cookies[i].Domain == "" {
			return opError("setcookies", cookies[i].Name, errors.New("a cookie needs a name, and a domain or a url"))
		}
		list[i] = wireOf(&cookies[i])
	}
	err := b.call(ctx, "Storage.setCookies", b.inContext(map[string]any{"cookies": list}), nil)
	if _, refused := errors.AsType[*CommandError](err); !refused {
		return opError("setcookies", "", err)
	}
	// Chrome does not say which one it dislikes.
	for _, w := range list {
		if err := b.call(ctx, "Storage.setCookies", b.inContext(map[string]any{"cookies": []wireCookie{w}}), nil); err != nil {
			return opError("setcookies", w.Name, err)
		}
	}
	return nil
}

// ClearCookies implements driver.Browser.
func (b *browser) ClearCookies(ctx context.Context) error {
	return opError("clearcookies", "", b.call(ctx, "Storage.clearCookies", b.inContext(nil), nil))
}

func wireOf(c *driver.Cookie) wireCookie {
	w := wireCookie{
		Name: c.Name, Value: c.Value, URL: c.URL, Domain: c.Domain, Path: c.Path,
		Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: c.SameSite,
	}
	if w.Path == "" && w.URL == "" {
		w.Path = "/"
	}
	if !c.Expires.IsZero() {
		at := float64(c.Expires.UnixMilli()) / 1000
		w.Expires = &at
	}
	return w
}

func (w *wireCookie) cookie() driver.Cookie {
	c := driver.Cookie{
		Name: w.Name, Value: w.Value, Domain: w.Domain, Path: w.Path,
		Secure: w.Secure, HTTPOnly: w.HTTPOnly, SameSite: w.SameSite,
	}
	if w.Expires != nil && *w.Expires > 0 {
		whole, part := math.Modf(*w.Expires)
		c.Expires = time.Unix(int64(whole), int64(part*1e9)).UTC()
	}
	return c
}

// sentToAny reports whether the cookie would go to one of urls (RFC 6265 §5.4).
func (w *wireCookie) sentToAny(urls []*url.URL) bool {
	for _, u := range urls {
		if w.sentTo(u) {
			return true
		}
	}
	return false
}

func (w *wireCookie) sentTo(u *url.URL) bool {
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
