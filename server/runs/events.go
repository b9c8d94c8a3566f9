package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const (
	keepAlive = 15 * time.Second // of silence before a comment is sent
	writeTime = 30 * time.Second // for a client to take an event
)

// events streams a run's events until it is over.
func (r *Runs) events(w http.ResponseWriter, req *http.Request) error {
	job, err := r.find(req)
	if err != nil {
		return err
	}
	after := 0
	if last := req.Header.Get("last-event-id"); last != "" {
		if after, err = strconv.Atoi(last); err != nil || after < 0 {
			return &refusal{status: http.StatusBadRequest, code: wire.InvalidRequest, text: "the header last-event-id is the number of an event"}
		}
	}
	ctx, cancel := context.WithCancel(req.Context())
	defer cancel()
	// The store waits for nobody who reads slowly.
	heard := &heard{more: make(chan struct{}, 1)}
	stop, err := r.queue.Follow(ctx, job.ID, after, heard.line)
	if err != nil {
		return err
	}
	defer stop()
	id, over := job.ID, make(chan struct{})
	go func() {
		defer close(over)
		job, err = r.queue.Await(ctx, id, func(j fleet.Job) bool { return j.State.Over() })
	}()
	s := &sse{w: w, control: http.NewResponseController(w), sent: after}
	s.begin()
	silence := time.NewTimer(keepAlive)
	defer silence.Stop()
	for s.failed == nil {
		select {
		case <-heard.more:
			if !r.catchUp(ctx, s, id, heard) {
				return nil // the client asks again, with what it has read
			}
		case <-silence.C:
			s.write(": keep-alive\n\n")
		case <-r.ended:
			return nil
		case <-over:
			if err != nil {
				return nil // it went away, or the run was cleaned away
			}
			r.last(ctx, s, job)
			return nil
		}
		silence.Reset(keepAlive)
	}
	return nil
}

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
func (h *heard) line(l fleet.Line) {
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
func eventOf(l fleet.Line) string {
	var e struct{ Type string }
	if json.Unmarshal(l.Data, &e) != nil {
		return ""
	}
	return e.Type
}

// catchUp sends what was heard; false: the stream is over.
func (r *Runs) catchUp(ctx context.Context, s *sse, id string, h *heard) bool {
	for _, n := range h.take() {
		l, err := r.line(ctx, id, n)
		if err != nil {
			return false
		}
		if s.send(l); s.failed != nil {
			return false
		}
	}
	return true
}

// lineLimit is for the store to have a line that it has told of.
const lineLimit = 10 * time.Second

// line reads a line that was written, which need not show yet.
func (r *Runs) line(ctx context.Context, id string, number int) (fleet.Line, error) {
	ctx, cancel := context.WithTimeout(ctx, lineLimit)
	defer cancel()
	for {
		l, err := r.queue.Line(ctx, id, number)
		if err == nil || !pause.For(ctx, retryStore) {
			return l, err
		}
	}
}

// last sends what is left of the log, and the end.
func (r *Runs) last(ctx context.Context, s *sse, job fleet.Job) {
	// The end was written after the last line, so that a reading of the log
	// from now on has it whole: what a watch has not heard yet is asked for.
	rest := &heard{more: make(chan struct{}, 1), latest: s.sent}
	stop, err := r.queue.Follow(ctx, job.ID, s.sent, rest.line)
	if err != nil {
		return // the stream has begun: the client asks again
	}
	stop()
	for {
		l, err := r.queue.Line(ctx, job.ID, rest.latest+1)
		if errors.Is(err, fleet.ErrNotFound) {
			break
		}
		if err != nil {
			return
		}
		rest.line(l)
	}
	if !r.catchUp(ctx, s, job.ID, rest) {
		return
	}
	run, err := r.describe(ctx, job, true)
	if err != nil {
		return
	}
	raw, err := json.Marshal(wire.RunEvent{Type: "over", Time: time.Now().UTC(), Run: &run})
	if err == nil {
		s.write(fmt.Sprintf("event: over\ndata: %s\n\n", raw))
	}
}

// An sse is a response of Server-Sent Events.
type sse struct {
	w       http.ResponseWriter
	control *http.ResponseController
	sent    int
	failed  error
}

func (s *sse) begin() {
	h := s.w.Header()
	h.Set("content-type", "text/event-stream")
	h.Set("cache-control", "no-cache, no-transform")
	h.Set("x-accel-buffering", "no")
	s.write(": events\n\n")
}

// send writes an event of the log.
func (s *sse) send(l fleet.Line) {
	s.sent = l.Number
	s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", l.Number, eventOf(l), l.Data))
}

func (s *sse) write(text string) {
	if s.failed != nil {
		return
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.failed = err
		return
	}
	if _, s.failed = s.w.Write([]byte(text)); s.failed != nil {
		return
	}
	if err := s.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.failed = err
	}
}
