package openai

import (
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// respond asks by Responses.
func (m *Model) respond(ctx context.Context, req *llm.Request, s *shape, known habits) (*llm.Response, error) {
	answer, err := m.responses.New(ctx, m.responseParams(req, s, known))
	if err != nil {
		return nil, err
	}
	return m.readResponse(answer, s)
}

// responseParams writes a request. Nothing is stored at the vendor; what a
// reasoning model needs to continue comes back to us, encrypted, and is sent along
// with the tool calls that it led to.
func (m *Model) responseParams(req *llm.Request, s *shape, known habits) responses.ResponseNewParams {
	p := responses.ResponseNewParams{Model: m.options.Model, Store: sdk.Bool(false)}
	if m.options.Genuine {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if s.system != "" {
		p.Instructions = sdk.String(s.system)
	}
	pc := m.computing(req)
	for _, message := range req.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, m.inputItems(message, pc)...)
	}
	for _, tool := range req.Tools {
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: functionTool(tool)})
	}
	addComputer(&p, req.Computer)
	switch choice := req.ToolChoice; {
	case choice.Mode == llm.ToolNamed:
		p.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: choice.Name}
	case choice.Mode != llm.ToolAuto && len(p.Tools) > 0:
		p.ToolChoice.OfToolChoiceMode = param.NewOpt(responses.ToolChoiceOptions(choice.Mode))
	}
	switch {
	case req.Schema == nil || s.level == byRequest:
	case s.level == byObject:
		p.Text.Format.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	default:
		format := responses.ResponseFormatTextJSONSchemaConfigParam{Name: req.Schema.Name, Strict: sdk.Bool(s.strict)}
		format.SetExtraFields(map[string]any{"schema": s.schema})
		p.Text.Format.OfJSONSchema = &format
	}
	if req.MaxOutputTokens > 0 {
		p.MaxOutputTokens = sdk.Int(int64(req.MaxOutputTokens))
	}
	if req.Temperature != nil && !known.noTemperature {
		p.Temperature = sdk.Float(*req.Temperature)
	}
	return p
}

func functionTool(tool llm.Tool) *responses.FunctionToolParam {
	f := &responses.FunctionToolParam{Name: tool.Name, Strict: sdk.Bool(false)}
	if tool.Description != "" {
		f.Description = sdk.String(tool.Description)
	}
	parameters := tool.Parameters
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	f.SetExtraFields(map[string]any{"parameters": parameters})
	return f
}

// inputItems writes one message; thoughts, calls and results are items of their
// own. The model's stand in the order in which it made them: a thought that is
// not followed by what it led to is refused. Calls of the computer tool that are
// told in words are so.
func (m *Model) inputItems(message llm.Message, pc *computing) []responses.ResponseInputItemUnionParam {
	var items []responses.ResponseInputItemUnionParam
	var content responses.ResponseInputMessageContentListParam
	var words []string
	say := func() {
		if message.Role == llm.Assistant && len(words) > 0 {
			items = append(items, responses.ResponseInputItemParamOfMessage(strings.Join(words, "\n"), responses.EasyInputMessageRoleAssistant))
			words = nil
		}
	}
	for _, part := range message.Parts {
		switch part := part.(type) {
		case llm.Image:
			content = append(content, inputImage(part, pc.detail))
		case llm.Reasoning:
			say()
			if !pc.dropsThoughts(message) {
				items = append(items, m.thoughts(part.Opaque)...)
			}
		case llm.ToolCall:
			switch {
			case part.Toolset != "" && pc.inWords[part.ID]:
				words = append(words, computerCallWords(part))
			case part.Toolset != "": // the call itself is kept with what led to it
				say()
				items = append(items, m.thoughts(part.Opaque)...)
			default:
				say()
				if !pc.dropsThoughts(message) {
					items = append(items, m.thoughts(part.Opaque)...)
				}
				items = append(items, responses.ResponseInputItemParamOfFunctionCall(arguments(part), part.ID, part.Name))
			}
		case llm.ToolResult:
			if part.Toolset == "" {
				items = append(items, functionOutput(part))
				break
			}
			if !pc.inWords[part.ID] {
				items = append(items, pc.output(part))
			}
			content = append(content, pc.resultWords(part)...)
		default:
			if text, ok := llm.PartText(part); ok {
				words = append(words, text)
				content = append(content, responses.ResponseInputContentParamOfInputText(text))
			}
		}
	}
	if message.Role == llm.Assistant {
		say()
		return items
	}
	if len(content) > 0 {
		items = append(items, responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser))
	}
	return items
}

func inputImage(image llm.Image, detail responses.ResponseInputImageDetail) responses.ResponseInputContentUnionParam {
	part := responses.ResponseInputContentParamOfInputImage(detail)
	part.OfInputImage.ImageURL = sdk.String(dataURL(image))
	return part
}

// functionOutput writes a tool's result, with its pictures.
func functionOutput(result llm.ToolResult) responses.ResponseInputItemUnionParam {
	text := llm.ResultText(result)
	var parts responses.ResponseFunctionCallOutputItemListParam
	for _, inner := range result.Parts {
		if image, ok := inner.(llm.Image); ok {
			parts = append(parts, responses.ResponseFunctionCallOutputItemUnionParam{
				OfInputImage: &responses.ResponseInputImageContentParam{ImageURL: sdk.String(dataURL(image))}})
		}
	}
	item := responses.ResponseInputItemFunctionCallOutputParam{CallID: sdk.String(result.ID)}
	if len(parts) == 0 {
		item.Output.OfString = sdk.String(text)
	} else {
		words := responses.ResponseFunctionCallOutputItemUnionParam{OfInputText: &responses.ResponseInputTextContentParam{Text: text}}
		item.Output.OfResponseFunctionCallOutputItemArray = append(responses.ResponseFunctionCallOutputItemListParam{words}, parts...)
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &item}
}

// thoughts are what was kept of them with an answer, to be sent back.
func (m *Model) thoughts(opaque []byte) []responses.ResponseInputItemUnionParam {
	var items []responses.ResponseInputItemUnionParam
	for _, thought := range modelhttp.Kept(opaque, m.options.Provider) {
		items = append(items, param.Override[responses.ResponseInputItemUnionParam](thought))
	}
	return items
}

// readResponse reads an answer.
func (m *Model) readResponse(answer *responses.Response, s *shape) (*llm.Response, error) {
	switch answer.Status {
	case responses.ResponseStatusFailed:
		return nil, &llm.Error{Kind: kindOfCode(string(answer.Error.Code), llm.KindUnavailable), Message: answer.Error.Message}
	case responses.ResponseStatusIncomplete:
		reason := answer.IncompleteDetails.Reason
		if reason == "max_output_tokens" {
			reason = "length"
		}
		if _, err := finish(&llm.Response{}, reason, s); err != nil {
			return nil, err
		}
		return nil, modelhttp.Malformed("the answer is incomplete: " + answer.IncompleteDetails.Reason)
	}
	if len(answer.Output) == 0 {
		return nil, modelhttp.Malformed("the answer has no output")
	}
	resp := &llm.Response{Model: answer.Model, Usage: llm.Usage{
		Input:     int(answer.Usage.InputTokens),
		Output:    int(answer.Usage.OutputTokens),
		Reasoning: int(answer.Usage.OutputTokensDetails.ReasoningTokens),
		Cached:    int(answer.Usage.InputTokensDetails.CachedTokens),
	}}
	var thought []json.RawMessage // that nothing has followed yet
	for _, item := range answer.Output {
		switch item.Type {
		case "message":
			for _, content := range item.Content {
				if content.Type == "refusal" {
					return nil, &llm.Error{Kind: llm.KindRefusal, Message: content.Refusal}
				}
				resp.Text += content.Text
			}
		case "reasoning":
			reasoning := llm.Reasoning{Text: shownThought(item)}
			var kept []json.RawMessage
			if item.EncryptedContent != "" { // without it, the vendor could not read it again
				kept = append(kept, json.RawMessage(item.RawJSON()))
			}
			if resp.Text != "" || len(resp.ToolCalls) > 0 { // it leads to a call that follows
				thought = append(thought, kept...)
				kept = nil
			}
			var err error
			if reasoning.Opaque, err = modelhttp.Keep(m.options.Provider, kept); err != nil {
				return nil, err
			}
			if reasoning.Text != "" || reasoning.Opaque != nil {
				resp.Reasoning = append(resp.Reasoning, reasoning)
			}
		case "function_call":
			call := llm.ToolCall{ID: item.CallID, Name: item.Name, Arguments: json.RawMessage(item.Arguments.OfString)}
			var err error
			if call.Opaque, err = modelhttp.Keep(m.options.Provider, thought); err != nil {
				return nil, err
			}
			thought = nil
			resp.ToolCalls = append(resp.ToolCalls, call)
		case "computer_call":
			call, err := m.readComputerCall(item, thought)
			if err != nil {
				return nil, err
			}
			thought = nil
			resp.ToolCalls = append(resp.ToolCalls, call)
		}
	}
	return finish(resp, "", s)
}

// shownThought is as much of a thought as the server shows: a summary, or, of
// open models, the thought itself.
func shownThought(item responses.ResponseOutputItemUnion) string {
	var lines []string
	for _, part := range item.Summary {
		lines = append(lines, part.Text)
	}
	for _, part := range item.Content {
		if part.Type == "reasoning_text" {
			lines = append(lines, part.Text)
		}
	}
	return strings.Join(lines, "\n")
}
