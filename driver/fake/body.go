package fake

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// patience is how long the body of an answer from a network may take before
// what has come is shown.
const patience = 100 * time.Millisecond

// A body is one that may still be coming.
type body struct {
	limit int64
	done  chan struct{} // closed at the end
	begun chan struct{} // closed when what has come is to be shown

	mu      sync.Mutex // protects the fields below
	data    []byte
	err     error
	header  http.Header // as it was when the first byte was written
	status  int
	flushed bool
}

func newBody(limit int64) *body {
	return &body{limit: limit, done: make(chan struct{}), begun: make(chan struct{})}
}

func (b *body) add(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if int64(len(b.data)+len(p)) > b.limit {
		b.err = fmt.Errorf("%w: response of more than %d bytes", driver.ErrTooLarge, b.limit)
		return b.err
	}
	b.data = append(b.data, p...)
	return nil
}

// fail notes the first error.
func (b *body) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
}

// now returns what has come, and the error that ended it.
func (b *body) now(contentType string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return decode(b.data, contentType), b.err
}

// whole waits for all of it.
func (b *body) whole(ctx context.Context, contentType string) (string, error) {
	select {
	case <-b.done:
		return b.now(contentType)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// read takes a network's body in. It ends with the request's context.
func (b *body) read(from io.ReadCloser) {
	defer close(b.done)
	defer from.Close()
	chunk := make([]byte, 32<<10)
	for {
		n, err := from.Read(chunk)
		if n > 0 && b.add(chunk[:n]) != nil {
			return
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			b.fail(err)
			return
		}
	}
}

// A replyWriter is what a handler writes to.
type replyWriter struct {
	*body
	h http.Header
}

func (w *replyWriter) Header() http.Header { return w.h }

func (w *replyWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status != 0 || status < 200 {
		return
	}
	w.status, w.header = status, maps.Clone(w.h)
}

func (w *replyWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.header.Get("Content-Type") == "" && len(p) > 0 {
		w.header.Set("Content-Type", http.DetectContentType(p))
	}
	if err := w.add(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush has what was written shown, though there is more to come.
func (w *replyWriter) Flush() {
	w.WriteHeader(http.StatusOK)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.flushed {
		w.flushed = true
		close(w.begun)
	}
}

// answer is the head of the reply.
func (w *replyWriter) answer() (int, http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		return http.StatusOK, maps.Clone(w.h)
	}
	return w.status, w.header
}

// serve has a handler answer a request. It returns when the handler does, or
// flushes, or when the request's context ends; a handler that ignores that
// context keeps its goroutine, and nothing else.
func serve(h http.Handler, req *http.Request, limit int64) (int, http.Header, *body, error) {
	req.RemoteAddr = "192.0.2.1:1234"
	req.RequestURI = req.URL.RequestURI()
	req.Host = req.URL.Host
	if req.Body == nil {
		req.Body = http.NoBody
	}
	w := &replyWriter{body: newBody(limit), h: make(http.Header)}
	go func() {
		defer close(w.done)
		defer func() {
			if r := recover(); r != nil {
				w.fail(fmt.Errorf("%w: %v", errPanic, r))
			}
		}()
		h.ServeHTTP(w, req)
	}()
	select {
	case <-w.done:
		if _, err := w.now(""); err != nil {
			return 0, nil, nil, err
		}
	case <-w.begun:
	case <-req.Context().Done():
		return 0, nil, nil, req.Context().Err()
	}
	status, header := w.answer()
	return status, header, w.body, nil
}

// over reports that a body is complete.
func (b *body) over() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}
