// Package network is a browser's way to servers: connections, bodies that are
// still coming, failures, and cookies.
package network

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/html/charset"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// DefaultTransport is the one of Network.
func DefaultTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  30 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		MaxConnsPerHost:        16,
		IdleConnTimeout:        30 * time.Second,
	}
}

// NewTransport gives one browser its own connections, with its proxy and its
// view of certificates.
func NewTransport(rt http.RoundTripper, opts *driver.BrowserOptions) http.RoundTripper {
	t, ok := rt.(*http.Transport)
	if !ok {
		return rt
	}
	t = t.Clone()
	if opts.IgnoreHTTPSErrors {
		if t.TLSClientConfig == nil {
			t.TLSClientConfig = &tls.Config{}
		}
		t.TLSClientConfig.InsecureSkipVerify = true // asked for by the caller
	}
	if opts.Dial != nil {
		t.Proxy, t.DialContext = nil, opts.Dial
		t.DialTLSContext = nil // which would go before
		//lint:ignore SA1019 it would go before as well
		t.DialTLS = nil
	}
	if opts.Proxy != nil {
		if u, err := url.Parse(opts.Proxy.Server); err == nil {
			if opts.Proxy.Username != "" {
				u.User = url.UserPassword(opts.Proxy.Username, opts.Proxy.Password)
			}
			bypass := opts.Proxy.Bypass
			t.Proxy = func(r *http.Request) (*url.URL, error) {
				for _, host := range strings.Split(bypass, ",") {
					host = strings.TrimPrefix(strings.TrimSpace(host), "*")
					if host != "" && (r.URL.Hostname() == host || strings.HasPrefix(host, ".") && strings.HasSuffix(r.URL.Hostname(), host)) {
						return nil, nil
					}
				}
				return u, nil
			}
		}
	}
	return t
}

// errPanic is a handler's panic: to the browser, a connection cut.
var errPanic = errors.New("the handler panicked")

// Failure classifies what a request failed with.
func Failure(u *url.URL, err error) error {
	ne := &driver.NavigationError{URL: u.String(), Reason: driver.ReasonOther, Detail: "net::ERR_FAILED", Err: err}
	timeout, _ := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, driver.ErrBlocked):
		ne.Reason, ne.Detail = driver.ReasonBlocked, err.Error()
	case errors.Is(err, driver.ErrTooLarge):
		ne.Detail = err.Error()
	case errors.Is(err, context.Canceled):
		ne.Reason, ne.Detail = driver.ReasonAborted, "net::ERR_ABORTED"
	case has[*net.DNSError](err):
		ne.Reason, ne.Detail = driver.ReasonDNS, "net::ERR_NAME_NOT_RESOLVED"
	case has[x509.HostnameError](err):
		ne.Reason, ne.Detail = driver.ReasonTLS, "net::ERR_CERT_COMMON_NAME_INVALID"
	case has[x509.UnknownAuthorityError](err):
		ne.Reason, ne.Detail = driver.ReasonTLS, "net::ERR_CERT_AUTHORITY_INVALID"
	case has[*tls.CertificateVerificationError](err):
		ne.Reason, ne.Detail = driver.ReasonTLS, "net::ERR_CERT_INVALID"
	case has[tls.RecordHeaderError](err), has[tls.AlertError](err), strings.Contains(err.Error(), "tls:"):
		ne.Reason, ne.Detail = driver.ReasonTLS, "net::ERR_SSL_PROTOCOL_ERROR"
	case errors.Is(err, syscall.ECONNREFUSED):
		ne.Reason, ne.Detail = driver.ReasonRefused, "net::ERR_CONNECTION_REFUSED"
	case errors.Is(err, errPanic), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		ne.Reason, ne.Detail = driver.ReasonReset, "net::ERR_EMPTY_RESPONSE"
	case errors.Is(err, context.DeadlineExceeded), timeout != nil && timeout.Timeout():
		ne.Reason, ne.Detail = driver.ReasonTimeout, "net::ERR_TIMED_OUT"
	}
	return ne
}

// has reports an error of a type in err.
func has[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// patience is how long the body of an answer from a network may take before
// what has come is shown.
const patience = 100 * time.Millisecond

// A Body is one that may still be coming.
type Body struct {
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

func newBody(limit int64) *Body {
	return &Body{limit: limit, done: make(chan struct{}), begun: make(chan struct{})}
}

func (b *Body) add(p []byte) error {
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
func (b *Body) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
}

// Now returns what has come, and the error that ended it.
func (b *Body) Now(contentType string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return decode(b.data, contentType), b.err
}

// Whole waits for all of it.
func (b *Body) Whole(ctx context.Context, contentType string) (string, error) {
	select {
	case <-b.done:
		return b.Now(contentType)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Receive takes a network's body in, and returns it when it is complete, or
// after a moment of patience. It continues until the context of the request ends.
func Receive(ctx context.Context, from io.ReadCloser, limit int64) (*Body, error) {
	b := newBody(limit)
	go b.read(from)
	select {
	case <-b.done:
	case <-time.After(patience):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return b, nil
}

// read takes a network's body in. It ends with the request's context.
func (b *Body) read(from io.ReadCloser) {
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
	*Body
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

// Serve has a handler answer a request. It returns when the handler does, or
// flushes, or when the request's context ends; a handler that ignores that
// context keeps its goroutine, and nothing else.
func Serve(h http.Handler, req *http.Request, limit int64) (int, http.Header, *Body, error) {
	req.RemoteAddr = "192.0.2.1:1234"
	req.RequestURI = req.URL.RequestURI()
	req.Host = req.URL.Host
	if req.Body == nil {
		req.Body = http.NoBody
	}
	w := &replyWriter{Body: newBody(limit), h: make(http.Header)}
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
		if _, err := w.Now(""); err != nil {
			return 0, nil, nil, err
		}
	case <-w.begun:
	case <-req.Context().Done():
		return 0, nil, nil, req.Context().Err()
	}
	status, header := w.answer()
	return status, header, w.Body, nil
}

// Over reports that a body is complete.
func (b *Body) Over() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// decode turns a body into UTF-8, by its header, its meta element, or a guess.
func decode(data []byte, contentType string) string {
	t := dom.MediaType(contentType)
	if t != "" && !strings.HasPrefix(t, "text/") && !strings.HasSuffix(t, "xml") {
		return string(data)
	}
	head := data[:min(len(data), 1024)]
	enc, name, _ := charset.DetermineEncoding(head, contentType)
	if name == "utf-8" {
		return strings.TrimPrefix(string(data), "\ufeff")
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return string(data)
	}
	return string(out)
}
