package script_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A windows is a site with a start page for each of two runs. Its link opens a window
// whose form sends to the run's own address.
type windows struct {
	mux http.ServeMux

	mu   sync.Mutex // protects seen
	seen []string   // requests, in their order
}

func newWindows() *windows {
	w := &windows{}
	page := func(pattern, body string) {
		w.mux.HandleFunc(pattern, func(out http.ResponseWriter, r *http.Request) {
			w.mu.Lock()
			w.seen = append(w.seen, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.FormValue("name")))
			w.mu.Unlock()
			out.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(out, "<!doctype html><title>Window</title>"+body)
		})
	}
	for _, who := range []string{"ann", "bob"} {
		page("GET /"+who, "<a target=_blank href=/"+who+"/order>Order</a>")
		page("GET /"+who+"/order", "<form method=post action=/"+who+"/send><label>Name <input name=name></label><button>Send</button></form>")
		page("POST /"+who+"/send", "<p>Thank you</p>")
	}
	return w
}

// of are the requests seen that begin with a text, in alphabetical order.
func (w *windows) of(prefix string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, s := range w.seen {
		if strings.HasPrefix(s, prefix) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// ordering opens the window and sends a name in it.
func ordering(t testing.TB, start, who string) *script.Script {
	t.Helper()
	s, err := script.Parse([]byte(`{"wayfinder": "script", "version": 1, "start": "` + start + `", "steps": [
		{"step": "1", "do": "click", "target": {"role": "link", "name": "Order"}, "expect": {"effect": "newPage"}},
		{"step": "2", "do": "fill", "target": {"role": "textbox", "name": "Name"}, "arguments": ["` + who + `"], "expect": {"effect": "value", "value": "` + who + `"}},
		{"step": "3", "do": "click", "target": {"role": "button", "name": "Send"}, "expect": {"requests": ["POST /` + who + `/send"], "texts": ["Thank you"]}},
		{"step": "4", "do": "tab switch", "tab": 1, "expect": {"address": "/` + who + `"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// onBoth runs a test on both browsers, on Chrome beside other tests.
func onBoth(t *testing.T, test func(t *testing.T, on stage)) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) { test(t, inMemory) })
	t.Run("chrome", func(t *testing.T) { test(t, onChrome(t)) })
}

// TestTwoScriptsInOneSession: each script continues in the window that its own step
// opened, counts its own tabs, and rests on the requests of its own pages.
func TestTwoScriptsInOneSession(t *testing.T) {
	onBoth(t, func(t *testing.T, on stage) {
		site := newWindows()
		d, origin := on(t, &site.mux)
		session, err := engine.Open(t.Context(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		var opened, over sync.WaitGroup
		opened.Add(2)
		for _, who := range []string{"ann", "bob"} {
			page, err := session.NewPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s := ordering(t, origin+"/"+who, who)
			over.Go(func() {
				met := sync.OnceFunc(opened.Done)
				defer met()
				_, err := script.Replay(t.Context(), page, s, &script.Options{Stepped: func(r script.StepResult) {
					if r.Name == "1" { // both windows are open before either script continues
						met()
						opened.Wait()
					}
				}})
				if err != nil {
					t.Errorf("%s: %v", who, err)
				}
			})
		}
		over.Wait()
		if got, want := site.of("POST"), "POST /ann/send ann, POST /bob/send bob"; got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
	})
}

// TestRecoverBesideOthers: another run's window is neither in the log, nor a reason to
// think that the browser is still the same.
func TestRecoverBesideOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, on stage) {
		site := newWindows()
		d, origin := on(t, &site.mux)
		beside := func(session *engine.Session, path string) {
			t.Helper()
			page, err := session.NewPage(t.Context())
			if err == nil {
				_, err = page.Navigate(t.Context(), origin+path, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		s, store := ordering(t, origin+"/ann", "ann"), runs.NewMemory()

		session, err := engine.Open(t.Context(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		page := session.Page()
		beside(session, "/bob/order")
		ctx, stop := context.WithCancel(t.Context())
		if _, err := script.Replay(ctx, page, s, &script.Options{Store: store, Run: "r", Stepped: func(script.StepResult) { stop() }}); err == nil {
			t.Fatal("the replay was not interrupted")
		}
		_ = session.Close()

		saved, err := script.Load(t.Context(), store, "r")
		if err != nil {
			t.Fatal(err)
		}
		var begin engine.Options
		if err := saved.Prepare(&begin, nil); err != nil {
			t.Fatal(err)
		}
		if session, err = engine.Open(t.Context(), d, &begin); err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		page = session.Page()
		beside(session, "/bob")
		if _, err := script.Recover(t.Context(), page, s, &script.Options{Store: store, Run: "r"}, saved); err != nil {
			t.Error(err)
		}
		if got, want := site.of("POST"), "POST /ann/send ann"; got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
		if got, want := site.of("GET /bob/order"), "GET /bob/order"; got != want {
			t.Errorf("another run's window: %q, want %q: it is not opened again", got, want)
		}
	})
}
