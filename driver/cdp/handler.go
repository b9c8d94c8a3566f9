package cdp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mafredri/cdp/protocol/fetch"
	"github.com/mafredri/cdp/protocol/network"
	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
	"github.com/wayfinder-engine/wayfinder/driver/internal/intercept"
)

// requestPaused decides about a request on a goroutine of its own: others
// need not wait for the decision.
func (b *browser) requestPaused(s *session, e *requestPaused) {
	if s.page != nil && s.page.isBlank() {
		s.Post(protocol.FetchFulfillRequest.With(fetch.FulfillRequestArgs{
			RequestID: e.RequestID, ResponseCode: http.StatusOK,
			ResponseHeaders: []fetch.HeaderEntry{{Name: "content-type", Value: "text/html"}},
			Body:            []byte(`<link rel=icon href="data:,">`), // no request for one
		}))
		return
	}
	if b.answer(e) {
		return
	}
	if b.opts.Allow == nil && b.opts.Handler == nil && !b.handlers.Any() || e.status != 0 || e.failure != "" {
		s.Post(protocol.FetchContinueRequest.With(fetch.ContinueRequestArgs{RequestID: e.RequestID}))
		return
	}
	// Not waited for: Close must not hang on somebody who does not decide.
	go b.decide(s, e)
}

func (b *browser) decide(s *session, e *requestPaused) {
	info := driver.RequestInfo{
		URL: e.Request.URL, Method: e.Request.Method, Kind: requestKind(e.ResourceType),
		Frame: e.FrameID, Redirected: e.RedirectedRequestID != "",
	}
	if b.opts.Allow != nil {
		if err := b.opts.Allow(info); err != nil {
			b.failRequest(s, e, info.Kind, err)
			return
		}
	}
	chain := b.handlers.TakingPart(info, b.opts.Handler)
	defer chain.Leave()
	if !chain.Empty() {
		b.handle(s, e, info, &chain)
		return
	}
	s.Post(protocol.FetchContinueRequest.With(fetch.ContinueRequestArgs{RequestID: e.RequestID}))
}

// Intercept implements driver.Interceptor.
func (b *browser) Intercept(ctx context.Context, h *driver.Handler) (stop func(), err error) {
	if b.isGone() {
		return nil, opError("intercept", "", b.goneError())
	}
	b.switching.Lock()
	defer b.switching.Unlock()
	held := b.intercepts()
	leave := b.handlers.Add(h)
	var calls []*conn.Call
	start := func(to []*session, c conn.Command) {
		for _, s := range to {
			if started, err := s.Start(ctx, c); err == nil { // a session that is gone has no requests
				calls = append(calls, started...)
			}
		}
	}
	if h.Seal {
		start(b.seal(), initScript(sealScript, "", false))
	}
	stop = func() {
		leave() // before: Chrome lets out what is still held when interception ends
		b.switching.Lock()
		defer b.switching.Unlock()
		if !b.intercepts() {
			for _, s := range b.sessions() {
				s.Post(protocol.FetchDisable.With(conn.None{}))
			}
		}
	}
	if !held {
		start(b.sessions(), b.interception())
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

// sessions are those of all pages, frames and workers.
func (b *browser) sessions() []*session {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := slices.Clone(b.workers)
	for _, p := range b.pages {
		list = append(append(append(list, p.session), p.extra...), p.workers...)
	}
	return list
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
func (b *browser) handle(s *session, e *requestPaused, info driver.RequestInfo, chain *intercept.Chain) {
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
	x := &exchange{browser: b, session: s, paused: e, info: info}
	x.request = &driver.Request{RequestInfo: info, Header: e.header(), Body: e.body(), Send: x.send}
	reply, err := chain.Handle(ctx, x.request, func() bool { return x.answered != nil })
	switch {
	case err != nil:
		b.failRequest(s, e, info.Kind, err)
	case reply != nil:
		x.fulfill(reply)
	case x.answered != nil && x.answered.failure != "":
		s.Post(protocol.FetchFailRequest.With(fetch.FailRequestArgs{RequestID: e.RequestID, ErrorReason: x.answered.failure}))
	case x.answered != nil:
		s.Post(protocol.FetchContinueRequest.With(fetch.ContinueRequestArgs{RequestID: e.RequestID}))
	default:
		args, err := x.outgoing()
		if err != nil {
			b.failRequest(s, e, info.Kind, err)
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
func (b *browser) awaitAnswer(id fetch.RequestID, to chan<- *requestPaused) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answers == nil {
		b.answers = map[fetch.RequestID]chan<- *requestPaused{}
	}
	if to == nil {
		delete(b.answers, id)
		return
	}
	b.answers[id] = to
}

// answer passes an answer on to who waits for it. It reports whether the event
// is one.
func (b *browser) answer(e *requestPaused) bool {
	if e.status == 0 && e.failure == "" {
		return false
	}
	b.mu.Lock()
	to := b.answers[e.RequestID]
	b.mu.Unlock()
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
func (b *browser) credentials(e *authRequired) *driver.Credentials {
	for i := range b.opts.Credentials {
		c := &b.opts.Credentials[i]
		if !sameOrigin(c.Origin, e.AuthChallenge.Origin) || !b.firstChallenge(e.RequestID) {
			continue
		}
		return c
	}
	return nil
}

// maxChallenges bounds what is remembered of questions for credentials.
const maxChallenges = 1000

func (b *browser) firstChallenge(id fetch.RequestID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, asked := b.challenged[id]; asked {
		return false
	}
	if b.challenged == nil || len(b.challenged) >= maxChallenges {
		b.challenged = map[fetch.RequestID]struct{}{}
	}
	b.challenged[id] = struct{}{}
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
func (b *browser) authRequired(s *session, e *authRequired) {
	answer := fetch.AuthChallengeResponse{Response: "Default"}
	if e.AuthChallenge.Source == "Proxy" {
		if b.proxyAuth() {
			answer = fetch.AuthChallengeResponse{
				Response: "ProvideCredentials",
				Username: &b.opts.Proxy.Username, Password: &b.opts.Proxy.Password,
			}
		}
	} else if c := b.credentials(e); c != nil {
		answer = fetch.AuthChallengeResponse{Response: "ProvideCredentials", Username: &c.Username, Password: &c.Password}
	}
	s.Post(protocol.FetchContinueWithAuth.With(fetch.ContinueWithAuthArgs{RequestID: e.RequestID, AuthChallengeResponse: answer}))
}
