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

// A response is one request by Responses.
type response struct {
	*shape
	service *responses.ResponseService
}

// params writes the request. Nothing is stored at the vendor; what a
// reasoning model needs to continue comes back to us, encrypted, and is sent along
// with the tool calls that it led to.
func (r *response) params() responses.ResponseNewParams {
	p := responses.ResponseNewParams{Model: r.options.Model, Store: sdk.Bool(false)}
	if r.options.Genuine {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if r.form.System != "" {
		p.Instructions = sdk.String(r.form.System)
	}
	pc := newComputing(r.req, r.options.Provider)
	for _, message := range r.req.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, r.items(message, pc)...)
	}
	for _, tool := range r.req.Tools {
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: functionTool(tool)})
	}
	addComputer(&p, r.req.Computer)
	switch choice := r.req.ToolChoice; {
	case choice.Mode == llm.ToolNamed:
		p.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: choice.Name}
	case choice.Mode != llm.ToolAuto && len(p.Tools) > 0:
		p.ToolChoice.OfToolChoiceMode = param.NewOpt(responses.ToolChoiceOptions(choice.Mode))
	}
	switch {
	case r.req.Schema == nil || r.level == byRequest:
	case r.level == byObject:
		p.Text.Format.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	default:
		format := responses.ResponseFormatTextJSONSchemaConfigParam{Name: r.req.Schema.Name, Strict: sdk.Bool(r.strict)}
		format.SetExtraFields(map[string]any{"schema": r.form.Schema})
		p.Text.Format.OfJSONSchema = &format
	}
	if r.req.MaxOutputTokens > 0 {
		p.MaxOutputTokens = sdk.Int(int64(r.req.MaxOutputTokens))
	}
	if r.req.Temperature != nil && !r.known.noTemperature {
		p.Temperature = sdk.Float(*r.req.Temperature)
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

// items writes one message; thoughts, calls and results are items of their
// own. The model's stand in the order in which it made them: a thought that is
// not followed by what it led to is refused. Calls of the computer tool that are
// told in words are so.
func (r *response) items(message llm.Message, pc *computing) []responses.ResponseInputItemUnionParam {
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
				items = append(items, r.thoughts(part.Opaque)...)
			}
		case llm.ToolCall:
			switch {
			case part.Toolset != "" && pc.inWords[part.ID]:
				words = append(words, computerCallWords(part))
			case part.Toolset != "": // the call itself is kept with what led to it
				say()
				items = append(items, r.thoughts(part.Opaque)...)
			default:
				say()
				if !pc.dropsThoughts(message) {
					items = append(items, r.thoughts(part.Opaque)...)
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
func (r *response) thoughts(opaque []byte) []responses.ResponseInputItemUnionParam {
	var items []responses.ResponseInputItemUnionParam
	for _, thought := range modelhttp.Kept(opaque, r.options.Provider) {
		items = append(items, param.Override[responses.ResponseInputItemUnionParam](thought))
	}
	return items
}

// read reads an answer.
func (r *response) read(answer *responses.Response) (*llm.Response, error) {
	switch answer.Status {
	case responses.ResponseStatusFailed:
		return nil, &llm.Error{Kind: codes.Kind(string(answer.Error.Code), llm.KindUnavailable), Message: answer.Error.Message}
	case responses.ResponseStatusIncomplete:
		reason := answer.IncompleteDetails.Reason
		if reason == "max_output_tokens" {
			reason = "length"
		}
		if _, err := finish(&llm.Response{}, reason, r.shape); err != nil {
			return nil, err
		}
		return nil, modelhttp.Malformed("the answer is incomplete: " + answer.IncompleteDetails.Reason)
	}
	if len(answer.Output) == 0 {
		return nil, modelhttp.Malformed("the answer has no output")
	}
	a := modelhttp.Answer{Provider: r.options.Provider, Response: llm.Response{Model: answer.Model, Usage: llm.Usage{
		Input:     int(answer.Usage.InputTokens),
		Output:    int(answer.Usage.OutputTokens),
		Reasoning: int(answer.Usage.OutputTokensDetails.ReasoningTokens),
		Cached:    int(answer.Usage.InputTokensDetails.CachedTokens),
	}}}
	for _, item := range answer.Output {
		var err error
		switch item.Type {
		case "message":
			for _, content := range item.Content {
				if content.Type == "refusal" {
					return nil, &llm.Error{Kind: llm.KindRefusal, Message: content.Refusal}
				}
				a.Text += content.Text
			}
		case "reasoning":
			var block json.RawMessage
			if item.EncryptedContent != "" { // without it, the vendor could not read it again
				block = json.RawMessage(item.RawJSON())
			}
			err = a.Think(shownThought(item), block)
		case "function_call":
			err = a.Call(llm.ToolCall{ID: item.CallID, Name: item.Name, Arguments: json.RawMessage(item.Arguments.OfString)})
		case "computer_call": // goes back as it came
			var call llm.ToolCall
			if call, err = readComputerCall(item); err == nil {
				err = a.Call(call, json.RawMessage(item.RawJSON()))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return finish(&a.Response, "", r.shape)
}

func (r *response) send(ctx context.Context, say func(llm.Delta) bool) (*llm.Response, error) {
	if say == nil {
		answer, err := r.service.New(ctx, r.params())
		if err != nil {
			return nil, err
		}
		return r.read(answer)
	}
	events := r.service.NewStreaming(ctx, r.params())
	defer events.Close()
	said := saying{calls: map[int64]int{}}
	for events.Next() {
		switch event := events.Current(); event.Type {
		case "response.completed", "response.incomplete", "response.failed":
			if rest := said.text.Flush(); rest != "" && !say(llm.Delta{Text: rest}) {
				return nil, context.Canceled
			}
			return r.read(&event.Response)
		case "error":
			return nil, &llm.Error{Kind: codes.Kind(event.Code, llm.KindUnavailable), Message: event.Message}
		default:
			if delta, ok := said.add(&event); ok && !say(delta) {
				return nil, context.Canceled
			}
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	return nil, modelhttp.Malformed("the stream ended before the answer did")
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
