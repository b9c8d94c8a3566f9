package engine_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"golang.org/x/tools/txtar"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// TestTraps plays the files of testdata/traps: pages on which an engine goes
// wrong that is not careful. A file is a txtar archive:
//
//	why it is a trap, in a sentence
//	-- GET / --          a page of the site; {site} and {other} are the origins
//	                     of its two sites, each of which has all pages. The
//	                     site's /echo shows what was sent, /hang never answers
//	-- trap --           the attempt that has to succeed
//	-- GET /never --     the same trap in its impossible form
//	-- never --          the attempt that has to fail, or to say that it was vain
//
// An attempt is made of lines; see [attempt.read] for all of them:
//
//	do click #save
//	act "Save it" | button Save click
//	hit click save
//	evidence {"effect": "page"}
//
// Each attempt is made by Do and by Act, whose model gives the answer that the
// line says (see [chooser]); what Act returned is done again by Do on a fresh page.
// Chrome gets one of the two for each attempt, the other with the next seed, and
// both with -traps.all.
// The pages are shown by Chrome, and by the browser in memory if nothing in the
// file is a script and the comment does not say "Not in memory", with the reason.
// In memory time passes in a bubble.
//
// What happened to the page is told by the page itself: testdata/traps/recorder.js
// notes the events. They have to be exactly those of the lines "hit", in that
// order, so that an act on another element, or a second one, is seen.
func TestTraps(t *testing.T) {
	rooms.free = map[string][]*room{}
	t.Cleanup(func() {
		for _, free := range rooms.free {
			for _, r := range free {
				if err := r.session.Close(); err != nil {
					t.Errorf("Close() = %v", err)
				}
			}
		}
	})
	files, err := filepath.Glob("testdata/traps/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no traps: %v", err)
	}
	for i, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for j, name := range []string{"trap", "never"} {
				var a attempt
				a.read(t, name, section(archive, name))
				onChrome := []string{"act", "do"}[(uint64(i+j)+*randomSeed)%2]
				t.Run(name, func(t *testing.T) { a.everywhere(t, i, archive, onChrome) })
			}
		})
	}
}

// usualTraps are those that are always set on Chrome, one of a kind.
var usualTraps = map[string]bool{
	"confirm": true, "evidence-status": true, "fill-controlled": true, "frame-of-another-site": true, "hover-menu": true,
	"partly-covered": true, "rendered-anew": true, "row-used-again": true, "same-name": true, "select-controlled": true,
}

var trapsAll = flag.Bool("traps.all", false, "make each attempt of the traps on Chrome by Do and by Act")

// everywhere makes the attempt of the i-th trap on both browsers: in memory in each way,
// on Chrome in one.
func (a *attempt) everywhere(t *testing.T, i int, archive *txtar.Archive, onChrome string) {
	ways := map[string]func(*trial){"do": (*trial).do, "act": (*trial).act}
	for way, run := range ways {
		if (way == onChrome || *trapsAll) && (usualTraps[strings.Split(t.Name(), "/")[1]] || chrometest.All() && i%chrometest.Thin(4) == 0) {
			t.Run("chrome/"+way, func(t *testing.T) {
				t.Parallel()
				s := &site{archive: archive}
				server := serveAnew(t, s)
				t.Cleanup(func() {
					server.CloseClientConnections() // /hang has them
					server.Close()
				})
				s.base, s.other = server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
				run(&trial{T: t, attempt: a, site: s, driver: chrome(t)})
			})
		}
		if a.chromeOnly || scripted(archive) || i%chrometest.Thin(4) != 0 {
			continue
		}
		t.Run("memory/"+way, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &site{archive: archive, base: "http://site.test", other: "http://other.test"}
				run(&trial{T: t, attempt: a, site: s, driver: fake.New(fake.Options{
					Handler:     s,
					Scripts:     map[string]func(*fake.Document){"*": recordInMemory},
					Expressions: map[string]func(*fake.Document, []any) (any, error){readHits: hitsInMemory},
				})})
			})
		})
	}
}

// served are the addresses that trials have had.
var served sync.Map

// serveAnew serves a site at an address that no trial has had: rooms keep what
// the pages of an origin have stored, and the system gives ports out again.
func serveAnew(t *testing.T, h http.Handler) *httptest.Server {
	server := startServer(t, h)
	if _, taken := served.LoadOrStore(server.URL, true); taken {
		defer server.Close() // its port is held until there is another
		return serveAnew(t, h)
	}
	return server
}

// scripts matches what a page has to run a script for.
var scripts = regexp.MustCompile(`<script|\son[a-z]+=|javascript:`)

// scripted reports whether a trap is for Chrome alone.
func scripted(archive *txtar.Archive) bool {
	if strings.Contains(string(archive.Comment), "Not in memory") {
		return true
	}
	for _, f := range archive.Files {
		if strings.Contains(f.Name, "/") && scripts.Match(f.Data) {
			return true
		}
	}
	return false
}
