package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A chat is one request by Chat Completions.
type chat struct {
	*shape
	service *sdk.ChatCompletionService
}

// params writes the request.
func (c *chat) params() sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{Model: c.options.Model}
	if c.form.System != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(c.form.System))
	}
	for _, message := range c.req.Messages {
		p.Messages = append(p.Messages, c.messages(message)...)
	}
	for _, tool := range c.req.Tools {
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(chatFunction(tool)))
	}
	p.ToolChoice = chatChoice(c.req)
	switch {
	case c.req.Schema == nil || c.level == byRequest:
	case c.level == byObject:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	default:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: c.req.Schema.Name, Schema: c.form.Schema, Strict: sdk.Bool(c.strict)}}
	}
	if c.req.MaxOutputTokens > 0 {
		// OpenAI knows max_completion_tokens, older servers only max_tokens.
		if limit := sdk.Int(int64(c.req.MaxOutputTokens)); c.options.Genuine != c.known.otherLimit {
			p.MaxCompletionTokens = limit
		} else {
			p.MaxTokens = limit
		}
	}
	if c.req.Temperature != nil && !c.known.noTemperature {
		p.Temperature = sdk.Float(*c.req.Temperature)
	}
	return p
}

// chatFunction writes a tool. Its schema goes as it stands, for the sake of
// the order of its members.
func chatFunction(tool llm.Tool) shared.FunctionDefinitionParam {
	f := shared.FunctionDefinitionParam{Name: tool.Name}
	if tool.Description != "" {
		f.Description = sdk.String(tool.Description)
	}
	if len(tool.Parameters) > 0 {
		f.SetExtraFields(map[string]any{"parameters": tool.Parameters})
	}
	return f
}

func chatChoice(req *llm.Request) sdk.ChatCompletionToolChoiceOptionUnionParam {
	switch req.ToolChoice.Mode {
	case llm.ToolNone, llm.ToolRequired:
		if len(req.Tools) == 0 {
			break // servers refuse a choice among none
		}
		return sdk.ChatCompletionToolChoiceOptionUnionParam{OfAuto: sdk.String(string(req.ToolChoice.Mode))}
	case llm.ToolNamed:
		return sdk.ToolChoiceOptionFunctionToolChoice(sdk.ChatCompletionNamedToolChoiceFunctionParam{Name: req.ToolChoice.Name})
	}
	return sdk.ChatCompletionToolChoiceOptionUnionParam{}
}

// messages writes one message; tool results are messages of their own, and
// come first, as the calls that they answer stand right before.
func (c *chat) messages(message llm.Message) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	var content []sdk.ChatCompletionContentPartUnionParam
	var words []string
	var calls []sdk.ChatCompletionMessageToolCallUnionParam
	thought := map[string]any{}
	for _, part := range message.Parts {
		switch part := part.(type) {
		case llm.Image:
			content = append(content, chatImage(part))
		case llm.Reasoning:
			maps.Copy(thought, members(part.Opaque, c.options.Provider))
		case llm.ToolCall:
			call := &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID: part.ID, Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: part.Name, Arguments: arguments(part)}}
			if signed := callMembers(part.Opaque); signed != nil {
				call.SetExtraFields(signed)
			}
			calls = append(calls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
		case llm.ToolResult:
			out = append(out, sdk.ToolMessage(llm.ResultText(part), part.ID))
			for _, inner := range part.Parts {
				if image, ok := inner.(llm.Image); ok { // a tool's message holds text alone
					content = append(content, sdk.TextContentPart("The picture that "+part.Name+" returned:"), chatImage(image))
				}
			}
		default:
			if text, ok := llm.PartText(part); ok {
				words = append(words, text)
				content = append(content, sdk.TextContentPart(text))
			}
		}
	}
	if message.Role == llm.Assistant {
		a := sdk.ChatCompletionAssistantMessageParam{ToolCalls: calls}
		if c.known.thoughts == everyThought && thought[thoughtText] == nil {
			thought[thoughtText] = ""
		}
		if c.known.thoughts != noThoughts && len(thought) > 0 {
			a.SetExtraFields(thought)
		}
		if len(words) > 0 {
			a.Content.OfString = sdk.String(strings.Join(words, "\n"))
		}
		return append(out, sdk.ChatCompletionMessageParamUnion{OfAssistant: &a})
	}
	switch {
	case len(content) == 0:
		return out
	case len(content) == len(words): // a plain string is what every server takes
		return append(out, sdk.UserMessage(strings.Join(words, "\n\n")))
	default:
		return append(out, sdk.UserMessage(content))
	}
}

func chatImage(image llm.Image) sdk.ChatCompletionContentPartUnionParam {
	return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: dataURL(image)})
}

func dataURL(image llm.Image) string {
	return "data:" + image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
}

func arguments(call llm.ToolCall) string {
	if len(call.Arguments) == 0 {
		return "{}"
	}
	return string(call.Arguments)
}

// read reads an answer.
func (c *chat) read(answer *sdk.ChatCompletion) (*llm.Response, error) {
	if len(answer.Choices) == 0 {
		return nil, modelhttp.Malformed("the answer has no choices")
	}
	choice := answer.Choices[0]
	resp := &llm.Response{Text: choice.Message.Content, Model: answer.Model, Usage: chatUsage(answer.Usage)}
	if choice.Message.Refusal != "" {
		return nil, &llm.Error{Kind: llm.KindRefusal, Message: choice.Message.Refusal}
	}
	var t thought
	t.add(choice.Message.JSON.ExtraFields)
	if err := t.into(resp, c.options.Provider); err != nil {
		return nil, err
	}
	for _, call := range choice.Message.ToolCalls {
		resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: json.RawMessage(call.Function.Arguments),
			Opaque: keepCall(call.AsFunction().JSON.ExtraFields)})
	}
	return finish(resp, choice.FinishReason, c.shape)
}

func (c *chat) send(ctx context.Context, say func(llm.Delta) bool) (*llm.Response, error) {
	p := c.params()
	if say == nil {
		answer, err := c.service.New(ctx, p)
		if err != nil {
			return nil, err
		}
		return c.read(answer)
	}
	if !c.known.noUsage {
		p.StreamOptions = sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)}
	}
	events := c.service.NewStreaming(ctx, p)
	defer events.Close()
	left := func(delta llm.Delta) bool { return !say(delta) }
	var whole completion
	for events.Next() {
		if slices.ContainsFunc(whole.add(events.Current()), left) {
			return nil, context.Canceled
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(whole.flush(), left) {
		return nil, context.Canceled
	}
	return whole.response(c.shape)
}

// finish checks what an answer holds against the reason that it ended for.
func finish(resp *llm.Response, reason string, s *shape) (*llm.Response, error) {
	switch reason {
	case "length":
		return nil, &llm.Error{Kind: llm.KindLength, Message: "the answer was cut off at its limit of tokens"}
	case "content_filter":
		return nil, &llm.Error{Kind: llm.KindContentFilter, Message: "a filter stopped the answer"}
	}
	for i, call := range resp.ToolCalls {
		if call.Name == "" {
			return nil, modelhttp.Malformed("a tool call has no name")
		}
		if len(strings.TrimSpace(string(call.Arguments))) == 0 {
			resp.ToolCalls[i].Arguments = json.RawMessage(`{}`)
		} else if err := modelhttp.CheckArguments(call); err != nil {
			return nil, err
		}
	}
	resp.Stop = llm.StopEnd
	if len(resp.ToolCalls) > 0 {
		resp.Stop = llm.StopTools
	}
	resp.Text = s.form.Restore(resp.Text)
	return resp, nil
}

func chatUsage(u sdk.CompletionUsage) llm.Usage {
	return llm.Usage{
		Input:     int(u.PromptTokens),
		Output:    int(u.CompletionTokens),
		Reasoning: int(u.CompletionTokensDetails.ReasoningTokens),
		Cached:    int(u.PromptTokensDetails.CachedTokens),
	}
}
