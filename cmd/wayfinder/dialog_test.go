package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// What a page asks is dismissed, unless --accept-dialogs says yes. Alerts hold
// nothing up in either case.
func TestAcceptDialogs(t *testing.T) {
	all := browsers(t)
	delete(all, "memory") // it runs no scripts, so its pages ask nothing
	for name, browser := range all {
		for _, test := range []struct{ flag, want string }{
			{"--accept-dialogs=false", "sure=false&name=null"},
			{"--accept-dialogs", "sure=true&name=Ada"},
		} {
			t.Run(name+"/"+test.flag, func(t *testing.T) {
				t.Parallel() // two sessions that are attached to one Chrome
				var mu sync.Mutex
				var heard []string
				mux := http.NewServeMux()
				mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprint(w, `<!doctype html><title>Ask</title><button onclick="alert('look'); const sure = confirm('Sure?'), name = prompt('Name?', 'Ada');
						location = '/answer?' + new URLSearchParams({sure, name})">Delete</button>`)
				})
				mux.HandleFunc("GET /answer", func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					heard = append(heard, r.URL.RawQuery)
					fmt.Fprint(w, `<!doctype html><title>Answered</title><h1>Answered</h1>`)
				})
				site := httptest.NewServer(mux)
				defer site.Close()
				got := wayfinder(t, append([]string{"act", site.URL, "--action", `{"selector":"button","method":"click"}`, test.flag}, browser...)...)
				mu.Lock()
				defer mu.Unlock()
				if got.code != exitDone || len(heard) != 1 || heard[0] != test.want {
					t.Errorf("exit %d, the page heard %q, want %q once\n%s%s", got.code, heard, test.want, got.out, got.err)
				}
			})
		}
	}
}

// TestRecordAcceptedDialogs: a run whose dialogs were accepted, or dismissed, is replayed
// with the recorded answers.
func TestRecordAcceptedDialogs(t *testing.T) {
	all := browsers(t)
	delete(all, "memory") // it runs no scripts, so its pages ask nothing
	for name, browser := range all {
		for flag, want := range map[string]string{"--accept-dialogs": "Deleted by Ada", "--accept-dialogs=false": "Kept"} {
			t.Run(name+"/"+flag, func(t *testing.T) {
				t.Parallel()
				site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprint(w, `<!doctype html><title>Ask</title><h1 id=h>Kept</h1>
						<button onclick="if (confirm('Sure?')) { h.textContent = 'Deleted by ' + prompt('Name?', 'Ada') }">Delete</button>`)
				}))
				path := filepath.Join(t.TempDir(), "run.wayfinder")
				args := []string{"record", site.URL, "-o", path, flag, "--action", `{"selector":"button","method":"click"}`, "--extract", "the heading"}
				got := wayfinder(t, append(args, browser...)...)
				site.Close()
				if got.code != exitDone || !strings.Contains(got.out, want) {
					t.Fatalf("exit %d, want 0 and %q\n%s%s", got.code, want, got.out, got.err)
				}
				if got := wayfinder(t, "replay", path); got.code != exitDone || !strings.Contains(got.err, "all as recorded") {
					t.Errorf("replay: exit %d, want 0\n%s%s", got.code, got.out, got.err)
				}
			})
		}
	}
}
