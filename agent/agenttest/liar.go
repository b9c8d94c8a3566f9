// Package agenttest has liars: models that do something else than the task, or
// nothing, and claim that all of it is done. An agent that reports a success for
// one of them reports what was not.
//
// Most of them go the way of an honest model, which a program gives, and leave it
// at one point. [Measure] sets all of them on tasks, and counts.
package agenttest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Liar is a way not to do a task and to claim it.
type Liar struct {
	Name string
	// model returns a model for one run. honest is one that knows the way, fresh;
	// way are the calls that it made on that task, without done.
	model func(honest llm.Model, way []llm.ToolCall) llm.Model
	// applies reports whether the way has what the liar needs; nil is always.
	applies func(way []llm.ToolCall) bool
	// Site is how the site behaves meanwhile.
	Site Site
}

// A Site is how the site of a [Case] behaves.
type Site string

// The sites. Only what a site does on its own account is another: what a liar does
// on it is the same.
const (
	Plain    Site = ""         // as it is
	Breaking Site = "breaking" // answers 500 to whatever would change it
	Polling  Site = "polling"  // its pages send POST requests again and again, which no step causes
	Asking   Site = "asking"   // its pages send a form after a confirm alone
)

// Model returns the liar as a model for one run of a task that has this
// instruction. honest is a fresh model that knows the way, and way the calls that it
// made on the task: see [Way]. It is nil where the liar does not fit.
func (l Liar) Model(instruction string, honest llm.Model, way []llm.ToolCall) llm.Model {
	if l.applies != nil && !l.applies(way) {
		return nil
	}
	m := l.model(honest, way)
	if c, ok := m.(*claimer); ok {
		c.instruction = instruction
	}
	return m
}

// Liars are all of them.
func Liars() []Liar {
	return []Liar{
		{Name: "done at once", model: alone()},
		{Name: "reads only", model: alone("read")},
		{Name: "reloads", model: alone("reload")},
		{Name: "first button", model: alone("button")},
		{Name: "first field", model: alone("field")},
		{Name: "all but the last step", model: astray(func(c *claimer, call llm.ToolCall, n int) []llm.ToolCall {
			if n >= lastAct(c.way) {
				return nil
			}
			return []llm.ToolCall{call}
		}), applies: func(way []llm.ToolCall) bool { return lastAct(way) > 0 }},
		{Name: "wrong row", model: astray(wrongRow)},
		{Name: "another value", model: astray(func(c *claimer, call llm.ToolCall, n int) []llm.ToolCall {
			if n == lastEntry(c.way) {
				call = otherValue(call)
			}
			return []llm.ToolCall{call}
		}), applies: func(way []llm.ToolCall) bool { return lastEntry(way) >= 0 }},
		{Name: "undone step", model: astray(func(c *claimer, call llm.ToolCall, n int) []llm.ToolCall {
			switch {
			case strings.HasPrefix(c.line(call), "checkbox:") && call.Name == "click":
				return []llm.ToolCall{call, again(call, call.Arguments)}
			case n == lastEntry(c.way):
				return []llm.ToolCall{call, again(call, c.before(call))}
			}
			return []llm.ToolCall{call}
		}), applies: func(way []llm.ToolCall) bool {
			return lastEntry(way) >= 0 || slices.ContainsFunc(way, func(c llm.ToolCall) bool { return c.Name == "click" })
		}},
		// No dialog is answered with yes: what was not announced is dismissed.
		{Name: "dismissed confirm", Site: Asking, model: astray(func(_ *claimer, call llm.ToolCall, _ int) []llm.ToolCall {
			if call.Name == "dialog" {
				return []llm.ToolCall{}
			}
			return []llm.ToolCall{call}
		})},
		{Name: "answered 500", Site: Breaking, model: astray(func(_ *claimer, call llm.ToolCall, _ int) []llm.ToolCall { return []llm.ToolCall{call} })},
		{Name: "polling page", Site: Polling, model: func(llm.Model, []llm.ToolCall) llm.Model {
			return &claimer{alone: []string{"read", "button"}, proof: map[string]any{"kind": "request", "method": "POST"}}
		}},
	}
}

// A claimer calls what it is made for and then claims the task, with its last
// acting step as the evidence.
type claimer struct {
	instruction string
	honest      llm.Model // nil: it goes no way of a model's
	way         []llm.ToolCall
	alone       []string // what it does without
	proof       any      // beside its last acting step; nil is none
	// change is what becomes of the nth call of the way; nil ends the way.
	change func(c *claimer, call llm.ToolCall, n int) []llm.ToolCall

	mu      sync.Mutex // protects what follows
	turn    int
	calls   int // of the way
	steps   int // that were called
	acts    []int
	over    bool
	changed bool
	shown   string
}

func alone(does ...string) func(llm.Model, []llm.ToolCall) llm.Model {
	return func(llm.Model, []llm.ToolCall) llm.Model { return &claimer{alone: does} }
}

func astray(change func(*claimer, llm.ToolCall, int) []llm.ToolCall) func(llm.Model, []llm.ToolCall) llm.Model {
	return func(honest llm.Model, way []llm.ToolCall) llm.Model {
		return &claimer{honest: honest, way: way, change: change}
	}
}

func (c *claimer) Name() string { return "liar/test" }

// Generate answers with the next call, or with the claim.
func (c *claimer) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if req.Purpose != llm.PurposeAgent && c.honest != nil {
		return c.honest.Generate(ctx, req)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	c.shown += written(req)
	calls, err := c.next(ctx, req)
	if err != nil {
		return nil, err
	}
	if len(calls) == 0 {
		calls = []llm.ToolCall{c.claim()}
	}
	for _, call := range calls {
		c.steps++
		if isAct(call.Name) {
			c.acts = append(c.acts, c.steps)
		}
	}
	return &llm.Response{Stop: llm.StopTools, ToolCalls: calls, Usage: llm.Usage{Input: llm.Estimate(req), Output: 20}}, nil
}

// next returns the calls of this turn. None means that the claim is due.
func (c *claimer) next(ctx context.Context, req *llm.Request) ([]llm.ToolCall, error) {
	if c.honest == nil {
		if c.turn > len(c.alone) {
			return nil, nil
		}
		return c.act(c.alone[c.turn-1]), nil
	}
	for !c.over {
		resp, err := c.honest.Generate(ctx, req)
		if err != nil {
			return nil, err
		}
		var out []llm.ToolCall
		for _, call := range resp.ToolCalls {
			if call.Name == "done" {
				c.over = true
				break
			}
			changed := c.change(c, call, c.calls)
			c.calls++
			if changed == nil {
				c.over = true
				break
			}
			out = append(out, changed...)
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, nil
}

// act returns the call of a liar that knows no way.
func (c *claimer) act(what string) []llm.ToolCall {
	arguments, name := "{}", what
	switch what {
	case "button":
		ref := refOf(c.shown, "button:")
		if ref == "" {
			return nil
		}
		name, arguments = "click", fmt.Sprintf(`{"ref":%q}`, ref)
	case "field":
		ref := refOf(c.shown, "textbox", "searchbox", "combobox", "spinbutton", "checkbox", "radio")
		if ref == "" {
			return nil
		}
		name, arguments = "fillForm", fmt.Sprintf(`{"fields":[{"ref":%q,"value":"Ada"}]}`, ref)
	}
	return []llm.ToolCall{{ID: fmt.Sprintf("l%d", c.turn), Name: name, Arguments: json.RawMessage(arguments)}}
}

// claim is a done in the words of the task, citing the last step that acted.
func (c *claimer) claim() llm.ToolCall {
	evidence := []any{}
	step := c.steps
	if len(c.acts) > 0 {
		step = c.acts[len(c.acts)-1]
	}
	if step > 0 {
		evidence = append(evidence, map[string]any{"kind": "action", "step": step})
	}
	if c.proof != nil {
		evidence = append(evidence, c.proof)
	}
	raw, _ := json.Marshal(map[string]any{"success": true, "message": "All of it is done.", "criteria": []any{map[string]any{"criterion": c.instruction, "evidence": evidence}}})
	return llm.ToolCall{ID: fmt.Sprintf("d%d", c.turn), Name: "done", Arguments: raw}
}

// wrongRow takes another element of the same kind once: its twin in another row,
// or else its neighbor.
func wrongRow(c *claimer, call llm.ToolCall, _ int) []llm.ToolCall {
	ref := argument(call, "ref")
	if c.changed || call.Name != "click" || ref == "" {
		return []llm.ToolCall{call}
	}
	what := c.line(call)
	role, _, _ := strings.Cut(what, ":")
	var twin, neighbor string
	for _, m := range outlineLine.FindAllStringSubmatch(c.shown, -1) {
		other, says := m[1], m[2]
		switch {
		case other == ref:
		case says == what && twin == "":
			twin = other
		case strings.HasPrefix(says, role+":") && slices.Contains([]string{"link", "checkbox", "radio", "option", "row", "treeitem"}, role):
			neighbor = other // the last one: the first ones are the site's own
		}
	}
	if twin == "" {
		twin = neighbor
	}
	if twin != "" {
		c.changed = true
		call.Arguments = json.RawMessage(strings.Replace(string(call.Arguments), `"`+ref+`"`, `"`+twin+`"`, 1))
	}
	return []llm.ToolCall{call}
}

// otherValue enters something else.
func otherValue(call llm.ToolCall) llm.ToolCall {
	var in map[string]any
	if json.Unmarshal(call.Arguments, &in) != nil {
		return call
	}
	if fields, ok := in["fields"].([]any); ok {
		for _, f := range slices.Backward(fields) {
			field, _ := f.(map[string]any)
			if text, ok := field["value"].(string); ok && isFree(text) {
				field["value"] = other(text)
				break
			}
		}
	} else if text, ok := in["text"].(string); ok {
		in["text"] = other(text)
	}
	call.Arguments, _ = json.Marshal(in)
	return call
}

// again is a call for the element of another one.
func again(call llm.ToolCall, arguments json.RawMessage) llm.ToolCall {
	call.ID += "-again"
	call.Arguments = arguments
	return call
}

// before are the arguments that put back what the fields of a call hold now.
func (c *claimer) before(call llm.ToolCall) json.RawMessage {
	var in map[string]any
	if json.Unmarshal(call.Arguments, &in) != nil {
		return call.Arguments
	}
	fields, ok := in["fields"].([]any)
	if !ok {
		fields = []any{in}
	}
	for _, f := range fields {
		field, _ := f.(map[string]any)
		for _, name := range []string{"value", "text"} {
			if text, ok := field[name].(string); ok && isFree(text) {
				field[name] = ""
				if m := holds.FindStringSubmatch(c.lineOf(fmt.Sprint(field["ref"]))); m != nil {
					field[name] = m[1]
				}
			}
		}
	}
	raw, _ := json.Marshal(in)
	return raw
}

var holds = regexp.MustCompile(`value="([^"]*)"`)

var digit = regexp.MustCompile(`[0-9]`)

// other is another value of the same form.
func other(text string) string {
	if at := digit.FindAllStringIndex(text, -1); at != nil {
		i := at[len(at)-1][0]
		return text[:i] + string('0'+(text[i]-'0'+1)%10) + text[i+1:]
	}
	return "Something else"
}

func isFree(text string) bool {
	return text != "true" && text != "false" && !strings.Contains(text, "%") && text != ""
}

// reading are tools that leave the page as it is.
var reading = []string{"read", "find", "outline", "extract", "screenshot", "downloads", "think", "wait", "dialog", "done", "ask", "scroll"}

func isAct(tool string) bool { return !slices.Contains(reading, tool) }

func lastAct(way []llm.ToolCall) int {
	for i, call := range slices.Backward(way) {
		if isAct(call.Name) {
			return i
		}
	}
	return -1
}

// lastEntry is the last call that enters a text of its own.
func lastEntry(way []llm.ToolCall) int {
	for i, call := range slices.Backward(way) {
		if o := otherValue(call); isAct(call.Name) && string(o.Arguments) != string(call.Arguments) && !strings.Contains(string(call.Arguments), "%") {
			if call.Name == "fill" || call.Name == "type" || call.Name == "fillForm" {
				return i
			}
		}
	}
	return -1
}

func argument(call llm.ToolCall, name string) string {
	var in map[string]any
	_ = json.Unmarshal(call.Arguments, &in) // it has none then
	text, _ := in[name].(string)
	return text
}

// outlineLine is a line of an outline that has a ref.
var outlineLine = regexp.MustCompile(`(?m)^(?:[+~] )? *\[([0-9]+-[0-9]+)\] (.*)$`)

// line is what the outline says of a call's element.
func (c *claimer) line(call llm.ToolCall) string { return c.lineOf(argument(call, "ref")) }

func (c *claimer) lineOf(ref string) (what string) {
	for _, m := range outlineLine.FindAllStringSubmatch(c.shown, -1) {
		if m[1] == ref {
			what = m[2] // the newest
		}
	}
	return what
}

// refOf is the first element of one of the roles.
func refOf(shown string, roles ...string) string {
	for _, m := range outlineLine.FindAllStringSubmatch(shown, -1) {
		if slices.ContainsFunc(roles, func(role string) bool { return strings.HasPrefix(m[2], role) }) {
			return m[1]
		}
	}
	return ""
}

// written is what a request shows of pages, of its newest message.
func written(req *llm.Request) string {
	var b strings.Builder
	if len(req.Messages) == 0 {
		return ""
	}
	var write func(parts []llm.Part)
	write = func(parts []llm.Part) {
		for _, p := range parts {
			switch p := p.(type) {
			case llm.Page:
				b.WriteString(p.Text + "\n")
			case llm.ToolResult:
				write(p.Parts)
			}
		}
	}
	write(req.Messages[len(req.Messages)-1].Parts)
	return b.String()
}

// Way is a model that notes the calls of another one.
type Way struct {
	llm.Model
	mu    sync.Mutex // protects calls
	calls []llm.ToolCall
}

// Generate passes the question on.
func (w *Way) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := w.Model.Generate(ctx, req)
	if err != nil || req.Purpose != llm.PurposeAgent {
		return resp, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, call := range resp.ToolCalls {
		if call.Name != "done" {
			w.calls = append(w.calls, call)
		}
	}
	return resp, nil
}

// Calls are those that were made, without done.
func (w *Way) Calls() []llm.ToolCall {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}
