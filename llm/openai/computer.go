package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/internal/vendortool"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// computerName names the calls of the computer tool and their toolset.
const computerName = "computer"

// addComputer adds the computer tool to a request.
func addComputer(p *responses.ResponseNewParams, c *llm.ComputerTool) {
	switch {
	case c == nil:
	case c.Name == vendortool.OpenAIPreview:
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfComputerUsePreview: &responses.ComputerUsePreviewToolParam{
			DisplayWidth: int64(c.Width), DisplayHeight: int64(c.Height), Environment: responses.ComputerUsePreviewToolEnvironmentBrowser}})
		p.Truncation = responses.ResponseNewParamsTruncationAuto // the model is refused without
	default:
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfComputer: &responses.ComputerToolParam{}})
	}
}

// readComputerCall reads a computer_call. Its arguments are what it wants done,
// {"actions": […]}, also for the older form with a single action.
func readComputerCall(item responses.ResponseOutputItemUnion) (call llm.ToolCall, err error) {
	call = llm.ToolCall{ID: item.CallID, Name: computerName, Toolset: computerName}
	var read struct {
		Action  json.RawMessage   `json:"action"`
		Actions []json.RawMessage `json:"actions"`
		Checks  []struct {
			ID      string `json:"id"`
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"pending_safety_checks"`
	}
	if err := json.Unmarshal([]byte(item.RawJSON()), &read); err != nil {
		return call, modelhttp.Malformed("a computer call: " + err.Error())
	}
	if len(read.Actions) == 0 && len(read.Action) > 0 && string(read.Action) != "null" {
		read.Actions = []json.RawMessage{read.Action}
	}
	if len(read.Actions) == 0 {
		return call, modelhttp.Malformed("a computer call without an action")
	}
	for _, c := range read.Checks {
		call.Checks = append(call.Checks, llm.SafetyCheck{ID: c.ID, Code: c.Code, Message: c.Message})
	}
	call.Arguments, err = json.Marshal(map[string]any{"actions": read.Actions})
	return call, err
}

// newComputing is how the calls of the computer tool in a request are written.
type computing struct {
	// inWords are the calls, by id, that the vendor does not take in their own
	// form: those whose result has no picture (any more), whose safety checks
	// nobody has acknowledged, or that another provider made.
	inWords map[string]bool
	detail  responses.ResponseInputImageDetail // of pictures beside the tool's
	preview bool
}

func newComputing(req *llm.Request, provider string) *computing {
	pc := &computing{inWords: map[string]bool{}, detail: responses.ResponseInputImageDetailAuto}
	if req.Computer != nil {
		pc.preview = req.Computer.Name == vendortool.OpenAIPreview
		if !pc.preview {
			pc.detail = responses.ResponseInputImageDetailOriginal // points are in its pixels
		}
	}
	checks := map[string]int{}
	for _, message := range req.Messages {
		for _, part := range message.Parts {
			switch part := part.(type) {
			case llm.ToolCall:
				if part.Toolset != "" {
					checks[part.ID] = len(part.Checks)
					pc.inWords[part.ID] = req.Computer == nil || len(modelhttp.Kept(part.Opaque, provider)) == 0
				}
			case llm.ToolResult:
				if part.Toolset != "" && (pictureIn(part) == nil || len(part.Acknowledged) < checks[part.ID]) {
					pc.inWords[part.ID] = true
				}
			}
		}
	}
	return pc
}

// dropsThoughts reports whether a message's reasoning has to be left out: the
// vendor refuses reasoning that leads to no item of its own, and here it led to
// nothing, or to a call that is now described in words.
func (pc *computing) dropsThoughts(message llm.Message) bool {
	led := false
	for _, part := range message.Parts {
		switch part := part.(type) {
		case llm.Reasoning:
			continue
		case llm.ToolCall:
			if part.Toolset != "" && pc.inWords[part.ID] {
				return true
			}
		}
		led = true
	}
	return !led
}

func computerCallWords(call llm.ToolCall) string {
	return "(I called the computer tool: " + arguments(call) + ")"
}

// pictureIn returns the last picture of a result.
func pictureIn(r llm.ToolResult) *llm.Image {
	for i := len(r.Parts) - 1; i >= 0; i-- {
		if image, ok := r.Parts[i].(llm.Image); ok {
			return &image
		}
	}
	return nil
}

// output writes the result of a computer_call: a picture, and the checks that
// were acknowledged.
func (pc *computing) output(r llm.ToolResult) responses.ResponseInputItemUnionParam {
	output := responses.ResponseComputerToolCallOutputScreenshotParam{ImageURL: sdk.String(dataURL(*pictureIn(r)))}
	if pc.preview && r.Browser != nil && r.Browser.URL != "" {
		output.SetExtraFields(map[string]any{"current_url": r.Browser.URL})
	}
	item := responses.ResponseInputItemComputerCallOutputParam{CallID: r.ID, Output: output}
	for _, c := range r.Acknowledged {
		check := responses.ResponseInputItemComputerCallOutputAcknowledgedSafetyCheckParam{ID: c.ID}
		if c.Code != "" {
			check.Code = sdk.String(c.Code)
		}
		if c.Message != "" {
			check.Message = sdk.String(c.Message)
		}
		item.AcknowledgedSafetyChecks = append(item.AcknowledgedSafetyChecks, check)
	}
	return responses.ResponseInputItemUnionParam{OfComputerCallOutput: &item}
}

// resultWords are what stands beside a computer_call_output, which has no place
// for words, or instead of it.
func (pc *computing) resultWords(r llm.ToolResult) []responses.ResponseInputContentUnionParam {
	var out []responses.ResponseInputContentUnionParam
	if text := llm.ResultText(r); strings.TrimSpace(text) != "" {
		out = append(out, responses.ResponseInputContentParamOfInputText(text))
	}
	if pc.inWords[r.ID] {
		for _, part := range r.Parts {
			if image, ok := part.(llm.Image); ok {
				out = append(out, inputImage(image, pc.detail))
			}
		}
	}
	return out
}
