package server

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
)

// Options are what an operator decides. The zero value serves without keys, and
// without models: navigate, act with an Action, observe without instruction and
// extract without one work.
type Options struct {
	Browsers Browsers
	Models   Models

	// Agents bounds what agents may do, whatever a client asks for.
	Agents Agents

	// Keys are those that clients show. None: every client is served. See
	// [Server.SetKeys].
	Keys []Key

	Allow  Allow
	Limits Limits

	// Origins are the web pages' origins whose scripts may call the service;
	// "*" is all. None is the default.
	Origins []string

	// Parts are what a service has beside its sessions. Package service sets them.
	Parts Parts

	// Hooks are called as the server works, for traces and metrics.
	Hooks Hooks

	// Probes are what those ask for who watch the service.
	Probes Probes

	// Logger gets a line for each request, with its ids and without its body.
	// nil is silence.
	Logger *slog.Logger
}

// Parts are what a service has beside its sessions.
type Parts struct {
	// Runs does tasks for clients that do not wait: see package server/runs. nil:
	// there are no runs.
	Runs Runs

	// Kept is what is kept of sessions beyond their end: see [OpenKept]. nil: nothing
	// is. The caller closes it, after Shutdown.
	Kept *Kept

	// Node is this server's place in a fleet: see [JoinNode]. nil: it is
	// alone.
	Node *nodes.Node

	// Guests, if not nil, gives a session an address at which clients of the
	// browser's own protocol attach: see package server/guests. It is asked
	// before Browsers.Endpoint, and not for browsers that ran before. A nil address is
	// none. end is called when the session ends, before its browser does.
	Guests func(GuestSession) (address func(*http.Request) string, end func())

	// Dashboard answers GET / and what is below /dashboard/, without a key: see
	// package server/dashboard. nil: nothing is there.
	Dashboard http.Handler
}

// Hooks are functions that a server calls. Each may be nil.
type Hooks struct {
	Engine *engine.Hooks // as the engine works
	Agent  *agent.Hooks  // as agents work

	// Served is called after a request was answered, on its goroutine.
	Served func(context.Context, Served)

	// Events are called as sessions start and end.
	Events *Events
}

// Probes are what those ask for who watch a service.
type Probes struct {
	// Metrics answers /metrics, for all clients together; nil: there are none.
	Metrics http.Handler

	// MetricsToken, if not empty, is what /metrics asks for, as Authorization:
	// Bearer, in place of a client's key.
	MetricsToken string

	// Ready reports whether sessions can be started; nil: they can. /readyz needs no
	// key, and shows the error's text.
	Ready func(context.Context) error

	// Warnings are what /readyz says beside that; nil is nothing.
	Warnings func() []string
}

// A Key is a client's key. The server only knows its digest.
type Key struct {
	// Name appears in logs; it is not secret.
	Name string
	// Digest is the SHA-256 of the key. It also says whose a session is.
	Digest [sha256.Size]byte
	Limits KeyLimits
	// Operator has the key see the sessions and runs of all keys, the nodes and
	// the queue. What is not its own it can look at, and not touch.
	Operator bool
}

// KeyLimits bound what the holder of one key may use. Zero is no limit.
type KeyLimits struct {
	Sessions          int     // open at once
	RequestsPerMinute int     // at all nodes together
	TokensPerDay      int     // of models, in and out; days are UTC's
	DollarsPerDay     float64 // of models, at list prices
}

// NewKey returns a key with the digest of secret, for programs that make their
// own.
func NewKey(name, secret string) Key {
	return Key{Name: name, Digest: sha256.Sum256([]byte(secret))}
}

// A GuestSession is a session that others may attach to.
type GuestSession struct {
	ID      string
	Browser driver.Browser

	// Note writes into the session's history what a guest does.
	Note func(text string)

	// Touch says that a guest is at work: the session is not idle.
	Touch func()
}

// Limits bound what the service takes on. A zero member is its default; a
// negative one is no limit, or for queues none.
type Limits struct {
	Sessions   int           // open at once; 100
	StartQueue int           // starts that wait for a session to end; 32
	StartWait  time.Duration // how long they wait; 10 s
	StartTime  time.Duration // for a browser to open; 60 s
	PageQueue  int           // requests that wait for their turn on a page; 8

	Idle     time.Duration // after which a session without work is ended; 10 min
	Lifetime time.Duration // after which a session is ended once it has no work; 6 h

	Operation time.Duration // for one request's work, but an agent's; 5 min
	Step      time.Duration // for an act, observe, extract or navigate whose client names no limit; Operation
	Body      int64         // bytes of a request; 1 MiB
	Download  int64         // bytes of a file that a session downloads; 1 GiB
	BodyTime  time.Duration // for a request's body to arrive; 30 s
	WriteTime time.Duration // for a client to take a response, or a frame of one; 30 s
	KeepAlive time.Duration // of silence on a stream before a comment is sent; 15 s
}

func (l Limits) withDefaults() Limits {
	fill(&l.Sessions, 100)
	fill(&l.StartQueue, 32)
	fill(&l.StartWait, 10*time.Second)
	fill(&l.StartTime, time.Minute)
	fill(&l.PageQueue, 8)
	fill(&l.Idle, 10*time.Minute)
	fill(&l.Lifetime, 6*time.Hour)
	fill(&l.Operation, 5*time.Minute)
	fill(&l.Body, 1<<20)
	fill(&l.Download, 1<<30)
	fill(&l.BodyTime, 30*time.Second)
	fill(&l.WriteTime, 30*time.Second)
	fill(&l.KeepAlive, 15*time.Second)
	for _, limit := range []*time.Duration{&l.StartTime, &l.Idle, &l.Lifetime, &l.Operation, &l.BodyTime, &l.WriteTime, &l.KeepAlive, (*time.Duration)(&l.Body), (*time.Duration)(&l.Download)} {
		if *limit < 0 {
			*limit = forever
		}
	}
	return l
}

// forever stands for no limit: a bit less than the longest time, so that it can
// be added to the present.
const forever = 1 << 62

func fill[T ~int | ~int64](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}
