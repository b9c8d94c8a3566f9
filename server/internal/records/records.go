// Package records has what the keepers of a service's records share.
package records

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// Put writes v as JSON at a key that has no other writer. A record of another revision
// there is an earlier write whose answer was lost, and is overwritten; so is none, which
// was cleaned away.
func Put(ctx context.Context, s fleet.Store, key string, v any, revision uint64) (uint64, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	written, err := s.Put(ctx, key, raw, revision)
	if !errors.Is(err, fleet.ErrConflict) {
		return written, err
	}
	there, err := s.Get(ctx, key)
	if err != nil && !errors.Is(err, fleet.ErrNotFound) {
		return 0, err
	}
	return s.Put(ctx, key, raw, there.Revision)
}

// A Deleter is what Remove needs of a store.
type Deleter interface {
	Delete(ctx context.Context, key string, revision uint64) error
}

// Remove removes records as they were read. What another has removed or written meanwhile
// is left to it, so that all nodes may sweep at once.
func Remove(ctx context.Context, s Deleter, all ...fleet.Record) error {
	for _, r := range all {
		if err := s.Delete(ctx, r.Key, r.Revision); err != nil && !errors.Is(err, fleet.ErrConflict) && !errors.Is(err, fleet.ErrNotFound) {
			return err
		}
	}
	return nil
}

// Sweep removes the records under a prefix that are old.
func Sweep(ctx context.Context, s fleet.Store, prefix string, old func(fleet.Record) bool) error {
	all, err := fleet.List(ctx, s, prefix)
	if err != nil {
		return err
	}
	return Remove(ctx, s, slices.DeleteFunc(all, func(r fleet.Record) bool { return !old(r) })...)
}
