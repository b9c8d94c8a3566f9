package cdp

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/mafredri/cdp/protocol/network"
	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// text is a string that keeps nothing of the event alive in which it was.
func text(v gjson.Result) string { return strings.Clone(v.Str) }

type requestWillBeSent struct {
	RequestID        string
	LoaderID         driver.DocID
	FrameID          driver.FrameID
	Type             string
	Request          struct{ URL, Method string }
	RedirectResponse *struct{ Status int }

	contentType, body string
}

func (e *requestWillBeSent) read(params gjson.Result) {
	request := params.Get("request")
	e.RequestID, e.Type = text(params.Get("requestId")), text(params.Get("type"))
	e.LoaderID, e.FrameID = driver.DocID(text(params.Get("loaderId"))), driver.FrameID(text(params.Get("frameId")))
	e.Request.URL, e.Request.Method = text(request.Get("url")), text(request.Get("method"))
	e.readBody(request)
	if r := params.Get("redirectResponse"); r.Exists() {
		e.RedirectResponse = &struct{ Status int }{int(r.Get("status").Int())}
	}
}

// traffic holds a page's requests, and what we keep of their responses. browser.mu
// protects it.
type traffic struct {
	page      *page
	requests  map[string]*request // under way, by Chrome's name of them
	responses responses
	refused   map[string]error // why a document was refused, for who navigates to it
	began     int              // changes when a request begins or a document is shown
	sockets   bool             // the document has opened a WebSocket
	blank     bool             // every request is answered with an empty document
}

// shown notes that a frame shows another document.
func (t *traffic) shown(f *frame) {
	t.began++
	if f == t.page.main {
		t.sockets = false
	}
}

// A request is under way.
type request struct {
	frame  driver.FrameID
	loader driver.DocID // the document that it is for
	status int          // of the answer; 0 before it
}

// readBody reads what the request sends, unless that is too long.
func (e *requestWillBeSent) readBody(request gjson.Result) {
	if !request.Get("hasPostData").Bool() {
		return
	}
	body := sentBody(request)
	if len(body) > driver.MaxBody {
		return
	}
	request.Get("headers").ForEach(func(name, v gjson.Result) bool {
		if strings.EqualFold(name.Str, "Content-Type") {
			e.contentType = text(v)
		}
		return e.contentType == ""
	})
	e.body = string(body)
}

// sentBody is what a request sends, as far as Chrome tells it.
func sentBody(request gjson.Result) []byte {
	var body []byte
	for _, part := range request.Get("postDataEntries.#.bytes").Array() {
		bytes, err := base64.StdEncoding.DecodeString(part.Str)
		if err != nil {
			return nil // Chrome writes no such thing
		}
		body = append(body, bytes...)
	}
	return body
}

// fetched reports an address that Chrome fetches itself (Fetch, "fetch scheme", and those
// of its own pages).
func fetched(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	switch scheme {
	case "http", "https", "data", "blob", "file", "about", "filesystem", "chrome", "chrome-error", "chrome-extension", "devtools", "view-source":
		return true
	}
	return false
}

func (t *traffic) requestWillBeSent(s *session, e *requestWillBeSent) {
	if e.RedirectResponse != nil {
		if r := t.requests[e.RequestID]; r != nil {
			r.status = e.RedirectResponse.Status
		}
		t.endRequest(e.RequestID, false)
	}
	// A worker's script is asked for in the name of no document, and the end
	// of that is reported to the worker alone.
	if e.LoaderID == "" || t.requests[e.RequestID] != nil {
		return // two processes report the latter
	}
	if e.Type == "Document" && !fetched(e.Request.URL) {
		return // a navigation that another program may take, such as mailto
	}
	t.requests[e.RequestID] = &request{frame: e.FrameID, loader: e.LoaderID}
	t.began++
	started := driver.RequestStarted{
		Page: t.page.ID(), Frame: e.FrameID, ID: e.RequestID,
		Kind: requestKind(e.Type), Method: e.Request.Method, URL: e.Request.URL,
	}
	if started.Kind == driver.RequestDocument || started.Kind == driver.RequestFetch {
		started.ContentType, started.Body = e.contentType, e.body
	}
	t.page.browser.emit(started)
}

type responseReceived struct {
	RequestID string
	LoaderID  driver.DocID
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
	e.RequestID, e.LoaderID, e.Type = text(params.Get("requestId")), driver.DocID(text(params.Get("loaderId"))), text(params.Get("type"))
	r, v := &e.Response, params.Get("response")
	r.URL, r.Status, r.StatusText = text(v.Get("url")), int(v.Get("status").Int()), text(v.Get("statusText"))
	r.FromDiskCache = v.Get("fromDiskCache").Bool()
	r.Headers = map[string]string{}
	v.Get("headers").ForEach(func(name, v gjson.Result) bool {
		r.Headers[text(name)] = text(v)
		return true
	})
}

func (t *traffic) responseReceived(s *session, e *responseReceived) {
	if r := t.requests[e.RequestID]; r != nil && overHTTP(e.Response.URL) {
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
	t.responses.add(e.LoaderID, res)
}

// overHTTP reports whether an answer from this address has a status. Chrome
// says 200 where the scheme knows none.
func overHTTP(url string) bool {
	return strings.HasPrefix(url, "http:") || strings.HasPrefix(url, "https:")
}

func (t *traffic) loadingFinished(s *session, e *network.LoadingFinishedReply) {
	t.endRequest(string(e.RequestID), false)
}

func (t *traffic) loadingFailed(s *session, e *network.LoadingFailedReply) {
	id, canceled := string(e.RequestID), value(e.Canceled)
	loader := driver.DocID(id) // a document's request has its name
	r := t.requests[id]
	t.endRequest(id, true)
	if e.Type != "Document" {
		return
	}
	if r != nil && r.loader == loader {
		if f := t.page.frames[r.frame]; f != nil {
			f.failure = fetchFailure{loader: loader, text: e.ErrorText, canceled: canceled}
		}
	}
	// A navigation that was canceled shows nothing; one that failed otherwise
	// shows Chrome's page about it. Some are refused before they are requests.
	if canceled {
		t.page.giveUp(loader)
	}
}

// webSocketCreated notes that the page talks with its server past all requests.
func (t *traffic) webSocketCreated(*session, *struct{}) { t.sockets = true }

// endRequest tells the end of a request.
func (t *traffic) endRequest(id string, failed bool) {
	r := t.requests[id]
	if r == nil {
		return
	}
	delete(t.requests, id)
	t.page.browser.emit(driver.RequestEnded{Page: t.page.ID(), ID: id, Failed: failed, Status: r.status})
}

// requestKinds are what Chrome's resource types are called here.
var requestKinds = map[string]driver.RequestKind{
	"Document": driver.RequestDocument, "Script": driver.RequestScript, "Stylesheet": driver.RequestStylesheet, "XHR": driver.RequestFetch,
	"Fetch": driver.RequestFetch, "Image": driver.RequestImage, "Ping": driver.RequestBeacon,
}

// requestKind translates Chrome's resource type.
func requestKind(t string) driver.RequestKind { return cmp.Or(requestKinds[t], driver.RequestOther) }

// maxRefused bounds the refusals that nobody asked about.
const maxRefused = 100

// refuse remembers why a document was refused, for the caller that navigated to it.
func (t *traffic) refuse(id string, err error) {
	t.page.browser.mu.Lock()
	defer t.page.browser.mu.Unlock()
	if len(t.refused) >= maxRefused {
		clear(t.refused)
	}
	t.refused[id] = err
}

func (t *traffic) isBlank() bool {
	t.page.browser.mu.Lock()
	defer t.page.browser.mu.Unlock()
	return t.blank
}

// refusal is the error of a navigation that policy refused.
func refusal(address string, why error) error {
	return &driver.NavigationError{
		URL: address, Reason: driver.ReasonBlocked, Detail: why.Error(),
		Err: fmt.Errorf("%w: %w", driver.ErrBlocked, why),
	}
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
