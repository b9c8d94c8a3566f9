package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// ErrOpen: a [Breaker] held the request back. The error that wraps it is of
// KindUnavailable, and says when to come back.
var ErrOpen = errors.New("the breaker is open")

// A Breaker keeps requests from an endpoint that is down, so that it can
// recover and callers hear at once. It opens when a number of requests in a row
// found the endpoint unavailable or overloaded. After a pause it lets a single
// request through, and closes if the endpoint answers that, be it with an
// error about the request. Requests that their own context ended say nothing.
//
// A Breaker is shared by all models of one endpoint. Its limits are set before
// the first use; it may be used from several goroutines at once.
type Breaker struct {
	Failures int           // that open it; 0 is 5
	Pause    time.Duration // before the next try; 0 is 30 s

	mu      sync.Mutex // protects the fields below
	failed  int        // in a row
	until   time.Time  // zero while it is closed
	probing bool       // a request is let through to see
}

// Break holds a model's requests back while the breaker is open. A nil Breaker
// never opens.
func Break(b *Breaker) Middleware {
	if b == nil {
		return nil
	}
	return func(m llm.Model) llm.Model {
		return intercept(func(ctx context.Context, _ *llm.Request, ask attempt) (*llm.Response, error) {
			report, err := b.enter(m.Name())
			if err != nil {
				return nil, err
			}
			state := unknown // also when the model panics
			defer func() { report(state) }()
			resp, _, err := ask(m)
			state = healthOf(ctx, err)
			return resp, err
		}, m)
	}
}

// enter asks whether a request may go out. report takes how it went; it is
// called exactly once.
func (b *Breaker) enter(name string) (report func(health), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return b.reporter(false), nil
	}
	left := time.Until(b.until)
	if left > 0 || b.probing {
		provider, _, _ := strings.Cut(name, "/")
		return nil, &llm.Error{Provider: provider, Kind: llm.KindUnavailable, RetryAfter: max(left, 0), Err: ErrOpen,
			Message: fmt.Sprintf("%v after %d failures in a row", ErrOpen, b.failed)}
	}
	b.probing = true
	return b.reporter(true), nil
}

// reporter returns the function that takes in how a request went.
func (b *Breaker) reporter(probe bool) func(health) {
	return func(h health) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if probe {
			b.probing = false
		}
		switch {
		case h == answered && (probe || b.until.IsZero()):
			b.failed, b.until = 0, time.Time{}
		case h == down && (probe || b.until.IsZero()):
			b.failed++
			if b.failed >= cmp.Or(b.Failures, 5) {
				b.until = time.Now().Add(cmp.Or(b.Pause, 30*time.Second))
			}
		}
		// What was under way when it opened says nothing new.
	}
}

// A health is what a request shows of its endpoint.
type health int

const (
	unknown health = iota
	answered
	down
)

func healthOf(ctx context.Context, err error) health {
	e, ok := errors.AsType[*llm.Error](err)
	switch {
	case err == nil:
		return answered
	case ctx.Err() != nil || !ok:
		return unknown
	case e.Kind == llm.KindUnavailable || e.Kind == llm.KindOverloaded:
		return down
	default:
		return answered
	}
}
