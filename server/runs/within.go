package runs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// within is a transport to a handler of this process.
type within struct{ handler http.Handler }

// RoundTrip calls the handler on a goroutine of its own, which ends with the
// request's context or the body.
func (t within) RoundTrip(req *http.Request) (*http.Response, error) {
	read, write := io.Pipe()
	w := &response{header: http.Header{}, body: write, begun: make(chan struct{}), ended: make(chan struct{})}
	served := req.Clone(req.Context())
	if served.Body == nil {
		served.Body = http.NoBody
	}
	served.RequestURI = req.URL.RequestURI()
	go func() {
		defer func() {
			if p := recover(); p != nil {
				write.CloseWithError(fmt.Errorf("runs: the service: %v", p))
			}
			w.WriteHeader(http.StatusOK)
			write.Close()
			close(w.ended)
		}()
		t.handler.ServeHTTP(w, served)
	}()
	select {
	case <-w.begun:
	case <-req.Context().Done():
		read.CloseWithError(req.Context().Err())
		return nil, req.Context().Err()
	}
	body := io.ReadCloser(read)
	if w.whole != nil { // an answer of a known length has left the handler whoever reads it
		select {
		case <-w.ended:
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
		body = io.NopCloser(w.whole)
	}
	return &http.Response{
		StatusCode: w.status, Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: body, ContentLength: -1, Request: req,
	}, nil
}

// A response is what the handler writes to.
type response struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	begun  chan struct{} // closed once status and sent are there
	ended  chan struct{} // closed when the handler has returned
	status int
	sent   http.Header
	whole  *bytes.Buffer // what was written, of an answer that tells its length
}

var errGone = errors.New("runs: the reader is gone")

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		if w.sent.Get("content-length") != "" {
			w.whole = new(bytes.Buffer)
		}
		close(w.begun)
	})
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.whole != nil {
		return w.whole.Write(p)
	}
	n, err := w.body.Write(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = errGone
	}
	return n, err
}

// Flush implements http.Flusher: what is written is read.
func (w *response) Flush() {}
