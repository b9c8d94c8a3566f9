package agent_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// Execute does a whole task. The model claims that it is done; Success says that
// the claim was verified.
func ExampleAgent_Execute() {
	web := fake.Web{
		"https://shop.test/": `<title>Shop</title><h1>Shop</h1>
			<form action="/order" method="post"><label>Name <input name="name"></label><button>Order</button></form>`,
		"POST https://shop.test/order": `<title>Thank you</title><p role="status">Order placed</p>`,
	}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{Model: offline.New()})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}

	a, err := agent.New(agent.Config{})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Execute(ctx, page, agent.Task{Instruction: "type Ada into Name, click Order", MaxSteps: 10})
	if err != nil {
		log.Fatal(err) // a bound was reached; result says what was done by then
	}
	for _, step := range result.Actions {
		fmt.Println(step.Step, step.Type, step.Target, step.Status)
	}
	fmt.Println("claimed:", result.Completed, "verified:", result.Success)
	// Output:
	// 1 fill textbox "Name" done
	// 2 click button "Order" done
	// 3 done  done
	// claimed: true verified: true
}
