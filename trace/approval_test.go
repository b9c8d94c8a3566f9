package trace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/trace"
)

// TestApprovals: who was asked, when, about what would go out, and what the answer was.
func TestApprovals(t *testing.T) {
	c := trace.New(fake.New(fake.Options{Handler: site()}), nil)
	session, err := engine.Open(t.Context(), c.Driver(), &engine.Options{Hooks: c.Hooks(), Model: c.Model(order(t))})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), "https://shop.test/", nil); err != nil {
		t.Fatal(err)
	}
	asked := 0
	a, err := agent.New(agent.Config{
		Hooks: c.AgentHooks(), NeedApproval: []agent.Class{agent.ClassPay}, ApprovedBy: "the desk " + hostile,
		Approve: func(context.Context, agent.Approval) error {
			if asked++; asked == 1 {
				return nil
			}
			return errors.New("once is enough")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "order", Variables: map[string]engine.Variable{"pass": {Value: secret}}}); err != nil {
		t.Fatal(err)
	}
	tr, err := c.Trace()
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, s := range tr.Steps {
		for _, a := range s.Approvals {
			have = append(have, fmt.Sprintf("%d %s %s %v %s", s.Number, s.Tool, a.Decision, a.Classes, a.Reason))
			if a.By != "the desk "+hostile || a.At < s.Begin || a.At+a.Took > tr.Took {
				t.Errorf("step %d was asked of %q at %v for %v, in a step from %v on", s.Number, a.By, a.At, a.Took, s.Begin)
			}
		}
	}
	if got, want := strings.Join(have, "|"), "2 click approved [pay] |5 click refused [pay] not approved: once is enough"; got != want {
		t.Errorf("the approvals are %q, want %q", got, want)
	}
	var out bytes.Buffer
	if err := tr.WriteHTML(&out, nil); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{": approved</span>", ": refused</span>", "<dt>would go out</dt>", "POST https://shop.test/order", "amount (Amount) = 2", "%pass%", `data-filter="person"`, "once is enough"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "desk </script>") {
		t.Error("who was asked is written as HTML")
	}
	for _, spelled := range spellings() {
		if strings.Contains(page, spelled) {
			t.Errorf("the page holds the password as %q", spelled)
		}
	}
}
