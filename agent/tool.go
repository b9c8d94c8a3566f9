package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// The names of the tools that other files speak of.
const (
	toolAsk     = "ask"
	toolDialog  = "dialog"
	toolDone    = "done"
	toolFill    = "fill"
	toolFind    = "find"
	toolOutline = "outline"

	toolPageTool  = "pageTool"
	toolPageTools = "pageTools"

	toolTabs   = "tabs"
	toolUpload = "upload"
)

// A Tool is something that the model can call. The agent's own tools are
// listed by [Tools]; a program adds its own by [NewTool], and those of MCP
// servers by package agent/mcp.
type Tool struct {
	// Name is unique in a run: letters, digits, _ and -, at most 64.
	Name        string
	Description string
	// Parameters is the JSON Schema of an object. A call whose arguments do not
	// satisfy it is answered with what is wrong, and Run is not called.
	Parameters json.RawMessage

	// Class, if not empty, is the class of approval that every call needs.
	Class Class

	// Local says that the tool itself takes nothing out of the run: it works by
	// [Call.Do], where [Config].Flows holds for each step.
	Local bool

	// Run does the work. It must return soon after ctx ends; the agent waits for it
	// no longer than [Task].ToolTimeout. Its result is untrusted: the model reads
	// it within a fence. Several runs may call Run concurrently.
	Run func(ctx context.Context, c *Call) (*Answer, error)

	read   readSchema
	kind   kind
	asks   bool   // puts a question of its own to a model
	exempt bool   // may be called again and again on the same page
	modes  []Mode // in which the tool is there; nil is all
}

// A readSchema is a schema and the Parameters that it was read from, which a program
// may have changed since.
type readSchema struct {
	form *schema.Schema
	from string
}

// A kind says how the loop treats a tool.
type kind uint8

const (
	own   kind = iota // of the program, or of an MCP server
	acts              // sends input to the page, or navigates
	reads             // reports something about the page
	waits             // lets time pass
	talks             // thinks, asks, ends: touches no page
)

// arguments are a call's, for people and records.
func arguments(call llm.ToolCall) json.RawMessage {
	if len(call.Arguments) == 0 {
		return json.RawMessage("{}")
	}
	return call.Arguments
}

// An Answer is the result of a tool for the model.
type Answer struct {
	Text  string
	Image []byte // PNG, JPEG or WebP; nil is none

	report *report // of a tool of ours
}

// A report is what a built-in tool passes to the loop besides its answer.
type report struct {
	action   Action // Selector, Target, Text, Actions, Evidence, Instruction, Output, TaskCompleted
	usage    llm.Usage
	surprise string // why the calls after this one are not run; empty is none
	failed   bool   // of a tool that answers with what failed
	nothing  bool   // of a tool that reads: there was nothing
}

// NewTool makes a tool of a function with typed arguments. In is a struct; its
// schema is made by [schema.For]. A string that is returned is the answer's
// text; any other value is written as JSON.
//
//	weather, err := agent.NewTool("weather", "The weather of a city.",
//		func(ctx context.Context, c *agent.Call, in struct{ City string `json:"city"` }) (string, error) { … })
//
// Set the tool's Class for one that needs approval.
func NewTool[In, Out any](name, description string, f func(ctx context.Context, c *Call, in In) (Out, error)) (Tool, error) {
	form, err := schema.For[In]()
	if err != nil {
		return Tool{}, fmt.Errorf("tool %q: %w: its arguments: %w", name, ErrInvalid, err)
	}
	t := Tool{
		Name:        name,
		Description: description,
		Parameters:  form.JSON(),
		read:        readSchema{form, string(form.JSON())},
		Run: func(ctx context.Context, c *Call) (*Answer, error) {
			in, err := schema.Decode[In](form, c.Arguments)
			if err != nil {
				return nil, err
			}
			out, err := f(ctx, c, in)
			if err != nil {
				return nil, err
			}
			if text, ok := any(out).(string); ok {
				return &Answer{Text: text}, nil
			}
			raw, err := json.Marshal(out)
			if err != nil {
				return nil, fmt.Errorf("the answer is no JSON: %w", err)
			}
			return &Answer{Text: string(raw)}, nil
		},
	}
	return t, t.check()
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// check refuses a tool that no provider takes, and reads the schema of its
// arguments. It keeps the schema: to read those of all tools is most of the time
// that a run takes to begin.
func (t *Tool) check() error {
	switch {
	case !toolName.MatchString(t.Name):
		return fmt.Errorf("%w: the tool's name %q; take letters, digits, _ and -, at most 64", ErrInvalid, t.Name)
	case t.Run == nil:
		return fmt.Errorf("%w: the tool %s has no Run", ErrInvalid, t.Name)
	case t.read.form != nil && t.read.from == string(t.Parameters):
		return nil
	}
	form, err := schema.Parse(t.Parameters)
	if err != nil {
		return fmt.Errorf("%w: the tool %s: its Parameters are no schema: %w", ErrInvalid, t.Name, err)
	}
	t.read = readSchema{form, string(t.Parameters)}
	return nil
}

// A toolbox is the tools of a run, in a fixed order: a provider's prompt cache
// serves what does not change.
type toolbox struct {
	list   []Tool
	byName map[string]*Tool // in list
}

func newToolbox(tools []Tool) (*toolbox, error) {
	b := &toolbox{list: tools, byName: map[string]*Tool{}}
	var errs []error
	for i := range tools {
		t := &tools[i]
		if err := t.check(); err != nil {
			errs = append(errs, err)
			continue
		}
		if b.byName[t.Name] != nil {
			errs = append(errs, fmt.Errorf("%w: two tools have the name %s; exclude or rename one", ErrInvalid, t.Name))
		}
		b.byName[t.Name] = t
	}
	return b, errors.Join(errs...)
}

// offer lists the tools as a request has them.
func (b *toolbox) offer() []llm.Tool {
	out := make([]llm.Tool, len(b.list))
	for i, t := range b.list {
		out[i] = llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters}
	}
	return out
}

func (b *toolbox) names() []string {
	out := make([]string, len(b.list))
	for i, t := range b.list {
		out[i] = t.Name
	}
	return out
}

// normal is a call with its arguments as the schemas have them. Providers fill in
// null for what a model leaves out, and what models have learned stays in their
// answers: the value of fill was named text.
func (b *toolbox) normal(call llm.ToolCall) llm.ToolCall {
	t := b.byName[call.Name]
	if t == nil || call.Toolset != "" || t.read.form.Validate(call.Arguments) == nil {
		return call
	}
	var in map[string]any
	decoder := json.NewDecoder(bytes.NewReader(call.Arguments))
	decoder.UseNumber()
	if decoder.Decode(&in) != nil {
		return call
	}
	dropNulls(in)
	if text, old := in["text"]; old && call.Name == toolFill && in["value"] == nil {
		in["value"] = text
		delete(in, "text")
	}
	if raw, err := json.Marshal(in); err == nil && t.read.form.Validate(raw) == nil {
		call.Arguments = raw
	}
	return call
}

// dropNulls leaves out members that are null, at any depth.
func dropNulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil {
				delete(v, name)
			}
			dropNulls(member)
		}
	case []any:
		for _, item := range v {
			dropNulls(item)
		}
	}
}

// find returns the tool of a call whose arguments are as its schema says.
func (b *toolbox) find(call llm.ToolCall) (*Tool, error) {
	t := b.byName[call.Name]
	if t == nil {
		return nil, fmt.Errorf("%w: there is no tool %q; the tools are %v", ErrInvalid, call.Name, b.names())
	}
	if err := t.read.form.Validate(call.Arguments); err != nil {
		return nil, fmt.Errorf("%w: the arguments of %s: %w", ErrInvalid, call.Name, err)
	}
	return t, nil
}

// built makes one of the agent's own tools.
func built[In any](name string, k kind, description string, f func(ctx context.Context, r *run, in In) (*Answer, error)) Tool {
	form, err := schema.For[In]()
	if err != nil {
		panic(fmt.Sprintf("agent: tool %s: %v", name, err)) // a mistake in this package
	}
	return Tool{
		Name:        name,
		Description: description,
		Parameters:  form.JSON(),
		read:        readSchema{form, string(form.JSON())},
		kind:        k,
		exempt:      k == waits || k == talks,
		Run: func(ctx context.Context, c *Call) (*Answer, error) {
			in, err := schema.Decode[In](form, c.Arguments)
			if err != nil {
				return nil, err
			}
			return f(ctx, c.run, in)
		},
	}
}

// add sums what several acts of one step have reported.
func (rep *report) add(one *report) {
	if one == nil {
		return
	}
	a := &rep.action
	a.Actions, a.About = append(a.Actions, one.action.Actions...), append(a.About, one.action.About...)
	a.Beside, a.Replaced = append(a.Beside, one.action.Beside...), append(a.Replaced, append(one.action.Replaced, "")[0])
	a.Nearer, a.Twins = append(a.Nearer, one.action.Nearer...), max(a.Twins, one.action.Twins)
	a.Selector, a.Target, a.Text = one.action.Selector, one.action.Target, one.action.Text
	if e := one.action.Evidence; e != nil && (a.Evidence == nil || e.Effect != engine.EffectNone) {
		a.Evidence = e
	}
	rep.usage = rep.usage.Add(one.usage)
	if one.surprise != "" {
		rep.surprise = one.surprise
	}
}
