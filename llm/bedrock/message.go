package bedrock

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// contentBlocks writes one message. Results come first, as the vendor wants.
func contentBlocks(message llm.Message) ([]types.ContentBlock, error) {
	var results, blocks []types.ContentBlock
	for _, part := range message.Parts {
		switch part := part.(type) {
		case llm.Image:
			image, err := imageBlock(part)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, &types.ContentBlockMemberImage{Value: *image})
		case llm.Reasoning:
			for _, t := range thoughts(part.Opaque) {
				blocks = append(blocks, t.block())
			}
		case llm.ToolCall:
			call, err := callBlocks(part)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, call...)
		case llm.ToolResult:
			result, err := resultBlock(part)
			if err != nil {
				return nil, err
			}
			results = append(results, result)
		default:
			text, ok := llm.PartText(part)
			if message.Role == llm.Assistant {
				text = strings.TrimRight(text, " \n\t") // some models refuse it at the end
			}
			if ok && strings.TrimSpace(text) != "" { // the vendor refuses blank texts
				blocks = append(blocks, &types.ContentBlockMemberText{Value: text})
			}
		}
	}
	return append(results, blocks...), nil
}

// callBlocks writes a call, after the thoughts that led to it.
func callBlocks(call llm.ToolCall) ([]types.ContentBlock, error) {
	var blocks []types.ContentBlock
	for _, t := range thoughts(call.Opaque) {
		blocks = append(blocks, t.block())
	}
	input := call.Arguments
	if len(input) == 0 {
		input = json.RawMessage(`{}`)
	}
	doc, err := newDocument(input)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalid, Message: "the arguments of an earlier call of " + call.Name + ": " + err.Error(), Err: err}
	}
	use := types.ToolUseBlock{ToolUseId: aws.String(call.ID), Name: aws.String(call.Name), Input: doc}
	return append(blocks, &types.ContentBlockMemberToolUse{Value: use}), nil
}

func resultBlock(result llm.ToolResult) (types.ContentBlock, error) {
	text := cmp.Or(llm.ResultText(result), "The tool returned nothing.")
	block := types.ToolResultBlock{ToolUseId: aws.String(result.ID),
		Content: []types.ToolResultContentBlock{&types.ToolResultContentBlockMemberText{Value: text}}}
	if result.Error {
		block.Status = types.ToolResultStatusError
	}
	for _, inner := range result.Parts {
		if image, ok := inner.(llm.Image); ok {
			written, err := imageBlock(image)
			if err != nil {
				return nil, err
			}
			block.Content = append(block.Content, &types.ToolResultContentBlockMemberImage{Value: *written})
		}
	}
	return &types.ContentBlockMemberToolResult{Value: block}, nil
}

func imageBlock(image llm.Image) (*types.ImageBlock, error) {
	format := types.ImageFormat(strings.Replace(strings.TrimPrefix(image.MediaType, "image/"), "jpg", "jpeg", 1))
	switch format {
	case types.ImageFormatPng, types.ImageFormatJpeg, types.ImageFormatGif, types.ImageFormatWebp:
		return &types.ImageBlock{Format: format, Source: &types.ImageSourceMemberBytes{Value: image.Data}}, nil
	default:
		return nil, &llm.Error{Kind: llm.KindUnsupported, Message: "it takes no pictures of type " + image.MediaType}
	}
}

// A thought is a block of reasoning as it is kept in an Opaque. Models
// want it back in its place, as it was signed.
type thought struct {
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
	Redacted  []byte `json:"redacted,omitempty"`
}

func (t thought) block() types.ContentBlock {
	if t.Redacted != nil {
		return &types.ContentBlockMemberReasoningContent{Value: &types.ReasoningContentBlockMemberRedactedContent{Value: t.Redacted}}
	}
	text := types.ReasoningTextBlock{Text: aws.String(t.Text)}
	if t.Signature != "" {
		text.Signature = aws.String(t.Signature)
	}
	return &types.ContentBlockMemberReasoningContent{Value: &types.ReasoningContentBlockMemberReasoningText{Value: text}}
}

// thoughts reads what was kept with an answer.
func thoughts(opaque []byte) []thought {
	var all []thought
	for _, block := range modelhttp.Kept(opaque, string(config.Bedrock)) {
		var t thought
		if json.Unmarshal(block, &t) == nil {
			all = append(all, t)
		}
	}
	return all
}
