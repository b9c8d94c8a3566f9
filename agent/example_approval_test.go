package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// Actions of some classes need somebody's approval. It is asked for right before
// the input, with the element that was found; an error refuses.
func ExampleConfig_approval() {
	web := fake.Web{
		"https://shop.test/": `<title>Shop</title><h1>Shop</h1>
			<form action="/order" method="post"><label>Name <input name="name"></label><button>Buy now</button></form>`,
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

	a, err := agent.New(agent.Config{
		NeedApproval: []agent.Class{agent.ClassPay},
		Approve: func(_ context.Context, wanted agent.Approval) error {
			fmt.Println("asked about:", wanted.Classes, wanted.Action.Description)
			return errors.New("not today")
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Execute(ctx, page, agent.Task{Instruction: "click Buy now"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("done:", result.Success, "- still at", page.URL())
	// Output:
	// asked about: [pay] click button "Buy now"
	// done: false - still at https://shop.test/
}
