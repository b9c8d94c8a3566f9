package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

func quantile(all []time.Duration, q float64) time.Duration {
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))]
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
