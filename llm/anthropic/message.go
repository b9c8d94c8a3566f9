package anthropic

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// markEnd marks the end of a message for the prompt cache: the last block that
// takes a mark, which a thought doesn't. The one mark for a whole request that
// the vendor takes too is not taken in every cloud.
func markEnd(blocks []sdk.ContentBlockParamUnion) {
	for _, block := range slices.Backward(blocks) {
		if mark := block.GetCacheControl(); mark != nil {
			*mark = sdk.NewCacheControlEphemeralParam()
			return
		}
	}
}

// toolParam writes a tool. Its schema goes as it stands, for the sake of the
// order of its members.
func toolParam(tool llm.Tool) *sdk.ToolParam {
	t := &sdk.ToolParam{Name: tool.Name}
	if tool.Description != "" {
		t.Description = sdk.String(tool.Description)
	}
	if len(tool.Parameters) > 0 {
		t.InputSchema = param.Override[sdk.ToolInputSchemaParam](tool.Parameters)
	}
	return t
}

func toolChoice(choice llm.ToolChoice) sdk.ToolChoiceUnionParam {
	switch choice.Mode {
	case llm.ToolNone:
		none := sdk.NewToolChoiceNoneParam()
		return sdk.ToolChoiceUnionParam{OfNone: &none}
	case llm.ToolRequired:
		return sdk.ToolChoiceUnionParam{OfAny: &sdk.ToolChoiceAnyParam{}}
	case llm.ToolNamed:
		return sdk.ToolChoiceParamOfTool(choice.Name)
	default:
		return sdk.ToolChoiceUnionParam{}
	}
}

// contentBlocks writes one message. Results come first, as the vendor wants.
func contentBlocks(message llm.Message, computer *llm.ComputerTool) []sdk.ContentBlockParamUnion {
	var results, blocks []sdk.ContentBlockParamUnion
	for _, part := range message.Parts {
		switch part := part.(type) {
		case llm.Image:
			blocks = append(blocks, imageBlock(part))
		case llm.Reasoning:
			blocks = append(blocks, thoughts(part.Opaque)...)
		case llm.ToolCall:
			blocks = append(blocks, thoughts(part.Opaque)...)
			input := part.Arguments
			if len(input) == 0 {
				input = json.RawMessage(`{}`)
			}
			block := sdk.NewToolUseBlock(part.ID, input, part.Name)
			block.OfToolUse.ToolsetName = toolsetName(part.Toolset, computer)
			blocks = append(blocks, block)
		case llm.ToolResult:
			result, beside := resultBlocks(part)
			addBrowser(result.OfToolResult, part, computer)
			results, blocks = append(results, result), append(blocks, beside...)
		default:
			text, ok := llm.PartText(part)
			if message.Role == llm.Assistant {
				text = strings.TrimRight(text, " \n\t") // the vendor refuses it at the end
			}
			if ok && text != "" {
				blocks = append(blocks, sdk.NewTextBlock(text))
			}
		}
	}
	return append(results, blocks...)
}

func imageBlock(image llm.Image) sdk.ContentBlockParamUnion {
	return sdk.NewImageBlockBase64(image.MediaType, base64.StdEncoding.EncodeToString(image.Data))
}

// resultBlocks writes a result, and what has to stand beside it: the vendor
// takes no pictures within the result of a tool that failed.
func resultBlocks(result llm.ToolResult) (_ sdk.ContentBlockParamUnion, beside []sdk.ContentBlockParamUnion) {
	text := llm.ResultText(result)
	block := sdk.NewToolResultBlock(result.ID, text, result.Error)
	if text == "" { // the vendor refuses empty texts
		block.OfToolResult.Content = nil
	}
	for _, inner := range result.Parts {
		image, ok := inner.(llm.Image)
		switch {
		case !ok:
		case result.Error:
			beside = append(beside, sdk.NewTextBlock("The picture that "+result.Name+" returned:"), imageBlock(image))
		default:
			block.OfToolResult.Content = append(block.OfToolResult.Content, sdk.ToolResultBlockParamContentUnion{OfImage: imageBlock(image).OfImage})
		}
	}
	return block, beside
}

// kept names the blocks of thinking that are kept with what they led to.
const kept = "anthropic"

// thoughts are the blocks that were kept, to be sent back.
func thoughts(opaque []byte) []sdk.ContentBlockParamUnion {
	var blocks []sdk.ContentBlockParamUnion
	for _, block := range modelhttp.Kept(opaque, kept) {
		blocks = append(blocks, param.Override[sdk.ContentBlockParamUnion](block))
	}
	return blocks
}

// readMessage reads an answer.
func readMessage(answer *sdk.Message, form modelhttp.Form, computer *llm.ComputerTool) (*llm.Response, error) {
	if answer.StopReason == "" && len(answer.Content) == 0 {
		return nil, modelhttp.Malformed("the answer has no content")
	}
	switch answer.StopReason {
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return nil, &llm.Error{Kind: llm.KindLength, Message: "the answer was cut off at its limit of tokens"}
	case sdk.StopReasonRefusal:
		return nil, &llm.Error{Kind: llm.KindRefusal, Message: cmp.Or(answer.StopDetails.Explanation, "the model refused")}
	}
	u := answer.Usage
	a := modelhttp.Answer{Provider: kept, Response: llm.Response{Model: answer.Model, Stop: llm.StopEnd, Usage: llm.Usage{
		Input:     int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens),
		Output:    int(u.OutputTokens),
		Reasoning: int(u.OutputTokensDetails.ThinkingTokens),
		Cached:    int(u.CacheReadInputTokens),
	}}}
	for _, block := range answer.Content {
		switch block.Type {
		case "text":
			a.Text += block.Text
		case "thinking", "redacted_thinking":
			raw, err := thoughtOf(block)
			if err != nil {
				return nil, err
			}
			if err := a.Think(block.Thinking, raw); err != nil {
				return nil, err
			}
		case "tool_use":
			call := llm.ToolCall{ID: block.ID, Name: block.Name, Arguments: block.Input, Toolset: toolsetOf(block.Name, block.ToolsetName, computer)}
			if err := modelhttp.CheckArguments(call); err != nil {
				return nil, err
			}
			if err := a.Call(call); err != nil {
				return nil, err
			}
			a.Stop = llm.StopTools
		}
	}
	a.Text = form.Restore(a.Text)
	return &a.Response, nil
}

// thoughtOf writes a block of thinking as it is sent back.
func thoughtOf(block sdk.ContentBlockUnion) (json.RawMessage, error) {
	if block.Type == "redacted_thinking" {
		return json.Marshal(map[string]string{"type": block.Type, "data": block.Data})
	}
	return json.Marshal(map[string]string{"type": block.Type, "thinking": block.Thinking, "signature": block.Signature})
}
