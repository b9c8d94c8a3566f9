package server_test

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server"
)

// inBubble is a client without a network, for tests on a virtual clock. The
// server is shut down at the test's end.
func inBubble(t *testing.T, d driver.Driver, opts server.Options) *client {
	t.Helper()
	opts.Browsers.Policy = &engine.Policy{Private: []string{"*"}}
	handler, err := server.New(d, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { handler.Shutdown(ended) })
	transport := newChecker(t, handlerTransport{handler})
	return &client{t: t, server: handler, http: &http.Client{Transport: transport}, url: "http://server.test"}
}

// ended is a context that has ended.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// A handlerTransport hands requests to a handler. What it writes waits until
// it is read, as on a connection without any buffer.
type handlerTransport struct{ handler http.Handler }

func (h handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	// A server's request ends with its connection, as the client's does.
	ctx, hangUp := context.WithCancel(r.Context())
	body, out := io.Pipe()
	w := &pipeResponse{header: http.Header{}, out: out, begun: make(chan *http.Response, 1)}
	go func() {
		h.handler.ServeHTTP(w, r.Clone(ctx))
		w.WriteHeader(http.StatusOK)
		out.Close()
	}()
	select {
	case resp := <-w.begun:
		resp.Body = &hangUpBody{body, hangUp}
		resp.Request = r
		return resp, nil
	case <-r.Context().Done():
		hangUp()
		body.Close()
		return nil, r.Context().Err()
	}
}

type hangUpBody struct {
	*io.PipeReader
	hangUp func()
}

func (b *hangUpBody) Close() error {
	b.hangUp()
	return b.PipeReader.Close()
}

type pipeResponse struct {
	header http.Header
	out    *io.PipeWriter
	once   sync.Once
	begun  chan *http.Response

	mu    sync.Mutex // protects timer
	timer *time.Timer
}

func (w *pipeResponse) Header() http.Header { return w.header }

func (w *pipeResponse) WriteHeader(status int) {
	w.once.Do(func() {
		w.begun <- &http.Response{StatusCode: status, Header: w.header.Clone(), ProtoMajor: 1, ProtoMinor: 1}
	})
}

func (w *pipeResponse) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(p)
}

func (w *pipeResponse) Flush() {}

// SetWriteDeadline cuts the connection then, unless another is set before.
func (w *pipeResponse) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.timer = time.AfterFunc(time.Until(at), func() { w.out.CloseWithError(context.DeadlineExceeded) })
	return nil
}

func (w *pipeResponse) SetReadDeadline(time.Time) error { return nil }

// A counted driver knows its browsers.
type counted struct {
	driver.Driver
	mu       sync.Mutex // protects what follows
	browsers []driver.Browser
	open     int
}

func (c *counted) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := c.Driver.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.browsers = append(c.browsers, b)
	c.open++
	return &countedBrowser{Browser: b, driver: c}, nil
}

// opened is the number of browsers that nobody has closed.
func (c *counted) opened() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

// crash ends the nth browser behind the server's back.
func (c *counted) crash(n int) {
	c.mu.Lock()
	b := c.browsers[n]
	c.mu.Unlock()
	b.Close()
}

type countedBrowser struct {
	driver.Browser
	driver *counted
	once   sync.Once
}

func (b *countedBrowser) Close() error {
	b.once.Do(func() {
		b.driver.mu.Lock()
		defer b.driver.mu.Unlock()
		b.driver.open--
	})
	return b.Browser.Close()
}
