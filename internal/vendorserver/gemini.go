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

// A GeminiPart is a part of a content, of which a request has exactly one member
// beside the signature.
type GeminiPart struct {
	Text         *string     `json:"text"`
	InlineData   *geminiBlob `json:"inlineData"`
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Response struct {
			Output *string `json:"output"`
			Error  *string `json:"error"`

			// Of the vendor's own tool alone.
			URL          string `json:"url"`
			Acknowledged string `json:"safety_acknowledgement"`
		} `json:"response"`
		Parts []struct {
			InlineData *geminiBlob `json:"inlineData"`
		} `json:"parts"`
	} `json:"functionResponse"`
	ThoughtSignature []byte `json:"thoughtSignature"`
}

type geminiBlob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []GeminiPart `json:"parts"`
}

// geminiRequest is what generateContent takes of what we may send.
type geminiRequest struct {
	SystemInstruction *geminiContent  `json:"systemInstruction"`
	Contents          []geminiContent `json:"contents"`
	Tools             []struct {
		FunctionDeclarations []struct {
			Name                 string          `json:"name"`
			Description          string          `json:"description"`
			ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	ToolConfig *struct {
		FunctionCallingConfig struct {
			Mode                 string   `json:"mode"`
			AllowedFunctionNames []string `json:"allowedFunctionNames"`
		} `json:"functionCallingConfig"`
	} `json:"toolConfig"`
	GenerationConfig *struct {
		MaxOutputTokens    int             `json:"maxOutputTokens"`
		Temperature        *float64        `json:"temperature"`
		ResponseMIMEType   string          `json:"responseMimeType"`
		ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

// readGemini reads a request to generateContent, or to its stream.
func readGemini(f Format, r *http.Request, body []byte) (*llmtest.Heard, error) {
	name, ok := strings.CutPrefix(r.URL.RequestURI(), f.Path+"/models/")
	name, method, _ := strings.Cut(name, ":")
	heard := &llmtest.Heard{Model: name, Stream: method == "streamGenerateContent?alt=sse"}
	if !ok || !heard.Stream && method != "generateContent" {
		return nil, fmt.Errorf("%s, want %s/models/…:generateContent", r.URL, f.Path)
	}
	var req geminiRequest
	if err := Strictly(body, &req); err != nil {
		return nil, err
	}
	if s := req.SystemInstruction; s != nil {
		turn, err := readGeminiTurn(*s, map[string]bool{})
		if err != nil || turn.Text == "" {
			return nil, fmt.Errorf("system instruction %+v: %w", turn, err)
		}
		heard.System = turn.Text
	}
	open := map[string]bool{} // calls without a result
	for _, content := range req.Contents {
		turn, err := readGeminiTurn(content, open)
		if err != nil {
			return nil, err
		}
		heard.Turns = append(heard.Turns, turn)
	}
	if len(req.Contents) == 0 || len(open) > 0 {
		return nil, fmt.Errorf("%d contents; number of function responses must equal that of function calls: %v", len(req.Contents), open)
	}
	if g := req.GenerationConfig; g != nil {
		if (g.ResponseMIMEType == "application/json") != (g.ResponseJSONSchema != nil) {
			return nil, fmt.Errorf("a schema without its type, or the other way round: %+v", g)
		}
		heard.MaxOutputTokens, heard.Temperature, heard.Schema = g.MaxOutputTokens, g.Temperature, g.ResponseJSONSchema
	}
	return heard, readGeminiTools(&req, heard)
}

func readGeminiTools(req *geminiRequest, heard *llmtest.Heard) error {
	for _, tool := range req.Tools {
		for _, f := range tool.FunctionDeclarations {
			heard.Tools = append(heard.Tools, llm.Tool{Name: f.Name, Description: f.Description, Parameters: f.ParametersJSONSchema})
		}
	}
	if req.ToolConfig == nil {
		return nil
	}
	c := req.ToolConfig.FunctionCallingConfig
	switch {
	case c.Mode == "NONE" && len(c.AllowedFunctionNames) == 0:
		heard.ToolChoice.Mode = llm.ToolNone
	case c.Mode == "ANY" && len(c.AllowedFunctionNames) == 0:
		heard.ToolChoice.Mode = llm.ToolRequired
	case c.Mode == "ANY" && len(c.AllowedFunctionNames) == 1:
		heard.ToolChoice = llm.OneTool(c.AllowedFunctionNames[0])
	default:
		return fmt.Errorf("tool config %+v", c)
	}
	return nil
}

func readGeminiTurn(content geminiContent, open map[string]bool) (llmtest.Turn, error) {
	roles := map[string]llm.Role{"user": llm.User, "model": llm.Assistant}
	turn := llmtest.Turn{Role: roles[content.Role]}
	if turn.Role == "" || len(content.Parts) == 0 {
		return turn, fmt.Errorf("content of %q with %d parts", content.Role, len(content.Parts))
	}
	var texts []string
	for i, part := range content.Parts {
		if thought, ok := strings.CutPrefix(string(part.ThoughtSignature), "signed "); ok {
			turn.Reasoning = append(turn.Reasoning, thought)
		}
		switch {
		case part.Text != nil && *part.Text != "":
			texts = append(texts, *part.Text)
		case part.InlineData != nil && part.InlineData.MIMEType != "" && len(part.InlineData.Data) > 0:
			turn.Images = append(turn.Images, llm.Image{MediaType: part.InlineData.MIMEType, Data: part.InlineData.Data})
		case part.FunctionCall != nil && turn.Role == llm.Assistant:
			c := part.FunctionCall
			if len(c.Args) == 0 {
				c.Args = json.RawMessage(`{}`)
			}
			open[c.ID+"/"+c.Name] = true
			turn.Calls = append(turn.Calls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Args, Opaque: part.ThoughtSignature})
		case part.FunctionResponse != nil && turn.Role == llm.User:
			f := part.FunctionResponse
			if id := f.ID + "/" + f.Name; !open[id] || f.Response.URL+f.Response.Acknowledged != "" || i > 0 && content.Parts[i-1].FunctionResponse == nil {
				return turn, fmt.Errorf("a result for %q out of place", id)
			}
			delete(open, f.ID+"/"+f.Name)
			failed := f.Response.Error != nil
			text := f.Response.Output
			if f.Response.Error != nil {
				text = f.Response.Error
			}
			if text == nil {
				return turn, fmt.Errorf("a result for %q without one", f.ID)
			}
			var pictures []llm.Image
			for _, part := range f.Parts {
				pictures = append(pictures, llm.Image{MediaType: part.InlineData.MIMEType, Data: part.InlineData.Data})
			}
			turn.Images = append(turn.Images, pictures...)
			turn.Results = append(turn.Results, llmtest.Result{ID: f.ID, Text: *text, Failed: failed, Images: pictures})
		default:
			return turn, fmt.Errorf("part %+v of %q", part, content.Role)
		}
	}
	if turn.Role == llm.User && len(open) > 0 {
		return turn, fmt.Errorf("calls %v have no results", open)
	}
	turn.Text = strings.Join(texts, "\n")
	return turn, nil
}

func geminiFinish(said *llmtest.Said) string {
	switch said.Stop {
	case llm.KindLength:
		return "MAX_TOKENS"
	case llm.KindContentFilter:
		return "SAFETY"
	default:
		return "STOP" // also with calls
	}
}

// geminiAnswer is one piece of an answer.
func geminiAnswer(heard *llmtest.Heard, parts []any, finish string, usage llm.Usage) map[string]any {
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	if parts == nil { // so where a filter stopped it
		candidate = map[string]any{"safetyRatings": []any{map[string]any{"category": "HARM_CATEGORY_HARASSMENT", "probability": "HIGH", "blocked": true}}}
	}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return map[string]any{
		"candidates": []any{candidate}, "modelVersion": heard.Model + "-001", "responseId": "r1",
		"usageMetadata": map[string]any{
			"promptTokenCount": usage.Input, "cachedContentTokenCount": usage.Cached,
			"candidatesTokenCount": usage.Output - usage.Reasoning, "thoughtsTokenCount": usage.Reasoning,
			"totalTokenCount":     usage.Input + usage.Output,
			"promptTokensDetails": []any{map[string]any{"modality": "TEXT", "tokenCount": usage.Input}},
		},
	}
}

// geminiCalls writes calls as most models do: without ids, and with the
// thought's signature at the first alone.
func geminiCalls(said *llmtest.Said) []any {
	var parts []any
	for i, call := range said.Calls {
		c := map[string]any{"name": call.Name, "args": call.Arguments}
		if string(call.Arguments) == "{}" {
			delete(c, "args")
		}
		part := map[string]any{"functionCall": c}
		if i == 0 {
			part["thoughtSignature"] = geminiSignature(said)
		}
		parts = append(parts, part)
	}
	return parts
}

// geminiSignature signs a thought, at the first call or at the words.
func geminiSignature(said *llmtest.Said) []byte {
	return []byte(strings.TrimSpace("signed " + said.Reasoning))
}

func geminiThought(said *llmtest.Said) map[string]any {
	text := said.Reasoning
	if text == "" {
		text = "**Hm.**"
	}
	return map[string]any{"text": text, "thought": true}
}

// answerGemini writes an answer of generateContent.
func answerGemini(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	parts := []any{geminiThought(said)}
	if said.Text != "" {
		text := map[string]any{"text": said.Text}
		if len(said.Calls) == 0 {
			text["thoughtSignature"] = geminiSignature(said)
		}
		parts = append(parts, text)
	}
	parts = append(parts, geminiCalls(said)...)
	if said.Stop == llm.KindContentFilter {
		parts = nil
	}
	WriteJSON(w, http.StatusOK, geminiAnswer(heard, parts, geminiFinish(said), said.Usage))
}

// streamGemini writes an answer in events that have no name.
func streamGemini(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(parts []any, finish string, pieces ...string) {
		io.WriteString(w, "data: "+string(encoded(geminiAnswer(heard, parts, finish, said.Usage), pieces...))+"\r\n\r\n") // the client may be gone
		w.(http.Flusher).Flush()
	}
	event([]any{geminiThought(said)}, "")
	for _, piece := range pieces(said) {
		event([]any{map[string]any{"text": "PIECE"}}, "", piece)
	}
	if said.Break {
		return
	}
	if calls := geminiCalls(said); calls != nil {
		event(calls, "")
	}
	// The end is an empty text, which may carry a signature.
	end := map[string]any{"text": ""}
	if len(said.Calls) == 0 {
		end["thoughtSignature"] = geminiSignature(said)
	}
	event([]any{end}, geminiFinish(said))
}
