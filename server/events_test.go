package server_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// TestEvents: each session's start and end are told once, with their reasons,
// and each wait.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var starts []wire.Code
		ends := map[server.Reason]int{}
		waits := map[server.Queue]time.Duration{}
		d := &counted{Driver: shop}
		c := inBubble(t, d, server.Options{
			Models: server.Models{Make: newPuppet().model},
			Limits: server.Limits{Sessions: 2, Idle: time.Minute, Lifetime: 90 * time.Second, StartWait: time.Second},
			Hooks: server.Hooks{Events: &server.Events{
				Started: func(s server.Start) { mu.Lock(); defer mu.Unlock(); starts = append(starts, s.Failed) },
				Ended:   func(e server.End) { mu.Lock(); defer mu.Unlock(); ends[e.Reason]++ },
				Waited:  func(w server.Wait) { mu.Lock(); defer mu.Unlock(); waits[w.Queue] = max(waits[w.Queue], w.Duration) },
			}},
		})
		first := c.start()
		second := c.start()
		c.wantFault(429, wire.TooManySessions, c.post("/v1/sessions/start", startAny)) // after a second
		var all sync.WaitGroup
		all.Go(func() {
			c.wantFault(408, wire.Timeout, c.post(first+"/observe", `{"instruction":"hang","options":{"timeout":2000}}`))
		})
		synctest.Wait()
		c.must(200, c.post(first+"/observe", `{}`)) // waits for its turn
		all.Wait()
		c.must(200, c.post(second+"/end", ""))
		time.Sleep(2 * time.Minute) // the first is idle by then
		third := c.start()
		for range 3 { // never idle, until its lifetime is over
			time.Sleep(40 * time.Second)
			c.post(third+"/observe", `{}`)
		}
		synctest.Wait()
		c.start()
		d.crash(len(d.browsers) - 1)
		synctest.Wait()
		c.start()
		c.server.Shutdown(ended)

		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff([]wire.Code{"", "", wire.TooManySessions, "", "", ""}, starts); diff != "" {
			t.Errorf("starts (-want +got):\n%s", diff)
		}
		want := map[server.Reason]int{server.EndedByClient: 1, server.EndedIdle: 1, server.EndedOld: 1, server.EndedGone: 1, server.EndedByShutdown: 1}
		if diff := cmp.Diff(want, ends); diff != "" {
			t.Errorf("ends (-want +got):\n%s", diff)
		}
		if waits[server.SessionQueue] != time.Second || waits[server.PageQueue] != 2*time.Second {
			t.Errorf("longest waits = %v, want 1 s for a session and 2 s for a page", waits)
		}
	})
}
