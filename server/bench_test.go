package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// plain is a client whose responses are not held against the contract: what is
// measured is the service.
func plain(t testing.TB, limits server.Limits) *client {
	c := serve(t, shop, &server.Options{Limits: limits})
	c.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200, MaxConnsPerHost: 200}}
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// try sends a request; its error says what came instead of a 200.
func (c *client) try(path, body string, headers ...string) error {
	resp, err := c.http.Do(c.request(c.t.Context(), http.MethodPost, path, body, headers...))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || strings.Contains(string(raw), `"success":false`) {
		return fmt.Errorf("%s: %d %s %v", path, resp.StatusCode, raw, err)
	}
	return nil
}

// BenchmarkAct does Actions in 100 sessions at once, over connections that are
// kept.
func BenchmarkAct(b *testing.B) {
	c := plain(b, server.Limits{})
	const sessions = 100
	work := make(chan int)
	var all sync.WaitGroup
	var mu sync.Mutex
	var took []time.Duration
	for range sessions {
		path := c.start()
		all.Go(func() {
			for i := range work {
				begin := time.Now()
				body := fmt.Sprintf(`{"input":{"selector":"xpath=/html[1]/body[1]/form[1]/label[1]/input[1]","description":"fill","method":"fill","arguments":["%d"]}}`, i)
				if err := c.try(path+"/act", body); err != nil {
					b.Error(err)
				}
				mu.Lock()
				took = append(took, time.Since(begin))
				mu.Unlock()
			}
		})
	}
	b.ResetTimer()
	for i := range b.N {
		work <- i
	}
	close(work)
	all.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "acts/s")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkFirstFrame measures from the request to the first frame.
func BenchmarkFirstFrame(b *testing.B) {
	c := plain(b, server.Limits{})
	path := c.start()
	for range b.N {
		resp, err := c.http.Do(c.request(b.Context(), http.MethodPost, path+"/observe", `{"streamResponse":true}`))
		if err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewReader(resp.Body)
		if line, err := lines.ReadString('\n'); err != nil || line != "event: starting\n" {
			b.Fatalf("%q, %v", line, err)
		}
		b.StopTimer()
		io.Copy(io.Discard, lines) // so that the connection is kept
		resp.Body.Close()
		b.StartTimer()
	}
}

// BenchmarkOpenSessions tells what an open session that shows a page costs.
func BenchmarkOpenSessions(b *testing.B) {
	c := plain(b, server.Limits{Sessions: -1})
	before := heap()
	for range b.N {
		c.start()
	}
	b.ReportMetric(float64(heap()-before)/float64(b.N), "heap-B/session")
	b.ReportMetric(float64(runtime.NumGoroutine())/float64(b.N), "goroutines/session")
}

func heap() uint64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// files is the number of open files; -1 where that can't be told.
func files() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(list)
}

// TestChurn starts, uses and ends sessions: memory, goroutines and files are
// then where they were. WAYFINDER_LONG makes it a hundred thousand.
func TestChurn(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	if os.Getenv("WAYFINDER_LONG") != "" {
		rounds = 100_000
	}
	c := plain(t, server.Limits{})
	one := func() error {
		path := c.startWith(startAny)
		for _, step := range [][2]string{
			{"/navigate", `{"url":"https://shop.test/"}`},
			{"/act", `{"input":{"selector":"a","description":"the cart"}}`},
			{"/end", ``},
		} {
			if err := c.try(path+step[0], step[1]); err != nil {
				return err
			}
		}
		return nil
	}
	churn := func(n int) {
		work := make(chan struct{})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range work {
					if err := one(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range n {
			work <- struct{}{}
		}
		close(work)
		all.Wait()
		c.http.CloseIdleConnections()
	}
	goroutines, open := runtime.NumGoroutine(), files()
	churn(200) // what is made once is there
	await(t, "goroutines", runtime.NumGoroutine, goroutines)
	await(t, "open files", files, open)
	memory := heap()
	churn(rounds)
	await(t, "goroutines", runtime.NumGoroutine, goroutines)
	await(t, "open files", files, open)
	if got := heap(); got > memory+4<<20 {
		t.Errorf("%d bytes of heap, %d before", got, memory)
	}
	if load := c.server.Load(); load.Sessions != 0 {
		t.Errorf("%d sessions are open", load.Sessions)
	}
}

// await waits until a count is no more than wanted: what has been told to end
// may need a moment.
func await(t *testing.T, what string, count func() int, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for count() > want {
		runtime.Gosched()
		if ctx.Err() != nil {
			t.Errorf("%d %s, %d before", count(), what, want)
			return
		}
	}
}

// TestSlowConnections opens a thousand connections that send a byte now and
// then. Others are served meanwhile, and the slow ones are let go in time.
func TestSlowConnections(t *testing.T) {
	c := serve(t, shop, &server.Options{Limits: server.Limits{BodyTime: time.Second}})
	path := c.start()
	const n = 1000
	memory := heap()
	head := "POST " + path + "/observe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"
	conns := make([]net.Conn, n)
	for i := range conns {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, head); err != nil {
			t.Fatal(err)
		}
		conns[i] = conn
	}
	c.must(200, c.post(path+"/observe", `{}`))
	if held := int64(heap()) - int64(memory); held > n*64<<10 {
		t.Errorf("%d connections hold %d bytes", n, held)
	}
	for i, conn := range conns {
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 408 || !strings.Contains(string(body), string(wire.Timeout)) {
			t.Fatalf("connection %d: %d %s %v", i, answer.StatusCode, body, err)
		}
	}
}

// TestPolicyOfManySessions opens sessions under the policy that is on by
// itself: what holds a browser to it ends with the session.
func TestPolicyOfManySessions(t *testing.T) {
	c := serve(t, shop, &server.Options{Browsers: server.Browsers{Policy: &engine.Policy{}}})
	c.must(200, c.post(c.startWith(startAny)+"/end", ""))
	before := files()
	for range 50 {
		c.must(200, c.post(c.startWith(startAny)+"/end", ""))
	}
	await(t, "open files", files, before)
}
