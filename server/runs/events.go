package runs

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// heard are the events of a run's log that a stream has yet to send, by their
// numbers: a log can be long, and its reader slow.
type heard struct {
	more chan struct{} // has one when there is something

	mu      sync.Mutex // protects what follows
	numbers []int
	latest  int // line
}

// line takes a line of the log in. Seals of later claims, and what the agent
// writes for itself, are no events.
func (h *heard) line(l fleet.LogLine) {
	event := eventOf(l) != ""
	h.mu.Lock()
	h.latest = l.Number
	if event {
		h.numbers = append(h.numbers, l.Number)
	}
	h.mu.Unlock()
	if !event {
		return
	}
	select {
	case h.more <- struct{}{}:
	default:
	}
}

func (h *heard) take() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	taken := h.numbers
	h.numbers = nil
	return taken
}

// eventOf returns the type of the event in a line; empty if there is none.
func eventOf(l fleet.LogLine) string {
	var e struct{ Type string }
	if json.Unmarshal(l.Data, &e) != nil {
		return ""
	}
	return e.Type
}

// A following sends a run's events to one reader.
type following struct {
	runs   *Runs
	events chan server.RunEvent
	sent   int // the number of the last event
}

// send gives the reader an event; false: it reads no more.
func (f *following) send(ctx context.Context, e server.RunEvent) bool {
	select {
	case f.events <- e:
		return true
	case <-ctx.Done():
		return false
	}
}

// catchUp sends what was heard; false: the stream is over.
func (f *following) catchUp(ctx context.Context, id string, h *heard) bool {
	for _, n := range h.take() {
		l, err := f.runs.line(ctx, id, n)
		if err != nil || !f.send(ctx, server.RunEvent{Number: l.Number, Type: eventOf(l), JSON: l.Data}) {
			return false
		}
		f.sent = l.Number
	}
	return true
}

// lineLimit is how long the store may take to show a line that it has announced.
const lineLimit = 10 * time.Second

// last sends what is left of the log, and the end.
func (f *following) last(ctx context.Context, job fleet.Job) {
	// The end was written after the last line, so that a reading of the log
	// from now on has it whole: what a watch has not heard yet is asked for.
	queue := f.runs.queue
	rest := &heard{more: make(chan struct{}, 1), latest: f.sent}
	stop, err := queue.Follow(ctx, job.ID, f.sent, rest.line)
	if err != nil {
		return // the stream has begun: the client asks again
	}
	stop()
	for {
		l, err := queue.LogLine(ctx, job.ID, rest.latest+1)
		if errors.Is(err, fleet.ErrNotFound) {
			break
		}
		if err != nil {
			return
		}
		rest.line(l)
	}
	if !f.catchUp(ctx, job.ID, rest) {
		return
	}
	run, err := f.runs.describe(ctx, job, true)
	if err != nil {
		return
	}
	raw, err := json.Marshal(wire.RunEvent{Type: "over", Time: time.Now().UTC(), Run: &run})
	if err == nil {
		f.send(ctx, server.RunEvent{Type: "over", JSON: raw})
	}
}
