package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// TestHooksSeeEveryStep: each step that is yielded begins and ends for the hooks,
// also one that names no tool, or no right arguments, or is not run; it ends once the
// store has its outcome; and each has a number and an action.
func TestHooksSeeEveryStep(t *testing.T) {
	page := counter(t)
	store := runs.NewMemory()
	var id string
	var began, ended []int
	hooks := &agent.Hooks{
		RunBegan: func(ctx context.Context, r agent.RunInfo) context.Context { id = r.ID; return ctx },
		StepBegan: func(ctx context.Context, s agent.Step) context.Context {
			began = append(began, s.Number)
			return context.WithValue(ctx, stepKey{}, s.Number)
		},
		StepEnded: func(ctx context.Context, s agent.Step) {
			ended = append(ended, s.Number)
			if ctx.Value(stepKey{}) != s.Number {
				t.Errorf("step %d ends with the context of %v", s.Number, ctx.Value(stepKey{}))
			}
			records, err := store.Load(ctx, id)
			if err != nil {
				t.Error(err)
				return
			}
			if last := string(records[len(records)-1].Data); !strings.Contains(last, fmt.Sprintf(`"step":%d`, s.Number)) || !strings.Contains(last, string(s.Action.Status)) {
				t.Errorf("step %d ended, and the newest record is %.200s", s.Number, last)
			}
		},
	}
	model := llmtest.NewScript(t,
		say("fly", args{}),
		say("click", args{"reff": 1}),
		llmtest.Step{Purpose: llm.PurposeAgent, Answer: func(*llm.Request) any { return &llm.Response{Text: "hm", Stop: llm.StopEnd} }},
		answer(func(req *llm.Request) []llm.ToolCall {
			return []llm.ToolCall{call(req, "click", args{"ref": "9-9"}), call(req, "click", args{"ref": "@button: Plus"})}
		}),
		say("done", args{"success": false, "message": "x", "criteria": nil}),
	)
	a, err := agent.New(agent.Config{Model: model, Hooks: hooks, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var numbers []int
	for step, err := range a.Run(t.Context(), page, agent.Task{Instruction: "count", MaxFailures: 10}) {
		if err != nil {
			t.Fatal(err)
		}
		got, numbers = append(got, fmt.Sprint(step.Action.Type, " ", step.Action.Status)), append(numbers, step.Number)
	}
	if want := "fly failed, click failed, none failed, click failed, click notRun, done done"; strings.Join(got, ", ") != want {
		t.Errorf("steps %q, want %q", strings.Join(got, ", "), want)
	}
	if want := []int{1, 2, 3, 4, 5, 6}; !slices.Equal(numbers, want) || !slices.Equal(began, want) || !slices.Equal(ended, want) {
		t.Errorf("numbers %v, began %v, ended %v, want %v each", numbers, began, ended, want)
	}
}

type stepKey struct{}

// unpriced is a model that no list of prices has.
type unpriced struct{ llm.Model }

func (unpriced) Name() string { return "test/unknown" }

// TestLastStep: a run that ends between two calls ends by a step that says why.
func TestLastStep(t *testing.T) {
	a, err := agent.New(agent.Config{Model: endless(t, click("Plus"))})
	if err != nil {
		t.Fatal(err)
	}
	var last agent.Step
	for step := range a.Run(t.Context(), counter(t), agent.Task{Instruction: "count", MaxTokens: 3000}) {
		last = step
	}
	r := last.Result
	if r == nil || last.Number != len(r.Actions)+1 || last.Action.Type != "end" || last.Action.Status != agent.NotRun || !strings.Contains(last.Action.Message, "tokens") {
		t.Errorf("the last step is %+v", last)
	}
}

// TestToolsOfALastStep: in the last step that a task allows the model can end the run and
// nothing else, and at no time does it have a tool that the task excludes.
func TestToolsOfALastStep(t *testing.T) {
	var had [][]string
	answer := func(call func(req *llm.Request) []llm.ToolCall) llmtest.Step {
		return answer(func(req *llm.Request) []llm.ToolCall {
			var names []string
			for _, tool := range req.Tools {
				names = append(names, tool.Name)
			}
			had = append(had, names)
			return call(req)
		})
	}
	lookup := agent.Tool{Name: "lookup", Parameters: []byte(`{"type":"object"}`), Run: func(context.Context, *agent.Call) (*agent.Answer, error) { return &agent.Answer{Text: "x"}, nil }}
	secret := lookup
	secret.Name = "secret"
	a, err := agent.New(agent.Config{Integrations: []agent.Integration{served{lookup, secret}}, Model: llmtest.NewScript(t,
		answer(click("Plus")),
		answer(func(req *llm.Request) []llm.ToolCall {
			return []llm.ToolCall{call(req, "done", args{"success": false, "message": "no more steps"})}
		}))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Execute(t.Context(), counter(t), agent.Task{Instruction: "count", MaxSteps: 2, Exclude: []string{"secret"}}); err != nil {
		t.Error(err)
	}
	if len(had) != 2 || !slices.Contains(had[0], "lookup") || slices.Contains(had[0], "secret") || !slices.Equal(had[1], []string{"done"}) {
		t.Errorf("the model had %q", had)
	}
}

// TestNewToolGetsItsCall: a tool's function knows the page, the run, the step, the
// class and the names of the variables; who approves reads the model's own word.
func TestNewToolGetsItsCall(t *testing.T) {
	page := counter(t)
	var asked agent.Approval
	var got string
	type in struct {
		Amount int `json:"amount"`
	}
	tool, err := agent.NewTool("pay", "Pays.", func(_ context.Context, c *agent.Call, in in) (string, error) {
		got = fmt.Sprintf("%v %v %d %s %v %d", c.Page() == page, c.Run != "" && c.Run == asked.Run, c.Step, c.Class, c.Variables(), in.Amount)
		return "paid", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tool.Class = agent.ClassPay
	model := llmtest.NewScript(t,
		llmtest.Step{Purpose: llm.PurposeAgent, Answer: func(req *llm.Request) any {
			return &llm.Response{Text: "The invoice is due today.", ToolCalls: []llm.ToolCall{call(req, "think", args{"thought": "x"}), call(req, "pay", args{"amount": 7})}, Stop: llm.StopTools}
		}},
		say("done", args{"success": false, "message": "x"}))
	a, err := agent.New(agent.Config{Model: model, Tools: []agent.Tool{tool}, NeedApproval: []agent.Class{agent.ClassPay}, Approve: func(_ context.Context, a agent.Approval) error { asked = a; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Execute(t.Context(), page, agent.Task{Instruction: "pay it", Variables: map[string]engine.Variable{"pin": {Value: "hunter2"}}}); err != nil {
		t.Fatal(err)
	}
	if want := "true true 2 pay [pin] 7"; got != want {
		t.Errorf("the call knows %q, want %q", got, want)
	}
	if asked.Reason != "The invoice is due today." || string(asked.Arguments) != `{"amount":7}` || asked.Task != "pay it" || asked.Step != 2 || asked.Described != "" {
		t.Errorf("asked %+v", asked)
	}
}

// TestExecuteInto: the output comes as a value, and none is an error.
func TestExecuteInto(t *testing.T) {
	type count struct {
		Count int `json:"count"`
	}
	for _, c := range []struct {
		done args
		want error
	}{
		{args{"success": true, "message": "0", "output": args{"count": 0}}, nil},
		{args{"success": false, "message": "there is no number"}, agent.ErrNoOutput},
	} {
		step := say("done", c.done)
		step.Times = -1
		a, err := agent.New(agent.Config{Model: llmtest.NewScript(t, step)})
		if err != nil {
			t.Fatal(err)
		}
		got, result, err := agent.ExecuteInto[count](t.Context(), a, counter(t), agent.Task{Instruction: "read the number"})
		if !errors.Is(err, c.want) || c.want == nil && err != nil || result == nil || got.Count != 0 {
			t.Errorf("ExecuteInto(%v) = %v, %+v, %v, want %v", c.done, got, result, err, c.want)
		}
	}
}

// TestCallsAsModelsWriteThem: null is as good as left out, and fill names its argument
// as fillForm does, or as it did before.
func TestCallsAsModelsWriteThem(t *testing.T) {
	model := llmtest.NewScript(t,
		say("click", args{"ref": "@button: Plus", "button": nil, "modifiers": nil, "at": nil, "dialog": nil}),
		say("fill", args{"ref": "@textbox: Note", "value": "a"}),
		say("fill", args{"ref": "@textbox: Note", "text": "b"}),
		say("fillForm", args{"fields": []args{{"ref": "@textbox: Note", "value": "c"}}}),
		say("done", args{"success": false, "message": "x", "criteria": nil, "output": nil}))
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), counter(t), agent.Task{Instruction: "count"})
	if err != nil || slices.ContainsFunc(result.Actions, func(a agent.Action) bool { return a.Status != agent.Done }) {
		t.Errorf("err = %v:%s", err, steps(result))
	}
}

// TestPriceOfEveryModel: MaxCost is refused before the first question where one of the
// models has no price; without MaxCost the result names it.
func TestPriceOfEveryModel(t *testing.T) {
	other := unpriced{llmtest.NewScript(t)}
	model := endless(t, func(req *llm.Request) []llm.ToolCall {
		return []llm.ToolCall{call(req, "done", args{"success": false, "message": "x"})}
	})
	a, err := agent.New(agent.Config{Model: model, ExecutionModel: other, Prices: prices(t)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Execute(t.Context(), counter(t), agent.Task{Instruction: "count", MaxCost: 1}); !errors.Is(err, agent.ErrInvalid) || !strings.Contains(err.Error(), "test/unknown") || len(model.Requests()) > 0 {
		t.Errorf("err = %v after %d questions, want the price of test/unknown before the first", err, len(model.Requests()))
	}
	c, err := agent.New(agent.Config{Model: endless(t, click("Plus"))})
	if err != nil {
		t.Fatal(err)
	}
	if result, _ := c.Execute(t.Context(), counter(t), agent.Task{Instruction: "count", MaxSteps: 2}); !slices.Equal(result.Unpriced, []string{"script/test"}) {
		t.Errorf("unpriced %v, want script/test", result.Unpriced)
	}
}

// TestClickWithin: a click at a place within an element, and dialogs answered in the
// call that raises them, be it click, press or act; the answer is for that call's dialog and no later one.
func TestClickWithin(t *testing.T) {
	right := false
	var answers []bool
	var names []string
	const place = `<title>Place</title><div id=map role=button tabindex=0 aria-label=Map style="width:200px;height:100px"><div style="width:120px;height:100px"></div><div id=right style="position:absolute;left:130px;top:0;width:70px;height:100px"></div></div><button id=del>Delete</button><button id=quiet>Quiet</button><button id=ask>Rename</button>`
	page := openScripted(t, "https://place.test/", place, func(d *fake.Document) {
		d.On("click", "#right", func(*fake.Event) { right = true })
		d.On("click", "#del", func(*fake.Event) { answers = append(answers, d.Confirm("Sure?")) })
		d.On("click", "#ask", func(*fake.Event) {
			name, ok := d.Prompt("Its name?", "old")
			names = append(names, fmt.Sprint(name, " ", ok))
		})
	})
	model := llmtest.NewScript(t,
		say("click", args{"ref": "@button: Map", "at": args{"x": 150, "y": 20}}),
		say("click", args{"ref": "@button: Delete", "dialog": "accept"}),
		say("click", args{"ref": "@button: Quiet", "dialog": "accept"}), // opens none
		say("click", args{"ref": "@button: Delete"}),
		say("press", args{"ref": "@button: Delete", "keys": "Enter", "dialog": "accept"}),
		say("act", args{"instruction": "click Delete", "dialog": "accept"}),
		llmtest.Step{Answer: func(req *llm.Request) any { // of act
			return args{"found": true, "ref": llmtest.Ref(req, "button: Delete"), "method": "click", "arguments": []string{}, "description": "Delete", "reason": "", "more": false}
		}},
		say("press", args{"ref": "@button: Delete", "keys": "Enter"}),
		say("click", args{"ref": "@button: Rename", "dialog": "accept=a=b"}),
		say("click", args{"ref": "@button: Rename", "dialog": "accept"}),
		say("click", args{"ref": "@button: Rename", "dialog": "dismiss"}),
		say("click", args{"ref": "@button: Rename", "dialog": "yes"}), // is not pressed
		say("done", args{"success": false, "message": "x"}))
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "click"})
	if err != nil {
		t.Fatal(err)
	}
	if !right {
		t.Errorf("the right half was not clicked:%s", steps(result))
	}
	if !slices.Equal(answers, []bool{true, false, true, true, false}) {
		t.Errorf("the confirms were answered %v, want yes, no, yes, yes, no:%s", answers, steps(result))
	}
	if want := []string{"a=b true", " true", " false"}; !slices.Equal(names, want) {
		t.Errorf("the prompts were answered %q, want %q:%s", names, want, steps(result))
	}
	if last := result.Actions[len(result.Actions)-2]; last.Status != agent.Failed || !strings.Contains(last.Message, "accept, dismiss or accept=text") {
		t.Errorf("a click with the answer yes came to %s %q, want failed, and what to write", last.Status, last.Message)
	}
}
