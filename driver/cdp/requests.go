package cdp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mafredri/cdp/protocol/fetch"
	"github.com/mafredri/cdp/protocol/network"
	cdptarget "github.com/mafredri/cdp/protocol/target"
	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// A request is under way.
type request struct {
	frame  driver.FrameID
	loader driver.DocID // the document that it is for
	status int          // of the answer; 0 before it
}

// responses are those of main documents, the oldest first. A document that
// comes out of the back/forward cache has its former one.
type responses struct {
	docs []driver.DocID
	by   map[driver.DocID]*driver.Response
}

// maxResponses is more than a tab's history holds.
const maxResponses = 60

func (r *responses) of(doc driver.DocID) *driver.Response { return r.by[doc] }

func (r *responses) add(doc driver.DocID, res *driver.Response) {
	if r.by == nil {
		r.by = map[driver.DocID]*driver.Response{}
	}
	if _, had := r.by[doc]; !had {
		r.docs = append(r.docs, doc)
	}
	r.by[doc] = res
	if len(r.docs) > maxResponses {
		delete(r.by, r.docs[0])
		r.docs = slices.Delete(r.docs, 0, 1)
	}
}

type requestWillBeSent struct {
	RequestID        string
	LoaderID         driver.DocID
	FrameID          driver.FrameID
	Type             string
	Request          struct{ URL, Method string }
	RedirectResponse *struct{ Status int }
}

func (e *requestWillBeSent) read(params gjson.Result) {
	params.ForEach(func(name, v gjson.Result) bool {
		switch name.Str {
		case "requestId":
			e.RequestID = text(v)
		case "loaderId":
			e.LoaderID = driver.DocID(text(v))
		case "frameId":
			e.FrameID = driver.FrameID(text(v))
		case "type":
			e.Type = text(v)
		case "request":
			e.Request.URL, e.Request.Method = text(v.Get("url")), text(v.Get("method"))
		case "redirectResponse":
			e.RedirectResponse = &struct{ Status int }{int(v.Get("status").Int())}
		}
		return true
	})
}

func (p *page) requestWillBeSent(s *session, e *requestWillBeSent) {
	if e.RedirectResponse != nil {
		if r := p.requests[e.RequestID]; r != nil {
			r.status = e.RedirectResponse.Status
		}
		p.endRequest(e.RequestID, false)
	}
	// A worker's script is asked for in the name of no document, and the end
	// of that is reported to the worker alone.
	if e.LoaderID == "" || p.requests[e.RequestID] != nil {
		return // two processes report the latter
	}
	p.requests[e.RequestID] = &request{frame: e.FrameID, loader: e.LoaderID}
	p.traffic++
	p.browser.emit(driver.RequestStarted{
		Page: p.ID(), Frame: e.FrameID, ID: e.RequestID,
		Kind: requestKind(e.Type), Method: e.Request.Method, URL: e.Request.URL,
	})
}

type responseReceived struct {
	RequestID string
	LoaderID  driver.DocID
	FrameID   driver.FrameID
	Type      string
	Response  struct {
		URL           string
		Status        int
		StatusText    string
		Headers       map[string]string
		FromDiskCache bool
	}
}

func (e *responseReceived) read(params gjson.Result) {
	params.ForEach(func(name, v gjson.Result) bool {
		switch name.Str {
		case "requestId":
			e.RequestID = text(v)
		case "loaderId":
			e.LoaderID = driver.DocID(text(v))
		case "frameId":
			e.FrameID = driver.FrameID(text(v))
		case "type":
			e.Type = text(v)
		case "response":
			r := &e.Response
			r.URL, r.Status, r.StatusText = text(v.Get("url")), int(v.Get("status").Int()), text(v.Get("statusText"))
			r.FromDiskCache = v.Get("fromDiskCache").Bool()
			r.Headers = map[string]string{}
			v.Get("headers").ForEach(func(name, v gjson.Result) bool {
				r.Headers[text(name)] = text(v)
				return true
			})
		}
		return true
	})
}

func (p *page) responseReceived(s *session, e *responseReceived) {
	if r := p.requests[e.RequestID]; r != nil && overHTTP(e.Response.URL) {
		r.status = e.Response.Status
	}
	if e.Type != "Document" || e.RequestID != string(e.LoaderID) {
		return
	}
	res := &driver.Response{
		URL: e.Response.URL, Status: e.Response.Status, StatusText: e.Response.StatusText,
		Headers: make(map[string]string, len(e.Response.Headers)), FromCache: e.Response.FromDiskCache,
	}
	for name, value := range e.Response.Headers {
		res.Headers[strings.ToLower(name)] = strings.ReplaceAll(value, "\n", ", ")
	}
	if !overHTTP(res.URL) {
		res.Status, res.StatusText = 0, ""
	}
	p.responses.add(e.LoaderID, res)
}

// overHTTP reports whether an answer from this address has a status. Chrome
// says 200 where the scheme knows none.
func overHTTP(url string) bool {
	return strings.HasPrefix(url, "http:") || strings.HasPrefix(url, "https:")
}

type loadingFinished struct{ RequestID string }

func (p *page) loadingFinished(s *session, e *loadingFinished) { p.endRequest(e.RequestID, false) }

type loadingFailed struct {
	RequestID string
	Type      string
	ErrorText string
	Canceled  bool
}

func (p *page) loadingFailed(s *session, e *loadingFailed) {
	loader := driver.DocID(e.RequestID) // a document's request has its name
	r := p.requests[e.RequestID]
	p.endRequest(e.RequestID, true)
	if e.Type != "Document" {
		return
	}
	if r != nil && r.loader == loader {
		if f := p.frames[r.frame]; f != nil {
			f.failure = fetchFailure{loader: loader, text: e.ErrorText, canceled: e.Canceled}
		}
	}
	// A navigation that was canceled shows nothing; one that failed otherwise
	// shows Chrome's page about it. Some are refused before they are requests.
	if e.Canceled {
		p.giveUp(loader)
	}
}

// endRequest tells the end of a request.
func (p *page) endRequest(id string, failed bool) {
	r := p.requests[id]
	if r == nil {
		return
	}
	delete(p.requests, id)
	p.browser.emit(driver.RequestEnded{Page: p.ID(), ID: id, Failed: failed, Status: r.status})
}

// endRequests ends the requests of a frame for other documents than keep:
// Chrome does not tell their ends once it has changed the process.
func (p *page) endRequests(f *frame, keep driver.DocID) {
	var ids []string
	for id, r := range p.requests {
		if r.frame == f.id && r.loader != keep {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		p.endRequest(id, true)
	}
}

// requestKind translates Chrome's resource type.
func requestKind(t string) driver.RequestKind {
	switch t {
	case "Document":
		return driver.RequestDocument
	case "Script":
		return driver.RequestScript
	case "Stylesheet":
		return driver.RequestStylesheet
	case "XHR", "Fetch":
		return driver.RequestFetch
	case "Image":
		return driver.RequestImage
	default:
		return driver.RequestOther
	}
}

// intercepts reports whether requests are held up for us: only where somebody
// decides about them or takes part in them, or is asked for a password.
func (b *browser) intercepts() bool {
	return b.opts.Allow != nil || b.opts.Handler != nil || b.answersChallenges()
}

// answersChallenges reports whether a proxy or a server may ask who is there.
func (b *browser) answersChallenges() bool { return b.proxyAuth() || len(b.opts.Credentials) > 0 }

func (b *browser) proxyAuth() bool { return b.opts.Proxy != nil && b.opts.Proxy.Username != "" }

// attachBelow has whatever a page or a worker begets attached to us before its
// first byte: frames in processes of their own, workers and worklets of every
// kind. It names none, because Chrome holds those that a filter leaves out, too,
// and then nobody is there to let them run.
func (b *browser) attachBelow() conn.Command {
	return autoAttach(cdptarget.Filter{{}})
}

// interception is the command that has requests held up.
func (b *browser) interception() conn.Command {
	return protocol.FetchEnable.With(fetch.EnableArgs{Patterns: allRequests, HandleAuthRequests: new(b.answersChallenges())})
}

// allRequests are those of every address.
var allRequests = []fetch.RequestPattern{{URLPattern: new("*")}}

// addWorker takes in a worker that waits, so that its requests are decided
// about, too. It reports false if they are nobody's business.
func (b *browser) addWorker(s *session) bool {
	if !b.intercepts() {
		return false
	}
	s.browser = b
	if s.parent.page != nil {
		s.page = s.parent.page
		b.mu.Lock()
		s.page.workers = append(s.page.workers, s)
		b.mu.Unlock()
	}
	s.Post(b.interception(), b.attachBelow(), protocol.RuntimeRunIfWaitingForDebugger.With(conn.None{}))
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
	if b.opts.Allow == nil && b.opts.Handler == nil || e.status != 0 || e.failure != "" {
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
	if h := b.handler(info); h != nil {
		b.handle(s, e, info, h)
		return
	}
	s.Post(protocol.FetchContinueRequest.With(fetch.ContinueRequestArgs{RequestID: e.RequestID}))
}

// failRequest has a request fail for a reason, which whoever navigated gets.
func (b *browser) failRequest(s *session, e *requestPaused, kind driver.RequestKind, err error) {
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

// maxRefused bounds the refusals that nobody asked about.
const maxRefused = 100

// refuse remembers why a document was refused, for whoever navigated to it.
func (p *page) refuse(id string, err error) {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	if len(p.refused) >= maxRefused {
		clear(p.refused)
	}
	p.refused[id] = err
}

func (p *page) isBlank() bool {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return p.blank
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

// refusal is the error of a navigation that policy refused.
func refusal(address string, why error) error {
	return &driver.NavigationError{
		URL: address, Reason: driver.ReasonBlocked, Detail: why.Error(),
		Err: fmt.Errorf("%w: %w", driver.ErrBlocked, why),
	}
}
