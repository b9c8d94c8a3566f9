package cdp

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/mafredri/cdp/protocol/fetch"
	"github.com/mafredri/cdp/protocol/network"
	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
	"github.com/wayfinder-engine/wayfinder/driver/internal/intercept"
)

// An interceptor holds requests up that somebody decides about or takes part in, or
// that are asked for a password.
type interceptor struct {
	browser   *browser
	handlers  intercept.Handlers
	switching sync.Mutex // held while interception is switched on or off

	answers    sync.Map                     // by RequestID, the channel of who waits for the answer to it
	challenged map[fetch.RequestID]struct{} // requests that were asked for credentials; protected by browser.mu
}

// requestPaused decides about a request on a goroutine of its own: others
// need not wait for the decision.
func (i *interceptor) requestPaused(s *session, e *requestPaused) {
	if s.page != nil && s.page.isBlank() {
		s.Post(protocol.FetchFulfillRequest.With(fetch.FulfillRequestArgs{
			RequestID: e.RequestID, ResponseCode: http.StatusOK,
			ResponseHeaders: []fetch.HeaderEntry{{Name: "content-type", Value: "text/html"}},
			Body:            []byte(`<link rel=icon href="data:,">`), // no request for one
		}))
		return
	}
	if i.answer(e) {
		return
	}
	if i.browser.opts.Allow == nil && i.browser.opts.Handler == nil && !i.handlers.Any() || e.status != 0 || e.failure != "" {
		e.letOut(s)
		return
	}
	// Not waited for: Close must not hang on somebody who does not decide.
	go i.decide(s, e)
}

func (i *interceptor) decide(s *session, e *requestPaused) {
	info := driver.RequestInfo{
		URL: e.Request.URL, Method: e.Request.Method, Kind: requestKind(e.ResourceType),
		Frame: e.FrameID, Redirected: e.RedirectedRequestID != "",
	}
	if i.browser.opts.Allow != nil {
		if err := i.browser.opts.Allow(info); err != nil {
			i.failRequest(s, e, info.Kind, err)
			return
		}
	}
	chain := i.handlers.TakingPart(info, i.browser.opts.Handler)
	defer chain.Leave()
	if !chain.Empty() {
		i.handle(s, e, info, &chain)
		return
	}
	e.letOut(s)
}

// Intercept implements driver.Interceptor.
func (i *interceptor) Intercept(ctx context.Context, h *driver.Handler) (stop func(), err error) {
	if i.browser.isGone() {
		return nil, opError("intercept", "", i.browser.goneError())
	}
	i.switching.Lock()
	defer i.switching.Unlock()
	held := i.intercepts()
	leave := i.handlers.Add(h)
	var calls []*conn.Call
	start := func(to []*session, command func() conn.Command) {
		for _, s := range to {
			if started, err := s.Start(ctx, command()); err == nil { // a session that is gone has no requests
				calls = append(calls, started...)
			}
		}
	}
	if h.Seal {
		start(i.browser.seal(), func() conn.Command { return initScript(sealScript, "", false) })
	}
	stop = func() {
		leave() // before: Chrome lets out what is still held when interception ends
		i.switching.Lock()
		defer i.switching.Unlock()
		if !i.intercepts() {
			for _, s := range i.browser.sessions() {
				s.Post(protocol.FetchDisable.With(conn.None{}))
			}
		}
	}
	if !held {
		start(i.browser.sessions(), i.interception)
	}
	for _, c := range calls {
		if _, err = c.Wait(ctx); ctx.Err() != nil {
			break
		}
		err = nil // a session that ends has no requests, and a worklet has none
	}
	if err != nil {
		leave()
		return nil, opError("intercept", "", err)
	}
	return stop, nil
}

// handle has handlers take part in a request, one after the other until one has
// decided. It ends with the page.
func (i *interceptor) handle(s *session, e *requestPaused, info driver.RequestInfo, chain *intercept.Chain) {
	var left <-chan struct{} // nil, of a worker without a page, ends nothing
	if s.page != nil {
		left = s.page.left
	}
	ctx, stop := unless(context.Background(), left, driver.ErrClosed)
	defer stop()
	x := &exchange{browser: i.browser, session: s, paused: e, info: info}
	x.request = &driver.Request{RequestInfo: info, Header: e.header(), Body: e.body(), Send: x.send}
	reply, err := chain.Handle(ctx, x.request, func() bool { return x.answered != nil })
	switch {
	case err != nil:
		i.failRequest(s, e, info.Kind, err)
	case reply != nil:
		x.fulfill(reply)
	case x.answered != nil && x.answered.failure != "":
		e.fail(s, x.answered.failure)
	case x.answered != nil:
		e.letOut(s)
	default:
		args, err := x.outgoing()
		if err != nil {
			i.failRequest(s, e, info.Kind, err)
			return
		}
		s.Post(protocol.FetchContinueRequest.With(*args))
	}
}

// answer passes an answer on to who waits for it. It reports whether the event
// is one.
func (i *interceptor) answer(e *requestPaused) bool {
	if e.status == 0 && e.failure == "" {
		return false
	}
	to, ok := i.answers.Load(e.RequestID)
	if ok { // without a waiter the request continues as it is
		to.(chan *requestPaused) <- e
	}
	return ok
}

type requestPaused struct {
	RequestID           fetch.RequestID
	Request             struct{ URL, Method string }
	FrameID             driver.FrameID
	ResourceType        string
	NetworkID           string
	RedirectedRequestID string

	raw string // the request as it came

	// Of an answer.
	status  int
	failure network.ErrorReason
	headers []fetch.HeaderEntry
}

// letOut has the request, or its answer, continue as it is.
func (e *requestPaused) letOut(s *session) {
	s.Post(protocol.FetchContinueRequest.With(fetch.ContinueRequestArgs{RequestID: e.RequestID}))
}

func (e *requestPaused) fail(s *session, reason network.ErrorReason) {
	s.Post(protocol.FetchFailRequest.With(fetch.FailRequestArgs{RequestID: e.RequestID, ErrorReason: reason}))
}

// header is what the request says.
func (e *requestPaused) header() http.Header {
	h := http.Header{}
	gjson.Get(e.raw, "headers").ForEach(func(name, v gjson.Result) bool {
		h.Set(name.Str, v.Str)
		return true
	})
	return h
}

// body is what the request sends, as far as Chrome tells it.
func (e *requestPaused) body() []byte { return sentBody(gjson.Parse(e.raw)) }

func (e *requestPaused) read(params gjson.Result) {
	request := params.Get("request")
	e.RequestID, e.NetworkID = fetch.RequestID(text(params.Get("requestId"))), text(params.Get("networkId"))
	e.Request.URL, e.Request.Method, e.raw = text(request.Get("url")), text(request.Get("method")), strings.Clone(request.Raw)
	e.FrameID, e.ResourceType = driver.FrameID(text(params.Get("frameId"))), text(params.Get("resourceType"))
	e.RedirectedRequestID = text(params.Get("redirectedRequestId"))
	e.status, e.failure = int(params.Get("responseStatusCode").Int()), network.ErrorReason(text(params.Get("responseErrorReason")))
	for _, h := range params.Get("responseHeaders").Array() {
		e.headers = append(e.headers, fetch.HeaderEntry{Name: text(h.Get("name")), Value: text(h.Get("value"))})
	}
}

// credentials answers a server that asks who is there, once for each request:
// the second question says that the first answer was wrong.
func (i *interceptor) credentials(e *authRequired) *driver.Credentials {
	for k := range i.browser.opts.Credentials {
		c := &i.browser.opts.Credentials[k]
		if sameOrigin(c.Origin, e.AuthChallenge.Origin) && i.firstChallenge(e.RequestID) {
			return c
		}
	}
	return nil
}

// maxChallenges bounds what is remembered of questions for credentials.
const maxChallenges = 1000

func (i *interceptor) firstChallenge(id fetch.RequestID) bool {
	i.browser.mu.Lock()
	defer i.browser.mu.Unlock()
	if _, asked := i.challenged[id]; asked {
		return false
	}
	if i.challenged == nil || len(i.challenged) >= maxChallenges {
		i.challenged = map[fetch.RequestID]struct{}{}
	}
	i.challenged[id] = struct{}{}
	return true
}

func sameOrigin(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	return errX == nil && errY == nil && x.Scheme == y.Scheme && strings.EqualFold(x.Hostname(), y.Hostname()) && port(x) == port(y)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

type authRequired struct {
	RequestID     fetch.RequestID
	AuthChallenge struct{ Source, Origin string }
}

// authRequired gives the proxy its password, and servers theirs.
func (i *interceptor) authRequired(s *session, e *authRequired) {
	answer := fetch.AuthChallengeResponse{Response: "Default"}
	if e.AuthChallenge.Source == "Proxy" {
		if i.proxyAuth() {
			answer = fetch.AuthChallengeResponse{
				Response: "ProvideCredentials",
				Username: &i.browser.opts.Proxy.Username, Password: &i.browser.opts.Proxy.Password,
			}
		}
	} else if c := i.credentials(e); c != nil {
		answer = fetch.AuthChallengeResponse{Response: "ProvideCredentials", Username: &c.Username, Password: &c.Password}
	}
	s.Post(protocol.FetchContinueWithAuth.With(fetch.ContinueWithAuthArgs{RequestID: e.RequestID, AuthChallengeResponse: answer}))
}

// intercepts reports whether requests are held up for us: only where somebody
// decides about them or takes part in them, or is asked for a password.
func (i *interceptor) intercepts() bool {
	return i.browser.opts.Allow != nil || i.browser.opts.Handler != nil || i.handlers.Any() || i.answersChallenges()
}

// answersChallenges reports whether a proxy or a server may ask who is there.
func (i *interceptor) answersChallenges() bool {
	return i.proxyAuth() || len(i.browser.opts.Credentials) > 0
}

func (i *interceptor) proxyAuth() bool {
	return i.browser.opts.Proxy != nil && i.browser.opts.Proxy.Username != ""
}

// interception is the command that has requests held up.
func (i *interceptor) interception() conn.Command {
	return protocol.FetchEnable.With(fetch.EnableArgs{Patterns: allRequests, HandleAuthRequests: new(i.answersChallenges())})
}

// allRequests are those of every address.
var allRequests = []fetch.RequestPattern{{URLPattern: new("*")}}

// failRequest has a request fail for a reason, which the caller of the navigation gets.
func (i *interceptor) failRequest(s *session, e *requestPaused, kind driver.RequestKind, err error) {
	reason := network.ErrorReasonBlockedByClient
	if kind == driver.RequestDocument {
		// The page that is there stays, instead of one of Chrome's that says so.
		reason = network.ErrorReasonAborted
		if s.page != nil {
			s.page.refuse(e.NetworkID, err)
		}
	}
	e.fail(s, reason)
}
