package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs/sqlite"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// A run whose log is in a database. Whoever opens that can load it, and go on.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(ctx, filepath.Join(dir, "runs.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	a, err := agent.New(agent.Config{Store: store})
	if err != nil {
		log.Fatal(err)
	}
	web := fake.Web{"https://shop.test/": `<title>Shop</title><label>Name <input></label><button>Order</button>`}
	session, err := engine.Open(ctx, web, &engine.Options{Model: offline.New()})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	for step := range a.Run(ctx, session.Page(), agent.Task{Instruction: "fill Name with Ada, then click Order"}) {
		fmt.Println(step.Action.Message)
		break // as if the process had died
	}
	run, err := store.Newest(ctx)
	if err != nil {
		log.Fatal(err)
	}
	saved, err := agent.Load(ctx, store, run)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(saved.Task.Instruction, "- over:", saved.Over)
	// Output:
	// filled textbox "Name"
	// fill Name with Ada, then click Order - over: false
}
