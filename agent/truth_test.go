package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// say answers with one call.
func say(name string, a args) llmtest.Step {
	return answer(func(req *llm.Request) []llm.ToolCall { return []llm.ToolCall{call(req, name, a)} })
}

func proof(kind string, more args) args {
	more["kind"] = kind
	return more
}

// claims is a done with one criterion.
func claims(proofs ...args) llmtest.Step {
	return say("done", args{"success": true, "message": "done", "criteria": []args{{"criterion": "it is done", "evidence": proofs}}})
}

// TestClaims: what each kind of evidence is worth after an order was sent.
func TestClaims(t *testing.T) {
	order := []llmtest.Step{
		say("fill", args{"ref": "@textbox: Name", "text": "Ada"}),
		say("click", args{"ref": "@button: Order"}),
	}
	for _, c := range []struct {
		name    string
		proof   args
		want    agent.Verdict
		success bool
	}{
		{"an action that had an effect", proof("action", args{"step": 2}), agent.Confirmed, true},
		{"an action that there was not", proof("action", args{"step": 9}), agent.Contradicted, false},
		{"words that came", proof("text", args{"text": "Thank you,  ADA"}), agent.Confirmed, true},
		{"words that are not there", proof("text", args{"text": "Thank you, Bob"}), agent.Contradicted, false},
		{"words that were there before", proof("text", args{"text": "1"}), agent.Confirmed, false},
		{"a request that was made", proof("request", args{"method": "post", "address": "/order", "status": 200}), agent.Confirmed, true},
		{"a request with another status", proof("request", args{"method": "POST", "address": "/order", "status": 201}), agent.Contradicted, false},
		{"a request that was not made", proof("request", args{"method": "DELETE", "address": "/order"}), agent.Contradicted, false},
		{"the address", proof("address", args{"address": "/order"}), agent.Confirmed, true},
		{"another address", proof("address", args{"address": "/thanks"}), agent.Contradicted, false},
		{"a value at an element that is gone", proof("value", args{"ref": "0-999", "value": "Ada"}), agent.Unproven, false},
		{"no words", proof("text", args{}), agent.Unproven, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			orders := 0
			page := open(t, shop(&orders))
			steps := append(append([]llmtest.Step{}, order...), claims(c.proof))
			if !c.success {
				steps = append(steps, claims(c.proof)) // it is questioned once
			}
			a, err := agent.New(agent.Config{Model: llmtest.NewScript(t, steps...)})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "order for Ada"})
			if err != nil {
				t.Fatal(err)
			}
			if got := result.Criteria[0]; got.Verdict != c.want || result.Success != c.success || !result.Completed {
				t.Errorf("verdict %s (%s), success %v, completed %v; want %s and %v", got.Verdict, got.Reason, result.Success, result.Completed, c.want, c.success)
			}
		})
	}
}

// TestDoneAtOnce: a model that does nothing and is sure of it has no success,
// whatever it says.
func TestDoneAtOnce(t *testing.T) {
	for name, step := range map[string]llmtest.Step{
		"no criteria":       say("done", args{"success": true, "message": "all done"}),
		"words of the page": claims(proof("text", args{"text": "Shop"})),
		"a value of the page": answer(func(req *llm.Request) []llm.ToolCall {
			return []llm.ToolCall{call(req, "done", args{"success": true, "message": "x", "criteria": []args{{"criterion": "amount", "evidence": []args{proof("value", args{"ref": "@textbox: Amount", "value": "1"})}}}})}
		}),
		"the address": claims(proof("address", args{"address": "shop.test"})),
		"a step":      claims(proof("action", args{"step": 1})),
	} {
		t.Run(name, func(t *testing.T) {
			orders := 0
			page := open(t, shop(&orders))
			step.Times = 2
			model := llmtest.NewScript(t, step)
			a, _ := agent.New(agent.Config{Model: model})
			result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "order a teapot"})
			if err != nil || result.Success || !result.Completed {
				t.Errorf("success %v, completed %v, err %v; want a claim and no success", result.Success, result.Completed, err)
			}
			if n := len(model.Requests()); n != 2 {
				t.Errorf("%d questions, want 2: it is questioned once", n)
			}
		})
	}
}

// TestAnswerFromReading: a task that only asks needs a reading, and no change.
func TestAnswerFromReading(t *testing.T) {
	orders := 0
	page := open(t, shop(&orders))
	a, _ := agent.New(agent.Config{Model: llmtest.NewScript(t,
		say("read", args{}),
		claims(proof("action", args{"step": 1}), proof("text", args{"text": "Shop"})))})
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "what is the shop's name?"})
	if err != nil || !result.Success {
		t.Errorf("result %+v, err %v; want success", result, err)
	}
}

// TestOutput: data is held against its schema and the pages that were seen.
func TestOutput(t *testing.T) {
	form, err := schema.Parse([]byte(`{"type": "object", "required": ["name", "link", "amount"], "properties": {"name": {"type": "string"}, "amount": {"type": "number"}, "link": {"type": "string", "format": "uri"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		output     any
		success    bool
		ungrounded int
	}{
		"true":                 {args{"name": "Ada", "amount": 2, "link": "https://shop.test/"}, true, 0},
		"an invented link":     {args{"name": "Ada", "amount": 2, "link": "https://shop.test/orders/17"}, false, 0},
		"an invented name":     {args{"name": "Eve", "amount": 2, "link": "https://shop.test/"}, true, 1},
		"of another form":      {args{"name": "Ada"}, false, 0},
		"none, where one must": {nil, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			orders := 0
			page := open(t, shop(&orders))
			end := args{"success": true, "message": "x", "criteria": []args{{"criterion": "ordered", "evidence": []args{proof("action", args{"step": 1})}}}}
			if c.output != nil {
				end["output"] = c.output
			}
			done := say("done", end)
			if !c.success {
				done.Times = 2
			}
			a, _ := agent.New(agent.Config{Model: llmtest.NewScript(t,
				answer(func(req *llm.Request) []llm.ToolCall {
					return []llm.ToolCall{
						call(req, "fillForm", args{"fields": []args{{"ref": "@textbox: Name", "value": "Ada"}, {"ref": "@textbox: Amount", "value": "2"}}}),
						call(req, "click", args{"ref": "@button: Order"})}
				}), done)})
			result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "order 2 for Ada", Output: form})
			if err != nil {
				t.Fatal(err)
			}
			raw, _ := json.Marshal(result)
			if result.Success != c.success || (result.Output != nil) != c.success {
				t.Errorf("success = %v, want %v: %s", result.Success, c.success, raw)
			}
			contradicted := slices.DeleteFunc(slices.Clone(result.Ungrounded), func(u engine.Ungrounded) bool { return u.Degree == engine.Unproven })
			if len(contradicted) != c.ungrounded || c.ungrounded > 0 && contradicted[0].Pointer != "/name" {
				t.Errorf("ungrounded = %v, want %d that no page says", result.Ungrounded, c.ungrounded)
			}
			if result.Output != nil && len(result.Sources)+c.ungrounded != 3 {
				t.Errorf("sources = %+v, want one for each member that a page said", result.Sources)
			}
		})
	}
}

// TestApproval: who must be asked is asked with what the action is; no is no;
// nobody there is no.
func TestApproval(t *testing.T) {
	said := errors.New("not today")
	for name, c := range map[string]struct {
		approve agent.Approver
		need    []agent.Class
		orders  int
	}{
		"not named":    {nil, nil, 1},
		"nobody there": {nil, []agent.Class{agent.ClassPay}, 0},
		"yes":          {func(context.Context, agent.Approval) error { return nil }, []agent.Class{agent.ClassPay}, 1},
		"no":           {func(context.Context, agent.Approval) error { return said }, []agent.Class{agent.ClassPay}, 0},
		"other class":  {nil, []agent.Class{agent.ClassDelete}, 0}, // a site says of its buttons what it likes
		"no request":   {nil, []agent.Class{agent.ClassTerms}, 1},
	} {
		for _, way := range []string{"click", "press", "act"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				orders := 0
				site := shop(&orders)
				page := open(t, rename(site))
				var asked []agent.Approval
				cfg := agent.Config{NeedApproval: c.need}
				if c.approve != nil {
					cfg.Approve = func(ctx context.Context, a agent.Approval) error { asked = append(asked, a); return c.approve(ctx, a) }
				}
				first := say("click", args{"ref": "@button: Place order"})
				steps := []llmtest.Step{first}
				switch way {
				case "press":
					steps = []llmtest.Step{say("press", args{"ref": "@textbox: Name", "keys": "Enter"})}
				case "act":
					steps = []llmtest.Step{say("act", args{"instruction": "place the order"}), {Purpose: llm.PurposeAct, Answer: func(req *llm.Request) any {
						return args{"found": true, "ref": ref(req, "button: Place order"), "method": "click", "arguments": []string{}, "description": "order", "reason": "", "more": false}
					}}}
				}
				cfg.Model = llmtest.NewScript(t, append(steps, say("done", args{"success": false, "message": "enough"}))...)
				a, err := agent.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "order"})
				if err != nil {
					t.Fatal(err)
				}
				if orders != c.orders {
					t.Errorf("%d orders, want %d: %s", orders, c.orders, result.Actions[0].Message)
				}
				if c.orders == 0 && result.Actions[0].Status != agent.Failed {
					t.Errorf("step 1 is %s, want failed", result.Actions[0].Status)
				}
				if c.approve != nil && (len(asked) != 1 || asked[0].Classes[0] != agent.ClassPay || asked[0].Action.Selector == "") {
					t.Errorf("asked = %+v, want the order once", asked)
				}
			})
		}
	}
}

// TestLater: an approval that comes in another process, for exactly what was asked.
func TestLater(t *testing.T) {
	for name, c := range map[string]struct {
		decision agent.Decision
		change   bool // of the page meanwhile
		orders   int
	}{
		"yes":               {agent.Decision{Approved: true}, false, 1},
		"no":                {agent.Decision{Reason: "too dear"}, false, 0},
		"yes to other than": {agent.Decision{Approved: true}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			orders := 0
			page := open(t, rename(shop(&orders)))
			task := agent.Task{Instruction: "order"}
			steps := []llmtest.Step{answer(func(req *llm.Request) []llm.ToolCall {
				return []llm.ToolCall{call(req, "fill", args{"ref": "@textbox: Name", "text": "Ada"}), call(req, "click", args{"ref": "@button: Place order"}), call(req, "think", args{"thought": "done?"})}
			})}
			a, err := agent.New(agent.Config{Model: llmtest.NewScript(t, steps...), NeedApproval: []agent.Class{agent.ClassPay}, Approve: func(context.Context, agent.Approval) error { return agent.ErrLater }})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Execute(t.Context(), page, task)
			if err != nil || result.Pending == nil || result.Pending.Kind != agent.PendingApproval || orders != 0 {
				t.Fatalf("result %+v, err %v; want one that waits", result, err)
			}
			raw, err := json.Marshal(result.Pending)
			if err != nil {
				t.Fatal(err)
			}
			var pending agent.Pending
			if err := json.Unmarshal(raw, &pending); err != nil {
				t.Fatal(err)
			}
			if c.change {
				if _, err := page.Navigate(t.Context(), "https://shop.test/?other", nil); err != nil {
					t.Fatal(err)
				}
			}
			model := llmtest.NewScript(t, say("done", args{"success": false, "message": "enough"}))
			b, err := agent.New(agent.Config{Model: model, NeedApproval: []agent.Class{agent.ClassPay}})
			if err != nil {
				t.Fatal(err)
			}
			var last *agent.Result
			for step, err := range b.Resume(t.Context(), page, task, pending, c.decision) {
				if err != nil {
					t.Fatal(err)
				}
				last = step.Result
			}
			if orders != c.orders {
				t.Errorf("%d orders, want %d", orders, c.orders)
			}
			if n := len(last.Actions); n != 4 {
				t.Errorf("%d steps, want 4: fill, click, think, done", n)
			}
			if last.Usage.Input != 200 {
				t.Errorf("usage %+v, want that of both parts", last.Usage)
			}
			if err := model.Requests()[0].Check(); err != nil {
				t.Errorf("the conversation is not one that a provider takes: %v", err)
			}
		})
	}
}

// TestAsk: a question is answered at once, or later.
func TestAsk(t *testing.T) {
	orders := 0
	page := open(t, shop(&orders))
	later := agent.Config{Model: llmtest.NewScript(t, say("ask", args{"question": "how many?"})), Ask: func(context.Context, string) (string, error) { return "", agent.ErrLater }}
	a, err := agent.New(later)
	if err != nil {
		t.Fatal(err)
	}
	task := agent.Task{Instruction: "order"}
	result, err := a.Execute(t.Context(), page, task)
	if err != nil || result.Pending == nil || result.Pending.Question != "how many?" {
		t.Fatalf("result %+v, err %v; want a question", result, err)
	}
	model := llmtest.NewScript(t, llmtest.Step{Check: func(req *llm.Request) error {
		if !strings.Contains(llmtest.Show(req), "seven") {
			return errors.New("the answer is not there")
		}
		return nil
	}, Calls: []llm.ToolCall{{ID: "d", Name: "done", Arguments: json.RawMessage(`{"success":false,"message":"x"}`)}}})
	later.Model = model
	b, _ := agent.New(later)
	for _, err := range b.Resume(t.Context(), page, task, *result.Pending, agent.Decision{Answer: "seven"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestVariables: a value reaches the page, and nothing else.
func TestVariables(t *testing.T) {
	orders := 0
	page := open(t, shop(&orders))
	model := llmtest.NewScript(t,
		answer(func(req *llm.Request) []llm.ToolCall {
			return []llm.ToolCall{call(req, "fill", args{"ref": "@textbox: Name", "text": "%name%"}), call(req, "click", args{"ref": "@button: Order"})}
		}),
		claims(proof("text", args{"text": "Thank you, %name%"})))
	a, _ := agent.New(agent.Config{Model: model})
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "order for %name%", Variables: map[string]engine.Variable{"name": {Value: "Rumpelstilz", Description: "who orders"}}})
	if err != nil || !result.Success {
		t.Errorf("result %+v, err %v; want success", result, err)
	}
	for _, req := range model.Requests() {
		if strings.Contains(llmtest.Show(req), "Rumpelstilz") {
			t.Errorf("a question holds the value:\n%s", llmtest.Show(req))
		}
	}
	raw, _ := json.Marshal(result)
	if strings.Contains(string(raw), "Rumpelstilz") {
		t.Errorf("the result holds the value: %s", raw)
	}
}
