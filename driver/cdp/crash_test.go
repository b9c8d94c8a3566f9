package cdp

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

func TestChromeGoes(t *testing.T) {
	for _, c := range []struct {
		how  string
		end  func(*browser) error
		want error
	}{
		{"killed", func(b *browser) error {
			p, err := os.FindProcess(b.chrome.process.Pid())
			if err != nil {
				return err
			}
			return p.Kill()
		}, driver.ErrCrashed},
		{"closed from outside", func(b *browser) error {
			b.chrome.root.Post(untyped("Browser.close").With(nil))
			return nil
		}, driver.ErrClosed},
	} {
		t.Run(c.how, func(t *testing.T) {
			b := launch(t, Launch{})
			r := recording(t, b)
			p := b.Pages()[0].(*page)
			waiting, err := p.session.Start(t.Context(), untyped("Runtime.evaluate").With(map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.end(b); err != nil {
				t.Fatal(err)
			}
			if e := await[driver.BrowserGone](t, r, nil); !errors.Is(e.Err, c.want) {
				t.Errorf("BrowserGone = %v, want %v", e.Err, c.want)
			}
			if _, err := waiting[0].Wait(t.Context()); err == nil {
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
	calls, err := p.session.Start(t.Context(), untyped("Runtime.evaluate").With(map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}), untyped("Page.crash").With(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if _, err := c.Wait(t.Context()); !errors.Is(err, driver.ErrCrashed) {
			t.Errorf("%s = %v, want ErrCrashed", c.Method(), err)
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
	if err := f.session.Call(t.Context(), "Page.crash", nil, nil); !errors.Is(err, driver.ErrDetached) {
		t.Errorf("Page.crash = %v, want ErrDetached", err)
	}
	if _, err := p.worldOf(t.Context(), f.ID, driver.Isolated); !errors.Is(err, driver.ErrDetached) {
		t.Errorf("worldOf the crashed frame = %v, want ErrDetached", err)
	}
	if got := evaluate(t, p, "document.title"); got != "outer" {
		t.Errorf("the page says %q", got)
	}
	r := recording(t, p.browser)
	evaluate(t, p, "f.src = '"+elsewhere(inner)+"/?again'; 1")
	await(t, r, func(e driver.Loaded) bool { return e.Frame == f.ID })
	if _, err := p.worldOf(t.Context(), f.ID, driver.Isolated); err != nil {
		t.Errorf("worldOf the frame that came back = %v", err)
	}
}

func TestLastWords(t *testing.T) {
	testChrome(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", shortDir(t))
	script := filepath.Join(dir, "chrome")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho 'first words' >&2\necho '[1:2:ERROR:ui.cc(9)] I cannot: no such display' >&2\necho 'and good night' >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	_, err := Launch{ExecutablePath: script, Logger: slog.New(slog.NewTextHandler(&log, nil))}.Open(t.Context(), &driver.BrowserOptions{})
	if !errors.Is(err, driver.ErrCrashed) || !strings.Contains(err.Error(), "no such display") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("Open = %v, want the program's last words", err)
	}
	if n := strings.Count(err.Error(), "no such display"); n != 1 {
		t.Errorf("the last words are told %d times: %v", n, err)
	}
	if strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "first words") {
		t.Errorf("Open = %v, want one line", err)
	}
	if !strings.Contains(log.String(), "first words") {
		t.Errorf("the log has %q, want all of the last words", log.String())
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

// What Chrome says of a command becomes an error that says the same.
func TestCommandError(t *testing.T) {
	var refused *CommandError
	err := commandError(nil, "DOM.resolveNode", &conn.Failure{Code: -32000, Message: "No node with given id found"})
	if !errors.Is(err, driver.ErrStale) || !errors.As(err, &refused) || refused.Method != "DOM.resolveNode" {
		t.Errorf("a refused command gives %v, want a CommandError that wraps ErrStale", err)
	}
}
