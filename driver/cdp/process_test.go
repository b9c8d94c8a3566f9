package cdp

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/process"
)

// launch starts a Chrome of the test's own, which has its profile in a
// directory of the test's.
func launch(t *testing.T, l Launch) *browser {
	t.Helper()
	testChrome(t) // skips where there is none
	t.Setenv("TMPDIR", shortDir(t))
	b, err := l.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b.(*browser)
}

// shortDir is a directory whose path leaves room for the name of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestCloseLeavesNothing(t *testing.T) {
	testChrome(t)
	before := runtime.NumGoroutine()
	b := launch(t, Launch{})
	dir := os.Getenv("TMPDIR")
	if got := entries(t, dir); len(got) != 1 || !strings.HasPrefix(got[0], process.Prefix) {
		t.Errorf("%s holds %v, want one directory of ours", dir, got)
	}
	r := recording(t, b)
	p := b.Pages()[0].(*page)
	waiting, err := p.session.Start(t.Context(), untyped("Runtime.evaluate").With(map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	if _, err := waiting[0].Wait(t.Context()); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("a call under way = %v, want ErrClosed", err)
	}
	for what, err := range map[string]error{
		"Navigate": second(p.Navigate(t.Context(), "about:blank", nil)),
		"NewPage":  second(b.NewPage(t.Context())),
		"Cookies":  second(b.Cookies(t.Context())),
	} {
		if !errors.Is(err, driver.ErrClosed) {
			t.Errorf("%s after Close = %v, want ErrClosed", what, err)
		}
	}
	if e := await[driver.BrowserGone](t, r, nil); e.Err != nil {
		t.Errorf("BrowserGone = %+v, want no error", e)
	}
	if got := entries(t, dir); len(got) != 0 {
		t.Errorf("%s holds %v after Close", dir, got)
	}
	awaitGoroutines(t, before)
}

func second[T any](_ T, err error) error { return err }

// awaitGoroutines waits until no more than these run: those that have been
// told to end may need a moment.
func awaitGoroutines(t *testing.T, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for runtime.NumGoroutine() > want {
		runtime.Gosched()
		if ctx.Err() != nil {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, want %d:\n%s", runtime.NumGoroutine(), want, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// What was given up is not left in Chrome.
func TestGivenUp(t *testing.T) {
	c := testChrome(t)
	count := func() int {
		t.Helper()
		var contexts struct{ BrowserContextIDs []string }
		if err := c.root.Call(t.Context(), "Target.getBrowserContexts", nil, &contexts); err != nil {
			t.Fatal(err)
		}
		return len(contexts.BrowserContextIDs)
	}
	before := count()
	for i := range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*5*time.Millisecond)
		if b, err := c.Open(ctx, &driver.BrowserOptions{}); err == nil {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
		cancel()
	}
	limit, cancel := context.WithTimeout(t.Context(), conn.CommandLimit)
	defer cancel()
	for count() != before {
		if limit.Err() != nil {
			t.Fatalf("%d contexts, want %d", count(), before)
		}
	}
	b := testBrowser(t)
	r := recording(t, b)
	for i := range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*5*time.Millisecond)
		if p, err := b.NewPage(ctx); err == nil {
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		cancel()
	}
	last, err := b.NewPage(t.Context()) // comes behind the others
	if err != nil {
		t.Fatal(err)
	}
	for len(b.Pages()) != 2 {
		await(t, r, func(e driver.PageClosed) bool { return true })
		if limit.Err() != nil {
			t.Fatalf("%d pages, want two, %s the last", len(b.Pages()), last.ID())
		}
	}
}

// TestGivenUpWhileMade is for the race detector: Chrome may tell the context of a browser
// while the browser is closed because its Open was given up.
func TestGivenUpWhileMade(t *testing.T) {
	c := testChrome(t)
	for range 20 {
		b := newBrowser(c, &driver.BrowserOptions{})
		var made sync.WaitGroup
		made.Go(func() { c.register("", b) })
		time.Sleep(time.Millisecond) // orders nothing for the detector
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		made.Wait()
		c.unregister(b)
	}
}

func TestIsolatedBrowserLeavesNoGoroutine(t *testing.T) {
	c := testChrome(t)
	before := runtime.NumGoroutine()
	for range 3 {
		b, err := c.Open(t.Context(), &driver.BrowserOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := b.Pages()[0].(*page)
		r := recording(t, b)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Navigate(t.Context(), "about:blank", nil); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("Navigate after Close = %v", err)
		}
		if _, err := b.NewPage(t.Context()); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("NewPage after Close = %v", err)
		}
		await[driver.BrowserGone](t, r, nil)
	}
	awaitGoroutines(t, before)
}

func TestOpenGivesUpWithItsContext(t *testing.T) {
	testChrome(t)
	script := filepath.Join(t.TempDir(), "chrome")
	t.Setenv("TMPDIR", shortDir(t))
	before := runtime.NumGoroutine()
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := (Launch{ExecutablePath: script}).Open(ctx, &driver.BrowserOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Open = %v, want the context's error", err)
	}
	if got := entries(t, os.Getenv("TMPDIR")); len(got) != 0 {
		t.Errorf("Open left %v", got)
	}
	awaitGoroutines(t, before)
}

func TestFindChrome(t *testing.T) {
	env := func(vars map[string]string) func(string) string { return func(n string) string { return vars[n] } }
	look := func(have ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			for _, h := range have {
				if h == name {
					return "/found" + name, nil
				}
			}
			return "", exec.ErrNotFound
		}
	}
	for _, c := range []struct {
		goos string
		env  map[string]string
		have []string
		want string
	}{
		{"linux", nil, []string{"chromium", "msedge"}, "/foundchromium"},
		{"linux", nil, []string{"/opt/google/chrome/chrome"}, "/found/opt/google/chrome/chrome"},
		{"linux", map[string]string{"WAYFINDER_CHROME": "/my/chrome"}, []string{"chromium", "/my/chrome"}, "/found/my/chrome"},
		{"linux", map[string]string{"CHROME_PATH": "/my/chrome"}, []string{"chromium"}, ""},
		{"windows", map[string]string{"PROGRAMFILES": `C:\P`}, []string{`C:\P\Google\Chrome\Application\chrome.exe`}, `/foundC:\P\Google\Chrome\Application\chrome.exe`},
		{"darwin", nil, []string{"/Applications/Chromium.app/Contents/MacOS/Chromium"}, "/found/Applications/Chromium.app/Contents/MacOS/Chromium"},
		{"darwin", nil, nil, ""},
	} {
		got, err := locate(env(c.env), look(c.have...), c.goos)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("locate(%v) on %s = %q, %v, want %q", c.env, c.goos, got, err, c.want)
		}
		if missing := (*NotFoundError)(nil); err != nil && (!errors.As(err, &missing) || len(missing.Looked) == 0 || missing.Hint == "") {
			t.Errorf("locate(%v) on %s: %v says too little", c.env, c.goos, err)
		}
	}
}
