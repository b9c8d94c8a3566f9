package cdp

import (
	"slices"
	"time"
)

// A stopwatch keeps how long something took each time.
type stopwatch []time.Duration

func (s *stopwatch) time(f func()) {
	begin := time.Now()
	f()
	*s = append(*s, time.Since(begin))
}

// median is in nanoseconds.
func (s stopwatch) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return float64(sorted[len(sorted)/2])
}
