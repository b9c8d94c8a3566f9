package knowledge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/knowledge"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

const origin = "https://site.test"

// A learner is a model that can do a task of the suite, and uses what it is offered:
// nothing, and it goes step by step, as it has to look at each page; a note of how
// it went, and it does all of that in one program; a program that worked, and it
// has it run again.
type learner struct {
	task   sites.Task
	learns bool // it has the tools of package knowledge

	way       string // turns, program, again
	turn      int
	steps     int
	questions int
	tokens    int // of input, by llm.Estimate, without caches; and of output
	lost      []string
}

func (*learner) Name() string { return "scripted/learner" }

func (l *learner) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp := &llm.Response{Stop: llm.StopTools}
	var err error
	if req.Purpose != llm.PurposeAgent {
		if resp, err = offline.New().Generate(ctx, req); err != nil {
			return nil, err
		}
	} else {
		for i, c := range l.next(req) {
			raw, _ := json.Marshal(l.resolve(req, c.Args)) // of plain values
			resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("%d.%d", l.questions, i), Name: c.Tool, Arguments: raw})
			resp.Usage.Output += (len(raw) + len(c.Tool)) / 4
		}
		resp.Usage.Input = llm.Estimate(req)
	}
	l.questions++
	l.tokens += llm.Estimate(req) + resp.Usage.Output
	return resp, err
}

// note is what it writes down of a task: each step in words.
func (l *learner) note() string {
	var steps []string
	for _, turn := range l.task.Turns {
		for _, c := range turn {
			words := []string{c.Tool}
			for _, k := range []string{"ref", "query", "url", "text", "options", "fields", "keys", "value"} {
				if v, ok := c.Args[k]; ok {
					words = append(words, strings.NewReplacer("map[ref:@", "", " value:", " = ", "[", "", "]", "", "@", "").Replace(fmt.Sprint(v)))
				}
			}
			steps = append(steps, strings.Join(words, " "))
		}
	}
	text := l.key() + strings.Join(steps, "; ")
	return text[:min(len(text), 500)]
}

// key is how it knows its note again.
func (l *learner) key() string { return "To do “" + l.task.Say[:min(len(l.task.Say), 60)] + "”: " }

func (l *learner) next(req *llm.Request) []sites.Call {
	if l.way == "" {
		l.way = "turns"
		known := offered(req)
		source, ok := asProgram(l.task)
		switch id := programFor(known, l.task.Say); {
		case id != "":
			l.way = "again"
			l.steps++
			return []sites.Call{{Tool: "rerun", Args: args{"id": id}}}
		case ok && strings.Contains(known, l.key()):
			l.way = "program"
			l.steps++
			return []sites.Call{{Tool: "run", Args: args{"program": source}}}
		}
	}
	if l.way != "turns" || l.turn >= len(l.task.Turns) {
		calls := []sites.Call{l.done()}
		if l.way == "turns" && l.learns && !strings.Contains(offered(req), l.key()) {
			calls = append([]sites.Call{{Tool: "remember", Args: args{"note": l.note()}}}, calls...)
		}
		return calls
	}
	calls := l.task.Turns[l.turn]
	l.turn++
	l.steps += len(calls)
	return calls
}

// programFor is the id of a program that is known for a task.
func programFor(known, task string) string {
	for line := range strings.Lines(known) {
		if id, rest, ok := strings.Cut(line, " program, written for the task "); ok && strings.HasPrefix(rest, fmt.Sprintf("%q", task)) {
			return id
		}
	}
	return ""
}

func (l *learner) done() sites.Call {
	var criteria []any
	for _, c := range l.task.Done.Criteria {
		var evidence []any
		for _, e := range c.Evidence {
			proof := args{}
			for k, v := range e {
				if n, ok := v.(int); ok && k == "step" {
					switch {
					case l.way != "turns":
						v = 1
					case n < 0:
						v = l.steps + 1 + n
					}
				}
				proof[k] = v
			}
			evidence = append(evidence, proof)
		}
		criteria = append(criteria, args{"criterion": c.Text, "evidence": evidence})
	}
	return sites.Call{Tool: "done", Args: args{"success": true, "message": l.task.Done.Message, "criteria": criteria}}
}

// resolve puts refs in the place of elements, and addresses in that of paths.
func (l *learner) resolve(req *llm.Request, value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := args{}
		for k, v := range value {
			if path, ok := v.(string); ok && k == "url" && strings.HasPrefix(path, "/") {
				v = origin + path
			}
			out[k] = l.resolve(req, v)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = l.resolve(req, value[i])
		}
		return out
	case string:
		if element, ok := strings.CutPrefix(value, "@"); ok {
			for _, m := range slices.Backward(req.Messages) {
				for _, p := range slices.Backward(m.Parts) {
					page, ok := p.(llm.Page)
					if !ok || page.Kind == "known" {
						continue
					}
					if ref := sites.Showing(page.Text, element); ref != "" {
						return ref
					}
				}
			}
			l.lost = append(l.lost, element)
			return "0-0"
		}
	}
	return value
}

// asProgram is a task of the suite as a program; false if a step of it is none that a
// program has, or surprises one.
func asProgram(task sites.Task) (string, bool) {
	if slices.Contains(surprising, task.Name) {
		return "", false
	}
	var lines []string
	for _, turn := range task.Turns {
		for _, c := range turn {
			more, ok := scripted(c)
			if !ok {
				return "", false
			}
			lines = append(lines, more...)
		}
	}
	return strings.Join(lines, "\n"), true
}

// surprising are the tasks whose way leads over an answer that stops a program: a
// mistake that the site complains about, a server that fails.
var surprising = []string{"mail/back-and-forth", "mail/write", "calendar/taken-room", "wizard/complaint", "portal/release", "desk/again", "desk/not-again"}

func scripted(c sites.Call) ([]string, bool) {
	text := func(key string) string { return fmt.Sprintf("%q", fmt.Sprint(c.Args[key])) }
	element := func(v any) string {
		path := strings.Split(strings.TrimPrefix(v.(string), "@"), " / ")
		within := ""
		for _, in := range path[:len(path)-1] {
			role, says, _ := strings.Cut(in, ": ")
			within = fmt.Sprintf(", within=find(%q, text=%q%s)[-1]", role, says, within)
		}
		return fmt.Sprintf("%q%s", path[len(path)-1], within)
	}
	value := func(v string) string {
		if name := strings.Trim(v, "%"); len(name) == len(v)-2 {
			return fmt.Sprintf("var(%q)", name)
		}
		return fmt.Sprintf("%q", v)
	}
	fill := func(ref, v any) string {
		target, within, _ := strings.Cut(element(ref), ", within")
		if within != "" {
			within = ", within" + within
		}
		return fmt.Sprintf("fill(%s, %s%s)", target, value(v.(string)), within)
	}
	switch c.Tool {
	case "find":
		return nil, true
	case "click":
		return []string{"click(" + element(c.Args["ref"]) + ")"}, len(c.Args) == 1
	case "fill":
		return []string{fill(c.Args["ref"], c.Args["text"])}, true
	case "fillForm":
		var out []string
		for _, f := range c.Args["fields"].([]any) {
			field := f.(map[string]any)
			out = append(out, fill(field["ref"], field["value"]))
		}
		return out, true
	case "select":
		target, within, _ := strings.Cut(element(c.Args["ref"]), ", within")
		if within != "" {
			within = ", within" + within
		}
		return []string{fmt.Sprintf("select(%s, %q%s)", target, c.Args["options"].([]any)[0], within)}, true
	case "press":
		return []string{"press(" + text("keys") + ", " + element(c.Args["ref"]) + ")"}, c.Args["ref"] != nil
	case "back", "reload":
		return []string{c.Tool + "()"}, true
	case "navigate":
		return []string{fmt.Sprintf("navigate(%q)", origin+c.Args["url"].(string))}, true
	case "dialog":
		return []string{"dialog(True)"}, c.Args["accept"] == true
	case "wait":
		return []string{"wait(text=" + text("value") + ")"}, c.Args["for"] == "text"
	case "read":
		return []string{"read()"}, c.Args["ref"] == nil
	}
	return nil, false
}

// perform has a task of the suite done, and holds the site against what it wants.
func perform(t *testing.T, task sites.Task, store knowledge.Store) *learner {
	t.Helper()
	site := task.New()
	session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: site}), &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), origin+task.Start, nil); err != nil {
		t.Fatal(err)
	}
	model := &learner{task: task, learns: store != nil}
	cfg := agent.Config{Model: model}
	if store != nil {
		cfg.Tools = []agent.Tool{program.Tool(program.Limits{})}
		cfg = knowledge.Use(cfg, store, nil)
	}
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	given := agent.Task{Instruction: task.Say, Files: task.Files, MaxSteps: 60, Variables: map[string]engine.Variable{}}
	for name, value := range task.Variables {
		given.Variables[name] = engine.Variable{Value: value}
	}
	result, err := a.Execute(t.Context(), session.Page(), given)
	unproven := (task.Name == "desk/not-again" || task.Name == "wiki/take-back" || task.Name == "calendar/move") && result != nil && result.Verdict == agent.Unproven // done, and no rule can say so
	if err != nil || !result.Success && !unproven || !slices.Equal(site.Journal(), task.Want) {
		for _, a := range result.Actions {
			t.Log(a.Step, a.Type, string(a.Arguments), a.Status, a.Message)
		}
		t.Errorf("%s by %s: %v, %s %+v, the site says %q, want %q, lost %q", task.Name, model.way, err, result.Verdict, result.Open, site.Journal(), task.Want, model.lost)
	}
	return model
}

// TestSuiteAgain: the suite without knowledge, and four times with it; it prints
// what each time took. What is known of a site are the notes and programs of all
// tasks on it.
func TestSuiteAgain(t *testing.T) {
	stores := map[string]knowledge.Store{}
	took := map[string][2]int{}
	for _, pass := range []string{"without", "first", "second", "third", "fourth"} {
		var questions, tokens, tasks int
		ways := map[string]int{}
		for _, task := range sites.Tasks() {
			if task.Script {
				continue
			}
			name, _, _ := strings.Cut(task.Name, "/")
			if stores[name] == nil {
				stores[name] = knowledge.Memory()
			}
			store := stores[name]
			if pass == "without" {
				store = nil
			}
			l := perform(t, task, store)
			questions, tokens, tasks = questions+l.questions, tokens+l.tokens, tasks+1
			ways[l.way]++
		}
		took[pass] = [2]int{questions, tokens}
		t.Logf("%-8s %d tasks, %d questions, %d tokens; %v", pass, tasks, questions, tokens, ways)
	}
	if took["second"][0]*10 > took["first"][0]*7 || took["second"][1]*10 > took["without"][1]*9 {
		t.Errorf("the second time took %v, the first %v, and without knowledge %v: want 0.7 of the questions and 0.9 of the tokens at most", took["second"], took["first"], took["without"])
	}
}
