package fake

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A transport is a browser's way to the network.
type transport struct{ http.RoundTripper }

// networkTransport is the one of Network.
func networkTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  callLimit,
		MaxResponseHeaderBytes: 1 << 20,
		MaxConnsPerHost:        16,
		IdleConnTimeout:        30 * time.Second,
	}
}

// newTransport gives one browser its own connections, with its proxy and its
// view of certificates.
func newTransport(rt http.RoundTripper, opts *driver.BrowserOptions) transport {
	t, ok := rt.(*http.Transport)
	if !ok {
		return transport{rt}
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
	return transport{t}
}

func (t transport) close() {
	if c, ok := t.RoundTripper.(*http.Transport); ok {
		c.CloseIdleConnections()
	}
}

// errPanic is a handler's panic: to the browser, a connection cut.
var errPanic = errors.New("the handler panicked")

// failure says what kind of failure a request met.
func (b *browser) failure(ctx context.Context, u *url.URL, err error) error {
	ne := &driver.NavigationError{URL: u.String(), Reason: driver.ReasonOther, Detail: "net::ERR_FAILED", Err: err}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var timeout net.Error
	switch {
	case errors.Is(err, driver.ErrBlocked):
		ne.Reason, ne.Detail = driver.ReasonBlocked, err.Error()
	case errors.Is(err, driver.ErrTooLarge):
		ne.Detail = err.Error()
	case errors.Is(err, context.Canceled):
		ne.Reason, ne.Detail = driver.ReasonAborted, "net::ERR_ABORTED"
	case errors.As(err, &dns):
		ne.Reason, ne.Detail = driver.ReasonDNS, "net::ERR_NAME_NOT_RESOLVED"
	case errors.As(err, &host):
		ne.Reason, ne.Detail = driver.ReasonTLS, "net::ERR_CERT_COMMON_NAME_INVALID"
	case errors.As(err, &unknown):
		ne.Reason, ne.Detail = driver.ReasonTLS, "net::ERR_CERT_AUTHORITY_INVALID"
	case errors.As(err, &cert):
		ne.Reason, ne.Detail = driver.ReasonTLS, "net::ERR_CERT_INVALID"
	case errors.As(err, &record), errors.As(err, &alert), strings.Contains(err.Error(), "tls:"):
		ne.Reason, ne.Detail = driver.ReasonTLS, "net::ERR_SSL_PROTOCOL_ERROR"
	case errors.Is(err, syscall.ECONNREFUSED):
		ne.Reason, ne.Detail = driver.ReasonRefused, "net::ERR_CONNECTION_REFUSED"
	case errors.Is(err, errPanic), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		ne.Reason, ne.Detail = driver.ReasonReset, "net::ERR_EMPTY_RESPONSE"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		ne.Reason, ne.Detail = driver.ReasonTimeout, "net::ERR_TIMED_OUT"
	}
	return ne
}
