package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
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

// Take counts a session of a caller until free is called, which does not wait. limit
// is how many the caller may have at all nodes together; the error wraps [ErrKeyFull]
// where there are as many.
func (n *Node) Take(ctx context.Context, caller string, limit int) (free func(), _ error) {
	prefix := sharePrefix + caller + "."
	own := share{n.ID(), rand.Uint64()}
	raw, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	for {
		taken := map[string]fleet.Record{}
		stop, err := n.store.Watch(ctx, prefix, func(r fleet.Record) {
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
			if !there || n.abandoned(ctx, r) {
				key, revision = prefix+strconv.Itoa(i), r.Revision
				break
			}
		}
		if key == "" {
			return nil, fmt.Errorf("%w: %d", ErrKeyFull, limit)
		}
		revision, err = n.store.Put(ctx, key, raw, revision)
		switch {
		case err == nil:
			return func() { n.dropping.Go(func() { n.giveBack(key, own, revision) }) }, nil
		case !errors.Is(err, fleet.ErrConflict):
			n.dropping.Go(func() { n.giveBack(key, own, 0) }) // it may have been written
			return nil, fmt.Errorf("nodes: the sessions of a key: %w", err)
		}
		// Another node was first, at this place.
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
}

// abandoned reports whether a share is one of a node that is dead, in the store.
func (n *Node) abandoned(ctx context.Context, r fleet.Record) bool {
	var s share
	if json.Unmarshal(r.Value, &s) != nil {
		return false // of a later version
	}
	return s.Node != n.ID() && n.placer.Fence(ctx, s.Node) == nil
}

// giveBack removes a share, unless another node has it by now. It tries until that is
// known, or until the node ends, and the share with it.
func (n *Node) giveBack(key string, own share, revision uint64) {
	for pause.For(n.begun, 0) {
		ctx, cancel := context.WithTimeout(n.begun, dropTime)
		err := n.removeShare(ctx, key, own, revision)
		cancel()
		if err == nil || !pause.For(n.begun, time.Second) {
			return
		}
		n.log.Warn("a session that is over still counts for its key", "err", err)
	}
}

func (n *Node) removeShare(ctx context.Context, key string, own share, revision uint64) error {
	if revision == 0 {
		r, err := n.store.Get(ctx, key)
		if err != nil && !errors.Is(err, fleet.ErrNotFound) {
			return err
		}
		var now share
		if err != nil || json.Unmarshal(r.Value, &now) != nil || now != own {
			return nil // it was not written, or is another's
		}
		revision = r.Revision
	}
	return records.Remove(ctx, n.store, fleet.Record{Key: key, Revision: revision})
}
