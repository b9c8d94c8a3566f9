package nodes

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// passHeader carries a pass from node to node.
const passHeader = "x-wayfinder-node"

// A Pass states that a node has let a request in. It holds for one life of one other
// node. A reader of the network between the nodes could replay it to that node.
type Pass struct {
	// Caller is the SHA-256 of the caller's key in hexadecimal digits; empty where the
	// service has no keys, or did not ask for one.
	Caller string
	// Session is the ID of the session that the request is about, also of one that it
	// starts.
	Session string

	to fleet.NodeID
}

// code authenticates the pass under the secret that the nodes share.
func (p *Pass) code(secret, method, uri string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "wayfinder request\n%s\n%s\n%s\n%s\n%s", p.to, p.Caller, p.Session, method, uri)
	return hex.EncodeToString(mac.Sum(nil))
}

// header is the pass as a header has it. None of its parts has a space.
func (p *Pass) header(secret, method, uri string) string {
	return strings.Join([]string{string(p.to), "c" + p.Caller, p.Session, p.code(secret, method, uri)}, " ")
}

// readPass reads a header; false: the sender does not know the secret.
func readPass(header, secret, method, uri string) (*Pass, bool) {
	parts := strings.Split(header, " ")
	if len(parts) != 4 || !strings.HasPrefix(parts[1], "c") {
		return nil, false
	}
	p := &Pass{Caller: parts[1][1:], Session: parts[2], to: fleet.NodeID(parts[0])}
	return p, hmac.Equal([]byte(parts[3]), []byte(p.code(secret, method, uri)))
}

func answer(w http.ResponseWriter, status int, code wire.Code, text string) {
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(wire.Failure{Error: text, Message: text, Code: code}) // a client that has gone reads nothing
}

// A passing is one request on its way to another node.
type passing struct {
	owner  fleet.Owner
	caller string
	node   *Node
	w      http.ResponseWriter
	start  bool // of a session
	err    error
}

// passingKey is the key of a *passing in a request's context.
type passingKey struct{}

// A Forward answers a caller's request by another node's answer. The caller is as
// [Pass] has it: the key was checked. An error means that nothing was answered; one that
// wraps [ErrUnsent], or for a start [ErrNoRoom], that nothing was done.
type Forward func(w http.ResponseWriter, r *http.Request, caller string) error

// Errors of nodes and of what they pass on.
var (
	// ErrNoRoom: every node with the labels is full, or no node has the labels.
	ErrNoRoom = errors.New("nodes: no node has room for the session")
	// ErrNoSession: no node knows the session: its ID is wrong, or it ended long ago.
	ErrNoSession = errors.New("nodes: no node has the session")
	// ErrNodeGone: the node that had the session is dead, and the session ended with it.
	ErrNodeGone = errors.New("nodes: the session's node is gone")
	// ErrKeyFull: the key's sessions on all nodes together have reached its limit.
	ErrKeyFull = errors.New("nodes: the key has as many sessions as it may have")
	// ErrUnsent: the request did not reach the session's node.
	ErrUnsent = errors.New("nodes: the session's node cannot be reached")
)

// HeaderLimit, of a refusal, says whose limit it is, if it is not the node's.
const HeaderLimit = "x-wayfinder-limit"

const (
	dialTime     = 3 * time.Second
	idleTime     = 90 * time.Second // less than the server at the other end allows
	mostIdle     = 1024             // connections to one node
	callerHeader = "x-svc-api-key"
	hostHeader   = "x-forwarded-host"
)

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
		return fmt.Errorf("%w: another process has its address: %w", ErrNodeGone, ErrUnsent)
	case p.start && resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get(HeaderLimit) != "":
		p.node.Drop(string(p.owner.Session)) // no other node would take it
	case p.start && resp.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%w: node %s", ErrNoRoom, p.owner.Node)
	case p.start && resp.StatusCode == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: node %s: %s", ErrUnsent, p.owner.Node, resp.Status)
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
	case errors.Is(cause, ErrNodeGone):
		p.err = fmt.Errorf("%w: it died meanwhile", cause)
	case errors.Is(err, ErrNodeGone), errors.Is(err, ErrNoRoom), errors.Is(err, ErrUnsent):
		p.err = err
	case errors.As(err, &dial) && dial.Op == "dial":
		p.err = fmt.Errorf("%w: %w", ErrUnsent, err)
	default:
		p.err = fmt.Errorf("nodes: node %s: %w", p.owner.Node, err)
	}
}
