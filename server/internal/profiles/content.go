package profiles

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

const (
	// inHead is how many sealed bytes stand in a profile's head.
	inHead = 32 << 10
	// partSize is how many stand in a record of their own.
	partSize = 512 << 10
	// A part that was written before its head may reach a store's reader after
	// it: so often, and so long, it is asked for.
	partTries = 10
	partWait  = 100 * time.Millisecond
)

// A vault reads and writes profiles, sealed, in records of a store.
type vault struct {
	store Store
	keys  *Keys
	opts  Options
	log   *slog.Logger
}

// encode writes what a profile remembers, and says how much of IndexedDB that does
// not have.
func (v *vault) encode(state *driver.StorageState) (plain []byte, missing int, err error) {
	merged := merge(state, nil, nil)
	plain, err = json.Marshal(merged)
	if err == nil && len(plain) > v.opts.MaxBytes {
		err = fmt.Errorf("%w: %d bytes, and a profile has up to %d", ErrTooLarge, len(plain), v.opts.MaxBytes)
	}
	return plain, leftOut(merged), err
}

// encodeFitting does so without the databases for which there is no place: a site
// that keeps much in one does not cost the rest of a profile.
func (v *vault) encodeFitting(state *driver.StorageState) (plain []byte, missing int, err error) {
	plain, missing, err = v.encode(state)
	for excess := 0; errors.Is(err, ErrTooLarge); {
		excess += len(plain) - v.opts.MaxBytes
		before := len(plain)
		if plain, missing, err = v.encode(fitting(state, excess)); len(plain) == before {
			break // it has no more
		}
	}
	return plain, missing, err
}

// write seals a profile and writes it over that of a revision. h becomes what the
// store has.
func (v *vault) write(ctx context.Context, owner, key string, h *head, plain []byte, revision uint64) (uint64, error) {
	sealed, err := v.keys.Seal(plain, "profile", owner, h.Name)
	if err != nil {
		return 0, fmt.Errorf("profiles: %w", err)
	}
	before := h.Parts
	h.Saved, h.Size, h.Sealed, h.Write, h.Parts = time.Now().UTC(), len(plain), sealed, "", 0
	if len(sealed) > inHead {
		h.Sealed, h.Write = nil, strings.ToLower(rand.Text())
		for ; len(sealed) > 0; h.Parts++ {
			n := min(len(sealed), partSize)
			if _, err := v.store.Put(ctx, partKey(key, h.Write, h.Parts), sealed[:n], 0); err != nil {
				return 0, fmt.Errorf("profiles: %q: %w", h.Name, err)
			}
			sealed = sealed[n:]
		}
	}
	written, err := v.put(ctx, key, h, revision)
	switch {
	case err == nil && (before > 0 || h.Parts > 0):
		v.clean(ctx, key, func(write string) bool { return write != h.Write })
	case errors.Is(err, fleet.ErrConflict) && h.Parts > 0:
		v.clean(ctx, key, func(write string) bool { return write == h.Write })
	}
	return written, err
}

func (v *vault) put(ctx context.Context, key string, h *head, revision uint64) (uint64, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	written, err := v.store.Put(ctx, key, raw, revision)
	if err != nil {
		return 0, fmt.Errorf("profiles: %q: %w", h.Name, err)
	}
	return written, nil
}

func partKey(key, write string, n int) string {
	return fmt.Sprintf("%s%s.%s.%d", partPrefix, strings.TrimPrefix(key, headPrefix), write, n)
}

// clean removes the parts of a profile that are of no use. What stays because the
// store cannot be reached goes with a later one.
func (v *vault) clean(ctx context.Context, key string, useless func(write string) bool) {
	prefix := partPrefix + strings.TrimPrefix(key, headPrefix) + "."
	parts, err := v.store.List(ctx, prefix)
	for _, r := range parts {
		write, _, _ := strings.Cut(strings.TrimPrefix(r.Key, prefix), ".")
		if err == nil && useless(write) {
			err = fleet.Remove(ctx, v.store, r)
		}
	}
	if err != nil {
		v.log.Warn("parts of a profile are still there", "err", err)
	}
}

// open reads what a profile remembered at a revision; [fleet.ErrConflict] says
// that another write has taken its place. current: it was sealed with the first
// key.
func (v *vault) open(ctx context.Context, owner, key string, h *head, revision uint64) (plain []byte, current bool, _ error) {
	sealed := h.Sealed
	for n := range h.Parts {
		part, err := v.part(ctx, partKey(key, h.Write, n))
		if errors.Is(err, fleet.ErrNotFound) {
			if _, now, again := v.find(ctx, key, h.Name); again == nil && now != revision {
				return nil, false, fmt.Errorf("profiles: %q: %w", h.Name, fleet.ErrConflict)
			}
			return nil, false, fmt.Errorf("profile %q: %w: a part of it is missing", h.Name, ErrDamaged)
		}
		if err != nil {
			return nil, false, fmt.Errorf("profiles: %q: %w", h.Name, err)
		}
		sealed = append(sealed, part...)
	}
	plain, err := v.keys.Open(sealed, "profile", owner, h.Name)
	if err != nil {
		return nil, false, fmt.Errorf("profile %q: %w", h.Name, err)
	}
	return plain, v.keys.current(sealed), nil
}

func (v *vault) part(ctx context.Context, key string) ([]byte, error) {
	for try := 1; ; try++ {
		r, err := v.store.Get(ctx, key)
		if !errors.Is(err, fleet.ErrNotFound) || try == partTries || !pause.For(ctx, partWait) {
			return r.Value, err
		}
	}
}

func decodeState(plain []byte) (*driver.StorageState, error) {
	state := new(driver.StorageState)
	if err := json.Unmarshal(plain, state); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return state, nil
}

// find reads a profile's head.
func (v *vault) find(ctx context.Context, key, name string) (*head, uint64, error) {
	r, err := v.store.Get(ctx, key)
	if errors.Is(err, fleet.ErrNotFound) {
		return nil, 0, fmt.Errorf("%w: %q", ErrNotFound, name)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("profiles: %q: %w", name, err)
	}
	h := new(head)
	if err := json.Unmarshal(r.Value, h); err != nil || h.Name != name {
		return nil, 0, fmt.Errorf("profile %q: %w", name, ErrDamaged)
	}
	return h, r.Revision, nil
}
