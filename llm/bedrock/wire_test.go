package bedrock

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// wireBlock is a block of content, also of a tool's result.
type wireBlock struct {
	Text  *string `json:"text"`
	Image *struct {
		Format string `json:"format"`
		Source struct {
			Bytes []byte `json:"bytes"`
		} `json:"source"`
	} `json:"image"`
	ToolUse *struct {
		ToolUseID string          `json:"toolUseId"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
	} `json:"toolUse"`
	ToolResult *struct {
		ToolUseID string      `json:"toolUseId"`
		Content   []wireBlock `json:"content"`
		Status    string      `json:"status"`
	} `json:"toolResult"`
	ReasoningContent *struct {
		ReasoningText *struct {
			Text      string `json:"text"`
			Signature string `json:"signature"`
		} `json:"reasoningText"`
		RedactedContent []byte `json:"redactedContent"`
	} `json:"reasoningContent"`
	CachePoint *struct {
		Type string `json:"type"`
	} `json:"cachePoint"`
}

// wireRequest is what Converse takes of what we may send.
type wireRequest struct {
	System   []wireBlock `json:"system"`
	Messages []struct {
		Role    string      `json:"role"`
		Content []wireBlock `json:"content"`
	} `json:"messages"`
	InferenceConfig *struct {
		MaxTokens   int      `json:"maxTokens"`
		Temperature *float64 `json:"temperature"`
	} `json:"inferenceConfig"`
	ToolConfig *struct {
		Tools []struct {
			ToolSpec struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				InputSchema struct {
					JSON json.RawMessage `json:"json"`
				} `json:"inputSchema"`
			} `json:"toolSpec"`
		} `json:"tools"`
		ToolChoice *struct {
			Auto *struct{} `json:"auto"`
			Any  *struct{} `json:"any"`
			Tool *struct {
				Name string `json:"name"`
			} `json:"tool"`
		} `json:"toolChoice"`
	} `json:"toolConfig"`
}

// answerTool is the description by which the server knows the tool that stands
// for a schema.
const answerTool = "Gives the answer."

// readBody reads a request as the vendor's server does.
func readBody(r *http.Request, body []byte) (*llmtest.Heard, error) {
	heard := &llmtest.Heard{Header: r.Header}
	id, operation, ok := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/model/"), "/")
	if r.Method != http.MethodPost || !ok || r.URL.RawQuery != "" || r.Header.Get("Content-Type") != "application/json" {
		return nil, fmt.Errorf("%s %s of %q", r.Method, r.URL, r.Header.Get("Content-Type"))
	}
	var err error
	if heard.Model, err = url.PathUnescape(id); err != nil {
		return nil, err
	}
	switch operation {
	case "converse":
	case "converse-stream":
		heard.Stream = true
	default:
		return nil, fmt.Errorf("UnknownOperationException: %s", operation)
	}
	var req wireRequest
	if err := vendorserver.Strictly(body, &req); err != nil {
		return nil, err
	}
	for _, block := range req.System {
		if block.CachePoint == nil {
			heard.System += *block.Text
		}
	}
	if c := req.InferenceConfig; c != nil {
		heard.MaxOutputTokens, heard.Temperature = c.MaxTokens, c.Temperature
	}
	if err := readTurns(heard, &req); err != nil {
		return nil, err
	}
	return heard, readTools(heard, &req)
}

func readTurns(heard *llmtest.Heard, req *wireRequest) error {
	open := map[string]bool{} // calls without a result
	for i, m := range req.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			return fmt.Errorf("message %d of %q with %d blocks: the conversation must alternate, starting with a user message", i, m.Role, len(m.Content))
		}
		turn, err := readTurn(m.Role, m.Content, open)
		if err != nil {
			return err
		}
		if m.Role == "user" && len(open) > 0 {
			return fmt.Errorf("expected toolResult blocks for %v", open)
		}
		if text, ok := strings.CutSuffix(turn.Text, withoutTools); ok {
			turn.Text, heard.ToolChoice.Mode = strings.TrimSpace(text), llm.ToolNone
		}
		if len(turn.Calls)+len(turn.Results) > 0 && req.ToolConfig == nil {
			return fmt.Errorf("the toolConfig field must be defined when using toolUse and toolResult content blocks")
		}
		heard.Turns = append(heard.Turns, turn)
	}
	return nil
}

func readTurn(role string, blocks []wireBlock, open map[string]bool) (llmtest.Turn, error) {
	turn := llmtest.Turn{Role: llm.Role(role)}
	var texts []string
	for i, block := range blocks {
		switch {
		case block.Text != nil:
			if strings.TrimSpace(*block.Text) == "" {
				return turn, fmt.Errorf("the text field in the ContentBlock object is blank")
			}
			texts = append(texts, *block.Text)
		case block.Image != nil:
			turn.Images = append(turn.Images, llm.Image{MediaType: "image/" + block.Image.Format, Data: block.Image.Source.Bytes})
		case block.ToolUse != nil:
			u := block.ToolUse
			open[u.ToolUseID] = true
			turn.Calls = append(turn.Calls, llm.ToolCall{ID: u.ToolUseID, Name: u.Name, Arguments: u.Input})
		case block.ToolResult != nil:
			u := block.ToolResult
			if !open[u.ToolUseID] || i > 0 && blocks[i-1].ToolResult == nil {
				return turn, fmt.Errorf("a result for %q out of place", u.ToolUseID)
			}
			delete(open, u.ToolUseID)
			inner, err := readTurn(role, u.Content, nil)
			if err != nil || len(u.Content) == 0 || !slices.Contains([]string{"", "success", "error"}, u.Status) {
				return turn, fmt.Errorf("the result %+v: %w", u, err)
			}
			turn.Images = append(turn.Images, inner.Images...)
			turn.Results = append(turn.Results, llmtest.Result{ID: u.ToolUseID, Text: inner.Text, Images: inner.Images, Failed: u.Status == "error"})
		case block.ReasoningContent != nil:
			t := block.ReasoningContent
			if (t.ReasoningText == nil || t.ReasoningText.Signature == "") && t.RedactedContent == nil || i > 0 && blocks[i-1].Text != nil {
				return turn, fmt.Errorf("a thought without its signature, or after words")
			}
			if t.ReasoningText != nil && t.ReasoningText.Text != "Hm." {
				turn.Reasoning = append(turn.Reasoning, t.ReasoningText.Text)
			}
		case block.CachePoint != nil:
			if block.CachePoint.Type != "default" || i == 0 {
				return turn, fmt.Errorf("cache point %+v", block.CachePoint)
			}
		default:
			return turn, fmt.Errorf("an empty block")
		}
	}
	turn.Text = strings.Join(texts, "\n")
	return turn, nil
}

func readTools(heard *llmtest.Heard, req *wireRequest) error {
	if req.ToolConfig == nil {
		return nil
	}
	for _, tool := range req.ToolConfig.Tools {
		spec := tool.ToolSpec
		heard.Tools = append(heard.Tools, llm.Tool{Name: spec.Name, Description: spec.Description, Parameters: spec.InputSchema.JSON})
	}
	if c := req.ToolConfig.ToolChoice; c != nil {
		switch {
		case c.Any != nil:
			heard.ToolChoice.Mode = llm.ToolRequired
		case c.Tool != nil:
			heard.ToolChoice = llm.OneTool(c.Tool.Name)
		default:
			return fmt.Errorf("tool choice %+v", c)
		}
	}
	if t := heard.Tools; len(t) == 1 && t[0].Description == answerTool && heard.ToolChoice.Name == t[0].Name {
		heard.Schema, heard.Tools = t[0].Parameters, nil
	}
	return nil
}

// failWith writes an error as the vendor does: its name is in a header.
func failWith(w http.ResponseWriter, status int, exception, message string) {
	w.Header().Set("X-Amzn-Errortype", exception+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	vendorserver.WriteJSON(w, status, map[string]string{"message": message})
}

var faults = map[llm.ErrorKind]struct {
	status            int
	exception, before string
}{
	llm.KindInvalid:     {400, "ValidationException", ""},
	llm.KindAuth:        {403, "UnrecognizedClientException", ""},
	llm.KindNotFound:    {404, "ResourceNotFoundException", ""},
	llm.KindRateLimited: {429, "ThrottlingException", "Too many tokens, please wait before trying again. "},
	llm.KindQuota:       {400, "ServiceQuotaExceededException", ""},
	llm.KindOverloaded:  {429, "ModelNotReadyException", ""},
	llm.KindUnavailable: {424, "ModelErrorException", ""},
	llm.KindTooLong:     {400, "ValidationException", "Input is too long for requested model. "},
}

func fail(w http.ResponseWriter, kind llm.ErrorKind, message string) {
	f, ok := faults[kind]
	if !ok {
		f = faults[llm.KindInvalid]
	}
	failWith(w, f.status, f.exception, f.before+message)
}

func stopReason(said *llmtest.Said) string {
	switch {
	case said.Stop == llm.KindLength:
		return "max_tokens"
	case said.Stop == llm.KindContentFilter:
		return "content_filtered"
	case len(said.Calls) > 0:
		return "tool_use"
	default:
		return "end_turn"
	}
}

func usage(u llm.Usage) map[string]any {
	return map[string]any{"inputTokens": u.Input - u.Cached, "outputTokens": u.Output, "totalTokens": u.Input + u.Output,
		"cacheReadInputTokens": u.Cached, "cacheWriteInputTokens": 0}
}

// calls are those of an answer; where a schema was asked for, its text is the
// arguments of the tool that stands for it.
func calls(heard *llmtest.Heard, said *llmtest.Said) (text string, calls []llm.ToolCall) {
	if heard.Schema != nil && said.Text != "" {
		return "", []llm.ToolCall{{ID: "tooluse_1", Name: heard.ToolChoice.Name, Arguments: json.RawMessage(said.Text)}}
	}
	return said.Text, said.Calls
}

func answerWhole(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	text, calls := calls(heard, said)
	content := []any{map[string]any{"reasoningContent": map[string]any{"reasoningText": map[string]any{"text": cmp.Or(said.Reasoning, "Hm."), "signature": "c2ln"}}}}
	if text != "" {
		content = append(content, map[string]any{"text": text})
	}
	for _, call := range calls {
		content = append(content, map[string]any{"toolUse": map[string]any{"toolUseId": call.ID, "name": call.Name, "input": call.Arguments}})
	}
	vendorserver.WriteJSON(w, 200, map[string]any{
		"output":     map[string]any{"message": map[string]any{"role": "assistant", "content": content}},
		"stopReason": stopReason(said), "usage": usage(said.Usage), "metrics": map[string]any{"latencyMs": 5},
	})
}

func writeAnswer(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	if heard.Stream {
		answerStream(w, heard, said)
		return
	}
	answerWhole(w, heard, said)
}
