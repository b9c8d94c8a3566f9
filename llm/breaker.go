package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"
)

// ErrOpen is wrapped by the error of a request that a [Breaker] held back. That
// error is of KindUnavailable, and says when to come back.
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

// WithBreaker returns the model behind a breaker. The result is a [Streamer] if
// the model is one.
func WithBreaker(m Model, b *Breaker) Model {
	if s, ok := m.(Streamer); ok {
		return &breakerStream{broken{m, b}, s}
	}
	return &broken{m, b}
}

// enter asks whether a request may go out. done tells how it went; it is
// called exactly once.
func (b *Breaker) enter(name string) (done func(outcome), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return b.done(false), nil
	}
	left := time.Until(b.until)
	if left > 0 || b.probing {
		provider, _, _ := strings.Cut(name, "/")
		return nil, &Error{Provider: provider, Kind: KindUnavailable, RetryAfter: max(left, 0), Err: ErrOpen,
			Message: fmt.Sprintf("%v after %d failures in a row", ErrOpen, b.failed)}
	}
	b.probing = true
	return b.done(true), nil
}

// done returns the function that takes in how a request went.
func (b *Breaker) done(probe bool) func(outcome) {
	return func(o outcome) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if probe {
			b.probing = false
		}
		switch {
		case o == answered && (probe || b.until.IsZero()):
			b.failed, b.until = 0, time.Time{}
		case o == down && (probe || b.until.IsZero()):
			b.failed++
			if b.failed >= orDefault(b.Failures, 5) {
				b.until = time.Now().Add(orDefault(b.Pause, 30*time.Second))
			}
		}
		// What was under way when it opened says nothing new.
	}
}

func orDefault[T int | time.Duration](value, otherwise T) T {
	if value == 0 {
		return otherwise
	}
	return value
}

// An outcome is what a request tells about its endpoint.
type outcome int

const (
	unknown outcome = iota
	answered
	down
)

func outcomeOf(ctx context.Context, err error) outcome {
	var e *Error
	switch {
	case err == nil:
		return answered
	case ctx.Err() != nil || !errors.As(err, &e):
		return unknown
	case e.Kind == KindUnavailable || e.Kind == KindOverloaded:
		return down
	default:
		return answered
	}
}

type broken struct {
	model   Model
	breaker *Breaker
}

// Name is the model's own.
func (b *broken) Name() string { return b.model.Name() }

// Generate asks if the breaker lets it.
func (b *broken) Generate(ctx context.Context, req *Request) (*Response, error) {
	done, err := b.breaker.enter(b.Name())
	if err != nil {
		return nil, err
	}
	told := unknown // also when the model panics
	defer func() { done(told) }()
	resp, err := b.model.Generate(ctx, req)
	told = outcomeOf(ctx, err)
	return resp, err
}

type breakerStream struct {
	broken
	streamer Streamer
}

// Stream asks if the breaker lets it.
func (b *breakerStream) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		done, err := b.breaker.enter(b.Name())
		if err != nil {
			yield(Delta{}, err)
			return
		}
		told := unknown
		defer func() { done(told) }()
		for delta, err := range b.streamer.Stream(ctx, req) {
			told = outcomeOf(ctx, err)
			if !yield(delta, err) {
				return
			}
		}
	}
}
