package profiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

// A Hold is the right to one profile: no other opens it or changes it until Close, or
// until the process is gone. It may be used by any number of goroutines.
type Hold struct {
	profiles         *Profiles
	owner, key, name string
	id               string // of this hold, among all
	wake             chan struct{}

	reading sync.Mutex // held while the browser is asked; above mu
	saving  sync.Mutex // held while the store is asked; above mu

	mu       sync.Mutex // protects what follows
	state    *driver.StorageState
	head     head // as it was last written
	revision uint64
	saved    []byte // what the store has of state; nil: something else
	closed   bool
}

// Name is the profile's.
func (h *Hold) Name() string { return h.name }

// State is what the profile remembers, for [driver.BrowserOptions]. It must not be
// changed.
func (h *Hold) State() *driver.StorageState {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// Set has the profile remember something else. It is not saved yet.
func (h *Hold) Set(state *driver.StorageState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = merge(state, nil, nil)
}

// Read takes over what a browser remembers that was given State. It is not saved
// yet. Storage is read of origins that a page shows at the moment; of others it
// stays as it was: call it before a page is left.
func (h *Hold) Read(ctx context.Context, b driver.Browser) error {
	h.reading.Lock()
	defer h.reading.Unlock()
	asking, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	now, err := read(asking, b, h.State())
	if err != nil && ctx.Err() == nil { // a page that hangs does not tell of its storage
		if cookies, failed := b.Cookies(ctx); failed == nil {
			now, err = merge(h.State(), &driver.StorageState{Cookies: cookies}, nil), nil
		}
	}
	if err != nil {
		return fmt.Errorf("profiles: %q: %w", h.name, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = now
	return nil
}

// readLimit is how long pages may take to tell of their storage.
const readLimit = 3 * time.Second

// Save writes what the profile remembers, if the store has something else. What does
// not fit is left out of it, IndexedDB's largest databases first; [Info] says so. After
// ErrLost there is nothing more to save.
func (h *Hold) Save(ctx context.Context) error {
	h.saving.Lock()
	defer h.saving.Unlock()
	return h.save(ctx, false)
}

// save writes the state, and with release that the profile is free. h.saving is held.
func (h *Hold) save(ctx context.Context, release bool) error {
	h.mu.Lock()
	state, saved, next, closed := h.state, h.saved, h.head, h.closed
	h.mu.Unlock()
	if closed {
		return fmt.Errorf("%w: %q was closed", ErrLost, next.Name)
	}
	plain, missing, tooLarge := h.profiles.encodeFitting(state)
	if tooLarge != nil {
		plain = saved // what is kept stays
	} else {
		next.LeftOut = missing
	}
	unchanged := tooLarge != nil || bytes.Equal(plain, saved)
	if unchanged && !release {
		return tooLarge
	}
	if release {
		next.Held = nil
	}
	var written uint64
	err := h.insist(ctx, func(revision uint64) (err error) {
		attempt := next
		if unchanged {
			written, err = h.profiles.put(ctx, h.key, &attempt, revision)
		} else {
			written, err = h.profiles.write(ctx, h.owner, h.key, &attempt, plain, revision)
		}
		if err == nil {
			next = attempt
		}
		return err
	})
	if err != nil {
		return errors.Join(tooLarge, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.head, h.revision, h.saved, h.closed = next, written, plain, release
	return tooLarge
}

// insist writes under the revision that is known, and where that was overtaken by
// an earlier write of this hold, whose answer was lost, again.
func (h *Hold) insist(ctx context.Context, put func(revision uint64) error) error {
	for range mostTries {
		h.mu.Lock()
		revision := h.revision
		h.mu.Unlock()
		err := put(revision)
		if !errors.Is(err, fleet.ErrConflict) {
			return err
		}
		there, now, err := h.profiles.find(ctx, h.key, h.name)
		switch {
		case err == nil && there.Writer == h.id && there.Held == nil:
			return nil // it was given back
		case errors.Is(err, ErrNotFound), err == nil && there.Writer != h.id:
			return fmt.Errorf("%w: %q", ErrLost, h.name)
		case err != nil:
			return err
		case now <= revision:
			return fmt.Errorf("profiles: %q: %w: its record reads as an old one", h.name, fleet.ErrUnavailable)
		}
		h.mu.Lock()
		h.revision = now
		h.mu.Unlock()
	}
	return fmt.Errorf("profiles: %q: %w", h.name, fleet.ErrUnavailable)
}

// retryStore is how soon a store is asked again that could not be reached.
const retryStore = 200 * time.Millisecond

// Close saves what the profile remembers and gives it back. A store that cannot be
// reached is asked again until ctx ends. Whatever the error is, the profile can be
// had by this process again, and the last state that was saved is kept; others can
// have it once this process is gone. It may be called again, and then returns nil.
func (h *Hold) Close(ctx context.Context) error {
	h.saving.Lock()
	defer h.saving.Unlock()
	h.mu.Lock()
	closed := h.closed
	h.mu.Unlock()
	if closed {
		return nil
	}
	defer h.profiles.unreserve(h.key)
	var err error
	for {
		err = h.save(ctx, true)
		if !errors.Is(err, fleet.ErrUnavailable) || !pause.For(ctx, retryStore) {
			break
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	return err
}

// Touch says that what the browser remembers may have changed: see [Hold.Keep].
func (h *Hold) Touch() {
	select {
	case h.wake <- struct{}{}:
	default: // it is known
	}
}

// How soon after a reading Keep reads again, and after a write it writes again.
const (
	readAgain = 200 * time.Millisecond
	saveAgain = 2 * time.Second
)

// Keep reads what a browser remembers after each Touch, so that storage is known
// of pages that are left, and saves it, at most every two seconds: that much is
// lost when the process is killed. It returns when ctx has ended, or the hold is
// lost; what was read last may not be saved then.
func (h *Hold) Keep(ctx context.Context, b driver.Browser) {
	var last time.Time // when it was saved
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
			if err := h.Read(ctx, b); err != nil && ctx.Err() == nil {
				h.profiles.log.Debug("a browser does not say what it remembers", "profile", h.name, "err", err)
			}
			if due == nil {
				due = time.After(max(0, saveAgain-time.Since(last)))
			}
			if !pause.For(ctx, readAgain) {
				return
			}
		case <-due:
			due, last = nil, time.Now()
			err := h.Save(ctx)
			if err != nil && ctx.Err() == nil {
				h.profiles.log.Warn("a profile was not saved", "profile", h.name, "err", err)
			}
			if errors.Is(err, ErrLost) {
				return
			}
		}
	}
}
