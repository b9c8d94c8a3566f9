package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// RetryOptions refine [Retry]. The zero value makes up to four attempts,
// half a second and then twice as long apart, at most thirty seconds.
type RetryOptions struct {
	Attempts int           // the first included; 0 is 4
	First    time.Duration // the longest first pause; 0 is 500 ms
	Longest  time.Duration // no pause is longer, unless the provider says so; 0 is 30 s
}

// Retry repeats requests that may succeed later: those whose error is
// [llm.Error.Temporary]. Between two attempts it waits for a random part of a
// pause that doubles, or for as long as the provider said. It does not begin a
// wait that the context's deadline would cut off. An answer that has begun to
// stream is not repeated, nor what a [Breaker] held back.
//
// nil options are the defaults.
func Retry(opts *RetryOptions) Middleware {
	var r retry
	if opts != nil {
		r = retry(*opts)
	}
	r.Attempts = cmp.Or(r.Attempts, 4)
	r.First = cmp.Or(r.First, 500*time.Millisecond)
	r.Longest = cmp.Or(r.Longest, 30*time.Second)
	return func(m llm.Model) llm.Model {
		return intercept(func(ctx context.Context, _ *llm.Request, ask attempt) (*llm.Response, error) {
			for attempt := 1; ; attempt++ {
				resp, begun, err := ask(m)
				if err == nil {
					return resp, nil
				}
				if !begun {
					err = r.wait(ctx, attempt, err)
				}
				if err != nil {
					return nil, err
				}
			}
		}, m)
	}
}

// retry is [RetryOptions] without zeros.
type retry RetryOptions

// wait pauses before the next attempt. It returns the error to give up with.
func (r retry) wait(ctx context.Context, attempt int, failed error) error {
	e, ok := errors.AsType[*llm.Error](failed)
	if !ok || !e.Temporary() || ctx.Err() != nil || errors.Is(failed, ErrOpen) {
		return failed
	}
	if attempt >= r.Attempts {
		if attempt > 1 {
			return fmt.Errorf("after %d attempts: %w", attempt, failed)
		}
		return failed
	}
	wait := r.pause(attempt, e.RetryAfter)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return fmt.Errorf("no time is left to try again in %v: %w", wait.Round(time.Millisecond), failed)
	}
	if !pause.For(ctx, wait) {
		return fmt.Errorf("%w, while waiting to try again: %w", ctx.Err(), failed)
	}
	return nil
}

// pause is random, so that many who failed together do not come back together.
func (r retry) pause(attempt int, asked time.Duration) time.Duration {
	longest := r.Longest
	if shift := attempt - 1; shift < 30 {
		longest = min(longest, r.First<<shift)
	}
	if asked > 0 {
		return asked + rand.N(max(asked/10, 1)) // never sooner than asked
	}
	return longest/2 + rand.N(max(longest/2, 1))
}
