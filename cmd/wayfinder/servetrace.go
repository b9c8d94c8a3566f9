package main

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/telemetry/spans"
)

// tracing sends spans to a collector; the zero value sends none.
type tracing struct{ provider *trace.TracerProvider }

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

// spans make the spans of engines, of agents, and of calls over MCP, which stand below the
// client's own; each is nil where none are sent.
func (t *tracing) spans() (engines *engine.Hooks, agents *agent.Hooks, calls func(context.Context, string, map[string]any) (context.Context, func(error))) {
	if t.provider == nil {
		return nil, nil, nil
	}
	tracer := t.provider.Tracer(project)
	return spans.Hooks(tracer), spans.AgentHooks(tracer), spans.ToolCalls(tracer)
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
