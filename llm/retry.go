package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"
)

// RetryOptions refine [WithRetry]. The zero value makes up to four attempts,
// half a second and then twice as long apart, at most thirty seconds.
type RetryOptions struct {
	Attempts int           // the first included; 0 is 4
	First    time.Duration // the longest first pause; 0 is 500 ms
	Longest  time.Duration // no pause is longer, unless the provider says so; 0 is 30 s
}

// WithRetry returns the model with requests repeated that may succeed later:
// those whose error is [Error.Temporary]. Between two attempts it waits for a
// random part of a pause that doubles, or for as long as the provider said. It
// does not begin a wait that the context's deadline would cut off. An answer
// that has begun to stream is not repeated, nor what a [Breaker] held back.
//
// The result is a [Streamer] if the model is one. nil options are the defaults.
func WithRetry(m Model, opts *RetryOptions) Model {
	r := retry{model: m}
	if opts != nil {
		r.options = *opts
	}
	if r.options.Attempts == 0 {
		r.options.Attempts = 4
	}
	if r.options.First == 0 {
		r.options.First = 500 * time.Millisecond
	}
	if r.options.Longest == 0 {
		r.options.Longest = 30 * time.Second
	}
	if s, ok := m.(Streamer); ok {
		return &retryStream{r, s}
	}
	return &r
}

type retry struct {
	model   Model
	options RetryOptions
}

// Name is the model's own.
func (r *retry) Name() string { return r.model.Name() }

// Generate asks until there is an answer or an error that stays.
func (r *retry) Generate(ctx context.Context, req *Request) (*Response, error) {
	for attempt := 1; ; attempt++ {
		resp, err := r.model.Generate(ctx, req)
		if err == nil {
			return resp, nil
		}
		if err := r.wait(ctx, attempt, err); err != nil {
			return nil, err
		}
	}
}

// wait pauses before the next attempt. It returns the error to give up with.
func (r *retry) wait(ctx context.Context, attempt int, failed error) error {
	var e *Error
	if !errors.As(failed, &e) || !e.Temporary() || ctx.Err() != nil || errors.Is(failed, ErrOpen) {
		return failed
	}
	if attempt >= r.options.Attempts {
		if attempt > 1 {
			return fmt.Errorf("after %d attempts: %w", attempt, failed)
		}
		return failed
	}
	pause := r.pause(attempt, e.RetryAfter)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
		return fmt.Errorf("no time is left to try again in %v: %w", pause.Round(time.Millisecond), failed)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w, while waiting to try again: %w", ctx.Err(), failed)
	}
}

// pause is random, so that many who failed together do not come back together.
func (r *retry) pause(attempt int, asked time.Duration) time.Duration {
	longest := r.options.Longest
	if shift := attempt - 1; shift < 30 {
		longest = min(longest, r.options.First<<shift)
	}
	if asked > 0 {
		return asked + rand.N(max(asked/10, 1)) // never sooner than asked
	}
	return longest/2 + rand.N(max(longest/2, 1))
}

type retryStream struct {
	retry
	streamer Streamer
}

// Stream asks until an answer begins.
func (r *retryStream) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		for attempt := 1; ; attempt++ {
			begun := false
			var failed error
			for delta, err := range r.streamer.Stream(ctx, req) {
				if err != nil {
					failed = err
					break
				}
				begun = true
				if !yield(delta, nil) {
					return
				}
			}
			if failed == nil {
				return
			}
			if !begun {
				failed = r.wait(ctx, attempt, failed)
			}
			if failed != nil {
				yield(Delta{}, failed)
				return
			}
		}
	}
}
