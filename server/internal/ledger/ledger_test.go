package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// A process is one that serves a store's keys: by day it may use 1000 tokens, of
// which each request takes 100, or a dollar, of which it takes 0.1.
type process struct {
	*Ledger
	t    *testing.T
	kill func() // as SIGKILL: nothing is written any more
}

func start(t *testing.T, s fleet.Store) *process {
	t.Helper()
	book, err := Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { book.Run(ctx) })
	kill := func() {
		cancel()
		running.Wait()
		book.stop()
	}
	t.Cleanup(kill)
	return &process{book, t, kill}
}

// use makes requests in the name of a caller, and returns how many were served.
func (p *process) use(caller string, times int) (served int) {
	p.t.Helper()
	list, err := middleware.ListPrices()
	if err != nil {
		p.t.Fatal(err)
	}
	b := p.Budget(caller, time.Now())
	if b.Prices == nil {
		b.Prices = list.With(map[string]middleware.Price{"script/test": {Input: 1000}})
	}
	b.SetLimits(1000, 1)
	model := middleware.Meter()(llmtest.NewTable(p.t, llmtest.Step{Text: "x", Usage: llm.Usage{Input: 100}, Times: -1}))
	req := &llm.Request{Messages: []llm.Message{{Parts: []llm.Part{llm.Text{Text: "?"}}}}}
	for range times {
		_, err := model.Generate(middleware.WithBudget(p.t.Context(), b), req)
		var e *llm.Error
		switch {
		case err == nil:
			served++
		case !errors.As(err, &e) || e.Kind != llm.KindBudget:
			p.t.Errorf("Generate = %v, want it served or over the budget", err)
		}
	}
	return served
}

// TestRestart: what was used counts after the process has ended, and all but the
// last second after it was killed; another key and another day have their own.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(fleet.Memory)
		first := start(t, store)
		if got := first.use("ann", 4); got != 4 {
			t.Errorf("at first %d of 4 requests were served", got)
		}
		time.Sleep(writeEvery + time.Millisecond)
		synctest.Wait()
		first.use("ann", 2) // not written when it is killed
		first.kill()

		second := start(t, store)
		if got := second.use("ann", 3); got != 3 {
			t.Errorf("after the kill %d of 3 requests were served", got)
		}
		second.kill()
		second.Close(t.Context())

		third := start(t, store)
		if got := third.use("ann", 9); got != 3 {
			t.Errorf("after the end %d requests were served, want 3 of 10", got)
		}
		if got := third.use("bob", 12); got != 10 {
			t.Errorf("of another key %d requests were served, want 10", got)
		}
		third.kill() // a day of its clock is long
		time.Sleep(24 * time.Hour)
		if got := third.use("ann", 12); got != 10 {
			t.Errorf("on another day %d requests were served, want 10", got)
		}
	})
}

// TestNodes: nodes over one store hold a limit together, also after one was killed.
func TestNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(fleet.Memory)
		var nodes []*process
		for range 3 {
			nodes = append(nodes, start(t, store))
		}
		served := 0
		for i := range 12 {
			served += nodes[i%3].use("ann", 1)
			time.Sleep(writeEvery + time.Millisecond)
			synctest.Wait()
			if i == 4 {
				nodes[1].kill() // it counts, and can serve no more than it could
				nodes[1] = start(t, store)
			}
		}
		if served != 10 {
			t.Errorf("%d requests were served, want the 10 of the limit", served)
		}
		for i, n := range nodes {
			if got := n.use("ann", 1); got != 0 {
				t.Errorf("node %d goes on", i)
			}
		}
	})
}

// TestAtOnce: nodes that use a key at the same time lose no part, and none is
// counted twice.
func TestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(fleet.Memory)
		var served atomic.Int32
		var all sync.WaitGroup
		var nodes []*process
		for range 3 {
			n := start(t, store)
			nodes = append(nodes, n)
			n.use("ann", 0)
			for range 3 {
				all.Go(func() { served.Add(int32(n.use("ann", 1))) })
			}
		}
		all.Wait()
		time.Sleep(2 * writeEvery)
		synctest.Wait()
		if got := int(served.Load()); got != 9 {
			t.Fatalf("%d of 9 requests were served", got)
		}
		if got := nodes[0].use("ann", 2); got != 1 {
			t.Errorf("then %d were served, want the last one of the limit", got)
		}
	})
}

// An away is a store that cannot be reached, or whose answers are lost after the
// write.
type away struct {
	fleet.Store
	gone, lost atomic.Bool
}

func (a *away) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if a.gone.Load() {
		return 0, fmt.Errorf("%w: the test's own", fleet.ErrUnavailable)
	}
	revision, err := a.Store.Put(ctx, key, value, revision)
	if a.lost.Load() {
		return 0, fmt.Errorf("%w: the test's own", fleet.ErrUnavailable)
	}
	return revision, err
}

// TestStoreAway: without the store it goes on counting from what is known, and what
// it used meanwhile counts for the others afterwards, once.
func TestStoreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &away{Store: new(fleet.Memory)}
		one, other := start(t, store), start(t, store.Store)
		second := func() {
			time.Sleep(writeEvery + time.Millisecond)
			synctest.Wait()
		}
		other.use("ann", 3)
		second()
		store.gone.Store(true)
		one.use("ann", 2)
		second()
		store.gone.Store(false)
		store.lost.Store(true)
		second()
		one.use("ann", 2)
		second()
		store.lost.Store(false)
		second()
		if got := other.use("ann", 9); got != 3 {
			t.Errorf("%d requests were served at the other, want 3, as 7 of 10 are used", got)
		}
		second()
		store.gone.Store(true)
		if got := one.use("ann", 1); got != 0 {
			t.Error("without the store it forgets what the others used")
		}
	})
}

// TestClean: records of days that are over go, from the store and from memory; those
// that may count for somebody stay.
func TestClean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(fleet.Memory)
		one := start(t, store)
		count := func() (records, accounts int) {
			all, err := fleet.List(t.Context(), store, prefix)
			if err != nil {
				t.Fatal(err)
			}
			one.mu.Lock()
			defer one.mu.Unlock()
			return len(all), len(one.accounts)
		}
		for i := range 10 { // it was used on ten days, by this process and by one that is gone
			day := time.Now().AddDate(0, 0, -i)
			one.Budget("ann", day)
			if _, err := store.Put(t.Context(), prefix+day.Format(dayLayout)+".ann.gone", []byte(`{"tokens":1}`), 0); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(writeEvery + time.Millisecond)
		synctest.Wait()
		if records, accounts := count(); records != keepDays+1 || accounts != keepDays+1 {
			t.Errorf("after 10 days there are %d records and %d accounts, want %d", records, accounts, keepDays+1)
		}
	})
}

// TestDamaged: a record that cannot be read hides no other.
func TestDamaged(t *testing.T) {
	store := new(fleet.Memory)
	day := time.Now().UTC()
	for i, value := range []string{`{"tokens":300,"dollars":0.1}`, `{`, `{"tokens":-900}`, `{"dollars":-9}`, `{"tokens":"x"}`} {
		if _, err := store.Put(t.Context(), fmt.Sprintf("%s%s.ann.life%d", prefix, day.Format(dayLayout), i), []byte(value), 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Put(t.Context(), prefix+"short", []byte(`{}`), 0); err != nil {
		t.Fatal(err)
	}
	one := start(t, store)
	b := one.Budget("ann", day)
	b.SetLimits(1, 0)
	model := middleware.Meter()(llmtest.NewTable(t))
	_, err := model.Generate(middleware.WithBudget(t.Context(), b), &llm.Request{})
	var e *llm.Error
	if !errors.As(err, &e) || e.Message != "300 of 1 tokens are used, and this request is about 0" {
		t.Errorf("error = %v, want the 300 tokens of the record that is whole", err)
	}
}
