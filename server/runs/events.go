package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet"
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
	lines := make(chan fleet.Line, 64)
	stop, err := r.queue.Follow(ctx, job.ID, after, func(l fleet.Line) {
		select {
		case lines <- l:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return err
	}
	defer stop()
	defer cancel() // first: a line that nobody takes keeps stop waiting
	over := make(chan struct{})
	go func() {
		defer close(over)
		job, err = r.queue.Await(ctx, job.ID, func(j fleet.Job) bool { return j.State.Over() })
	}()
	s := &sse{w: w, control: http.NewResponseController(w)}
	s.begin()
	silence := time.NewTimer(keepAlive)
	defer silence.Stop()
	for s.failed == nil {
		select {
		case l := <-lines:
			s.send(l.Number, l.Data)
		case <-silence.C:
			s.write(": keep-alive\n\n")
		case <-r.ended:
			return nil // the client asks again, with what it has read
		case <-over:
			if err != nil {
				return nil // it went away, or the run was cleaned away
			}
			return r.last(ctx, s, job, lines, after)
		}
		silence.Reset(keepAlive)
	}
	return nil
}

// last sends what is left of the log, and the end.
func (r *Runs) last(ctx context.Context, s *sse, job fleet.Job, lines chan fleet.Line, after int) error {
	// The end was written after the last line, so that a reading of the log
	// from now on has it whole.
	sent := max(s.sent, after)
	rest := map[int]json.RawMessage{}
	stop, err := r.queue.Follow(ctx, job.ID, sent, func(l fleet.Line) { rest[l.Number] = l.Data })
	if err != nil {
		return nil // the stream has begun: the client asks again
	}
	stop()
	for n := sent + 1; len(rest) > 0; n++ {
		if data, ok := rest[n]; ok {
			s.send(n, data)
			delete(rest, n)
		}
	}
	run, err := r.describe(ctx, job, true)
	if err != nil {
		return nil
	}
	raw, err := json.Marshal(wire.RunEvent{Type: "over", Time: time.Now().UTC(), Run: &run})
	if err == nil {
		s.write(fmt.Sprintf("event: over\ndata: %s\n\n", raw))
	}
	return nil
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

// send writes an event of the log. Seals of later claims are none.
func (s *sse) send(number int, data json.RawMessage) {
	s.sent = number
	var e wire.RunEvent
	if json.Unmarshal(data, &e) != nil || e.Type == "" {
		return
	}
	s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", number, e.Type, data))
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
