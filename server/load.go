package server

import "time"

// Load is what a server has at hand at a moment.
type Load struct {
	Sessions int // open
	Working  int // of which a request is at work or waits for its page
	Waiting  int // requests for a session that wait for another to end
}

// Load tells what the server has at hand. It may be called at any time.
func (s *Server) Load() Load {
	l := Load{Waiting: int(s.sessions.waiting.Load())}
	for _, one := range s.sessions.all() {
		open, working := one.load()
		if open {
			l.Sessions++
		}
		if working {
			l.Working++
		}
	}
	return l
}

// load reports whether the session is open: one whose browser is gone is kept
// until its client was told.
func (s *session) load() (open, working bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended, s.working > 0
}

// A Served is a request that was answered.
type Served struct {
	Route    string // of the contract, as "POST /v1/sessions/{id}/act"; empty if there is none
	Status   int
	Duration time.Duration // a stream's included
}
