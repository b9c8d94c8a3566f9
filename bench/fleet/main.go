// Command fleet measures three nodes on loopback, each a process with its
// browsers in memory, so that the fleet is measured: make bench-fleet.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	if beProcess() {
		return
	}
	sessions := flag.Int("sessions", 5000, "open at once")
	runs := flag.Int("runs", 100, "under way when a node is killed")
	only := flag.String("only", "", "one of load, kill, leader, roll, lease, simulation")
	span := flag.Duration("span", 24*time.Hour, "of the simulation")
	changes := flag.Int("changes", 10_000, "of sessions' owners")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	failed := false
	for _, part := range []struct {
		name  string
		think time.Duration
		do    func(*cluster) error
	}{
		{"load", 0, func(c *cluster) error { return c.load(*sessions) }},
		{"kill", 300 * time.Millisecond, func(c *cluster) error {
			r, err := c.disturb(*runs, 0, "kill", c.kill(1))
			fmt.Println("one of three killed:", r)
			return err
		}},
		{"leader", 300 * time.Millisecond, func(c *cluster) error {
			all, err := c.leaders(10, 12)
			for _, r := range all {
				fmt.Println("the leader killed:", r)
			}
			return err
		}},
		{"roll", 300 * time.Millisecond, func(c *cluster) error {
			r, err := c.disturb(*runs, 8, "roll", c.roll)
			fmt.Println("rolling restart:", r)
			return err
		}},
	} {
		if *only != "" && *only != part.name {
			continue
		}
		if err := within(ctx, part.think, 50, part.do); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", part.name, err)
			failed = true
		}
	}
	if *only == "" || *only == "lease" {
		s := strife{nodes: 5, sessions: 200, changes: *changes, term: 600 * time.Millisecond, seed: 1}
		r, err := s.run(ctx)
		fmt.Println("leases:", r)
		if err != nil {
			fmt.Fprintf(os.Stderr, "lease: %v\n", err)
			failed = true
		}
	}
	if *only == "" || *only == "simulation" {
		r, err := simulation{nodes: 1000, sessions: 1_000_000, life: 4 * time.Hour, failures: 24 * time.Hour, span: *span, seed: 1}.run(ctx)
		fmt.Println("simulation:", r)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// beProcess is a node, if the environment says so.
func beProcess() bool {
	raw := os.Getenv(processVariable)
	if raw == "" {
		return false
	}
	var p process
	err := json.Unmarshal([]byte(raw), &p)
	if err == nil {
		err = p.be()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, p.Name, err)
		os.Exit(1)
	}
	return true
}

// within does something with a cluster of its own.
func within(ctx context.Context, think time.Duration, runs int, do func(*cluster) error) error {
	c, err := start(ctx, think, runs)
	if err != nil {
		return err
	}
	defer c.stop()
	return do(c)
}

func quantile(all []time.Duration, q float64) time.Duration {
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))]
}

// load measures placement, routing and acts.
func (c *cluster) load(n int) error {
	a := c.call(0, "POST", "/bench/place", "")
	fmt.Printf("placement alone: %s\n", a.body)
	// One session, asked at its own node and at the others.
	const step = `{"input":{"selector":"xpath=/html/body/label/input","method":"fill","arguments":["tea"],"description":"the note"}}`
	open := func(node int) string {
		id := c.session(node)
		c.call(node, "POST", "/v1/sessions/"+id+"/navigate", `{"url":"data:text/html,<title>Page</title><label>Note <input></label>"}`)
		return id
	}
	one := open(0)
	took := [3][]time.Duration{}
	for i := range 3000 {
		a := c.call(i%3, "POST", "/v1/sessions/"+one+"/act", step)
		if a.status != 200 {
			return fmt.Errorf("act: %d %s", a.status, a.body)
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
	fmt.Printf("an act: p50 %v at the session's node, %v and %v by the others: routing adds %v\n", p50[0], p50[1], p50[2], p50[2]-p50[0])

	var all sync.WaitGroup
	ids := make([]string, n)
	var next, failures atomic.Int64
	begun := time.Now()
	for range 32 {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if ids[i] = open(int(i) % 3); ids[i] == "" {
					failures.Add(1)
				}
			}
		})
	}
	all.Wait()
	fmt.Printf("%d sessions with a page each in %v: %.0f starts a second, %d failed\n", n, time.Since(begun).Round(time.Millisecond), float64(n)/time.Since(begun).Seconds(), failures.Load())
	var done, bad atomic.Int64
	begun = time.Now()
	const span = 10 * time.Second
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
	fmt.Printf("%d sessions: %.0f acts a second in sum, of which two thirds by another node; %d failed\n", n, float64(done.Load())/time.Since(begun).Seconds(), bad.Load())
	return nil
}
