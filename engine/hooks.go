package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Hooks are functions that the engine calls as it works, for spans, metrics and
// progress. Each may be nil. They run synchronously on the working goroutine
// and must not call the session. If several goroutines use a session's pages,
// hooks are called concurrently.
//
// The context is that of the call: it carries the caller's values and what
// Began added. Arguments hold no values of variables.
type Hooks struct {
	// Began is called when a call (Act, Do, Observe, Extract, a navigation)
	// gets its page's turn, and when Generate or BeginCall begins. The call
	// continues with the context that it returns, which must be ctx or derived
	// from it; that context is the parent of every span that the model's or the
	// driver's client starts. nil stands for ctx. Of e only ID, Parent,
	// Operation, Page, PageURL and Begin are set.
	Began func(ctx context.Context, e Entry) context.Context

	// Ended is called when that call is over, with its final history entry and
	// the error that the caller gets. It gets Began's context.
	Ended func(ctx context.Context, e Entry, err error)

	// Looked is called after a page was read.
	Looked func(ctx context.Context, l Look)

	// Asked is called after a model answered or failed.
	Asked func(ctx context.Context, a Ask)

	// PartRead is called after a part of a long page was read by Extract, or
	// could not be: see ExtractOptions.PartTokens. Of one extraction it is called
	// for one part at a time.
	PartRead func(ctx context.Context, r PartRead)

	// Cached is called with the cache's part in an act, before Acted.
	Cached func(ctx context.Context, u CacheUse)

	// Acted is called after an act succeeded or failed, before Ended.
	Acted func(ctx context.Context, r ActResult)

	// Opened is called when a page was opened, by the caller or by a site.
	// Opener is empty where no page opened it; URL is what it is going to show.
	// It is called from a goroutine of the driver, and so are Console and
	// PageError: they must return quickly and must not call the session.
	Opened func(p driver.PageOpened)

	// Console is called with what scripts write to the console.
	Console func(m driver.ConsoleMessage)

	// PageError is called with errors of scripts that nothing caught.
	PageError func(e driver.PageError)

	// ToolsChanged is called when a document offers other tools than before; see
	// [Page.Tools]. It is called as Opened is.
	ToolsChanged func(e driver.ToolsChanged)

	// Refused is called when the session's policy, or the driver options'
	// Allow, refused a request. It is called from a goroutine of the driver or
	// the gate, which waits for it.
	Refused func(r Refusal)
}

// A Look is one reading of a page.
type Look struct {
	URL     string
	Begin   time.Time
	Settle  time.Duration // waiting for quiescence
	Capture time.Duration // 0 if nothing changed since the last look
	Build   time.Duration
	Nodes   int
	Tokens  int
	Notes   []string // what could not be read, in sentences
}

// An Ask is one question to a model, including its repair.
type Ask struct {
	Purpose  string // act, observe, extract, agent
	Model    string
	Begin    time.Time
	Duration time.Duration
	Usage    Usage
	Err      error
}

// A PartRead is a part of a page that an extraction has asked about.
type PartRead struct {
	Lines    int // of the outline, in this part
	Done, Of int // lines that are read so far, and of the whole page
	Begin    time.Time
	Duration time.Duration
	Usage    Usage
	Err      error
}

// JoinHooks returns hooks that call a's and then b's. Either may be nil.
func JoinHooks(a, b *Hooks) *Hooks {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &Hooks{
		Began: func(ctx context.Context, e Entry) context.Context {
			return b.began(a.began(ctx, e), e)
		},
		Ended: func(ctx context.Context, e Entry, err error) {
			a.ended(ctx, e, err)
			b.ended(ctx, e, err)
		},
		Looked:       join(a.Looked, b.Looked),
		Asked:        join(a.Asked, b.Asked),
		PartRead:     join(a.PartRead, b.PartRead),
		Cached:       join(a.Cached, b.Cached),
		Acted:        join(a.Acted, b.Acted),
		Opened:       joinEvents(a.Opened, b.Opened),
		Console:      joinEvents(a.Console, b.Console),
		PageError:    joinEvents(a.PageError, b.PageError),
		ToolsChanged: joinEvents(a.ToolsChanged, b.ToolsChanged),
		Refused:      joinEvents(a.Refused, b.Refused),
	}
}

// began calls Began, and returns the context that the call continues with.
func (h *Hooks) began(ctx context.Context, e Entry) context.Context {
	if h.Began != nil {
		if inner := h.Began(ctx, e); inner != nil {
			return inner
		}
	}
	return ctx
}

func (h *Hooks) ended(ctx context.Context, e Entry, err error) {
	if h.Ended != nil {
		h.Ended(ctx, e, err)
	}
}

// joinEvents is nil where nobody listens: to listen may cost something.
func joinEvents[T any](a, b func(T)) func(T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(e T) { a(e); b(e) }
}

func join[T any](a, b func(context.Context, T)) func(context.Context, T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context, v T) { a(ctx, v); b(ctx, v) }
}

// Metrics are sums over a session.
type Metrics struct {
	Looks    int           // readings of a page
	Captures int           // looks that had to read the page anew
	Settled  time.Duration // waiting for quiescence
	Acts     int           // acts that succeeded
	Failed   int           // acts that failed
	Unknown  int           // failed acts whose outcome is unknown
	Healed   int           // acts that took a second look
	Refused  int           // requests that the policy refused
	Cache    CacheMetrics
	Asks     map[llm.Purpose]AskMetrics
}

// CacheMetrics sum up what the cache did for acts. Hits, Misses, Stale and
// Refuted add up to the acts that asked it.
type CacheMetrics struct {
	Hits    int // acts done without a model
	Misses  int // acts without an entry
	Stale   int // entries that did not fit the page
	Refuted int // entries that were replayed and had another outcome
	Kept    int // acts that were stored
	// Reasons counts why entries were not used; hits have none.
	Reasons map[CacheReason]int
}

// AskMetrics are the sums of one purpose's questions to models.
type AskMetrics struct {
	Requests int
	Errors   int
	Usage    Usage
}

// Total returns the usage over all purposes.
func (m Metrics) Total() Usage {
	var sum Usage
	for _, a := range m.Asks {
		sum = sum.Add(a.Usage)
	}
	return sum
}

// add counts the cache's part in one act.
func (m *CacheMetrics) add(use *CacheUse) {
	switch use.Result {
	case CacheHit:
		m.Hits++
	case CacheMiss:
		m.Misses++
	case CacheStale:
		m.Stale++
	case CacheRefuted:
		m.Refuted++
	}
	if use.Kept {
		m.Kept++
	}
	if use.Result != CacheHit && use.Reason != "" {
		if m.Reasons == nil {
			m.Reasons = map[CacheReason]int{}
		}
		m.Reasons[use.Reason]++
	}
}

// An Operation is the kind of a call.
type Operation string

// The engine's own operations. A caller of [Session.BeginCall] names others.
const (
	OperationAct      Operation = "act"
	OperationDo       Operation = "do" // DoTo too
	OperationObserve  Operation = "observe"
	OperationExtract  Operation = "extract"
	OperationNavigate Operation = "navigate"
	OperationReload   Operation = "reload"
	OperationBack     Operation = "back"
	OperationForward  Operation = "forward"
	OperationGenerate Operation = "generate"
	OperationCallTool Operation = "callTool"
	OperationApprove  Operation = "approve" // somebody was asked; see Entry.Approval
)

// An Entry records one call of a session. Entries are in the order in which the
// calls began. An Entry round-trips through encoding/json.
type Entry struct {
	ID string `json:"id"`

	// Parent is the ID of the entry that the call belongs to, such as that of
	// an agent's run; see [WithParent]. Empty if there is none.
	Parent string `json:"parent,omitempty"`

	Operation   Operation `json:"method"`
	PageURL     string    `json:"pageUrl"` // when it began
	Instruction string    `json:"instruction,omitempty"`
	Actions     []Action  `json:"actions,omitempty"`
	Success     bool      `json:"success"`
	Message     string    `json:"message,omitempty"` // the outcome in words, or the error
	Evidence    Evidence  `json:"evidence,omitzero"` // of act and do
	Sent        Sent      `json:"sent,omitempty"`    // of act and do
	Begin       time.Time `json:"begin"`
	End         time.Time `json:"end"`
	Usage       Usage     `json:"usage,omitzero"`
	Model       string    `json:"model,omitempty"` // empty if none was asked

	// Approval is what somebody was asked to approve, and the answer.
	Approval *Approval `json:"approval,omitempty"`

	Page     driver.PageID    `json:"page,omitempty"`     // the page that it ran on
	Data     json.RawMessage  `json:"data,omitempty"`     // what Extract read
	Address  string           `json:"address,omitempty"`  // Navigate's target
	Arrived  string           `json:"arrived,omitempty"`  // the address to which a navigation led
	Response *driver.Response `json:"response,omitempty"` // the answer to a navigation
}

// An Approval is what somebody was asked to approve, and the answer. When is
// the entry's Begin and End. Values of variables are hidden in it.
type Approval struct {
	By       string    `json:"by"`                // who was asked
	Decision Decision  `json:"decision"`          // what they said
	Reason   string    `json:"reason,omitempty"`  // why not
	Classes  []string  `json:"classes,omitempty"` // what kinds of action it is
	Action   *Action   `json:"action,omitempty"`  // the action that was asked about
	Outgoing *Outgoing `json:"outgoing,omitempty"`

	// Differences say why a request that was held is not the approved one.
	Differences []string `json:"differences,omitempty"`
}

// A Decision is an answer to the question for approval.
type Decision string

// The decisions.
const (
	Approved Decision = "approved"
	Refused  Decision = "refused"
	Later    Decision = "later" // somebody decides later
)
