package cdp

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A policy forbids addresses with a word in them, and remembers all.
type policy struct {
	mu   sync.Mutex
	seen []driver.RequestInfo
}

func (p *policy) allow(r driver.RequestInfo) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, r)
	if strings.Contains(r.URL, "forbidden") {
		return errors.New("not on the list")
	}
	return nil
}

func (p *policy) asked(part string) []driver.RequestInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.seen), func(r driver.RequestInfo) bool { return !strings.Contains(r.URL, part) })
}

func (p *policy) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = nil
}

func TestAllow(t *testing.T) {
	var mu sync.Mutex
	var served []string
	fetches := `const results = await Promise.all(['/forbidden/fetch', '/fine'].map(u => fetch(u).then(() => 'ok', () => 'refused')));`
	worker := `onmessage = async e => {` + fetches + `(e.source ?? self).postMessage(results.join()) }`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		served = append(served, r.URL.Path)
		mu.Unlock()
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/forbidden/target", http.StatusFound)
		case "/worker.js", "/service.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, worker)
		case "/shared.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, `onconnect = async e => {`+fetches+`e.ports[0].postMessage(results.join()) }`)
		case "/framed":
			html("<iframe src='"+elsewhere("http://"+r.Host)+"/inframe'></iframe>")(w, r)
		case "/inframe":
			html("<script>fetch('/forbidden/inframe').catch(() => fetch('/reported'))</script>")(w, r)
		default:
			html("<title>fine</title><a id=a href=/forbidden/link>x</a>")(w, r)
		}
	}))
	t.Cleanup(server.Close)
	base := server.URL
	var pol policy
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{Allow: pol.allow})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0].(*page)
	r := recording(t, b)
	goTo(t, p, base+"/start")

	for _, path := range []string{"/forbidden/page", "/redirect"} {
		_, err := p.Navigate(t.Context(), base+path, nil)
		var failed *driver.NavigationError
		if !errors.Is(err, driver.ErrBlocked) || !errors.As(err, &failed) || failed.Reason != driver.ReasonBlocked || !strings.Contains(err.Error(), "not on the list") {
			t.Errorf("Navigate(%s) = %v, want ErrBlocked with the policy's words", path, err)
		}
		if got := p.Frames()[0].URL; got != base+"/start" {
			t.Errorf("after %s the page shows %s", path, got)
		}
	}
	if asked := pol.asked("/forbidden/target"); len(asked) != 1 || !asked[0].Redirected || asked[0].Kind != driver.RequestDocument {
		t.Errorf("the redirect's target was asked for as %+v", asked)
	}
	r.mark()
	evaluate(t, p, "a.click()")
	await[driver.NavigationRequested](t, r, nil)
	await[driver.NavigationEnded](t, r, nil)

	for name, script := range map[string]string{
		"page":   `(async () => {` + fetches + `return results.join() })()`,
		"worker": `new Promise(done => { const w = new Worker('/worker.js'); w.onmessage = e => done(e.data); w.postMessage(1) })`,
		"shared": `new Promise(done => { const w = new SharedWorker('/shared.js'); w.port.onmessage = e => done(e.data) })`,
		"service": `new Promise(async done => {
			const r = await navigator.serviceWorker.register('/service.js');
			navigator.serviceWorker.onmessage = e => done(e.data);
			(r.installing ?? r.active).postMessage(1) })`,
	} {
		if got := evaluate(t, p, script); got != "refused,ok" {
			t.Errorf("fetches of %s: %s, want refused,ok", name, got)
		}
	}
	r.mark()
	evaluate(t, p, "open('/forbidden/popup'); 1")
	await[driver.NavigationEnded](t, r, nil)

	goTo(t, p, base+"/framed")
	await(t, r, func(e driver.RequestStarted) bool { return strings.HasSuffix(e.URL, "/reported") })
	mu.Lock()
	defer mu.Unlock()
	for _, path := range served {
		if strings.HasPrefix(path, "/forbidden") {
			t.Errorf("%s was served", path)
		}
	}
}

// A proxy that wants a password.
func TestProxyWithPassword(t *testing.T) {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:secret"))
	var mu sync.Mutex
	var through []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != want {
			w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		mu.Lock()
		through = append(through, r.URL.String())
		mu.Unlock()
		html("<title>by proxy</title>")(w, r)
	}))
	t.Cleanup(proxy.Close)
	base := handle(t, map[string]http.HandlerFunc{"/": html("<title>direct</title>")})
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{
		Proxy: &driver.Proxy{Server: proxy.URL, Bypass: "127.0.0.1", Username: "ada", Password: "secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0].(*page)
	for url, want := range map[string]string{"http://example.test/x": "by proxy", elsewhere(base) + "/": "by proxy", base: "direct"} {
		res, err := p.Navigate(t.Context(), url, nil)
		if err != nil || res.Status != 200 || evaluate(t, p, "document.title") != want {
			t.Errorf("Navigate(%s) = %+v, %v, want it %s", url, res, err, want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Contains(through, "http://example.test/x") {
		t.Errorf("the proxy served %v", through)
	}
}

// A site that asks for a password gets none of the proxy's.
func TestSiteDoesNotGetTheProxysPassword(t *testing.T) {
	var mu sync.Mutex
	var got []string
	base := handle(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got = append(got, r.Header.Get("Authorization"))
		mu.Unlock()
		w.Header().Set("WWW-Authenticate", `Basic realm="site"`)
		w.WriteHeader(http.StatusUnauthorized)
	}})
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{
		Proxy: &driver.Proxy{Server: "http://127.0.0.1:9", Bypass: "127.0.0.1", Username: "ada", Password: "secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	res, err := b.Pages()[0].Navigate(t.Context(), base, nil)
	if err != nil || res.Status != http.StatusUnauthorized {
		t.Errorf("Navigate = %+v, %v, want the site's 401", res, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Join(got, "") != "" {
		t.Errorf("the site was sent %q", got)
	}
}
