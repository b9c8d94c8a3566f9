package metrics

import (
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Request counts a request to the service. The route is its pattern, such as
// "POST /v1/sessions/{id}/act".
func (m *Metrics) Request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(route).Observe(took.Seconds())
}

// SessionStarted counts a request for a session; failed is the error's code,
// empty if there is none.
func (m *Metrics) SessionStarted(failed string) {
	m.started.WithLabelValues(outcome("started", failed)).Inc()
}

// SessionEnded counts a session that has ended.
func (m *Metrics) SessionEnded(reason string) { m.over.WithLabelValues(reason).Inc() }

// Waited notes how long a request waited in a queue.
func (m *Metrics) Waited(queue string, d time.Duration) {
	m.waits.WithLabelValues(queue).Observe(d.Seconds())
}

// BrowserStarted counts a browser process of a kind, or one that did not start.
func (m *Metrics) BrowserStarted(kind string, err error) {
	failed := ""
	if err != nil {
		failed = "failed"
	}
	m.browsers.WithLabelValues(kind, outcome("started", failed)).Inc()
}

// BrowserCrashed counts a browser process that went away by itself.
func (m *Metrics) BrowserCrashed(kind string) { m.crashes.WithLabelValues(kind).Inc() }

// buildInfo tells what the program was built from.
func buildInfo() prometheus.Collector {
	labels := prometheus.Labels{"version": "unknown", "revision": "unknown", "go": runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		labels["version"] = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				labels["revision"] = s.Value
			}
		}
	}
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "wayfinder", Name: "build_info", Help: "What the program was built from; the value is 1.", ConstLabels: labels})
	g.Set(1)
	return g
}
