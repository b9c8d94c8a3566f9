package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// One Chrome serves all tests of the package, each with browsers of its own.
var shared struct {
	once   sync.Once
	chrome *Chrome
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if c := shared.chrome; c != nil {
		if err := c.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "closing Chrome:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// testChrome returns the Chrome of all tests. Where none is installed the
// test is skipped, or fails if WAYFINDER_REQUIRE_CHROME is 1.
func testChrome(t testing.TB) *Chrome {
	t.Helper()
	if name, _, _ := strings.Cut(t.Name(), "/"); name != "TestConformance" {
		chrometest.Long(t)
	}
	shared.once.Do(func() {
		shared.chrome, shared.err = Start(context.Background(), Launch{Args: []string{"--enable-features=WebMCP", "--disable-features=SpareRendererForSitePerProcess"}})
	})
	chrometest.Need(t, shared.err)
	return shared.chrome
}

// untyped commands are what only tests send.
type untyped = conn.Method[any, json.RawMessage]

// testBrowser opens an isolated browser for a test.
func testBrowser(t testing.TB) driver.Browser {
	t.Helper()
	return openWith(t, &driver.BrowserOptions{})
}

// openWith is testBrowser with options.
func openWith(t testing.TB, opts *driver.BrowserOptions) driver.Browser {
	t.Helper()
	b, err := testChrome(t).Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// A site serves pages by path.
type site map[string]string

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := s[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, body)
}

// startServer serves a handler to the end of the test, and its requests' contexts end
// with it. A page that is still open asks again when its connection is cut, and a handler
// that waited for that request would hold up the server's Close for ever.
func startServer(t testing.TB, h http.Handler) *httptest.Server {
	server := httptest.NewUnstartedServer(h)
	server.Config.BaseContext = func(net.Listener) context.Context { return t.Context() }
	server.Start()
	return server
}

// serve returns the address of the site, without a slash at the end.
func (s site) serve(t testing.TB) string {
	t.Helper()
	server := startServer(t, s)
	t.Cleanup(server.Close)
	return server.URL
}

// elsewhere is the same address under another site's name, so that a frame
// that shows it is rendered in another process.
func elsewhere(url string) string { return strings.Replace(url, "127.0.0.1", "localhost", 1) }

// open shows html in a new browser.
func open(t testing.TB, html string) *page {
	t.Helper()
	return visit(t, site{"/": html}.serve(t)+"/")
}

// visit shows what is at url in a new browser.
func visit(t testing.TB, url string) *page {
	t.Helper()
	p := testBrowser(t).Pages()[0].(*page)
	goTo(t, p, url)
	return p
}

func goTo(t testing.TB, p *page, url string) {
	t.Helper()
	if _, err := p.Navigate(t.Context(), url, nil); err != nil {
		t.Fatal(err)
	}
}
