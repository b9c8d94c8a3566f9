package replays

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server/internal/records"
)

const (
	// A part is written anew with each entry until it has so many bytes.
	fullPart = 32 << 10
	// longestEntry is how many bytes an entry may have; of a longer one the bare
	// facts are kept.
	longestEntry = 256 << 10
	// mostEntries is how many wait for a store that cannot be reached, of one
	// session.
	mostEntries = 10_000
)

// A Writer writes what is done in one session.
type Writer struct {
	replays *Replays
	id      string
	dirty   atomic.Bool
	over    atomic.Bool // End was called

	mu       sync.Mutex // held while it writes; protects what follows
	entries  func() []Entry
	known    map[string]bool // IDs of entries that were taken
	waiting  []json.RawMessage
	head     head
	revision uint64 // of the head; 0: it was not written
	parts    []part
	headDue  bool // the head has to be written
	ended    bool
}

// A part is one record of entries.
type part struct {
	number   int
	entries  []json.RawMessage // of the last one, which is written anew
	bytes    int
	revision uint64
}

// Touch says that an entry is over. It costs next to nothing. A nil writer writes
// nothing.
func (w *Writer) Touch() {
	if w != nil {
		w.dirty.Store(true)
	}
}

// End takes what the session remembers at its end, which is written later, and the
// address and the title of its page, which may be empty. It may be called again.
func (w *Writer) End(url, title string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.take()
	if url != "" {
		w.head.Latest.URL, w.head.Latest.Title = shorten(url), shorten(title)
	}
	w.ended, w.entries, w.head.Ended = true, nil, time.Now().UTC()
	w.over.Store(true)
	w.dirty.Store(true)
}

// take reads the entries that are new. w.mu is held.
func (w *Writer) take() {
	if w.entries == nil {
		return
	}
	all := w.entries()
	known := make(map[string]bool, len(all))
	for i := range all {
		id := all[i].Action.ID
		if known[id] = true; w.known[id] {
			continue
		}
		w.waiting = append(w.waiting, encode(&all[i]))
		if l := latestOf(&all[i]); all[i].Action.Parent == "" && !l.Time.Before(w.head.Latest.Time) {
			w.head.Latest = l
		}
	}
	w.known = known // those that the session has forgotten come no more
	if n := len(w.waiting) - mostEntries; n > 0 {
		w.waiting = w.waiting[n:]
	}
}

// encode writes an entry, or what is bearable of it.
func encode(e *Entry) json.RawMessage {
	raw, err := json.Marshal(e)
	if err == nil && len(raw) <= longestEntry {
		return raw
	}
	short := *e
	short.URL = short.URL[:min(len(short.URL), fullPart)]
	short.Action.Parameters = map[string]any{}
	short.Action.Result = map[string]any{"success": e.Action.Result["success"], "message": "what came of it is too long to be kept"}
	raw, err = json.Marshal(short)
	if err != nil {
		return json.RawMessage("{}") // texts and numbers can be written
	}
	return raw
}

// flush writes what is new.
func (w *Writer) flush(ctx context.Context) error {
	if !w.dirty.Swap(false) {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.take()
	err := w.write(ctx)
	if err != nil {
		w.dirty.Store(true)
		return err
	}
	if w.ended {
		w.replays.mu.Lock()
		delete(w.replays.writers, w.id)
		w.replays.mu.Unlock()
	}
	return nil
}

// write brings what waits to the store. w.mu is held.
func (w *Writer) write(ctx context.Context) error {
	if len(w.waiting) == 0 && (w.revision == 0 || !w.ended) {
		return nil // a session in which nothing was done is not kept
	}
	if w.revision == 0 { // before its parts, which are read by it alone
		if err := w.writeHead(ctx); err != nil {
			return err
		}
	}
	w.headDue = w.headDue || w.ended
	for len(w.waiting) > 0 {
		last := len(w.parts) - 1
		if last < 0 || w.parts[last].bytes >= fullPart {
			number := 0
			if last >= 0 {
				number = w.parts[last].number + 1
				w.parts[last].entries = nil
			}
			w.parts = append(w.parts, part{number: number})
			last++
			w.headDue = true
		}
		p := w.parts[last] // as it will be
		n := 0
		for n < len(w.waiting) && (n == 0 || p.bytes < fullPart) {
			p.entries = append(p.entries[:len(p.entries):len(p.entries)], w.waiting[n])
			p.bytes += len(w.waiting[n]) + 1
			n++
		}
		revision, err := w.put(ctx, partPrefix+w.id+"."+strconv.Itoa(p.number), p.entries, p.revision)
		if err != nil {
			return err
		}
		p.revision = revision
		w.head.Bytes += p.bytes - w.parts[last].bytes
		w.parts[last], w.waiting = p, w.waiting[n:]
	}
	for len(w.parts) > 1 && w.head.Bytes > w.replays.opts.PerOne {
		oldest := w.parts[0]
		key := partPrefix + w.id + "." + strconv.Itoa(oldest.number)
		if err := fleet.Remove(ctx, w.replays.store, fleet.Record{Key: key, Revision: oldest.revision}); err != nil {
			return fmt.Errorf("replays: %w", err)
		}
		w.head.Bytes -= oldest.bytes
		w.parts, w.head.First = w.parts[1:], w.parts[1].number
	}
	if !w.headDue {
		return nil
	}
	return w.writeHead(ctx)
}

func (w *Writer) writeHead(ctx context.Context) error {
	w.head.Written = time.Now().UTC()
	revision, err := w.put(ctx, headPrefix+w.id, w.head, w.revision)
	if err == nil {
		w.revision, w.headDue = revision, false
		w.replays.note(w.id, w.head)
	}
	return err
}

// put writes a record that only this writer writes.
func (w *Writer) put(ctx context.Context, key string, v any, revision uint64) (uint64, error) {
	written, err := records.Put(ctx, w.replays.store, key, v, revision)
	if err != nil {
		return 0, fmt.Errorf("replays: %s: %w", key, err)
	}
	return written, nil
}
