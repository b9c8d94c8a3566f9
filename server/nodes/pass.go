package nodes

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// passHeader carries a pass from node to node.
const passHeader = "x-wayfinder-node"

// A pass is a node's word for a request that it has let in: for this life of
// that node, and for nothing else. It may be shown again to the same, by whoever
// reads the network between them.
type pass struct {
	to      fleet.NodeID
	caller  string // as server.Caller gives it
	session string
}

// code is what only those who know the secret can make.
func (p *pass) code(secret, method, uri string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "wayfinder request\n%s\n%s\n%s\n%s\n%s", p.to, p.caller, p.session, method, uri)
	return hex.EncodeToString(mac.Sum(nil))
}

// String is the pass as a header has it. None of its parts has a space.
func (p *pass) header(secret, method, uri string) string {
	return strings.Join([]string{string(p.to), "c" + p.caller, p.session, p.code(secret, method, uri)}, " ")
}

// readPass reads a header; false: the sender does not know the secret.
func readPass(header, secret, method, uri string) (*pass, bool) {
	parts := strings.Split(header, " ")
	if len(parts) != 4 || !strings.HasPrefix(parts[1], "c") {
		return nil, false
	}
	p := &pass{fleet.NodeID(parts[0]), parts[1][1:], parts[2]}
	return p, hmac.Equal([]byte(parts[3]), []byte(p.code(secret, method, uri)))
}

// receive answers a request that another node has let in.
func (n *Node) receive(w http.ResponseWriter, r *http.Request, service http.Handler) {
	p, ok := readPass(r.Header.Get(passHeader), n.opts.Secret, r.Method, r.URL.RequestURI())
	switch {
	case !ok:
		n.log.Warn("a request with a wrong pass was refused", "from", r.RemoteAddr)
		answer(w, http.StatusUnauthorized, wire.Unauthorized, "the pass is not one of this fleet's nodes")
	case p.to != n.ID():
		w.Header().Set(passHeader, "another")
		answer(w, http.StatusMisdirectedRequest, wire.SessionGone, "the request is for another life of this node")
	default:
		r = r.WithContext(server.Forwarded(r.Context(), p.caller, p.session))
		r.Header.Del(passHeader)
		if host := r.Header.Get(hostHeader); host != "" {
			r.Host = host // addresses of the service are given as the client knows it
		}
		service.ServeHTTP(w, r)
	}
}

func answer(w http.ResponseWriter, status int, code wire.Code, text string) {
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(wire.Failure{Error: text, Message: text, Code: code}) // who has gone reads nothing
}

// A passing is one request on its way to another node.
type passing struct {
	owner fleet.Owner
	node  *Node
	w     http.ResponseWriter
	start bool // of a session
	err   error
}

// passingKey is the key of a *passing in a request's context.
type passingKey struct{}

// forward returns the way to a session's owner. ctx ends with that node.
func (n *Node) forward(o fleet.Owner, life context.Context) server.Forward {
	return func(w http.ResponseWriter, r *http.Request) error {
		p := &passing{owner: o, node: n, w: w, start: r.URL.Path == "/v1/sessions/start"}
		ctx, cancel := context.WithCancelCause(context.WithValue(r.Context(), passingKey{}, p))
		defer cancel(nil)
		defer context.AfterFunc(life, func() { cancel(context.Cause(life)) })()
		n.proxy.ServeHTTP(w, r.WithContext(ctx))
		return p.err
	}
}

const (
	dialTime     = 3 * time.Second
	idleTime     = 90 * time.Second // less than the server at the other end allows
	mostIdle     = 1024             // connections to one node
	callerHeader = "x-svc-api-key"
	hostHeader   = "x-forwarded-host"
)

// newProxy returns what passes requests on.
func (n *Node) newProxy() (_ *httputil.ReverseProxy, closeIdle func()) {
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: 10 * time.Second}
	transport := &http.Transport{
		DialContext: dialer.DialContext, MaxIdleConns: 0, MaxIdleConnsPerHost: mostIdle, IdleConnTimeout: idleTime, DisableCompression: true,
		ReadBufferSize: 16 << 10, WriteBufferSize: 16 << 10,
	}
	proxy := &httputil.ReverseProxy{
		// What has a length is copied as a whole, and streams have none: they are
		// flushed with each write.
		Transport: transport, BufferPool: &buffers{}, ErrorLog: slog.NewLogLogger(n.log.Handler(), slog.LevelDebug),
		Rewrite: func(r *httputil.ProxyRequest) {
			p := r.In.Context().Value(passingKey{}).(*passing)
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", p.owner.Address, p.owner.Address
			for _, name := range []string{callerHeader, "x-bb-api-key", "authorization", "origin"} {
				r.Out.Header.Del(name) // checked, and answered, where it came in
			}
			r.Out.Header.Set(hostHeader, r.In.Host)
			own := pass{p.owner.Node, server.Caller(r.In.Context()), string(p.owner.Session)}
			r.Out.Header.Set(passHeader, own.header(n.opts.Secret, r.Out.Method, r.Out.URL.RequestURI()))
			if id := p.w.Header().Get("x-request-id"); id != "" {
				r.Out.Header.Set("x-request-id", id)
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			return resp.Request.Context().Value(passingKey{}).(*passing).check(resp)
		},
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) {
			r.Context().Value(passingKey{}).(*passing).fail(r.Context(), err)
		},
	}
	return proxy, transport.CloseIdleConnections
}

// buffers are what answers are copied with: a new one for each would be most of
// what a forwarded request takes of the memory.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if one, ok := b.pool.Get().(*[]byte); ok {
		return *one
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(one []byte) { b.pool.Put(&one) }

// check looks at the head of an answer. An error of it has the answer thrown away.
func (p *passing) check(resp *http.Response) error {
	switch {
	case resp.StatusCode == http.StatusMisdirectedRequest && resp.Header.Get(passHeader) != "":
		p.node.forget(p.owner.Session)
		return fmt.Errorf("%w: another process has its address: %w", server.ErrNodeGone, server.ErrUnsent)
	case p.start && resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get(server.HeaderLimit) != "":
		p.node.Drop(string(p.owner.Session)) // no other node would take it
	case p.start && resp.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%w: node %s", server.ErrNoRoom, p.owner.Node)
	case p.start && resp.StatusCode == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: node %s: %s", server.ErrUnsent, p.owner.Node, resp.Status)
	case resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusGone:
		p.node.forget(p.owner.Session)
	}
	for name := range resp.Header {
		p.w.Header().Del(name) // what the node says counts, once
	}
	return nil
}

// fail takes why there is no answer.
func (p *passing) fail(ctx context.Context, err error) {
	var dial *net.OpError
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, server.ErrNodeGone):
		p.err = fmt.Errorf("%w: it died meanwhile", cause)
	case errors.Is(err, server.ErrNodeGone), errors.Is(err, server.ErrNoRoom), errors.Is(err, server.ErrUnsent):
		p.err = err
	case errors.As(err, &dial) && dial.Op == "dial":
		p.err = fmt.Errorf("%w: %w", server.ErrUnsent, err)
	default:
		p.err = fmt.Errorf("nodes: node %s: %w", p.owner.Node, err)
	}
}
