package intest

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// TestOrder: somebody can order, and each step is done.
func TestOrder(t *testing.T) {
	web := fake.Web{
		"https://shop.test/":           `<title>Shop</title><form action="/order" method="post"><label>Name <input name="name"></label><button>Order</button></form>`,
		"POST https://shop.test/order": `<title>Thank you</title><p role="status">The order was placed</p>`,
	}
	session, err := engine.Open(t.Context(), web, &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), "https://shop.test/", nil); err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "fill Name with Ada, then click Order"})
	if err != nil {
		t.Fatal(err)
	}
	if result.End != agent.EndDone || !result.Completed || !result.Changed {
		t.Errorf("the run ended by %s: %s", result.End, result.Message)
	}
	for _, step := range result.Actions {
		if step.Status != agent.Done {
			t.Errorf("step %d %s: %s", step.Step, step.Status, step.Message)
		}
	}
	if at := session.Page().URL(); at != "https://shop.test/order" {
		t.Errorf("the page is at %s, want the order's", at)
	}
}
