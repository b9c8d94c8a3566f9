package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// maxEntries bounds a history; the oldest entries go first.
const maxEntries = 10_000

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

// A journal is the one sink for events of a session. It keeps the history and the
// metrics, and passes each event on to the log and the hooks.
type journal struct {
	log   *slog.Logger
	hooks *Hooks

	mu      sync.Mutex // protects what follows, and the entries
	entries []*Entry
	sums    Metrics
}

// began records the beginning of a call and returns the context to work with.
func (j *journal) began(ctx context.Context, e *Entry) context.Context {
	j.locked(func() {
		if len(j.entries) >= maxEntries {
			j.entries = slices.Delete(j.entries, 0, maxEntries/10)
		}
		j.entries = append(j.entries, e)
	})
	return j.hooks.began(ctx, *e)
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
	j.locked(func() {
		j.sums.Looks++
		j.sums.Settled += l.Settle
		if l.Capture > 0 {
			j.sums.Captures++
		}
	})
	if j.hooks.Looked != nil {
		detail(&l)
		j.hooks.Looked(ctx, l)
	}
}

func (j *journal) asked(ctx context.Context, a Ask) {
	j.locked(func() {
		of := j.sums.Asks[llm.Purpose(a.Purpose)]
		of.Requests++
		if a.Err != nil {
			of.Errors++
		}
		of.Usage = of.Usage.Add(a.Usage)
		j.sums.Asks[llm.Purpose(a.Purpose)] = of
	})
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
	j.locked(func() { j.sums.Cache.add(use) })
	j.log.Debug("act cache", "outcome", use.Result, "reason", use.Reason, "detail", use.Detail, "kept", use.Kept)
	if j.hooks.Cached != nil {
		j.hooks.Cached(ctx, *use)
	}
}

func (j *journal) acted(ctx context.Context, name Operation, r *ActResult, err error) {
	j.locked(func() {
		if r.Success {
			j.sums.Acts++
		} else {
			j.sums.Failed++
		}
		if errors.Is(err, ErrMayHaveHappened) {
			j.sums.Unknown++
		}
		if r.Healed {
			j.sums.Healed++
		}
	})
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
	j.locked(func() { j.sums.Refused++ })
	if j.hooks.Refused != nil {
		j.hooks.Refused(r)
	}
	j.log.Warn("request refused", "url", r.URL, "kind", r.Kind, "reason", r.Reason)
}

// ended closes the entry of a call; fill completes it.
func (j *journal) ended(ctx context.Context, e *Entry, err error, fill func(*Entry)) {
	j.locked(func() {
		e.End = time.Now()
		e.Success = err == nil
		if err != nil {
			e.Message = err.Error()
		}
		fill(e)
	})
	j.hooks.ended(ctx, *e, err)
}

// locked has f read or change what the journal keeps.
func (j *journal) locked(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f()
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
	id, contentType, body string
}

// maxRequests bounds what a session remembers; the oldest requests go first.
const maxRequests = 1000

// requestLog remembers a session's requests. The driver's goroutine fills it.
type requestLog struct {
	mu   sync.Mutex // protects what follows
	seen []*keptRequest
}

// take records an event.
func (l *requestLog) take(e driver.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := e.(type) {
	case driver.RequestStarted:
		if e.Kind != driver.RequestDocument && e.Kind != driver.RequestFetch {
			return
		}
		if len(l.seen) >= maxRequests {
			l.seen = slices.Delete(l.seen, 0, maxRequests/10)
		}
		seen := RequestSeen{Method: e.Method, URL: e.URL, Begin: time.Now(), Page: e.Page}
		l.seen = append(l.seen, &keptRequest{seen, e.ID, e.ContentType, e.Body})
	case driver.RequestEnded:
		for _, r := range slices.Backward(l.seen) { // a redirect has the id of what led to it
			if r.id != e.ID || r.Page != e.Page {
				continue
			}
			if !r.Ended {
				r.Status, r.Failed, r.Ended = e.Status, e.Failed, true
			}
			return
		}
	}
}
