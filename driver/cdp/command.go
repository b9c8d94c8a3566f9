package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A command is a method of the protocol with its parameters: a value to be
// encoded as JSON, or a json.RawMessage, or nil.
type command struct {
	method string
	params any

	// then, if set, is called with the answer on the reader goroutine, before
	// the caller and before any later message. It must not wait for anything.
	then func(result []byte, err error)
}

func (c *command) encode() ([]byte, error) {
	switch p := c.params.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return p, nil
	default:
		body, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.method, err)
		}
		return body, nil
	}
}

// A pending is a command that was sent.
type pending struct {
	mux     *mux
	session *session
	id      int64
	method  string
	then    func(result []byte, err error)

	done   chan struct{} // closed when the following are set
	result []byte
	err    error
}

func (p *pending) finish(result []byte, err error) {
	if p.then != nil {
		p.then(result, err)
	}
	p.result, p.err = result, err
	close(p.done)
}

// wait returns the raw result. A call whose context ends is forgotten; what
// it asked for may still happen.
func (p *pending) wait(ctx context.Context) ([]byte, error) {
	select {
	case <-p.done: // also where ctx has just ended
		return p.result, p.err
	default:
	}
	var limit <-chan time.Time
	if _, ok := ctx.Deadline(); !ok {
		t := time.NewTimer(commandLimit)
		defer t.Stop()
		limit = t.C
	}
	select {
	case <-p.done:
		return p.result, p.err
	case <-ctx.Done():
		p.forget()
		return nil, fmt.Errorf("%s: %w", p.method, ctx.Err())
	case <-limit:
		p.forget()
		return nil, fmt.Errorf("%s: %w", p.method, errNoAnswer)
	}
}

// forget takes a call off the list, so that its answer is thrown away. A hook
// still gets it.
func (p *pending) forget() {
	if p.then != nil {
		return
	}
	p.mux.mu.Lock()
	defer p.mux.mu.Unlock()
	delete(p.mux.calls, p.id)
}
