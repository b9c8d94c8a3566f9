package engine

import (
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A RequestSeen is a request that a page of a session sent: of a document, or by
// fetch and XMLHttpRequest. Pictures, scripts and style sheets are not kept.
type RequestSeen struct {
	Method string    `json:"method"`
	URL    string    `json:"url"`              // without values of variables
	Status int       `json:"status,omitempty"` // of the answer; 0 while it is awaited, or where there was none
	Failed bool      `json:"failed,omitempty"` // it got no answer
	Ended  bool      `json:"ended"`            // false while the answer is awaited
	Begin  time.Time `json:"begin"`

	Page driver.PageID `json:"page"`
}

// mostRequests bounds what a session remembers; the oldest go first.
const mostRequests = 1000

// requestLog remembers the requests of a session. The driver's goroutine fills it.
type requestLog struct {
	mu   sync.Mutex // protects what follows
	seen []*RequestSeen
	open map[string]*RequestSeen // by page and id: those whose end is not known
}

// take notes an event.
func (l *requestLog) take(e driver.Event) {
	switch e := e.(type) {
	case driver.RequestStarted:
		if e.Kind != driver.RequestDocument && e.Kind != driver.RequestFetch {
			return
		}
		l.begin(e)
	case driver.RequestEnded:
		l.mu.Lock()
		defer l.mu.Unlock()
		key := string(e.Page) + " " + e.ID
		if r := l.open[key]; r != nil {
			r.Status, r.Failed, r.Ended = e.Status, e.Failed, true
			delete(l.open, key)
		}
	}
}

func (l *requestLog) begin(e driver.RequestStarted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) >= mostRequests {
		l.seen = slices.Delete(l.seen, 0, mostRequests/10)
	}
	if l.open == nil || len(l.open) >= mostRequests {
		l.open = map[string]*RequestSeen{}
	}
	r := &RequestSeen{Method: e.Method, URL: e.URL, Begin: time.Now(), Page: e.Page}
	l.seen = append(l.seen, r)
	l.open[string(e.Page)+" "+e.ID] = r
}

// Requests returns the requests for documents and data that the session's pages
// have sent since a moment, oldest first. The last 1,000 of a session are kept.
// The caller owns the slice.
func (s *Session) Requests(since time.Time) []RequestSeen {
	l := &s.requests
	l.mu.Lock()
	var out []RequestSeen
	for _, r := range l.seen {
		if !r.Begin.Before(since) {
			out = append(out, *r)
		}
	}
	l.mu.Unlock()
	for i := range out {
		out[i].URL = s.secrets.hide(out[i].URL)
	}
	return out
}
