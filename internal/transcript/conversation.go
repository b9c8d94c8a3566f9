package transcript

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

//go:embed conversation.txt
var spoken string

// tools are those of the conversation.
var tools = []llm.Tool{
	{Name: "look", Description: "Reads the page.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
	{Name: "picture", Description: "Takes a picture of the page.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
	{Name: "act", Description: "Does something to an element.", Parameters: json.RawMessage(
		`{"type":"object","properties":{"ref":{"type":"string"},"method":{"type":"string"},"argument":{"type":"string"}},"required":["ref","method"]}`)},
}

const wish = "Order three large ones with the code %c%, and tell me what is in the cart."

// Converse has a conversation with tools, with a server that speaks a vendor's
// wire format, and holds what was done against what is written down: in one
// piece and streamed. Calls come several at once, with reasoning before them; a
// result has a picture, another one is an error; and after the answer the
// conversation continues, from what was kept of it as JSON.
func Converse(t *testing.T, h llmtest.Harness) {
	for name, streamed := range map[string]bool{"in one piece": false, "streamed": true} {
		t.Run(name, func(t *testing.T) { converse(t, h, streamed) })
	}
}

func converse(t *testing.T, h llmtest.Harness, streamed bool) {
	session := open(t, h.New(t, serve(t, h, (&partner{t: t, streamed: streamed}).answer)))
	l := &loop{t: t, session: session, streamed: streamed, vars: map[string]engine.Variable{"c": {Value: code, Description: "the code"}}}
	ctx, call := session.BeginCall(t.Context(), nil, "conversation", wish)
	l.messages = []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: wish}}}}
	l.run(ctx)
	kept := inJSON(t, l.messages)
	l.messages = nil
	if err := json.Unmarshal([]byte(kept), &l.messages); err != nil {
		t.Fatal(err)
	}
	l.messages = append(l.messages, llm.Message{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "And what does the kettle cost?"}}})
	l.run(ctx)
	call.End(nil, nil)

	for _, e := range session.History() {
		if e.Parent == call.ID() {
			fmt.Fprintf(&l.record, "history: %s %t\n", e.Operation, e.Success)
		}
	}
	total := session.Metrics().Asks[llm.PurposeAgent]
	fmt.Fprintf(&l.record, "asked %d times: %d tokens in, %d out\n", total.Requests, total.Usage.Input, total.Usage.Output)
	compare(t, spoken, l.record.String())
}

// A loop asks, does what the model wants, and tells it what came of it.
type loop struct {
	t        *testing.T
	session  *engine.Session
	streamed bool
	vars     map[string]engine.Variable
	messages []llm.Message
	seen     *engine.Snapshot
	record   strings.Builder
}

func (l *loop) say(format string, args ...any) { fmt.Fprintf(&l.record, format+"\n", args...) }

// run continues until the model calls nothing more.
func (l *loop) run(ctx context.Context) {
	for range 9 {
		resp := l.ask(ctx)
		for _, r := range resp.Reasoning {
			l.say("thought: %s", r.Text)
		}
		if resp.Text != "" {
			l.say("said: %s", resp.Text)
		}
		l.messages = append(l.messages, resp.Message())
		if len(resp.ToolCalls) == 0 {
			return
		}
		results := llm.Message{Role: llm.User}
		ids := map[string]bool{}
		for _, call := range resp.ToolCalls {
			if ids[call.ID] || call.ID == "" {
				l.t.Errorf("two calls of an answer have the ID %q", call.ID)
			}
			ids[call.ID] = true
			l.say("call: %s %s", call.Name, sorted(l.t, call.Arguments))
			result := l.do(ctx, call)
			results.Parts = append(results.Parts, result)
			for _, part := range result.Parts {
				switch part := part.(type) {
				case llm.Text:
					l.say("  %s, failed: %t", part.Text, result.Error)
				case llm.Page:
					l.say("  %s of %d lines", part.Kind, strings.Count(part.Text, "\n"))
				case llm.Image:
					l.say("  %s", part.MediaType)
				}
			}
		}
		l.messages = append(l.messages, results)
	}
	l.t.Fatal("the conversation does not end")
}

// ask asks in one piece, or bit by bit, and then holds the bits against the
// whole.
func (l *loop) ask(ctx context.Context) *llm.Response {
	req := &llm.Request{Purpose: llm.PurposeAgent, System: "You are a test.", Tools: tools, Messages: l.messages}
	opts := &engine.GenerateOptions{Variables: l.vars}
	var text, reasoning string
	calls := map[int]bool{} // by their index
	if l.streamed {
		opts.Delta = func(d llm.Delta) {
			text += d.Text
			reasoning += d.Reasoning
			if d.Call != nil {
				calls[d.Call.Index] = true
			}
		}
	}
	resp, err := l.session.Generate(ctx, req, opts)
	if err != nil {
		l.t.Fatalf("Generate: %v", err)
	}
	if !l.streamed {
		return resp
	}
	shown := ""
	for _, r := range resp.Reasoning {
		shown += r.Text
	}
	if text != resp.Text || reasoning != shown || len(calls) != len(resp.ToolCalls) {
		l.t.Errorf("the pieces are %q, %q and %d calls, of %+v", text, reasoning, len(calls), resp)
	}
	return resp
}

// sorted writes arguments in one form: vendors put their members in other orders.
func sorted(t *testing.T, raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Errorf("the arguments are %s: %v", raw, err)
	}
	return inJSON(t, v)
}

// do runs a tool on the page.
func (l *loop) do(ctx context.Context, call llm.ToolCall) llm.ToolResult {
	result := llm.ToolResult{ID: call.ID, Name: call.Name}
	fail := func(err error) llm.ToolResult {
		result.Error, result.Parts = true, []llm.Part{llm.Text{Text: err.Error()}}
		return result
	}
	page := l.session.Page()
	switch call.Name {
	case "look":
		var err error
		if l.seen, err = page.Snapshot(ctx, nil); err != nil {
			return fail(err)
		}
		outline, err := l.session.OutlineOf(l.seen, engine.Excerpt{})
		if err != nil {
			return fail(err)
		}
		result.Parts = []llm.Part{llm.Page{Kind: "outline", Text: outline}}
	case "picture":
		result.Parts = []llm.Part{llm.Text{Text: "taken"}, llm.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n\x00\xff")}}
	case "act":
		var in struct {
			engine.Target // its Ref
			Method        engine.Method
			Argument      string
		}
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return fail(err)
		}
		command := engine.Command{Method: in.Method}
		if in.Argument != "" {
			command.Arguments = []string{in.Argument}
		}
		in.Snapshot = l.seen
		done, err := page.DoTo(ctx, in.Target, command, &engine.ActOptions{Variables: l.vars})
		if err != nil {
			return fail(err)
		}
		result.Parts = []llm.Part{llm.Text{Text: done.Message}}
	}
	return result
}

// A partner is the model of a conversation.
type partner struct {
	t        *testing.T
	streamed bool
	before   []llmtest.Turn
	asked    int
}

// check holds a request against the one before: a prompt cache serves what is
// the same from the beginning.
func (p *partner) check(heard *llmtest.Heard) {
	if heard.Stream != p.streamed || !strings.HasPrefix(heard.System, "You are a test.") || len(heard.Tools) != len(tools) {
		p.t.Errorf("the server heard the system prompt %q and %d tools, streamed %t", heard.System, len(heard.Tools), heard.Stream)
	}
	if len(heard.Turns) < len(p.before) {
		p.t.Fatalf("the server heard %d turns after %d", len(heard.Turns), len(p.before))
	}
	if diff := cmp.Diff(p.before, heard.Turns[:len(p.before)]); p.before != nil && diff != "" {
		p.t.Errorf("what was said before has changed (-before +now):\n%s", diff)
	}
	p.before = heard.Turns
}

// answer is what the model says to all that it heard. How far it is, it knows
// by the results that it got.
func (p *partner) answer(heard *llmtest.Heard) *llmtest.Said {
	p.check(heard)
	var results []llmtest.Result
	pictures, thoughts, last := 0, 0, ""
	for _, turn := range heard.Turns {
		results = append(results, turn.Results...)
		pictures += len(turn.Images)
		thoughts += len(turn.Reasoning)
		if turn.Role == llm.User && turn.Text != "" {
			last = turn.Text
		}
	}
	if pictures != min(len(results), 1) || thoughts != p.asked {
		p.t.Errorf("after %d answers and %d results the server heard %d thoughts and %d pictures", p.asked, len(results), thoughts, pictures)
	}
	p.asked++
	said := &llmtest.Said{Reasoning: fmt.Sprintf("Größe? 世界! Step %d.", p.asked), Usage: llm.Usage{Input: 100 + len(results), Output: 10}}
	call := caller(p.t, said, len(results))
	act := func(line, method, argument string) {
		arguments := map[string]string{"ref": ref(p.t, results[0].Text, line), "method": method}
		if argument != "" {
			arguments["argument"] = argument
		}
		call("act", arguments)
	}
	switch len(results) {
	case 0:
		said.Text = "I look first."
		call("look", map[string]string{})
		call("picture", map[string]string{})
	case 2:
		act("textbox: Amount", "fill", "3")
		act("textbox: Code", "fill", "%c%")
		act("combobox: Size", "selectOption", "huge “\\\n”")
	case 5:
		if failed := results[4]; !strings.Contains(failed.Text, "fail") || !strings.Contains(failed.Text, "no option") {
			p.t.Errorf("the server heard of the option that is not there %+v", failed)
		}
		said.Text = "There is no huge one."
		act("combobox: Size", "selectOption", "large")
		act("button: Add to cart", "click", "")
	case 7:
		call("look", map[string]string{})
	case 8:
		if !strings.Contains(results[7].Text, "link: Kettle") {
			p.t.Errorf("the server heard of the cart %q", results[7].Text)
		}
		said.Text = "A teapot and a kettle."
		if strings.Contains(last, "the kettle cost") {
			said.Text = "CHF 40.00."
		}
	default:
		p.t.Errorf("the server heard %d results", len(results))
	}
	return said
}
