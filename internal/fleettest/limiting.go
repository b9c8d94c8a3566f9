package fleettest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// running is a queue's limit of jobs that one owner has at work.
func running(limit int) func(*fleet.QueueOptions) {
	return func(o *fleet.QueueOptions) { o.Running = limit }
}

// queueLimits are the rules of how many jobs of an owner are at work, wherever.
var queueLimits = []testCase{
	{"queue/limit at once", "of any number of nodes that claim at the same moment, none has an owner exceed its limit, and all jobs are done", func(t *testing.T, e *env) {
		const limit, jobs = 2, 40
		var nodes []*node
		for range 4 {
			nodes = append(nodes, e.node(-1, running(limit)))
		}
		owner := func(c *fleet.Claim) string { return c.Job.Owner }
		for i := range jobs {
			nodes[0].enqueue(fleet.Request{Owner: fmt.Sprint(i % 2), Payload: []byte("x")})
		}
		var wait sync.WaitGroup
		var mu sync.Mutex
		at, most, done := map[string]int{}, map[string]int{}, 0
		for i := range 8 {
			wait.Go(func() {
				for e.ctx.Err() == nil {
					mu.Lock()
					over := done == jobs
					mu.Unlock()
					if over {
						return
					}
					c, err := nodes[i%4].queue.TryClaim(e.ctx, "test")
					if errors.Is(err, fleet.ErrEmpty) || errors.Is(err, fleet.ErrUnavailable) {
						continue // all are at work, or it read an old record
					}
					if err != nil {
						t.Error("TryClaim =", err)
						return
					}
					mu.Lock()
					at[owner(c)]++
					most[owner(c)] = max(most[owner(c)], at[owner(c)])
					mu.Unlock()
					if _, err := c.Append(e.ctx, []byte(`1`)); err != nil { // it works for a moment
						t.Error("Append =", err)
					}
					mu.Lock()
					at[owner(c)]--
					done++
					mu.Unlock()
					e.want("Finish", c.Finish(e.ctx, nil), nil)
				}
			})
		}
		wait.Wait()
		if done != jobs {
			t.Errorf("%d of %d jobs were done", done, jobs)
		}
		for owner, n := range most {
			if n > limit {
				t.Errorf("%d jobs of owner %s were at work at once, want %d at most", n, owner, limit)
			}
		}
	}},
	{"queue/limit unheard", "a node that has not heard what others have claimed does not exceed an owner's limit", func(t *testing.T, e *env) {
		a, b := e.node(-1, running(2)), e.node(-1, running(2))
		first := a.enqueue(fleet.Request{Owner: "o", Payload: []byte("x")})
		b.link.Lag()
		for range 2 {
			a.enqueue(fleet.Request{Owner: "o", Priority: 1, Payload: []byte("x")})
		}
		at := a.all()
		if len(at) != 2 {
			t.Fatalf("%d jobs were claimed, want 2", len(at))
		}
		c, err := b.queue.TryClaim(e.ctx, "b")
		if !errors.Is(err, fleet.ErrEmpty) {
			t.Errorf("TryClaim of a third one = %+v, %v; want %v", c, err, fleet.ErrEmpty)
		}
		e.must("GiveUp", at[0].GiveUp(e.ctx, 2*term))
		b.link.Heal()
		e.settle()
		if c := b.claim(); c.Job.ID != first.ID {
			t.Errorf("claimed %+v, want %s", c.Job, first.ID)
		}
		if more := append(a.all(), b.all()...); len(more) != 0 {
			t.Errorf("%d more were claimed beyond the limit", len(more))
		}
	}},
	{"queue/limit lost answers", "a place whose answer was lost, or whose claimer has ended before it claimed, is neither counted twice nor lost to the owner", func(t *testing.T, e *env) {
		a, b := e.node(-1, running(1)), e.node(-1, running(1))
		low := a.enqueue(fleet.Request{Owner: "o", Payload: []byte("x")})
		a.link.CutAfter(1) // it has the place, and no more
		e.want("TryClaim of a node that is cut off", second(a.queue.TryClaim(e.ctx, "a")), fleet.ErrUnavailable)
		high := b.enqueue(fleet.Request{Owner: "o", Priority: 1, Payload: []byte("x")})
		b.link.LoseAnswers(1) // that of the claim
		at := b.all()
		if len(at) != 1 || at[0].Job.ID != low.ID {
			t.Fatalf("%d jobs were claimed, want the one that the place is for", len(at))
		}
		e.must("GiveUp", at[0].GiveUp(e.ctx, 0))
		b.link.LoseAnswers(2) // that of the place, and that of the claim
		at = b.all()
		if len(at) != 1 || at[0].Job.ID != high.ID {
			t.Fatalf("%d jobs were claimed, want the first one alone", len(at))
		}
		b.link.LoseAnswers(0)
		e.must("Finish", at[0].Finish(e.ctx, nil))
		if c := b.claim(); c.Job.ID != low.ID {
			t.Errorf("claimed %+v, want %s", c.Job, low.ID)
		}
		a.link.Heal()
	}},
	{"queue/limit lost claim", "the place of a claim that was not kept alive is free for another once that has stopped, and what it does late takes none", func(t *testing.T, e *env) {
		old, other := e.node(-1, running(1)), e.node(-1, running(1))
		other.enqueue(fleet.Request{Owner: "o", Payload: []byte("x")})
		c := old.claim()
		more := other.enqueue(fleet.Request{Owner: "o", Priority: 1, Payload: []byte("x")})
		old.link.Cut()
		e.want("TryClaim while it is at work", second(other.queue.TryClaim(e.ctx, "other")), fleet.ErrEmpty)
		e.pass(2*term, other)
		if c.Held() == nil {
			t.Error("the claim holds")
		}
		if got := other.claim(); got.Job.ID != more.ID {
			t.Errorf("claimed %+v, want %s", got.Job, more.ID)
		}
		old.link.Heal()
		e.settle()
		e.want("Finish of the old claim", c.Finish(e.ctx, nil), fleet.ErrLost)
		e.want("TryClaim of the old node", second(old.queue.TryClaim(e.ctx, "old")), fleet.ErrEmpty)
	}},
	{"queue/limit clean", "what is left of an owner's places goes with its jobs, and a job of the same key has its place anew", func(t *testing.T, e *env) {
		a, b := e.node(-1, running(1)), e.node(-1, running(1))
		for range 2 {
			a.enqueue(fleet.Request{Owner: "o", Key: "k", Payload: []byte("x")})
			c := b.claim()
			if n, err := a.queue.Clean(e.ctx, e.time.Clock().Now().Add(term)); n != 0 || err != nil {
				t.Errorf("Clean while it is at work = %d, %v", n, err)
			}
			e.must("Finish", c.Finish(e.ctx, nil))
			e.settle()
			if n, err := a.queue.Clean(e.ctx, e.time.Clock().Now().Add(term)); n != 1 || err != nil {
				t.Errorf("Clean = %d, %v; want 1", n, err)
			}
			e.settle()
			if left, err := fleet.List(e.ctx, e.store, "jobs."); err != nil || len(left) != 0 {
				t.Errorf("%d records are left, %v", len(left), err)
			}
		}
	}},
}

func second[T any](_ T, err error) error { return err }
