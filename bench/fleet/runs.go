package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/errand"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

func bytesOf(s string) *strings.Reader { return strings.NewReader(s) }

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

// A seen is what the events of one run told.
type seen struct {
	resumed time.Time // first; zero: never
	status  string
	message string
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

// A chaos is what came of runs that were disturbed.
type chaos struct {
	runs, succeeded, resumed, twice, missing int
	first, whole                             time.Duration // since the disturbance
	failures                                 []string
	answers                                  map[string]int // of clients meanwhile
}

func (r *chaos) String() string {
	if r == nil {
		return "nothing"
	}
	return fmt.Sprintf("%d runs, %d succeeded, %d gone on with; effects done twice %d, not done %d; the first went on after %v, all were over after %v; answers %v %s",
		r.runs, r.succeeded, r.resumed, r.twice, r.missing, r.first.Round(10*time.Millisecond), r.whole.Round(10*time.Millisecond), r.answers, strings.Join(r.failures, "; "))
}

// figures are the rows of a kill.
func (r *chaos) figures(what string, err error) []figure {
	if r == nil {
		return nil
	}
	return []figure{
		{what + ", runs under way", "every run ends, each effect once", r.String(), err == nil},
		{what + ": the first run goes on", "within 5 s", r.first.Round(10 * time.Millisecond).String(), r.first > 0 && r.first <= 5*time.Second},
	}
}

// firsts is the row of several kills.
func firsts(all []*chaos, err error) []figure {
	if len(all) == 0 {
		return nil
	}
	var first []time.Duration
	var each []string
	for _, r := range all {
		first = append(first, r.first)
	}
	worst := quantile(first, 1)
	for _, d := range first { // which are in order now
		each = append(each, d.Round(100*time.Millisecond).String())
	}
	return []figure{{fmt.Sprintf("the node killed that leads the records, %d times: the first run goes on", len(all)), "within 5 s",
		fmt.Sprintf("p50 %v, at most %v (%s); every run ended, each effect once: %v", quantile(first, 0.5).Round(10*time.Millisecond), worst.Round(10*time.Millisecond), strings.Join(each, " "), err == nil), err == nil && worst <= 5*time.Second}}
}

// wrong says what must not be.
func (r *chaos) wrong() error {
	if r.succeeded != r.runs || r.twice > 0 || r.missing > 0 {
		return errors.New("runs were lost, or done twice")
	}
	for what, n := range r.answers {
		if strings.HasPrefix(what, "5") && !strings.HasPrefix(what, "503 retry") && n > 0 {
			return fmt.Errorf("clients were answered %s", what)
		}
	}
	return nil
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
