package guests

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A visit is one client's connection.
type visit struct {
	opts  *Options
	room  *room
	conn  *websocket.Conn
	guest driver.Guest

	ready chan struct{}           // something waits to be written
	ctx   context.Context         // ends with the visit; its cause says why
	end   context.CancelCauseFunc // does not wait, and may be called again: the first cause counts

	mu     sync.Mutex // protects what follows
	queue  [][]byte
	bytes  int
	counts map[string]int // of acting commands, since the last note
	noted  time.Time
}

// why is why the visit has ended; nil before.
func (v *visit) why() error { return context.Cause(v.ctx) }

// put takes a message for the client. It is called on the driver's goroutine.
func (v *visit) put(message []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.bytes+len(message) > v.opts.Buffer {
		v.end(errBehind)
		return
	}
	v.queue = append(v.queue, message)
	v.bytes += len(message)
	select {
	case v.ready <- struct{}{}:
	default:
	}
}

// acted counts a command for the session's history.
func (v *visit) acted(method string) {
	v.mu.Lock()
	if v.counts == nil {
		v.counts = map[string]int{}
	}
	v.counts[method]++
	due := time.Since(v.noted) >= v.opts.NoteEvery
	v.mu.Unlock()
	if due {
		v.room.Note(v.story(""))
	}
}

// story describes what the client has done since the last call of story.
func (v *visit) story(end string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	counts := v.counts
	v.counts, v.noted = nil, time.Now()
	var done []string
	for _, method := range slices.Sorted(maps.Keys(counts)) {
		done = append(done, fmt.Sprintf("%s (%d)", method, counts[method]))
	}
	text := "a client of the DevTools protocol"
	if len(done) > 0 {
		text += " sent " + strings.Join(done, ", ")
		if end != "" {
			text += ";"
		}
	}
	if end != "" {
		text += " " + strings.TrimPrefix(end, "it ")
	}
	return text
}

// serve carries messages until one side ends.
func (v *visit) serve() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		v.write()
	}()
	go func() {
		select {
		case <-v.guest.Done():
			v.end(errEnded)
		case <-v.ctx.Done():
		}
		_ = v.conn.SetReadDeadline(time.Unix(1, 0)) // wakes the reader
	}()
	v.read()
	v.finish(written)
}

// finish lets go of browser and client.
func (v *visit) finish(written <-chan struct{}) {
	if v.guest != nil {
		v.guest.Close()
	}
	if written != nil {
		select {
		case <-written:
		case <-time.After(time.Second): // a client that takes nothing is not waited for
			_ = v.conn.Close()
			<-written
		}
	}
	code := websocket.CloseNormalClosure
	switch {
	case errors.Is(v.why(), errEnded):
		code = websocket.CloseGoingAway
	case errors.Is(v.why(), errBehind):
		code = websocket.ClosePolicyViolation
	}
	text := v.why().Error()
	goodbye := websocket.FormatCloseMessage(code, text[:min(len(text), 100)])
	_ = v.conn.WriteControl(websocket.CloseMessage, goodbye, time.Now().Add(time.Second)) // it may be gone already
	_ = v.conn.Close()
}

// read takes the client's commands.
func (v *visit) read() {
	v.conn.SetReadLimit(v.opts.Message)
	alive := func() error {
		if err := v.conn.SetReadDeadline(time.Now().Add(v.opts.Silence)); err != nil {
			return err
		}
		return v.why() // the deadline that wakes us may have been there before ours
	}
	v.conn.SetPongHandler(func(string) error { return alive() })
	for {
		if err := alive(); err != nil {
			v.end(err)
			return
		}
		kind, message, err := v.conn.ReadMessage()
		if err == nil && kind != websocket.TextMessage {
			err = errors.New("a message is no text")
		}
		if err == nil {
			v.room.Touch()
			err = v.guest.Command(message)
		}
		if err != nil {
			v.end(err)
			return
		}
	}
}

// write sends what the browser says.
func (v *visit) write() {
	ping := time.NewTicker(v.opts.Silence / 3)
	defer ping.Stop()
	for {
		select {
		case <-v.ctx.Done():
			return
		case <-ping.C:
			if err := v.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(v.opts.WriteTime)); err != nil {
				v.end(err)
				return
			}
			continue
		case <-v.ready:
		}
		v.mu.Lock()
		queue := v.queue
		v.queue = nil
		v.mu.Unlock()
		for _, message := range queue {
			err := v.conn.SetWriteDeadline(time.Now().Add(v.opts.WriteTime))
			if err == nil {
				err = v.conn.WriteMessage(websocket.TextMessage, message)
			}
			if err != nil {
				v.end(err)
				return
			}
			v.mu.Lock()
			v.bytes -= len(message)
			v.mu.Unlock()
			if v.why() != nil {
				return
			}
		}
	}
}
