package nodes_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
)

// A counter is a node of which only the count of requests matters.
type counter struct {
	t    *testing.T
	srv  *server.Server
	link *fleettest.Link
	die  func()
}

// limited is a key that may ask so often a minute.
func limited(limit int) server.Key {
	key := server.NewKey("alice", "a")
	key.Operator, key.Limits.RequestsPerMinute = true, limit
	return key
}

func startCounter(t *testing.T, network *fleettest.Network, limit int) *counter {
	t.Helper()
	link := network.Link()
	node, err := nodes.Join(t.Context(), link, &nodes.Options{Address: "nowhere.test:1", Secret: secret, Term: time.Hour, Pressure: func() float64 { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(shop, &server.Options{Models: server.Models{Default: offline.New()}, Parts: server.Parts{Node: node}, Keys: []server.Key{limited(limit)}})
	if err != nil {
		t.Fatal(err)
	}
	keeping, end := context.WithCancel(context.Background())
	var kept sync.WaitGroup
	kept.Go(func() { srv.KeepNode(keeping) })
	c := &counter{t: t, srv: srv, link: link, die: func() {
		link.Cut()
		end()
	}}
	t.Cleanup(func() {
		end()
		kept.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = srv.Shutdown(ctx)
		node.Close(ctx)
	})
	return c
}

// ask makes a request, and returns its status and its retry-after.
func (c *counter) ask() (status, retry int) {
	r := httptest.NewRequest("GET", "/v1/nodes", nil)
	r.Header.Set("x-svc-api-key", "a")
	w := httptest.NewRecorder()
	c.srv.ServeHTTP(w, r)
	switch body := w.Body.String(); w.Code {
	case http.StatusOK:
	case http.StatusTooManyRequests:
		if !strings.Contains(body, "rate_limited") {
			c.t.Errorf("%d: %s", w.Code, body)
		}
	default:
		if !strings.Contains(body, "the key's requests cannot be counted now") {
			c.t.Errorf("%d: %s", w.Code, body)
		}
	}
	retry, _ = strconv.Atoi(w.Header().Get("retry-after"))
	return w.Code, retry
}

// askAll has every node asked at once, so often each, and returns how many
// requests were let in.
func askAll(all []*counter, times int) int {
	var served atomic.Int32
	var asking sync.WaitGroup
	for _, c := range all {
		for range times {
			asking.Go(func() {
				if status, _ := c.ask(); status == http.StatusOK {
					served.Add(1)
				}
			})
		}
	}
	asking.Wait()
	return int(served.Load())
}

// TestRequests: nodes hold a key's limit together, whichever of them are asked, and
// leave at most a tenth of it unused; a minute later it is there again.
func TestRequests(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 30, 100, 999} {
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := fleettest.NewNetwork(new(fleet.Memory))
				all := []*counter{startCounter(t, network, limit), startCounter(t, network, limit), startCounter(t, network, limit)}
				if got := askAll(all, limit+3); got != limit {
					t.Errorf("all were asked: %d were let in, want %d", got, limit)
				}
				status, retry := all[2].ask()
				if status != http.StatusTooManyRequests || retry != 60 {
					t.Errorf("then %d, retry-after %d", status, retry)
				}
				time.Sleep(time.Duration(retry) * time.Second)
				got := askAll(all[1:], 1) + askAll(all[:1], limit+3)
				if got > limit || got*10 < limit*9 {
					t.Errorf("nearly all came to one node: %d were let in, want 90 %% of %d at least", got, limit)
				}
			})
		})
	}
}

// TestRequestsOfTheDead: what a dead node has taken lapses with its minute.
func TestRequestsOfTheDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := fleettest.NewNetwork(new(fleet.Memory))
		const limit = 90
		all := []*counter{startCounter(t, network, limit), startCounter(t, network, limit), startCounter(t, network, limit)}
		if got := askAll(all[2:], 1); got != 1 {
			t.Fatal("the first request was refused")
		}
		all[2].die() // it has taken 3
		time.Sleep(20 * time.Second)
		if got := askAll(all[:2], limit); got != limit-3 {
			t.Errorf("in its minute %d were let in, want %d", got, limit-3)
		}
		if _, retry := all[0].ask(); retry != 40 {
			t.Errorf("retry-after = %d, want the 40 that are left of the minute", retry)
		}
		time.Sleep(40 * time.Second)
		if got := askAll(all[:2], limit); got != limit {
			t.Errorf("in the next minute %d were let in, want %d", got, limit)
		}
	})
}

// TestRequestsCutOff: without the records a node lets in what it has taken, and
// then says soon that it cannot count; it never lets in more.
func TestRequestsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := fleettest.NewNetwork(new(fleet.Memory))
		const limit = 60
		all := []*counter{startCounter(t, network, limit), startCounter(t, network, limit), startCounter(t, network, limit)}
		one := all[0]
		one.ask() // it has taken 2
		one.link.Cut()
		if status, _ := one.ask(); status != http.StatusOK {
			t.Errorf("the second of its part: %d", status)
		}
		begin := time.Now()
		var asking sync.WaitGroup
		for range 20 {
			asking.Go(func() {
				if status, retry := one.ask(); status != http.StatusServiceUnavailable || retry != 1 {
					t.Errorf("cut off: %d, retry-after %d", status, retry)
				}
			})
		}
		asking.Wait()
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("20 requests at once waited %v", took)
		}
		asking.Go(func() { // it waits, and is let in
			if status, _ := one.ask(); status != http.StatusOK {
				t.Errorf("healed while it waited: %d", status)
			}
		})
		time.Sleep(time.Second)
		one.link.Heal()
		asking.Wait()
		if got := askAll(all, limit); got != limit-3 {
			t.Errorf("then %d were let in, want %d", got, limit-3)
		}
		time.Sleep(time.Minute)
		one.link.LoseAnswers(3) // what these took is taken
		if got := askAll(all, limit); got > limit || got < limit-3*2 {
			t.Errorf("with lost answers %d were let in, want %d", got, limit-3*2)
		}
	})
}

// TestRequestsNewLimit: a limit that is changed holds at once, less what was let in.
func TestRequestsNewLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := fleettest.NewNetwork(new(fleet.Memory))
		all := []*counter{startCounter(t, network, 5), startCounter(t, network, 5)}
		for i, limit := range []int{5, 9, 4, 12} {
			for _, c := range all {
				c.srv.SetKeys([]server.Key{limited(limit)})
			}
			if got, want := askAll(all, 20), []int{5, 4, 0, 3}[i]; got != want {
				t.Errorf("with the limit %d, %d were let in, want %d", limit, got, want)
			}
		}
		for _, c := range all {
			c.srv.SetKeys([]server.Key{limited(0)})
		}
		if got := askAll(all, 20); got != 40 {
			t.Errorf("without a limit %d of 40 were let in", got)
		}
	})
}

// TestRequestsRecord: what cannot be read, or was written by a clock that is wrong,
// keeps no key out; what is in use no longer is removed.
func TestRequestsRecord(t *testing.T) {
	for name, value := range map[string]string{
		"damaged": `{`, "negative": `{"b":946684800000,"n":-9}`, "of the future": `{"b":2000000000000,"n":9}`, "old": `{"b":9,"n":9}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := new(fleet.Memory)
				key := requestsOf(limited(9))
				if _, err := store.Put(t.Context(), key, []byte(value), 0); err != nil {
					t.Fatal(err)
				}
				one := startCounter(t, fleettest.NewNetwork(store), 9)
				if got := askAll([]*counter{one}, 20); got != 9 {
					t.Errorf("%d were let in, want 9", got)
				}
				time.Sleep(3 * time.Hour)
				synctest.Wait()
				if r, err := store.Get(t.Context(), key); err == nil {
					t.Errorf("after hours there is still %s", r.Value)
				}
			})
		})
	}
}

func requestsOf(key server.Key) string { return "requests." + hex.EncodeToString(key.Digest[:]) }

// TestRequestsJetStream: over the records that services have.
func TestRequestsJetStream(t *testing.T) {
	store, err := jetstream.Open(t.Context(), &jetstream.Options{Dir: t.TempDir(), Sync: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	const limit = 200
	minutes := map[int64]bool{} // a slow machine may need several
	stop, err := store.Watch(t.Context(), "requests.", func(r fleet.Record) {
		var m struct{ B int64 }
		if err := json.Unmarshal(r.Value, &m); err != nil {
			t.Error(err)
		}
		minutes[m.B] = true
	})
	if err != nil {
		t.Fatal(err)
	}
	network := fleettest.NewNetwork(store)
	all := []*counter{startCounter(t, network, limit), startCounter(t, network, limit), startCounter(t, network, limit)}
	got := askAll(all, limit)
	if _, err := store.Get(t.Context(), requestsOf(limited(limit))); err != nil {
		t.Error(err)
	}
	stop()
	if n := max(len(minutes), 1); got > limit*n || got < limit {
		t.Errorf("%d were let in, want %d, in %d minutes", got, limit, n)
	}
}
