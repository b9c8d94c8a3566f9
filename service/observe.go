package service

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/telemetry/metrics"
	"github.com/wayfinder-engine/wayfinder/telemetry/spans"
)

// scope names who makes the spans.
const scope = "github.com/wayfinder-engine/wayfinder"

// count has what the service does counted.
func count(c *Config) error {
	o, m := &c.Server, c.Metrics
	if m == nil {
		prices, err := middleware.ListPrices()
		if err != nil {
			return err
		}
		m = metrics.New(prices)
		c.Metrics = m
		if o.Probes.Metrics == nil {
			o.Probes.Metrics = m.Handler()
		}
	}
	o.Hooks.Engine = engine.JoinHooks(m.Hooks(), o.Hooks.Engine)
	served := o.Hooks.Served
	o.Hooks.Served = func(ctx context.Context, r server.Served) {
		m.Request(r.Route, r.Status, r.Duration)
		nameSpan(ctx, r.Route)
		if served != nil {
			served(ctx, r)
		}
	}
	o.Hooks.Events = counted(m, o.Hooks.Events)
	return nil
}

// counted are events that count sessions as they come and go, before others hear of it.
func counted(m *metrics.Metrics, others *server.Events) *server.Events {
	others = cmp.Or(others, new(server.Events))
	return &server.Events{
		Started: func(e server.Start) {
			m.SessionStarted(string(e.Failed))
			if others.Started != nil {
				others.Started(e)
			}
		},
		Ended: func(e server.End) {
			m.SessionEnded(string(e.Reason))
			if e.Reason == server.EndedGone && e.Own {
				m.BrowserCrashed(ownProcess)
			}
			if others.Ended != nil {
				others.Ended(e)
			}
		},
		Waited: func(w server.Wait) {
			m.Waited(string(w.Queue), w.Duration)
			if others.Waited != nil {
				others.Waited(w)
			}
		},
	}
}

// addGauges counts what there is at the moment.
func addGauges(m *metrics.Metrics, of *server.Server, work *runs.Runs) {
	m.Gauge("sessions", "Open sessions.", func() float64 { return float64(of.Load().Sessions) })
	m.Gauge("sessions_working", "Sessions with a request at work or waiting.", func() float64 { return float64(of.Load().Working) })
	m.Gauge("streams", "Open streams.", func() float64 { return float64(of.Load().Streams) })
	m.Gauge("starts_waiting", "Requests for a session that wait for another to end.", func() float64 { return float64(of.Load().Waiting) })
	m.Gauge("runs_waiting", "Runs that wait for their turn.", func() float64 { waiting, _ := work.Counts(); return float64(waiting) })
	m.Gauge("runs_working", "Runs at work.", func() float64 { _, working := work.Counts(); return float64(working) })
}

// trace makes the spans of engines and agents, if Config.Tracer is set.
func trace(c *Config) {
	if c.Tracer == nil {
		return
	}
	o, tracer := &c.Server, c.Tracer.Tracer(scope)
	o.Hooks.Engine = engine.JoinHooks(o.Hooks.Engine, spans.Hooks(tracer))
	o.Hooks.Agent = agent.JoinHooks(o.Hooks.Agent, spans.AgentHooks(tracer))
}

// traced gives each request a span, below the client's own if it names one.
func traced(tracer oteltrace.TracerProvider, h http.Handler) http.Handler {
	if tracer == nil {
		return h
	}
	return otelhttp.NewHandler(h, "request", otelhttp.WithTracerProvider(tracer),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method }),
		otelhttp.WithFilter(func(r *http.Request) bool {
			return r.URL.Path != "/healthz" && r.URL.Path != "/readyz" && r.URL.Path != "/metrics"
		}))
}

// nameSpan gives a request's span its route, "POST /v1/sessions/{id}/act".
func nameSpan(ctx context.Context, route string) {
	_, path, found := strings.Cut(route, " ")
	if !found {
		return
	}
	span := oteltrace.SpanFromContext(ctx)
	span.SetName(route)
	span.SetAttributes(semconv.HTTPRoute(path))
}
