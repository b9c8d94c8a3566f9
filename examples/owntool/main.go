// Owntool gives an agent a tool of its own that needs a person's approval. The
// browser and the model are in memory: nothing is installed and no key is needed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

type transfer struct {
	To     string  `json:"to"`
	Amount float64 `json:"amount" jsonschema:"minimum=0.01"`
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	web := fake.Web{"https://bank.test/": `<title>Bank</title><p>Open invoice: 40.00 to Ada</p>`}
	session, err := engine.Open(ctx, web, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	if _, err := session.Page().Navigate(ctx, "https://bank.test/", nil); err != nil {
		return err
	}

	pay, err := agent.NewTool("transfer", "Transfers money from the account.", func(_ context.Context, c *agent.Call, in transfer) (string, error) {
		return fmt.Sprintf("%.2f went to %s, while at %s", in.Amount, in.To, c.Page().URL()), nil
	})
	if err != nil {
		return err
	}
	pay.Class = agent.ClassPay

	a, err := agent.New(agent.Config{
		Model:        &scripted{},
		Tools:        []agent.Tool{pay},
		NeedApproval: []agent.Class{agent.ClassPay},
		Approve: func(_ context.Context, a agent.Approval) error {
			fmt.Printf("step %d asks for %v: %s %s; the model says: %s\n", a.Step, a.Classes, a.Tool, a.Arguments, a.Reason)
			var in transfer
			if err := json.Unmarshal(a.Arguments, &in); err != nil {
				return err
			}
			if in.Amount > 50 {
				return errors.New("more than 50.00 is not for you to decide")
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	result, err := a.Execute(ctx, session.Page(), agent.Task{Instruction: "pay the open invoice"})
	if err != nil {
		return err
	}
	for _, step := range result.Actions {
		fmt.Println(step.Step, step.Type, step.Status, step.Message)
	}
	return nil
}

// scripted stands for a model: it asks for too much first.
type scripted struct{ turn int }

func (*scripted) Name() string { return "example/scripted" }

func (s *scripted) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	s.turn++
	call := llm.ToolCall{ID: fmt.Sprint(s.turn), Name: "transfer", Arguments: json.RawMessage(`{"to": "Ada", "amount": 400}`)}
	text := "The invoice is due."
	switch s.turn {
	case 2:
		call.Arguments, text = json.RawMessage(`{"to": "Ada", "amount": 40}`), "The invoice says 40.00."
	case 3:
		call.Name, call.Arguments = "done", json.RawMessage(`{"success": true, "message": "The invoice is paid.", "criteria": [{"criterion": "40 went to Ada", "evidence": [{"kind": "action", "step": 2}]}]}`)
	case 4: // the claim was questioned once
		call.Name, call.Arguments = "done", json.RawMessage(`{"success": true, "message": "The invoice is paid."}`)
	}
	return &llm.Response{Text: text, ToolCalls: []llm.ToolCall{call}, Stop: llm.StopTools}, nil
}
