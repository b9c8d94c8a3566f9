package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/nodes"
	"github.com/wayfinder-engine/wayfinder/server/traces"
	"github.com/wayfinder-engine/wayfinder/telemetry/spans"
)

// tracing sends spans to a collector; the zero value sends none.
type tracing struct{ provider *trace.TracerProvider }

// startTracing begins to send spans, if an address is given by the flag or by
// the usual variables.
func (v *serving) startTracing(ctx context.Context, log *slog.Logger) (*tracing, error) {
	var opts []otlptracehttp.Option
	switch {
	case v.traces != "":
		address, err := tracesAt(v.traces)
		if err != nil {
			return nil, err
		}
		opts = append(opts, otlptracehttp.WithEndpointURL(address))
	case os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "":
		return &tracing{}, nil
	}
	// What cannot be sent is a line of the log, in the log's form.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces were not sent", "err", err) }))
	exporter, err := otlptracehttp.New(ctx, opts...)
	if err != nil {
		return nil, usage("--otlp %s: %v", v.traces, err)
	}
	// OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
	about, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName("wayfinder")), resource.WithFromEnv())
	if err != nil {
		return nil, usage("the resource of OpenTelemetry: %v", err)
	}
	return &tracing{trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))}, nil
}

// tracesAt is where traces are posted to: a collector's address has the path
// that OTLP gives them, unless it names another.
func tracesAt(collector string) (string, error) {
	u, err := url.Parse(collector)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", usage("--otlp %q: write the collector's address, as http://127.0.0.1:4318", collector)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
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

// hooks adds the spans of engines to other hooks.
func (t *tracing) hooks(others *engine.Hooks) *engine.Hooks {
	if t.provider == nil {
		return others
	}
	return engine.JoinHooks(others, spans.Hooks(t.provider.Tracer("github.com/wayfinder-engine/wayfinder")))
}

// agentHooks are the spans of agents.
func (t *tracing) agentHooks() *agent.Hooks {
	if t.provider == nil {
		return nil
	}
	return spans.AgentHooks(t.provider.Tracer("github.com/wayfinder-engine/wayfinder"))
}

// toolCalls are the spans of calls over MCP, below the client's own; nil is none.
func (t *tracing) toolCalls() func(context.Context, string, map[string]any) (context.Context, func(error)) {
	if t.provider == nil {
		return nil
	}
	return spans.ToolCalls(t.provider.Tracer("github.com/wayfinder-engine/wayfinder"))
}

// around gives each request a span, below the client's own if it names one.
func (t *tracing) around(h http.Handler) http.Handler {
	if t.provider == nil {
		return h
	}
	return otelhttp.NewHandler(h, "request", otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method }),
		otelhttp.WithFilter(func(r *http.Request) bool {
			return r.URL.Path != "/healthz" && r.URL.Path != "/readyz" && r.URL.Path != "/metrics"
		}))
}

// stop sends what is left.
func (t *tracing) stop(log *slog.Logger) {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		log.Warn("the last traces were not sent", "err", err)
	}
}

// openKept opens what is kept of sessions beyond their end: profiles, replay data
// and traces, and what keys have used, until closed.
func (v *serving) openKept(ctx context.Context, store fleet.Store, node *nodes.Node, options *server.Options) (closeAll func(), _ error) {
	closeTraces, err := v.keepTraces(ctx, options)
	if err != nil {
		return nil, err
	}
	closeProfiles, err := v.openProfiles(store, node, options)
	if err != nil {
		closeTraces()
		return nil, err
	}
	closeLedger, err := v.keepLedger(ctx, store, node, options)
	if err != nil {
		closeProfiles()
		closeTraces()
		return nil, err
	}
	closeReplays := v.keepReplays(ctx, store, node, options)
	return func() {
		closeLedger()
		closeReplays()
		closeProfiles()
		closeTraces()
	}, nil
}

// keepTraces has the service keep what is recorded of sessions, if it is said where,
// until done: encrypted, where there is a key for profiles.
func (v *serving) keepTraces(ctx context.Context, options *server.Options) (done func(), _ error) {
	if v.keep == "" {
		return func() {}, nil
	}
	keys, err := v.profileKeys()
	if err != nil {
		return nil, err
	}
	o := &traces.Options{Secrets: keysOf(os.Environ()), Version: version().Version, Logger: options.Logger}
	if keys != nil {
		o.Sealer = keys
	}
	if options.Traces, err = traces.Open(v.keep, o); err != nil {
		return nil, missing(fmt.Errorf("--keep-traces %s: %w", v.keep, err))
	}
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { options.Traces.Run(ctx) })
	return func() {
		stop()
		all.Wait()
	}, nil
}
