package vendorserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// A ClaudeBlock is a part of a message, also of a tool's result.
type ClaudeBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	CacheControl *claudeCache    `json:"cache_control"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	ToolsetName  string          `json:"toolset_name"` // of a tool that the vendor defines
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	IsError      bool            `json:"is_error"`
	Content      []ClaudeBlock   `json:"content"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	Source       *struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	} `json:"source"`

	// What the browser of such a tool shows.
	Tabs []struct {
		TabID  string `json:"tab_id"`
		Title  string `json:"title"`
		URL    string `json:"url"`
		Active bool   `json:"active"`
	} `json:"tabs"`
	StateChanges []struct {
		Type       string `json:"type"`
		TabID      string `json:"tab_id"`
		DownloadID string `json:"download_id"`
		URL        string `json:"url"`
		SizeBytes  int64  `json:"size_bytes"`
		Error      string `json:"error"`
	} `json:"state_changes"`
}

type claudeCache struct {
	Type string `json:"type"`
}

// claudeRequest is what the Messages interface takes of what we may send.
type claudeRequest struct {
	Model       string        `json:"model"`
	MaxTokens   int           `json:"max_tokens"`
	Temperature *float64      `json:"temperature"`
	Stream      bool          `json:"stream"`
	System      []ClaudeBlock `json:"system"`
	Messages    []struct {
		Role    string        `json:"role"`
		Content []ClaudeBlock `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`

		CacheControl *claudeCache `json:"cache_control"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	OutputConfig *struct {
		Format struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
}

// readClaude reads a request to the Messages interface.
func readClaude(_ Format, r *http.Request, body []byte) (*llmtest.Heard, error) {
	if r.Header.Get("anthropic-version") != "2023-06-01" {
		return nil, fmt.Errorf("headers %v", r.Header)
	}
	var req claudeRequest
	if err := Strictly(body, &req); err != nil {
		return nil, err
	}
	if req.MaxTokens <= 0 {
		return nil, fmt.Errorf("max_tokens: Field required")
	}
	heard := &llmtest.Heard{Model: req.Model, Temperature: req.Temperature, Stream: req.Stream, MaxOutputTokens: req.MaxTokens}
	for _, block := range req.System {
		if block.Text == "" || block.CacheControl == nil || block.CacheControl.Type != "ephemeral" {
			return nil, fmt.Errorf("system block %+v", block)
		}
		heard.System += block.Text
	}
	marks := len(req.System)
	open := map[string]bool{} // calls without a result
	for i, m := range req.Messages {
		turn, err := readClaudeTurn(m.Role, m.Content, open)
		if err != nil {
			return nil, err
		}
		heard.Turns = append(heard.Turns, turn)
		for j, block := range m.Content {
			if block.CacheControl == nil {
				continue
			}
			if marks++; j != len(m.Content)-1 || block.Type == "thinking" || marks > 4 {
				return nil, fmt.Errorf("cache mark %d at block %d of message %d, which has %d", marks, j, i, len(m.Content))
			}
		}
	}
	for _, tool := range req.Tools {
		heard.Tools = append(heard.Tools, llm.Tool{Name: tool.Name, Description: tool.Description, Parameters: tool.InputSchema})
	}
	if c := req.ToolChoice; c != nil {
		choices := map[string]llm.ToolChoice{"none": {Mode: llm.ToolNone}, "any": {Mode: llm.ToolRequired}, "tool": llm.OneTool(c.Name)}
		var ok bool
		if heard.ToolChoice, ok = choices[c.Type]; !ok {
			return nil, fmt.Errorf("tool choice %+v", c)
		}
	}
	if c := req.OutputConfig; c != nil {
		if c.Format.Type != "json_schema" {
			return nil, fmt.Errorf("output config %+v", c)
		}
		heard.Schema = c.Format.Schema
	}
	return heard, nil
}

// readCloudClaude reads a request to a model that Google Cloud serves: it undoes what is otherwise there, and reads the rest as Anthropic does.
func readCloudClaude(f Format, r *http.Request, body []byte) (*llmtest.Heard, error) {
	name, ok := strings.CutPrefix(r.URL.RequestURI(), f.Path+"/models/")
	name, verb, _ := strings.Cut(name, ":")
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err
	}
	want := "rawPredict"
	if string(members["stream"]) == "true" {
		want = "streamRawPredict"
	}
	if _, named := members["model"]; !ok || verb != want || named || string(members["anthropic_version"]) != `"vertex-2023-10-16"` {
		return nil, fmt.Errorf("%s %s with %s", r.Method, r.URL, body)
	}
	delete(members, "anthropic_version")
	members["model"] = json.RawMessage(`"` + name + `"`)
	body, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return readClaude(f, r, body)
}

func readClaudeTurn(role string, blocks []ClaudeBlock, open map[string]bool) (llmtest.Turn, error) {
	turn := llmtest.Turn{Role: llm.Role(role)}
	if role != "user" && role != "assistant" || len(blocks) == 0 {
		return turn, fmt.Errorf("message of %q with %d blocks", role, len(blocks))
	}
	var texts []string
	for i, block := range blocks {
		if block.ToolsetName != "" || block.Tabs != nil || block.StateChanges != nil {
			return turn, fmt.Errorf("no tool of the vendor is there: %+v", block)
		}
		switch block.Type {
		case "text":
			if strings.TrimSpace(block.Text) == "" {
				return turn, fmt.Errorf("text content blocks must be non-empty")
			}
			texts = append(texts, block.Text)
		case "image":
			if block.Source.Type != "base64" {
				return turn, fmt.Errorf("picture %+v", block.Source)
			}
			turn.Images = append(turn.Images, llm.Image{MediaType: block.Source.MediaType, Data: block.Source.Data})
		case "thinking":
			if block.Signature != claudeSignature(block.Thinking) || i > 0 && blocks[i-1].Type == "text" {
				return turn, fmt.Errorf("a thought without its signature, or after words: %+v", block)
			}
			if block.Thinking != "Hm." {
				turn.Reasoning = append(turn.Reasoning, block.Thinking)
			}
		case "tool_use":
			open[block.ID] = true
			turn.Calls = append(turn.Calls, llm.ToolCall{ID: block.ID, Name: block.Name, Arguments: block.Input})
		case "tool_result":
			if !open[block.ToolUseID] || i > 0 && blocks[i-1].Type != "tool_result" {
				return turn, fmt.Errorf("a result for %q out of place", block.ToolUseID)
			}
			delete(open, block.ToolUseID)
			var inner llmtest.Turn
			if len(block.Content) > 0 {
				var err error
				if inner, err = readClaudeTurn(role, block.Content, map[string]bool{}); err != nil {
					return turn, err
				}
			}
			if block.IsError && len(inner.Images) > 0 {
				return turn, fmt.Errorf("all content must be type `text` if `is_error` is true")
			}
			turn.Images = append(turn.Images, inner.Images...)
			turn.Results = append(turn.Results, llmtest.Result{ID: block.ToolUseID, Text: inner.Text, Images: inner.Images, Failed: block.IsError})
		default:
			return turn, fmt.Errorf("block of type %q", block.Type)
		}
	}
	turn.Text = strings.Join(texts, "\n")
	if role == "user" && len(open) > 0 {
		return turn, fmt.Errorf("calls %v have no results", open)
	}
	return turn, nil
}

// claudeThought is the thought of an answer: there always is one.
func claudeThought(said *llmtest.Said) string {
	if said.Reasoning == "" {
		return "Hm."
	}
	return said.Reasoning
}

func claudeSignature(thought string) string {
	return base64.StdEncoding.EncodeToString([]byte("sig" + strings.TrimPrefix(thought, "Hm.")))
}

func claudeStop(said *llmtest.Said) string {
	switch {
	case said.Stop == llm.KindLength:
		return "max_tokens"
	case said.Stop == llm.KindRefusal:
		return "refusal"
	case len(said.Calls) > 0:
		return "tool_use"
	default:
		return "end_turn"
	}
}

func claudeUsage(u llm.Usage) map[string]any {
	return map[string]any{
		"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": 0,
		"output_tokens": u.Output, "output_tokens_details": map[string]any{"thinking_tokens": u.Reasoning},
	}
}

func claudeMessage(heard *llmtest.Heard, said *llmtest.Said, content []any, stop any) map[string]any {
	return map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": heard.Model + "-2026", "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": claudeUsage(said.Usage)}
}

// answerClaude writes an answer of the Messages interface.
func answerClaude(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	if claudeFiltered(w, said) {
		return
	}
	content := []any{map[string]any{"type": "thinking", "thinking": claudeThought(said), "signature": claudeSignature(claudeThought(said))}}
	if said.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": said.Text})
	}
	for _, call := range said.Calls {
		content = append(content, map[string]any{"type": "tool_use", "id": call.ID, "name": call.Name, "input": call.Arguments})
	}
	WriteJSON(w, http.StatusOK, claudeMessage(heard, said, content, claudeStop(said)))
}

// claudeFiltered says whether an answer was filtered, which is an error.
func claudeFiltered(w http.ResponseWriter, said *llmtest.Said) bool {
	filtered := said.Stop == llm.KindContentFilter
	if filtered {
		WriteJSON(w, 400, claudeFault(claudeErrors[llm.KindInvalid], "Output blocked by content filtering policy"))
	}
	return filtered
}

// streamClaude writes an answer in the vendor's events.
func streamClaude(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	if claudeFiltered(w, said) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	event := func(name string, v map[string]any, pieces ...string) {
		v["type"] = name
		event(w, name, v, pieces...)
	}
	event("message_start", map[string]any{"message": claudeMessage(heard, said, []any{}, nil)})
	event("ping", map[string]any{})
	event("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "thinking", "thinking": "", "signature": ""}})
	for _, letter := range claudeThought(said) {
		event("content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "thinking_delta", "thinking": string(letter)}})
	}
	event("content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "signature_delta", "signature": claudeSignature(claudeThought(said))}})
	event("content_block_stop", map[string]any{"index": 0})
	event("content_block_start", map[string]any{"index": 1, "content_block": map[string]any{"type": "text", "text": ""}})
	for _, piece := range pieces(said) {
		event("content_block_delta", map[string]any{"index": 1, "delta": map[string]any{"type": "text_delta", "text": "PIECE"}}, piece)
	}
	if said.Break {
		return
	}
	event("content_block_stop", map[string]any{"index": 1})
	for i, call := range said.Calls {
		event("content_block_start", map[string]any{"index": i + 2, "content_block": map[string]any{"type": "tool_use", "id": call.ID, "name": call.Name, "input": map[string]any{}}})
		for _, part := range append([]string{""}, strings.Split(string(call.Arguments), "")...) {
			event("content_block_delta", map[string]any{"index": i + 2, "delta": map[string]any{"type": "input_json_delta", "partial_json": part}})
		}
		event("content_block_stop", map[string]any{"index": i + 2})
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": claudeStop(said), "stop_sequence": nil}, "usage": map[string]any{"output_tokens": said.Usage.Output}})
	event("message_stop", map[string]any{})
}
