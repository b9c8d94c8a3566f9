package cdp

import (
	"context"
	"errors"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mafredri/cdp/protocol/network"
	cdpstorage "github.com/mafredri/cdp/protocol/storage"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// cookies are the cookies of a browser, which Chrome keeps.
type cookies struct{ browser *browser }

// Cookies implements driver.Browser.
func (cs *cookies) Cookies(ctx context.Context, urls ...string) ([]driver.Cookie, error) {
	var filter []*url.URL
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil {
			return nil, opError("cookies", text, err)
		}
		filter = append(filter, u)
	}
	if cs.browser.isGone() {
		return nil, opError("cookies", "", cs.browser.goneError())
	}
	all, err := protocol.StorageGetCookies.Do(ctx, cs.browser.chrome.root, cdpstorage.GetCookiesArgs{BrowserContextID: cs.browser.contextID()})
	if err != nil {
		return nil, opError("cookies", "", err)
	}
	list := []driver.Cookie{}
	for i := range all.Cookies {
		if c := &all.Cookies[i]; len(filter) == 0 || slices.ContainsFunc(filter, func(u *url.URL) bool { return sentTo(c, u) }) {
			list = append(list, cookieOf(c))
		}
	}
	return list, nil
}

// send sends a command to Chrome unless the browser is closed.
func (cs *cookies) send(ctx context.Context, c conn.Command) error {
	if cs.browser.isGone() {
		return cs.browser.goneError()
	}
	return cs.browser.chrome.root.Batch(ctx, c)
}

// SetCookies implements driver.Browser.
func (cs *cookies) SetCookies(ctx context.Context, list ...driver.Cookie) error {
	if len(list) == 0 {
		return nil
	}
	params := make([]network.CookieParam, len(list))
	for i := range list {
		if list[i].Name == "" || list[i].URL == "" && list[i].Domain == "" {
			return opError("setcookies", list[i].Name, errors.New("a cookie needs a name, and a domain or a url"))
		}
		params[i] = paramOf(&list[i])
	}
	err := cs.send(ctx, protocol.StorageSetCookies.With(cdpstorage.SetCookiesArgs{Cookies: params, BrowserContextID: cs.browser.contextID()}))
	if _, refused := errors.AsType[*CommandError](err); !refused {
		return opError("setcookies", "", err)
	}
	// Chrome does not say which one it dislikes.
	for i := range list {
		one := cdpstorage.SetCookiesArgs{Cookies: params[i : i+1], BrowserContextID: cs.browser.contextID()}
		if err := cs.send(ctx, protocol.StorageSetCookies.With(one)); err != nil {
			return opError("setcookies", list[i].Name, err)
		}
	}
	return nil
}

// ClearCookies implements driver.Browser.
func (cs *cookies) ClearCookies(ctx context.Context) error {
	return opError("clearcookies", "", cs.send(ctx, protocol.StorageClearCookies.With(cdpstorage.ClearCookiesArgs{BrowserContextID: cs.browser.contextID()})))
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

// sentTo reports whether the cookie would go to an address (RFC 6265 §5.4).
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
