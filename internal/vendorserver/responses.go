package vendorserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// ResponsesRequest is what a Responses server takes of what we may send.
type ResponsesRequest struct {
	Model           string            `json:"model"`
	Store           *bool             `json:"store"`
	Include         []string          `json:"include"`
	Instructions    string            `json:"instructions"`
	Input           []json.RawMessage `json:"input"`
	MaxOutputTokens int               `json:"max_output_tokens"`
	Temperature     *float64          `json:"temperature"`
	Stream          bool              `json:"stream"`
	ToolChoice      json.RawMessage   `json:"tool_choice"`
	Tools           []struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Strict      *bool           `json:"strict"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"tools"`
	Text *struct {
		Format struct {
			Type   string          `json:"type"`
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"text"`
}

// ResponsesItem is a member of a conversation.
type ResponsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`

	ID               string `json:"id"`
	EncryptedContent string `json:"encrypted_content"`
	Summary          []any  `json:"summary"`
	Status           string `json:"status"`
}

// readResponses reads the body of a Responses request.
func readResponses(_ Format, _ *http.Request, body []byte) (*llmtest.Heard, error) {
	var req ResponsesRequest
	if err := Strictly(body, &req); err != nil {
		return nil, err
	}
	heard := &llmtest.Heard{}
	if req.Store == nil || *req.Store {
		return nil, fmt.Errorf("the answer would be stored")
	}
	heard.Model, heard.System, heard.Temperature, heard.Stream = req.Model, req.Instructions, req.Temperature, req.Stream
	heard.MaxOutputTokens = req.MaxOutputTokens
	open := map[string]bool{}
	thinking := false
	for _, raw := range req.Input {
		turn, err := readItem(raw, open)
		if err != nil {
			return nil, err
		}
		leads := turn.Role == llm.Assistant && (turn.Text != "" || len(turn.Calls) > 0)
		if thinking && !leads {
			return nil, fmt.Errorf("a reasoning item without its required following item, before %s", raw)
		}
		thinking = turn.Role == llm.Assistant && !leads
		heard.Turns = append(heard.Turns, turn)
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("calls %v have no results", open)
	}
	for _, tool := range req.Tools {
		if tool.Type != "function" || tool.Strict == nil || len(tool.Parameters) == 0 {
			return nil, fmt.Errorf("tool %+v", tool)
		}
		heard.Tools = append(heard.Tools, llm.Tool{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters})
	}
	var err error
	if heard.ToolChoice, err = readResponsesChoice(req.ToolChoice); err != nil {
		return nil, err
	}
	if req.Text != nil {
		if req.Text.Format.Type != "json_schema" || req.Text.Format.Name == "" {
			return nil, fmt.Errorf("text format %+v", req.Text.Format)
		}
		heard.Schema = req.Text.Format.Schema
	}
	return heard, nil
}

func readResponsesChoice(raw json.RawMessage) (llm.ToolChoice, error) {
	if len(raw) == 0 {
		return llm.ToolChoice{}, nil
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		return readMode(word)
	}
	var named struct{ Type, Name string }
	if err := Strictly(raw, &named); err != nil || named.Type != "function" {
		return llm.ToolChoice{}, fmt.Errorf("tool choice %s: %w", raw, err)
	}
	return llm.OneTool(named.Name), nil
}

func readItem(raw json.RawMessage, open map[string]bool) (llmtest.Turn, error) {
	var item ResponsesItem
	var turn llmtest.Turn
	if err := Strictly(raw, &item); err != nil {
		return turn, err
	}
	var err error
	switch item.Type {
	case "", "message":
		turn.Role = llm.Role(item.Role)
		turn.Text, turn.Images, err = ResponsesText(item.Content)
	case "reasoning":
		thought, ok := strings.CutPrefix(item.EncryptedContent, "gAAAA")
		if !ok || item.ID == "" {
			err = fmt.Errorf("a thought that can't be read: %s", raw)
		}
		turn.Role = llm.Assistant
		if thought != "" {
			turn.Reasoning = []string{thought}
		}
	case "function_call":
		open[item.CallID] = true
		turn = llmtest.Turn{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: item.CallID, Name: item.Name, Arguments: json.RawMessage(item.Arguments)}}}
	case "function_call_output":
		if !open[item.CallID] {
			return turn, fmt.Errorf("a result for %q, which was not called", item.CallID)
		}
		delete(open, item.CallID)
		turn.Role = llm.User
		var text string
		text, turn.Images, err = ResponsesText(item.Output)
		turn.Results = []llmtest.Result{{ID: item.CallID, Text: text, Images: turn.Images}}
	default:
		err = fmt.Errorf("item of type %q", item.Type)
	}
	return turn, err
}

// ResponsesText reads a content: a text, or texts and pictures.
func ResponsesText(raw json.RawMessage) (text string, images []llm.Image, err error) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL string `json:"image_url"`
		Detail   string `json:"detail"`
	}
	if err := Strictly(raw, &parts); err != nil {
		return "", nil, err
	}
	for _, part := range parts {
		switch part.Type {
		case "input_text":
			if text != "" {
				text += "\n"
			}
			text += part.Text
		case "input_image":
			image, err := readImage(part.ImageURL)
			if err != nil {
				return "", nil, err
			}
			images = append(images, image)
		default:
			return "", nil, fmt.Errorf("content of type %q", part.Type)
		}
	}
	return text, images, nil
}

func responseOf(heard *llmtest.Heard, said *llmtest.Said) map[string]any {
	summary := []any{}
	if said.Reasoning != "" {
		summary = append(summary, map[string]any{"type": "summary_text", "text": said.Reasoning})
	}
	output := []any{map[string]any{"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gAAAA" + said.Reasoning}}
	var content []any
	if said.Refusal != "" {
		content = append(content, map[string]any{"type": "refusal", "refusal": said.Refusal})
	}
	if said.Text != "" {
		content = append(content, map[string]any{"type": "output_text", "text": said.Text, "annotations": []any{}})
	}
	if content != nil {
		output = append(output, map[string]any{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
	}
	for _, call := range said.Calls {
		output = append(output, map[string]any{"type": "function_call", "id": "fc_" + call.ID, "call_id": call.ID, "name": call.Name, "arguments": string(call.Arguments), "status": "completed"})
	}
	status, incomplete := "completed", any(nil)
	switch said.Stop {
	case llm.KindLength:
		status, incomplete = "incomplete", map[string]any{"reason": "max_output_tokens"}
	case llm.KindContentFilter:
		status, incomplete = "incomplete", map[string]any{"reason": "content_filter"}
	}
	return map[string]any{
		"id": "resp_1", "object": "response", "created_at": 1, "model": heard.Model + "-2026", "status": status, "error": nil,
		"incomplete_details": incomplete, "instructions": nil, "metadata": map[string]any{}, "output": output,
		"parallel_tool_calls": true, "temperature": 1, "tool_choice": "auto", "tools": []any{}, "top_p": 1,
		"usage": map[string]any{"input_tokens": said.Usage.Input, "output_tokens": said.Usage.Output, "total_tokens": said.Usage.Input + said.Usage.Output,
			"input_tokens_details":  map[string]any{"cached_tokens": said.Usage.Cached},
			"output_tokens_details": map[string]any{"reasoning_tokens": said.Usage.Reasoning}},
	}
}

// answerResponses writes an answer of Responses.
func answerResponses(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	WriteJSON(w, http.StatusOK, responseOf(heard, said))
}

// streamResponses writes an answer in the vendor's events.
func streamResponses(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	response := responseOf(heard, said)
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "response.created", map[string]any{"type": "response.created", "sequence_number": 0, "response": map[string]any{"id": "resp_1", "status": "in_progress", "error": nil, "output": []any{}}})
	number := 0
	tell := func(name string, members map[string]any, pieces ...string) {
		number++
		members["type"], members["sequence_number"] = name, number
		event(w, name, members, pieces...)
	}
	item := func(i int, members map[string]any) {
		tell("response.output_item.added", map[string]any{"output_index": i, "item": members})
	}
	item(0, map[string]any{"type": "reasoning", "id": "rs_1", "summary": []any{}})
	if said.Reasoning != "" {
		tell("response.reasoning_summary_part.added", map[string]any{"item_id": "rs_1", "output_index": 0, "summary_index": 0, "part": map[string]any{"type": "summary_text", "text": ""}})
	}
	for _, letter := range said.Reasoning {
		tell("response.reasoning_summary_text.delta", map[string]any{"item_id": "rs_1", "output_index": 0, "summary_index": 0, "delta": string(letter)})
	}
	for _, piece := range pieces(said) {
		tell("response.output_text.delta", map[string]any{"item_id": "msg_1", "output_index": 1, "content_index": 0, "delta": "PIECE", "logprobs": []any{}}, piece)
	}
	if said.Break {
		return
	}
	for i, call := range said.Calls {
		item(i+2, map[string]any{"type": "function_call", "id": "fc_" + call.ID, "call_id": call.ID, "name": call.Name, "arguments": "", "status": "in_progress"})
		for _, letter := range string(call.Arguments) {
			tell("response.function_call_arguments.delta", map[string]any{"item_id": "fc_" + call.ID, "output_index": i + 2, "delta": string(letter)})
		}
		tell("response.function_call_arguments.done", map[string]any{"item_id": "fc_" + call.ID, "output_index": i + 2, "arguments": string(call.Arguments)})
	}
	name := "response." + response["status"].(string)
	event(w, name, map[string]any{"type": name, "sequence_number": number + 1, "response": response})
}
