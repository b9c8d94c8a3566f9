package cdp

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mafredri/cdp/protocol/network"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestCookies(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{
		"/": func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "fromSite", Value: "1", HttpOnly: true, SameSite: http.SameSiteLaxMode})
			html(r.Header.Get("Cookie"))(w, r)
		},
	})
	p := testPage(t)
	b := p.browser
	expires := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	set := []driver.Cookie{
		{Name: "byURL", Value: "2", URL: base},
		{Name: "byDomain", Value: "3", Domain: ".example.test", Path: "/a", Secure: true, HTTPOnly: true, SameSite: "None", Expires: expires},
	}
	if err := b.SetCookies(t.Context(), set...); err != nil {
		t.Fatal(err)
	}
	goTo(t, p, base)
	if got := evaluate(t, p, "document.body.innerText"); got != "byURL=2" {
		t.Errorf("the site was sent %q", got)
	}
	all, err := b.Cookies(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatalf("Cookies() = %+v, %v, want three", all, err)
	}
	got, err := b.Cookies(t.Context(), "https://sub.example.test/a/b")
	if err != nil || len(got) != 1 {
		t.Fatalf("Cookies(sub.example.test) = %+v, %v", got, err)
	}
	if diff := cmp.Diff(set[1], got[0]); diff != "" {
		t.Errorf("cookie (-set +got):\n%s", diff)
	}
	// Another browser of the same Chrome sees none of them.
	if other, err := testBrowser(t).Cookies(t.Context()); err != nil || len(other) != 0 {
		t.Errorf("another browser has %+v, %v", other, err)
	}
	if err := b.SetCookies(t.Context(), driver.Cookie{Name: "good", Value: "x", URL: base}, driver.Cookie{Name: "bad", Domain: "example.test", Path: "no-slash", SameSite: "Nonsense"}); err == nil {
		t.Error("SetCookies took a cookie that is none")
	}
	if err := b.SetCookies(t.Context(), driver.Cookie{Name: "homeless"}); err == nil {
		t.Error("SetCookies took a cookie without a domain")
	}
	if err := b.ClearCookies(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := b.Cookies(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("after ClearCookies: %+v, %v", left, err)
	}
}

func TestCookieSentTo(t *testing.T) {
	for _, c := range []struct {
		domain, path string
		secure       bool
		url          string
		want         bool
	}{
		{"a.test", "/", false, "http://a.test", true},
		{"a.test", "/", false, "http://b.a.test/", false},
		{".a.test", "/", false, "http://b.a.test/", true},
		{".a.test", "/", false, "http://ba.test/", false},
		{"a.test", "/x", false, "http://a.test/x/y", true},
		{"a.test", "/x", false, "http://a.test/xy", false},
		{"a.test", "/x/", false, "http://a.test/x/y", true},
		{"a.test", "/", true, "http://a.test/", false},
		{"a.test", "/", true, "https://a.test/", true},
		{"localhost", "/", true, "http://localhost:80/", true},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		w := &network.Cookie{Domain: c.domain, Path: c.path, Secure: c.secure}
		if got := sentTo(w, u); got != c.want {
			t.Errorf("%+v sent to %s = %t", w, c.url, got)
		}
	}
}

func TestStorageState(t *testing.T) {
	const noIcon = "<link rel=icon href='data:,'>"
	var mu sync.Mutex
	var requests []string
	base := handle(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests = append(requests, r.URL.Path)
		mu.Unlock()
		html(noIcon+"<title>x</title><iframe src='"+elsewhere("http://"+r.Host)+"/frame'></iframe>")(w, r)
	}, "/frame": html("<script>try { localStorage.embedded = 1 } catch {}</script>")})
	p := visit(t, base)
	evaluate(t, p, "localStorage.b = '2'; localStorage.a = '\\u2028\"<'; document.cookie = 'c=3'; 1")
	state, err := p.browser.StorageState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []driver.OriginStorage{{Origin: base, LocalStorage: []driver.StorageEntry{{Name: "a", Value: "\u2028\"<"}, {Name: "b", Value: "2"}}}}
	if diff := cmp.Diff(want, state.Origins); diff != "" || len(state.Cookies) != 1 || state.Cookies[0].Name != "c" {
		t.Errorf("StorageState() = %+v\n%s", state, diff)
	}

	mu.Lock()
	requests = nil
	mu.Unlock()
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{StorageState: state})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	mu.Lock()
	defer mu.Unlock()
	if len(requests) != 0 || len(b.Pages()) != 1 {
		t.Errorf("restoring sent %v and left %d pages", requests, len(b.Pages()))
	}
	q := b.Pages()[0].(*page)
	mu.Unlock()
	defer mu.Lock()
	if _, err := q.Back(t.Context(), nil); err == nil {
		t.Error("restoring left a history")
	}
	goTo(t, q, base)
	if got := evaluate(t, q, "localStorage.a + localStorage.b + document.cookie"); got != "\u2028\"<2c=3" {
		t.Errorf("restored = %q", got)
	}
}
