//go:build linux

package service

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// A pidLog keeps the number of the last Chrome that the log says was started.
type pidLog struct {
	slog.Handler
	pid chan int64
}

func (l pidLog) Enabled(context.Context, slog.Level) bool { return true }

func (l pidLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "pid" && strings.Contains(r.Message, "started") {
			l.pid <- a.Value.Int64()
		}
		return true
	})
	return nil
}

// TestSilentChrome: readiness follows a Chrome that answers nothing, new sessions get
// another one, and it is ended with its sessions.
func TestSilentChrome(t *testing.T) {
	chrometest.Long(t)
	_, err := cdp.Find()
	chrometest.Need(t, err)
	dir, err := os.MkdirTemp("", "wf") // a short name: that of a socket has to fit behind it
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	t.Setenv("TMPDIR", dir)
	pids := make(chan int64, 8)
	s := &Chromes{Launch: cdp.Launch{AnswerLimit: 12 * time.Second, Logger: slog.New(pidLog{slog.DiscardHandler, pids})}}
	t.Cleanup(func() { _ = s.Close() }) // again, where the test has failed
	open := func() driver.Browser {
		b, err := s.Open(t.Context(), &driver.BrowserOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	first := open()
	defer first.Close()
	group := int(<-pids)
	gone := make(chan error, 1)
	first.Listen(func(e driver.Event) {
		if g, ok := e.(driver.BrowserGone); ok {
			gone <- g.Err
		}
	})
	if err := s.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-group, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	early := make(chan error, 1) // it is given to the silent one, and then to another
	go func() {
		b, err := s.Open(context.WithoutCancel(t.Context()), &driver.BrowserOptions{})
		if err == nil {
			err = b.Close()
		}
		early <- err
	}()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for s.ready(t.Context()) == nil {
		<-look.C
	}
	second := open()
	defer second.Close()
	if _, err := second.NewPage(t.Context()); err != nil {
		t.Errorf("the other Chrome's: %v", err)
	}
	if err := <-gone; !errors.Is(err, driver.ErrCrashed) {
		t.Errorf("the session in it ended with %v", err)
	}
	for s.ready(t.Context()) != nil {
		<-look.C
	}
	if err := <-early; err != nil {
		t.Errorf("a session that was starting: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(group, 0); err == nil {
		t.Errorf("process %d still runs", group)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
