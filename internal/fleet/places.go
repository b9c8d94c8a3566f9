package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// A place is one of those that an owner's jobs run in where [QueueOptions.Running]
// bounds them. It is taken before its job is claimed, and never given back: it is
// free once the job's record says so, in the same write that ends the claim.
// Revisions only grow, so that what an old reading calls free is free.
type place struct {
	Job  string `json:"j"`
	From uint64 `json:"r"` // the revision of the job's record that the claim replaces
}

// placesRecord is what the store has of an owner's places, those that are free
// by now among them.
type placesRecord struct {
	Owner  string  `json:"o,omitempty"`
	Places []place `json:"p,omitempty"`
}

// taken are the places of an owner as a queue knows them.
type taken struct {
	placesRecord
	revision uint64
}

// free reports whether a place is over, by what is known of its job, which may be
// nil. Until a claim of that job is written, the place is kept for it.
func (p place) free(e *entry) bool {
	return e != nil && e.revision > p.From && (e.record.State != Running || e.record.From != p.From)
}

// places are those of all owners, as one queue knows them.
type places struct {
	queue *Queue

	// The queue's mu protects what follows.
	known map[string]*taken // by their keys; none where nothing bounds them
	gone  map[place]bool    // those whose job was gone at the last Clean
}

// key is the key of an owner's places.
func (x *places) key(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return x.queue.key("places", hex.EncodeToString(sum[:12]))
}

// see takes in what the store has of an owner's places.
func (x *places) see(r Record) {
	var record placesRecord
	if !r.Deleted && !decode(r.Value, &record) {
		return // of a later version: what is written under an old revision fails
	}
	x.note(r.Key, taken{record, r.Revision}, r.Deleted)
}

func (x *places) note(key string, t taken, deleted bool) {
	x.queue.mu.Lock()
	defer x.queue.mu.Unlock()
	if now := x.known[key]; now != nil && now.revision >= t.revision {
		return
	}
	if deleted {
		delete(x.known, key)
	} else {
		x.known[key] = &t
	}
	x.queue.wake()
}

// allowed returns the job of an owner that may be claimed next: nil if it has as many
// at work as it may. A place whose claimer ended before it claimed anything is for
// its job alone. The queue's mu is held.
func (x *places) allowed(name string, one *owner) *entry {
	first := one.waiting[0]
	if x.queue.opts.Running <= 0 {
		return first
	}
	if one.running >= x.queue.opts.Running {
		return nil
	}
	t := x.known[x.key(name)]
	if t == nil {
		return first
	}
	held := 0
	var kept *entry
	for _, p := range t.Places {
		e := x.queue.jobs[p.Job]
		if p.free(e) {
			continue
		}
		held++
		if e != nil && e.revision == p.From && (kept == nil || order(e, kept) < 0) && slices.Contains(one.waiting, e) {
			kept = e
		}
	}
	if held < x.queue.opts.Running {
		return first
	}
	return kept
}

// placing returns the key of the places of a job's owner, and what is to be written
// there before the job is claimed: nil where it has its place, or needs none. The
// queue's mu is held.
func (x *places) placing(e *entry) (key string, next *taken) {
	if x.queue.opts.Running <= 0 {
		return "", nil
	}
	own := place{e.id, e.revision}
	key = x.key(e.record.Owner)
	next = &taken{placesRecord: placesRecord{Owner: e.record.Owner}}
	if t := x.known[key]; t != nil {
		next.revision = t.revision
		for _, p := range t.Places {
			if p == own {
				return key, nil
			}
			if !p.free(x.queue.jobs[p.Job]) {
				next.Places = append(next.Places, p)
			}
		}
	}
	next.Places = append(next.Places, own)
	return key, next
}

// take writes the places of an owner. ErrConflict: they have changed, and what they are
// is known now.
func (x *places) take(ctx context.Context, key string, next *taken) error {
	written, err := putJSON(ctx, x.queue.store, key, next.placesRecord, next.revision)
	if err == nil {
		x.note(key, taken{next.placesRecord, written}, false)
		return nil
	}
	// Where the answer was lost, the place may be there, which is as good as an
	// answer: then the next look at the places finds it.
	r, again := x.queue.store.Get(ctx, key)
	switch {
	case errors.Is(again, ErrNotFound):
		x.queue.mu.Lock()
		if t := x.known[key]; t != nil && t.revision == next.revision {
			delete(x.known, key)
		}
		x.queue.mu.Unlock()
		return err
	case again != nil:
		return again
	}
	x.see(r)
	if r.Revision > next.revision {
		return ErrConflict
	}
	if errors.Is(err, ErrConflict) {
		return fmt.Errorf("%w: the record reads as an old one", ErrUnavailable)
	}
	return err
}

// tidy removes places that are free. Those of jobs that are gone must have been so at
// the call before, too: each node sees a write in less time than that.
func (x *places) tidy(ctx context.Context) error {
	x.queue.mu.Lock()
	all := map[string]taken{}
	jobs := map[string]*entry{}
	for key, t := range x.known {
		all[key] = *t
		for _, p := range t.Places {
			if e := x.queue.jobs[p.Job]; e != nil {
				copied := *e
				jobs[p.Job] = &copied
			}
		}
	}
	before := x.gone
	x.gone = map[place]bool{}
	x.queue.mu.Unlock()
	for key, t := range all {
		next := taken{placesRecord{Owner: t.Owner}, t.revision}
		for _, p := range t.Places {
			e := jobs[p.Job]
			if e == nil {
				_, err := x.queue.store.Get(ctx, x.queue.key("job", p.Job))
				if err != nil && !errors.Is(err, ErrNotFound) {
					return err
				}
				if err != nil {
					x.queue.mu.Lock()
					x.gone[p] = true
					x.queue.mu.Unlock()
					if before[p] {
						continue
					}
				}
			}
			if !p.free(e) {
				next.Places = append(next.Places, p)
			}
		}
		if err := x.write(ctx, key, &t, next); err != nil && !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return nil
}

func (x *places) write(ctx context.Context, key string, was *taken, next taken) error {
	if len(next.Places) == len(was.Places) {
		return nil
	}
	if len(next.Places) == 0 {
		err := x.queue.store.Delete(ctx, key, was.revision)
		if err == nil {
			x.note(key, taken{revision: was.revision + 1}, true)
		}
		return err
	}
	written, err := putJSON(ctx, x.queue.store, key, next.placesRecord, was.revision)
	if err == nil {
		x.note(key, taken{next.placesRecord, written}, false)
	}
	return err
}

// placed reports whether a job stands among its owner's places. The queue's mu is held.
func (x *places) placed(e *entry) bool {
	t := x.known[x.key(e.record.Owner)]
	return t != nil && slices.ContainsFunc(t.Places, func(p place) bool { return p.Job == e.id })
}
