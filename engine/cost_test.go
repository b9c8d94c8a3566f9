package engine_test

import (
	"context"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// TestCostsAddUp holds a whole dialogue (answers, repairs, second choices,
// failures at every place) against every place that tells what it took.
func TestCostsAddUp(t *testing.T) {
	const none = `{"found":false,"ref":"","method":"click","arguments":[],"description":"","reason":"no","more":false}`
	overloaded := &llm.Error{Provider: "script", Kind: llm.KindOverloaded}
	var spent llm.Usage
	step := func(s llmtest.Step) llmtest.Step {
		if s.Err == nil {
			n := spent.Input + 101 // all different
			s.Usage = llm.Usage{Input: n, Output: n % 7, Cached: n % 5, Reasoning: n % 3}
			spent = spent.Add(s.Usage)
		}
		return s
	}
	button := func(method string) func(*llm.Request) any {
		return func(req *llm.Request) any {
			ref, err := refOf(req, "button", "Go")
			if err != nil {
				return err
			}
			return map[string]any{"found": true, "ref": ref, "method": method, "arguments": []string{}, "description": "", "reason": "", "more": false}
		}
	}
	model := llmtest.NewScript(t,
		step(llmtest.Step{Answer: button("click")}),                                      // act: done
		step(llmtest.Step{Text: "no JSON"}), step(llmtest.Step{Answer: button("click")}), // act: repaired
		step(llmtest.Step{Text: "no JSON"}), step(llmtest.Step{Err: overloaded}), // act: no repair
		step(llmtest.Step{Text: "no JSON"}), step(llmtest.Step{Text: "no JSON"}), // act: wrong twice
		step(llmtest.Step{Answer: button("check")}), step(llmtest.Step{Text: none}), // act: healed in vain
		step(llmtest.Step{Answer: button("check")}), step(llmtest.Step{Text: "no JSON"}), step(llmtest.Step{Err: overloaded}), // act: healing fails
		step(llmtest.Step{Text: "no JSON"}), step(llmtest.Step{Err: overloaded}), // observe
		step(llmtest.Step{Text: "no JSON"}), step(llmtest.Step{Err: overloaded}), // extract
		step(llmtest.Step{Err: overloaded}), // extract
	)
	var asked, ended, acted llm.Usage
	hooks := &engine.Hooks{
		Asked: func(_ context.Context, a engine.Ask) { asked = asked.Add(a.Usage) },
		Ended: func(_ context.Context, e engine.Entry, _ error) { ended = ended.Add(e.Usage) },
		Acted: func(_ context.Context, r engine.ActResult) { acted = acted.Add(r.Usage) },
	}
	page := openOn(t, fake.Web{shopAddress: "<button>Go</button>"}, &engine.Options{Model: model, Hooks: hooks})
	ctx := t.Context()
	var results llm.Usage
	for range 6 {
		r, _ := page.Act(ctx, "go", nil)
		results = results.Add(r.Usage)
	}
	if _, err := page.Observe(ctx, "all", nil); err == nil {
		t.Error("Observe without an answer succeeds")
	}
	for range 2 {
		if _, err := page.Extract(ctx, "all", nil); err == nil {
			t.Error("Extract without an answer succeeds")
		}
	}
	var history llm.Usage
	for _, e := range page.Session().History() {
		history = history.Add(e.Usage)
		if e.Usage.Input > 0 && e.Model == "" {
			t.Errorf("%s took %v of no model", e.Operation, e.Usage)
		}
	}
	for where, sum := range map[string]llm.Usage{"the hook Asked": asked, "the hook Ended": ended, "the history": history, "the metrics": page.Session().Metrics().Total()} {
		sum.Duration = 0
		if sum != spent {
			t.Errorf("%s: %+v, want %+v", where, sum, spent)
		}
	}
	if results.Input == 0 || results != acted {
		t.Errorf("the results say %+v, the hook Acted %+v", results, acted)
	}
}
