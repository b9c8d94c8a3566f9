package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A core is the service below HTTP: callers and their limits, sessions, and the work
// in them. Requests and runs use it through [work]. It handles no HTTP message; its
// errors are faults.
type core struct {
	driver   driver.Driver
	opts     Options
	limits   Limits
	log      *slog.Logger
	holders  holders
	sessions registry
	streams  atomic.Int64 // open

	stopped context.Context // ends when no more time is given to work
	stop    context.CancelCauseFunc

	work     sync.WaitGroup // requests that may touch a page
	mu       sync.Mutex     // protects draining against work
	draining bool
}

// Drain has the server refuse new sessions and new work, with 503, while the work
// under way continues. /readyz says so.
func (s *core) Drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

// Shutdown drains, waits for the work under way until ctx ends, and then ends
// every session with its browser. It returns when all are closed. It may be
// called again.
func (s *core) Shutdown(ctx context.Context) error {
	s.Drain()
	idle := make(chan struct{})
	go func() {
		s.work.Wait()
		close(idle)
	}()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = fmt.Errorf("server: shutdown: work was cut short: %w", context.Cause(ctx))
	}
	s.stop(errShutdown)
	s.sessions.closeAll(errShutdown)
	<-idle
	return err
}

// beginWork counts a request that Shutdown waits for.
func (s *core) beginWork() (done func(), _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return nil, newFaultDraining()
	}
	s.work.Add(1)
	return s.work.Done, nil
}

// Load reports what the server has at hand. It may be called at any time.
func (s *core) Load() Load {
	l := Load{Waiting: int(s.sessions.waiting.Load()), Streams: int(s.streams.Load())}
	for _, one := range s.sessions.all() {
		open, working := one.load()
		if open {
			l.Sessions++
		}
		if working {
			l.Working++
		}
	}
	return l
}

// KeepNode keeps the server's node known to the others until ctx ends. When the others
// have taken it for dead, its sessions end, and new ones can be started.
func (s *core) KeepNode(ctx context.Context) {
	s.opts.Parts.Node.Maintain(ctx, func() int { return s.Load().Sessions }, func() { s.sessions.endAll(errNodeGone) })
}

// SetKeys replaces the keys. Sessions stay those of the keys that started them;
// a key that is gone reaches none. It may be called at any time.
func (s *core) SetKeys(keys []Key) {
	s.holders.set(keys)
}

func newFaultDraining() *fault {
	f := newFault(errShutdown.code, "%s", errShutdown.message)
	f.retry = time.Second
	return f
}

// Load is what a server has at hand at a moment.
type Load struct {
	Sessions int // open
	Working  int // of which a request is at work or waits for its page
	Waiting  int // requests for a session that wait for another to end
	Streams  int // open
}
