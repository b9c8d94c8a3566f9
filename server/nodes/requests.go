package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/server/internal/records"
)

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
func (n *Node) Requests(ctx context.Context, caller string, limit int) (part int, until time.Time, err error) {
	for {
		part, until, err = n.takeRequests(ctx, requestsPrefix+caller, limit)
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

func (n *Node) takeRequests(ctx context.Context, key string, limit int) (part int, until time.Time, _ error) {
	r, err := n.store.Get(ctx, key) // an older one only leads to ErrConflict: what a minute has taken never gets less
	if err != nil && !errors.Is(err, fleet.ErrNotFound) {
		return 0, time.Time{}, err
	}
	now := time.Now()
	m, passed := minuteAt(r, now)
	// Clocks differ: one that began in the future begins now.
	until = now.Add(time.Minute - max(passed, 0))
	sharing := min(max(len(n.placer.Nodes()), 1), mostSharing)
	part = min(max(limit/(partsOfNode*sharing), 1), limit-m.Taken)
	if part <= 0 {
		return 0, until, nil
	}
	m.Taken += part
	raw, err := json.Marshal(m)
	if err != nil {
		return 0, time.Time{}, err
	}
	if _, err := n.store.Put(ctx, key, raw, r.Revision); err != nil {
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
func (n *Node) cleanRequests(ctx context.Context, unused time.Duration) error {
	return records.Sweep(ctx, n.store, requestsPrefix, func(r fleet.Record) bool {
		var m minute
		return json.Unmarshal(r.Value, &m) != nil || time.Since(time.UnixMilli(m.Begin)) >= unused
	})
}
