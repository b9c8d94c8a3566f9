package openai

import (
	"bytes"
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
	return readResponse(answer, s)
}

// responseParams writes a request. Nothing is stored at the vendor; what a
// reasoning model needs to go on comes back to us, encrypted, and is sent along
// with the tool calls that it led to.
func (m *Model) responseParams(req *llm.Request, s *shape, known habits) responses.ResponseNewParams {
	p := responses.ResponseNewParams{Model: m.options.Model, Store: sdk.Bool(false)}
	if m.options.Genuine {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if s.system != "" {
		p.Instructions = sdk.String(s.system)
	}
	for _, message := range req.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, inputItems(message)...)
	}
	for _, tool := range req.Tools {
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: functionTool(tool)})
	}
	switch req.ToolChoice {
	case "":
	case "none", "required":
		p.ToolChoice.OfToolChoiceMode = param.NewOpt(responses.ToolChoiceOptions(req.ToolChoice))
	default:
		p.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: req.ToolChoice}
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

// inputItems writes one message; calls and results are items of their own.
func inputItems(message llm.Message) []responses.ResponseInputItemUnionParam {
	var items []responses.ResponseInputItemUnionParam
	var content responses.ResponseInputMessageContentListParam
	var words []string
	for _, part := range message.Parts {
		switch part := part.(type) {
		case llm.Image:
			content = append(content, inputImage(part))
		case llm.ToolCall:
			for _, thought := range thoughts(part.Opaque) {
				items = append(items, param.Override[responses.ResponseInputItemUnionParam](thought))
			}
			items = append(items, responses.ResponseInputItemParamOfFunctionCall(arguments(part), part.ID, part.Name))
		case llm.ToolResult:
			items = append(items, functionOutput(part))
		default:
			if text, ok := llm.PartText(part); ok {
				words = append(words, text)
				content = append(content, responses.ResponseInputContentParamOfInputText(text))
			}
		}
	}
	switch {
	case len(content) == 0:
		return items
	case message.Role == llm.Assistant: // words come before the calls they lead to
		said := responses.ResponseInputItemParamOfMessage(strings.Join(words, "\n"), responses.EasyInputMessageRoleAssistant)
		return append([]responses.ResponseInputItemUnionParam{said}, items...)
	default:
		return append(items, responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser))
	}
}

func inputImage(image llm.Image) responses.ResponseInputContentUnionParam {
	part := responses.ResponseInputContentParamOfInputImage(responses.ResponseInputImageDetailAuto)
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

// thoughts reads what readResponse put into a call's Opaque.
func thoughts(opaque []byte) []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(opaque, &items) != nil {
		return nil // another provider's
	}
	return items
}

// readResponse reads an answer.
func readResponse(answer *responses.Response, s *shape) (*llm.Response, error) {
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
	var thought []json.RawMessage
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
			if item.EncryptedContent != "" { // without it, the vendor could not read it again
				thought = append(thought, json.RawMessage(item.RawJSON()))
			}
		case "function_call":
			call := llm.ToolCall{ID: item.CallID, Name: item.Name, Arguments: json.RawMessage(item.Arguments.OfString)}
			if len(thought) > 0 {
				call.Opaque = append(append([]byte{'['}, bytes.Join(asBytes(thought), []byte{','})...), ']')
				thought = nil
			}
			resp.ToolCalls = append(resp.ToolCalls, call)
		}
	}
	return finish(resp, "", s)
}

func asBytes(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}
