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

// TestAtWork: a session with a call under way is not ended as idle, and makes no room for
// another, also where its client has left.
func TestAtWork(t *testing.T) {
	l := newSessions(func(ctx context.Context) (*engine.Session, error) {
		return engine.Open(ctx, fake.Web{"https://a.test/": "<p>a"}, nil)
	}, 1, time.Hour, slog.New(slog.DiscardHandler))
	l.connected = func(client) bool { return false }
	s, err := l.start("ada", client{id: "1"})
	if err != nil {
		t.Fatal(err)
	}
	_, done, err := l.use(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	l.endIdle(s)
	if _, err := l.start("ada", client{id: "2"}); err == nil {
		t.Error("a session at work made room")
	}
	if _, err := l.find("ada", nobody, s.id, false); err != nil {
		t.Errorf("a session at work: %v", err)
	}
	done()
	if _, err := l.start("ada", client{id: "2"}); err != nil {
		t.Errorf("a session whose client has left made no room: %v", err)
	}
	if err := l.close(); err != nil {
		t.Error(err)
	}
}

// TestReadings: a ref is looked up in a reading of its own page: the one that is named, or
// the newest. The oldest are forgotten.
func TestReadings(t *testing.T) {
	s := &session{}
	one, other := new(engine.Page), new(engine.Page)
	first, second, third := new(engine.Snapshot), new(engine.Snapshot), new(engine.Snapshot)
	a, b, c := s.remember(one, first), s.remember(one, second), s.remember(other, third)
	for _, test := range []struct {
		page *engine.Page
		id   string
		want *engine.Snapshot
	}{{one, "", second}, {one, a, first}, {one, b, second}, {one, c, nil}, {other, "", third}, {other, a, nil}, {new(engine.Page), "", nil}, {one, "r99", nil}} {
		if got, err := s.reading(test.page, test.id); got != test.want || (err == nil) != (test.want != nil) {
			t.Errorf("reading %q is %p, %v; want %p", test.id, got, err, test.want)
		}
	}
	for range 100 {
		s.remember(other, third)
	}
	if _, err := s.reading(one, b); err == nil || len(s.readings) > mostReadings {
		t.Errorf("%d readings are kept, and the second is there: %v", len(s.readings), err)
	}
}
