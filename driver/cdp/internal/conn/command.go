package conn

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A Command is a method of the protocol with its parameters: a value to be
// encoded as JSON, or a json.RawMessage, or nil.
type Command struct {
	Method string
	Params any

	// Then, if set, is called with the answer on the reader goroutine, before
	// the caller and before any later message. It must not wait for anything.
	Then func(result []byte, err error)
}

func (c *Command) encode() ([]byte, error) {
	switch p := c.Params.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return p, nil
	default:
		body, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Method, err)
		}
		return body, nil
	}
}

// A Call is a command that was sent.
type Call struct {
	conn    *Conn
	session *Session
	id      int64
	method  string
	then    func(result []byte, err error)

	done   chan struct{} // closed when the following are set
	result []byte
	err    error
}

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
	var limit <-chan time.Time
	if _, ok := ctx.Deadline(); !ok {
		t := time.NewTimer(CommandLimit)
		defer t.Stop()
		limit = t.C
	}
	select {
	case <-p.done:
		return p.result, p.err
	case <-ctx.Done():
		p.Forget()
		return nil, fmt.Errorf("%s: %w", p.method, ctx.Err())
	case <-limit:
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

// ErrNoAnswer is the limit of a command under a context without a deadline.
var ErrNoAnswer = fmt.Errorf("the browser gave no answer within %v: %w", CommandLimit, context.DeadlineExceeded)
