package killed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
)

func (m *shopper) Name() string {
	if m.CUA {
		return "anthropic/claude-opus-5"
	}
	return "test/shopper"
}

func (m *shopper) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	m.point()
	resp, err := http.Get(m.Shop + "/model")
	if err != nil {
		return nil, err
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	var calls []llm.ToolCall
	if m.CUA {
		calls = byVendor(req, m.choose)
	} else {
		calls = m.choose(read(req))
	}
	for i := range calls {
		calls[i].ID = fmt.Sprintf("c%d.%d", len(req.Messages), i)
	}
	m.point()
	return &llm.Response{ToolCalls: calls, Stop: llm.StopTools, Usage: llm.Usage{Input: 100, Output: 10}}, nil
}

// byVendor asks for the page where the newest message does not show it, and calls
// the vendor's tool.
func byVendor(req *llm.Request, choose func(map[string]string) []llm.ToolCall) (calls []llm.ToolCall) {
	page := map[string]string{}
	for _, part := range req.Messages[len(req.Messages)-1].Parts {
		if shown, ok := part.(llm.Page); ok && strings.Contains(shown.Text, "[ref_") { // of a run that goes on
			lines(page, strings.ReplaceAll(shown.Text, "[ref_", "["))
		}
		result, ok := part.(llm.ToolResult)
		if !ok || result.Name != "read_page" {
			continue
		}
		for _, part := range result.Parts {
			raw, _ := json.Marshal(part) // of text
			var text struct{ Text string }
			if json.Unmarshal(raw, &text) == nil {
				lines(page, strings.ReplaceAll(text.Text, "[ref_", "["))
			}
		}
	}
	if len(page) == 0 {
		return []llm.ToolCall{{Name: "read_page", Toolset: "browser", Arguments: json.RawMessage(`{}`)}}
	}
	for _, call := range choose(page) {
		var in struct {
			Ref, Text string
			Options   []string
		}
		if call.Name == "done" || json.Unmarshal(call.Arguments, &in) != nil {
			return []llm.ToolCall{call}
		}
		args := map[string]any{"target": map[string]any{"type": "ref", "ref": "ref_" + in.Ref}}
		call.Name, call.Toolset = map[string]string{"click": "left_click", "fill": "form_input", "select": "form_input"}[call.Name], "browser"
		if call.Name == "form_input" {
			args["value"] = in.Text + strings.Join(in.Options, "")
		}
		call.Arguments, _ = json.Marshal(args) // of texts
		calls = append(calls, call)
	}
	return calls
}

// read puts the page together that a conversation has shown: the newest outline
// with the changes since then, by role and name.
func read(req *llm.Request) map[string]string {
	page := map[string]string{}
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			shown, ok := part.(llm.Page)
			if !ok || shown.Kind != "outline" && shown.Kind != "changes" {
				continue
			}
			if shown.Kind == "outline" {
				clear(page)
			}
			lines(page, shown.Text)
		}
	}
	return page
}

// lines takes those of an outline.
func lines(page map[string]string, outline string) {
	for text := range strings.Lines(outline) {
		if m := outlineLine.FindStringSubmatch(text); m != nil {
			page[m[2]] = m[1] + m[3]
		}
	}
}

var outlineLine = regexp.MustCompile(`^[ +~]*\[([0-9]+-[0-9]+)\] ((?:textbox|button|combobox|checkbox): (?:Name|PIN|Note|Size|Gift|Log in|Add [12]|Order)|[a-z]+: (?:Item [0-9]: [0-9] in the cart|Orders so far: [0-9]))(.*)`)

// choose returns the next calls, by the page.
func (m *shopper) choose(page map[string]string) (calls []llm.ToolCall) {
	var program []string // of the same calls
	add := func(tool, element string, more map[string]any) {
		if words, ok := programWords[tool]; ok && m.Program {
			line := fmt.Sprintf(words, element)
			for _, value := range more {
				text, _ := strings.CutSuffix(strings.TrimPrefix(fmt.Sprint(value), "["), "]")
				if line = fmt.Sprintf("%s(%q, %q)", tool, element, text); text == "%pin%" {
					line = fmt.Sprintf("%s(%q, var(%q))", tool, element, "pin")
				}
			}
			program = append(program, line)
			return
		}
		args := map[string]any{}
		if element != "" {
			ref, _, _ := strings.Cut(page[element], " ")
			args["ref"] = ref
		}
		for name, value := range more {
			args[name] = value
		}
		raw, err := json.Marshal(args)
		if err != nil {
			panic(err)
		}
		if len(calls) == 0 || m.Batch {
			calls = append(calls, llm.ToolCall{Name: tool, Arguments: raw})
		}
	}
	has := func(element string) bool { return page[element] != "" }
	says := func(words string) bool {
		return slices.ContainsFunc(keys(page), func(line string) bool { return strings.HasSuffix(line, words) })
	}
	lacks := func(element, value string) bool { return !strings.Contains(page[element], value) }
	switch {
	case has("button: Log in"):
		if lacks("textbox: Name", "Ada") {
			add("fill", "textbox: Name", map[string]any{"text": "Ada"})
		}
		if lacks("textbox: PIN", "%pin%") {
			add("fill", "textbox: PIN", map[string]any{"text": "%pin%"})
		}
		add("click", "button: Log in", nil)
	case has("button: Order") && says("Orders so far: 0"):
		for n := 1; n <= 2; n++ {
			if says(fmt.Sprintf("Item %d: 0 in the cart", n)) {
				add("click", fmt.Sprintf("button: Add %d", n), nil)
				if !m.Program {
					return calls
				}
			}
		}
		if lacks("combobox: Size", `value="Large"`) {
			add("select", "combobox: Size", map[string]any{"options": []string{"Large"}})
		}
		if lacks("textbox: Note", "for tea") {
			add("fill", "textbox: Note", map[string]any{"text": "for tea"})
		}
		if lacks("checkbox: Gift", "(checked)") {
			add("click", "checkbox: Gift", nil)
		}
		add("click", "button: Order", nil)
	default:
		add("done", "", map[string]any{"success": true, "message": "ordered", "criteria": []any{
			map[string]any{"criterion": "it is ordered", "evidence": []any{map[string]any{"kind": "text", "text": "Orders so far: 1"}}},
		}})
	}
	if len(program) > 0 {
		raw, err := json.Marshal(map[string]string{"program": strings.Join(program, "\n")})
		if err != nil {
			panic(err)
		}
		calls = []llm.ToolCall{{Name: "run", Arguments: raw}}
	}
	return calls
}

// programWords are how a program calls the tools.
var programWords = map[string]string{"click": `click(%q)`, "fill": "", "select": ""}

func keys(m map[string]string) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}
