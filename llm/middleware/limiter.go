package middleware

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Limiter bounds what goes out with one key: the requests at once, and the
// tokens in a minute. Who comes first goes first; a request that is large does
// not let smaller ones by. Its limits are set before the first use; it may be
// used from several goroutines at once.
//
// Tokens are taken by an estimate when a request goes out, and set right by
// the answer's usage. After a quiet minute, a minute's tokens are there at once.
type Limiter struct {
	Requests        int // at once; 0 is no limit
	TokensPerMinute int // in and out together; 0 is no limit

	mu      sync.Mutex // protects the fields below
	running int
	tokens  float64   // that are there; below zero after an answer that was longer than estimated
	at      time.Time // when tokens was right; zero before the first use
	queue   []*turn
	alarm   *time.Timer // when there are tokens for the first in the queue
}

// A turn is a request that waits.
type turn struct {
	need  float64
	begun chan struct{} // closed when it may go out
}

// Limit has a model's requests wait for their turn. Waiting ends with the
// context; a wait for tokens that the context's deadline would cut off is not
// begun, and is an [llm.Error] of [llm.KindRateLimited]. A stream's place is
// free again when the stream has ended or was left. A nil Limiter is no limit.
func Limit(l *Limiter) Middleware {
	if l == nil {
		return nil
	}
	return func(m llm.Model) llm.Model {
		return intercept(func(ctx context.Context, req *llm.Request, ask attempt) (resp *llm.Response, err error) {
			estimate := llm.Estimate(req) + req.MaxOutputTokens
			leave, err := l.enter(ctx, m.Name(), estimate)
			if err != nil {
				return nil, err
			}
			defer func() { leave(taken(resp, err, estimate)) }() // also when the model panics
			resp, _, err = ask(m)
			return resp, err
		}, m)
	}
}

// taken is how many tokens a request took.
func taken(resp *llm.Response, err error, estimate int) int {
	_, refused := errors.AsType[*llm.Error](err)
	switch {
	case resp != nil && resp.Usage.Input+resp.Usage.Output > 0:
		return resp.Usage.Input + resp.Usage.Output
	case refused:
		return 0
	default: // given up half-way, or a server that does not count
		return estimate
	}
}

// enter waits for a place. leave gives it back; it is called exactly once.
func (l *Limiter) enter(ctx context.Context, name string, estimate int) (leave func(used int), err error) {
	provider, _, _ := strings.Cut(name, "/")
	need := float64(estimate)
	if l.TokensPerMinute > 0 {
		need = min(need, float64(l.TokensPerMinute)) // what is larger goes when all are there
	}
	l.mu.Lock()
	l.refill()
	if wait := l.waitFor(need); wait > 0 {
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			l.mu.Unlock()
			return nil, &llm.Error{Provider: provider, Kind: llm.KindRateLimited, RetryAfter: wait,
				Message: fmt.Sprintf("the limit of %d tokens a minute leaves no room before the deadline", l.TokensPerMinute)}
		}
	}
	t := &turn{need: need, begun: make(chan struct{})}
	l.queue = append(l.queue, t)
	l.advance()
	l.mu.Unlock()
	leave = func(used int) { l.leave(need, float64(used)) }
	select {
	case <-t.begun:
		return leave, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	i := slices.Index(l.queue, t)
	if i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
		l.advance()
	}
	l.mu.Unlock()
	if i < 0 { // its turn came at the same moment
		leave(0)
	}
	return nil, fmt.Errorf("%s: while waiting for its turn: %w", provider, ctx.Err())
}

// leave gives a place back, and sets the tokens right.
func (l *Limiter) leave(taken, used float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.refill()
	l.tokens = min(l.tokens+taken-used, float64(l.TokensPerMinute))
	l.advance()
}

// refill adds the tokens that have accrued since.
func (l *Limiter) refill() {
	now := time.Now()
	if l.at.IsZero() {
		l.tokens = float64(l.TokensPerMinute)
	} else {
		l.tokens = min(l.tokens+now.Sub(l.at).Minutes()*float64(l.TokensPerMinute), float64(l.TokensPerMinute))
	}
	l.at = now
}

// waitFor returns how long it takes at least until there are tokens for one
// more request behind those that wait.
func (l *Limiter) waitFor(need float64) time.Duration {
	if l.TokensPerMinute == 0 {
		return 0
	}
	for _, t := range l.queue {
		need += t.need
	}
	return time.Duration((need - l.tokens) / float64(l.TokensPerMinute) * float64(time.Minute))
}

// advance lets those go whose turn it is, and sets the alarm for the next one.
func (l *Limiter) advance() {
	if l.alarm != nil {
		l.alarm.Stop()
		l.alarm = nil
	}
	for len(l.queue) > 0 {
		first := l.queue[0]
		if l.Requests > 0 && l.running >= l.Requests {
			return // who leaves advances
		}
		if l.TokensPerMinute > 0 && l.tokens < first.need {
			missing := (first.need - l.tokens) / float64(l.TokensPerMinute)
			l.alarm = time.AfterFunc(time.Duration(missing*float64(time.Minute))+time.Millisecond, l.wake)
			return
		}
		l.queue = slices.Delete(l.queue, 0, 1)
		l.tokens -= first.need
		l.running++
		close(first.begun)
	}
}

func (l *Limiter) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refill()
	l.advance()
}
