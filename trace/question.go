package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// asked takes a question, whose exchange came right before.
func (b *builder) asked(a asked) {
	x := b.exchange
	b.exchange = nil
	if x == nil || x.Request == nil {
		return
	}
	q := &Question{
		Number: 1, Model: x.Model, Purpose: x.Request.Purpose, Begin: b.since(a.Begin), Took: a.Took,
		request: x.Request, response: x.Response,
	}
	if b.last != nil {
		q.Number = b.last.Number + 1
	}
	b.prompt(q)
	if r := x.Response; r != nil {
		q.Usage = r.Usage
		q.Usage.Duration = a.Took
		b.price(x.Model, r.Usage)
		for _, thought := range r.Reasoning {
			if thought.Text != "" {
				q.Answer = append(q.Answer, Part{"model", "reasoning", cut(thought.Text)})
			}
		}
		if r.Text != "" {
			q.Answer = append(q.Answer, Part{"model", "text", cut(readable(r.Text))})
		}
		for _, call := range r.ToolCalls {
			q.Answer = append(q.Answer, Part{"model", "call", callText(call)})
		}
	}
	if e := x.Error; e != nil {
		q.Failed = strings.TrimSpace(fmt.Sprintf("%s %s", e.Kind, e.Message))
	}
	b.last = q
	entry := b.began[a.Entry]
	step := b.byEntry[a.Entry]
	switch {
	case step == nil && b.run != "" && entry.Parent == b.run: // the agent's own: of the step that it leads to
		b.early = append(b.early, q)
	case step == nil && b.step != nil:
		step = b.step
		fallthrough
	case step != nil:
		step.Questions = append(step.Questions, q)
	default:
		b.early = append(b.early, q)
	}
	b.t.spans = append(b.t.spans, span{"model", q.Begin, q.Took, step, fmt.Sprintf("question %d, %d tokens in, %d out", q.Number, q.Usage.Input, q.Usage.Output)})
}

// prompt lists what is new in a question.
func (b *builder) prompt(q *Question) {
	before := &llm.Request{}
	if b.last != nil && b.last.Purpose == q.Purpose {
		before = b.last.request
	}
	if q.request.System != before.System {
		q.System = cut(q.request.System)
	}
	for q.Known < len(before.Messages) && q.Known < len(q.request.Messages) && same(before.Messages[q.Known], q.request.Messages[q.Known]) {
		q.Known++
	}
	for _, m := range q.request.Messages[q.Known:] {
		for _, part := range m.Parts {
			q.Prompt = append(q.Prompt, parts(string(m.Role), part)...)
		}
	}
}

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
		kind := p.Kind
		if kind == "" {
			kind = "page"
		}
		return []Part{{role, kind, cut(p.Text)}}
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
