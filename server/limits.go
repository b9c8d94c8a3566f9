package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/server/internal/ledger"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A holder is one key and what its holder uses.
type holder struct {
	digest [sha256.Size]byte // that of the key; it never changes
	ledger *ledger.Ledger    // nil: what is used is known here alone
	take   takePart          // nil: there are no other nodes

	mu       sync.Mutex // protects what follows
	key      Key
	sessions int
	minute   time.Time // when the count of requests began
	requests int
	part     part      // of a minute that is one for all nodes
	day      time.Time // whose budget it is
	budget   *middleware.Budget
}

func (h *holder) setKey(key Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.key.Limits.RequestsPerMinute != key.Limits.RequestsPerMinute {
		h.part.until = time.Time{}
	}
	h.key = key
	if h.budget != nil {
		h.budget.SetLimits(key.Limits.TokensPerDay, key.Limits.DollarsPerDay)
	}
}

// countRequest counts a request against the minute, which is one for all nodes
// where there are several.
func (h *holder) countRequest(ctx context.Context) error {
	if h.take != nil {
		return h.countShared(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	limit := h.key.Limits.RequestsPerMinute
	if limit <= 0 {
		return nil
	}
	now := time.Now()
	if passed := now.Sub(h.minute); passed >= time.Minute {
		h.minute, h.requests = now, 0
	}
	if h.requests >= limit {
		return requestsMade(limit, time.Minute-now.Sub(h.minute))
	}
	h.requests++
	return nil
}

// requestsMade is the answer to a key that has made its requests.
func requestsMade(limit int, rest time.Duration) *fault {
	return newFault(wire.RateLimited, "the key has made its %d requests of this minute", limit).later(rest, nil)
}

// takePart gets the next part of a caller's minute from what all nodes share.
type takePart func(ctx context.Context, caller string, limit int) (part int, until time.Time, _ error)

// A part is how many requests of a minute that is one for all nodes this server
// may let in.
type part struct {
	left   int
	until  time.Time // then it lapses
	last   bool      // the minute has no other
	asking *asking   // nil: the next was not asked for
}

// An asking is a call for the next part. All that need one wait for it.
type asking struct {
	done chan struct{}
	err  error // once done is closed
}

// askTime is how long a request may wait for the records of the nodes: longer
// than these take to find another leader.
const askTime = 5 * time.Second

func (h *holder) countShared(ctx context.Context) error {
	for {
		h.mu.Lock()
		limit, now := h.key.Limits.RequestsPerMinute, time.Now()
		current := now.Before(h.part.until)
		switch {
		case limit <= 0:
			h.mu.Unlock()
			return nil
		case current && h.part.left > 0:
			h.part.left--
			h.mu.Unlock()
			return nil
		case current && h.part.last:
			defer h.mu.Unlock()
			return requestsMade(limit, h.part.until.Sub(now))
		}
		a, first := h.part.asking, h.part.asking == nil
		if first {
			a = &asking{done: make(chan struct{})}
			h.part.asking = a
		}
		h.mu.Unlock()
		if first {
			h.ask(ctx, limit, a)
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if a.err != nil {
			return &fault{code: wire.NodeUnavailable, message: "the key's requests cannot be counted now; ask again", retry: time.Second, cause: a.err}
		}
	}
}

// ask gets the next part. Others wait for it, so that it does not end with the
// request that was the first to need it.
func (h *holder) ask(ctx context.Context, limit int, a *asking) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
	defer cancel()
	taken, until, err := h.take(ctx, h.caller(), limit)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.part.asking = nil
	if a.err = err; err == nil && limit == h.key.Limits.RequestsPerMinute {
		h.part.left, h.part.until, h.part.last = taken, until, taken == 0
	}
	close(a.done)
}

// openSession counts a session; closeSession takes it back.
func (h *holder) openSession() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if limit := h.key.Limits.Sessions; limit > 0 && h.sessions >= limit {
		return keyFull(limit, nodes.ErrKeyFull)
	}
	h.sessions++
	return nil
}

// keyFull is the answer to a key that has its sessions.
func keyFull(limit int, cause error) *fault {
	return newFault(wire.TooManySessions, "the key has its %d sessions; end one", limit).later(retrySessions, cause)
}

func (h *holder) closeSession() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions--
}

// spending returns the budget of today; nil if there is no limit.
func (h *holder) spending() *middleware.Budget {
	h.mu.Lock()
	defer h.mu.Unlock()
	limits := h.key.Limits
	if limits.TokensPerDay <= 0 && limits.DollarsPerDay <= 0 {
		return nil
	}
	if today := time.Now().UTC().Truncate(24 * time.Hour); h.budget == nil || !h.day.Equal(today) {
		h.day = today
		h.budget = new(middleware.Budget)
		if h.ledger != nil {
			h.budget = h.ledger.Budget(h.caller(), today)
		}
		h.budget.SetLimits(limits.TokensPerDay, limits.DollarsPerDay)
	}
	return h.budget
}

// retrySessions is the retry-after of a server that is full of sessions.
const retrySessions = 5 * time.Second

// now returns the key as the operator has last set it.
func (h *holder) now() Key {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.key
}

func (h *holder) name() string { return h.now().Name }

// operator reports whether the holder sees what all have. Without keys
// all callers are the same one.
func (h *holder) operator() bool { return h.now().Operator || h.caller() == "" }

// caller names a holder; empty is anyone.
func (h *holder) caller() string {
	if h.digest == [len(h.digest)]byte{} {
		return ""
	}
	return hex.EncodeToString(h.digest[:])
}

// spend has the work of a request count against its key's budget.
func (h *holder) spend(ctx context.Context) context.Context {
	if b := h.spending(); b != nil {
		return middleware.WithBudget(ctx, b)
	}
	return ctx
}
