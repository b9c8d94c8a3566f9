package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// manySessions is how many are open at once: a part of the 10,000 that a
// process has room for, unless WAYFINDER_SESSIONS says how many.
func manySessions(t *testing.T) int {
	n := 1000
	if text := os.Getenv("WAYFINDER_SESSIONS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("WAYFINDER_SESSIONS: %v", err)
		}
	}
	if chrometest.RaceDetector {
		n = min(n, 200)
	}
	return n
}

// Many sessions live in one process, each with a page that it has read and
// acted on. Together they stay below 2 GiB for 10,000, they do not mix, and
// nothing is left of them.
func TestManySessions(t *testing.T) {
	chrometest.Long(t)
	const perSession = 2 << 30 / 10_000
	n := manySessions(t)
	web := fake.Web{shopAddress: benchPage(100), shopAddress + "section/3": "<title>Third</title><h1>Third</h1>"}
	goroutines, heap := runtime.NumGoroutine(), heapInUse()

	sessions := make([]*engine.Session, n)
	var group errgroup.Group
	group.SetLimit(64) // of the beginning; what they hold they hold at once
	for i := range sessions {
		group.Go(func() (err error) {
			sessions[i], err = oneOfMany(t, web, i)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	used := heapInUse() - heap
	t.Logf("%d sessions hold %.1f KiB each, %.2f GiB for 10,000; %d goroutines", n, float64(used)/float64(n)/1024,
		float64(used)/float64(n)*10_000/(1<<30), runtime.NumGoroutine()-goroutines)
	if !chrometest.RaceDetector && used/int64(n) > perSession {
		t.Errorf("a session holds %d bytes, want %d at most", used/int64(n), perSession)
	}

	// They act all at once, each on its own page.
	start := make(chan struct{})
	var wait sync.WaitGroup
	for i, s := range sessions {
		wait.Go(func() {
			<-start
			if _, err := s.Page().Do(t.Context(), engine.Action{Selector: "nav a:nth-of-type(4)"}, nil); err != nil {
				t.Errorf("session %d: %v", i, err)
			}
			if got, want := s.Page().URL(), shopAddress+"section/3"; got != want {
				t.Errorf("session %d shows %s, want %s", i, got, want)
			}
			if err := s.Close(); err != nil {
				t.Errorf("session %d: Close() = %v", i, err)
			}
		})
	}
	close(start)
	wait.Wait()
	for range 100 {
		runtime.Gosched() // a goroutine that was waited for may not have ended yet
	}
	if left := runtime.NumGoroutine() - goroutines; left > 10 {
		t.Errorf("%d goroutines are left", left)
	}
	sessions = nil
	if left := heapInUse() - heap; left > int64(n)*4096+8<<20 {
		t.Errorf("%d bytes are left", left)
	}
}

// oneOfMany opens a session, reads its page and types something of its own.
func oneOfMany(t *testing.T, web fake.Web, i int) (*engine.Session, error) {
	ctx := t.Context()
	s, err := engine.Open(ctx, web, &engine.Options{Model: scriptedModel{}})
	if err != nil {
		return nil, err
	}
	page := s.Page()
	if _, err := page.Navigate(ctx, shopAddress, nil); err != nil {
		return nil, err
	}
	own := strconv.Itoa(i)
	if _, err := page.Do(ctx, engine.Action{Method: engine.Fill, Selector: "xpath=(//input)[1]", Arguments: []string{own}}, nil); err != nil {
		return nil, err
	}
	snap, err := page.Snapshot(ctx, nil)
	if err != nil {
		return nil, err
	}
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; n.Role == "spinbutton" {
			if n.Value != own {
				err = fmt.Errorf("session %s shows %q", own, n.Value)
			}
			break
		}
	}
	return s, err
}

// heapInUse is what is reachable, in bytes.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
