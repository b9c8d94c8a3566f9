package computeruse

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
)

// AnthropicBrowser is the browser toolset, used by refs.
func AnthropicBrowser() *Vendor {
	return &Vendor{Name: "browser_toolset_20260801", Model: "claude-opus-5", Refs: true, Batch: true,
		read: readAnthropic("browser_toolset_20260801", "browser", ""), write: writeAnthropic("browser", anthropicBrowserCall)}
}

// AnthropicBrowserPoints is the browser toolset, used by points.
func AnthropicBrowserPoints() *Vendor {
	return &Vendor{Name: "browser_toolset_20260801 by points", Model: "claude-opus-5", Batch: true,
		read: readAnthropic("browser_toolset_20260801", "browser", ""), write: writeAnthropic("browser", anthropicBrowserCall)}
}

// AnthropicComputer is the computer toolset.
func AnthropicComputer() *Vendor {
	return &Vendor{Name: "computer_toolset_20260801", Model: "claude-opus-5", Batch: true,
		read: readAnthropic("computer_toolset_20260801", "computer", ""), write: writeAnthropic("computer", anthropicComputerCall)}
}

// AnthropicSingle is an older single tool: 20251124 or 20250124.
func AnthropicSingle(date, model string) *Vendor {
	beta := "computer-use-" + date[:4] + "-" + date[4:6] + "-" + date[6:]
	return &Vendor{Name: "computer_" + date, Model: model, Batch: true,
		read: readAnthropic("computer_"+date, "", beta), write: writeAnthropic("", anthropicComputerCall)}
}

func readAnthropic(tool, family, beta string) func(*http.Request, []byte) (*Heard, error) {
	return func(r *http.Request, body []byte) (*Heard, error) {
		if err := vendorserver.Post(r, "/v1/messages"); err != nil {
			return nil, err
		}
		if got := r.Header.Get("anthropic-beta"); got != beta {
			return nil, fmt.Errorf("anthropic-beta %q, want %q", got, beta)
		}
		var req struct {
			Model      string                     `json:"model"`
			MaxTokens  int                        `json:"max_tokens"`
			System     []vendorserver.ClaudeBlock `json:"system"`
			Tools      []json.RawMessage          `json:"tools"`
			ToolChoice json.RawMessage            `json:"tool_choice"`
			Messages   []struct {
				Role    string                     `json:"role"`
				Content []vendorserver.ClaudeBlock `json:"content"`
			} `json:"messages"`
		}
		if err := vendorserver.Strictly(body, &req); err != nil {
			return nil, err
		}
		if err := checkAnthropicTool(req.Tools, tool, family); err != nil {
			return nil, err
		}
		heard := &Heard{}
		open := map[string]string{} // families of calls without a result
		for _, m := range req.Messages {
			if m.Role == "assistant" {
				heard.Results, heard.Words, heard.Pictures = nil, "", 0
			}
			for _, b := range m.Content {
				switch b.Type {
				case "text":
					if m.Role == "user" {
						heard.Words += b.Text + "\n"
					}
				case "image":
					if err := wirePicture(b.Source.MediaType, b.Source.Data); err != nil {
						return nil, err
					}
					heard.Pictures++
				case "tool_use":
					open[b.ID] = b.ToolsetName
				case "tool_result":
					result, err := readAnthropicResult(&b, open, family)
					if err != nil {
						return nil, err
					}
					heard.Results = append(heard.Results, *result)
					heard.Pictures += result.Pictures
					heard.Words += result.Words + "\n"
				default:
					return nil, fmt.Errorf("block of type %q", b.Type)
				}
			}
			if m.Role == "user" && len(open) > 0 {
				return nil, fmt.Errorf("calls %v have no results", open)
			}
		}
		return heard, nil
	}
}

func checkAnthropicTool(tools []json.RawMessage, tool, family string) error {
	found := 0
	for _, raw := range tools {
		var t struct {
			Type   string `json:"type"`
			Name   string `json:"name"`
			Width  int    `json:"display_width_px"`
			Height int    `json:"display_height_px"`
			Zoom   *bool  `json:"enable_zoom"`

			Description  string          `json:"description"`
			InputSchema  json.RawMessage `json:"input_schema"`
			CacheControl json.RawMessage `json:"cache_control"`
		}
		if err := vendorserver.Strictly(raw, &t); err != nil {
			return err
		}
		switch {
		case t.Type == "" && t.InputSchema != nil:
		case t.Type != tool || family != "" && t.Name != "" || family == "" && (t.Name != "computer" || t.Width < 100 || t.Height < 100 || (t.Zoom != nil) != (tool == "computer_20251124")):
			return fmt.Errorf("tool %s", raw)
		default:
			found++
		}
	}
	if found != 1 {
		return fmt.Errorf("%d tools %s", found, tool)
	}
	return nil
}

func readAnthropicResult(b *vendorserver.ClaudeBlock, open map[string]string, family string) (*Result, error) {
	of, ok := open[b.ToolUseID]
	if !ok || of != b.ToolsetName {
		return nil, fmt.Errorf("a result for %q of %q, which was called of %q", b.ToolUseID, b.ToolsetName, of)
	}
	delete(open, b.ToolUseID)
	result := &Result{Failed: b.IsError}
	states := 0
	for _, c := range b.Content {
		switch c.Type {
		case "text":
			result.Words += c.Text + "\n"
		case "image":
			if b.IsError {
				return nil, fmt.Errorf("all content must be type `text` if `is_error` is true")
			}
			if err := wirePicture(c.Source.MediaType, c.Source.Data); err != nil {
				return nil, err
			}
			result.Pictures++
		case "browser_state":
			states++
			active := 0
			for _, t := range c.Tabs {
				if t.TabID == "" {
					return nil, fmt.Errorf("a tab without an id")
				}
				if t.Active {
					active++
				}
			}
			if b.IsError || of != "browser" || len(c.Tabs) > 0 && active != 1 {
				return nil, fmt.Errorf("browser_state with %d active tabs in a result of %q, is_error %t", active, of, b.IsError)
			}
			for _, s := range c.StateChanges {
				switch s.Type {
				case "tab_opened", "download_started", "download_completed", "download_failed":
					result.Changes = append(result.Changes, s.Type)
				default:
					return nil, fmt.Errorf("state change %q", s.Type)
				}
			}
		default:
			return nil, fmt.Errorf("content of type %q", c.Type)
		}
	}
	if family == "browser" && of == "browser" && !b.IsError && states != 1 {
		return nil, fmt.Errorf("%d browser_state blocks in a result", states)
	}
	return result, nil
}

func writeAnthropic(family string, call func(Move) (string, map[string]any)) func(int, []Move) any {
	return func(number int, moves []Move) any {
		content := []any{}
		for i, m := range moves {
			block := map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d_%d", number, i)}
			switch name, input := call(m); {
			case m.Do == "tool":
				block["name"], block["input"] = m.Tool, m.Args
			case family == "":
				input["action"] = name
				block["name"], block["input"] = "computer", input
			default:
				block["name"], block["input"], block["toolset_name"] = name, input, family
			}
			content = append(content, block)
		}
		return map[string]any{"id": fmt.Sprintf("msg_%d", number), "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "tool_use", "stop_sequence": nil,
			"usage": map[string]any{"input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}}
	}
}

func anthropicBrowserCall(m Move) (string, map[string]any) {
	point := map[string]any{"type": "coordinate", "x": int(m.X), "y": int(m.Y)}
	target := point
	if m.Ref != "" {
		target = map[string]any{"type": "ref", "ref": m.Ref}
	}
	switch m.Do {
	case "click":
		return "left_click", map[string]any{"target": target}
	case "form":
		return "form_input", map[string]any{"target": target, "value": m.Args["value"]}
	case "read":
		return "read_page", map[string]any{"filter": "all"}
	case "scroll":
		direction, distance := m.scrolls()
		return "scroll", map[string]any{"target": point, "scroll_direction": direction, "scroll_amount": min(max(int(distance/100), 1), 10)}
	case "drag":
		return "left_click_drag", map[string]any{"from": point, "target": map[string]any{"type": "coordinate", "x": int(m.ToX), "y": int(m.ToY)}}
	case "wait":
		return "wait", map[string]any{"duration": 0.1}
	case "list_tabs":
		return "list_tabs", map[string]any{}
	case "navigate":
		return "navigate", map[string]any{"url": m.Text}
	case "newTab":
		return "new_tab", map[string]any{}
	case "switchTab":
		return "switch_tab", map[string]any{"tab_id": m.Text}
	case "closeTab":
		return "close_tab", map[string]any{"tab_id": m.Text}
	}
	return anthropicCall(m)
}

func anthropicComputerCall(m Move) (string, map[string]any) {
	at := map[string]any{"coordinate": []int{int(m.X), int(m.Y)}}
	switch m.Do {
	case "click":
		return "left_click", at
	case "scroll":
		direction, distance := m.scrolls()
		at["scroll_direction"], at["scroll_amount"] = direction, max(int(distance/100), 1)
		return "scroll", at
	case "drag":
		return "left_click_drag", map[string]any{"start_coordinate": []int{int(m.X), int(m.Y)}, "coordinate": []int{int(m.ToX), int(m.ToY)}}
	case "wait":
		return "wait", map[string]any{"duration": 1}
	}
	return anthropicCall(m)
}

// anthropicCall is a move that both tools have the same words for.
func anthropicCall(m Move) (string, map[string]any) {
	switch m.Do {
	case "type", "key":
		return m.Do, map[string]any{"text": m.Text}
	case "screenshot":
		return m.Do, map[string]any{}
	case "tool":
		return "", nil
	}
	panic("no action of Anthropic's tools: " + m.Do)
}
