package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Limit bounds what goes out with one key: the requests at once, and the
// tokens in a minute. Who comes first goes first; a request that is large does
// not let smaller ones by. Its limits are set before the first use; it may be
// used from several goroutines at once.
//
// Tokens are taken by an estimate when a request goes out, and set right by
// the answer's usage. After a quiet minute, a minute's tokens are there at once.
type Limit struct {
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

// WithLimit returns the model held to a limit. Waiting ends with the context;
// a wait for tokens that the context's deadline would cut off is not begun, and
// is an [Error] of KindRateLimited. The result is a [Streamer] if the model is
// one.
func WithLimit(m Model, l *Limit) Model {
	if s, ok := m.(Streamer); ok {
		return &limitedStream{limited{m, l}, s}
	}
	return &limited{m, l}
}

// enter waits for a place. leave gives it back; it is called exactly once.
func (l *Limit) enter(ctx context.Context, name string, estimate int) (leave func(used int), err error) {
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
			return nil, &Error{Provider: provider, Kind: KindRateLimited, RetryAfter: wait,
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
func (l *Limit) leave(taken, used float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.refill()
	l.tokens = min(l.tokens+taken-used, float64(l.TokensPerMinute))
	l.advance()
}

// refill adds the tokens that time has brought.
func (l *Limit) refill() {
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
func (l *Limit) waitFor(need float64) time.Duration {
	if l.TokensPerMinute == 0 {
		return 0
	}
	for _, t := range l.queue {
		need += t.need
	}
	return time.Duration((need - l.tokens) / float64(l.TokensPerMinute) * float64(time.Minute))
}

// advance lets those go whose turn it is, and sets the alarm for the next one.
func (l *Limit) advance() {
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

func (l *Limit) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refill()
	l.advance()
}

type limited struct {
	model Model
	limit *Limit
}

// Name is the model's own.
func (l *limited) Name() string { return l.model.Name() }

func (l *limited) enter(ctx context.Context, req *Request) (leave func(*Response, error), err error) {
	estimate := Estimate(req) + req.MaxOutputTokens
	give, err := l.limit.enter(ctx, l.Name(), estimate)
	if err != nil {
		return nil, err
	}
	return func(resp *Response, err error) {
		var refused *Error
		switch {
		case resp != nil && resp.Usage.Input+resp.Usage.Output > 0:
			give(resp.Usage.Input + resp.Usage.Output)
		case errors.As(err, &refused):
			give(0)
		default: // given up half-way, or a server that does not count
			give(estimate)
		}
	}, nil
}

// Generate asks when it is its turn.
func (l *limited) Generate(ctx context.Context, req *Request) (*Response, error) {
	leave, err := l.enter(ctx, req)
	if err != nil {
		return nil, err
	}
	var resp *Response
	defer func() { leave(resp, err) }() // also when the model panics
	resp, err = l.model.Generate(ctx, req)
	return resp, err
}

type limitedStream struct {
	limited
	streamer Streamer
}

// Stream asks when it is its turn. Its place is free again when the stream has
// ended or was left.
func (l *limitedStream) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		leave, err := l.enter(ctx, req)
		if err != nil {
			yield(Delta{}, err)
			return
		}
		var last *Response
		var failed error
		defer func() { leave(last, failed) }()
		for delta, err := range l.streamer.Stream(ctx, req) {
			last, failed = delta.Response, err
			if !yield(delta, err) {
				return
			}
		}
	}
}
