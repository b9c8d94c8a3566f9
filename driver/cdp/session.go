package cdp

import (
	"context"
	"encoding/json"
	"fmt"
)

// A session is Chrome's word for a channel to one target: a page, a frame in
// a process of its own, a worker, or with an empty id the browser itself. All
// sessions share the connection.
type session struct {
	mux    *mux
	id     string
	target string
	kind   string // of the target: "page", "iframe", "worker" …; empty for the browser
	parent *session

	// Set before the first event comes, on the reader goroutine.
	waits   bool     // the target is held before its first byte
	page    *page    // that the target is or belongs to; nil for the browser and for shared workers
	browser *browser // nil for the browser itself

	gone error // protected by mux.mu: why no command can be sent
}

// call sends one command and decodes its result, unless result is nil.
// params is as in [command]. An error of Chrome's is a *CommandError.
func (s *session) call(ctx context.Context, method string, params, result any) error {
	raw, err := s.raw(ctx, method, params)
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("%s: unexpected answer: %w", method, err)
	}
	return nil
}

// raw sends one command and returns its result as Chrome wrote it. The bytes
// are the caller's.
func (s *session) raw(ctx context.Context, method string, params any) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	calls, err := s.mux.start(s, []command{{method: method, params: params}})
	if err != nil {
		return nil, err
	}
	return calls[0].wait(ctx)
}

// batch sends commands in one write and waits for all. The results are in the
// order of the commands; the error is that of the first that failed, and the
// results are there all the same.
func (s *session) batch(ctx context.Context, commands ...command) ([][]byte, error) {
	calls, err := s.start(ctx, commands...)
	if err != nil {
		return nil, err
	}
	results := make([][]byte, len(calls))
	var first error
	for i, c := range calls {
		var err error
		if results[i], err = c.wait(ctx); err != nil && first == nil {
			first = err
		}
	}
	return results, first
}

// start sends commands in one write and waits for none.
func (s *session) start(ctx context.Context, commands ...command) ([]*pending, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.mux.start(s, commands)
}

// post sends commands whose answers nobody needs, or only their hooks.
func (s *session) post(commands ...command) {
	if _, err := s.mux.start(s, commands); err != nil {
		// The session or the connection has ended, which is told elsewhere.
		s.mux.log.Debug("cdp: not sent", "method", commands[0].method, "err", err)
	}
}
