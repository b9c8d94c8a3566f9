package gemini

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"google.golang.org/genai"
)

// An answer is what came so far, in one piece or in many.
type answer struct {
	torn    bool // texts come as mend wrote them
	begun   bool
	text    modelhttp.Words
	thought modelhttp.Words // as much as is shown
	signed  []byte          // the signature of the words
	before  int             // calls in the conversation so far
	own     ownFunctions
	calls   []llm.ToolCall
	reason  genai.FinishReason
	because string
	blocked *genai.GenerateContentResponsePromptFeedback
	usage   llm.Usage
	model   string
}

// add takes a piece in, and returns what it completes.
func (a *answer) add(piece *genai.GenerateContentResponse) (said []llm.Delta, err error) {
	if piece.ModelVersion != "" {
		a.model = piece.ModelVersion
	}
	if u := piece.UsageMetadata; u != nil {
		a.usage = llm.Usage{
			Input:     int(u.PromptTokenCount + u.ToolUsePromptTokenCount),
			Output:    int(u.CandidatesTokenCount + u.ThoughtsTokenCount),
			Reasoning: int(u.ThoughtsTokenCount),
			Cached:    int(u.CachedContentTokenCount),
		}
	}
	if f := piece.PromptFeedback; f != nil && f.BlockReason != "" {
		a.blocked = f
	}
	if len(piece.Candidates) == 0 || piece.Candidates[0] == nil {
		return nil, nil
	}
	a.begun = true
	candidate := piece.Candidates[0]
	if candidate.FinishReason != "" && candidate.FinishReason != genai.FinishReasonUnspecified {
		a.reason, a.because = candidate.FinishReason, candidate.FinishMessage
	}
	if candidate.Content == nil { // so it is where a filter stopped the answer
		return nil, nil
	}
	for _, part := range candidate.Content.Parts {
		switch {
		case part == nil:
		case part.Thought:
			if bit := a.thought.Add(a.written(part.Text)); bit != "" {
				said = append(said, llm.Delta{Reasoning: bit})
			}
		case part.FunctionCall != nil:
			i := len(a.calls)
			call, err := readCall(part, a.before+i)
			if err != nil {
				return nil, err
			}
			if a.own.isComputer(call.Name) {
				if err := readComputerCall(&call); err != nil {
					return nil, err
				}
			}
			a.calls = append(a.calls, call)
			said = append(said, llm.Delta{Call: &llm.CallDelta{Index: i, ID: call.ID, Name: call.Name, Arguments: string(call.Arguments)}})
		default:
			if len(part.ThoughtSignature) > 0 {
				a.signed = part.ThoughtSignature
			}
			if bit := a.text.Add(a.written(part.Text)); bit != "" {
				said = append(said, llm.Delta{Text: bit})
			}
		}
	}
	return said, nil
}

func (a *answer) written(text string) string {
	if a.torn {
		return tear(text)
	}
	return text
}

// response checks what came against the reason that it ended for.
func (a *answer) response(q *question) (*llm.Response, error) {
	a.text.Flush()
	switch {
	case a.blocked != nil:
		return nil, &llm.Error{Kind: llm.KindContentFilter, Message: words("the prompt was blocked", string(a.blocked.BlockReason), a.blocked.BlockReasonMessage)}
	case !a.begun:
		return nil, modelhttp.Malformed("the answer has no candidates")
	case a.reason == "":
		return nil, modelhttp.Malformed("the answer does not say why it ended")
	case a.reason != genai.FinishReasonStop:
		return nil, stopped(a.reason, a.because)
	}
	resp := &llm.Response{Text: a.text.String(), Stop: llm.StopEnd, Usage: a.usage, Model: a.model}
	if err := a.reasoning(resp); err != nil {
		return nil, err
	}
	if resp.ToolCalls = a.calls; len(a.calls) > 0 {
		resp.Stop = llm.StopTools
	}
	resp.Text = q.form.Restore(resp.Text)
	return resp, nil
}

// reasoning adds what was shown of the thoughts, and the signature of the words.
// One that comes without words is of no use: the vendor looks for those of
// calls alone.
func (a *answer) reasoning(resp *llm.Response) error {
	a.thought.Flush()
	thought := llm.Reasoning{Text: a.thought.String()}
	if len(a.signed) > 0 && resp.Text != "" {
		raw, err := json.Marshal(opaque{a.signed})
		if err != nil {
			return err
		}
		thought.Opaque = raw
	}
	if thought.Text != "" || thought.Opaque != nil {
		resp.Reasoning = append(resp.Reasoning, thought)
	}
	return nil
}

// stopped is the error for an answer that is not whole.
func stopped(reason genai.FinishReason, because string) *llm.Error {
	switch reason {
	case genai.FinishReasonMaxTokens, genai.FinishReasonContinuation:
		return &llm.Error{Kind: llm.KindLength, Message: words("the answer was cut off at its limit of tokens", "", because)}
	case genai.FinishReasonMalformedFunctionCall, genai.FinishReasonUnexpectedToolCall, genai.FinishReasonTooManyToolCalls,
		"MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE", genai.FinishReasonOther, genai.FinishReasonImageOther, genai.FinishReasonNoImage:
		return modelhttp.Malformed(words("the answer broke off", string(reason), because))
	default: // SAFETY, RECITATION, PROHIBITED_CONTENT and what may be added to them
		return &llm.Error{Kind: llm.KindContentFilter, Message: words("a filter stopped the answer", string(reason), because)}
	}
}

func words(what, reason, because string) string {
	if reason != "" {
		what += " (" + reason + ")"
	}
	if because != "" {
		what += ": " + because
	}
	return what
}

// readCall reads a call. Models that give their calls no id get one that is
// new to the conversation.
func readCall(part *genai.Part, n int) (llm.ToolCall, error) {
	call := llm.ToolCall{ID: part.FunctionCall.ID, Name: part.FunctionCall.Name, Arguments: json.RawMessage(`{}`)}
	if call.Name == "" {
		return call, modelhttp.Malformed("a tool call has no name")
	}
	if call.ID == "" {
		call.ID = "call_" + strconv.Itoa(n+1)
	}
	if len(part.FunctionCall.Args) > 0 {
		raw, err := json.Marshal(part.FunctionCall.Args)
		if err != nil {
			return call, fmt.Errorf("the arguments for %s: %w", call.Name, err)
		}
		call.Arguments = raw
	}
	if len(part.ThoughtSignature) > 0 {
		raw, err := json.Marshal(opaque{part.ThoughtSignature})
		if err != nil {
			return call, err
		}
		call.Opaque = raw
	}
	return call, nil
}
