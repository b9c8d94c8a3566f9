package server

import (
	"time"

	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A Served is a request that was answered.
type Served struct {
	Route    string // of the contract, as "POST /v1/sessions/{id}/act"; empty if there is none
	Status   int
	Duration time.Duration // a stream's included
}

// Events are functions that a server calls as sessions come and go, for
// metrics. Each may be nil. They may be called at once, and the server waits for
// them.
type Events struct {
	// Started is called after a request for a session was answered.
	Started func(Start)
	// Ended is called once for each session that was started.
	Ended func(End)
	// Waited is called when a request has got what it waited for, or has given up.
	Waited func(Wait)
}

// A Start is a request for a session that was answered.
type Start struct {
	Failed   wire.Code // why there is none; empty: there is one
	Duration time.Duration
}

// An End is a session that has ended.
type End struct {
	Reason   Reason
	Own      bool // its browser was a process of its own, or one that it attached to
	Duration time.Duration
}

// A Reason is why a session has ended.
type Reason string

// The reasons.
const (
	EndedByClient   Reason = "client"
	EndedIdle       Reason = "idle"
	EndedOld        Reason = "lifetime"
	EndedGone       Reason = "browser_gone"
	EndedByShutdown Reason = "shutdown"
	EndedUnheard    Reason = "client_gone" // before it heard of the session
)

// reasonOf names a cause of a session's end.
func reasonOf(why error) Reason {
	switch why {
	case errEnded:
		return EndedByClient
	case errIdle:
		return EndedIdle
	case errOld:
		return EndedOld
	case errGone:
		return EndedGone
	case errShutdown:
		return EndedByShutdown
	}
	return EndedUnheard
}

// A Wait is the time for which a request waited in a queue, most often none.
type Wait struct {
	Queue    Queue
	Duration time.Duration
}

// A Queue is what requests wait for.
type Queue string

// The queues.
const (
	SessionQueue Queue = "session" // for another session to end
	PageQueue    Queue = "page"    // for the page's turn
)

func (e *Events) started(begin time.Time, failed wire.Code) {
	if e != nil && e.Started != nil {
		e.Started(Start{Failed: failed, Duration: time.Since(begin)})
	}
}

func (e *Events) ended(why error, own bool, begin time.Time) {
	if e != nil && e.Ended != nil {
		e.Ended(End{Reason: reasonOf(why), Own: own, Duration: time.Since(begin)})
	}
}

func (e *Events) waited(q Queue, begin time.Time) {
	if e != nil && e.Waited != nil {
		e.Waited(Wait{Queue: q, Duration: time.Since(begin)})
	}
}
