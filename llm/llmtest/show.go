package llmtest

import (
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// Show writes a request for people: every message with its parts.
func Show(req *llm.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "purpose: %s\n", req.Purpose)
	section(&b, "system", req.System)
	for _, tool := range req.Tools {
		section(&b, "tool "+tool.Name, tool.Description+"\n"+string(tool.Parameters))
	}
	if choice := req.ToolChoice; choice != (llm.ToolChoice{}) {
		fmt.Fprintf(&b, "tool choice: %s\n", strings.TrimSpace(string(choice.Mode)+" "+choice.Name))
	}
	if req.Schema != nil {
		section(&b, "schema "+req.Schema.Name, string(req.Schema.Schema))
	}
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			showPart(&b, string(m.Role), part)
		}
	}
	return b.String()
}

func showPart(b *strings.Builder, who string, part llm.Part) {
	switch part := part.(type) {
	case llm.Instruction:
		section(b, who+" instruction", part.Text)
	case llm.Text:
		section(b, who+" text", part.Text)
	case llm.Page:
		section(b, who+" page "+part.Kind, part.Text)
	case llm.Image:
		fmt.Fprintf(b, "%s image: %s, %d bytes\n", who, part.MediaType, len(part.Data))
	case llm.Reasoning:
		section(b, who+" reasoning", part.Text)
	case llm.ToolCall:
		section(b, fmt.Sprintf("%s calls %s (%s)", who, part.Name, part.ID), string(part.Arguments))
	case llm.ToolResult:
		outcome := "result"
		if part.Error {
			outcome = "failure"
		}
		fmt.Fprintf(b, "%s of %s (%s):\n", outcome, part.Name, part.ID)
		for _, p := range part.Parts {
			showPart(b, "  ", p)
		}
	}
}

// section writes a title and a text, indented below it if it has lines.
func section(b *strings.Builder, title, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if !strings.Contains(text, "\n") {
		fmt.Fprintf(b, "%s: %s\n", title, text)
		return
	}
	fmt.Fprintf(b, "%s:\n\t%s\n", title, strings.ReplaceAll(text, "\n", "\n\t"))
}
