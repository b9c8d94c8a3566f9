package drivertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A recorder keeps the events of a browser.
type recorder struct {
	stop func()

	mu   sync.Mutex // protects the fields below
	seen []driver.Event
	from int           // where until begins to look
	more chan struct{} // closed and replaced when seen grows
}

func listen(b driver.Browser) *recorder {
	r := &recorder{more: make(chan struct{})}
	r.stop = b.Listen(r.add)
	return r
}

func (r *recorder) add(e driver.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, e)
	close(r.more)
	r.more = make(chan struct{})
}

// mark has later looks begin at the next event.
func (r *recorder) mark() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.from = len(r.seen)
}

// since returns the events since the mark.
func (r *recorder) since() []driver.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen[r.from:])
}

// wait returns the first event since the mark that fits, which is asked about
// each event once, in order.
func (r *recorder) wait(ctx context.Context, fits func(driver.Event) bool) (driver.Event, bool) {
	r.mu.Lock()
	next := r.from
	r.mu.Unlock()
	for {
		r.mu.Lock()
		fresh, more := r.seen[next:], r.more
		next = len(r.seen)
		r.mu.Unlock()
		if i := slices.IndexFunc(fresh, fits); i >= 0 {
			return fresh[i], true
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// list writes the events since the mark for people.
func (r *recorder) list() string {
	var b strings.Builder
	for _, e := range r.since() {
		fmt.Fprintf(&b, "\n\t%T%+v", e, e)
	}
	if b.Len() == 0 {
		return " none"
	}
	return b.String()
}

// wait waits for an event of type E since the mark that fits; nil fits all.
func wait[E driver.Event](t *trial, fits func(E) bool) E {
	e, ok := t.events.wait(t.ctx, func(e driver.Event) bool {
		typed, ok := e.(E)
		return ok && (fits == nil || fits(typed))
	})
	if !ok {
		var want E
		t.fatalf("no fitting event %T came; events:%s", want, t.events.list())
	}
	return e.(E)
}

// told returns the events of type E since the mark, which must have been
// delivered by now.
func told[E driver.Event](t *trial) []E {
	var found []E
	for _, e := range t.events.since() {
		if typed, ok := e.(E); ok {
			found = append(found, typed)
		}
	}
	return found
}

// settled waits until the main frame has loaded the document at a path.
func (t *trial) settled(path string) {
	page := t.page.ID()
	there := false
	_, ok := t.events.wait(t.ctx, func(e driver.Event) bool { return t.loadedAt(e, page, path, &there) })
	if !ok {
		t.fatalf("%s was not loaded; events:%s", path, t.events.list())
	}
}

// loadedAt notices Navigated to a path and then Loaded of a page's main frame.
func (t *trial) loadedAt(e driver.Event, page driver.PageID, path string, there *bool) bool {
	switch e := e.(type) {
	case driver.Navigated:
		if e.Frame == driver.FrameID(page) && !e.SameDocument {
			*there = e.URL == t.url(path) || e.URL == t.elsewhere(path) ||
				strings.HasPrefix(e.URL, t.url(path)+"?") || strings.HasPrefix(e.URL, t.url(path)+"#")
		}
	case driver.Loaded:
		return *there && e.Frame == driver.FrameID(page)
	}
	return false
}
