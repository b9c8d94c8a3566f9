package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

func same(a, b llm.Message) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	return err == nil && bytes.Equal(x, y)
}

// parts are a part of a message, and those within it.
func parts(role string, part llm.Part) []Part {
	switch p := part.(type) {
	case llm.Instruction:
		return []Part{{role, "instruction", cut(p.Text)}}
	case llm.Text:
		return []Part{{role, "text", cut(p.Text)}}
	case llm.Page:
		return []Part{{role, cmp.Or(p.Kind, "page"), cut(p.Text)}}
	case llm.Image:
		return []Part{{role, "picture", p.MediaType}}
	case llm.Reasoning:
		if p.Text == "" {
			return nil
		}
		return []Part{{role, "reasoning", cut(p.Text)}}
	case llm.ToolCall:
		return []Part{{role, "call", callText(p)}}
	case llm.ToolResult:
		var out []Part
		for _, inner := range p.Parts {
			for _, one := range parts(role, inner) {
				one.Kind = "result of " + p.Name
				out = append(out, one)
			}
		}
		return out
	}
	return nil
}

func callText(c llm.ToolCall) string {
	return c.Name + " " + cut(readable(string(c.Arguments)))
}

// mostText is what a trace shows of one text, in bytes; its bundle has all.
const mostText = 12_000

func cut(text string) string {
	if len(text) <= mostText {
		return text
	}
	head := strings.ToValidUTF8(text[:mostText], "")
	return fmt.Sprintf("%s\n… %d more bytes are in the bundle", head, len(text)-len(head))
}

// milliseconds is a duration as the timeline counts.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
