package runs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// TestDamagedDirectory: runs that ended with success are there as such after any one file of
// their records was cut, changed or deleted, and none of them is done again.
func TestDamagedDirectory(t *testing.T) {
	var orders atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprint(w, `<title>Shop</title><h1>Shop</h1><form action="/order" method="post"><button>Order</button></form>`)
			return
		}
		if r.URL.Path == "/order" {
			orders.Add(1)
		}
		fmt.Fprint(w, `<title>Thanks</title><h1>Thank you</h1>`)
	}))
	defer site.Close()
	open := func(t *testing.T, dir string) (*service, *jetstream.Store) {
		store, err := jetstream.Open(t.Context(), &jetstream.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return serveWith(t, store, &runs.Options{Workers: 2, Alone: true}, fake.Network(), &server.Options{Models: server.Models{Default: &agent{}}}), store
	}
	whole := t.TempDir()
	s, store := open(t, whole)
	const count = 8
	for range count {
		run := s.call(201, "a", "POST", "/v1/runs", `{"task":"order","url":"`+site.URL+`/"}`)
		all := s.events("a", run.ID)
		if last := all[len(all)-1].Run; last.Status != wire.RunSucceeded {
			t.Fatalf("a run is %s: %+v", last.Status, last.Error)
		}
	}
	s.stop()
	store.Close()
	if n := orders.Load(); n != count {
		t.Fatalf("%d orders, want %d", n, count)
	}
	var files []string
	err := filepath.WalkDir(whole, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "owner.lock" {
			files = append(files, path[len(whole):])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		used := len(bytes.TrimRight(raw, "\x00"))
		flip := func(at int) []byte {
			changed := bytes.Clone(raw)
			if len(changed) > 0 {
				changed[min(at, len(changed)-1)] ^= 0x20
			}
			return changed
		}
		cases := map[string][]byte{"deleted": nil, "cut in half": raw[:used/2], "cut by a tenth": raw[:used*9/10], "cut to nothing": {}}
		if !chrometest.All() {
			cases = map[string][]byte{"cut in half": raw[:used/2]}
		}
		for part := range 8 {
			if !chrometest.All() && part != 5 {
				continue
			}
			cases[fmt.Sprintf("changed at %d eighths", part)] = flip(used * part / 8)
		}
		for what, content := range cases {
			t.Run(what+" of "+name, func(t *testing.T) { // its copy is removed when it ends: all of them are gigabytes
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
				if content == nil {
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				}
				s, store := open(t, dir)
				resp := s.open("a", "GET", "/v1/runs", "")
				var list wire.Success[wire.RunList]
				err := json.NewDecoder(resp.Body).Decode(&list)
				resp.Body.Close()
				well := 0
				for _, run := range list.Data.Runs {
					if run.Status == wire.RunSucceeded && run.Error == nil {
						well++
					}
				}
				if waiting, running := s.runs.Counts(); err != nil || resp.StatusCode != 200 || well != count || waiting+running > 0 {
					t.Errorf("%d: %d of %d runs succeeded, %d wait, %d run; %v; said: %v", resp.StatusCode, well, count, waiting, running, err, store.Damage())
				}
				// What waits for its turn would have it before this one.
				run := s.call(201, "a", "POST", "/v1/runs", `{"task":"look","url":"`+site.URL+`/thanks","priority":-100}`)
				s.events("a", run.ID)
				s.stop()
				store.Close()
				if n := orders.Load(); n != count {
					t.Fatalf("%d orders, want %d", n, count)
				}
			})
		}
	}
}
