package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// startServer serves a handler to the end of the test, and its requests' contexts end
// with it. A page that is still open asks again when its connection is cut, and a handler
// that waited for that request would hold up the server's Close for ever.
func startServer(t *testing.T, h http.Handler) *httptest.Server {
	server := httptest.NewUnstartedServer(h)
	server.Config.BaseContext = func(net.Listener) context.Context { return t.Context() }
	server.Start()
	return server
}

// openOnChrome shows the pages of a handler in a session of its own.
func openOnChrome(t *testing.T, h http.Handler, opts *engine.Options) (*engine.Page, string) {
	t.Helper()
	server := startServer(t, h)
	session, err := engine.Open(t.Context(), chrome(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
		server.CloseClientConnections()
		server.Close()
	})
	return session.Page(), server.URL
}

func write(html string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html>"+html)
	}
}

// A page whose script hangs holds up nobody but whoever acts on it, and that
// one until his time is over.
func TestBlockedPageHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	blocked, release := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle("/", write(`<button id=b onclick="const r = new XMLHttpRequest(); r.open('GET', '/hang', false); r.send()">Block</button>`))
	mux.Handle("/free", write(`<input type=checkbox id=c aria-label=Free>`))
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) {
		close(blocked) // a second click would panic
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	page, base := openOnChrome(t, mux, nil)
	if _, err := page.Navigate(t.Context(), base, nil); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := page.Do(ctx, engine.Action{Selector: "#b"}, nil)
		ended <- err
	}()
	<-blocked
	other, err := page.Session().NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Navigate(t.Context(), base+"/free", nil); err != nil {
		t.Fatal(err)
	}
	if r, err := other.Do(t.Context(), engine.Action{Selector: "#c", Method: engine.Check}, nil); err != nil || !r.Success {
		t.Errorf("Do beside a blocked page = %+v, %v", r, err)
	}
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := page.Snapshot(short, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Snapshot of the blocked page = %v, want %v", err, context.DeadlineExceeded)
	}
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Do = %v, want nil or %v", err, context.Canceled)
	}
	close(release)
	if _, err := page.Snapshot(t.Context(), nil); err != nil {
		t.Errorf("Snapshot afterwards = %v", err)
	}
}

// Typing that is too slow for its time ends with it: what the page has then, it
// keeps, and nothing comes behind.
func TestTypingEndsWithItsTime(t *testing.T) {
	t.Parallel()
	page, base := openOnChrome(t, write(`<input id=t aria-label=Text onkeydown="for (const end = performance.now() + 30; performance.now() < end;);">`), nil)
	if _, err := page.Navigate(t.Context(), base, nil); err != nil {
		t.Fatal(err)
	}
	const letters = 200
	r, err := page.Do(t.Context(), engine.Action{Selector: "#t", Method: engine.Type, Arguments: []string{strings.Repeat("x", letters)}},
		&engine.ActOptions{Timeout: time.Second})
	if !errors.Is(err, context.DeadlineExceeded) || r == nil || r.Success {
		t.Fatalf("Do = %+v, %v, want %v", r, err, context.DeadlineExceeded)
	}
	length := func() (n int) {
		raw, err := page.Driver().Evaluate(t.Context(), "new Promise(done => setTimeout(() => done(document.querySelector('#t').value.length), 100))", &driver.EvaluateOptions{})
		if err == nil {
			err = json.Unmarshal(raw, &n)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first := length()
	if first == letters {
		t.Fatal("the page took it all: it is not slow")
	}
	for i := range 3 {
		if n := length(); n != first {
			t.Fatalf("after %d looks, %d letters are there, and %d at the first", i+1, n, first)
		}
	}
}

// A page that asks to go elsewhere while it is parsed, and does not get there,
// is read as far as it got. Where it went on to what cannot be fetched, that is
// the answer, and not an empty text.
func TestPageThatGoesNowhere(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/", write(`<button>Stay</button><script>location = '/204'</script>`))
	mux.HandleFunc("/204", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.Handle("/away", write(`<button>Away</button><script>location = '/cut'</script>`))
	page, base := openOnChrome(t, mux, nil)
	for range 2 {
		if _, err := page.Navigate(t.Context(), base, nil); err != nil {
			t.Fatalf("Navigate = %v", err)
		}
		found, err := page.Observe(t.Context(), "", nil)
		if err != nil || len(found.Actions) != 1 {
			t.Errorf("Observe = %+v, %v, want the button", found, err)
		}
		var failed *driver.NavigationError
		if _, err := page.Navigate(t.Context(), base+"/away", nil); !errors.As(err, &failed) || failed.URL != base+"/cut" {
			t.Errorf("Navigate = %v, want why %s is not shown", err, base+"/cut")
		}
		if out, err := page.Extract(t.Context(), "", nil); !errors.As(err, &failed) || failed.Reason != driver.ReasonReset {
			t.Errorf("Extract = %+v, %v, want why no document is shown", out, err)
		}
	}
}
