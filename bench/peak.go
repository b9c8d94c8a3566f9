package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// peak measures the memory of a process that has no more to do than to look at a page
// of 50,000 elements, three times after a change. Chrome's is its own.
func (b *bencher) peak() error {
	r := b.add(&row{name: "memory of three looks at a changed page, 50,000", unit: "MB", goal: goal{mb: 100}})
	if r == nil {
		return nil
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	for range 3 {
		out, err := exec.CommandContext(b.ctx, own, "-memory", b.server.URL+"/50000").Output()
		if err != nil {
			r.note = "not measured: " + err.Error()
			return nil
		}
		mb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			return err
		}
		r.ours = append(r.ours, mb)
	}
	return nil
}

// peakOfLooks looks at a page and returns the most memory that the process had, in MB.
func peakOfLooks(ctx context.Context, address string) (float64, error) {
	session, err := engine.Open(ctx, &cdp.Launch{}, nil)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		return 0, err
	}
	for range 3 {
		if _, err := page.Driver().Evaluate(ctx, "void ("+changeAll+")", nil); err != nil {
			return 0, err
		}
		if _, err := page.Snapshot(ctx, nil); err != nil {
			return 0, err
		}
	}
	status, err := os.ReadFile("/proc/self/status") // Linux
	if err != nil {
		return 0, err
	}
	_, after, found := strings.Cut(string(status), "VmHWM:")
	var kb float64
	if _, err := fmt.Sscan(after, &kb); err != nil || !found {
		return 0, fmt.Errorf("the system tells no peak of memory: %v", err)
	}
	return kb / 1024, nil
}
