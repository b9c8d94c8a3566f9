package engine

import (
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// Metrics are sums over a session.
type Metrics struct {
	Looks    int           // readings of a page
	Captures int           // of which the page had to be read anew
	Settled  time.Duration // waits for quiet
	Acts     int           // actions done
	Failed   int           // actions that were not
	Unknown  int           // of which input was sent, and its outcome is not known
	Healed   int           // actions that took a second look
	Refused  int           // requests that the policy did not let out
	Cache    CacheMetrics
	Asks     map[llm.Purpose]AskMetrics
}

// CacheMetrics are the sums of what the cache did for acts. Where there is one,
// Hits, Misses, Stale and Refuted add up to the acts that asked it.
type CacheMetrics struct {
	Hits    int // acts done without a model
	Misses  int // acts that nothing was kept for
	Stale   int // entries that did not fit the page
	Refuted int // entries that were done and had another outcome
	Kept    int // acts that were entered
	// Reasons counts why entries did not serve, for all but hits.
	Reasons map[CacheReason]int
}

// AskMetrics are the sums of one purpose's questions to models.
type AskMetrics struct {
	Requests int
	Errors   int
	Usage    Usage
}

// Total returns the usage over all purposes.
func (m Metrics) Total() Usage {
	var sum Usage
	for _, a := range m.Asks {
		sum = sum.Add(a.Usage)
	}
	return sum
}

type metrics struct {
	mu  sync.Mutex
	sum Metrics
}

// Metrics returns the sums so far.
func (s *Session) Metrics() Metrics {
	m := &s.metrics
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.sum
	out.Cache.Reasons = maps.Clone(m.sum.Cache.Reasons)
	out.Asks = make(map[llm.Purpose]AskMetrics, len(m.sum.Asks))
	for purpose, a := range m.sum.Asks {
		out.Asks[purpose] = a
	}
	return out
}

func (m *metrics) looked(l Look) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.Looks++
	m.sum.Settled += l.Settle
	if l.Capture > 0 {
		m.sum.Captures++
	}
}

func (m *metrics) acted(r *ActResult, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Success {
		m.sum.Acts++
	} else {
		m.sum.Failed++
	}
	if errors.Is(err, ErrMayHaveHappened) {
		m.sum.Unknown++
	}
	if r.Healed {
		m.sum.Healed++
	}
}

func (m *metrics) recalled(use *CacheUse) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := &m.sum.Cache
	switch use.Outcome {
	case CacheHit:
		sum.Hits++
	case CacheMiss:
		sum.Misses++
	case CacheStale:
		sum.Stale++
	case CacheRefuted:
		sum.Refuted++
	}
	if use.Kept {
		sum.Kept++
	}
	if use.Outcome != CacheHit && use.Reason != "" {
		if sum.Reasons == nil {
			sum.Reasons = map[CacheReason]int{}
		}
		sum.Reasons[use.Reason]++
	}
}

func (m *metrics) refused() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.Refused++
}

func (m *metrics) asked(purpose llm.Purpose, u Usage, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sum.Asks == nil {
		m.sum.Asks = map[llm.Purpose]AskMetrics{}
	}
	a := m.sum.Asks[purpose]
	a.Requests++
	if err != nil {
		a.Errors++
	}
	a.Usage = a.Usage.Add(u)
	m.sum.Asks[purpose] = a
}
