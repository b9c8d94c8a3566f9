package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/errand"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

// A cluster is three nodes on loopback, each a process.
type cluster struct {
	ctx    context.Context
	client *http.Client
	nodes  []*child
}

// A child is one node's process, now or after its restart.
type child struct {
	process
	input *os.File // nil: none
	cmd   *exec.Cmd
	ended chan struct{}
}

// start starts three nodes, and returns when they serve.
func start(ctx context.Context, think time.Duration, runs int) (*cluster, error) {
	c := &cluster{ctx: ctx, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}}
	var peers, addresses []string
	var held []net.Listener
	for range 6 { // ports that are free: held until all are known
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		held = append(held, l)
		if len(peers) < 3 {
			peers = append(peers, l.Addr().String())
		} else {
			addresses = append(addresses, l.Addr().String())
		}
	}
	for _, l := range held {
		_ = l.Close() // nobody has connected
	}
	for i := range peers {
		c.nodes = append(c.nodes, &child{process: process{
			Name: fmt.Sprint("n", i), HTTP: addresses[i], Route: peers[i], Peers: peers, Think: think, Runs: runs, Term: 3 * time.Second,
		}})
	}
	var all sync.WaitGroup
	failed := make(chan error, len(c.nodes))
	for _, n := range c.nodes {
		all.Go(func() { failed <- n.start(ctx) })
	}
	all.Wait()
	for range c.nodes {
		if err := <-failed; err != nil {
			c.stop()
			return nil, err
		}
	}
	return c, nil
}

// start starts the process and returns when it serves.
func (n *child) start(ctx context.Context) error {
	raw, err := json.Marshal(n.process)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	n.cmd = exec.CommandContext(ctx, program)
	n.cmd.Env = append(os.Environ(), processVariable+"="+string(raw))
	n.cmd.Stderr = os.Stderr
	if n.input != nil {
		n.cmd.Stdin = n.input
	}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := n.cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	n.ended = make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = n.cmd.Wait() // how it ended was asked for
		close(n.ended)
	}()
	if err != nil || first != "ready\n" {
		return fmt.Errorf("node %s says %q, %v", n.Name, first, err)
	}
	return nil
}

// end sends a signal and waits for the end.
func (n *child) end(s os.Signal) {
	if n.cmd == nil || n.cmd.Process == nil {
		return
	}
	_ = n.cmd.Process.Signal(s) // it may have ended
	<-n.ended
}

// stop kills all.
func (c *cluster) stop() {
	for _, n := range c.nodes {
		n.end(syscall.SIGKILL)
	}
}

// An answer is what came of a request; a status of 0 is no answer.
type answer struct {
	status int
	retry  string
	body   []byte
	took   time.Duration
}

// call sends a request to a node.
func (c *cluster) call(node int, method, path, body string, headers ...string) answer {
	begun := time.Now()
	req, err := http.NewRequestWithContext(c.ctx, method, "http://"+c.nodes[node].HTTP+path, strings.NewReader(body))
	if err != nil {
		return answer{}
	}
	if body != "" {
		req.Header.Set("content-type", "application/json")
	}
	req.Header.Set("x-svc-api-key", key)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return answer{}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}
	}
	return answer{resp.StatusCode, resp.Header.Get("retry-after"), raw, time.Since(begun)}
}

// session starts one; empty: there is none.
func (c *cluster) session(node int) string {
	a := c.call(node, "POST", "/v1/sessions/start", `{}`)
	var started struct{ Data struct{ SessionID string } }
	if json.Unmarshal(a.body, &started) != nil {
		return ""
	}
	return started.Data.SessionID
}

// step is an act without a model.
const step = `{"input":{"selector":"xpath=/html/body/label/input","method":"fill","arguments":["tea"],"description":"the note"}}`

// open starts a session with a page; empty: there is none.
func (c *cluster) open(node int) string {
	id := c.session(node)
	c.call(node, "POST", "/v1/sessions/"+id+"/navigate", `{"url":"data:text/html,<title>Page</title><label>Note <input></label>"}`)
	return id
}

// load measures placement, routing and acts. A profile is one of a node under
// load; empty: none.
func (c *cluster) load(n int, profile string) (figures []figure, _ error) {
	var placed struct {
		PerSecond float64
		Failed    int
	}
	if err := json.Unmarshal(c.call(0, "POST", "/bench/place", "").body, &placed); err != nil {
		return nil, fmt.Errorf("placement: %w", err)
	}
	figures = append(figures, figure{"placement", "1,000 starts a second", fmt.Sprintf("%.0f a second, %d failed", placed.PerSecond, placed.Failed), placed.PerSecond >= 1000 && placed.Failed == 0})
	routed, err := c.routing()
	if err != nil {
		return figures, err
	}
	figures = append(figures, routed)

	var all sync.WaitGroup
	ids := make([]string, n)
	var next, failures atomic.Int64
	begun := time.Now()
	for range 32 {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if ids[i] = c.open(int(i) % 3); ids[i] == "" {
					failures.Add(1)
				}
			}
		})
	}
	all.Wait()
	figures = append(figures, figure{"sessions over three nodes, each with a page", "5,000",
		fmt.Sprintf("%d, %.0f starts with a page a second, %d failed", n, float64(n)/time.Since(begun).Seconds(), failures.Load()), n >= 5000 && failures.Load() == 0})
	const span = 10 * time.Second
	if profile != "" {
		all.Go(func() {
			a := c.call(0, "GET", "/bench/profile?seconds="+strconv.Itoa(int(span.Seconds())-1), "")
			if err := os.WriteFile(profile, a.body, 0o600); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	var done, bad atomic.Int64
	nodes, clients := c.cpu(), cpuTime()
	begun = time.Now()
	for w := range 64 {
		all.Go(func() {
			for i := w; time.Since(begun) < span; i += 64 {
				if a := c.call((i/3)%3, "POST", "/v1/sessions/"+ids[i%n]+"/act", step); a.status == 200 {
					done.Add(1)
				} else {
					bad.Add(1)
				}
			}
		})
	}
	all.Wait()
	took := time.Since(begun)
	nodes, clients = c.cpu()-nodes, cpuTime()-clients
	rate := float64(done.Load()) / took.Seconds()
	measured := fmt.Sprintf("%.0f, two thirds of them by another node, %d failed", rate, bad.Load())
	if nodes > 0 {
		share := float64(nodes+clients) / float64(took)
		measured += fmt.Sprintf("; it got %.1f processors, clients included, and took %v of them for an act at the nodes and %v at the client: %.0f a second if it had all %d",
			share, (nodes / time.Duration(done.Load())).Round(time.Microsecond), (clients / time.Duration(done.Load())).Round(time.Microsecond), rate/share*float64(runtime.NumCPU()), runtime.NumCPU())
	}
	return append(figures, figure{"acts a second in sum, of all these sessions", "3,000", measured, rate >= 3000 && bad.Load() == 0}), nil
}

// cpu is what the nodes have taken of the processors.
func (c *cluster) cpu() (sum time.Duration) {
	for i := range c.nodes {
		ns, _ := strconv.ParseInt(string(c.call(i, "GET", "/bench/cpu", "").body), 10, 64) // 0 where it is not known
		sum += time.Duration(ns)
	}
	return sum
}

// routing compares one session's acts, asked for at its own node and at the others.
func (c *cluster) routing() (figure, error) {
	one := c.open(0)
	took := [3][]time.Duration{}
	for i := range 3000 {
		a := c.call(i%3, "POST", "/v1/sessions/"+one+"/act", step)
		if a.status != 200 {
			return figure{}, fmt.Errorf("act: %d %s", a.status, a.body)
		}
		if i > 300 {
			took[i%3] = append(took[i%3], a.took)
		}
	}
	var p50 []time.Duration
	for i := range took {
		p50 = append(p50, quantile(took[i], 0.5))
	}
	slices.Sort(p50)
	adds := p50[2] - p50[0]
	return figure{"routing to another node adds to an act, p50", "1 ms", fmt.Sprintf("%v: %v at the session's node, %v and %v by the others",
		adds.Round(time.Microsecond), p50[0].Round(time.Microsecond), p50[1].Round(time.Microsecond), p50[2].Round(time.Microsecond)), adds <= time.Millisecond}, nil
}

func quantile(all []time.Duration, q float64) time.Duration {
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))]
}

// enqueue makes runs, each with a cart of its own.
func (c *cluster) enqueue(shop string, n int, name string) (ids []string, _ error) {
	for i := range n {
		id := ""
		for try := 0; id == ""; try++ {
			a := c.call((i+try)%len(c.nodes), "POST", "/v1/runs", fmt.Sprintf(`{"task":"put all items into the cart","url":"%s/?cart=%s%d"}`, shop, name, i), "idempotency-key", fmt.Sprint(name, i))
			var made struct {
				Data struct{ Run struct{ ID string } }
			}
			if json.Unmarshal(a.body, &made) == nil {
				id = made.Data.Run.ID
			}
			if id == "" && try > 100 {
				return nil, fmt.Errorf("a run was not taken: %d %s", a.status, a.body)
			}
			if id == "" {
				time.Sleep(100 * time.Millisecond)
			}
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// follow reads a run's events to their end, from any node that answers.
func (c *cluster) follow(id string) (s seen) {
	last := "0"
	for node := rand.IntN(len(c.nodes)); c.ctx.Err() == nil; node = (node + 1) % len(c.nodes) {
		req, err := http.NewRequestWithContext(c.ctx, "GET", "http://"+c.nodes[node].HTTP+"/v1/runs/"+id+"/events", nil)
		if err != nil {
			return s
		}
		req.Header.Set("x-svc-api-key", key)
		req.Header.Set("last-event-id", last)
		resp, err := c.client.Do(req)
		if err != nil {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if number, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				last = number
			}
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			var e struct {
				Type string
				Run  *struct {
					Status string
					Error  *struct{ Message string }
				}
			}
			if json.Unmarshal([]byte(data), &e) != nil {
				continue
			}
			if e.Type == "resumed" {
				if s.resumed.IsZero() {
					s.resumed = time.Now()
				}
			}
			if e.Run != nil {
				s.status = e.Run.Status
				if e.Run.Error != nil {
					s.message = e.Run.Error.Message
				}
				resp.Body.Close()
				return s
			}
		}
		resp.Body.Close()
	}
	return s
}

// disturb does so while runs are under way, and tells what came of them. The runs
// are begun when enough presses were made; load is how many clients act meanwhile.
func (c *cluster) disturb(n, load int, name string, do func() error) (*chaos, error) {
	presses := make(chan struct{}, n*errand.Items)
	shop := &errand.Shop{Added: func(string, int) { presses <- struct{}{} }}
	site := httptest.NewServer(shop)
	defer site.Close()
	r := &chaos{runs: n, answers: map[string]int{}}
	var mu sync.Mutex
	var over atomic.Bool
	var clients sync.WaitGroup
	for i := range load {
		clients.Go(func() {
			for session, node := "", i; !over.Load(); node++ {
				if session == "" {
					if session = c.session(node % 3); session == "" {
						time.Sleep(20 * time.Millisecond)
						continue
					}
				}
				a := c.call(node%3, "POST", "/v1/sessions/"+session+"/observe", `{}`)
				what := fmt.Sprint(a.status)
				if a.status == 503 && a.retry != "" {
					what = "503 retry-after"
				}
				if a.status == 0 {
					what = "no connection" // as of a node that is down: the client takes another
				}
				if a.status == 410 || a.status == 404 {
					session = ""
				}
				mu.Lock()
				r.answers[what]++
				mu.Unlock()
				if a.status != 200 {
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	ids, err := c.enqueue(site.URL, n, name)
	if err != nil {
		return nil, err
	}
	for range n { // about a third of all presses
		select {
		case <-presses:
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		}
	}
	begun := time.Now()
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() {
			s := c.follow(id)
			mu.Lock()
			defer mu.Unlock()
			if s.status == "succeeded" {
				r.succeeded++
			} else {
				r.failures = append(r.failures, s.status+": "+s.message)
			}
			if !s.resumed.IsZero() {
				r.resumed++
				if since := s.resumed.Sub(begun); r.first == 0 || since < r.first {
					r.first = since
				}
			}
		})
	}
	if err := do(); err != nil {
		return nil, err
	}
	all.Wait()
	r.whole = time.Since(begun)
	over.Store(true)
	clients.Wait()
	carts := shop.Carts()
	for _, cart := range carts {
		for _, items := range cart {
			if items > 1 {
				r.twice++
			}
			if items == 0 {
				r.missing++
			}
		}
	}
	r.missing += (n - len(carts)) * errand.Items
	return r, r.wrong()
}

// kill ends one node, as a power failure does.
func (c *cluster) kill(i int) func() error {
	return func() error {
		c.nodes[i].end(syscall.SIGKILL)
		return nil
	}
}

// leaders kills the node that leads the records, again and again, with runs under
// way. It returns what came of each.
func (c *cluster) leaders(kills, runs int) (all []*chaos, _ error) {
	for i := range kills {
		leader := -1
		r, err := c.disturb(runs, 0, fmt.Sprint("leader", i, "-"), func() error {
			var err error
			if leader, err = c.leader(); err != nil {
				return err
			}
			return c.kill(leader)()
		})
		if r != nil {
			all = append(all, r)
		}
		if err != nil {
			return all, err
		}
		if err := c.nodes[leader].start(c.ctx); err != nil {
			return all, err
		}
	}
	return all, nil
}

// leader returns which node leads the records.
func (c *cluster) leader() (int, error) {
	for range 300 {
		for i := range c.nodes {
			a := c.call(i, "GET", "/bench/leader", "")
			for j, n := range c.nodes {
				if a.status == 200 && n.Name == string(a.body) {
					return j, nil
				}
			}
		}
		pause.For(c.ctx, 100*time.Millisecond)
	}
	return 0, errors.New("nobody leads the records")
}

// roll restarts all nodes, one after the other.
func (c *cluster) roll() error {
	for _, n := range c.nodes {
		n.end(syscall.SIGTERM)
		if err := n.start(c.ctx); err != nil {
			return err
		}
	}
	return nil
}
