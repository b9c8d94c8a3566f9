package bedrock

import (
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// An answer is what a model said, in one piece or bit by bit.
type answer struct {
	modelhttp.Answer
	reason types.StopReason
}

func newAnswer(model string) answer {
	return answer{Answer: modelhttp.Answer{Provider: string(config.Bedrock), Response: llm.Response{Model: model, Stop: llm.StopEnd}}}
}

// readOutput reads an answer in one piece.
func readOutput(out *sdk.ConverseOutput, model string) (*answer, error) {
	message, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok || out.StopReason == "" {
		return nil, modelhttp.Malformed("the answer has no message")
	}
	a := newAnswer(model)
	a.reason, a.Usage = out.StopReason, usageOf(out.Usage)
	for _, block := range message.Value.Content {
		switch block := block.(type) {
		case *types.ContentBlockMemberText:
			a.Text += block.Value
		case *types.ContentBlockMemberReasoningContent:
			var t thought
			switch r := block.Value.(type) {
			case *types.ReasoningContentBlockMemberReasoningText:
				t = thought{Text: aws.ToString(r.Value.Text), Signature: aws.ToString(r.Value.Signature)}
			case *types.ReasoningContentBlockMemberRedactedContent:
				t = thought{Redacted: r.Value}
			}
			if err := a.think(t); err != nil {
				return nil, err
			}
		case *types.ContentBlockMemberToolUse:
			input := []byte(`{}`)
			if block.Value.Input != nil {
				var err error
				if input, err = block.Value.Input.MarshalSmithyDocument(); err != nil {
					return nil, modelhttp.Malformed("the arguments of a call: " + err.Error())
				}
			}
			if err := a.call(aws.ToString(block.Value.ToolUseId), aws.ToString(block.Value.Name), input); err != nil {
				return nil, err
			}
		}
	}
	return &a, nil
}

func (a *answer) think(t thought) error {
	block, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return a.Think(t.Text, block)
}

func (a *answer) call(id, name string, input []byte) error {
	if len(strings.TrimSpace(string(input))) == 0 {
		input = []byte(`{}`)
	}
	return a.Call(llm.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(input)})
}

// usageOf reads the usage. The vendor counts what a cache served, and what it
// took in, apart from the input.
func usageOf(u *types.TokenUsage) llm.Usage {
	if u == nil {
		return llm.Usage{}
	}
	cached := int(aws.ToInt32(u.CacheReadInputTokens))
	return llm.Usage{
		Input:  int(aws.ToInt32(u.InputTokens)) + cached + int(aws.ToInt32(u.CacheWriteInputTokens)),
		Output: int(aws.ToInt32(u.OutputTokens)),
		Cached: cached,
	}
}

// finish checks what was said against the reason that it ended for, and against
// what was asked.
func finish(a *answer, req *llm.Request, q *question) (*llm.Response, error) {
	switch a.reason {
	case types.StopReasonMaxTokens, types.StopReasonModelContextWindowExceeded:
		return nil, &llm.Error{Kind: llm.KindLength, Message: "the answer was cut off at its limit of tokens"}
	case types.StopReasonGuardrailIntervened:
		return nil, &llm.Error{Kind: llm.KindContentFilter, Message: strings.TrimSpace("a guardrail stopped the answer: " + a.Text)}
	case types.StopReasonContentFiltered:
		return nil, &llm.Error{Kind: llm.KindContentFilter, Message: "a filter stopped the answer"}
	case types.StopReasonMalformedModelOutput, types.StopReasonMalformedToolUse:
		return nil, modelhttp.Malformed("the model's own answer was " + strings.ReplaceAll(string(a.reason), "_", " "))
	case "refusal": // of newer models; the SDK has no name for it yet
		return nil, &llm.Error{Kind: llm.KindRefusal, Message: strings.TrimSpace("the model refused " + a.Text)}
	}
	for _, call := range a.ToolCalls {
		if err := modelhttp.CheckArguments(call); err != nil {
			return nil, err
		}
	}
	resp := &a.Response
	if q.answerTool != "" {
		return q.unwrap(resp), nil
	}
	if len(resp.ToolCalls) > 0 {
		if req.ToolChoice.Mode == llm.ToolNone || len(req.Tools) == 0 {
			return nil, modelhttp.Malformed("the model called " + resp.ToolCalls[0].Name + ", though no tool was allowed")
		}
		resp.Stop = llm.StopTools
	}
	return resp, nil
}
