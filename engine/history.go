package engine

import (
	"slices"
	"sync"
	"time"
)

// An Entry is one call that a session served, in the order of beginning.
type Entry struct {
	ID          string
	Method      string // act, do, observe, extract, navigate, reload, back, forward
	PageURL     string // where it began
	Instruction string
	Actions     []Action
	Success     bool
	Message     string
	Evidence    Evidence // of act and do
	Begin, End  time.Time
	Usage       Usage
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
	}
	return out
}

func (h *history) begin(method, url string) *Entry {
	e := &Entry{ID: newID(), Method: method, PageURL: url, Begin: time.Now()}
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
