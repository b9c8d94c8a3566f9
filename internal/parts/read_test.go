package parts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/parts"
)

func list(n int) string {
	var b strings.Builder
	b.WriteString("<ul>")
	for i := range n {
		fmt.Fprintf(&b, "<li>Lamp %d</li>", i)
	}
	return b.String() + "</ul>"
}

var errLong, errBound = errors.New("too long"), errors.New("bound")

// Parts are read at most so many at a time, and answered in page order,
// whichever is ready first.
func TestReadOrder(t *testing.T) {
	snap := page(t, list(400))
	synctest.Test(t, func(t *testing.T) {
		d := parts.Divide(snap, nil, 200)
		all := d.All()
		var now, most atomic.Int32
		r := &parts.Reader{AtOnce: 4, Ask: func(_ context.Context, p parts.Part) (parts.Answer, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(time.Duration(int(p.From)*37%11) * time.Second)
			return parts.Answer{Data: fmt.Appendf(nil, "%d", p.From)}, nil
		}}
		answers, unread, err := r.Read(t.Context(), d, all)
		if err != nil || len(unread) > 0 || len(answers) != len(all) || len(all) < 10 || most.Load() != 4 {
			t.Fatalf("Read = %d answers, %d unread, %v, %d at once; want %d, and 4 at once", len(answers), len(unread), err, most.Load(), len(all))
		}
		for i, a := range answers {
			if string(a.Data) != fmt.Sprint(all[i].From) {
				t.Errorf("answer %d is for line %s, want %d", i, a.Data, all[i].From)
			}
		}
	})
}

// A part that is too large is read in halves, down to a line.
func TestReadHalves(t *testing.T) {
	d := parts.Divide(page(t, list(100)), nil, 100_000)
	var sizes []int32
	r := &parts.Reader{AtOnce: 4, Smaller: func(err error) bool { return errors.Is(err, errLong) }}
	r.Ask = func(_ context.Context, p parts.Part) (parts.Answer, error) {
		if p.To-p.From > 30 {
			return parts.Answer{}, fmt.Errorf("the model: %w", errLong)
		}
		sizes = append(sizes, p.To-p.From)
		return parts.Answer{Data: []byte("1")}, nil
	}
	if answers, _, err := r.Read(t.Context(), d, d.All()); err != nil || len(answers) != 4 || len(sizes) != 4 {
		t.Errorf("Read = %d answers, %v, of sizes %d; want 4", len(answers), err, sizes)
	}
	r.Ask = func(context.Context, parts.Part) (parts.Answer, error) { return parts.Answer{}, errLong }
	if _, _, err := r.Read(t.Context(), d, d.All()); !errors.Is(err, errLong) {
		t.Errorf("Read of lines that are too long = %v, want %v", err, errLong)
	}
}

// A bound leaves the rest unread; what was begun counts.
func TestReadEnds(t *testing.T) {
	d := parts.Divide(page(t, list(400)), nil, 200)
	all := d.All()
	calls := 0
	r := &parts.Reader{AtOnce: 1, Ends: func(err error) bool { return errors.Is(err, errBound) }}
	r.Ask = func(context.Context, parts.Part) (parts.Answer, error) {
		if calls++; calls > 3 {
			return parts.Answer{}, errBound
		}
		return parts.Answer{Data: []byte("1")}, nil
	}
	answers, unread, err := r.Read(t.Context(), d, all)
	if err != nil || len(answers) != 3 || len(unread) != len(all)-3 || calls != 4 || unread[0].From != all[3].From {
		t.Errorf("Read = %d answers, %d unread, %v in %d calls", len(answers), len(unread), err, calls)
	}
}

// An error ends the other parts, and so does the caller's context. No goroutine
// is left: synctest would say so.
func TestReadFails(t *testing.T) {
	snap := page(t, list(400))
	synctest.Test(t, func(t *testing.T) {
		d := parts.Divide(snap, nil, 200)
		all := d.All()
		var calls atomic.Int32
		hang := func(ctx context.Context, p parts.Part) (parts.Answer, error) {
			calls.Add(1)
			if p.From == all[2].From {
				time.Sleep(time.Second)
				return parts.Answer{}, errLong
			}
			<-ctx.Done()
			return parts.Answer{}, ctx.Err()
		}
		r := &parts.Reader{AtOnce: 4, Ask: hang}
		if _, _, err := r.Read(t.Context(), d, all); !errors.Is(err, errLong) || calls.Load() != 4 {
			t.Errorf("Read = %v after %d calls, want %v after 4", err, calls.Load(), errLong)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, _, err := r.Read(ctx, d, all); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Read = %v, want the end of the context", err)
		}
	})
}
