package modelhttp

import "sync"

// Habits keep what a Model has learned of its server. Several goroutines may use them at
// once.
type Habits[K any] struct {
	mu    sync.Mutex // protects known
	known K
}

// Read returns a copy of what the Model has learned so far.
func (h *Habits[K]) Read() K {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known
}

// Change lets change add what a request has taught. Other requests may have added
// something since this one was sent, so change sets only the members that it is about.
func (h *Habits[K]) Change(change func(*K)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.known)
}
