package vendorserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// chatRequest is what a Chat Completions server takes of what we may send.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
			ExtraContent json.RawMessage `json:"extra_content"`
		} `json:"tool_calls"`
		ReasoningContent string `json:"reasoning_content"`
	} `json:"messages"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema *struct {
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	MaxTokens           int      `json:"max_tokens"`
	MaxCompletionTokens int      `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
	Stream              bool     `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// readChat reads the body of a Chat Completions request.
func readChat(_ Format, _ *http.Request, body []byte) (*llmtest.Heard, error) {
	var req chatRequest
	if err := Strictly(body, &req); err != nil {
		return nil, err
	}
	heard := &llmtest.Heard{}
	var err error
	heard.Model, heard.Temperature, heard.Stream = req.Model, req.Temperature, req.Stream
	heard.MaxOutputTokens = req.MaxTokens + req.MaxCompletionTokens
	if req.Stream != (req.StreamOptions != nil) {
		return nil, fmt.Errorf("stream %t with stream_options %v", req.Stream, req.StreamOptions)
	}
	open := map[string]bool{} // calls without a result
	for _, m := range req.Messages {
		turn := llmtest.Turn{Role: llm.Role(m.Role)}
		if turn.Text, turn.Images, err = readContent(m.Content); err != nil {
			return nil, err
		}
		switch m.Role {
		case "system":
			heard.System += turn.Text
			continue
		case "tool":
			if !open[m.ToolCallID] {
				return nil, fmt.Errorf("a result for %q, which was not called", m.ToolCallID)
			}
			delete(open, m.ToolCallID)
			turn = llmtest.Turn{Role: llm.User, Results: []llmtest.Result{{ID: m.ToolCallID, Text: turn.Text}}}
		case "user", "assistant":
			if len(open) > 0 {
				return nil, fmt.Errorf("calls %v have no results", open)
			}
		default:
			return nil, fmt.Errorf("role %q", m.Role)
		}
		if m.ReasoningContent != "" {
			turn.Reasoning = append(turn.Reasoning, m.ReasoningContent)
		}
		for _, call := range m.ToolCalls {
			if call.Type != "function" {
				return nil, fmt.Errorf("call of type %q", call.Type)
			}
			open[call.ID] = true
			turn.Calls = append(turn.Calls, llm.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: json.RawMessage(call.Function.Arguments)})
		}
		heard.Turns = append(heard.Turns, turn)
	}
	for _, tool := range req.Tools {
		if tool.Type != "function" {
			return nil, fmt.Errorf("tool of type %q", tool.Type)
		}
		heard.Tools = append(heard.Tools, llm.Tool{Name: tool.Function.Name, Description: tool.Function.Description, Parameters: tool.Function.Parameters})
	}
	if heard.ToolChoice, err = readChatChoice(req.ToolChoice); err != nil {
		return nil, err
	}
	if f := req.ResponseFormat; f != nil {
		if f.Type != "json_schema" || f.JSONSchema == nil || f.JSONSchema.Name == "" {
			return nil, fmt.Errorf("response format %+v", f)
		}
		heard.Schema = f.JSONSchema.Schema
	}
	return heard, nil
}

func readContent(raw json.RawMessage) (text string, images []llm.Image, err error) {
	if len(raw) == 0 {
		return "", nil, nil
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL *struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := Strictly(raw, &parts); err != nil {
		return "", nil, err
	}
	var texts []string
	for _, part := range parts {
		switch part.Type {
		case "text":
			texts = append(texts, part.Text)
		case "image_url":
			image, err := readImage(part.ImageURL.URL)
			if err != nil {
				return "", nil, err
			}
			images = append(images, image)
		default:
			return "", nil, fmt.Errorf("content of type %q", part.Type)
		}
	}
	return strings.Join(texts, "\n"), images, nil
}

func readChatChoice(raw json.RawMessage) (llm.ToolChoice, error) {
	if len(raw) == 0 {
		return llm.ToolChoice{}, nil
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		return readMode(word)
	}
	var named struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if err := Strictly(raw, &named); err != nil || named.Type != "function" {
		return llm.ToolChoice{}, fmt.Errorf("tool choice %s: %w", raw, err)
	}
	return llm.OneTool(named.Function.Name), nil
}

func readMode(word string) (llm.ToolChoice, error) {
	switch word {
	case "auto":
		return llm.ToolChoice{}, nil
	case "none", "required":
		return llm.ToolChoice{Mode: llm.ToolMode(word)}, nil
	default:
		return llm.ToolChoice{}, fmt.Errorf("tool choice %q", word)
	}
}

func chatFinish(said *llmtest.Said) string {
	switch {
	case said.Stop == llm.KindLength:
		return "length"
	case said.Stop == llm.KindContentFilter:
		return "content_filter"
	case len(said.Calls) > 0:
		return "tool_calls"
	default:
		return "stop"
	}
}

func chatUsageOf(u llm.Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.Cached, "audio_tokens": 0},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning, "audio_tokens": 0},
	}
}

// answerChat writes an answer of Chat Completions.
func answerChat(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	message := map[string]any{"role": "assistant", "content": said.Text, "refusal": nil}
	if said.Text == "" {
		message["content"] = nil
	}
	if said.Refusal != "" {
		message["refusal"] = said.Refusal
	}
	if said.Reasoning != "" { // as DeepSeek has it
		message["reasoning_content"] = said.Reasoning
	}
	var calls []any
	for _, call := range said.Calls {
		calls = append(calls, map[string]any{"id": call.ID, "type": "function", "function": map[string]any{"name": call.Name, "arguments": string(call.Arguments)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	WriteJSON(w, http.StatusOK, map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": heard.Model + "-2026",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": chatFinish(said), "logprobs": nil}},
		"usage":   chatUsageOf(said.Usage),
	})
}

func streamChat(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta map[string]any, finish any, texts ...string) {
		event(w, "", map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": heard.Model + "-2026",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}, texts...)
	}
	io.WriteString(w, ": a comment\n\n") // the client may be gone
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range halves(said.Reasoning) {
		chunk(map[string]any{"reasoning_content": "PIECE", "content": nil}, nil, piece)
	}
	for _, piece := range pieces(said) {
		chunk(map[string]any{"content": "PIECE"}, nil, piece)
	}
	if said.Break {
		return
	}
	for i, call := range said.Calls {
		chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": call.ID, "type": "function", "function": map[string]any{"name": call.Name, "arguments": ""}}}}, nil)
		for _, part := range halves(string(call.Arguments)) {
			chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": "PIECE"}}}}, nil, part)
		}
	}
	chunk(map[string]any{}, chatFinish(said))
	event(w, "", map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": heard.Model, "choices": []any{}, "usage": chatUsageOf(said.Usage)})
	io.WriteString(w, "data: [DONE]\n\n")
}
