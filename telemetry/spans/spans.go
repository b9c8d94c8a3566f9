// Package spans writes OpenTelemetry spans of what an engine does: one for each
// call of a session (act, do, observe, extract, navigate), and below it one for
// each look at the page and each question to a model, by the conventions for
// generative AI.
//
//	session, err := engine.Open(ctx, driver, &engine.Options{Hooks: spans.Hooks(otel.Tracer("shop"))})
//
// No span holds an instruction, an answer, a text of a page, or a query of an
// address: these may be private. An action's id leads to the history, where they
// are.
package spans

import (
	"context"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// Attributes of our own.
const (
	actionID = attribute.Key("wayfinder.action.id")
	success  = attribute.Key("wayfinder.action.success")
	effect   = attribute.Key("wayfinder.action.effect") // as engine.Effect names it
	sent     = attribute.Key("wayfinder.action.sent")   // of the input: none, all, possible
	method   = attribute.Key("wayfinder.action.method") // click, fill, …; one for each action that was sent
	pageURL  = attribute.Key("wayfinder.page.url")      // without query and fragment
	purpose  = attribute.Key("wayfinder.model.purpose") // act, observe, extract
	nodes    = attribute.Key("wayfinder.look.nodes")
	tokens   = attribute.Key("wayfinder.look.tokens")
	settle   = attribute.Key("wayfinder.look.settle_ms")
)

// Hooks returns hooks that write spans with a tracer.
func Hooks(tracer trace.Tracer) *engine.Hooks {
	w := writer{tracer}
	return &engine.Hooks{Began: w.began, Ended: w.ended, Looked: w.looked, Asked: w.asked}
}

type writer struct{ tracer trace.Tracer }

func (w writer) began(ctx context.Context, e engine.Entry) context.Context {
	ctx, _ = w.tracer.Start(ctx, "wayfinder "+string(e.Operation), trace.WithTimestamp(e.Begin),
		trace.WithAttributes(actionID.String(e.ID), pageURL.String(withoutQuery(e.PageURL))))
	return ctx
}

func (w writer) ended(ctx context.Context, e engine.Entry, err error) {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(success.Bool(e.Success))
	if e.Evidence.Effect != "" {
		span.SetAttributes(effect.String(string(e.Evidence.Effect)))
	}
	if e.Sent != "" {
		span.SetAttributes(sent.String(string(e.Sent)))
	}
	var methods []string
	for _, a := range e.Actions {
		methods = append(methods, string(a.Method))
	}
	if len(methods) > 0 && (e.Operation == engine.OperationAct || e.Operation == engine.OperationDo) {
		span.SetAttributes(method.StringSlice(methods))
	}
	fail(span, err)
	span.End(trace.WithTimestamp(e.End))
}

func (w writer) looked(ctx context.Context, l engine.Look) {
	_, span := w.tracer.Start(ctx, "wayfinder look", trace.WithTimestamp(l.Begin), trace.WithAttributes(
		pageURL.String(withoutQuery(l.URL)), nodes.Int(l.Nodes), tokens.Int(l.Tokens),
		settle.Float64(float64(l.Settle)/float64(time.Millisecond))))
	span.End(trace.WithTimestamp(l.Begin.Add(l.Settle + l.Capture + l.Build)))
}

func (w writer) asked(ctx context.Context, a engine.Ask) {
	provider, model := split(a.Model)
	_, span := w.tracer.Start(ctx, "chat "+model, trace.WithTimestamp(a.Begin), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(
			semconv.GenAIOperationNameChat, providerName(provider), semconv.GenAIRequestModel(model),
			semconv.GenAIUsageInputTokens(a.Usage.Input), semconv.GenAIUsageOutputTokens(a.Usage.Output),
			purpose.String(a.Purpose)))
	if a.Usage.Cached > 0 {
		span.SetAttributes(semconv.GenAIUsageCacheReadInputTokens(a.Usage.Cached))
	}
	if a.Usage.Reasoning > 0 {
		span.SetAttributes(semconv.GenAIUsageReasoningOutputTokens(a.Usage.Reasoning))
	}
	fail(span, a.Err)
	span.End(trace.WithTimestamp(a.Begin.Add(a.Duration)))
}

// fail marks a span whose work failed. What the error says may quote a page;
// its kind does not.
func fail(span trace.Span, err error) {
	if err == nil {
		return
	}
	kind := engine.Kind(err)
	span.SetAttributes(semconv.ErrorTypeKey.String(kind))
	span.SetStatus(codes.Error, kind)
}

// split parts a model's name into provider and model.
func split(name string) (provider, model string) {
	provider, model, ok := strings.Cut(name, "/")
	if !ok {
		return "", name
	}
	return provider, model
}

// conventional are the conventions' names for providers which are not our own.
var conventional = map[string]attribute.KeyValue{
	"google":    semconv.GenAIProviderNameGCPGemini,
	"vertex":    semconv.GenAIProviderNameGCPVertexAI,
	"bedrock":   semconv.GenAIProviderNameAWSBedrock,
	"azure":     semconv.GenAIProviderNameAzureAIOpenAI,
	"microsoft": semconv.GenAIProviderNameAzureAIInference,
}

func providerName(provider string) attribute.KeyValue {
	if known, ok := conventional[provider]; ok {
		return known
	}
	return semconv.GenAIProviderNameKey.String(provider)
}

// withoutQuery leaves out of an address what may be private.
func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" {
		scheme, _, _ := strings.Cut(address, ":")
		return scheme + ":"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
