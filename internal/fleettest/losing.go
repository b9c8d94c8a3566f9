package fleettest

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// queueFaults are the rules of a queue whose nodes and connections fail.
var queueFaults = []testCase{
	{"queue/redelivery", "a job whose claimer is cut off is given to another, after that one has stopped, and nothing is taken from it afterwards", func(t *testing.T, e *env) {
		old, other := e.node(-1), e.node(-1)
		job := other.enqueue(fleet.Request{Owner: "o", Payload: []byte("x")})
		c := old.claim()
		e.must("Append", second(c.Append(e.ctx, json.RawMessage(`"begun"`))))
		old.link.Cut()
		var next *fleet.Claim
		for passed := time.Duration(0); next == nil; passed += term / 10 {
			if passed > 4*term {
				t.Fatal("nobody could claim the job")
			}
			e.pass(term/10, other)
			got, err := other.queue.TryClaim(e.ctx, "other")
			if errors.Is(err, fleet.ErrEmpty) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			next = got
			if c.Held() == nil || c.Context().Err() == nil {
				t.Error("the job was claimed again while the first claim held")
			}
		}
		if next.Job.ID != job.ID || next.Job.Attempt != 2 || next.Job.Losses != 1 {
			t.Errorf("claimed %+v", next.Job)
		}
		old.link.Heal()
		e.settle()
		e.want("KeepAlive of the old claim", c.KeepAlive(e.ctx), fleet.ErrLost)
		e.want("Finish of the old claim", c.Finish(e.ctx, []byte("late")), fleet.ErrLost)
		e.want("GiveUp of the old claim", c.GiveUp(e.ctx, 0), fleet.ErrLost)
		e.want("Append of the old claim", second(c.Append(e.ctx, json.RawMessage(`"late"`))), fleet.ErrLost)
		if _, err := next.Append(e.ctx, json.RawMessage(`1`)); err == nil {
			t.Error("Append succeeded before the log was read")
		}
		lines, err := next.Log(e.ctx, json.RawMessage(`"again"`))
		if got := texts(lines); err != nil || !slices.Equal(got, []string{`1:1:"begun"`}) {
			t.Errorf("Log = %q, %v", got, err)
		}
		if n, err := next.Append(e.ctx, json.RawMessage(`"on"`)); n != 3 || err != nil {
			t.Errorf("Append = %d, %v; want 3", n, err)
		}
		e.want("Finish", next.Finish(e.ctx, []byte("done")), nil)
		if result, err := old.queue.Result(e.ctx, job.ID); string(result) != "done" {
			t.Errorf("Result = %q, %v", result, err)
		}
	}},
	{"queue/pause", "a claimer whose clock did not see it pass can write nothing once another has read the log", func(t *testing.T, e *env) {
		old, other := e.node(-1), e.node(-1)
		other.enqueue(fleet.Request{Owner: "o", Payload: []byte("x")})
		c := old.claim()
		e.must("Append", second(c.Append(e.ctx, json.RawMessage(`1`))))
		old.link.Cut() // or it would learn of it
		for range 30 {
			old.clock.Jump(-term / 10)
			e.pass(term/10, other)
		}
		next := other.claim()
		if c.Held() != nil {
			t.Fatal("this case needs a claimer that does not know")
		}
		// Its calls get through again before it learns what has happened.
		old.link.change(func() { old.link.cut = false })
		if n, err := c.Append(e.ctx, json.RawMessage(`2`)); n != 2 || err != nil {
			t.Errorf("Append before the log was read = %d, %v", n, err)
		}
		lines, err := next.Log(e.ctx, nil)
		if got := texts(lines); err != nil || !slices.Equal(got, []string{"1:1:1", "2:1:2"}) {
			t.Errorf("Log = %q, %v", got, err)
		}
		e.want("Append after the log was read", second(c.Append(e.ctx, json.RawMessage(`3`))), fleet.ErrLost)
		e.want("Held", c.Held(), fleet.ErrLost)
		old.link.Heal()
	}},
	{"queue/jumps", "a clock that jumps, or a process that was stopped, takes nobody's job", func(t *testing.T, e *env) {
		a, b := e.node(-1), e.node(-1)
		a.enqueue(fleet.Request{Payload: []byte("x")})
		c := a.claim()
		for _, jump := range []time.Duration{time.Hour, -2 * time.Hour, 24 * time.Hour} {
			b.clock.Jump(jump)
			if lost, err := b.queue.Sweep(e.ctx); len(lost) > 0 || err != nil {
				t.Errorf("after a jump of %v: Sweep = %v, %v", jump, lost, err)
			}
			for range 10 {
				e.time.Advance(term / 10)
				e.must("KeepAlive", c.KeepAlive(e.ctx))
				e.settle()
				b.live()
			}
		}
		e.want("Finish", c.Finish(e.ctx, nil), nil)
	}},
	{"queue/abandoned", "a job that has lost its claimers too often is over", func(t *testing.T, e *env) {
		a := e.node(-1, func(o *fleet.QueueOptions) { o.Losses = 2 })
		job := a.enqueue(fleet.Request{Payload: []byte("x")})
		for range 2 {
			a.claim()
			e.pass(2*term, a)
		}
		if got, err := a.queue.Get(e.ctx, job.ID); err != nil || got.State != fleet.Abandoned || got.Losses != 2 {
			t.Errorf("Get = %+v, %v", got, err)
		}
		e.want("TryClaim", second(a.queue.TryClaim(e.ctx, "a")), fleet.ErrEmpty)
	}},
	{"queue/lost answers", "a write whose answer is lost is neither done twice nor taken for another's", func(t *testing.T, e *env) {
		a := e.node(-1)
		r := fleet.Request{Owner: "o", Key: "k", Payload: []byte("x")}
		for n := 1; ; n++ { // of the writes of Enqueue
			a.link.LoseAnswers(n)
			if _, created, err := a.queue.Enqueue(e.ctx, r); err == nil {
				if created {
					t.Error("the job was made twice")
				}
				break
			}
			if n > 5 {
				t.Fatal("Enqueue goes on failing")
			}
		}
		a.link.LoseAnswers(0)
		e.settle()
		if all := a.queue.List("o"); len(all) != 1 {
			t.Fatalf("List = %+v", all)
		}
		a.link.LoseAnswers(1)
		c, err := a.queue.TryClaim(e.ctx, "a")
		if err != nil || c.Job.Attempt != 1 {
			t.Fatalf("TryClaim = %+v, %v", c, err)
		}
		a.link.LoseAnswers(1)
		e.want("KeepAlive", c.KeepAlive(e.ctx), fleet.ErrUnavailable)
		e.want("KeepAlive again", c.KeepAlive(e.ctx), nil)
		a.link.LoseAnswers(1)
		if n, err := c.Append(e.ctx, json.RawMessage(`1`)); n != 1 || err != nil {
			t.Errorf("Append = %d, %v", n, err)
		}
		for n := 1; ; n++ { // of the writes of Finish
			a.link.LoseAnswers(1)
			if err = c.Finish(e.ctx, []byte("done")); err == nil || n > 5 {
				break
			}
			e.want("Finish", err, fleet.ErrUnavailable)
		}
		a.link.LoseAnswers(0)
		if err != nil {
			t.Error("Finish at last =", err)
		}
		got, err := a.queue.Get(e.ctx, c.Job.ID)
		if result, _ := a.queue.Result(e.ctx, c.Job.ID); err != nil || got.State != fleet.Finished || string(result) != "done" {
			t.Errorf("Get = %+v, %v; Result = %q", got, err, result)
		}
	}},
}
