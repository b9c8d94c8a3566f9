package cdp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// evaluate runs a script in the main world of a page, as a person's doing.
func evaluate(t testing.TB, p *page, expression string) string {
	t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	err := p.session.Call(t.Context(), "Runtime.evaluate", map[string]any{
		"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
	}, &got)
	if err == nil && got.ExceptionDetails != nil {
		err = errors.New(got.ExceptionDetails.Exception.Description)
	}
	if err != nil {
		t.Fatalf("evaluate(%s): %v", expression, err)
	}
	return fmt.Sprint(got.Result.Value)
}

// handle starts a site of handlers by path.
func handle(t testing.TB, routes map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	for path, h := range routes {
		mux.HandleFunc(path, h)
	}
	server := startServer(t, mux)
	t.Cleanup(server.Close)
	return server.URL
}

func html(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(body)) // a browser that went away is no failure
	}
}

func testPage(t testing.TB) *page { return testBrowser(t).Pages()[0].(*page) }

func TestNavigateResponse(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{
		"/ok":    html("<title>ok</title>"),
		"/moved": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok?from=moved", http.StatusFound) },
		"/gone": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("X-Many", "a")
			w.Header().Add("X-Many", "b")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("nothing here"))
		},
		"/empty":   func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"/referer": func(w http.ResponseWriter, r *http.Request) { html(r.Referer())(w, r) },
	})
	p := testPage(t)
	for _, c := range []struct {
		path, url string
		status    int
	}{{"/ok", "/ok", 200}, {"/moved", "/ok?from=moved", 200}, {"/gone", "/gone", 404}, {"/empty", "/empty", 500}} {
		res, err := p.Navigate(t.Context(), base+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res == nil || res.URL != base+c.url || res.Status != c.status || res.OK() != (c.status == 200) {
			t.Errorf("Navigate(%s) = %+v, want %s with status %d", c.path, res, c.url, c.status)
		}
		if c.path == "/gone" && res.Headers["x-many"] != "a, b" {
			t.Errorf("headers = %v, want x-many: a, b", res.Headers)
		}
		if got := p.Frames()[0].URL; got != base+c.url && c.path != "/empty" {
			t.Errorf("Frames()[0].URL = %s, want %s", got, base+c.url)
		}
	}
	if res, err := p.Reload(t.Context(), nil); err != nil || res == nil || res.Status != 500 {
		t.Errorf("Reload(/empty) = %+v, %v, want status 500", res, err)
	}
	if _, err := p.Navigate(t.Context(), base+"/referer", &driver.NavigateOptions{Referer: base + "/from"}); err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, p, "document.body.innerText"); got != base+"/from" {
		t.Errorf("referrer = %q", got)
	}
	for _, url := range []string{"about:blank", base + "/ok", base + "/ok#part"} {
		res, err := p.Navigate(t.Context(), url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if url != base+"/ok" && res != nil {
			t.Errorf("Navigate(%s) = %+v, want nil", url, res)
		}
	}
	res, err := p.Navigate(t.Context(), "data:text/html,<title>d</title>", nil)
	if err != nil || res == nil || res.Status != 0 || !res.OK() {
		t.Errorf("Navigate(data:) = %+v, %v, want status 0", res, err)
	}
}

func TestNavigateFails(t *testing.T) {
	secure := httptest.NewTLSServer(html("secret"))
	t.Cleanup(secure.Close)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + closed.Addr().String() + "/"
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	base := handle(t, map[string]http.HandlerFunc{
		"/ok":  html("ok"),
		"/204": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/file": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", "attachment; filename=a.txt")
			_, _ = w.Write([]byte("abc"))
		},
		"/cut": func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				err = conn.Close()
			}
			if err != nil {
				t.Error(err)
			}
		},
	})
	p := testPage(t)
	for _, c := range []struct {
		url    string
		reason driver.Reason
		is     error
	}{
		{secure.URL, driver.ReasonTLS, nil},
		{"http://no-such-host.invalid/", driver.ReasonDNS, nil},
		{refused, driver.ReasonRefused, nil},
		{base + "/cut", driver.ReasonReset, nil},
		{"http://127.0.0.1:1/", driver.ReasonBlocked, nil},
		{"not an address", driver.ReasonAddress, nil},
		{"foo:bar", driver.ReasonAddress, nil},
		{base + "/204", driver.ReasonAborted, nil},
		{base + "/file", driver.ReasonAborted, driver.ErrDownload},
	} {
		_, err := p.Navigate(t.Context(), c.url, nil)
		var failed *driver.NavigationError
		if !errors.As(err, &failed) || failed.Reason != c.reason || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("Navigate(%s) = %v (%+v), want reason %s", c.url, err, failed, c.reason)
		}
		// The page goes on.
		if res, err := p.Navigate(t.Context(), base+"/ok", nil); err != nil || !res.OK() {
			t.Fatalf("Navigate(/ok) after %s = %+v, %v", c.url, res, err)
		}
	}
	strict, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{IgnoreHTTPSErrors: true})
	if err != nil {
		t.Fatal(err)
	}
	defer strict.Close()
	if res, err := strict.Pages()[0].Navigate(t.Context(), secure.URL, nil); err != nil || res.Status != 200 {
		t.Errorf("with IgnoreHTTPSErrors = %+v, %v", res, err)
	}
}

func TestWaitUntil(t *testing.T) {
	hold := make(chan struct{}) // of the image
	late := make(chan struct{}) // of the late fetch
	base := handle(t, map[string]http.HandlerFunc{
		"/": html(`<img src=/image><script>onload = () => fetch('/late').then(() => document.title = 'late')</script>`),
		"/image": func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		},
		"/late": func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-late:
			case <-r.Context().Done():
			}
		},
	})
	p := testPage(t)
	for _, until := range []driver.WaitUntil{driver.WaitCommit, driver.WaitDOMContentLoaded} {
		if _, err := p.Navigate(t.Context(), base, &driver.NavigateOptions{WaitUntil: until}); err != nil {
			t.Fatal(until, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := p.Navigate(ctx, base, nil); done <- err }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled Navigate = %v", err)
	}
	r := recording(t, p.browser)
	go func() {
		_, err := p.Navigate(t.Context(), base, &driver.NavigateOptions{WaitUntil: driver.WaitNetworkIdle})
		done <- err
	}()
	await(t, r, func(e driver.RequestStarted) bool { return strings.HasSuffix(e.URL, "/image") })
	close(hold)
	await(t, r, func(e driver.RequestStarted) bool { return strings.HasSuffix(e.URL, "/late") })
	select {
	case err := <-done:
		t.Fatalf("Navigate until networkidle returned (%v) with a request under way", err)
	default:
	}
	close(late)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, p, "document.title"); got != "late" {
		t.Errorf("title = %q, want late", got)
	}
}

// Requests whose end is never reported, or never comes, must not keep a page busy.
func TestNetworkIdleWithWorkers(t *testing.T) {
	script := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(body))
		}
	}
	const busy = `<iframe src=/inner></iframe><script>new Worker('/worker.js'); new SharedWorker('/shared.js');
			navigator.serviceWorker.register('/service.js'); navigator.sendBeacon('/beacon', 'x'); fetch('/fetched', {keepalive: true})</script>`
	base := handle(t, map[string]http.HandlerFunc{
		"/": func(w http.ResponseWriter, r *http.Request) {
			html(`<iframe src="`+elsewhere("http://"+r.Host)+`/framed"></iframe>`+busy)(w, r)
		},
		"/framed":     html("<img src=/fetched>"),
		"/inner":      html("<script>fetch('/slow'); new Worker('/worker.js'); setTimeout(() => frameElement.remove(), 100)</script>"),
		"/slow":       func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/worker.js":  script("fetch('/fetched')"),
		"/shared.js":  script("fetch('/fetched')"),
		"/service.js": script("oninstall = () => fetch('/fetched')"),
		"/fetched":    html("x"),
		"/beacon":     html("x"),
	})
	p := testPage(t)
	ctx, cancel := context.WithTimeout(t.Context(), conn.CommandLimit)
	defer cancel()
	if _, err := p.Navigate(ctx, base, &driver.NavigateOptions{WaitUntil: driver.WaitNetworkIdle}); err != nil {
		p.browser.mu.Lock()
		defer p.browser.mu.Unlock()
		t.Errorf("%v; under way: %v", err, p.requests)
	}
}

// A caller that navigates elsewhere meanwhile gets its page; the first gets an error.
func TestNavigationTakenOver(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{
		"/slow":  func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/other": html("<title>other</title>"),
		"/hop":   html("<script>location.replace('/other')</script>"),
	})
	p := testPage(t)
	r := recording(t, p.browser)
	done := make(chan error, 1)
	go func() { _, err := p.Navigate(t.Context(), base+"/slow", nil); done <- err }()
	await(t, r, func(e driver.RequestStarted) bool { return strings.HasSuffix(e.URL, "/slow") })
	goTo(t, p, base+"/other")
	var failed *driver.NavigationError
	if err := <-done; !errors.As(err, &failed) || failed.Reason != driver.ReasonAborted {
		t.Errorf("the first navigation = %v, want aborted", err)
	}
	// A page that moves on by itself before its load event.
	res, err := p.Navigate(t.Context(), base+"/hop", nil)
	if err != nil || evaluate(t, p, "document.title") != "other" {
		t.Errorf("Navigate(/hop) = %+v, %v", res, err)
	}
}
