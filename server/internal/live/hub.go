// Package live shows something that changes to its viewers, as fast as each of them
// reads: of each part of it they get the latest state. Without viewers nothing is
// read.
package live

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// A Part is one thing that can be looked at.
type Part struct {
	Name  string
	Every time.Duration // between two readings at least

	// Read returns the part as it is now, as an event; nil is unchanged. It is not
	// called at once with itself.
	Read func(context.Context) json.RawMessage
}

// A Hub has what is viewed, and the viewers. It may be used by any number of
// goroutines.
type Hub struct {
	parts []*watched
	ctx   context.Context // ends with Close
	end   context.CancelFunc
	loops sync.WaitGroup

	mu      sync.Mutex // protects what follows
	viewers map[*Viewer]struct{}
}

// watched is a part with its viewers.
type watched struct {
	Part
	poke chan struct{} // has the next reading come soon

	reading sync.Mutex // held while a loop of this part is at work

	// Protected by Hub.mu.
	viewers int
	stop    context.CancelFunc // of the loop; nil: there is none
	last    json.RawMessage
}

// mostQueued is how many events wait for a viewer that is slow, besides the parts.
const mostQueued = 200

// A Viewer receives what a hub shows.
type Viewer struct {
	hub   *Hub
	wants []*watched
	more  chan struct{}
	gone  chan struct{}

	// Protected by Hub.mu.
	left    bool
	queue   []json.RawMessage
	changed map[*watched]json.RawMessage
}

// New returns a hub of the parts, without viewers. The caller closes it.
func New(parts ...Part) *Hub {
	h := &Hub{viewers: map[*Viewer]struct{}{}}
	h.ctx, h.end = context.WithCancel(context.Background())
	for _, p := range parts {
		h.parts = append(h.parts, &watched{Part: p, poke: make(chan struct{}, 1)})
	}
	return h
}

// Join adds a viewer of some parts. It leaves by Leave.
func (h *Hub) Join(parts ...string) *Viewer {
	v := &Viewer{hub: h, more: make(chan struct{}, 1), gone: make(chan struct{}), changed: map[*watched]json.RawMessage{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.viewers[v] = struct{}{}
	for _, w := range h.parts {
		if !slices.Contains(parts, w.Name) {
			continue
		}
		v.wants = append(v.wants, w)
		w.viewers++
		if w.last != nil {
			v.changed[w] = w.last
			v.wake()
		}
		if w.stop == nil && h.ctx.Err() == nil {
			ctx, stop := context.WithCancel(h.ctx)
			w.stop = stop
			h.loops.Go(func() { h.follow(ctx, w) })
		}
	}
	return v
}

// Leave removes the viewer. It may be called again.
func (v *Viewer) Leave() {
	v.hub.mu.Lock()
	defer v.hub.mu.Unlock()
	if v.left {
		return
	}
	v.left = true
	close(v.gone)
	delete(v.hub.viewers, v)
	for _, w := range v.wants {
		if w.viewers--; w.viewers == 0 && w.stop != nil {
			w.stop()
			w.stop, w.last = nil, nil // the next viewer gets the state of then
		}
	}
}

// Gone is closed when the viewer has left.
func (v *Viewer) Gone() <-chan struct{} { return v.gone }

// More is sent to when there is something to take.
func (v *Viewer) More() <-chan struct{} { return v.more }

// Take returns what is new for the viewer: what was sent, in order, and the
// latest of each part.
func (v *Viewer) Take() []json.RawMessage {
	v.hub.mu.Lock()
	defer v.hub.mu.Unlock()
	events := v.queue
	v.queue = nil
	for _, w := range v.wants {
		if event := v.changed[w]; event != nil {
			events = append(events, event)
		}
	}
	clear(v.changed)
	return events
}

// wake tells the viewer that there is something. Hub.mu is held.
func (v *Viewer) wake() {
	select {
	case v.more <- struct{}{}:
	default:
	}
}

// Looking reports whether there are viewers.
func (h *Hub) Looking() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.viewers) > 0
}

// Send gives an event to all viewers. A viewer that is too slow misses the oldest.
func (h *Hub) Send(event json.RawMessage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for v := range h.viewers {
		if len(v.queue) >= mostQueued {
			v.queue = slices.Delete(v.queue, 0, 1)
		}
		v.queue = append(v.queue, event)
		v.wake()
	}
}

// Poke has all parts that are looked at read soon, which may have changed.
func (h *Hub) Poke() {
	for _, w := range h.parts {
		select {
		case w.poke <- struct{}{}:
		default:
		}
	}
}

// Close ends all reading, and returns when none is under way. It is called once.
func (h *Hub) Close() {
	h.mu.Lock()
	h.end()
	h.mu.Unlock()
	h.loops.Wait()
	h.mu.Lock()
	for _, w := range h.parts {
		w.last = nil
	}
	h.mu.Unlock()
}

// idleEvery is how much rarer a part is read that nothing has poked.
const idleEvery = 2

// follow reads a part until ctx ends.
func (h *Hub) follow(ctx context.Context, w *watched) {
	w.reading.Lock() // a loop that was stopped may still be at its last reading
	defer w.reading.Unlock()
	for ctx.Err() == nil {
		if event := w.Read(ctx); event != nil {
			h.publish(ctx, w, event)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(w.Every):
		}
		select {
		case <-ctx.Done():
		case <-w.poke:
		case <-time.After((idleEvery - 1) * w.Every):
		}
	}
}

// publish gives a reading to the part's viewers, unless it is what they have.
func (h *Hub) publish(ctx context.Context, w *watched, event json.RawMessage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil || bytes.Equal(event, w.last) {
		return
	}
	w.last = event
	for v := range h.viewers {
		if slices.Contains(v.wants, w) {
			v.changed[w] = event
			v.wake()
		}
	}
}
