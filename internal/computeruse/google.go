package computeruse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
)

// Google is the tool since gemini-3.5-flash, whose functions have an intent.
func Google() *Vendor {
	return &Vendor{Name: "computer_use", Model: "gemini-3.5-flash", Batch: true, read: readGoogle, write: writeGoogle(googleCall)}
}

// Google2025 is the tool before.
func Google2025() *Vendor {
	return &Vendor{Name: "computer_use_2025", Model: "gemini-2.5-computer-use-preview-10-2025", Batch: true, read: readGoogle, write: writeGoogle(googleCall2025)}
}

func readGoogle(r *http.Request, body []byte) (*Heard, error) {
	if !strings.HasSuffix(r.URL.Path, ":generateContent") {
		return nil, fmt.Errorf("%s %s", r.Method, r.URL)
	}
	type content struct {
		Role  string                    `json:"role"`
		Parts []vendorserver.GeminiPart `json:"parts"`
	}
	var req struct {
		SystemInstruction *content  `json:"systemInstruction"`
		Contents          []content `json:"contents"`
		Tools             []struct {
			ComputerUse *struct {
				Environment string `json:"environment"`
			} `json:"computerUse"`
			FunctionDeclarations []struct {
				Name                 string          `json:"name"`
				Description          string          `json:"description"`
				ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		ToolConfig       json.RawMessage `json:"toolConfig"`
		GenerationConfig json.RawMessage `json:"generationConfig"`
	}
	if err := vendorserver.Strictly(body, &req); err != nil {
		return nil, err
	}
	if len(req.Tools) == 0 || req.Tools[0].ComputerUse == nil || req.Tools[0].ComputerUse.Environment != "ENVIRONMENT_BROWSER" {
		return nil, fmt.Errorf("no computerUse in the tools")
	}
	heard := &Heard{}
	open := map[string]googleCallOpen{}
	for _, c := range req.Contents {
		if c.Role == "model" {
			heard.Results, heard.Words = nil, ""
		}
		for _, p := range c.Parts {
			switch {
			case p.Text != nil:
				if c.Role == "user" {
					heard.Words += *p.Text + "\n"
				}
			case p.InlineData != nil:
				if err := wirePicture(p.InlineData.MIMEType, p.InlineData.Data); err != nil {
					return nil, err
				}
			case p.FunctionCall != nil:
				open[p.FunctionCall.ID] = googleCallOpen{p.FunctionCall.Name, strings.Contains(string(p.FunctionCall.Args), "require_confirmation")}
			case p.FunctionResponse != nil:
				result, err := readGoogleResult(&p, open)
				if err != nil {
					return nil, err
				}
				heard.Results = append(heard.Results, *result)
				heard.Words += result.Words + "\n"
			default:
				return nil, fmt.Errorf("part %+v", p)
			}
		}
		if c.Role == "user" && len(open) > 0 {
			return nil, fmt.Errorf("calls %v have no responses", open)
		}
	}
	return heard, nil
}

// A googleCallOpen is a call without a response yet.
type googleCallOpen struct {
	name    string
	checked bool // the vendor's checks have warned of it
}

func readGoogleResult(p *vendorserver.GeminiPart, open map[string]googleCallOpen) (*Result, error) {
	f := p.FunctionResponse
	was, ok := open[f.ID]
	if !ok || was.name != f.Name {
		return nil, fmt.Errorf("a response for %s %s, which was not called", f.ID, f.Name)
	}
	delete(open, f.ID)
	result := &Result{Failed: f.Response.Error != nil, Acknowledged: f.Response.Acknowledged == "true", Pictures: len(f.Parts)}
	switch {
	case f.Response.Output != nil:
		result.Words = *f.Response.Output
	case f.Response.Error != nil:
		result.Words = *f.Response.Error
	default:
		return nil, fmt.Errorf("a response without output or error")
	}
	if was.checked && !result.Failed && !result.Acknowledged {
		return nil, fmt.Errorf("%s was done, and its safety decision not acknowledged", f.Name)
	}
	if !was.checked && result.Acknowledged {
		return nil, fmt.Errorf("%s: nothing was to be acknowledged", f.Name)
	}
	for _, part := range f.Parts {
		if err := wirePicture(part.InlineData.MIMEType, part.InlineData.Data); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func writeGoogle(call func(Move) (string, map[string]any)) func(int, []Move) any {
	return func(number int, moves []Move) any {
		parts := []any{}
		for i, m := range moves {
			name, args := m.Tool, m.Args
			if m.Do != "tool" {
				name, args = call(m)
				if m.Check != "" {
					args["safety_decision"] = map[string]any{"decision": "require_confirmation", "explanation": m.Check}
				}
			}
			parts = append(parts, map[string]any{"functionCall": map[string]any{"id": fmt.Sprintf("fc_%d_%d", number, i), "name": name, "args": args}})
		}
		return map[string]any{"modelVersion": "m", "usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12},
			"candidates": []any{map[string]any{"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": parts}}}}
	}
}

// The pictures of the tests are of this size: what Google's coordinates are of.
const (
	pictureWidth  = 1280
	pictureHeight = 720
)

// whole is a point in thousandths of the picture.
func whole(x, of float64) int { return int(x*1000/of + 0.5) }

// A googleWord is what Google calls a move: the function, and the intent of a call.
type googleWord struct{ function, intent string }

var googleWords = map[string]googleWord{
	"click": {"click", "to click"}, "type": {"type", "to write"}, "key": {"hotkey", "to press"}, "scroll": {"scroll", "to scroll"},
	"drag": {"drag_and_drop", "to drag"}, "wait": {"wait", "to wait"}, "screenshot": {"take_screenshot", "to look"},
	"navigate": {"navigate", "to go there"}, "back": {"go_back", "to go back"},
}

func googleCall(m Move) (string, map[string]any) {
	word, ok := googleWords[m.Do]
	if !ok {
		panic("no function of Google's: " + m.Do)
	}
	args := googleArgs(m)
	args["intent"] = word.intent
	switch m.Do {
	case "type":
		args["text"] = m.Text
	case "key":
		args["keys"] = strings.Split(m.Text, "+")
	case "wait":
		args["seconds"] = 0.1
	}
	return word.function, args
}

var googleNames2025 = map[string]string{
	"click": "click_at", "fill": "type_text_at", "key": "key_combination", "scroll": "scroll_at", "drag": "drag_and_drop",
	"screenshot": "open_web_browser", "navigate": "navigate", "back": "go_back",
}

func googleCall2025(m Move) (string, map[string]any) {
	name, ok := googleNames2025[m.Do]
	if !ok {
		panic("no function of Google's earlier ones: " + m.Do)
	}
	args := googleArgs(m)
	switch m.Do {
	case "fill":
		args["text"], args["press_enter"], args["clear_before_typing"] = m.Text, false, true
	case "key":
		args["keys"] = m.Text
	}
	return name, args
}

// googleArgs are the arguments that both tools have: where a move is, and where it leads.
func googleArgs(m Move) map[string]any {
	args := map[string]any{}
	switch m.Do {
	case "click", "fill", "scroll", "drag":
		args["x"], args["y"] = whole(m.X, pictureWidth), whole(m.Y, pictureHeight)
	}
	switch m.Do {
	case "scroll":
		direction, distance := m.scrolls()
		args["direction"], args["magnitude"] = direction, whole(distance, pictureHeight)
	case "drag":
		args["destination_x"], args["destination_y"] = whole(m.ToX, pictureWidth), whole(m.ToY, pictureHeight)
	case "navigate":
		args["url"] = m.Text
	}
	return args
}
