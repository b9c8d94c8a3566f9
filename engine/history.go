package engine

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// maxEntries bounds a history; the oldest entries go first.
const maxEntries = 10_000

type history struct {
	mu      sync.Mutex
	entries []*Entry
}

// History returns the session's entries, oldest first, without values of
// variables. The caller owns the slice.
func (s *Session) History() []Entry {
	h := &s.journal.history
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Entry, len(h.entries))
	for i, e := range h.entries {
		out[i] = *e
		out[i].Actions = slices.Clone(e.Actions)
		out[i].PageURL = s.secrets.hide(e.PageURL)
		out[i].Instruction = s.secrets.hide(e.Instruction)
		out[i].Message = s.secrets.hide(e.Message)
		out[i].Address = s.secrets.hide(e.Address)
		out[i].Arrived = s.secrets.hide(e.Arrived)
		if e.Approval != nil {
			out[i].Approval = s.secrets.hideApproval(e.Approval)
		}
		if e.Response != nil {
			answer := *e.Response
			answer.URL = s.secrets.hide(answer.URL)
			out[i].Response = &answer
		}
	}
	return out
}

// Metrics returns the sums so far.
func (s *Session) Metrics() Metrics {
	m := &s.journal.metrics
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.sum
	out.Cache.Reasons = maps.Clone(m.sum.Cache.Reasons)
	out.Asks = make(map[llm.Purpose]AskMetrics, len(m.sum.Asks))
	for purpose, a := range m.sum.Asks {
		out.Asks[purpose] = a
	}
	return out
}

// enter begins a call's entry in the history and returns the context to work
// with. p is nil if all pages were closed.
func (s *Session) enter(ctx context.Context, name Operation, p *Page) (context.Context, *Entry) {
	e := Entry{ID: uuid.New(), Parent: parentOf(ctx), Operation: name, Begin: time.Now()}
	if p != nil {
		e.Page, e.PageURL = p.id, s.secrets.hide(p.URL())
	}
	return s.journal.began(ctx, &e), &e
}

// modelName returns the name of the model, or "" if none was asked.
func (s *Session) modelName(own LLM, used Usage) string {
	model := cmp.Or(own, s.opts.Model)
	if model == nil || used == (Usage{}) {
		return ""
	}
	return model.Name()
}

// BeginCall records a call of the caller's own, such as an agent's run, in the
// history and calls the hooks for it. Calls made with the returned context
// belong to it (see [WithParent]) and to its span. page may be nil, for the
// active page. End must be called exactly once.
func (s *Session) BeginCall(ctx context.Context, page *Page, name Operation, instruction string) (context.Context, *Call) {
	ctx, entry := s.enter(ctx, name, cmp.Or(page, s.Page()))
	return WithParent(ctx, entry.ID), &Call{session: s, ctx: ctx, entry: entry, instruction: instruction}
}

// A Call is an operation in progress that the engine does not perform itself.
type Call struct {
	session     *Session
	ctx         context.Context // the hooks' context from the beginning
	entry       *Entry
	instruction string
}

// ID returns the ID of the call's entry.
func (c *Call) ID() string { return c.entry.ID }

// End ends the call. fill, if not nil, completes its entry; it must not call
// the session. Values of variables are hidden in what it writes.
func (c *Call) End(err error, fill func(*Entry)) {
	s := c.session
	if err != nil {
		err = s.secrets.hideError(err)
	}
	s.journal.ended(c.ctx, c.entry, err, func(e *Entry) {
		e.Instruction = c.instruction
		if fill != nil {
			fill(e)
		}
		e.Instruction, e.Message = s.secrets.hide(e.Instruction), s.secrets.hideShown(e.Message)
		e.Data = s.secrets.hideJSON(e.Data)
	})
}

type parentKey struct{}

// WithParent returns a context whose calls have id as their [Entry].Parent.
func WithParent(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, parentKey{}, id)
}

func parentOf(ctx context.Context) string {
	id, _ := ctx.Value(parentKey{}).(string)
	return id
}

// A journal is the one sink for events of a session. It passes each on to the
// history, the metrics, the log and the hooks.
type journal struct {
	log     *slog.Logger
	hooks   *Hooks
	history history
	metrics metrics
}

// began records the beginning of a call and returns the context to work with.
func (j *journal) began(ctx context.Context, e *Entry) context.Context {
	j.history.begin(e)
	if j.hooks.Began != nil {
		if inner := j.hooks.Began(ctx, *e); inner != nil {
			return inner
		}
	}
	return ctx
}

// heard passes events of the browser on to the hooks that listen to them.
func (j *journal) heard(e driver.Event, hide func(string) string) {
	switch e := e.(type) {
	case driver.PageOpened:
		if j.hooks.Opened != nil {
			e.URL = hide(e.URL)
			j.hooks.Opened(e)
		}
	case driver.ConsoleMessage:
		if j.hooks.Console != nil {
			e.Text, e.URL = hide(e.Text), hide(e.URL)
			j.hooks.Console(e)
		}
	case driver.PageError:
		if j.hooks.PageError != nil {
			e.Text, e.URL = hide(e.Text), hide(e.URL)
			j.hooks.PageError(e)
		}
	case driver.ToolsChanged:
		if j.hooks.ToolsChanged != nil {
			j.hooks.ToolsChanged(e)
		}
	}
}

// looked reports a reading of a page. detail adds what only a hook needs.
func (j *journal) looked(ctx context.Context, l Look, detail func(*Look)) {
	j.metrics.looked(l)
	if j.hooks.Looked != nil {
		detail(&l)
		j.hooks.Looked(ctx, l)
	}
}

func (j *journal) asked(ctx context.Context, a Ask) {
	j.metrics.asked(a)
	if j.hooks.Asked != nil {
		j.hooks.Asked(ctx, a)
	}
}

// cached reports the cache's part in an act. An act that ended before it asked
// the cache reports nothing.
func (j *journal) cached(ctx context.Context, use *CacheUse) {
	if use == nil || use.Result == "" {
		return
	}
	j.metrics.cached(use)
	j.log.Debug("act cache", "outcome", use.Result, "reason", use.Reason, "detail", use.Detail, "kept", use.Kept)
	if j.hooks.Cached != nil {
		j.hooks.Cached(ctx, *use)
	}
}

func (j *journal) acted(ctx context.Context, name Operation, r *ActResult, err error) {
	j.metrics.acted(r, err)
	j.log.Debug("acted", "action", r.ID, "method", name, "success", r.Success,
		"sent", r.Sent, "effect", r.Evidence.Effect, "message", r.Message, "duration", r.Duration)
	if j.hooks.Acted != nil {
		j.hooks.Acted(ctx, *r)
	}
}

// unquiet reports that settling gave up, and what it had waited for.
func (j *journal) unquiet(page driver.PageID, waited time.Duration, pending string) {
	j.log.Warn("the page was not quiet in time", "page", page, "waited", waited, "pending", pending)
}

func (j *journal) refused(r Refusal) {
	j.metrics.refused()
	if j.hooks.Refused != nil {
		j.hooks.Refused(r)
	}
	j.log.Warn("request refused", "url", r.URL, "kind", r.Kind, "reason", r.Reason)
}

// ended closes the entry of a call; fill completes it.
func (j *journal) ended(ctx context.Context, e *Entry, err error, fill func(*Entry)) {
	j.history.end(e, err, fill)
	if j.hooks.Ended != nil {
		j.hooks.Ended(ctx, *e, err)
	}
}

func (h *history) begin(e *Entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.entries) >= maxEntries {
		h.entries = slices.Delete(h.entries, 0, maxEntries/10)
	}
	h.entries = append(h.entries, e)
}

// end closes an entry; fill completes it.
func (h *history) end(e *Entry, err error, fill func(*Entry)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.End = time.Now()
	e.Success = err == nil
	if err != nil {
		e.Message = err.Error()
	}
	fill(e)
}

// A RequestSeen is a request that a page sent for a document, or by fetch or
// XMLHttpRequest. Images, scripts and style sheets are not recorded.
type RequestSeen struct {
	Method string    `json:"method"`
	URL    string    `json:"url"`              // without values of variables
	Status int       `json:"status,omitempty"` // of the answer; 0 until there is one
	Failed bool      `json:"failed,omitempty"` // it got no answer
	Ended  bool      `json:"ended"`            // false while waiting for the answer
	Begin  time.Time `json:"begin"`

	// Fields are what its body has, if it is a form's, JSON, or lines, and not
	// longer than [driver.MaxBody]. Values of variables are placeholders, and
	// those of fields that are called passwords bullets.
	Fields []OutgoingField `json:"fields,omitempty"`

	Page driver.PageID `json:"page"`
}

// A keptRequest is a request with its body as it was sent.
type keptRequest struct {
	RequestSeen
	contentType, body string
}

// maxRequests bounds what a session remembers; the oldest requests go first.
const maxRequests = 1000

// requestLog remembers a session's requests. The driver's goroutine fills it.
type requestLog struct {
	mu   sync.Mutex // protects what follows
	seen []*keptRequest
	open map[string]*keptRequest // requests in flight, by page and id
}

// take records an event.
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
	if len(l.seen) >= maxRequests {
		l.seen = slices.Delete(l.seen, 0, maxRequests/10)
	}
	if l.open == nil || len(l.open) >= maxRequests {
		l.open = map[string]*keptRequest{}
	}
	r := &keptRequest{RequestSeen{Method: e.Method, URL: e.URL, Begin: time.Now(), Page: e.Page}, e.ContentType, e.Body}
	l.seen = append(l.seen, r)
	l.open[string(e.Page)+" "+e.ID] = r
}

// Requests returns the requests for documents and data that the session's pages
// sent since a moment, oldest first. A session keeps the last 1,000. The caller
// owns the slice.
func (s *Session) Requests(since time.Time) []RequestSeen {
	l := &s.requests
	l.mu.Lock()
	var kept []keptRequest
	for _, r := range l.seen {
		if !r.Begin.Before(since) {
			kept = append(kept, *r)
		}
	}
	l.mu.Unlock()
	out := make([]RequestSeen, len(kept))
	for i, r := range kept {
		out[i] = r.RequestSeen
		out[i].URL = s.secrets.hide(r.URL)
		if r.body != "" {
			sent := outgoing.FromWire(r.Method, "", http.Header{"Content-Type": {r.contentType}}, []byte(r.body))
			out[i].Fields = sent.Map(s.secrets.hide).Fields
		}
	}
	return out
}

// HideOutgoing returns a copy that may be shown: values of variables have become
// their placeholders, and values of passwords bullets. It is nil for nil.
func (s *Session) HideOutgoing(r *Outgoing) *Outgoing {
	return s.secrets.hideOutgoing(r)
}
