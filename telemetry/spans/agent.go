package spans

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// Attributes of our own, of an agent's runs and steps.
const (
	agentMode     = attribute.Key("wayfinder.agent.mode")
	agentSteps    = attribute.Key("wayfinder.agent.steps")
	agentEnd      = attribute.Key("wayfinder.agent.end")       // done, steps, tokens, canceled, …
	agentSuccess  = attribute.Key("wayfinder.agent.success")   // what was verified
	agentComplete = attribute.Key("wayfinder.agent.completed") // what the model claims
	stepNumber    = attribute.Key("wayfinder.step.number")
	stepStatus    = attribute.Key("wayfinder.step.status") // done, failed, notRun, unknown
)

// AgentHooks returns hooks that write a span for each run of an agent
// (invoke_agent) and below it one for each tool that is called (execute_tool),
// by the conventions for generative AI. Those of the questions to its model
// (chat) come from [Hooks], which the session has.
//
//	a, err := agent.New(agent.Config{Hooks: spans.AgentHooks(otel.Tracer("shop"))})
func AgentHooks(tracer trace.Tracer) *agent.Hooks {
	w := agentWriter{tracer}
	return &agent.Hooks{RunBegan: w.runBegan, RunEnded: w.runEnded, StepBegan: w.stepBegan, StepEnded: w.stepEnded}
}

// TraceContext returns the trace context of the span in ctx as the members of a
// message's _meta that MCP names for it: traceparent, and tracestate if there is
// any. It is nil without a span. It is for Options.Meta of package agent/mcp, so
// that a server's spans stand below the step's.
func TraceContext(ctx context.Context) map[string]any {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	if len(carrier) == 0 {
		return nil
	}
	meta := map[string]any{}
	for name, value := range carrier {
		meta[name] = value
	}
	return meta
}

// ToolCalls returns a function that writes a span for each call of a tool that a
// server of MCP answers (tools/call), by the conventions for MCP. It stands below
// the span that the request's _meta names by traceparent and tracestate, and what
// the engine and the agent do for the call stands below it. It is for
// Options.Began of package server/mcp.
func ToolCalls(tracer trace.Tracer) func(ctx context.Context, tool string, meta map[string]any) (context.Context, func(error)) {
	return func(ctx context.Context, tool string, meta map[string]any) (context.Context, func(error)) {
		carrier := propagation.MapCarrier{}
		for _, name := range (propagation.TraceContext{}).Fields() {
			if value, ok := meta[name].(string); ok {
				carrier[name] = value
			}
		}
		ctx, span := tracer.Start(propagation.TraceContext{}.Extract(ctx, carrier), "tools/call "+tool, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(semconv.McpMethodNameKey.String("tools/call"), semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName(tool)))
		return ctx, func(err error) {
			fail(span, err)
			span.End()
		}
	}
}

type agentWriter struct{ tracer trace.Tracer }

// agentName is what the conventions want to know an agent by.
const agentName = "wayfinder"

func (w agentWriter) runBegan(ctx context.Context, r agent.RunInfo) context.Context {
	provider, model := split(r.Model)
	ctx, _ = w.tracer.Start(ctx, "invoke_agent "+agentName, trace.WithAttributes(
		semconv.GenAIOperationNameInvokeAgent, semconv.GenAIAgentName(agentName), semconv.GenAIConversationID(r.ID),
		providerName(provider), semconv.GenAIRequestModel(model), agentMode.String(string(r.Mode))))
	return ctx
}

func (w agentWriter) runEnded(ctx context.Context, r *agent.Result, err error) {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(
		semconv.GenAIUsageInputTokens(r.Usage.Input), semconv.GenAIUsageOutputTokens(r.Usage.Output),
		agentSteps.Int(len(r.Actions)), agentSuccess.Bool(r.Success), agentComplete.Bool(r.Completed))
	if r.Usage.Cached > 0 {
		span.SetAttributes(semconv.GenAIUsageCacheReadInputTokens(r.Usage.Cached))
	}
	if r.Usage.Reasoning > 0 {
		span.SetAttributes(semconv.GenAIUsageReasoningOutputTokens(r.Usage.Reasoning))
	}
	end := string(r.End)
	span.SetAttributes(agentEnd.String(end))
	if err != nil {
		// What the error says may quote a page; the word does not.
		span.SetAttributes(semconv.ErrorTypeKey.String(end))
		span.SetStatus(codes.Error, end)
	}
	span.End()
}

func (w agentWriter) stepBegan(ctx context.Context, s agent.Step) context.Context {
	ctx, _ = w.tracer.Start(ctx, "execute_tool "+s.Action.Type, trace.WithTimestamp(s.Action.Begin), trace.WithAttributes(
		semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName(s.Action.Type), semconv.GenAIToolType("function"),
		stepNumber.Int(s.Number), pageURL.String(withoutQuery(s.Action.PageURL))))
	return ctx
}

func (w agentWriter) stepEnded(ctx context.Context, s agent.Step) {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(stepStatus.String(string(s.Action.Status)))
	if s.Action.Status == agent.Failed || s.Action.Status == agent.Unknown {
		span.SetAttributes(semconv.ErrorTypeKey.String(string(s.Action.Status)))
		span.SetStatus(codes.Error, string(s.Action.Status))
	}
	span.End()
}
