package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// later has a press approved by another process, and returns what arrived and
// how the step ended.
func later(t *testing.T, page string, script func(*fake.Document), between func(*fake.Document), until int) (arrived []string, last agent.Action, asked []agent.Approval) {
	t.Helper()
	site := &bank{page: page}
	d := fake.New(fake.Options{Handler: site, Scripts: map[string]func(*fake.Document){"http://bank.test/": func(s *fake.Document) {
		if script != nil {
			script(s)
		}
	}}})
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if _, err := session.Page().Navigate(t.Context(), "http://bank.test/", nil); err != nil {
		t.Fatal(err)
	}
	task := agent.Task{Instruction: "pay Ann", Variables: map[string]engine.Variable{"pin": {Value: "hunter2"}}}
	make := func(steps ...llmtest.Step) *agent.Agent {
		a, err := agent.New(agent.Config{
			Model: llmtest.NewScript(t, steps...), NeedApproval: agent.Classes(),
			Approve: func(_ context.Context, q agent.Approval) error {
				asked = append(asked, q)
				if len(asked) < until {
					return nil
				}
				return agent.ErrLater
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	result, err := make(answer(func(req *llm.Request) []llm.ToolCall { return []llm.ToolCall{clickPay(req)} })).Execute(t.Context(), session.Page(), task)
	if err != nil {
		t.Fatal(err)
	}
	if result.Pending == nil || result.Pending.Approval.Outgoing == nil {
		t.Fatalf("nothing is pending that says what it sends: %s, %+v", result.Message, result.Pending)
	}
	if got := site.arrived(); len(got) > 0 {
		t.Errorf("before the decision arrived %q", got)
	}
	raw, err := json.Marshal(result.Pending)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "hunter2") {
		t.Errorf("the pending has a secret: %s", raw)
	}
	var kept agent.Pending
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	if between != nil {
		if err := fake.Change(t.Context(), session.Page().Driver(), between); err != nil {
			t.Fatal(err)
		}
	}
	other := make(say("done", args{"success": false, "message": "x"}))
	for step, err := range other.Resume(t.Context(), session.Page(), task, kept, agent.Decision{Approved: true, By: "bob"}) {
		if err != nil {
			t.Fatal(err)
		}
		if step.Action.Type == "click" {
			last = step.Action
		}
	}
	for _, e := range session.History() {
		if e.Operation == engine.OperationApprove && e.Approval.By == "bob" {
			return site.arrived(), last, asked
		}
	}
	t.Error("the history does not say that bob has decided")
	return site.arrived(), last, asked
}

// TestApprovedLater: an approval that comes from another process is for exactly
// what was asked about.
func TestApprovedLater(t *testing.T) {
	got, last, asked := later(t, transfer, nil, nil, 1)
	if !slices.Equal(got, []string{approvedPay}) || len(asked) != 1 {
		t.Errorf("arrived %q after %d questions (%s), want the approved", got, len(asked), last.Message)
	}
	for _, f := range asked[0].Outgoing.Fields {
		if want := f.Name != "note"; f.Unseen != want {
			t.Errorf("the field %s is unseen: %v, want %v", f.Name, f.Unseen, want)
		}
	}
	change := func(s *fake.Document) { s.Find("[name=amount]").SetAttr("value", "820000") }
	got, last, _ = later(t, transfer, nil, change, 1)
	if len(got) > 0 || last.Status != agent.Failed || !strings.Contains(last.Message, "instead of") {
		t.Errorf("after a change arrived %q, the step is %s: %s", got, last.Status, last.Message)
	}
}

// TestHeldApprovedLater: so is one of a request that was held.
func TestHeldApprovedLater(t *testing.T) {
	send := instead(func(s *fake.Document) { s.Fetch("POST", "/pay", jsonType, `{"amount":820,"pin":"hunter2"}`, nil) })
	const button = `<p>820.00 EUR</p><button id=b>Pay now</button>`
	got, last, asked := later(t, button, send, nil, 2)
	if !slices.Equal(got, []string{`POST /pay {"amount":820,"pin":"hunter2"}`}) {
		t.Errorf("arrived %q (%s), want the approved", got, last.Message)
	}
	if len(asked) != 2 || !asked[1].Outgoing.Held || asked[1].Outgoing.Fields[1].Value != "%pin%" {
		t.Errorf("asked %+v, want the held request with a placeholder", asked)
	}
}
