package fleettest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

func texts(lines []fleet.LogLine) (all []string) {
	for _, l := range lines {
		all = append(all, fmt.Sprintf("%d:%d:%s", l.Number, l.Attempt, l.Data))
	}
	return all
}

// queueCases are the rules of a queue.
var queueCases = []testCase{
	{"queue/one job", "a job is claimed with its payload, finished with its result, and known to every node, and to one that starts later", func(t *testing.T, e *env) {
		a, b := e.node(-1), e.node(-1)
		job := a.enqueue(fleet.Request{Owner: "o", Payload: []byte("work")})
		e.want("Result before the end", second(b.queue.Result(e.ctx, job.ID)), fleet.ErrNotFound)
		c := b.claim()
		if payload, err := b.queue.Payload(e.ctx, c.Job.ID); string(payload) != "work" || err != nil || c.Job.ID != job.ID || c.Job.Attempt != 1 {
			t.Errorf("claimed %+v with %q, %v", c.Job, payload, err)
		}
		e.want("TryClaim of what is claimed", second(a.queue.TryClaim(e.ctx, "a")), fleet.ErrEmpty)
		e.must("Finish", c.Finish(e.ctx, []byte("done")))
		e.want("Finish again", c.Finish(e.ctx, nil), fleet.ErrLost)
		e.settle()
		later := e.node(-1)
		for _, n := range []*node{a, b, later} {
			got, err := n.queue.Get(e.ctx, job.ID)
			result, again := n.queue.Result(e.ctx, job.ID)
			if err != nil || again != nil || got.State != fleet.Finished || string(result) != "done" {
				t.Errorf("Get = %+v, %v; Result = %q, %v", got, err, result, again)
			}
			if all := n.queue.List("o"); len(all) != 1 || all[0].ID != job.ID || all[0].State != fleet.Finished {
				t.Errorf("List = %+v", all)
			}
		}
		if all := a.queue.List("other"); len(all) != 0 {
			t.Errorf("List of another owner = %+v", all)
		}
	}},
	{"queue/idempotency", "of all requests with one key of one owner, one job is made; another payload under it is an error", func(t *testing.T, e *env) {
		a, b := e.node(-1), e.node(-1)
		first := a.enqueue(fleet.Request{Owner: "o", Key: "käy 1", Payload: []byte("x")})
		again, created, err := b.queue.Enqueue(e.ctx, fleet.Request{Owner: "o", Key: "käy 1", Payload: []byte("x")})
		if err != nil || created || again.ID != first.ID {
			t.Errorf("Enqueue again = %+v, %v, %v", again, created, err)
		}
		_, _, err = b.queue.Enqueue(e.ctx, fleet.Request{Owner: "o", Key: "käy 1", Payload: []byte("y")})
		e.want("Enqueue of another payload", err, fleet.ErrMismatch)
		b.enqueue(fleet.Request{Owner: "p", Key: "käy 1", Payload: []byte("x")})

		var wait sync.WaitGroup
		made := make(chan bool, 8)
		for i := range 8 {
			wait.Go(func() {
				_, created, err := []*node{a, b}[i%2].queue.Enqueue(e.ctx, fleet.Request{Owner: "o", Key: "2", Payload: []byte("x")})
				if err != nil {
					t.Error("Enqueue at once =", err)
				}
				made <- created
			})
		}
		wait.Wait()
		close(made)
		n := 0
		for created := range made {
			if created {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d jobs were made by requests with one key", n)
		}
	}},
	{"queue/claimers", "of any number of claimers, one gets a job", func(t *testing.T, e *env) {
		nodes := []*node{e.node(-1), e.node(-1), e.node(-1)}
		const jobs = 30
		for i := range jobs {
			nodes[0].enqueue(fleet.Request{Owner: fmt.Sprint(i % 3), Payload: []byte("x")})
		}
		var wait sync.WaitGroup
		var mu sync.Mutex
		claimed := map[string]int{}
		for i := range 6 {
			wait.Go(func() {
				for {
					c, err := nodes[i%3].queue.TryClaim(e.ctx, "test")
					if errors.Is(err, fleet.ErrEmpty) {
						return
					}
					if errors.Is(err, fleet.ErrUnavailable) {
						continue // it read an old record
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					claimed[c.Job.ID]++
					mu.Unlock()
					e.want("Finish", c.Finish(e.ctx, []byte("x")), nil)
				}
			})
		}
		wait.Wait()
		if len(claimed) != jobs {
			t.Errorf("%d of %d jobs were claimed", len(claimed), jobs)
		}
		for id, n := range claimed {
			if n != 1 {
				t.Errorf("job %s was claimed %d times", id, n)
			}
		}
	}},
	{"queue/order", "owners take turns; among the jobs of one, priority goes before age", func(t *testing.T, e *env) {
		a := e.node(-1)
		add := func(owner string, priority int, payload string) {
			a.enqueue(fleet.Request{Owner: owner, Priority: priority, Payload: []byte(payload)})
			e.time.Advance(time.Second)
		}
		for i := range 4 {
			add("many", 0, fmt.Sprint("m", i))
		}
		add("many", 9, "m-high")
		add("few", -1, "f-low")
		add("few", 0, "f0")
		if got, want := a.order(), "m-high f0 m0 f-low m1 m2 m3"; got != want {
			t.Errorf("the order was %s, want %s", got, want)
		}
	}},
	{"queue/limits", "an owner has no more jobs waiting and running than it may", func(t *testing.T, e *env) {
		a := e.node(-1, func(o *fleet.QueueOptions) { o.Waiting, o.Running = 3, 1 })
		for range 3 {
			a.enqueue(fleet.Request{Owner: "o", Payload: []byte("x")})
		}
		_, _, err := a.queue.Enqueue(e.ctx, fleet.Request{Owner: "o"})
		e.want("Enqueue", err, fleet.ErrFull)
		e.time.Advance(time.Second)
		a.enqueue(fleet.Request{Owner: "p", Payload: []byte("x")})
		c := a.claim() // that of o, which is older
		a.claim()
		e.want("TryClaim beyond the limit", second(a.queue.TryClaim(e.ctx, "a")), fleet.ErrEmpty)
		e.must("Finish", c.Finish(e.ctx, nil))
		e.settle()
		a.claim()
	}},
	{"queue/cancel", "a job that waits is cancelled at once; who has claimed one learns of it, and finishes it", func(t *testing.T, e *env) {
		a, b := e.node(-1), e.node(-1)
		job := a.enqueue(fleet.Request{Payload: []byte("x")})
		if got, err := b.queue.Cancel(e.ctx, job.ID); err != nil || got.State != fleet.Canceled {
			t.Errorf("Cancel = %+v, %v", got, err)
		}
		e.settle()
		e.want("TryClaim of what was cancelled", second(a.queue.TryClaim(e.ctx, "a")), fleet.ErrEmpty)

		job = a.enqueue(fleet.Request{Payload: []byte("x")})
		c := a.claim()
		if got, err := b.queue.Cancel(e.ctx, job.ID); err != nil || got.State != fleet.Running || !got.Cancel {
			t.Errorf("Cancel = %+v, %v", got, err)
		}
		select {
		case <-c.Context().Done():
		case <-e.ctx.Done():
			t.Fatal("the claimer learned nothing")
		}
		e.want("KeepAlive", c.KeepAlive(e.ctx), nil)
		e.want("Finish", c.Finish(e.ctx, []byte("half")), nil)
		got, err := b.queue.Cancel(e.ctx, job.ID)
		if result, _ := b.queue.Result(e.ctx, job.ID); err != nil || got.State != fleet.Canceled || string(result) != "half" {
			t.Errorf("Cancel again = %+v, %v; Result = %q", got, err, result)
		}
		e.want("Cancel of nothing", second(b.queue.Cancel(e.ctx, "none")), fleet.ErrNotFound)
	}},
	{"queue/give up", "a job that is given up waits again, not before the time that was said", func(t *testing.T, e *env) {
		a, b := e.node(-1), e.node(-1)
		a.enqueue(fleet.Request{Payload: []byte("x")})
		c := a.claim()
		e.must("GiveUp", c.GiveUp(e.ctx, time.Minute))
		e.want("Held after GiveUp", c.Held(), fleet.ErrLost)
		e.settle()
		_, err := b.queue.TryClaim(e.ctx, "b")
		e.want("TryClaim before the time", err, fleet.ErrEmpty)
		claimed := make(chan *fleet.Claim, 1)
		go func() {
			c, err := b.queue.Claim(e.ctx, "b")
			if err != nil {
				t.Error(err)
			}
			claimed <- c
		}()
		for {
			select {
			case c := <-claimed:
				if c != nil && (c.Job.Attempt != 2 || c.Job.Losses != 0) {
					t.Errorf("claimed %+v", c.Job)
				}
				return
			case <-e.ctx.Done():
				t.Fatal("the job was not claimed")
			default:
				e.time.Advance(time.Second) // whenever it begins to wait
			}
		}
	}},
	{"queue/follow", "who follows a log reads its lines once and in order, from the one that it names", func(t *testing.T, e *env) {
		a, b := e.node(-1), e.node(-1)
		job := a.enqueue(fleet.Request{Payload: []byte("x")})
		c := a.claim()
		write := func(n int) {
			t.Helper()
			if got, err := c.Append(e.ctx, fmt.Append(nil, n)); got != n || err != nil {
				t.Fatalf("Append = %d, %v; want %d", got, err, n)
			}
		}
		for n := range 3 {
			write(n + 1)
		}
		read := make(chan fleet.LogLine, 10)
		stop, err := b.queue.Follow(e.ctx, job.ID, 1, func(l fleet.LogLine) { read <- l })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		for n := 4; n <= 5; n++ {
			write(n)
		}
		for want := 2; want <= 5; want++ {
			select {
			case l := <-read:
				if l.Number != want || string(l.Data) != fmt.Sprint(want) {
					t.Errorf("read line %d: %s, want %d", l.Number, l.Data, want)
				}
			case <-e.ctx.Done():
				t.Fatalf("line %d was not read", want)
			}
		}
	}},
	{"queue/secret", "a job's secret is read by whoever claims it, and erased once the job is over; one identity is one request, whatever its payload", func(t *testing.T, e *env) {
		a, b := e.node(-1), e.node(-1)
		left := func() (keys []string) {
			e.settle()
			records, err := fleet.List(e.ctx, e.store, "jobs.secret.")
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				keys = append(keys, r.Key)
			}
			return keys
		}
		request := func(secret string) fleet.Request {
			return fleet.Request{Owner: "o", Key: "k", Payload: []byte("x" + secret), Secret: []byte(secret), Identity: []byte("same")}
		}
		first := a.enqueue(request("1"))
		if again, created, err := b.queue.Enqueue(e.ctx, request("2")); err != nil || created || again.ID != first.ID {
			t.Errorf("Enqueue again = %+v, %v, %v", again, created, err)
		}
		other := request("3")
		other.Identity = []byte("other")
		_, _, err := b.queue.Enqueue(e.ctx, other)
		e.want("Enqueue of another identity", err, fleet.ErrMismatch)
		c := a.claim()
		e.must("GiveUp", c.GiveUp(e.ctx, 0))
		e.settle()
		c = b.claim()
		if secret, err := b.queue.Secret(e.ctx, c.Job.ID); string(secret) != "1" || err != nil {
			t.Errorf("Secret = %q, %v", secret, err)
		}
		e.must("Finish", c.Finish(e.ctx, nil))
		if keys := left(); len(keys) > 0 {
			t.Errorf("after the end there are %v", keys)
		}
		e.want("Secret after the end", second(a.queue.Secret(e.ctx, first.ID)), fleet.ErrNotFound)
		canceled := a.enqueue(fleet.Request{Owner: "o", Payload: []byte("x"), Secret: []byte("4")})
		e.must("Cancel", second(b.queue.Cancel(e.ctx, canceled.ID)))
		if keys := left(); len(keys) > 0 {
			t.Errorf("after the cancellation there are %v", keys)
		}
		// One whose job never came to be, as its process was killed, one whose job is
		// over, and one that is needed.
		waits := a.enqueue(fleet.Request{Owner: "o", Payload: []byte("x"), Secret: []byte("5")})
		for _, key := range []string{"nobody.0123456789abcdef", first.ID + ".0123456789abcdef"} {
			e.must("Put", second(e.store.Put(e.ctx, "jobs.secret."+key, []byte("6"), 0)))
		}
		for want := 2; want >= 1; want-- {
			e.must("Clean", second(b.queue.Clean(e.ctx, e.time.Clock().Now().Add(-time.Hour))))
			if keys := left(); len(keys) != want {
				t.Errorf("after Clean there are %v, want %d", keys, want)
			}
		}
		if secret, err := b.queue.Secret(e.ctx, waits.ID); string(secret) != "5" || err != nil {
			t.Errorf("Secret of one that waits = %q, %v", secret, err)
		}
	}},
	{"queue/clean", "jobs that are over for long go with all that belongs to them, and others stay", func(t *testing.T, e *env) {
		a, b := e.node(-1), e.node(-1)
		old := a.enqueue(fleet.Request{Owner: "o", Payload: []byte("x"), Key: "k"})
		c := a.claim()
		e.must("Append", second(c.Append(e.ctx, json.RawMessage(`1`))))
		e.must("Finish", c.Finish(e.ctx, []byte("done")))
		e.time.Advance(time.Hour)
		a.enqueue(fleet.Request{Owner: "o", Payload: []byte("y")})
		running := a.claim()
		if n, err := b.queue.Clean(e.ctx, e.time.Clock().Now().Add(-time.Minute)); n != 1 || err != nil {
			t.Errorf("Clean = %d, %v; want 1", n, err)
		}
		e.settle()
		e.want("Get of what was cleaned", second(a.queue.Get(e.ctx, old.ID)), fleet.ErrNotFound)
		if all := a.queue.List("o"); len(all) != 1 || all[0].ID != running.Job.ID {
			t.Errorf("List = %+v", all)
		}
		left := 0
		stop, err := e.store.Watch(e.ctx, "jobs.", func(r fleet.Record) {
			if strings.Contains(r.Key, old.ID) && !r.Deleted {
				left++
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		stop()
		if left > 0 {
			t.Errorf("%d records of the job are left", left)
		}
		// Its key can be used again.
		if again := a.enqueue(fleet.Request{Owner: "o", Payload: []byte("x"), Key: "k"}); again.ID != old.ID {
			t.Errorf("Enqueue = %+v", again)
		}
	}},
}
