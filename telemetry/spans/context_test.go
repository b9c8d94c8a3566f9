package spans_test

import (
	"context"
	"regexp"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/wayfinder-engine/wayfinder/telemetry/spans"
)

// TestTraceContext: a message names the span that it is sent in, and nothing
// where there is none.
func TestTraceContext(t *testing.T) {
	if meta := spans.TraceContext(context.Background()); meta != nil {
		t.Errorf("without a span: %v", meta)
	}
	ctx, span := trace.NewTracerProvider().Tracer("test").Start(t.Context(), "step")
	defer span.End()
	parent, _ := spans.TraceContext(ctx)["traceparent"].(string)
	want := regexp.MustCompile(`^00-` + span.SpanContext().TraceID().String() + `-` + span.SpanContext().SpanID().String() + `-01$`)
	if !want.MatchString(parent) {
		t.Errorf("traceparent = %q, want %v", parent, want)
	}
}
