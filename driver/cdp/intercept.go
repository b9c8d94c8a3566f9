package cdp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
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

	// Protected by browser.mu:

	answers    map[fetch.RequestID]chan<- *requestPaused // who waits for the answer to a request
	challenged map[fetch.RequestID]struct{}              // requests that were asked for credentials
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
		s.Post(protocol.FetchContinueRequest.With(fetch.ContinueRequestArgs{RequestID: e.RequestID}))
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
	s.Post(protocol.FetchContinueRequest.With(fetch.ContinueRequestArgs{RequestID: e.RequestID}))
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
	start := func(to []*session, c conn.Command) {
		for _, s := range to {
			if started, err := s.Start(ctx, c); err == nil { // a session that is gone has no requests
				calls = append(calls, started...)
			}
		}
	}
	if h.Seal {
		start(i.browser.seal(), initScript(sealScript, "", false))
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
		start(i.browser.sessions(), i.interception())
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

// An exchange is a request that a handler takes part in.
type exchange struct {
	browser *browser
	session *session
	paused  *requestPaused
	request *driver.Request
	info    driver.RequestInfo // as the page sent it

	answered *requestPaused // the answer, once it was sent for
}

// handle has handlers take part in a request, one after the other until one has
// decided. It ends with the page.
func (i *interceptor) handle(s *session, e *requestPaused, info driver.RequestInfo, chain *intercept.Chain) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	if s.page != nil {
		go func() {
			select {
			case <-s.page.left:
				cancel(driver.ErrClosed)
			case <-ctx.Done():
			}
		}()
	}
	x := &exchange{browser: i.browser, session: s, paused: e, info: info}
	x.request = &driver.Request{RequestInfo: info, Header: e.header(), Body: e.body(), Send: x.send}
	reply, err := chain.Handle(ctx, x.request, func() bool { return x.answered != nil })
	switch {
	case err != nil:
		i.failRequest(s, e, info.Kind, err)
	case reply != nil:
		x.fulfill(reply)
	case x.answered != nil && x.answered.failure != "":
		s.Post(protocol.FetchFailRequest.With(fetch.FailRequestArgs{RequestID: e.RequestID, ErrorReason: x.answered.failure}))
	case x.answered != nil:
		s.Post(protocol.FetchContinueRequest.With(fetch.ContinueRequestArgs{RequestID: e.RequestID}))
	default:
		args, err := x.outgoing()
		if err != nil {
			i.failRequest(s, e, info.Kind, err)
			return
		}
		s.Post(protocol.FetchContinueRequest.With(*args))
	}
}

var errSentTwice = errors.New("a request can be sent once")

// send lets the request out and waits for the answer.
func (x *exchange) send(ctx context.Context) (*driver.Reply, error) {
	if x.answered != nil {
		return nil, errSentTwice
	}
	args, err := x.outgoing()
	if err != nil {
		return nil, err
	}
	args.SetInterceptResponse(true)
	id := x.paused.RequestID
	answer := make(chan *requestPaused, 1)
	x.browser.awaitAnswer(id, answer)
	defer x.browser.awaitAnswer(id, nil)
	if _, err := protocol.FetchContinueRequest.Do(ctx, x.session, *args); err != nil {
		return nil, err
	}
	select {
	case x.answered = <-answer:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if reason := x.answered.failure; reason != "" {
		return nil, fmt.Errorf("%s could not be fetched: %s", x.request.URL, reason)
	}
	reply := &driver.Reply{Status: x.answered.status, Header: http.Header{}}
	for _, h := range x.answered.headers {
		reply.Header.Add(h.Name, h.Value)
	}
	if reply.Status >= 300 && reply.Status < 400 && reply.Header.Get("Location") != "" {
		return reply, nil // Chrome has no body of a redirect
	}
	got, err := protocol.FetchGetResponseBody.Do(ctx, x.session, fetch.GetResponseBodyArgs{RequestID: id})
	if err != nil {
		return nil, err
	}
	reply.Body = []byte(got.Body)
	if got.Base64Encoded {
		if reply.Body, err = base64.StdEncoding.DecodeString(got.Body); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// outgoing is the request as the handler left it.
func (x *exchange) outgoing() (*fetch.ContinueRequestArgs, error) {
	r, args := x.request, fetch.NewContinueRequestArgs(x.paused.RequestID)
	if r.URL != x.info.URL {
		u, err := url.Parse(r.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("a handler sent a request to %q: it can go to addresses over http and https", r.URL)
		}
		if allow := x.browser.opts.Allow; allow != nil {
			if err := allow(r.RequestInfo); err != nil {
				return nil, err
			}
		}
		args.SetURL(r.URL)
	}
	if r.Method != x.info.Method {
		args.SetMethod(r.Method)
	}
	if body := x.paused.body(); string(body) != string(r.Body) {
		args.SetPostData(r.Body)
	}
	if !sameHeader(r.Header, x.paused.header()) {
		args.SetHeaders(headerEntries(r.Header))
	}
	return args, nil
}

// fulfill gives the page a reply.
func (x *exchange) fulfill(reply *driver.Reply) {
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	header := reply.Header.Clone()
	for _, name := range []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"} {
		header.Del(name) // of the body as it was on the wire
	}
	args := fetch.NewFulfillRequestArgs(x.paused.RequestID, status).SetResponseHeaders(headerEntries(header)).SetBody(reply.Body)
	if text := http.StatusText(status); text != "" {
		args.SetResponsePhrase(text)
	}
	x.session.Post(protocol.FetchFulfillRequest.With(*args))
}

// awaitAnswer says who waits for the answer to a request; nil: nobody any more.
func (i *interceptor) awaitAnswer(id fetch.RequestID, to chan<- *requestPaused) {
	i.browser.mu.Lock()
	defer i.browser.mu.Unlock()
	if i.answers == nil {
		i.answers = map[fetch.RequestID]chan<- *requestPaused{}
	}
	if to == nil {
		delete(i.answers, id)
		return
	}
	i.answers[id] = to
}

// answer passes an answer on to who waits for it. It reports whether the event
// is one.
func (i *interceptor) answer(e *requestPaused) bool {
	if e.status == 0 && e.failure == "" {
		return false
	}
	i.browser.mu.Lock()
	to := i.answers[e.RequestID]
	i.browser.mu.Unlock()
	if to == nil {
		return false // nobody waits any more: it continues as it is
	}
	to <- e
	return true
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
func (e *requestPaused) body() []byte {
	var body []byte
	for _, part := range gjson.Get(e.raw, "postDataEntries.#.bytes").Array() {
		bytes, err := base64.StdEncoding.DecodeString(part.Str)
		if err != nil {
			return nil // Chrome writes no such thing
		}
		body = append(body, bytes...)
	}
	return body
}

func (e *requestPaused) read(params gjson.Result) {
	params.ForEach(func(name, v gjson.Result) bool {
		switch name.Str {
		case "requestId":
			e.RequestID = fetch.RequestID(text(v))
		case "request":
			e.Request.URL, e.Request.Method, e.raw = text(v.Get("url")), text(v.Get("method")), strings.Clone(v.Raw)
		case "frameId":
			e.FrameID = driver.FrameID(text(v))
		case "resourceType":
			e.ResourceType = text(v)
		case "networkId":
			e.NetworkID = text(v)
		case "redirectedRequestId":
			e.RedirectedRequestID = text(v)
		case "responseStatusCode":
			e.status = int(v.Int())
		case "responseErrorReason":
			e.failure = network.ErrorReason(text(v))
		case "responseHeaders":
			for _, h := range v.Array() {
				e.headers = append(e.headers, fetch.HeaderEntry{Name: text(h.Get("name")), Value: text(h.Get("value"))})
			}
		}
		return true
	})
}

func headerEntries(h http.Header) []fetch.HeaderEntry {
	entries := []fetch.HeaderEntry{}
	for name, values := range h {
		for _, v := range values {
			entries = append(entries, fetch.HeaderEntry{Name: name, Value: v})
		}
	}
	return entries
}

func sameHeader(a, b http.Header) bool {
	if len(a) != len(b) {
		return false
	}
	for name, values := range a {
		if strings.Join(values, "\n") != strings.Join(b[name], "\n") {
			return false
		}
	}
	return true
}

// credentials answers a server that asks who is there, once for each request:
// the second question says that the first answer was wrong.
func (i *interceptor) credentials(e *authRequired) *driver.Credentials {
	for k := range i.browser.opts.Credentials {
		c := &i.browser.opts.Credentials[k]
		if !sameOrigin(c.Origin, e.AuthChallenge.Origin) || !i.firstChallenge(e.RequestID) {
			continue
		}
		return c
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
	s.Post(protocol.FetchFailRequest.With(fetch.FailRequestArgs{RequestID: e.RequestID, ErrorReason: reason}))
}
