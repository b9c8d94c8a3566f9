package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	sessionHeader  = "Mcp-Session-Id"
	revisionHeader = "Mcp-Protocol-Version"
	requestHeader  = "Wayfinder-Request" // names the request of a call, within this process
)

// beginsSession reports whether a request is an initialize, and leaves its body to
// be read again.
func beginsSession(w http.ResponseWriter, r *http.Request) (bool, error) {
	if r.Method != http.MethodPost || r.Header.Get(sessionHeader) != "" {
		return false, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, sdk.DefaultMaxRequestBodyBytes))
	if err != nil {
		return false, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Method string `json:"method"`
	}
	// A batch, and what is no JSON, is no initialize: the transport says what is wrong.
	return json.Unmarshal(body, &message) == nil && message.Method == "initialize", nil
}

// A client is what the sessions that it has begun without saying a handle are
// looked up by. It is comparable.
type client struct {
	id     string             // of its session of the protocol, over HTTP
	stream *sdk.ServerSession // over a pair of streams
	keyed  bool               // by its key alone: a revision without sessions of the protocol
}

// nobody is a client that nothing tells apart from others: over HTTP, without a key
// and a session of the protocol.
var nobody client

func clientOf(req *sdk.CallToolRequest, owner string) client {
	switch {
	case req.Extra == nil || req.Extra.Header == nil:
		return client{stream: req.Session}
	case req.Session.ID() != "":
		return client{id: req.Session.ID()}
	}
	return client{keyed: owner != ""}
}

// requests are those under way over HTTP. The transport's context of a call does not
// end with the request that carries it, in revisions that could once resume one. Here
// nothing is kept to be resumed, so the answer to a request that has ended is lost.
type requests struct {
	mu   sync.Mutex
	byID map[string]*request
}

type request struct {
	owner, session string          // the session of the protocol; "" is none
	ctx            context.Context // ends with the request
	cancel         context.CancelFunc
}

// begin notes a request until done is called.
func (l *requests) begin(owner string, r *http.Request) (named *http.Request, done func()) {
	id, of := rand.Text(), &request{owner: owner, session: r.Header.Get(sessionHeader)}
	of.ctx, of.cancel = context.WithCancel(r.Context())
	named = r.Clone(r.Context())
	named.Header.Set(requestHeader, id)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[string]*request{}
	}
	l.byID[id] = of
	return named, func() {
		of.cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.byID, id)
	}
}

// end has the calls of a client end.
func (l *requests) end(owner string, by client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.byID {
		if r.owner == owner && r.session == by.id {
			r.cancel()
		}
	}
}

// connected reports whether a client has a request under way. One without a
// session of the protocol, or over streams, always counts.
func (l *requests) connected(c client) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.byID {
		if r.session == c.id {
			return true
		}
	}
	return c.id == ""
}

var errLeft = errors.New("the client has left")

// follow returns a context that ends with the call's HTTP request, too.
func (l *requests) follow(ctx context.Context, extra *sdk.RequestExtra) (context.Context, context.CancelFunc) {
	if extra == nil || extra.Header.Get(requestHeader) == "" {
		return ctx, func() {}
	}
	l.mu.Lock()
	of, ok := l.byID[extra.Header.Get(requestHeader)]
	l.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	if !ok { // it ended before its call began
		cancel(errLeft)
		return ctx, func() {}
	}
	stop := context.AfterFunc(of.ctx, func() { cancel(errLeft) })
	return ctx, func() { stop(); cancel(nil) }
}
