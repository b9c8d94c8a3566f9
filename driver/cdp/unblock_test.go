package cdp

import (
	"errors"
	"flag"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// serveBlocking serves pages that hang, each of which says so just before.
func serveBlocking(t *testing.T) (base string, blocked <-chan struct{}) {
	t.Helper()
	const blocks = `fetch("/blocks"); for (;;);`
	pages := site{
		"/":      "<title>calm</title>",
		"/loop":  `<script>onload = () => setTimeout(() => { ` + blocks + ` })</script>`,
		"/again": `<script>onload = () => setInterval(() => { ` + blocks + ` })</script>`,
		"/parse": `<script>` + blocks + `</script>`,
		"/sync":  `<script>onload = () => setTimeout(() => { const r = new XMLHttpRequest(); r.open("GET", "/hang", false); r.send() })</script>`,
		"/away":  `<script>onload = () => { location = "/hang?away"; setTimeout(() => { ` + blocks + ` }, 50) }</script>`,
		"/once":  `<title>calm</title><script>if (!localStorage.once) onload = () => setInterval(() => { localStorage.once = 1; ` + blocks + ` })</script>`,
		"/leave": `<script>onbeforeunload = () => {}; onload = () => setTimeout(() => { ` + blocks + ` })</script>`,
	}
	says := make(chan struct{}, 1)
	say := func() {
		select {
		case says <- struct{}{}:
		default:
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("/blocks", func(http.ResponseWriter, *http.Request) { say() })
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			say()
		}
		<-r.Context().Done()
	})
	server := startServer(t, mux)
	t.Cleanup(func() {
		server.CloseClientConnections() // /hang has some
		server.Close()
	})
	return server.URL, says
}

var waysAll = flag.Bool("ways.all", false, "leave each page that never ends in each way, not in one")

// A page whose script never ends can be left, by every way: the script that
// holds it up is ended, or the process.
func TestPageThatNeverEndsIsLeft(t *testing.T) {
	base, blocked := serveBlocking(t)
	ways := []struct {
		name  string
		leave func(*page) (*driver.Response, error)
	}{
		{"navigate", func(p *page) (*driver.Response, error) { return p.Navigate(t.Context(), base+"/", nil) }},
		{"other site", func(p *page) (*driver.Response, error) { return p.Navigate(t.Context(), elsewhere(base)+"/", nil) }},
		{"back", func(p *page) (*driver.Response, error) { return p.Back(t.Context(), nil) }},
	}
	for i, path := range []string{"/loop", "/again", "/parse", "/sync", "/away", "/leave"} {
		for j, way := range ways {
			if j != i%len(ways) && !*waysAll {
				continue
			}
			t.Run(path+" "+way.name, func(t *testing.T) {
				p := visit(t, base+"/")
				for len(blocked) > 0 {
					<-blocked // of the page before
				}
				if _, err := p.Navigate(t.Context(), base+path, &driver.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
					t.Fatal(err)
				}
				<-blocked
				if _, err := way.leave(p); err != nil {
					t.Fatal(err)
				}
				if got := evaluate(t, p, "document.title"); got != "calm" {
					t.Errorf("the page shows %q", got)
				}
				// It is a page like any other.
				goTo(t, p, elsewhere(base)+"/?again")
				if got := evaluate(t, p, "document.title"); got != "calm" {
					t.Errorf("the next page shows %q", got)
				}
			})
		}
	}
}

// Where such a page cannot be left, as there is nothing to go to, that is said,
// and no call hangs; it can be left for another then.
func TestPageThatNeverEndsStays(t *testing.T) {
	base, blocked := serveBlocking(t)
	p := visit(t, base+"/")
	if _, err := p.Navigate(t.Context(), base+"/again", &driver.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
		t.Fatal(err)
	}
	<-blocked
	if _, err := p.Navigate(t.Context(), base+"/nothing", nil); err == nil {
		t.Error("Navigate to nothing succeeded")
	}
	// Chrome shows an empty document in its place.
	shown, err := p.Evaluate(t.Context(), "document.URL", nil)
	if err == nil && string(shown) != `"about:blank"` || err != nil && !errors.Is(err, driver.ErrCrashed) {
		t.Errorf("the page shows %s, %v, want nothing, or ErrCrashed", shown, err)
	}
	if got := p.Frames()[0].URL; strings.Contains(got, "again") {
		t.Errorf("the frame is said to show %s", got)
	}
	goTo(t, p, base+"/")
	if got := evaluate(t, p, "document.title"); got != "calm" {
		t.Errorf("the page shows %q", got)
	}
}

// Such a page can be loaded again.
func TestPageThatNeverEndsIsReloaded(t *testing.T) {
	base, blocked := serveBlocking(t)
	p := visit(t, base+"/")
	if _, err := p.Navigate(t.Context(), base+"/once", &driver.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
		t.Fatal(err)
	}
	<-blocked
	if _, err := p.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, p, "document.title"); got != "calm" {
		t.Errorf("the page shows %q", got)
	}
}
