package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// GenerateOptions refine Generate.
type GenerateOptions struct {
	Model     LLM                 // in place of the session's
	Variables map[string]Variable // known from now on, as those of Act are
	Timeout   time.Duration       // 0 is as long as ctx lasts

	// Page is the page that the question is about, for the history; nil is the
	// active one.
	Page *Page

	// Delta, if not nil, gets the pieces of the answer as they come, without
	// the last one's Response, where the model is an [llm.Streamer]. It is
	// called on the goroutine of Generate and holds the answer up. What it got
	// before an error was no answer.
	Delta func(llm.Delta)
}

// Generate puts a request of the caller's own to the session's model, or to
// that of opts, the way the engine's questions are put: it is in the history,
// the metrics and the hooks, counts against the budgets of ctx where the model
// is [llm.Metered], and the values of variables are hidden in all of its texts,
// tool calls and results. Pictures are sent as they are. The request is not
// changed, and the messages are not added to; see [llm.Response.Message].
//
// Values that the model found out by itself, from a picture, are hidden in the
// answer: placeholders stand for them. opts may be nil.
func (s *Session) Generate(ctx context.Context, req *llm.Request, opts *GenerateOptions) (*llm.Response, error) {
	if opts == nil {
		opts = &GenerateOptions{}
	}
	model := cmp.Or(opts.Model, s.opts.Model)
	if model == nil {
		return nil, fmt.Errorf("generate: %w: set Options.Model", ErrNoModel)
	}
	if s.isClosed() {
		return nil, fmt.Errorf("generate: session %w", ErrClosed)
	}
	if err := checkVariables(opts.Variables); err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	s.secrets.add(opts.Variables)
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	ctx, entry := s.enter(ctx, "generate", cmp.Or(opts.Page, s.Page()))
	begin := time.Now()
	asked := s.secrets.hideRequest(req)
	asked.Purpose = cmp.Or(req.Purpose, llm.PurposeAgent)
	resp, err := s.generate(ctx, model, asked, opts.Delta)
	var usage Usage
	if resp != nil {
		usage = resp.Usage
	}
	s.metrics.asked(asked.Purpose, usage, err)
	s.traceAsk(ctx, Ask{Purpose: string(asked.Purpose), Model: model.Name(), Begin: begin, Duration: time.Since(begin), Usage: usage, Err: err})
	if err != nil {
		err = s.hideError(fmt.Errorf("generate: ask %s: %w", model.Name(), err))
	}
	s.leave(ctx, entry, err, func(e *Entry) { e.Usage, e.Model = usage, model.Name() })
	if err != nil {
		return nil, err
	}
	return s.secrets.hideResponse(resp), nil
}

// generate asks in one piece, or bit by bit where somebody listens and the
// model can.
func (s *Session) generate(ctx context.Context, model LLM, req *llm.Request, tell func(llm.Delta)) (*llm.Response, error) {
	streamer, ok := model.(llm.Streamer)
	if !ok || tell == nil {
		return model.Generate(ctx, req)
	}
	var resp *llm.Response
	bits := deltaHider{secrets: &s.secrets, tell: tell}
	for delta, err := range streamer.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		if delta.Response != nil {
			resp = delta.Response
			continue
		}
		bits.add(delta)
	}
	if resp == nil {
		return nil, errors.New("the stream ended without an answer")
	}
	bits.flush()
	return resp, nil
}

// BeginCall enters a call of the caller's own into the history, as an agent's
// run is one, and calls the hooks for it. What is done with the context that it
// returns belongs to the call (see [WithParent]) and to its span. page may be
// nil: the active one. End must be called, once.
func (s *Session) BeginCall(ctx context.Context, page *Page, method, instruction string) (context.Context, *Call) {
	ctx, entry := s.enter(ctx, method, cmp.Or(page, s.Page()))
	return WithParent(ctx, entry.ID), &Call{session: s, ctx: ctx, entry: entry, instruction: instruction}
}

// A Call is a call under way that the engine does not make itself.
type Call struct {
	session     *Session
	ctx         context.Context // of the hooks: that of the call's beginning
	entry       *Entry
	instruction string
}

// ID is that of the call's entry.
func (c *Call) ID() string { return c.entry.ID }

// End ends the call. fill, if not nil, completes its entry; it must not call
// the session. Values of variables are hidden in what it writes.
func (c *Call) End(err error, fill func(*Entry)) {
	s := c.session
	if err != nil {
		err = s.hideError(err)
	}
	s.leave(c.ctx, c.entry, err, func(e *Entry) {
		e.Instruction = c.instruction
		if fill != nil {
			fill(e)
		}
		e.Instruction, e.Message = s.secrets.hide(e.Instruction), s.secrets.hideShown(e.Message)
		e.Data = s.secrets.hideJSON(e.Data)
	})
}

// hideRequest returns a copy of a request without values.
func (s *secrets) hideRequest(req *llm.Request) *llm.Request {
	out := *req
	if s.matcher.Load() == nil {
		return &out
	}
	out.System = s.hide(req.System)
	out.Tools = slices.Clone(req.Tools)
	for i, tool := range out.Tools {
		out.Tools[i].Description, out.Tools[i].Parameters = s.hide(tool.Description), s.hideJSON(tool.Parameters)
	}
	out.Messages = slices.Clone(req.Messages)
	for i, m := range out.Messages {
		out.Messages[i].Parts = s.hideParts(m.Parts)
	}
	return &out
}

func (s *secrets) hideParts(parts []llm.Part) []llm.Part {
	out := slices.Clone(parts)
	for i, part := range out {
		switch part := part.(type) {
		case llm.Instruction:
			out[i] = llm.Instruction{Text: s.hide(part.Text)}
		case llm.Text:
			out[i] = llm.Text{Text: s.hide(part.Text)}
		case llm.Page:
			out[i] = llm.Page{Kind: part.Kind, Text: s.hide(part.Text)}
		case llm.ToolCall:
			part.Arguments = s.hideJSON(part.Arguments)
			out[i] = part
		case llm.ToolResult:
			part.Parts = s.hideParts(part.Parts)
			out[i] = part
		}
	}
	return out
}

// hideResponse returns an answer without values. What a provider signed stays
// as it is: it goes back to the provider alone.
func (s *secrets) hideResponse(resp *llm.Response) *llm.Response {
	if s.matcher.Load() == nil {
		return resp
	}
	out := *resp
	out.Text = s.hide(resp.Text)
	if json.Valid([]byte(resp.Text)) {
		out.Text = string(s.hideJSON([]byte(resp.Text)))
	}
	out.Reasoning = slices.Clone(resp.Reasoning)
	for i, r := range out.Reasoning {
		out.Reasoning[i].Text = s.hide(r.Text)
	}
	out.ToolCalls = slices.Clone(resp.ToolCalls)
	for i, call := range out.ToolCalls {
		out.ToolCalls[i].Arguments = s.hideJSON(call.Arguments)
	}
	return &out
}
