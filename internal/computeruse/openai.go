package computeruse

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
)

// OpenAI is the tool "computer", whose calls are batches.
func OpenAI() *Vendor {
	return &Vendor{Name: "computer", Model: "gpt-5.4", Batch: true, read: readOpenAI(false), write: writeOpenAI(true)}
}

// OpenAIPreview is the older tool, with one action a call.
func OpenAIPreview() *Vendor {
	return &Vendor{Name: "computer_use_preview", Model: "computer-use-preview", read: readOpenAI(true), write: writeOpenAI(false)}
}

type openAIRequest struct {
	vendorserver.ResponsesRequest
	Truncation string            `json:"truncation"`
	Tools      []json.RawMessage `json:"tools"`
}

type openAIItem struct {
	vendorserver.ResponsesItem
	Actions json.RawMessage `json:"actions"`
	Action  json.RawMessage `json:"action"`

	PendingSafetyChecks      []openAICheck `json:"pending_safety_checks"`
	AcknowledgedSafetyChecks []openAICheck `json:"acknowledged_safety_checks"`
}

type openAICheck struct {
	ID      string `json:"id"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func readOpenAI(preview bool) func(*http.Request, []byte) (*Heard, error) {
	return func(r *http.Request, body []byte) (*Heard, error) {
		if err := vendorserver.Post(r, "/responses"); err != nil {
			return nil, err
		}
		var req openAIRequest
		if err := vendorserver.Strictly(body, &req); err != nil {
			return nil, err
		}
		if err := checkOpenAITools(&req, preview); err != nil {
			return nil, err
		}
		heard := &Heard{}
		open := map[string]*openAIItem{} // calls without a result
		thinking := false
		for _, rawItem := range req.Input {
			var item openAIItem
			if err := vendorserver.Strictly(rawItem, &item); err != nil {
				return nil, err
			}
			leads := item.Type == "computer_call" || item.Type == "function_call" || item.Role == "assistant"
			if thinking && !leads {
				return nil, fmt.Errorf("a reasoning item without its following item, before %s", brief(rawItem))
			}
			thinking = item.Type == "reasoning"
			switch item.Type {
			case "reasoning":
			case "computer_call", "function_call":
				if item.Type == "computer_call" && (item.ID == "" || item.PendingSafetyChecks == nil || item.Status != "completed" || preview != (item.Actions == nil)) {
					return nil, fmt.Errorf("a computer call that is not as it came: %s", rawItem)
				}
				heard.Results, heard.Words = nil, ""
				open[item.CallID] = &item
			case "computer_call_output", "function_call_output":
				result, err := readOpenAIResult(&item, open[item.CallID], preview)
				if err != nil {
					return nil, err
				}
				delete(open, item.CallID)
				heard.Results = append(heard.Results, *result)
				heard.Words += result.Words + "\n"
			default:
				text, _, err := vendorserver.ResponsesText(item.Content)
				if err != nil {
					return nil, err
				}
				if item.Role == "assistant" {
					heard.Results, heard.Words = nil, ""
				} else {
					heard.Words += text + "\n"
				}
			}
		}
		if len(open) > 0 {
			return nil, fmt.Errorf("%d calls have no output", len(open))
		}
		return heard, nil
	}
}

func checkOpenAITools(req *openAIRequest, preview bool) error {
	if len(req.Tools) == 0 {
		return fmt.Errorf("no tools")
	}
	if req.Store == nil || *req.Store {
		return fmt.Errorf("the answer would be stored")
	}
	for i, tool := range req.Tools {
		var t struct {
			Type          string          `json:"type"`
			DisplayWidth  int             `json:"display_width"`
			DisplayHeight int             `json:"display_height"`
			Environment   string          `json:"environment"`
			Name          string          `json:"name"`
			Description   string          `json:"description"`
			Strict        *bool           `json:"strict"`
			Parameters    json.RawMessage `json:"parameters"`
		}
		if err := vendorserver.Strictly(tool, &t); err != nil {
			return err
		}
		switch t.Type {
		case "function":
			continue
		case "computer":
			if preview || string(tool) != `{"type":"computer"}` {
				return fmt.Errorf("tool %s", tool)
			}
		case "computer_use_preview":
			if !preview || t.DisplayWidth < 100 || t.DisplayHeight < 100 || t.Environment != "browser" || req.Truncation != "auto" {
				return fmt.Errorf("tool %s with truncation %q", tool, req.Truncation)
			}
		default:
			return fmt.Errorf("tool %d is %s", i, tool)
		}
	}
	return nil
}

func readOpenAIResult(item, call *openAIItem, preview bool) (*Result, error) {
	if call == nil || (call.Type == "computer_call") != (item.Type == "computer_call_output") {
		return nil, fmt.Errorf("an output for %q, which was not called so", item.CallID)
	}
	result := &Result{}
	if item.Type == "function_call_output" {
		var err error
		result.Words, _, err = vendorserver.ResponsesText(item.Output)
		return result, err
	}
	var output struct {
		Type       string `json:"type"`
		ImageURL   string `json:"image_url"`
		CurrentURL string `json:"current_url"`
	}
	if err := vendorserver.Strictly(item.Output, &output); err != nil {
		return nil, err
	}
	encoded, ok := strings.CutPrefix(output.ImageURL, "data:image/png;base64,")
	data, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || output.Type != "computer_screenshot" || preview != (output.CurrentURL != "") {
		return nil, fmt.Errorf("the output of a computer call is %s", brief(item.Output))
	}
	if len(item.AcknowledgedSafetyChecks) != len(call.PendingSafetyChecks) {
		return nil, fmt.Errorf("the following safety checks must be acknowledged: %v", call.PendingSafetyChecks)
	}
	for i, c := range item.AcknowledgedSafetyChecks {
		if c != call.PendingSafetyChecks[i] {
			return nil, fmt.Errorf("acknowledged is %v, pending was %v", c, call.PendingSafetyChecks[i])
		}
		result.Acknowledged = true
	}
	result.Pictures = 1
	return result, wirePicture("image/png", data)
}

func writeOpenAI(batch bool) func(int, []Move) any {
	return func(number int, moves []Move) any {
		output := []any{map[string]any{"type": "reasoning", "id": fmt.Sprintf("rs_%d", number), "summary": []any{}, "encrypted_content": "gAAAA"}}
		var actions []any
		checks := []any{}
		flush := func() {
			if len(actions) == 0 {
				return
			}
			id := len(output)
			item := map[string]any{"type": "computer_call", "id": fmt.Sprintf("cu_%d_%d", number, id), "call_id": fmt.Sprintf("call_%d_%d", number, id), "status": "completed", "pending_safety_checks": checks}
			if batch {
				item["actions"] = actions
			} else {
				item["action"] = actions[0]
			}
			output = append(output, item)
			actions, checks = nil, []any{}
		}
		for _, m := range moves {
			if m.Do == "tool" {
				flush()
				output = append(output, map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d_%d", number, len(output)), "call_id": fmt.Sprintf("call_%d_%d", number, len(output)), "name": m.Tool, "arguments": string(raw(m.Args)), "status": "completed"})
				continue
			}
			if m.Check != "" {
				checks = append(checks, map[string]any{"id": fmt.Sprintf("sc_%d", number), "code": "sensitive_domain", "message": m.Check})
			}
			actions = append(actions, openAIAction(m))
			if !batch {
				flush()
			}
		}
		flush()
		return map[string]any{"id": fmt.Sprintf("resp_%d", number), "object": "response", "created_at": 1, "model": "m", "status": "completed", "error": nil, "incomplete_details": nil, "output": output,
			"usage": map[string]any{"input_tokens": 10, "output_tokens": 2, "total_tokens": 12, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0}}}
	}
}

func openAIAction(m Move) any {
	at := map[string]any{"type": m.Do, "x": int(m.X), "y": int(m.Y)}
	switch m.Do {
	case "click":
		at["button"], at["keys"] = "left", nil
		return at
	case "scroll":
		at["scroll_x"], at["scroll_y"] = 0, int(m.ToY)
		return at
	case "type":
		return map[string]any{"type": "type", "text": m.Text}
	case "key":
		return map[string]any{"type": "keypress", "keys": strings.Split(strings.ToUpper(m.Text), "+")}
	case "drag":
		return map[string]any{"type": "drag", "path": []any{map[string]any{"x": int(m.X), "y": int(m.Y)}, map[string]any{"x": int(m.ToX), "y": int(m.ToY)}}}
	case "wait", "screenshot":
		return map[string]any{"type": m.Do}
	}
	panic("no action of OpenAI's: " + m.Do)
}
