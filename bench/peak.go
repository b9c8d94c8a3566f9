package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
)

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
