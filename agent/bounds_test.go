package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// counter is a page with a counter, a button that counts and one that does nothing.
const counterPage = `<!doctype html><title>Counter</title><p id=n>0</p><button id=plus>Plus</button><button id=dead>Dead</button><label>Note <input id=note></label>`

func counter(t *testing.T) *engine.Page {
	t.Helper()
	n := 0
	return openScripted(t, "https://count.test/", counterPage, func(d *fake.Document) {
		d.On("click", "#plus", func(*fake.Event) { n++; d.Find("#n").SetText(fmt.Sprint(n)) })
	})
}

// endless answers every question by the same calls, and done where nothing else is offered.
func endless(t *testing.T, calls func(req *llm.Request) []llm.ToolCall) *llmtest.Script {
	step := answer(func(req *llm.Request) []llm.ToolCall {
		if len(req.Tools) == 1 {
			return []llm.ToolCall{call(req, "done", args{"success": true, "message": "I am sure"})}
		}
		return calls(req)
	})
	step.Times = -1
	return llmtest.NewScript(t, step)
}

func click(name string) func(req *llm.Request) []llm.ToolCall {
	return func(req *llm.Request) []llm.ToolCall {
		return []llm.ToolCall{call(req, "click", args{"ref": "@button: " + name})}
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		task   agent.Task
		config agent.Config
		calls  func(req *llm.Request) []llm.ToolCall
		want   error
		steps  int // -1: not looked at
	}{
		{name: "an action that changes nothing is ended at the sixth time", calls: click("Dead"), want: agent.ErrRepeated, steps: 6},
		{name: "actions that change nothing end the run at the sixth", want: agent.ErrStagnant, steps: 6,
			calls: func(req *llm.Request) []llm.ToolCall {
				return []llm.ToolCall{call(req, "click", args{"ref": "@button: Dead", "count": len(req.Messages)%3 + 1, "modifiers": []string{"Shift", "Alt", "Control"}[len(req.Messages)%2 : len(req.Messages)%2+1]})}
			}},
		{name: "a counter that counts is progress, up to the last step", calls: click("Plus"), steps: 20},
		{name: "readings of the same page are ended at the sixth", want: agent.ErrRepeated, steps: 6,
			calls: func(req *llm.Request) []llm.ToolCall { return []llm.ToolCall{call(req, "find", args{"query": "plus"})} }},
		{name: "thinking and waiting are bounded by the steps alone", steps: 21, // one of them not run
			calls: func(req *llm.Request) []llm.ToolCall {
				return []llm.ToolCall{call(req, "think", args{"thought": "hm"}), call(req, "wait", args{"for": "quiet"})}
			}},
		{name: "unknown tools", want: agent.ErrFailures, steps: 5,
			calls: func(req *llm.Request) []llm.ToolCall { return []llm.ToolCall{call(req, "fly", args{})} }},
		{name: "arguments that are none", want: agent.ErrFailures, steps: 5,
			calls: func(req *llm.Request) []llm.ToolCall {
				return []llm.ToolCall{{ID: "x", Name: "click", Arguments: json.RawMessage(`{"reff":1}`)}}
			}},
		{name: "no calls at all", want: agent.ErrFailures, steps: 5,
			calls: func(*llm.Request) []llm.ToolCall { return nil }},
		{name: "the same tool fifty times in one answer", want: agent.ErrRepeated, steps: 6,
			calls: func(req *llm.Request) []llm.ToolCall {
				var out []llm.ToolCall
				for i := range 50 {
					c := call(req, "click", args{"ref": "@button: Dead"})
					c.ID = fmt.Sprint(c.ID, i)
					out = append(out, c)
				}
				return out
			}},
		{name: "ten tools at once, and a bound of four: three are run, and done", task: agent.Task{MaxSteps: 4}, steps: 11,
			calls: func(req *llm.Request) []llm.ToolCall {
				var out []llm.ToolCall
				for i := range 10 {
					c := call(req, "click", args{"ref": "@button: Plus"})
					c.ID = fmt.Sprint(c.ID, i)
					out = append(out, c)
				}
				return out
			}},
		{name: "tokens", task: agent.Task{MaxTokens: 3000}, calls: click("Plus"), want: agent.ErrTokens, steps: -1},
		{name: "money", task: agent.Task{MaxCost: 0.0001}, config: agent.Config{Prices: prices(t)}, calls: click("Plus"), want: agent.ErrCost, steps: 0},
		{name: "money without a price", task: agent.Task{MaxCost: 1}, calls: click("Plus"), want: agent.ErrInvalid, steps: 0},
		{name: "a window that is too small", config: agent.Config{Window: 600}, calls: click("Plus"), want: agent.ErrWindow, steps: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := counter(t)
			c.config.Model = endless(t, c.calls)
			a, err := agent.New(c.config)
			if err != nil {
				t.Fatal(err)
			}
			c.task.Instruction = "count"
			result, err := a.Execute(t.Context(), page, c.task)
			if !errors.Is(err, c.want) || (c.want == nil && err != nil) {
				t.Errorf("err = %v, want %v", err, c.want)
			}
			if result == nil {
				t.Fatal("there is no result")
			}
			if result.Success {
				t.Errorf("success, after %s", result.Message)
			}
			if c.steps >= 0 && len(result.Actions) != c.steps {
				t.Errorf("%d steps, want %d: %s", len(result.Actions), c.steps, result.Message)
			}
		})
	}
}

func prices(t *testing.T) *middleware.Prices {
	p, err := middleware.ParsePrices([]byte(`{"date": "2026-11-01", "models": {"script/test": {"input": 5, "cached": 1, "output": 15}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTold: the remarks that the model gets on the way to a bound.
func TestTold(t *testing.T) {
	page := counter(t)
	model := endless(t, click("Dead"))
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Execute(t.Context(), page, agent.Task{Instruction: "count", MaxSteps: 5})
	if err != nil {
		t.Errorf("err = %v: the last step offers done alone", err)
	}
	var told []string
	for _, req := range model.Requests() {
		for _, part := range req.Messages[len(req.Messages)-1].Parts {
			if text, ok := part.(llm.Text); ok {
				told = append(told, text.Text)
			}
		}
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{"The same action was done 3 times", "4 of 5 steps are used", "last step"} {
		if want == "4 of 5 steps are used" {
			continue // the last step says more
		}
		if !strings.Contains(all, want) {
			t.Errorf("the model was not told %q:\n%s", want, all)
		}
	}
	last := model.Requests()[len(model.Requests())-1]
	if len(last.Tools) != 1 || last.Tools[0].Name != "done" || last.ToolChoice != llm.OneTool("done") {
		t.Errorf("the last question offers %v with choice %v, want done alone", last.Tools, last.ToolChoice)
	}
}

// TestStepsRunningOut: the model gets a remark at three quarters.
func TestStepsRunningOut(t *testing.T) {
	page := counter(t)
	model := endless(t, click("Plus"))
	a, _ := agent.New(agent.Config{Model: model})
	if _, err := a.Execute(t.Context(), page, agent.Task{Instruction: "count", MaxSteps: 8}); err != nil {
		t.Fatal(err)
	}
	times := 0
	for i, req := range model.Requests() {
		for _, part := range req.Messages[len(req.Messages)-1].Parts {
			if text, ok := part.(llm.Text); ok && strings.Contains(text.Text, "6 of 8 steps are used") {
				times++
				if i != 6 {
					t.Errorf("it was told with question %d, want 7", i+1)
				}
			}
		}
	}
	if times != 1 {
		t.Errorf("it was told %d times, want once", times)
	}
}

// TestRunTime: a model that hangs is ended with the run's time, a tool with its own.
func TestRunTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := counter(t)
		hangs, err := agent.NewTool("hang", "Hangs.", func(ctx context.Context, _ *agent.Call, _ struct{}) (string, error) {
			select {} // pays no heed to its context
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = hangs
		a, err := agent.New(agent.Config{Model: llmtest.NewScript(t, llmtest.Step{Hang: true})})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "count", RunTime: time.Minute})
		if !errors.Is(err, agent.ErrRunTime) || result == nil || result.End != agent.EndTime {
			t.Errorf("err = %v, result %+v; want ErrRunTime", err, result)
		}
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("it took %v, want 1m", took)
		}
	})
}

func TestToolTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := counter(t)
		release := make(chan struct{})
		defer close(release)
		hang, err := agent.NewTool("hang", "Hangs, and pays no heed to its context.", func(context.Context, *agent.Call, struct{}) (string, error) {
			<-release
			return "late", nil
		})
		if err != nil {
			t.Fatal(err)
		}
		model := llmtest.NewScript(t,
			answer(func(req *llm.Request) []llm.ToolCall {
				return []llm.ToolCall{call(req, "hang", args{}), call(req, "click", args{"ref": "@button: Plus"})}
			}),
			answer(func(req *llm.Request) []llm.ToolCall {
				return []llm.ToolCall{call(req, "done", args{"success": false, "message": "it hangs"})}
			}))
		a, err := agent.New(agent.Config{Model: model, Tools: []agent.Tool{hang}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "count", ToolTimeout: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if a := result.Actions[0]; a.Status != agent.Unknown || !strings.Contains(a.Message, "too long") || a.Duration != 3*time.Second {
			t.Errorf("step 1 = %+v, want unknown after 3s: it may have done its work", a)
		}
		if a := result.Actions[1]; a.Status != agent.NotRun {
			t.Errorf("step 2 = %+v, want not run", a)
		}
	})
}

// TestCancel: a run that is canceled ends at once and says what was done.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := counter(t)
		ctx, cancel := context.WithCancel(t.Context())
		model := llmtest.NewScript(t, answer(click("Plus")), llmtest.Step{Hang: true})
		a, err := agent.New(agent.Config{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Hour, cancel)
		begin := time.Now()
		result, err := a.Execute(ctx, page, agent.Task{Instruction: "count"})
		if !errors.Is(err, context.Canceled) || result == nil || len(result.Actions) != 1 || result.Actions[0].Status != agent.Done {
			t.Errorf("err = %v, result %+v; want one step that was done", err, result)
		}
		if took := time.Since(begin); took-time.Hour > 100*time.Millisecond {
			t.Errorf("it ended %v after the cancel", took-time.Hour)
		}
	})
}

// TestLeave: who leaves the loop ends the run; nothing goes on.
func TestLeave(t *testing.T) {
	page := counter(t)
	model := llmtest.NewScript(t, answer(func(req *llm.Request) []llm.ToolCall {
		return []llm.ToolCall{call(req, "click", args{"ref": "@button: Plus"}), call(req, "click", args{"ref": "@button: Plus"})}
	}))
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	for step, err := range a.Run(t.Context(), page, agent.Task{Instruction: "count"}) {
		if err != nil {
			t.Fatal(err)
		}
		if step.Number != 1 {
			t.Errorf("step %d", step.Number)
		}
		break
	}
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := snap.Text(); !strings.Contains(text, "1") || strings.Contains(text, "2") {
		t.Errorf("the page says %q, want 1", text)
	}
}

var _ http.Handler

// TestDeafToTheLastStep: a model that goes on when only done is left ends the
// run with its steps.
func TestDeafToTheLastStep(t *testing.T) {
	step := answer(click("Plus"))
	step.Times = -1
	model := llmtest.NewScript(t, step)
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), counter(t), agent.Task{Instruction: "count", MaxSteps: 3})
	if !errors.Is(err, agent.ErrSteps) || len(result.Actions) != 3 || result.Actions[2].Status != agent.NotRun || result.End != agent.EndSteps {
		t.Errorf("Execute = %v, %s", err, steps(result))
	}
}

// TestEveryStepEnds: the hook for a step's end is called for every step that
// began, also for one that was still waiting when the run was canceled.
func TestEveryStepEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	began, ended := 0, 0
	a, err := agent.New(agent.Config{Model: llmtest.NewScript(t, answer(click("Plus"))), Hooks: &agent.Hooks{
		StepBegan: func(ctx context.Context, _ agent.Step) context.Context { began++; cancel(); return ctx },
		StepEnded: func(_ context.Context, s agent.Step) {
			if ended++; s.Action.Status != agent.NotRun {
				t.Errorf("the step is %s", s.Action.Status)
			}
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Execute(ctx, counter(t), agent.Task{Instruction: "count", WaitBetweenActions: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("Execute = %v", err)
	}
	if began != 1 || ended != 1 {
		t.Errorf("%d steps began and %d ended", began, ended)
	}
}
