package replays

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/server/internal/records"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Options bound what is kept. The zero value is usable.
type Options struct {
	Keep     time.Duration // after a session's last entry; 0 is a week
	Bytes    int64         // of all sessions; 0 is 256 MiB
	Sessions int           // at most; 0 is 20,000
	PerOne   int           // bytes of one session, whose oldest entries go first; 0 is 4 MiB
	Every    time.Duration // how often is written; 0 is a second
	Logger   *slog.Logger  // nil is silence
}

// Replays are what is kept of sessions in a store. They may be used by any number
// of goroutines.
type Replays struct {
	store fleet.Store
	opts  Options
	log   *slog.Logger

	mu      sync.Mutex // protects what follows
	writers map[string]*Writer
	heads   map[string]*head // of all sessions, as the store has them; nil: it is not watched
}

// An Entry is one call of a session.
type Entry struct {
	Page   string            `json:"page"` // its ID
	URL    string            `json:"url"`
	Action wire.ReplayAction `json:"action"`
}

// A Session is what is known of a session besides its entries.
type Session struct {
	Owner    string    `json:"owner,omitempty"` // as the server names callers
	Language string    `json:"language,omitempty"`
	Begun    time.Time `json:"begun,omitzero"`
	Model    string    `json:"model,omitempty"`
	Run      string    `json:"run,omitempty"` // that it was started for
	Traced   bool      `json:"traced,omitempty"`
}

// head is a session as the store has it.
type head struct {
	Session
	Written time.Time `json:"written"`
	First   int       `json:"first"` // the number of its first part
	Bytes   int       `json:"bytes"`
	Ended   time.Time `json:"ended,omitzero"`
	Latest  Latest    `json:"latest,omitzero"`
}

// Keys of records: "replayhead.SESSION" and "replay.SESSION.0" and so on.
const (
	headPrefix = "replayhead."
	partPrefix = "replay."
)

// The errors of Load.
var (
	ErrNotFound    = errors.New("replays: nothing is kept of the session")
	ErrUnavailable = fleet.ErrUnavailable // ask again
)

// New returns what a store has. opts may be nil. The caller has it written by Run.
func New(s fleet.Store, opts *Options) *Replays {
	r := &Replays{store: s, opts: *cmp.Or(opts, &Options{}), writers: map[string]*Writer{}}
	o := &r.opts
	o.Keep, o.Bytes, o.Sessions = cmp.Or(o.Keep, 7*24*time.Hour), cmp.Or(o.Bytes, 256<<20), cmp.Or(o.Sessions, 20_000)
	o.PerOne, o.Every = cmp.Or(o.PerOne, 4<<20), cmp.Or(o.Every, time.Second)
	r.log = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return r
}

// cleanEvery is how often what is too old is looked for.
const cleanEvery = 10 * time.Minute

// Run writes what sessions have done, and removes what is too old or too much,
// until ctx ends.
func (r *Replays) Run(ctx context.Context) {
	var watching sync.WaitGroup
	watching.Go(func() { r.watch(ctx) })
	defer watching.Wait()
	records.Maintain(ctx, r.opts.Every, cleanEvery, r.Flush, r.clean, func(err error) {
		r.log.Warn("old replay data are still there", "err", err)
	})
}

// Flush writes what is to be written. What the store does not take stays for the
// next time.
func (r *Replays) Flush(ctx context.Context) {
	r.mu.Lock()
	all := slices.Collect(maps.Values(r.writers))
	r.mu.Unlock()
	failed := 0
	for _, w := range all {
		if err := w.flush(ctx); err != nil {
			failed++
			if ctx.Err() != nil {
				break
			}
			r.log.Debug("replay data wait for the store", "session", w.id, "err", err)
		}
	}
	if failed > 0 && ctx.Err() == nil {
		r.log.Warn("replay data wait for the store", "sessions", failed)
	}
}

// Load returns what is kept of a session, in the order in which it was begun.
func (r *Replays) Load(ctx context.Context, session string) (Session, []Entry, error) {
	r.mu.Lock()
	w := r.writers[session]
	r.mu.Unlock()
	if w != nil { // it has just ended
		if err := w.flush(ctx); err != nil {
			return Session{}, nil, fmt.Errorf("replays: %w", err)
		}
	}
	if fleet.CheckKey(session) != nil {
		return Session{}, nil, ErrNotFound
	}
	h, err := r.head(ctx, session)
	if err != nil {
		return Session{}, nil, err
	}
	parts, err := fleet.List(ctx, r.store, partPrefix+session+".")
	if err != nil {
		return Session{}, nil, fmt.Errorf("replays: %w", err)
	}
	slices.SortFunc(parts, func(a, b fleet.Record) int { // by their numbers
		return cmp.Or(cmp.Compare(len(a.Key), len(b.Key)), strings.Compare(a.Key, b.Key))
	})
	var all []Entry
	for _, p := range parts {
		var some []Entry
		if err := json.Unmarshal(p.Value, &some); err != nil {
			return Session{}, nil, fmt.Errorf("replays: %s: %w", p.Key, err)
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(a.Action.Timestamp, b.Action.Timestamp) })
	return h.Session, all, nil
}

func (r *Replays) head(ctx context.Context, session string) (*head, error) {
	record, err := r.store.Get(ctx, headPrefix+session)
	if errors.Is(err, fleet.ErrNotFound) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, session)
	}
	if err != nil {
		return nil, fmt.Errorf("replays: %w", err)
	}
	h := new(head)
	if err := json.Unmarshal(record.Value, h); err != nil {
		return nil, fmt.Errorf("replays: %s: %w", record.Key, err)
	}
	return h, nil
}

// clean removes what is too old, and the oldest where there is too much. Any node
// calls it.
func (r *Replays) clean(ctx context.Context) error {
	all, err := r.kept(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b kept) int { return b.Written.Compare(a.Written) }) // the latest first
	var bytes int64
	for i, one := range all {
		bytes += int64(one.Bytes)
		if time.Since(one.Written) <= r.opts.Keep && bytes <= r.opts.Bytes && i < r.opts.Sessions || r.writing(one.id) {
			continue
		}
		parts, err := fleet.List(ctx, r.store, partPrefix+one.id+".")
		if err == nil {
			err = fleet.Remove(ctx, r.store, append(parts, fleet.Record{Key: headPrefix + one.id, Revision: one.revision})...)
		}
		if err != nil {
			return fmt.Errorf("replays: %w", err)
		}
	}
	return nil
}

// A kept is a session of which something is kept.
type kept struct {
	id string
	*head
	revision uint64 // of the head, where the store was read
}

// kept returns the sessions that the store has. Heads that cannot be read are left out.
func (r *Replays) kept(ctx context.Context) (all []kept, _ error) {
	heads, err := fleet.List(ctx, r.store, headPrefix)
	if err != nil {
		return nil, fmt.Errorf("replays: %w", err)
	}
	for _, record := range heads {
		h := new(head)
		if json.Unmarshal(record.Value, h) == nil {
			all = append(all, kept{strings.TrimPrefix(record.Key, headPrefix), h, record.Revision})
		}
	}
	return all, nil
}

// writing reports whether a session is open at this process.
func (r *Replays) writing(session string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writers[session] != nil
}

// List returns the sessions of which something is kept, the latest first: those of an
// owner, or of all. Those that are open are among them.
func (r *Replays) List(ctx context.Context, owner string, all bool) (iter.Seq[Summary], error) {
	r.mu.Lock()
	ended := slices.Collect(maps.Values(r.writers))
	r.mu.Unlock()
	ended = slices.DeleteFunc(ended, func(w *Writer) bool { return !w.over.Load() })
	for _, w := range ended { // it has just ended
		if err := w.flush(ctx); err != nil {
			return nil, fmt.Errorf("replays: %w", err)
		}
	}
	list, watched := r.seen()
	if !watched {
		var err error
		if list, err = r.kept(ctx); err != nil {
			return nil, err
		}
	}
	list = slices.DeleteFunc(list, func(one kept) bool { return !all && one.Owner != owner })
	slices.SortFunc(list, func(a, b kept) int { return cmp.Or(b.Begun.Compare(a.Begun), cmp.Compare(a.id, b.id)) })
	return func(yield func(Summary) bool) {
		for _, one := range list {
			if !yield(Summary{ID: one.id, Session: one.Session, Ended: one.Ended, Latest: one.Latest}) {
				return
			}
		}
	}, nil
}

// Cut reports whether a session has not ended, as far as is kept of it, and no writer
// of this process has it: the process is gone that had it.
func (r *Replays) Cut(ctx context.Context, session, owner string) bool {
	if r.writing(session) {
		return false
	}
	h, err := r.head(ctx, session)
	return err == nil && h.Owner == owner && h.Ended.IsZero()
}

// seen returns the sessions that the watch has seen; false: the store is not watched.
func (r *Replays) seen() (all []kept, watched bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, h := range r.heads {
		all = append(all, kept{id: id, head: h})
	}
	return all, r.heads != nil
}

// note takes in what a writer has just written.
func (r *Replays) note(id string, h head) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.heads != nil {
		r.heads[id] = &h
	}
}

// watch sees which sessions there are, until ctx ends: a list is read far more often
// than a session ends.
func (r *Replays) watch(ctx context.Context) {
	for ctx.Err() == nil {
		found := map[string]*head{} // of this watch; protected by r.mu once it is r.heads
		stop, err := r.store.Watch(ctx, headPrefix, func(record fleet.Record) {
			id, h := strings.TrimPrefix(record.Key, headPrefix), new(head)
			r.mu.Lock()
			defer r.mu.Unlock()
			if record.Deleted || json.Unmarshal(record.Value, h) != nil {
				delete(found, id)
				return
			}
			if now := found[id]; now == nil || !now.Written.After(h.Written) {
				found[id] = h
			}
		})
		if err != nil {
			r.log.Debug("the sessions that are kept cannot be watched", "err", err)
			pause.For(ctx, r.opts.Every)
			continue
		}
		r.mu.Lock()
		r.heads = found
		r.mu.Unlock()
		<-ctx.Done()
		stop()
	}
	r.mu.Lock()
	r.heads = nil
	r.mu.Unlock()
}

// Begin makes the writer of a session. entries returns those that are over, in
// any order: all that the session remembers. The caller ends it.
func (r *Replays) Begin(id string, s Session, entries func() []Entry) *Writer {
	w := &Writer{replays: r, id: id, entries: entries, known: map[string]bool{}, head: head{Session: s}}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writers[id] = w
	return w
}
