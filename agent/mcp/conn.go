package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/engine"
)

const (
	// lastLegacy is the last revision that begins with initialize.
	lastLegacy = "2025-11-25"
	// grace is how long the SDK may take to return once its context ended. It
	// takes longer when a server does not read what it is sent.
	grace = time.Second
	// codeRejected is the SDK's for a request that failed on its way, such as
	// one whose answer was cut off.
	codeRejected = -32005
	// maxPages bounds the pages of a list of tools.
	maxPages = 50
)

var (
	errStart  = errors.New("it cannot be started")
	errHangUp = errors.New("it was disconnected")
)

// A conn is one connection to a server.
type conn struct {
	session *sdk.ClientSession
	guard   *guard   // nil for a session that is somebody else's
	process *process // nil for one that is not ours

	life   context.Context // ends with the connection
	cancel context.CancelCauseFunc
	over   chan struct{} // closed when the session has ended
	end    func() error  // finish, once; who calls it again waits for it
}

// newConn is a connection that ends with ctx, or by its cancel.
func newConn(ctx context.Context) *conn {
	c := &conn{over: make(chan struct{})}
	c.end = sync.OnceValue(c.finish)
	c.life, c.cancel = context.WithCancelCause(ctx)
	return c
}

// dial connects.
func dial(ctx context.Context, e Endpoint, revision string) (*conn, error) {
	c := newConn(context.WithoutCancel(ctx))
	c.guard = &guard{onFault: func() { c.cancel(errHangUp) }}
	transport, process, err := e.dial(c.life, c.guard)
	if err != nil {
		c.cancel(err)
		return nil, fmt.Errorf("%w: %w", errStart, err)
	}
	c.process = process
	client := sdk.NewClient(&sdk.Implementation{Name: "wayfinder", Version: "3"}, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{}, // no files, no model, nobody to ask
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		Logger:         slog.New(slog.DiscardHandler), // errors say it; the SDK logs what servers wrote
	})
	c.session, err = within(c, ctx, func(ctx context.Context) (*sdk.ClientSession, error) {
		return client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	})
	if err != nil {
		err = c.explain(ctx, err)
		if process != nil {
			killGroup(process.cmd.Process) // it has nothing to finish
		}
		return nil, errors.Join(err, c.close())
	}
	go func() {
		// Why it ended is known from the guard and the process.
		_ = c.session.Wait() // why it ended shows in the next call
		close(c.over)
	}()
	// A fault ends the rest, too.
	context.AfterFunc(c.life, func() { _ = c.end() }) // close returns its error
	return c, nil
}

// isOld reports whether another revision is worth a try.
func isOld(err error) bool { return !errors.Is(err, errStart) && !errors.Is(err, errHangUp) }

// name is what the server calls itself.
func (c *conn) name() string {
	if r := c.session.InitializeResult(); r != nil && r.ServerInfo != nil {
		return r.ServerInfo.Name
	}
	return ""
}

// alive reports whether nothing has ended the connection yet.
func (c *conn) alive() bool {
	select {
	case <-c.over:
		return false
	case <-c.life.Done():
		return false
	default:
		return true
	}
}

// within calls the SDK. It returns when ctx or the connection ends, even if the
// SDK does not: what it does then is write to a server that does not read, which
// ends with the connection.
func within[T any](c *conn, ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })()
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		o.value, o.err = f(ctx)
		done <- o
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-t.C:
		c.cancel(errHangUp)
		var none T
		return none, context.Cause(ctx)
	}
}

// list reads the list of tools, up to a bound.
func (c *conn) list(ctx context.Context) ([]*sdk.Tool, error) {
	return within(c, ctx, func(ctx context.Context) ([]*sdk.Tool, error) {
		var tools []*sdk.Tool
		params := &sdk.ListToolsParams{}
		for range maxPages {
			c.expect()
			page, err := c.session.ListTools(ctx, params)
			if err != nil {
				return nil, err
			}
			tools = append(tools, page.Tools...)
			if page.NextCursor == "" || page.NextCursor == params.Cursor || len(tools) > 8*maxTools {
				break
			}
			params = &sdk.ListToolsParams{Cursor: page.NextCursor}
		}
		return tools, nil
	})
}

// call has the server do something. It reports whether the server may have got
// the call.
func (c *conn) call(ctx context.Context, params *sdk.CallToolParams) (result *sdk.CallToolResult, sent bool, err error) {
	before := c.expect()
	result, err = within(c, ctx, func(ctx context.Context) (*sdk.CallToolResult, error) {
		return c.session.CallTool(ctx, params)
	})
	if err == nil && result == nil {
		err = errors.New("it answered nothing")
	}
	sent = c.guard == nil || c.guard.sent.Load() != before
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return result, true, nil
	case errors.As(err, &refused) && refused.Code != codeRejected:
		return nil, true, fmt.Errorf("it refused: %s", limited(refused.Message, maxRefusal))
	case !sent:
		return nil, false, c.explain(ctx, err)
	}
	return nil, true, fmt.Errorf("%w; %w", c.explain(ctx, err), engine.ErrMayHaveHappened)
}

// expect notes that we ask for something.
func (c *conn) expect() (sent int64) {
	if c.guard == nil {
		return 0
	}
	c.guard.expect()
	return c.guard.sent.Load()
}

// explain says why a call of the SDK failed.
func (c *conn) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if why := c.reason(); why != "" && !errors.Is(context.Cause(c.life), ErrClosed) {
		return fmt.Errorf("%w: %s", errHangUp, why)
	}
	if errors.Is(context.Cause(c.life), ErrClosed) {
		return ErrClosed
	}
	return errors.New(oneLine(err.Error(), maxRefusal)) // it holds what the server wrote
}

// reason says what ended the connection; it is empty where that is not known.
func (c *conn) reason() string {
	if c.guard != nil {
		if err := c.guard.blamed(); err != nil {
			return err.Error()
		}
	}
	if c.process != nil {
		if fate := c.process.fate(); fate != "" {
			return "the program has ended (" + fate + ")"
		}
	}
	return ""
}

// close ends the connection and waits for what it started.
func (c *conn) close() error {
	if c.guard == nil { // somebody else's
		c.cancel(ErrClosed)
		return nil
	}
	return c.end()
}

// finish ends the connection, in this order: the calls, the session, the process.
func (c *conn) finish() (err error) {
	c.cancel(ErrClosed)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if c.session != nil {
			// A server that does not take leave is left all the same.
			_ = c.session.Close() // it is given up in any case
		}
	}()
	if c.process != nil {
		err = c.process.end()
	}
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-closed:
	case <-t.C:
	}
	return err
}
