package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// An Entry is one call that a session served, in the order of beginning. Its
// JSON has the names of the tags, and is read back by encoding/json.
type Entry struct {
	ID string `json:"id"`

	// Parent is the ID of the entry that the call belongs to, as that of an
	// agent's run; see [WithParent]. Empty if it belongs to none.
	Parent string `json:"parent,omitempty"`

	// Method is act, do, observe, extract, navigate, reload, back, forward,
	// generate, or what a caller of BeginCall named.
	Method      string    `json:"method"`
	PageURL     string    `json:"pageUrl"` // where it began
	Instruction string    `json:"instruction,omitempty"`
	Actions     []Action  `json:"actions,omitempty"`
	Success     bool      `json:"success"`
	Message     string    `json:"message,omitempty"`
	Evidence    Evidence  `json:"evidence,omitzero"` // of act and do
	Sent        Sent      `json:"sent,omitempty"`    // of act and do
	Begin       time.Time `json:"begin"`
	End         time.Time `json:"end"`
	Usage       Usage     `json:"usage,omitzero"`
	Model       string    `json:"model,omitempty"` // that was asked; empty if none was

	Page     driver.PageID    `json:"page,omitempty"`     // where it was done
	Data     json.RawMessage  `json:"data,omitempty"`     // what Extract read
	Response *driver.Response `json:"response,omitempty"` // what a navigation was answered
}

// mostEntries bounds a history; the oldest entries go first.
const mostEntries = 10_000

type history struct {
	mu      sync.Mutex
	entries []*Entry
}

// History returns what the session did, oldest first. Values of variables are
// not in it. The caller owns the slice.
func (s *Session) History() []Entry {
	h := &s.history
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Entry, len(h.entries))
	for i, e := range h.entries {
		out[i] = *e
		out[i].Actions = slices.Clone(e.Actions)
		out[i].PageURL = s.secrets.hide(e.PageURL)
		out[i].Instruction = s.secrets.hide(e.Instruction)
		out[i].Message = s.secrets.hide(e.Message)
		if e.Response != nil {
			answer := *e.Response
			answer.URL = s.secrets.hide(answer.URL)
			out[i].Response = &answer
		}
	}
	return out
}

// modelName names the model that was asked if any was.
func (s *Session) modelName(own LLM, used Usage) string {
	model := cmp.Or(own, s.opts.Model)
	if model == nil || used == (Usage{}) {
		return ""
	}
	return model.Name()
}

type parentKey struct{}

// WithParent returns a context whose calls belong to an entry of the history:
// it is their [Entry].Parent.
func WithParent(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, parentKey{}, id)
}

func parentOf(ctx context.Context) string {
	id, _ := ctx.Value(parentKey{}).(string)
	return id
}

func (h *history) begin(ctx context.Context, method, url string, page driver.PageID) *Entry {
	e := &Entry{ID: NewID(), Parent: parentOf(ctx), Method: method, Page: page, PageURL: url, Begin: time.Now()}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.entries) >= mostEntries {
		h.entries = slices.Delete(h.entries, 0, mostEntries/10)
	}
	h.entries = append(h.entries, e)
	return e
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
