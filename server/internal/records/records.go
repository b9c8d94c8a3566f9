// Package records has what the keepers of a service's records share.
package records

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

// Maintain calls write every interval until ctx ends. It calls clean after the first write,
// and again after the first write that comes at least rarely later. It passes an error of
// clean to failed.
func Maintain(ctx context.Context, every, rarely time.Duration, write func(context.Context), clean func(context.Context) error, failed func(error)) {
	var cleaned time.Time
	for pause.For(ctx, every) {
		write(ctx)
		if time.Since(cleaned) < rarely {
			continue
		}
		cleaned = time.Now()
		if err := clean(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
}

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

// Sweep removes the records under a prefix that are old.
func Sweep(ctx context.Context, s fleet.Store, prefix string, old func(fleet.Record) bool) error {
	all, err := fleet.List(ctx, s, prefix)
	if err != nil {
		return err
	}
	return fleet.Remove(ctx, s, slices.DeleteFunc(all, func(r fleet.Record) bool { return !old(r) })...)
}
