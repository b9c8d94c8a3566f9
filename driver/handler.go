package driver

import (
	"context"
	"net/http"
)

// A Handler takes part in requests: it answers them in the place of a server,
// changes what goes out or what comes back, has them fail, or just reads them.
type Handler struct {
	// Match picks the requests by what is known before they are sent. It is
	// called from several goroutines and must return quickly. nil picks all
	// requests over http and https.
	Match func(RequestInfo) bool

	// Handle is called for each of them, on a goroutine of its own, after
	// [BrowserOptions].Allow let the request through. A redirect is a request
	// of its own, with Redirected set.
	//
	//   - A reply is what the page gets. Where Send was not called, no server
	//     sees the request.
	//   - nil and no error lets the request continue as r says by then, or after
	//     Send gives the page what Send returned.
	//   - An error has the request fail. A navigation fails with a
	//     [NavigationError] that wraps it.
	//
	// ctx ends with the page. Until Handle returns the request is under way, so
	// that the page is not idle.
	Handle func(ctx context.Context, r *Request) (*Reply, error)

	// Seal closes the ways out that no handler sees, where [Interceptor].Intercept gets h: documents that
	// begin afterwards have no WebSocket, WebTransport, WebRTC and SharedWorker, and
	// running shared workers end. It stays so until the browser closes.
	Seal bool
}

// A Request is one that a [Handler] holds. It belongs to Handle until that
// returns.
type Request struct {
	// RequestInfo is what Allow was asked about. Handle may change URL and
	// Method; the page does not see another URL. One that was changed has to
	// pass Allow, too. A change of the others does nothing.
	RequestInfo

	Header http.Header // what the page's request says, as far as it is known yet; may be changed
	Body   []byte      // may be changed

	// Send lets the request out as it is now and returns what came back: the
	// answer to this request, which may be a redirect. It may be called once.
	Send func(ctx context.Context) (*Reply, error)
}

// A Reply is an answer to a request, whole. The body is decoded: it has no
// content encoding, whatever the header said on the wire.
type Reply struct {
	Status int // 0 is 200
	Header http.Header
	Body   []byte // of a redirect it may be missing
}

// An Interceptor is a [Browser] in whose requests a handler can take part from
// some moment on, so that nothing is held up before somebody needs it. A browser
// that wraps another passes the call on.
type Interceptor interface {
	// Intercept has h take part in the requests that begin after it has
	// returned: those of all pages, frames and workers, whether they are there
	// already or come later. h goes before earlier ones and before
	// [BrowserOptions].Handler; a request that it lets continue is theirs next.
	//
	// stop ends that: the contexts of Handle calls under way end, and stop waits
	// for these calls. What such a call holds does not go out unless it says so
	// itself. stop may be called again, and not from within Handle.
	Intercept(ctx context.Context, h *Handler) (stop func(), err error)

	// Covers reports whether all that leaves the page's document passes handlers
	// or is sealed: the document began after the first Intercept with
	// [Handler].Seal. One that was there before may have a socket, a shared worker
	// or a deferred request of its own, which nothing holds; load it again.
	Covers(page PageID) bool
}
