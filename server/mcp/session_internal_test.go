package mcp

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A session ends when nobody used it for its time, and not while somebody does;
// one whose browser was never opened, too.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		l := newSessions(func(ctx context.Context) (*engine.Session, error) {
			opened++
			return engine.Open(ctx, fake.Web{"https://a.test/": "<p>a"}, nil)
		}, 8, time.Minute, slog.New(slog.DiscardHandler))
		used, err := l.start("ada", nobody)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.start("ada", nobody); err != nil {
			t.Fatal(err)
		}
		page, done, err := l.use(t.Context(), used)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		l.mu.Lock()
		left := len(l.byID)
		l.mu.Unlock()
		if left != 1 || page.URL() == "" || opened != 1 {
			t.Errorf("%d sessions, %d browsers; want the one that is used", left, opened)
		}
		done()
		time.Sleep(59 * time.Second)
		if _, err := l.find("ada", nobody, used.id, false); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Second)
		if _, err := l.find("ada", nobody, used.id, false); err == nil {
			t.Error("the session is still there")
		}
		if _, _, err := l.use(t.Context(), used); err == nil {
			t.Error("a session that has ended can be used")
		}
		if err := l.close(); err != nil {
			t.Error(err)
		}
	})
}
