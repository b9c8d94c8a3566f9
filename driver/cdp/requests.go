package cdp

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
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

func (p *page) requestWillBeSent(s *session, e *requestWillBeSent) {
	if e.RedirectResponse != nil {
		if r := p.requests[e.RequestID]; r != nil {
			r.status = e.RedirectResponse.Status
		}
		p.endRequest(e.RequestID, false)
	}
	// A worker's script is asked for in the name of no document, and the end
	// of that is told to the worker alone.
	if e.LoaderID == "" || p.requests[e.RequestID] != nil {
		return // the latter is told by two processes
	}
	p.requests[e.RequestID] = &request{frame: e.FrameID, loader: e.LoaderID}
	p.stir++
	p.browser.tell(driver.RequestStarted{
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
	p.browser.tell(driver.RequestEnded{Page: p.ID(), ID: id, Failed: failed, Status: r.status})
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
