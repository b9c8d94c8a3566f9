package network

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A CookieStore keeps a browser's cookies. It is not net/http/cookiejar
// because a browser must list all that it has, attributes included.
type CookieStore struct {
	mu  sync.Mutex      // protects all
	all []driver.Cookie // in the order of creation
}

// put stores a cookie; one that has expired removes its like.
func (s *CookieStore) put(c driver.Cookie, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.all, func(o driver.Cookie) bool { return o.Name == c.Name && o.Domain == c.Domain && o.Path == c.Path })
	gone := !c.Expires.IsZero() && !c.Expires.After(now)
	switch {
	case gone && i >= 0:
		s.all = slices.Delete(s.all, i, i+1)
	case gone:
	case i >= 0:
		s.all[i] = c
	default:
		s.all = append(s.all, c)
	}
}

func (s *CookieStore) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = nil
}

// List returns the cookies that would be sent to any of urls; all without urls.
func (s *CookieStore) List(urls []string, now time.Time) ([]driver.Cookie, error) {
	var targets []*url.URL
	for _, raw := range urls {
		u, err := dom.ParseURL(nil, raw)
		if err != nil {
			return nil, &driver.OpError{Op: "cookies", Target: raw, Err: err}
		}
		targets = append(targets, u)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []driver.Cookie{}
	for _, c := range s.all {
		if !c.Expires.IsZero() && !c.Expires.After(now) {
			continue
		}
		if len(targets) == 0 || slices.ContainsFunc(targets, func(u *url.URL) bool { return sentTo(&c, u) }) {
			out = append(out, c)
		}
	}
	return out, nil
}

// Set adds all cookies or none.
func (s *CookieStore) Set(cookies []driver.Cookie, now time.Time) error {
	done := make([]driver.Cookie, 0, len(cookies))
	for _, c := range cookies {
		if c.URL != "" {
			u, err := dom.ParseURL(nil, c.URL)
			if err != nil || u.Host == "" {
				return &driver.OpError{Op: "setcookies", Target: c.Name, Err: fmt.Errorf("invalid cookie: address %q", c.URL)}
			}
			if c.Domain == "" {
				c.Domain = u.Hostname()
			}
			if c.Path == "" {
				c.Path = "/"
			}
			c.Secure = c.Secure || u.Scheme == "https"
			c.URL = ""
		}
		if err := checkCookie(&c); err != nil {
			return &driver.OpError{Op: "setcookies", Target: c.Name, Err: err}
		}
		if c.Path == "" {
			c.Path = "/"
		}
		done = append(done, c)
	}
	for _, c := range done {
		s.put(c, now)
	}
	return nil
}

func checkCookie(c *driver.Cookie) error {
	switch {
	case c.Domain == "":
		return errors.New("invalid cookie: neither domain nor address")
	case c.Name == "" && c.Value == "", strings.ContainsAny(c.Name, "=;\r\n\x00"), strings.ContainsAny(c.Value, ";\r\n\x00"):
		return errors.New("invalid cookie: name or value")
	case strings.HasPrefix(c.Name, "__Secure-") && !c.Secure, strings.HasPrefix(c.Name, "__Host-") && (!c.Secure || c.Path != "/" || strings.HasPrefix(c.Domain, ".")):
		return errors.New("invalid cookie: the name's prefix asks for more")
	case c.SameSite != "" && c.SameSite != "Strict" && c.SameSite != "Lax" && c.SameSite != "None":
		return fmt.Errorf("invalid cookie: SameSite %q", c.SameSite)
	}
	return nil
}

// sentTo reports that host, path and scheme let a cookie go to u.
func sentTo(c *driver.Cookie, u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if domain, wide := strings.CutPrefix(c.Domain, "."); wide {
		if host != domain && !strings.HasSuffix(host, "."+domain) {
			return false
		}
	} else if host != c.Domain {
		return false
	}
	path := u.Path
	if path == "" {
		path = "/"
	}
	if path != c.Path && !(strings.HasPrefix(path, c.Path) && (strings.HasSuffix(c.Path, "/") || path[len(c.Path)] == '/')) {
		return false
	}
	return !c.Secure || u.Scheme == "https" || host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "127.0.0.1"
}

// Header is the Cookie header of a request. site is the address that causes
// it, empty for a person; top reports a navigation of the main frame.
func (s *CookieStore) Header(u *url.URL, method, site string, top bool, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	cross := site != "" && !SameSite(site, u)
	var send []driver.Cookie
	for _, c := range s.all {
		if !sentTo(&c, u) || !c.Expires.IsZero() && !c.Expires.After(now) {
			continue
		}
		lax := top && (method == "GET" || method == "HEAD")
		if cross && c.SameSite != "None" && (c.SameSite == "Strict" || !lax) {
			continue
		}
		send = append(send, c)
	}
	slices.SortStableFunc(send, func(a, b driver.Cookie) int { return len(b.Path) - len(a.Path) })
	var parts []string
	for _, c := range send {
		parts = append(parts, c.Name+"="+c.Value)
	}
	return strings.Join(parts, "; ")
}

// SameSite compares registrable domains and schemes.
func SameSite(addr string, u *url.URL) bool {
	from, err := url.Parse(addr)
	if err != nil || from.Host == "" {
		return true
	}
	return from.Scheme == u.Scheme && site(from.Hostname()) == site(u.Hostname())
}

func site(host string) string {
	if s, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return s
	}
	return host
}

// sameSites are the values of the attribute; it has none where a header does not say it.
var sameSites = map[http.SameSite]string{http.SameSiteStrictMode: "Strict", http.SameSiteLaxMode: "Lax", http.SameSiteNoneMode: "None"}

// Receive stores the Set-Cookie headers of a response from u.
func (s *CookieStore) Receive(u *url.URL, h http.Header, now time.Time) {
	for _, c := range (&http.Response{Header: h}).Cookies() {
		host := strings.ToLower(u.Hostname())
		out := driver.Cookie{Name: c.Name, Value: c.Value, Domain: host, Path: c.Path, Expires: c.Expires, Secure: c.Secure, HTTPOnly: c.HttpOnly}
		if domain := strings.TrimPrefix(strings.ToLower(c.Domain), "."); domain != "" {
			if host != domain && !strings.HasSuffix(host, "."+domain) {
				continue
			}
			if suffix, _ := publicsuffix.PublicSuffix(domain); suffix == domain && strings.Contains(domain, ".") && host != domain {
				continue
			}
			out.Domain = "." + domain
		}
		if !strings.HasPrefix(out.Path, "/") {
			out.Path = "/"
			if i := strings.LastIndexByte(u.Path, '/'); i > 0 {
				out.Path = u.Path[:i]
			}
		}
		switch {
		case c.MaxAge > 0:
			out.Expires = now.Add(time.Duration(c.MaxAge) * time.Second)
		case c.MaxAge < 0:
			out.Expires = now.Add(-time.Second)
		}
		out.SameSite = sameSites[c.SameSite]
		if out.SameSite == "None" && !out.Secure {
			continue
		}
		secureOrigin := u.Scheme == "https" || u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1"
		if out.Secure && !secureOrigin || checkCookie(&out) != nil {
			continue
		}
		s.put(out, now)
	}
}
