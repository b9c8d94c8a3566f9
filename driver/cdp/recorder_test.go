package cdp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A recorder keeps the events of a browser.
type recorder struct {
	mu     sync.Mutex
	events []driver.Event
	more   chan struct{} // replaced and closed at each event
}

func recording(t testing.TB, b driver.Browser) *recorder {
	r := &recorder{more: make(chan struct{})}
	t.Cleanup(b.Listen(func(e driver.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, e)
		close(r.more)
		r.more = make(chan struct{})
	}))
	return r
}

// mark forgets what came up to now.
func (r *recorder) mark() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = nil
}

func (r *recorder) all() []driver.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// await returns the first event of type E that fits, which may come later.
func await[E driver.Event](t testing.TB, r *recorder, fits func(E) bool) E {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), conn.CommandLimit)
	defer cancel()
	for {
		r.mu.Lock()
		events, more := slices.Clone(r.events), r.more
		r.mu.Unlock()
		for _, e := range events {
			if e, ok := e.(E); ok && (fits == nil || fits(e)) {
				return e
			}
		}
		select {
		case <-more:
		case <-ctx.Done():
			var none E
			t.Fatalf("no %T came; there were %v", none, describe(events))
		}
	}
}

func describe(events []driver.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "\n\t%T%+v", e, e)
	}
	return b.String()
}
