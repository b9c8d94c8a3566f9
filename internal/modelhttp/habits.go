package modelhttp

import "sync"

// Habits are what is known of a server, for as long as its Model lives. They may be used
// from several goroutines at once.
type Habits[K any] struct {
	mu    sync.Mutex // protects known
	known K
}

// Read returns what is known now.
func (h *Habits[K]) Read() K {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known
}

// Change adds to what is known. Other requests may have added to it since this one was
// sent, so that change must not put back what it does not mean.
func (h *Habits[K]) Change(change func(*K)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.known)
}
