package replays

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// entriesOf are entries whose results have some bytes.
func entriesOf(from, to, size int) (all []Entry) {
	for n := from; n < to; n++ {
		all = append(all, Entry{URL: "https://shop.test/", Action: wire.ReplayAction{
			ID: fmt.Sprint(n), Method: "act", Timestamp: int64(n), Result: map[string]any{"success": true, "data": strings.Repeat("x", size)},
		}})
	}
	return all
}

func numbers(calls []Entry) string {
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.Action.ID)
	}
	return strings.Join(ids, " ")
}

// TestWritten: entries are written about a second after they are over, each once,
// also where answers of the store are lost; the session's process may be gone then.
func TestWritten(t *testing.T) {
	for lost := range 8 {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			store := &forgetful{Store: new(fleet.Memory), at: int32(lost)}
			kept := New(store, nil)
			done := make(chan struct{})
			go func() { defer close(done); kept.Run(ctx) }()
			var now atomic.Pointer[[]Entry]
			now.Store(new([]Entry))
			w := kept.Begin("s", Session{Owner: "alice", Language: "de"}, func() []Entry { return *now.Load() })
			want := []string{}
			for n := range 6 {
				all := entriesOf(max(0, n-2), n+1, fullPart/2) // the session forgets its oldest
				now.Store(&all)
				want = append(want, fmt.Sprint(n))
				w.Touch()
				time.Sleep(2500 * time.Millisecond)
				synctest.Wait()
				about, calls, err := New(store, nil).Load(ctx, "s")
				if err != nil || numbers(calls) != strings.Join(want, " ") || about != (Session{Owner: "alice", Language: "de"}) {
					t.Errorf("answer %d lost: of %v there is %s, %v, %v", lost, want, numbers(calls), about, err)
				}
			}
			cancel()
			<-done
		})
	}
}

// forgetful loses the answer to one write, which it has done where at is even.
type forgetful struct {
	fleet.Store
	n, at int32
}

func (f *forgetful) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if f.n++; f.n == f.at {
		if f.at%2 == 0 {
			_, err := f.Store.Put(ctx, key, value, revision)
			return 0, errors.Join(fleet.ErrUnavailable, err)
		}
		return 0, fleet.ErrUnavailable
	}
	return f.Store.Put(ctx, key, value, revision)
}

// TestEnd: a session's last entries can be read at once, at this process; one in
// which nothing was done leaves nothing.
func TestEnd(t *testing.T) {
	var memory fleet.Memory
	kept := New(&memory, nil)
	w := kept.Begin("s", Session{}, func() []Entry { return entriesOf(0, 3, 10) })
	w.End("", "")
	w.End("", "")
	if _, calls, err := kept.Load(t.Context(), "s"); err != nil || numbers(calls) != "0 1 2" {
		t.Errorf("Load = %s, %v", numbers(calls), err)
	}
	kept.Begin("empty", Session{}, func() []Entry { return nil }).End("", "")
	kept.Flush(t.Context())
	for _, id := range []string{"empty", "never", "no key!", ""} {
		if _, _, err := kept.Load(t.Context(), id); !errors.Is(err, ErrNotFound) {
			t.Errorf("Load(%q) = %v, want %v", id, err, ErrNotFound)
		}
	}
	if len(kept.writers) > 0 {
		t.Errorf("%d writers are left", len(kept.writers))
	}
	var none *Writer
	none.Touch()
	none.End("", "")
}

// TestBounds: of a long session the oldest entries go, of a long entry what makes
// it long; of all sessions the oldest go, those that are old or too many.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		var memory fleet.Memory
		kept := New(&memory, &Options{PerOne: 3 * fullPart, Bytes: 10 * fullPart, Sessions: 5, Keep: time.Hour})
		w := kept.Begin("long", Session{}, func() []Entry { return append(entriesOf(0, 20, fullPart/2), entriesOf(20, 21, 2*longestEntry)...) })
		w.End("", "")
		_, calls, err := kept.Load(ctx, "long")
		if err != nil || len(calls) < 4 || len(calls) > 8 || calls[len(calls)-1].Action.ID != "20" {
			t.Errorf("Load = %s, %v, want the last ones", numbers(calls), err)
		}
		if text := fmt.Sprint(calls[len(calls)-1].Action.Result); !strings.Contains(text, "too long") || !strings.Contains(text, "success:true") {
			t.Errorf("the long one's result is %.100s", text)
		}
		for n := range 6 {
			time.Sleep(time.Minute)
			kept.Begin(fmt.Sprint(n), Session{}, func() []Entry { return entriesOf(0, 1, 10) }).End("", "")
			kept.Flush(ctx)
		}
		left := func() string {
			if err := kept.clean(ctx); err != nil {
				t.Fatal(err)
			}
			all := []string{}
			for _, id := range []string{"long", "0", "1", "2", "3", "4", "5"} {
				if _, _, err := kept.Load(ctx, id); err == nil {
					all = append(all, id)
				}
			}
			return strings.Join(all, " ")
		}
		if got := left(); got != "1 2 3 4 5" {
			t.Errorf("%s are left, want the latest five", got)
		}
		time.Sleep(57*time.Minute + time.Second)
		if got := left(); got != "3 4 5" {
			t.Errorf("%s are left, want those of the last hour", got)
		}
		time.Sleep(time.Hour)
		left()
		if records, err := fleet.List(ctx, &memory, partPrefix); err != nil || len(records) > 0 {
			t.Errorf("%d parts are left, %v", len(records), err)
		}
	})
}

// TestList: sessions are listed, the latest first, by who has written them and by
// others, whether or not they watch the store; those that were removed are not.
func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var memory fleet.Memory
		kept, watching, asking := New(&memory, nil), New(&memory, nil), New(&memory, &Options{Keep: time.Hour})
		done := make(chan struct{})
		go func() { defer close(done); watching.Run(ctx) }()
		begun := time.Now()
		for n, owner := range []string{"alice", "bob", "alice"} {
			w := kept.Begin(fmt.Sprint(n), Session{Owner: owner, Begun: begun.Add(time.Duration(n) * time.Second)}, func() []Entry { return entriesOf(n, n+1, 10) })
			w.Touch()
			if n > 0 {
				w.End("https://shop.test/end", "The end")
			}
		}
		list := func(r *Replays, owner string, all bool) string {
			t.Helper()
			synctest.Wait()
			found, err := r.List(ctx, owner, all)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for one := range found {
				texts = append(texts, fmt.Sprintf("%s of %s, over %v at %s %q", one.ID, one.Owner, !one.Ended.IsZero(), one.Latest.URL, one.Latest.Title))
			}
			return strings.Join(texts, "; ")
		}
		// What has just ended is there at once, where it was written.
		const one, two = `1 of bob, over true at https://shop.test/end "The end"`, `2 of alice, over true at https://shop.test/end "The end"`
		if got := list(kept, "alice", false); got != two {
			t.Errorf("List = %s, want %s", got, two)
		}
		kept.Flush(ctx)
		const zero = `0 of alice, over false at https://shop.test/ ""`
		for _, r := range []*Replays{kept, watching, asking} {
			if got, want := list(r, "", true), two+"; "+one+"; "+zero; got != want {
				t.Errorf("List of all = %s, want %s", got, want)
			}
			if got, want := list(r, "alice", false), two+"; "+zero; got != want {
				t.Errorf("List = %s, want %s", got, want)
			}
		}
		time.Sleep(2 * time.Hour)
		if err := asking.clean(ctx); err != nil {
			t.Fatal(err)
		}
		for _, r := range []*Replays{kept, watching, asking} {
			if got := list(r, "", true); got != "" {
				t.Errorf("List of what was removed = %s", got)
			}
		}
		cancel()
		<-done
		if watching.heads != nil {
			t.Error("it watches after its end")
		}
	})
}
