package script_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
)

var sweepAll = flag.Bool("sweep.all", false, "end the replays at each point, and not at some")

// A witness counts the points at which a replay can end, and ends it at one: what
// reaches a point then stays there, as if its process had died.
type witness struct {
	at int // 0 is never

	mu   sync.Mutex // protects seen
	seen int
	died chan struct{} // closed when it has
	over chan struct{} // closed at the end of the test
}

// point ends the replay if this is where, and never lets a dead one by.
func (w *witness) point() {
	w.mu.Lock()
	w.seen++
	if w.seen == w.at {
		close(w.died)
	}
	dead := w.at > 0 && w.seen >= w.at
	w.mu.Unlock()
	if dead {
		<-w.over
	}
}

// A watchedStore has points before and after each write.
type watchedStore struct {
	runs.Store
	*witness
}

func (s watchedStore) Append(ctx context.Context, run string, rec runs.Record) error {
	s.point()
	defer s.point()
	return s.Store.Append(ctx, run, rec)
}

// watch has points before and after each input.
func (w *witness) watch(d driver.Driver) driver.Driver {
	return faults.Watch(d, func() error { w.point(); return nil }, "navigate", "input", "setvalue")
}

// An attempt is one replay of a script that ends at a point, and is gone on with by
// another browser.
type attempt struct {
	task  sites.Task
	s     *script.Script
	store runs.Store
	site  *sites.Site
	with  script.Options // Model and Allow

	browser func(*witness) (_ driver.Driver, origin string)
}

// run replays the script, or goes on with it. alive is false if it ended at the point.
func (a *attempt) run(t testing.TB, at int) (result *script.Result, err error, alive bool) {
	t.Helper()
	w := &witness{at: at, died: make(chan struct{}), over: make(chan struct{})}
	t.Cleanup(func() { close(w.over) })
	d, origin := a.browser(w)
	opts := &script.Options{
		Variables: variablesOf(a.task), Files: a.task.Files, Start: origin + a.task.Start,
		Store: watchedStore{a.store, w}, Run: "r", Model: a.with.Model, Allow: a.with.Allow,
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		result, err = a.do(t.Context(), w.watch(d), opts)
	}()
	select {
	case <-ended:
		return result, err, true
	case <-w.died:
		return nil, nil, false
	}
}

func (a *attempt) do(ctx context.Context, d driver.Driver, opts *script.Options) (*script.Result, error) {
	saved, err := script.Load(ctx, a.store, "r")
	begin := &engine.Options{}
	switch {
	case errors.Is(err, runs.ErrNotFound):
		saved = nil
	case err != nil:
		return nil, err
	default:
		if err := saved.Prepare(begin, opts.Variables); err != nil {
			return nil, err
		}
	}
	session, err := engine.Open(ctx, d, begin)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	if saved == nil {
		return script.Replay(ctx, session.Page(), a.s, opts)
	}
	return script.Recover(ctx, session.Page(), a.s, opts, saved)
}

// newAttempt is an attempt in memory, on a site that has changed. What a dead browser
// still asks for does not reach the site.
func newAttempt(task sites.Task, s *script.Script, c *change) *attempt {
	a := &attempt{task: task, s: s, store: runs.NewMemory(), site: task.New(), with: script.Options{Allow: c.allowing()}}
	if c.model != nil {
		a.with.Model = c.model()
	}
	site := c.site(s)(a.site)
	a.browser = func(w *witness) (driver.Driver, string) {
		return inMemory(nil, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			select {
			case <-w.died:
				panic(http.ErrAbortHandler)
			default:
				site.ServeHTTP(out, r)
			}
		}))
	}
	return a
}

// fate says what came of a replay that ended at a point and was gone on with.
func (a *attempt) fate(t testing.TB, what string, result *script.Result, err error) string {
	t.Helper()
	var refused *script.RefusedError
	left := slices.Clone(a.task.Want)
	for _, line := range a.site.Journal() {
		i := slices.Index(left, line)
		if i < 0 {
			t.Errorf("%s: the site says %q, want each of %q once at most", what, a.site.Journal(), a.task.Want)
			return "wrong"
		}
		left = slices.Delete(left, i, i+1)
	}
	switch {
	case err == nil && len(left) > 0:
		t.Errorf("%s: the replay is proved, and the site lacks %q", what, left)
		return "wrong"
	case err == nil && len(result.Steps) < len(a.s.Steps):
		t.Errorf("%s: %d of %d steps in the result", what, len(result.Steps), len(a.s.Steps))
		return "wrong"
	case err == nil:
		return "done"
	case errors.Is(err, script.ErrUnknown):
		return "unknown"
	case errors.As(err, &refused):
		t.Logf("%s: %v", what, err)
		return "refused"
	}
	t.Errorf("%s: %v", what, err)
	return "wrong"
}

// TestKill: a replay ends before or after each write and each input of the scripts
// of all tasks, and another browser goes on: nothing is done twice, and nothing is
// called proved that was not done.
func TestKill(t *testing.T) {
	sweep(t, 29, 1, "as it was")
}

// TestKillWhileHealing: the same where the site has changed, and a model mends the
// script.
func TestKillWhileHealing(t *testing.T) {
	chrometest.Long(t)
	sweep(t, 67, 3, "a dialog in the way, with a model", "other labels, with a model and a person")
}

// sweep ends replays at each point, or at one of a stride, and has each gone on with;
// of the tasks it takes one of some.
func sweep(t *testing.T, stride, some int, names ...string) {
	if *sweepAll {
		stride, some = 1, 1
	}
	some *= chrometest.Thin(5)
	fates, points := map[string]int{}, 0
	for i, task := range sites.Tasks() {
		if task.Script || i%some != 0 {
			continue
		}
		s := recorded(t, inMemory, task)
		for _, c := range changes() {
			if !slices.Contains(names, c.name) {
				continue
			}
			for at := 1 + i%stride; !t.Failed(); at += stride {
				a := newAttempt(task, s, &c)
				if _, err, alive := a.run(t, at); alive {
					if err != nil {
						t.Logf("%s, %s: without an end: %v", c.name, task.Name, err)
					}
					break
				}
				points++
				what := fmt.Sprintf("%s, %s, ended at point %d", c.name, task.Name, at)
				result, err, _ := a.run(t, 0)
				fates[a.fate(t, what, result, err)]++
				for name, value := range task.Variables {
					if log := logOf(t, a.store); strings.Contains(log, value) {
						t.Errorf("%s: the log holds the value of %%%s%%:\n%s", what, name, log)
					}
				}
			}
		}
	}
	t.Logf("%d points: %v", points, fates)
	if fates["done"] < points/2 {
		t.Errorf("of %d points, %v: half of them can be gone on with, or more", points, fates)
	}
}

// TestKillOnChrome: some of the same, in a real browser, also of sites that need
// JavaScript. The browser of the replay that ended is gone by then.
func TestKillOnChrome(t *testing.T) {
	t.Parallel()
	chrome := onChrome(t)
	var points atomic.Int32
	t.Cleanup(func() {
		if points.Load() == 0 {
			t.Error("no replay ended")
		}
	})
	for i, task := range sites.Tasks() {
		if i%17 != 0 && !task.Script {
			continue
		}
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			s := recorded(t, chrome, task)
			for at := 9 + i%7; !t.Failed(); at += 19 {
				a := &attempt{task: task, s: s, store: runs.NewMemory(), site: task.New()}
				d, origin := chrome(t, a.site)
				opened := &last{Driver: d}
				a.browser = func(*witness) (driver.Driver, string) { return opened, origin }
				if _, err, alive := a.run(t, at); alive {
					if err != nil {
						t.Errorf("without an end: %v", err)
					}
					break
				}
				if err := opened.Close(); err != nil {
					t.Error(err)
				}
				points.Add(1)
				result, err, _ := a.run(t, 0)
				what := fmt.Sprintf("ended at point %d", at)
				t.Logf("%s: %s", what, a.fate(t, what, result, err))
				if !*sweepAll {
					break
				}
			}
		})
	}
}

// A last keeps the browser that it has opened last.
type last struct {
	driver.Driver
	driver.Browser
}

func (l *last) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := l.Driver.Open(ctx, opts)
	l.Browser = b
	return b, err
}

// logOf is what a log says.
func logOf(t testing.TB, store runs.Store) string {
	t.Helper()
	records, err := store.Load(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%d %s %s\n", r.Revision, r.Kind, r.Data)
	}
	return b.String()
}
