package cdp

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestAttach(t *testing.T) {
	host := launch(t, Launch{Port: -1})
	endpoint, err := url.Parse(Endpoint(host))
	if err != nil || endpoint.Scheme != "ws" {
		t.Fatalf("Endpoint() = %s, %v", endpoint, err)
	}
	base := site{"/": "<title>theirs</title>", "/ours": "<title>ours</title>"}.serve(t)
	theirs := host.Pages()[0].(*page)
	goTo(t, theirs, base)
	if err := host.SetCookies(t.Context(), driver.Cookie{Name: "c", Value: "1", URL: base}); err != nil {
		t.Fatal(err)
	}

	for _, address := range []string{"http://" + endpoint.Host, endpoint.String()} {
		d := Attach{URL: address}
		b, err := d.Open(t.Context(), &driver.BrowserOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.String(); !strings.Contains(got, endpoint.Host) || strings.Contains(got, "devtools") {
			t.Errorf("String() = %s", got)
		}
		pages := b.Pages()
		if len(pages) != 1 || pages[0].ID() != theirs.ID() || pages[0].Frames()[0].URL != base+"/" {
			t.Fatalf("Pages() = %v, want the one that is there", pages)
		}
		if cookies, err := b.Cookies(t.Context()); err != nil || len(cookies) != 1 {
			t.Errorf("Cookies() = %v, %v, want the profile's", cookies, err)
		}
		// Large messages go in one frame.
		long := "'" + strings.Repeat("x", 200_000) + "'.length"
		if got := evaluate(t, pages[0].(*page), long); got != "200000" {
			t.Errorf("a long script = %s", got)
		}
		if got := evaluate(t, pages[0].(*page), "'y'.repeat(3000000)"); len(got) != 3_000_000 {
			t.Errorf("a long answer has %d bytes", len(got))
		}
		ours, err := b.NewPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		goTo(t, ours.(*page), base+"/ours")
		if err := b.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		// Only what was opened through the attached browser is closed.
		r := recording(t, host)
		evaluate(t, theirs, "1")
		for len(host.Pages()) > 1 {
			await[driver.PageClosed](t, r, nil)
		}
		if got := evaluate(t, theirs, "document.title"); got != "theirs" {
			t.Errorf("after Close their page shows %q", got)
		}
	}
}

func TestAttachIsolated(t *testing.T) {
	host := launch(t, Launch{Port: -1})
	if err := host.SetCookies(t.Context(), driver.Cookie{Name: "c", Value: "1", URL: "http://example.test"}); err != nil {
		t.Fatal(err)
	}
	b, err := Attach{URL: Endpoint(host), Isolated: true}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if cookies, err := b.Cookies(t.Context()); err != nil || len(cookies) != 0 || len(b.Pages()) != 1 {
		t.Errorf("Cookies() = %v, %v; %d pages", cookies, err, len(b.Pages()))
	}
	// Pages of one side do not wait for the other.
	p, err := host.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	goTo(t, p.(*page), "data:text/html,x")
	goTo(t, b.Pages()[0].(*page), "data:text/html,y")
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if got := evaluate(t, p.(*page), "1+1"); got != "2" {
		t.Errorf("after Close the host says %s", got)
	}
}

// Behind a proxy that has an address and a password of its own.
func TestAttachThroughProxy(t *testing.T) {
	host := launch(t, Launch{Port: -1})
	endpoint, err := url.Parse(Endpoint(host))
	if err != nil {
		t.Fatal(err)
	}
	reverse := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: endpoint.Host})
	}}
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer x" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		reverse.ServeHTTP(w, r)
	}))
	t.Cleanup(gate.Close)
	if _, err := (Attach{URL: gate.URL}).Open(t.Context(), &driver.BrowserOptions{}); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without the header = %v, want the status", err)
	}
	b, err := Attach{URL: gate.URL, Headers: http.Header{"Authorization": {"Bearer x"}}}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := recording(t, b)
	gone := b.Pages()[0].(*page)
	if err := host.Close(); err != nil {
		t.Fatal(err)
	}
	if e := await[driver.BrowserGone](t, r, nil); !errors.Is(e.Err, driver.ErrCrashed) {
		t.Errorf("BrowserGone = %v, want ErrCrashed", e.Err)
	}
	if _, err := gone.Navigate(t.Context(), "about:blank", nil); err == nil {
		t.Error("Navigate succeeds without a Chrome")
	}
	if err := b.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	for _, address := range []string{"ftp://x", "http://127.0.0.1:1", "ws://127.0.0.1:1/x"} {
		if _, err := (Attach{URL: address}).Open(t.Context(), &driver.BrowserOptions{}); err == nil {
			t.Errorf("Attach to %s succeeds", address)
		}
	}
}
