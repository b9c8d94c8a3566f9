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

// Run is the same step by step. Leaving the loop ends the run.
func ExampleAgent_Run() {
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
	for step, err := range a.Run(ctx, page, agent.Task{Instruction: "type Ada into Name, click Order"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(step.Number, step.Action.Type, step.Action.Status)
		if step.Result != nil { // the last one
			fmt.Println("verified:", step.Result.Success)
		}
	}
	// Output:
	// 1 fill done
	// 2 click done
	// 3 done done
	// verified: true
}
