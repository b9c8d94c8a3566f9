// Package dialect has the vendors' tools for browsers and computers as tables: the
// models that have one, and what each of its names means as actions of package
// computer. It knows no vendor's SDK: adapters bring calls here as JSON.
package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
	"github.com/wayfinder-engine/wayfinder/internal/vendortool"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Dialect is one vendor's tool.
type Dialect struct {
	Tool string // as [llm.ComputerTool] names it

	// Pictures: the vendor's model expects one of the page after its actions.
	Pictures bool
	// Refs: the model reads the page by a call, and names elements by refs.
	Refs bool
	// State: results say what the browser shows.
	State bool
	// Longest bounds the longer side of pictures, in pixels.
	Longest int
	// Own are the agent's tools that stand beside it, for what it lacks.
	Own []string

	// split is how a call is several, none if it is one; nil if it always is.
	split func(args json.RawMessage) []json.RawMessage
	// names are what calls mean.
	names map[string]meaning
	// nameIn is the argument that has the name, where a call's own name is always
	// the same.
	nameIn string
	// whole is how many units of a coordinate the picture has; 0 is its pixels.
	whole float64
}

// A meaning makes actions of a call's arguments. What is wrong with these they remember.
type meaning func(in *arguments) []computer.Action

// beside are the agent's tools in mode cua, whatever the vendor: all of them take
// plain functions beside their own tool.
var beside = []string{"done", "ask", "dialog", "downloads", "read", "pageTool", "pageTools"}

// travelling are those for what a tool of points alone cannot do.
var travelling = append([]string{"navigate", "back", "forward", "reload", "tabs"}, beside...)

// dialects are all, by their tool.
var dialects = []*Dialect{
	{Tool: vendortool.OpenAI, Pictures: true, Longest: 2000, Own: travelling, split: openAIActions, names: openAI, nameIn: "type"},
	{Tool: vendortool.OpenAIPreview, Pictures: true, State: true, Longest: 1568, Own: travelling, split: openAIActions, names: openAI, nameIn: "type"},
	{Tool: vendortool.AnthropicBrowser, Refs: true, State: true, Longest: 2000, Own: beside, names: anthropicBrowser},
	{Tool: vendortool.AnthropicToolset, Pictures: true, Longest: 2000, Own: travelling, names: anthropicComputer},
	{Tool: vendortool.Anthropic20251124, Pictures: true, Longest: 1568, Own: travelling, names: anthropicComputer, nameIn: "action"},
	{Tool: vendortool.Anthropic20250124, Pictures: true, Longest: 1568, Own: travelling, names: without(anthropicComputer, "zoom"), nameIn: "action"},
	{Tool: vendortool.Google, Pictures: true, State: true, Longest: 2000, Own: append([]string{"tabs", "reload"}, beside...), names: google, whole: 1000},
	{Tool: vendortool.Google2025, Pictures: true, State: true, Longest: 2000, Own: append([]string{"tabs", "reload"}, beside...), names: google2025, whole: 1000},
}

func without(all map[string]meaning, name string) map[string]meaning {
	out := maps.Clone(all)
	delete(out, name)
	return out
}

// models says which models have which tool, by the beginning of the model's name
// with its provider. The first one that fits counts.
var models = []struct {
	model *regexp.Regexp
	tool  string
}{
	{regexp.MustCompile(`^(openai|azure|microsoft)/computer-use-preview`), vendortool.OpenAIPreview},
	{regexp.MustCompile(`^(openai|azure|microsoft)/gpt-(5\.([4-9]|\d\d)|[6-9])`), vendortool.OpenAI},
	{regexp.MustCompile(`^(anthropic|vertex)/claude-[a-z]+-([5-9]|\d\d)(\D|$)`), vendortool.AnthropicBrowser},
	{regexp.MustCompile(`^(anthropic|vertex)/claude-(opus-4-[5-9]|sonnet-4-[6-9])`), vendortool.Anthropic20251124},
	{regexp.MustCompile(`^(anthropic|vertex)/claude-(3-7-sonnet|(opus|sonnet|haiku)-4)`), vendortool.Anthropic20250124},
	{regexp.MustCompile(`^(google|vertex)/gemini-2\.5-computer-use`), vendortool.Google2025},
	{regexp.MustCompile(`^(google|vertex)/gemini-3-(pro|flash)`), vendortool.Google2025},
	{regexp.MustCompile(`^(google|vertex)/gemini-(3\.[5-9]|[4-9])`), vendortool.Google},
}

// which says in words which models have a tool.
const which = "OpenAI's gpt-5.4 and later and computer-use-preview, Anthropic's Claude from 3.7 on, Google's gemini-3 and later and gemini-2.5-computer-use"

// For returns the dialect of a model, or of a tool where one is named.
func For(model, tool string) (*Dialect, error) {
	if tool == "" {
		for _, m := range models {
			if m.model.MatchString(model) {
				tool = m.tool
				break
			}
		}
		if tool == "" {
			return nil, fmt.Errorf("the model %q has no tool of its vendor's for computers that is known here; these have one: %s", model, which)
		}
	}
	var known []string
	for _, d := range dialects {
		if d.Tool == tool {
			return d, nil
		}
		known = append(known, d.Tool)
	}
	return nil, fmt.Errorf("there is no tool %q; there are %s", tool, strings.Join(known, ", "))
}

// Split returns the calls that one call consists of, each with the ID of the
// whole; the first has its checks. Those of a batch have the names of their actions. A
// call that cannot be read is itself, and Decode says why.
func (d *Dialect) Split(call llm.ToolCall) (out []llm.ToolCall) {
	if call.Toolset == "" || d.split == nil {
		return []llm.ToolCall{call}
	}
	for _, raw := range d.split(call.Arguments) {
		out = append(out, llm.ToolCall{ID: call.ID, Name: call.Name, Toolset: call.Toolset, Arguments: raw})
	}
	if len(out) == 0 {
		return []llm.ToolCall{call}
	}
	out[0].Checks = call.Checks
	return out
}

// Name is what a call does, in the vendor's word.
func (d *Dialect) Name(call llm.ToolCall) string {
	if d.nameIn == "" {
		return call.Name
	}
	var members map[string]json.RawMessage
	var name string
	if json.Unmarshal(call.Arguments, &members) == nil && json.Unmarshal(members[d.nameIn], &name) == nil && name != "" {
		return name
	}
	return call.Name
}

// Looks reports whether a call makes sense on a page that the model has not seen: all its
// actions look, or go somewhere by themselves.
func (d *Dialect) Looks(call llm.ToolCall, hand *computer.Hand) bool {
	actions, err := d.Decode(call, hand)
	return err == nil && !slices.ContainsFunc(actions, func(a computer.Action) bool { return !a.Blind() })
}

// Decode reads a call as the actions that it means. Points are in the newest picture of
// the hand that does them.
func (d *Dialect) Decode(call llm.ToolCall, hand *computer.Hand) ([]computer.Action, error) {
	name := d.Name(call)
	mean, ok := d.names[name]
	if !ok {
		return nil, fmt.Errorf("there is no action %q here", name)
	}
	width, height := hand.Size()
	in := &arguments{dialect: d, width: float64(width), height: float64(height)}
	if len(call.Arguments) > 0 {
		if err := json.Unmarshal(call.Arguments, &in.raw); err != nil {
			return nil, fmt.Errorf("the arguments of %s are no object: %w", name, err)
		}
	}
	actions := mean(in)
	if in.err != nil {
		return nil, fmt.Errorf("%s: %w", name, in.err)
	}
	for i := range actions {
		actions[i].Tab = in.text("tab_id", false)
	}
	return actions, in.err
}
