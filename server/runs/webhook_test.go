package runs_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
	"github.com/wayfinder-engine/wayfinder/policy"
	"github.com/wayfinder-engine/wayfinder/server/runs"
)

// receiver takes webhooks, and has their IDs.
func receiver(t *testing.T) (order string, got chan string) {
	got = make(chan string, 10)
	h := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("webhook-id") }))
	t.Cleanup(h.Close)
	return `{"task":"order it","url":"https://shop.test/","webhook":"` + h.URL + `"}`, got
}

func hooked() *runs.Options {
	return &runs.Options{Webhooks: &policy.Policy{Private: []string{"127.0.0.1"}}, Term: time.Second}
}

// A forgetful is a store that cannot be reached at the first writes of webhooks.
type forgetful struct {
	fleet.Store
	fails atomic.Int32
}

func (s *forgetful) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if strings.HasPrefix(key, "hooks.") && s.fails.Add(-1) >= 0 {
		return 0, fmt.Errorf("%w: for a moment", fleet.ErrUnavailable)
	}
	return s.Store.Put(ctx, key, value, revision)
}

// TestWebhookStoreAway: a webhook is not forgotten where the store is away as the
// run ends, as without a leader.
func TestWebhookStoreAway(t *testing.T) {
	store := &forgetful{Store: new(fleet.Memory)}
	store.fails.Store(3)
	order, got := receiver(t)
	s := serve(t, store, &agent{}, hooked())
	run := s.call(201, "a", "POST", "/v1/runs", order)
	s.events("a", run.ID)
	if id := <-got; id != run.ID {
		t.Errorf("delivered %s, want %s", id, run.ID)
	}
}

// TestWebhookOfLostRun: that the process of a run is gone has nothing delivered,
// and nothing tried, before the run is over at another; and then it is at once.
func TestWebhookOfLostRun(t *testing.T) {
	store := new(fleet.Memory)
	network := fleettest.NewNetwork(store)
	order, got := receiver(t)
	link := network.Link()
	model := &agent{hangAt: 2, hanging: make(chan struct{}, 1)}
	first := serve(t, link, model, hooked())
	run := first.call(201, "a", "POST", "/v1/runs", order)
	<-model.hanging
	link.Cut()
	model = &agent{hangAt: 1, hanging: make(chan struct{}, 1)}
	second := serve(t, network.Link(), model, hooked())
	<-model.hanging
	for _, part := range []string{"job", "task"} {
		if hooks, err := fleet.List(t.Context(), store, "hooks."+part+"."); err != nil || len(hooks) > 0 {
			t.Errorf("while the run goes on there are %+v, %v", hooks, err)
		}
	}
	second.call(200, "a", "DELETE", "/v1/runs/"+run.ID, "")
	if id := <-got; id != run.ID {
		t.Errorf("delivered %s, want %s", id, run.ID)
	}
}

// TestWebhookOfAbandonedRun: a run that was given up has its webhook delivered, also
// by a process that started later.
func TestWebhookOfAbandonedRun(t *testing.T) {
	store := new(fleet.Memory)
	order, got := receiver(t)
	// A process that knows nothing of webhooks gives the run up.
	q, err := fleet.NewQueue(t.Context(), store, "runs", &fleet.QueueOptions{Term: time.Second, Losses: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	model := &agent{hangAt: 1, hanging: make(chan struct{}, 1)}
	network := fleettest.NewNetwork(store)
	link := network.Link()
	first := serve(t, link, model, hooked())
	run := first.call(201, "a", "POST", "/v1/runs", order)
	<-model.hanging
	link.Cut()
	for gone := false; !gone; {
		lost, err := q.Sweep(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		gone = len(lost) > 0
	}
	serve(t, network.Link(), &agent{}, hooked())
	if id := <-got; id != run.ID {
		t.Errorf("delivered %s, want %s", id, run.ID)
	}
}
