package spans_test

import (
	"context"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/telemetry/spans"
)

// Hooks write a span for each call of a session, and below it one for each look
// at the page and each question to a model.
func Example() {
	web := fake.Web{"https://shop.test/": `<button>Order</button>`}
	exporter := tracetest.NewInMemoryExporter() // elsewhere: one for OTLP
	provider := trace.NewTracerProvider(trace.WithSyncer(exporter))
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{
		Model: offline.New(),
		Hooks: spans.Hooks(provider.Tracer("shop")),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	if _, err := page.Act(ctx, "click Order", nil); err != nil {
		log.Fatal(err)
	}
	for _, span := range exporter.GetSpans() {
		fmt.Println(span.Name)
	}
	// Output:
	// wayfinder navigate
	// wayfinder look
	// chat words
	// wayfinder act
}
