package runs_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// A run is left after its first step, with its browser. Another one goes on: the
// field that had been filled is filled again, and the form is sent once.
func Example() {
	web := fake.Web{
		"https://shop.test/":           `<title>Shop</title><form action="/order" method="post"><label>Name <input name="name"></label><button>Order</button></form>`,
		"POST https://shop.test/order": `<title>Thank you</title><p role="status">The order was placed</p>`,
	}
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := runs.NewDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{Store: store})
	if err != nil {
		log.Fatal(err)
	}

	first, err := engine.Open(ctx, web, &engine.Options{Model: offline.New()})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := first.Page().Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	task := agent.Task{Instruction: "fill Name with %name%, then click Order", Variables: map[string]engine.Variable{"name": {Value: "Ada"}}}
	for step := range a.Run(ctx, first.Page(), task) {
		fmt.Println(step.Action.Message)
		break
	}
	first.Close()

	names, err := store.Runs(ctx)
	if err != nil {
		log.Fatal(err)
	}
	saved, err := agent.Load(ctx, store, names[0])
	if err != nil {
		log.Fatal(err)
	}
	again := saved.Task
	again.Variables = task.Variables // no log holds values
	opts := &engine.Options{Model: offline.New()}
	if err := saved.Prepare(opts, again.Variables); err != nil {
		log.Fatal(err)
	}
	second, err := engine.Open(ctx, web, opts)
	if err != nil {
		log.Fatal(err)
	}
	defer second.Close()
	for step, err := range a.Recover(ctx, second.Page(), again, saved) {
		if err != nil {
			log.Fatal(err)
		}
		if step.Number > 0 {
			fmt.Println(step.Action.Message)
		}
	}
	// Output:
	// filled textbox "Name"
	// clicked button "Order": went to https://shop.test/order (200)
	// All 2 steps were carried out.
}
