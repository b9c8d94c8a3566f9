// Command fleet measures three nodes on loopback, each a process with its
// browsers in memory, so that the fleet is measured: make bench-fleet.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	if beProcess() {
		return
	}
	sessions := flag.Int("sessions", 5000, "open at once")
	runs := flag.Int("runs", 100, "under way when a node is killed")
	only := flag.String("only", "", "one of load, kill, leader, roll, lease, simulation")
	changes := flag.Int("changes", 10_000, "of sessions' owners")
	span := flag.Duration("span", 24*time.Hour, "of the simulation")
	profile := flag.String("profile", "", "file for the CPU profile of one node under load")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	const thinks = 300 * time.Millisecond // the model of runs
	var table []figure
	failed := false
	for _, part := range []struct {
		name string
		do   func() ([]figure, error)
	}{
		{"load", func() (f []figure, err error) {
			return f, within(ctx, 0, 50, func(c *cluster) error { f, err = c.load(*sessions, *profile); return err })
		}},
		{"kill", func() (f []figure, err error) {
			return f, within(ctx, thinks, 50, func(c *cluster) error {
				r, err := c.disturb(*runs, 0, "kill", c.kill(1))
				f = r.figures("one node of three killed", err)
				return err
			})
		}},
		{"leader", func() (f []figure, err error) {
			return f, within(ctx, thinks, 50, func(c *cluster) error {
				all, err := c.leaders(10, 12)
				f = firsts(all, err)
				return err
			})
		}},
		{"roll", func() (f []figure, err error) {
			return f, within(ctx, thinks, 50, func(c *cluster) error {
				r, err := c.disturb(*runs, 8, "roll", c.roll)
				f = []figure{{"all three restarted, one after the other, under load", "no run lost, no 5xx but 503 with retry-after", r.String(), err == nil}}
				return err
			})
		}},
		{"lease", func() ([]figure, error) {
			s := strife{nodes: 5, sessions: 200, changes: *changes, term: 600 * time.Millisecond, seed: 1}
			r, err := s.run(ctx)
			return []figure{{"owners stopped, cut off, clocks set", "10,000 changes, none owned twice", r.String(), err == nil && r.changes >= 10_000}}, err
		}},
		{"simulation", func() ([]figure, error) {
			r, err := simulation{nodes: 1000, sessions: 1_000_000, life: 4 * time.Hour, failures: 24 * time.Hour, span: *span, seed: 1}.run(ctx)
			return []figure{{fmt.Sprintf("1,000 nodes, 1,000,000 sessions, simulated for %v", *span), "a day, balanced within 10 %, none owned twice", r.String(), err == nil && r.worst <= 0.1 && *span >= 24*time.Hour}}, err
		}},
	} {
		if *only != "" && *only != part.name {
			continue
		}
		figures, err := part.do()
		for _, f := range figures {
			fmt.Println(f)
		}
		table = append(table, figures...)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", part.name, err)
			failed = true
		}
	}
	fmt.Printf("\n| figure | goal | measured | reached |\n|---|---|---|---|\n")
	for _, f := range table {
		fmt.Println(f)
	}
	if failed {
		os.Exit(1)
	}
}

// A figure is a row of the table.
type figure struct {
	what, goal, measured string
	reached              bool
}

func (f figure) String() string {
	reached := "no"
	if f.reached {
		reached = "yes"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", f.what, f.goal, f.measured, reached)
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
