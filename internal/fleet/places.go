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

// placesKey is the key of an owner's places.
func (q *Queue) placesKey(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return q.key("places", hex.EncodeToString(sum[:12]))
}

// seePlaces takes in what the store has of an owner's places.
func (q *Queue) seePlaces(r Record) {
	var record placesRecord
	if !r.Deleted && !decode(r.Value, &record) {
		return // of a later version: what is written under an old revision fails
	}
	q.notePlaces(r.Key, taken{record, r.Revision}, r.Deleted)
}

func (q *Queue) notePlaces(key string, t taken, deleted bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now := q.places[key]; now != nil && now.revision >= t.revision {
		return
	}
	if deleted {
		delete(q.places, key)
	} else {
		q.places[key] = &t
	}
	q.wake()
}

// allowed returns the job of an owner that may be claimed next: nil if it has as many
// at work as it may. A place whose claimer ended before it claimed anything is for
// its job alone. q.mu is held.
func (q *Queue) allowed(name string, one *owner) *entry {
	first := one.waiting[0]
	if q.opts.Running <= 0 {
		return first
	}
	if one.running >= q.opts.Running {
		return nil
	}
	t := q.places[q.placesKey(name)]
	if t == nil {
		return first
	}
	held := 0
	var kept *entry
	for _, p := range t.Places {
		e := q.jobs[p.Job]
		if p.free(e) {
			continue
		}
		held++
		if e != nil && e.revision == p.From && (kept == nil || order(e, kept) < 0) && slices.Contains(one.waiting, e) {
			kept = e
		}
	}
	if held < q.opts.Running {
		return first
	}
	return kept
}

// placing returns the key of the places of a job's owner, and what is to be written
// there before the job is claimed: nil where it has its place, or needs none. q.mu is
// held.
func (q *Queue) placing(e *entry) (key string, next *taken) {
	if q.opts.Running <= 0 {
		return "", nil
	}
	own := place{e.id, e.revision}
	key = q.placesKey(e.record.Owner)
	next = &taken{placesRecord: placesRecord{Owner: e.record.Owner}}
	if t := q.places[key]; t != nil {
		next.revision = t.revision
		for _, p := range t.Places {
			if p == own {
				return key, nil
			}
			if !p.free(q.jobs[p.Job]) {
				next.Places = append(next.Places, p)
			}
		}
	}
	next.Places = append(next.Places, own)
	return key, next
}

// take writes the places of an owner. ErrConflict: they have changed, and what they are
// is known now.
func (q *Queue) take(ctx context.Context, key string, next *taken) error {
	written, err := putJSON(ctx, q.store, key, next.placesRecord, next.revision)
	if err == nil {
		q.notePlaces(key, taken{next.placesRecord, written}, false)
		return nil
	}
	// Where the answer was lost, the place may be there, which is as good as an
	// answer: then the next look at the places finds it.
	r, again := q.store.Get(ctx, key)
	switch {
	case errors.Is(again, ErrNotFound):
		q.mu.Lock()
		if t := q.places[key]; t != nil && t.revision == next.revision {
			delete(q.places, key)
		}
		q.mu.Unlock()
		return err
	case again != nil:
		return again
	}
	q.seePlaces(r)
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
func (q *Queue) tidy(ctx context.Context) error {
	q.mu.Lock()
	all := map[string]taken{}
	known := map[string]*entry{}
	for key, t := range q.places {
		all[key] = *t
		for _, p := range t.Places {
			if e := q.jobs[p.Job]; e != nil {
				copied := *e
				known[p.Job] = &copied
			}
		}
	}
	before := q.gone
	q.gone = map[place]bool{}
	q.mu.Unlock()
	for key, t := range all {
		next := taken{placesRecord{Owner: t.Owner}, t.revision}
		for _, p := range t.Places {
			e := known[p.Job]
			if e == nil {
				_, err := q.store.Get(ctx, q.key("job", p.Job))
				if err != nil && !errors.Is(err, ErrNotFound) {
					return err
				}
				if err != nil {
					q.mu.Lock()
					q.gone[p] = true
					q.mu.Unlock()
					if before[p] {
						continue
					}
				}
			}
			if !p.free(e) {
				next.Places = append(next.Places, p)
			}
		}
		if err := q.writeTidied(ctx, key, &t, next); err != nil && !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return nil
}

func (q *Queue) writeTidied(ctx context.Context, key string, was *taken, next taken) error {
	if len(next.Places) == len(was.Places) {
		return nil
	}
	if len(next.Places) == 0 {
		err := q.store.Delete(ctx, key, was.revision)
		if err == nil {
			q.notePlaces(key, taken{revision: was.revision + 1}, true)
		}
		return err
	}
	written, err := putJSON(ctx, q.store, key, next.placesRecord, was.revision)
	if err == nil {
		q.notePlaces(key, taken{next.placesRecord, written}, false)
	}
	return err
}

// placed reports whether a job stands among its owner's places. q.mu is held.
func (q *Queue) placed(e *entry) bool {
	t := q.places[q.placesKey(e.record.Owner)]
	return t != nil && slices.ContainsFunc(t.Places, func(p place) bool { return p.Job == e.id })
}
