package cdp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
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
	if got := entries(t, dir); len(got) != 1 || !strings.HasPrefix(got[0], profilePrefix) {
		t.Errorf("%s holds %v, want one directory of ours", dir, got)
	}
	r := recording(t, b)
	p := b.Pages()[0].(*page)
	waiting, err := p.session.start(t.Context(), command{method: "Runtime.evaluate", params: map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	if _, err := waiting[0].wait(t.Context()); !errors.Is(err, driver.ErrClosed) {
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
		if err := c.root.call(t.Context(), "Target.getBrowserContexts", nil, &contexts); err != nil {
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
	limit, cancel := context.WithTimeout(t.Context(), commandLimit)
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

func TestChromeGoes(t *testing.T) {
	for _, c := range []struct {
		how  string
		end  func(*browser) error
		want error
	}{
		{"killed", func(b *browser) error { return b.chrome.process.cmd.Process.Kill() }, driver.ErrCrashed},
		{"closed from outside", func(b *browser) error {
			b.chrome.root.post(command{method: "Browser.close"})
			return nil
		}, driver.ErrClosed},
	} {
		t.Run(c.how, func(t *testing.T) {
			b := launch(t, Launch{})
			r := recording(t, b)
			p := b.Pages()[0].(*page)
			waiting, err := p.session.start(t.Context(), command{method: "Runtime.evaluate", params: map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.end(b); err != nil {
				t.Fatal(err)
			}
			if e := await[driver.BrowserGone](t, r, nil); !errors.Is(e.Err, c.want) {
				t.Errorf("BrowserGone = %v, want %v", e.Err, c.want)
			}
			if _, err := waiting[0].wait(t.Context()); err == nil {
				t.Error("a call under way succeeded")
			}
			if _, err := p.Navigate(t.Context(), "about:blank", nil); !errors.Is(err, c.want) && !errors.Is(err, driver.ErrClosed) {
				t.Errorf("Navigate = %v, want %v", err, c.want)
			}
			if _, err := b.NewPage(t.Context()); !errors.Is(err, c.want) {
				t.Errorf("NewPage = %v, want %v", err, c.want)
			}
		})
	}
}

func TestPageCrashes(t *testing.T) {
	p := testPage(t)
	goTo(t, p, "data:text/html,x")
	r := recording(t, p.browser)
	calls, err := p.session.start(t.Context(), command{method: "Runtime.evaluate", params: map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}}, command{method: "Page.crash"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if _, err := c.wait(t.Context()); !errors.Is(err, driver.ErrCrashed) {
			t.Errorf("%s = %v, want ErrCrashed", c.method, err)
		}
	}
	await(t, r, func(e driver.PageCrashed) bool { return e.Page == p.ID() })
	if _, err := p.Navigate(t.Context(), "about:blank", nil); !errors.Is(err, driver.ErrCrashed) {
		t.Errorf("Navigate = %v, want ErrCrashed", err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
	await(t, r, func(e driver.PageClosed) bool { return e.Page == p.ID() })
	// The others live on.
	q, err := p.browser.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	goTo(t, q.(*page), "data:text/html,y")
}

// A frame's process may end alone; the page lives, and so does the frame once
// it shows something else.
func TestFrameCrashes(t *testing.T) {
	inner := site{"/": "<title>inner</title>"}.serve(t)
	base := site{"/": "<title>outer</title><iframe id=f src='" + elsewhere(inner) + "/'></iframe>"}.serve(t)
	p := visit(t, base)
	f, err := p.frame(p.Frames()[1].ID)
	if err != nil || f.session == p.session {
		t.Fatalf("the frame = %+v, %v, want one in a process of its own", f, err)
	}
	if err := f.session.call(t.Context(), "Page.crash", nil, nil); !errors.Is(err, driver.ErrCrashed) {
		t.Errorf("Page.crash = %v, want ErrCrashed", err)
	}
	if _, _, err := p.worldOf(t.Context(), f.ID, driver.Isolated); !errors.Is(err, driver.ErrCrashed) {
		t.Errorf("worldOf the crashed frame = %v, want ErrCrashed", err)
	}
	if got := evaluate(t, p, "document.title"); got != "outer" {
		t.Errorf("the page says %q", got)
	}
	r := recording(t, p.browser)
	evaluate(t, p, "f.src = '"+elsewhere(inner)+"/?again'; 1")
	await(t, r, func(e driver.Loaded) bool { return e.Frame == f.ID })
	if _, _, err := p.worldOf(t.Context(), f.ID, driver.Isolated); err != nil {
		t.Errorf("worldOf the frame that came back = %v", err)
	}
}

func TestLastWords(t *testing.T) {
	testChrome(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", shortDir(t))
	script := filepath.Join(dir, "chrome")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho 'I cannot: no such display' >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Launch{ExecutablePath: script}.Open(t.Context(), &driver.BrowserOptions{})
	if !errors.Is(err, driver.ErrCrashed) || !strings.Contains(err.Error(), "no such display") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("Open = %v, want the program's last words", err)
	}
	if n := strings.Count(err.Error(), "no such display"); n != 1 {
		t.Errorf("the last words are told %d times: %v", n, err)
	}
	_, err = Start(t.Context(), Launch{ExecutablePath: filepath.Join(dir, "none")})
	var missing *NotFoundError
	if !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Start = %v, want a NotFoundError", err)
	}
	if got := entries(t, os.Getenv("TMPDIR")); len(got) != 0 {
		t.Errorf("failed starts left %v", got)
	}
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

func TestUserDataDir(t *testing.T) {
	parent := shortDir(t)
	for _, c := range []struct {
		name           string
		exists, keep   bool
		stays          bool
		launchAgainToo bool
	}{
		{name: "made", stays: false},
		{name: "preserved", keep: true, stays: true, launchAgainToo: true},
		{name: "standing", exists: true, stays: true},
	} {
		dir := filepath.Join(parent, c.name)
		if c.exists {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		b := launch(t, Launch{UserDataDir: dir, PreserveUserDataDir: c.keep})
		cookie := driver.Cookie{Name: "kept", Value: "1", URL: "http://example.test", Expires: time.Now().Add(time.Hour)}
		if err := b.SetCookies(t.Context(), cookie); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); (err == nil) != c.stays {
			t.Errorf("%s: after Close Stat = %v", c.name, err)
		}
		if c.launchAgainToo {
			b := launch(t, Launch{UserDataDir: dir, PreserveUserDataDir: true})
			if got, err := b.Cookies(t.Context()); err != nil || len(got) != 1 {
				t.Errorf("the profile's cookies = %+v, %v, want the one that was set", got, err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestReap(t *testing.T) {
	parent := t.TempDir()
	living, err := ownProfile(parent, false)
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(parent, profilePrefix+"dead")
	foreign := filepath.Join(parent, profilePrefix+"foreign") // our prefix, and no owner file
	other := filepath.Join(parent, "other")
	target := t.TempDir()
	link := filepath.Join(parent, profilePrefix+"link")
	for _, dir := range []string{dead, foreign, other} {
		if err := os.MkdirAll(filepath.Join(dir, "profile"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(dead, ownerFile), filepath.Join(other, ownerFile), filepath.Join(target, ownerFile)} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	reap(parent)
	for path, stays := range map[string]bool{living.root: true, dead: false, foreign: true, other: true, link: true, filepath.Join(target, ownerFile): true} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s after reap: %v, want that it stays: %t", filepath.Base(path), err, stays)
		}
	}
	if err := living.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(living.root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after remove: %v", err)
	}
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
