package replays

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

// A Summary is a session as lists have it.
type Summary struct {
	ID string
	Session
	// Ended is when it did; zero while it is open, and where its process could not
	// say so any more.
	Ended  time.Time
	Latest Latest
}

// Latest is the last call of a session, shortened. Of a session whose process was
// killed it may be one before.
type Latest struct {
	URL    string    `json:"url,omitempty"`   // of its page
	Title  string    `json:"title,omitempty"` // so, too, at the session's end
	Method string    `json:"method,omitempty"`
	Text   string    `json:"text,omitempty"` // what was asked for
	Time   time.Time `json:"time,omitzero"`
}

// longestShown is how many bytes of a text lists have.
const longestShown = 300

func shorten(text string) string {
	if len(text) > longestShown {
		text = strings.ToValidUTF8(text[:longestShown], "") + "…"
	}
	return text
}

// latestOf is an entry as lists have it.
func latestOf(e *Entry) Latest {
	l := Latest{URL: shorten(e.URL), Method: shorten(e.Action.Method), Time: time.UnixMilli(e.Action.Timestamp).UTC()}
	for _, name := range []string{"instruction", "url"} {
		if text, ok := e.Action.Parameters[name].(string); ok && l.Text == "" {
			l.Text = shorten(text)
		}
	}
	return l
}

// List returns the sessions of which something is kept, the latest first: those of an
// owner, or of all. Those that are open are among them.
func (r *Replays) List(ctx context.Context, owner string, all bool) (iter.Seq[Summary], error) {
	r.mu.Lock()
	var ended []*Writer
	for _, w := range r.writers {
		if w.over.Load() {
			ended = append(ended, w)
		}
	}
	r.mu.Unlock()
	for _, w := range ended { // it has just ended
		if err := w.flush(ctx); err != nil {
			return nil, fmt.Errorf("replays: %w", err)
		}
	}
	type listed struct {
		id string
		*head
	}
	var list []listed
	take := func(id string, h *head) {
		if all || h.Owner == owner {
			list = append(list, listed{id, h})
		}
	}
	if !r.seen(take) {
		records, err := fleet.List(ctx, r.store, headPrefix)
		if err != nil {
			return nil, fmt.Errorf("replays: %w", err)
		}
		for _, record := range records {
			h := new(head)
			if json.Unmarshal(record.Value, h) == nil {
				take(strings.TrimPrefix(record.Key, headPrefix), h)
			}
		}
	}
	slices.SortFunc(list, func(a, b listed) int { return cmp.Or(b.Begun.Compare(a.Begun), cmp.Compare(a.id, b.id)) })
	return func(yield func(Summary) bool) {
		for _, one := range list {
			if !yield(Summary{ID: one.id, Session: one.Session, Ended: one.Ended, Latest: one.Latest}) {
				return
			}
		}
	}, nil
}

// Cut reports whether a session has not ended, as far as is kept of it, and no writer
// of this process has it: the process is gone that had it.
func (r *Replays) Cut(ctx context.Context, session, owner string) bool {
	if r.writing(session) {
		return false
	}
	var h head
	record, err := r.store.Get(ctx, headPrefix+session)
	return err == nil && json.Unmarshal(record.Value, &h) == nil && h.Owner == owner && h.Ended.IsZero()
}

// seen calls take with all sessions that the watch has seen; false: the store is not
// watched.
func (r *Replays) seen(take func(id string, h *head)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, h := range r.heads {
		take(id, h)
	}
	return r.heads != nil
}

// note takes in what a writer has just written.
func (r *Replays) note(id string, h head) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.heads != nil {
		r.heads[id] = &h
	}
}

// watch sees which sessions there are, until ctx ends: a list is read far more often
// than a session ends.
func (r *Replays) watch(ctx context.Context) {
	for ctx.Err() == nil {
		found := map[string]*head{} // of this watch; protected by r.mu once it is r.heads
		stop, err := r.store.Watch(ctx, headPrefix, func(record fleet.Record) {
			id, h := strings.TrimPrefix(record.Key, headPrefix), new(head)
			r.mu.Lock()
			defer r.mu.Unlock()
			if record.Deleted || json.Unmarshal(record.Value, h) != nil {
				delete(found, id)
				return
			}
			if now := found[id]; now == nil || !now.Written.After(h.Written) {
				found[id] = h
			}
		})
		if err != nil {
			r.log.Debug("the sessions that are kept cannot be watched", "err", err)
			pause.For(ctx, r.opts.Every)
			continue
		}
		r.mu.Lock()
		r.heads = found
		r.mu.Unlock()
		<-ctx.Done()
		stop()
	}
	r.mu.Lock()
	r.heads = nil
	r.mu.Unlock()
}
