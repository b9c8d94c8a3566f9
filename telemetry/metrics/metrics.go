// Package metrics counts what engines do, for Prometheus.
//
//	m := metrics.New(prices)
//	session, err := engine.Open(ctx, driver, &engine.Options{Hooks: m.Hooks()})
//	http.Handle("/metrics", m.Handler())
//
// The labels take few values: methods, kinds of errors, models. No address, no
// session and no key is among them.
package metrics

import (
	"context"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// Metrics are counters and histograms, which any number of sessions share. They
// are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	prices   *middleware.Prices
	models   names

	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	actions  *prometheus.CounterVec
	recalls  *prometheus.CounterVec
	settle   prometheus.Histogram
	asks     *prometheus.CounterVec
	thinking *prometheus.HistogramVec
	tokens   *prometheus.CounterVec
	cost     *prometheus.CounterVec

	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec

	refusals *prometheus.CounterVec
	started  *prometheus.CounterVec
	over     *prometheus.CounterVec
	waits    *prometheus.HistogramVec
	browsers *prometheus.CounterVec
	crashes  *prometheus.CounterVec
}

// buckets are seconds from one millisecond, a stored action in memory, to two
// minutes, a slow model.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}

// New returns metrics with nothing counted yet, and those of the Go runtime and
// the process beside them. prices say what tokens cost; nil counts no cost.
func New(prices *middleware.Prices) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "wayfinder", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "wayfinder", Name: name, Help: help, Buckets: buckets}, labels)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		prices:   prices,
		calls:    counter("calls_total", "Calls of sessions that ended, by method and outcome (done, or the kind of the error).", "method", "outcome"),
		duration: histogram("call_duration_seconds", "Time of calls of sessions.", "method"),
		actions:  counter("actions_total", "Actions whose input was sent, by method, effect, and whether all of it was (all, possible).", "method", "effect", "sent"),
		recalls:  counter("act_cache_total", "Acts that asked the act cache, by outcome and, where it did not serve, by reason.", "outcome", "reason"),
		settle: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "wayfinder", Name: "settle_seconds",
			Help: "Waits for a page to be quiet.", Buckets: buckets}),
		asks:     counter("model_requests_total", "Questions to models, by outcome (answered, or the kind of the error).", "model", "purpose", "outcome"),
		thinking: histogram("model_duration_seconds", "Time of questions to models.", "model", "purpose"),
		tokens:   counter("model_tokens_total", "Tokens, by kind: input and output, and those of them that were cached or spent on reasoning.", "model", "kind"),
		cost:     counter("model_cost_dollars_total", "Cost of tokens by the price list, where the model is in it.", "model"),
		requests: counter("http_requests_total", "Requests to the service, by route and status.", "route", "status"),
		refusals: counter("policy_refusals_total", "Requests of browsers that a policy refused, by its rule.", "rule"),
		started:  counter("sessions_started_total", "Requests for a session, by outcome (started, or the code of the error).", "outcome"),
		over:     counter("sessions_ended_total", "Sessions that ended, by reason.", "reason"),
		waits:    histogram("queue_wait_seconds", "Waits of requests for another session to end (session) or for their turn on a page (page).", "queue"),
		browsers: counter("browser_starts_total", "Browser processes started, by kind (shared, or own of a session) and outcome.", "kind", "outcome"),
		crashes:  counter("browser_crashes_total", "Browser processes that went away by themselves, by kind.", "kind"),
		latency:  histogram("http_request_duration_seconds", "Time of requests to the service, streams included.", "route"),
	}
	m.registry.MustRegister(m.calls, m.duration, m.actions, m.recalls, m.settle, m.asks, m.thinking, m.tokens, m.cost, m.requests, m.latency,
		m.refusals, m.started, m.over, m.waits, m.browsers, m.crashes, buildInfo(),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Gauge adds a figure that is read whenever the metrics are. Its name follows
// "wayfinder_".
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "wayfinder", Name: name, Help: help}, read))
}

// Handler answers with the metrics in the text format of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Hooks returns the hooks that count.
func (m *Metrics) Hooks() *engine.Hooks {
	return &engine.Hooks{Ended: m.ended, Looked: m.looked, Asked: m.asked, Acted: m.acted, Cached: m.cached, Refused: m.refused}
}

func (m *Metrics) ended(_ context.Context, e engine.Entry, err error) {
	m.calls.WithLabelValues(string(e.Operation), outcome("done", engine.Kind(err))).Inc()
	m.duration.WithLabelValues(string(e.Operation)).Observe(e.End.Sub(e.Begin).Seconds())
}

func (m *Metrics) looked(_ context.Context, l engine.Look) { m.settle.Observe(l.Settle.Seconds()) }

func (m *Metrics) acted(_ context.Context, r engine.ActResult) {
	for _, a := range r.Actions {
		m.actions.WithLabelValues(string(a.Method), string(r.Evidence.Effect), string(r.Sent)).Inc()
	}
}

func (m *Metrics) cached(_ context.Context, u engine.CacheUse) {
	m.recalls.WithLabelValues(string(u.Result), string(u.Reason)).Inc()
}

func (m *Metrics) asked(_ context.Context, a engine.Ask) {
	model := m.models.label(a.Model)
	m.asks.WithLabelValues(model, a.Purpose, outcome("answered", strings.TrimPrefix(engine.Kind(a.Err), "model_"))).Inc()
	m.thinking.WithLabelValues(model, a.Purpose).Observe(a.Duration.Seconds())
	for kind, n := range map[string]int{"input": a.Usage.Input, "output": a.Usage.Output, "cached": a.Usage.Cached, "reasoning": a.Usage.Reasoning} {
		if n > 0 {
			m.tokens.WithLabelValues(model, kind).Add(float64(n))
		}
	}
	if m.prices == nil {
		return
	}
	if price, ok := m.prices.Of(a.Model); ok {
		m.cost.WithLabelValues(model).Add(price.Cost(a.Usage))
	}
}

func (m *Metrics) refused(r engine.Refusal) { m.refusals.WithLabelValues(r.Rule()).Inc() }

func outcome(good, kind string) string {
	if kind == "" {
		return good
	}
	return kind
}

// mostNames bounds the values of a label that clients choose.
const mostNames = 100

// names are the values that a label has taken.
type names struct {
	mu    sync.Mutex
	known map[string]bool
}

// label returns the name, or "other" where too many have come before it.
func (n *names) label(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[string]bool{}
	}
	if !n.known[name] {
		if len(n.known) >= mostNames {
			return "other"
		}
		n.known[name] = true
	}
	return name
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

// SessionStarted counts a request for a session; failed is the error's code,
// empty if there is none.
func (m *Metrics) SessionStarted(failed string) {
	m.started.WithLabelValues(outcome("started", failed)).Inc()
}

// SessionEnded counts a session that has ended.
func (m *Metrics) SessionEnded(reason string) { m.over.WithLabelValues(reason).Inc() }

// Request counts a request to the service. The route is its pattern, such as
// "POST /v1/sessions/{id}/act".
func (m *Metrics) Request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(route).Observe(took.Seconds())
}

// Waited notes how long a request waited in a queue.
func (m *Metrics) Waited(queue string, d time.Duration) {
	m.waits.WithLabelValues(queue).Observe(d.Seconds())
}

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
