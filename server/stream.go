package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// wantsStream reads whether a request asks for a stream. The body wins.
func wantsStream(r *http.Request, body *bool) (bool, error) {
	header := r.Header.Get("x-stream-response")
	switch header {
	case "", "true", "false":
	default:
		return false, invalid([]any{"x-stream-response"}, "the header is true or false, not %q", header)
	}
	if body != nil {
		return *body, nil
	}
	return header == "true", nil
}

// A stream is a response of Server-Sent Events. Its frames are written by one
// goroutine at a time.
type stream struct {
	c       *call
	control *http.ResponseController
	unnamed bool // frames have no event line
	objects bool // what is said of the work under way is an object, not a text
	failed  error
}

// beginStream begins a response of Server-Sent Events; kept is what caches may do.
func beginStream(c *call, kept string) *stream {
	header := c.Header()
	header.Set("content-type", "text/event-stream")
	header.Set("cache-control", kept+", no-transform")
	header.Set("x-accel-buffering", "no")
	return &stream{c: c, control: http.NewResponseController(c.w)}
}

const (
	mostWaitingLines = 64   // of a reader that is slower than the work; what comes then is left out
	longestLine      = 2000 // bytes; longer ones are cut
)

// do does a job and reports its progress meanwhile.
func (st *stream) do(ctx context.Context, cancel context.CancelCauseFunc, page *engine.Page, j job) error {
	c := st.c
	c.core.streams.Add(1)
	defer c.core.streams.Add(-1)
	st.objects = c.r.Header.Get("x-bb-session-id") != ""
	st.unnamed = st.objects || c.r.Header.Get("x-stream-format") == "data"
	header := c.Header()
	if c.sent != "" { // not known before the end
		header.Del(wire.HeaderSent)
		header.Set("trailer", wire.HeaderSent)
	}
	if j.trailer != "" {
		header.Add("trailer", j.trailer)
	}
	st.send(wire.FrameData{Status: wire.Starting})
	st.send(wire.FrameData{Status: wire.Connected})

	lines := make(chan body.LogLine, mostWaitingLines)
	over := make(chan struct{})
	written := make(chan struct{})
	go func() {
		defer close(written)
		st.follow(lines, over)
		if st.failed != nil {
			cancel(errReader)
		}
	}()
	out, err := c.do(ctx, page, j, func(line body.LogLine) {
		select {
		case lines <- line:
		default: // the reader is slow: the work does not wait for it
		}
	})
	close(over)
	<-written
	if c.sent != "" {
		header.Set(wire.HeaderSent, string(c.sent))
	}
	if out.note != "" {
		header.Set(j.trailer, out.note)
	}
	if err != nil {
		f := faultOf(ctx, err)
		st.send(wire.FrameData{Status: wire.Errored, Error: f.message, Code: f.code})
		c.err = errors.Join(err, errors.Unwrap(err))
	} else {
		st.send(wire.FrameData{Status: wire.Finished, Result: out.result, ActionID: c.action, CacheEntry: out.cache})
	}
	if st.failed != nil {
		c.err = st.failed
	}
	return nil
}

var errReader = newFault(wire.Timeout, "the client does not take the stream")

// follow writes the work's progress until the work is over.
func (st *stream) follow(lines <-chan body.LogLine, over <-chan struct{}) {
	for st.failed == nil {
		select {
		case line := <-lines:
			st.log(line)
		case <-st.silence():
			st.keepAlive()
		case <-over:
			for len(lines) > 0 {
				st.log(<-lines)
			}
			return
		}
	}
}

// silence is for how long a stream says nothing before keepAlive does.
func (st *stream) silence() <-chan time.Time { return time.After(st.c.core.limits.KeepAlive) }

// keepAlive writes a comment, so that no proxy takes the stream for dead.
func (st *stream) keepAlive() { st.write([]byte(": keep-alive\n\n")) }

// log writes a frame of the work under way.
func (st *stream) log(line body.LogLine) {
	id := uuid.New()
	if st.objects {
		st.frame(wire.Running, body.LogFrame{Data: body.LogFrameData{Status: wire.Running, Message: line}, Type: "log", ID: id})
	} else {
		st.frame(wire.Running, wire.Frame{Data: wire.FrameData{Status: wire.Running, Message: line.Message}, Type: "log", ID: id})
	}
}

// send writes a frame about the work as a whole.
func (st *stream) send(data wire.FrameData) {
	st.frame(data.Status, wire.Frame{Data: data, Type: "system", ID: uuid.New()})
}

func (st *stream) frame(event wire.Status, body any) {
	raw, err := encode(body)
	if err != nil {
		st.failed = err
		return
	}
	var frame []byte
	if !st.unnamed {
		frame = append(frame, "event: "+string(event)+"\n"...)
	}
	frame = append(frame, "data: "...)
	frame = append(frame, raw...)
	st.write(append(frame, "\n\n"...))
}

// write writes and flushes. A reader that does not take it in time has failed,
// and nothing more is written.
func (st *stream) write(p []byte) {
	if st.failed != nil {
		return
	}
	err := st.control.SetWriteDeadline(time.Now().Add(st.c.core.limits.WriteTime))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		st.failed = err
		return
	}
	if _, err := st.c.Write(p); err != nil {
		st.failed = err
		return
	}
	if err := st.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		st.failed = err
	}
}

// event writes an event as it is.
func (st *stream) event(raw json.RawMessage) {
	if raw == nil {
		return
	}
	st.write(append(append([]byte("data: "), raw...), "\n\n"...))
}

// A progress is what is known of one request's work while it is done. The
// engine's hooks find it in the context of the work.
type progress struct {
	tell     func(body.LogLine) // nil: the lines are dropped
	step     func(text string)  // gets the latest line of verbosity 1, if not nil
	verbose  int
	agent    bool   // what its steps consist of is reported at verbose 2 only
	category string // what is done: act, observe, …
	events   *Events
	begin    time.Time // of the wait for the page's turn

	mu   sync.Mutex // protects what follows
	id   string
	sent engine.Sent // what the actions' input adds up to
}

type progressKey struct{}

// progressOf returns the progress of a context; a nil one takes everything.
func progressOf(ctx context.Context) *progress {
	p, _ := ctx.Value(progressKey{}).(*progress)
	return p
}

// action is the id of what is done, once that has begun.
func (p *progress) action() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

func (p *progress) began(id string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	first := p.id == ""
	p.id = id
	p.mu.Unlock()
	if first {
		p.events.waited(PageQueue, p.begin)
	}
}

// add counts whether an action has sent input. One that may have sent a part
// counts for all.
func (p *progress) add(sent engine.Sent) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if sent == engine.SentPossible || sent == engine.SentAll && p.sent != engine.SentPossible {
		p.sent = sent
	}
}

// sum is the sum of what add was given.
func (p *progress) sum() wire.Sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return wire.Sent(cmp.Or(p.sent, engine.SentNone))
}

// part reports a part of a step, or of a call that has no steps.
func (p *progress) part(format string, args ...any) {
	if p != nil && p.agent {
		p.say(2, format, args...)
		return
	}
	p.say(1, format, args...)
}

// say writes one readable line to the listener, if it wants that much.
func (p *progress) say(verbosity int, format string, args ...any) {
	if p == nil {
		return
	}
	told, step := p.tell != nil && verbosity <= p.verbose, p.step != nil && verbosity <= 1
	if !told && !step {
		return
	}
	line := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	if line == "" {
		return
	}
	text := strings.ToValidUTF8(line[:min(len(line), longestLine)], "")
	if told {
		p.tell(body.LogLine{Category: p.category, Message: text, Level: verbosity})
	}
	if step {
		p.step(text)
	}
}
