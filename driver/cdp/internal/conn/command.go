package conn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A Method is the name of a command of the protocol, tied to what the command
// takes, A, and to what it answers, R. Both are values as JSON; a
// json.RawMessage stands for itself.
type Method[A, R any] string

// None is what a command takes that takes nothing, and the answer that nobody reads.
type None struct{}

// Wire is an answer as it came: JSON, or CBOR where the link is binary.
type Wire []byte

// With returns the command with its arguments.
func (m Method[A, R]) With(args A) *Request[R] {
	_, raw := any((*R)(nil)).(*Wire)
	return &Request[R]{Call{method: string(m), params: args, raw: raw}}
}

// Do sends the command and waits for its answer.
func (m Method[A, R]) Do(ctx context.Context, s Sender, args A) (R, error) {
	r := m.With(args)
	if err := ctx.Err(); err != nil {
		return *new(R), fmt.Errorf("%s: %w", m, err)
	}
	if _, err := s.Start(ctx, r); err != nil {
		return *new(R), err
	}
	return r.Wait(ctx)
}

// A Sender is a [Session], or what embeds one.
type Sender interface {
	Start(ctx context.Context, commands ...Command) ([]*Call, error)
}

// A Command is a [Request] for any answer.
type Command interface {
	// OnAnswer has f called when the answer is there, on the reader
	// goroutine, before the caller and before any later message. If the session
	// ends before that, the goroutine that ends it calls f, perhaps beside the
	// reader. f must not wait for anything.
	OnAnswer(f func(err error))

	base() *Call
}

// A Request is a command that can be sent, once, and answers R.
type Request[R any] struct{ Call }

// Then is OnAnswer for a function that gets the answer.
func (r *Request[R]) Then(f func(R, error)) *Request[R] {
	r.then = func(raw []byte, err error) {
		var reply R
		if err == nil {
			reply, err = decode[R](r.method, raw)
		}
		f(reply, err)
	}
	return r
}

// Wait returns the answer to a command that was sent, as [Call.Wait] does.
func (r *Request[R]) Wait(ctx context.Context) (R, error) {
	raw, err := r.Call.Wait(ctx)
	if err != nil {
		return *new(R), err
	}
	return decode[R](r.method, raw)
}

// All sends requests in one write and waits for all. The answers are in the
// order of the requests, nil for those that failed; the error is that of the
// first that did.
func All[R any](ctx context.Context, s Sender, requests []*Request[R]) ([]*R, error) {
	commands := make([]Command, len(requests))
	for i, r := range requests {
		commands[i] = r
	}
	if _, err := s.Start(ctx, commands...); err != nil {
		return nil, err
	}
	replies := make([]*R, len(requests))
	var first error
	for i, r := range requests {
		reply, err := r.Wait(ctx)
		if err == nil {
			replies[i] = &reply
		}
		first = cmp.Or(first, err)
	}
	return replies, first
}

func decode[R any](method string, raw []byte) (R, error) {
	var reply R
	switch v := any(&reply).(type) {
	case *None:
	case *json.RawMessage:
		*v = raw
	case *Wire:
		*v = raw
	default:
		if err := json.Unmarshal(raw, v); err != nil {
			return reply, fmt.Errorf("%s: unexpected answer: %w", method, err)
		}
	}
	return reply, nil
}

// A Call is a command for any answer. From conn on, its fields are set when it is sent.
type Call struct {
	params any  // nil once it was sent
	raw    bool // the answer is wanted as it comes
	then   func(result []byte, err error)
	method string

	conn    *Conn
	session *Session
	id      int64

	done   chan struct{} // closed when the following are set
	result []byte
	err    error
}

func (p *Call) base() *Call { return p }

// OnAnswer implements [Command].
func (p *Call) OnAnswer(f func(err error)) { p.then = func(_ []byte, err error) { f(err) } }

func (p *Call) finish(result []byte, err error) {
	if p.then != nil {
		p.then(result, err)
	}
	p.result, p.err = result, err
	close(p.done)
}

// Wait returns the raw result. A call whose context ends is forgotten; what
// it asked for may still happen.
func (p *Call) Wait(ctx context.Context) ([]byte, error) {
	select {
	case <-p.done: // also where ctx has just ended
		return p.result, p.err
	default:
	}
	select {
	case <-p.done:
		return p.result, p.err
	case <-ctx.Done():
		p.Forget()
		return nil, fmt.Errorf("%s: %w", p.method, ctx.Err())
	case <-Limit(ctx):
		p.Forget()
		return nil, fmt.Errorf("%s: %w", p.method, ErrNoAnswer)
	}
}

// Forget takes a call off the list, so that its answer is thrown away. A hook
// still gets it.
func (p *Call) Forget() {
	if p.then != nil {
		return
	}
	p.conn.mu.Lock()
	defer p.conn.mu.Unlock()
	delete(p.conn.calls, p.id)
}

// Done is closed when the answer is there.
func (p *Call) Done() <-chan struct{} { return p.done }

// Method is the command's.
func (p *Call) Method() string { return p.method }

// Session is the session that it was sent to.
func (p *Call) Session() *Session { return p.session }

// Limit is ready once a call under ctx that begins now ends with [ErrNoAnswer]; it is nil
// where ctx has a deadline.
func Limit(ctx context.Context) <-chan time.Time {
	if _, ok := ctx.Deadline(); ok {
		return nil
	}
	return time.After(CommandLimit)
}

// ErrNoAnswer is the limit of a command under a context without a deadline.
var ErrNoAnswer = fmt.Errorf("the browser gave no answer within %v: %w", CommandLimit, context.DeadlineExceeded)
