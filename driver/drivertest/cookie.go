package drivertest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var cookieCases = rows(Case{Doc: "Browser.SetCookies"},
	rule("cookies/from-site", "Cookies returns what the site has set, with domain, path, flags and end.").at("Cookie").
		on(func(w http.ResponseWriter, _ *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "plain", Value: "v"})
			http.SetCookie(w, &http.Cookie{Name: "full", Value: "w", Path: "/sub", MaxAge: 3600, HttpOnly: true, SameSite: http.SameSiteStrictMode})
			answer(w, 200, "<p>x")
		}).
		opens(func(t *trial) {
			cs := cookies(t)
			if len(cs) != 2 {
				t.fatalf("Cookies() = %+v, want two", cs)
			}
			full, plain := cs["full"], cs["plain"]
			t.equal("Value", plain.Value, "v")
			t.equal("Path", plain.Path, "/")
			t.must(plain.Expires.IsZero(), "Expires of a session cookie = %v, want zero", plain.Expires)
			t.must(plain.Domain != "" && !strings.HasPrefix(plain.Domain, "."), "Domain of a host's own cookie = %q", plain.Domain)
			t.equal("Value", full.Value, "w")
			t.equal("Path", full.Path, "/sub")
			t.equal("HTTPOnly", full.HTTPOnly, true)
			t.equal("SameSite", full.SameSite, "Strict")
			t.must(full.Expires.After(time.Now()), "Expires = %v, want it to come", full.Expires)
		}),
	rule("cookies/sent", "A cookie that was set is sent with the next request that it is for.").
		with(pages{"/": "<p>x", "/sub/page": "<p>y"}).
		checks(func(t *trial) {
			t.ok("SetCookies", t.browser.SetCookies(t.ctx,
				driver.Cookie{Name: "a", Value: "1", URL: t.url("/")},
				driver.Cookie{Name: "b", Value: "2", URL: t.url("/"), Path: "/sub"}))
			t.open("/")
			t.equal("Cookie of /", t.request("/").Header.Get("Cookie"), "a=1")
			t.open("/sub/page")
			sent := strings.Split(t.request("/sub/page").Header.Get("Cookie"), "; ")
			slices.Sort(sent)
			t.equal("Cookie of /sub/page", sent, []string{"a=1", "b=2"})
		}),
	rule("cookies/domain", "A cookie may be set by Domain and Path, and is read back as it was set.").
		on("<p>x").
		checks(func(t *trial) {
			ends := time.Now().Add(24 * time.Hour).Truncate(time.Second).UTC()
			host := host(t)
			t.ok("SetCookies", t.browser.SetCookies(t.ctx, driver.Cookie{Name: "a", Value: "1", Domain: host, Path: "/", Expires: ends, HTTPOnly: true, SameSite: "Lax"}))
			c := cookies(t)["a"]
			t.must(c.Expires.Equal(ends), "Expires = %v, want %v", c.Expires, ends)
			c.Expires = time.Time{}
			t.equal("the cookie", c, driver.Cookie{Name: "a", Value: "1", Domain: host, Path: "/", HTTPOnly: true, SameSite: "Lax"})
		}),
	rule("cookies/replace", "A cookie of the same name, domain and path is replaced.").checks(func(t *trial) {
		for _, v := range []string{"1", "2"} {
			t.ok("SetCookies", t.browser.SetCookies(t.ctx, driver.Cookie{Name: "a", Value: v, URL: t.url("/")}))
		}
		cs, err := t.browser.Cookies(t.ctx)
		t.ok("Cookies", err)
		t.equal("cookies", len(cs), 1)
		t.equal("Value", cookies(t)["a"].Value, "2")
	}),
	rule("cookies/for-urls", "With addresses Cookies returns those that would be sent to any of them.").at("Browser.Cookies").checks(func(t *trial) {
		t.ok("SetCookies", t.browser.SetCookies(t.ctx,
			driver.Cookie{Name: "root", Value: "1", URL: t.url("/")},
			driver.Cookie{Name: "sub", Value: "2", URL: t.url("/"), Path: "/sub"},
			driver.Cookie{Name: "other", Value: "3", URL: t.elsewhere("/")}))
		t.equal("for /", cookieNames(t, t.url("/")), "root")
		t.equal("for /sub/x", cookieNames(t, t.url("/sub/x")), "root sub")
		t.equal("for the other site", cookieNames(t, t.elsewhere("/")), "other")
		t.equal("for both", cookieNames(t, t.url("/"), t.elsewhere("/")), "other root")
		t.equal("for all", cookieNames(t), "other root sub")
		t.equal("for a site without any", cookieNames(t, "http://nowhere.invalid/"), "")
	}),
	rule("cookies/clear", "ClearCookies removes all.").at("Browser.ClearCookies").
		on("<p>x").
		checks(func(t *trial) {
			t.ok("SetCookies", t.browser.SetCookies(t.ctx, driver.Cookie{Name: "a", Value: "1", URL: t.url("/")}, driver.Cookie{Name: "b", Value: "1", URL: t.elsewhere("/")}))
			t.ok("ClearCookies", t.browser.ClearCookies(t.ctx))
			t.equal("cookies", cookieNames(t), "")
			t.open("/")
			t.equal("Cookie", t.request("/").Header.Get("Cookie"), "")
		}),
	rule("cookies/pages", "The pages of a browser share its cookies.").at("Browser").
		with(pages{"/": headers(200, "Set-Cookie", "a=1"), "/two": "<p>x"}).
		opens(func(t *trial) {
			p := t.newPage()
			t.openIn(p, "/two")
			t.equal("Cookie", t.request("/two").Header.Get("Cookie"), "a=1")
		}),
	rule("cookies/isolated", "Nothing that one browser stores is seen by another of the same driver.").at("Driver.Open").
		with(pages{"/": headers(200, "Set-Cookie", "a=1"), "/two": "<p>x"}).
		opens(func(t *trial) {
			b := t.openBrowser(&driver.BrowserOptions{})
			cs, err := b.Cookies(t.ctx)
			t.ok("Cookies", err)
			t.equal("cookies of the other browser", len(cs), 0)
			t.openIn(b.Pages()[0], "/two")
			t.equal("Cookie", t.request("/two").Header.Get("Cookie"), "")
			t.ok("ClearCookies of the other", b.ClearCookies(t.ctx))
			t.equal("cookies of the first", cookieNames(t), "a")
		}),
	rule("cookies/storage-state", "A StorageState restores the cookies of another browser, before its first page is there.").at("Browser.StorageState").
		with(pages{"/": headers(200, "Set-Cookie", "a=1; Max-Age=3600"), "/two": "<p>x"}).
		opens(func(t *trial) {
			s, err := t.browser.StorageState(t.ctx)
			t.ok("StorageState", err)
			b := t.openBrowser(&driver.BrowserOptions{StorageState: s})
			t.openIn(b.Pages()[0], "/two")
			t.equal("Cookie", t.request("/two").Header.Get("Cookie"), "a=1")
		}),
	rule("cookies/indexed-db", "A StorageState brings the IndexedDB of an origin to another browser, as it was, also beside no local storage.").at("Database").
		on("<p>x").
		checks(func(t *trial) {
			want := []driver.OriginStorage{{Origin: t.site.Origin, LocalStorage: []driver.StorageEntry{}, IndexedDB: databases}}
			given := &driver.StorageState{Origins: want}
			for range 2 {
				b := t.openBrowser(&driver.BrowserOptions{StorageState: given})
				_, err := b.Pages()[0].Navigate(t.ctx, t.url("/"), nil)
				t.ok("Navigate", err)
				given, err = b.StorageState(t.ctx)
				t.ok("StorageState", err)
				t.equal("Origins", given.Origins, want)
			}
		}),
	rule("cookies/indexed-db-bound", "Databases that do not fit into MaxIndexedDB are left out, the largest first, and the state says so. Below 0 none is read.").at("BrowserOptions.MaxIndexedDB").
		on("<p>x").
		checks(func(t *trial) {
			text := `"` + strings.Repeat("x", 5000) + `"`
			large := driver.Database{Name: "a large one", Version: 1, Stores: []driver.ObjectStore{{
				Name: "s", Indexes: []driver.Index{}, Records: []driver.Record{{Key: []byte("1"), Value: []byte(text)}},
			}}}
			state := &driver.StorageState{Origins: []driver.OriginStorage{{Origin: t.site.Origin, IndexedDB: append([]driver.Database{large}, databases...)}}}
			for bound, want := range map[int64]int{4000: len(databases), 0: len(databases) + 1, -1: 0} {
				b := t.openBrowser(&driver.BrowserOptions{StorageState: state, MaxIndexedDB: bound})
				t.openIn(b.Pages()[0], "/")
				s, err := b.StorageState(t.ctx)
				t.ok("StorageState", err)
				var o driver.OriginStorage
				if len(s.Origins) > 0 {
					o = s.Origins[0]
				}
				t.equal(fmt.Sprintf("databases with a bound of %d", bound), len(o.IndexedDB), want)
				if bound == 4000 {
					t.must(len(o.LeftOut) == 1 && o.LeftOut[0].Database == large.Name && o.LeftOut[0].Why != "", "LeftOut = %v, want %q", o.LeftOut, large.Name)
				} else {
					t.equal("LeftOut", len(o.LeftOut), 0)
				}
			}
		}),
	rule("cookies/expire", "A cookie that a site ends is gone.").at("Browser.Cookies").
		with(pages{"/": headers(200, "Set-Cookie", "a=1", "Set-Cookie", "b=2"), "/end": headers(200, "Set-Cookie", "a=; Max-Age=0")}).
		opens(func(t *trial) {
			t.open("/end")
			t.equal("cookies", cookieNames(t), "b")
		}),
	rule("cookies/refused", "Either all cookies are set, or an error says which was refused and none is.").checks(func(t *trial) {
		err := t.browser.SetCookies(t.ctx, driver.Cookie{Name: "good", Value: "1", URL: t.url("/")}, driver.Cookie{Name: "homeless", Value: "1"})
		t.must(err != nil, "SetCookies of a cookie without domain and address gave no error")
		t.must(err == nil || strings.Contains(err.Error(), "homeless"), "the error %v does not name the cookie", err)
		t.equal("cookies", cookieNames(t), "")
	}),
)

// cookies returns all cookies by name.
func cookies(t *trial) map[string]driver.Cookie {
	cs, err := t.browser.Cookies(t.ctx)
	t.ok("Cookies", err)
	m := map[string]driver.Cookie{}
	for _, c := range cs {
		m[c.Name] = c
	}
	return m
}

// cookieNames returns the names of the cookies for addresses, sorted.
func cookieNames(t *trial, urls ...string) string {
	cs, err := t.browser.Cookies(t.ctx, urls...)
	t.ok("Cookies", err)
	var names []string
	for _, c := range cs {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// host returns the first site's host name without the port.
func host(t *trial) string {
	host := strings.TrimPrefix(t.site.Origin, "http://")
	host, _, _ = strings.Cut(host, ":")
	return host
}

// databases are in the order of their names, and written as drivers write them.
var databases = []driver.Database{
	{Name: "empty", Version: 3, Stores: []driver.ObjectStore{}},
	{Name: "login", Version: 1, Stores: []driver.ObjectStore{{
		Name: "beside", AutoIncrement: true, Indexes: []driver.Index{},
		Records: []driver.Record{
			{Key: []byte("1"), Value: []byte(`{"token":"4711","list":[1,true,null]}`)},
			{KeyEncoded: []byte(`{"d":"2026-10-01T00:00:00.000Z"}`), ValueEncoded: []byte(`{"m":[["k",{"v":"undefined"}]],"id":1}`)},
			{Key: []byte(`"text"`), ValueEncoded: []byte(`{"ta":{"b":"AAH/","k":"ui8"}}`)},
		},
	}, {
		Name: "within", KeyPathArray: []string{"a.b", "c"},
		Indexes: []driver.Index{{Name: "by c", KeyPath: new("c"), Unique: true}, {Name: "by tags", KeyPath: new("tags"), MultiEntry: true}},
		Records: []driver.Record{{Value: []byte(`{"a":{"b":1},"c":"x","tags":["y"]}`)}},
	}}},
}
