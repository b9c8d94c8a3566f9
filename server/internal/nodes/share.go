package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/server/internal/records"
)

// A share is one of the places that a key has over all nodes, while it is taken:
// the record share.KEY.NUMBER. There are as many as the key may have sessions, so
// that no two nodes can together give it one more. One of a node that is dead can
// be had.
type share struct {
	Node  fleet.NodeID `json:"n"`
	Nonce uint64       `json:"o"` // of the call that took it
}

const sharePrefix = "share."

// shared is what the nodes count together, by their records: a key's sessions, and its
// requests of a minute.
type shared struct {
	log      *slog.Logger
	store    fleet.Store
	placer   *fleet.Placer
	self     func() fleet.NodeID
	dropping sync.WaitGroup
	begun    context.Context // ends with the node's Close
	end      context.CancelFunc
}

// Take counts a session of a caller until free is called, which does not wait. limit
// is how many the caller may have at all nodes together; the error wraps [ErrKeyFull]
// where there are as many.
func (s *shared) Take(ctx context.Context, caller string, limit int) (free func(), _ error) {
	prefix := sharePrefix + caller + "."
	own := share{s.self(), rand.Uint64()}
	raw, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	for {
		taken := map[string]fleet.Record{}
		stop, err := s.store.Watch(ctx, prefix, func(r fleet.Record) {
			taken[r.Key] = r
			if r.Deleted {
				delete(taken, r.Key)
			}
		})
		if err != nil {
			return nil, fmt.Errorf("nodes: the sessions of a key: %w", err)
		}
		stop()
		key, revision := "", uint64(0)
		for i := range limit {
			r, there := taken[prefix+strconv.Itoa(i)]
			if !there || s.abandoned(ctx, r) {
				key, revision = prefix+strconv.Itoa(i), r.Revision
				break
			}
		}
		if key == "" {
			return nil, fmt.Errorf("%w: %d", ErrKeyFull, limit)
		}
		revision, err = s.store.Put(ctx, key, raw, revision)
		switch {
		case err == nil:
			return func() { s.dropping.Go(func() { s.giveBack(key, own, revision) }) }, nil
		case !errors.Is(err, fleet.ErrConflict):
			s.dropping.Go(func() { s.giveBack(key, own, 0) }) // it may have been written
			return nil, fmt.Errorf("nodes: the sessions of a key: %w", err)
		}
		// Another node was first, at this place.
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
}

// abandoned reports whether a share is one of a node that is dead, in the store.
func (s *shared) abandoned(ctx context.Context, r fleet.Record) bool {
	var one share
	if json.Unmarshal(r.Value, &one) != nil {
		return false // of a later version
	}
	return one.Node != s.self() && s.placer.Fence(ctx, one.Node) == nil
}

// giveBack removes a share, unless another node has it by now. It tries until that is
// known, or until the node ends, and the share with it.
func (s *shared) giveBack(key string, own share, revision uint64) {
	for pause.For(s.begun, 0) {
		ctx, cancel := context.WithTimeout(s.begun, dropTime)
		err := s.removeShare(ctx, key, own, revision)
		cancel()
		if err == nil || !pause.For(s.begun, time.Second) {
			return
		}
		s.log.Warn("a session that is over still counts for its key", "err", err)
	}
}

func (s *shared) removeShare(ctx context.Context, key string, own share, revision uint64) error {
	if revision == 0 {
		r, err := s.store.Get(ctx, key)
		if err != nil && !errors.Is(err, fleet.ErrNotFound) {
			return err
		}
		var now share
		if err != nil || json.Unmarshal(r.Value, &now) != nil || now != own {
			return nil // it was not written, or is another's
		}
		revision = r.Revision
	}
	return fleet.Remove(ctx, s.store, fleet.Record{Key: key, Revision: revision})
}

// A minute is what the nodes have taken of a key's requests of one minute: the record
// requests.KEY, which the first node that needs more after its end begins anew. A
// node writes how many it takes before it lets them in. So the nodes together never
// exceed the limit, and a lost answer costs requests and gives none away. What a node
// has taken and not used lapses.
type minute struct {
	Begin int64 `json:"b"` // ms since 1970, by the clock of the node that began it
	Taken int   `json:"n"`
}

const (
	requestsPrefix = "requests."
	// partsOfNode is how many parts each of mostSharing nodes could take: what one
	// of them can leave unused of a minute is less than a part.
	partsOfNode = 10
	mostSharing = 10
	askAgain    = 50 * time.Millisecond // after the store has failed
)

// Requests takes a part of the requests that a caller may make in a minute at all nodes
// together, for this node to let in until the minute is over. No part is left in it
// where that is 0. It tries until ctx ends.
func (s *shared) Requests(ctx context.Context, caller string, limit int) (part int, until time.Time, err error) {
	for {
		part, until, err = s.takeRequests(ctx, requestsPrefix+caller, limit)
		if err == nil {
			return part, until, nil
		}
		wait := askAgain
		if errors.Is(err, fleet.ErrConflict) {
			wait = 0 // another node was first
		}
		if !pause.For(ctx, wait) {
			return 0, time.Time{}, fmt.Errorf("nodes: the requests of a key: %w", err)
		}
	}
}

func (s *shared) takeRequests(ctx context.Context, key string, limit int) (part int, until time.Time, _ error) {
	r, err := s.store.Get(ctx, key) // an older one only leads to ErrConflict: what a minute has taken never gets less
	if err != nil && !errors.Is(err, fleet.ErrNotFound) {
		return 0, time.Time{}, err
	}
	now := time.Now()
	m, passed := minuteAt(r, now)
	// Clocks differ: one that began in the future begins now.
	until = now.Add(time.Minute - max(passed, 0))
	sharing := min(max(len(s.placer.Nodes()), 1), mostSharing)
	part = min(max(limit/(partsOfNode*sharing), 1), limit-m.Taken)
	if part <= 0 {
		return 0, until, nil
	}
	m.Taken += part
	raw, err := json.Marshal(m)
	if err != nil {
		return 0, time.Time{}, err
	}
	if _, err := s.store.Put(ctx, key, raw, r.Revision); err != nil {
		return 0, time.Time{}, err
	}
	return part, until, nil
}

// minuteAt returns the minute of a record, and how much of it has passed; a new
// one if it is over, cannot be read, or is of a clock that is no guide.
func minuteAt(r fleet.Record, now time.Time) (m minute, passed time.Duration) {
	if json.Unmarshal(r.Value, &m) == nil && m.Taken >= 0 {
		if passed = now.Sub(time.UnixMilli(m.Begin)); passed > -time.Minute && passed < time.Minute {
			return m, passed
		}
	}
	return minute{Begin: now.UnixMilli()}, 0
}

// cleanRequests removes the records of keys that were not used for so long.
func (s *shared) cleanRequests(ctx context.Context, unused time.Duration) error {
	return records.Sweep(ctx, s.store, requestsPrefix, func(r fleet.Record) bool {
		var m minute
		return json.Unmarshal(r.Value, &m) != nil || time.Since(time.UnixMilli(m.Begin)) >= unused
	})
}
