package engine

import (
	"context"
	"time"
)

// Hooks are functions that the engine calls as it works, for spans, metrics
// and progress. Each may be nil. They are called on the goroutine that works
// and hold it up; they must not call the session. A session whose pages are
// used by several goroutines calls them from several at once.
//
// The context is that of the call: it carries what the caller put into it, and
// what Began added. What hooks are given holds no value of a variable.
type Hooks struct {
	// Began is called when a call (Act, Do, Observe, Extract, a navigation) has
	// its page's turn, and when Generate or BeginCall begins. The context that it returns, which must be ctx or made
	// from it, is the one that the call works with: the parent of every span
	// that the model's or the driver's client starts. nil stands for ctx. Of e
	// only ID, Parent, Method, Page, PageURL and Begin are known yet.
	Began func(ctx context.Context, e Entry) context.Context

	// Ended is called when that call is over, with what is kept of it in the
	// history and the error that the caller gets. It gets Began's context.
	Ended func(ctx context.Context, e Entry, err error)

	// Looked is called after a page was read.
	Looked func(ctx context.Context, l Look)

	// Asked is called after a model answered or failed.
	Asked func(ctx context.Context, a Ask)

	// Cached is called with what the cache did for an act, before Acted.
	Cached func(ctx context.Context, u CacheUse)

	// Acted is called after an action was done or failed, before Ended.
	Acted func(ctx context.Context, r ActResult)

	// Refused is called when the session's policy, or the driver options' Allow,
	// refused a request. It is called from a goroutine of the driver or the
	// gate, which waits for it: it must not call the session.
	Refused func(r Refusal)
}

// A Look is one reading of a page.
type Look struct {
	URL     string
	Begin   time.Time
	Settle  time.Duration // the wait for quiet
	Capture time.Duration // 0 if nothing had changed since the last look
	Build   time.Duration
	Nodes   int
	Tokens  int
	Notes   []string // sentences for people about what could not be read
}

// An Ask is one question to a model, its repair included.
type Ask struct {
	Purpose  string // act, observe, extract, agent
	Model    string
	Begin    time.Time
	Duration time.Duration
	Usage    Usage
	Err      error
}

// enter begins a call's entry in the history, and returns the context that the
// call works with.
func (s *Session) enter(ctx context.Context, op string, p *Page) (context.Context, *Entry) {
	var entry *Entry
	if p == nil { // all were closed
		entry = s.history.begin(ctx, op, "", "")
	} else {
		entry = s.history.begin(ctx, op, s.secrets.hide(p.URL()), p.id)
	}
	if h := s.opts.Hooks; h != nil && h.Began != nil {
		if inner := h.Began(ctx, *entry); inner != nil {
			ctx = inner
		}
	}
	return ctx, entry
}

// leave ends a call's entry; fill completes it.
func (s *Session) leave(ctx context.Context, entry *Entry, err error, fill func(*Entry)) {
	s.history.end(entry, err, fill)
	if h := s.opts.Hooks; h != nil && h.Ended != nil {
		h.Ended(ctx, *entry, err)
	}
}

func (s *Session) traceLook(ctx context.Context, look func() Look) {
	if h := s.opts.Hooks; h != nil && h.Looked != nil {
		h.Looked(ctx, look())
	}
}

func (s *Session) traceAsk(ctx context.Context, a Ask) {
	if h := s.opts.Hooks; h != nil && h.Asked != nil {
		if a.Err != nil {
			a.Err = s.hideError(a.Err)
		}
		h.Asked(ctx, a)
	}
}

// concludeCache enters what the cache did into metrics, log and hooks.
func (s *Session) concludeCache(ctx context.Context, use *CacheUse) {
	if use == nil || use.Outcome == "" { // the act ended before it was asked
		return
	}
	s.metrics.recalled(use)
	s.log.Debug("act cache", "outcome", use.Outcome, "reason", use.Reason, "detail", use.Detail, "kept", use.Kept)
	if h := s.opts.Hooks; h != nil && h.Cached != nil {
		h.Cached(ctx, *use)
	}
}

func (s *Session) traceAct(ctx context.Context, r *ActResult) {
	if h := s.opts.Hooks; h != nil && h.Acted != nil {
		h.Acted(ctx, *r)
	}
}
