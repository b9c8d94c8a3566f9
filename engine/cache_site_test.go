package engine_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A cacheSite is a site whose pages a test changes, and which counts what it is
// asked for.
type cacheSite struct {
	mu    sync.Mutex // protects what follows
	pages map[string]string
	asked map[string]int
}

func (s *cacheSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[r.URL.Path]++
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	page, ok := s.pages[r.URL.Path]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
	}
	fmt.Fprint(w, "<!DOCTYPE html>"+page)
}

func (s *cacheSite) set(path, page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = page
}

func (s *cacheSite) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// A cacheBench is a site, a cache, and a way to open sessions over both.
type cacheBench struct {
	*testing.T
	*cacheSite
	base   string
	driver engine.Driver
	cache  engine.Cache
}

// inMemory makes a bench over the browser in memory.
func inMemory(t *testing.T, pages map[string]string, cache engine.Cache) *cacheBench {
	site := &cacheSite{pages: maps.Clone(pages), asked: map[string]int{}}
	return &cacheBench{t, site, "http://cache.test", fake.New(fake.Options{Handler: site}), cache}
}

// onBoth runs a test in memory and on Chrome.
func onBoth(t *testing.T, pages map[string]string, run func(*cacheBench)) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { run(inMemory(t, pages, engine.NewMemoryCache(0))) })
	})
	t.Run("chrome", func(t *testing.T) {
		site := &cacheSite{pages: maps.Clone(pages), asked: map[string]int{}}
		server := httptest.NewServer(site)
		defer server.Close()
		cache, err := engine.NewDirCache(filepath.Join(t.TempDir(), "acts"))
		if err != nil {
			t.Fatal(err)
		}
		run(&cacheBench{t, site, server.URL, chrome(t), cache})
	})
}

// open opens a session at a path with a model that makes these choices alone:
// one that is asked more often fails.
func (b *cacheBench) open(path string, choices ...string) *engine.Page {
	b.Helper()
	session, err := engine.Open(b.Context(), b.driver, &engine.Options{Model: &chooser{choices: choices}, Cache: b.cache})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { session.Close() })
	if _, err := session.Page().Navigate(b.Context(), b.base+path, nil); err != nil {
		b.Fatal(err)
	}
	return session.Page()
}

// act acts on a new session and wants the outcome of the cache.
func (b *cacheBench) act(path, instruction string, want engine.CacheResult, reason engine.CacheReason, choices ...string) *engine.ActResult {
	b.Helper()
	page := b.open(path, choices...)
	r, err := page.Act(b.Context(), instruction, nil)
	if err != nil {
		b.Fatalf("Act(%q) = %v", instruction, err)
	}
	b.wantUse(page, r, want, reason)
	return r
}

func (b *cacheBench) wantUse(page *engine.Page, r *engine.ActResult, want engine.CacheResult, reason engine.CacheReason) {
	b.Helper()
	if r == nil || r.Cache == nil || r.Cache.Result != want || r.Cache.Reason != reason {
		b.Fatalf("%+v: the cache %+v, want %s %s", r, r.Cache, want, reason)
	}
	m := page.Session().Metrics()
	got := map[engine.CacheResult]int{engine.CacheHit: m.Cache.Hits, engine.CacheMiss: m.Cache.Misses,
		engine.CacheStale: m.Cache.Stale, engine.CacheRefuted: m.Cache.Refuted}
	if got[want] == 0 || reason != "" && m.Cache.Reasons[reason] == 0 {
		b.Errorf("metrics = %+v, want %s %s among them", m.Cache, want, reason)
	}
	if asked := m.Total() != (engine.Usage{}); asked && want == engine.CacheHit {
		b.Errorf("a hit took %+v", m.Total())
	}
}

var cacheShop = map[string]string{
	"/":       `<title>Shop</title><a href="/cart">Cart</a><details><summary>Account</summary><a href="/orders">Orders</a></details>`,
	"/cart":   `<title>Cart</title><h1>Cart</h1>`,
	"/orders": `<title>Orders</title><h1>Orders</h1>`,
}

func pagesOf(pages map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for path, page := range pages {
		all[path] = page
	}
	for i := 0; i+1 < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}
