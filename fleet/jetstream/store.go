package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// A Store keeps a fleet's records in a key-value bucket of JetStream. It may be
// used by any number of goroutines.
type Store struct {
	pair
	alone bool
	end   func() // ends the server, if it is ours

	asking sync.Mutex // held by Ready; protects asked and answer
	asked  time.Time
	answer error

	closing sync.Once
}

var _ fleet.Store = (*Store)(nil)

// Alone reports that no other process can have the records: they are in a directory
// that is locked for this one.
func (s *Store) Alone() bool { return s.alone }

// Close ends the connection, and the server if [Open] has started it. It may be
// called again.
func (s *Store) Close() {
	s.closing.Do(func() {
		s.writing.Lock() // what is being written is written to both
		defer s.writing.Unlock()
		if s.conn != nil {
			s.conn.Close()
		}
		s.end()
		if s.twin != nil {
			s.twin.close()
		}
	})
}

// Get implements fleet.Store.
func (s *Store) Get(ctx context.Context, key string) (fleet.Record, error) {
	if err := fleet.CheckCall(ctx, key); err != nil {
		return fleet.Record{}, err
	}
	r, err := s.read(ctx, key)
	if err != nil && s.twin != nil && s.twin.has(key) && context.Cause(ctx) == nil {
		return s.restore(ctx, key)
	}
	return r, err
}

// Put implements fleet.Store.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := fleet.CheckCall(ctx, key); err != nil {
		return 0, err
	}
	if len(value) > fleet.MaxValue {
		return 0, fmt.Errorf("jetstream: %s: %d bytes are more than the %d of a record", key, len(value), fleet.MaxValue)
	}
	if s.twin != nil {
		return s.putTwice(ctx, key, value, revision)
	}
	return s.put(ctx, key, value, revision)
}

// Delete implements fleet.Store.
func (s *Store) Delete(ctx context.Context, key string, revision uint64) error {
	if err := fleet.CheckCall(ctx, key); err != nil {
		return err
	}
	if revision == 0 {
		return fmt.Errorf("%w: %s", fleet.ErrConflict, key)
	}
	if s.twin != nil {
		return s.deleteTwice(ctx, key, revision)
	}
	return s.delete(ctx, key, revision)
}

// Watch implements fleet.Store.
func (s *Store) Watch(ctx context.Context, prefix string, changed func(fleet.Record)) (stop func(), err error) {
	if err := fleet.CheckCall(ctx, strings.TrimSuffix(prefix, ".")); err != nil {
		return nil, err
	}
	w := &watch{changed: changed, subjects: "$KV." + bucketName + ".", caughtUp: make(chan struct{}), ended: make(chan struct{})}
	var known map[string]uint64
	if s.twin != nil {
		known, w.seen = s.twin.under(prefix), map[string]bool{}
	}
	w.mu.Lock() // nothing is reported before it is known how much was there
	sub, err := s.changes.Subscribe(w.subjects+prefix+">", w.report, nats.BindStream(streamName), nats.OrderedConsumer(), nats.DeliverLastPerSubject(), nats.IdleHeartbeat(heartbeat))
	if err == nil {
		ended := sync.OnceFunc(func() { close(w.ended) })
		sub.SetClosedHandler(func(string) { ended() })
		if !sub.IsValid() { // before the handler was there
			ended()
		}
		w.present, err = sub.InitialConsumerPending()
	}
	if err == nil && w.present == 0 {
		w.catchUp()
	}
	w.mu.Unlock()
	stop = sync.OnceFunc(func() {
		if sub == nil {
			return
		}
		if err := sub.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrBadSubscription) && !errors.Is(err, nats.ErrConnectionClosed) {
			s.log.Debug("a watch did not end cleanly", "prefix", prefix, "err", err)
		}
		<-w.ended
	})
	if err != nil {
		stop()
		return nil, failed(prefix, err)
	}
	for {
		// A record that the server cannot read is not reported, and the server waits
		// for it to be.
		reported := w.count()
		caughtUp := false
		select {
		case <-w.caughtUp:
			caughtUp = true
		case <-time.After(stallLimit):
		case <-w.ended:
			err = fmt.Errorf("%w: the watch of %s ended", fleet.ErrUnavailable, prefix)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		if err == nil && known != nil && (caughtUp || w.count() == reported) {
			caughtUp = true
			err = s.complete(ctx, w, known)
		}
		switch {
		case err != nil:
			stop()
			return nil, err
		case caughtUp:
			return stop, nil
		}
	}
}

// stallLimit is after how much silence a watch no longer expects what is missing: the
// server is of this process, and reports thousands of records a second.
const stallLimit = 5 * time.Second

// complete reports to a watch what the twin has and the server did not report.
func (s *Store) complete(ctx context.Context, w *watch, known map[string]uint64) error {
	for key := range known {
		if w.has(key) {
			continue
		}
		r, err := s.Get(ctx, key)
		switch {
		case errors.Is(err, fleet.ErrNotFound): // deleted meanwhile
		case err != nil:
			return err
		default:
			w.mu.Lock()
			w.changed(r)
			w.mu.Unlock()
		}
	}
	w.mu.Lock()
	w.seen = nil
	w.mu.Unlock()
	return nil
}

// A watch is one call to Watch.
type watch struct {
	changed  func(fleet.Record)
	subjects string        // what stands before a key
	caughtUp chan struct{} // closed when what was there has been reported
	ended    chan struct{} // closed after the last report

	mu       sync.Mutex // protects what follows
	present  uint64     // records that were there
	reported uint64
	current  bool            // caughtUp is closed
	seen     map[string]bool // keys that were reported, while that is of interest
}

func (w *watch) count() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reported
}

func (w *watch) has(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[key]
}

// catchUp says that all that was there has been reported. w.mu is held.
func (w *watch) catchUp() {
	if !w.current {
		w.current = true
		close(w.caughtUp)
	}
}

// report takes one record from the server. Calls do not overlap.
func (w *watch) report(m *nats.Msg) {
	about, err := m.Metadata()
	if err != nil || len(m.Subject) <= len(w.subjects) {
		return // it is no record
	}
	r := fleet.Record{Key: m.Subject[len(w.subjects):], Value: m.Data, Revision: about.Sequence.Stream}
	if isDeletion(m.Header) {
		r.Value, r.Deleted = nil, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed(r)
	if w.seen != nil {
		w.seen[r.Key] = true
	}
	// One that was replaced meanwhile comes later, or not at all.
	if w.reported++; w.reported >= w.present || about.NumPending == 0 {
		w.catchUp()
	}
}

// askEvery bounds how often Ready writes. In between it repeats its last answer.
const askEvery = time.Second

const readyKey = "ready.probe"

// Ready writes a record, and returns why that cannot be done: the servers are not
// reached, too few of them are there, or a disk is full.
func (s *Store) Ready(ctx context.Context) error {
	s.asking.Lock()
	defer s.asking.Unlock()
	if time.Since(s.asked) < askEvery {
		return s.answer
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limit)
	defer cancel()
	s.answer = s.probe(ctx)
	s.asked = time.Now()
	return s.answer
}

func (s *Store) probe(ctx context.Context) error {
	if s.twin == nil {
		_, err := s.bucket.Put(ctx, readyKey, nil)
		return failed(readyKey, err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.settle(ctx, nil); err != nil {
		return err
	}
	if err := s.writeAnew(ctx, readyKey, nil); err != nil {
		s.unsure = append(s.unsure, readyKey)
		return unavailable(readyKey, err)
	}
	return s.twin.state()
}
