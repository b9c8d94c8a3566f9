// Package pause waits, and no longer than a context lasts.
package pause

import (
	"context"
	"time"
)

// For waits for d, and not at all where that is 0 or less. It returns false, at once, when
// ctx ends first.
func For(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
