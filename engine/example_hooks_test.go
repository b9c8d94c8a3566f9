package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// Hooks are called as the engine works: for progress, spans and metrics.
func ExampleHooks() {
	web := fake.Web{
		"https://shop.test/":     `<a href="/cart">Cart</a>`,
		"https://shop.test/cart": `<h1>Your cart</h1>`,
	}
	hooks := &engine.Hooks{
		Began: func(ctx context.Context, e engine.Entry) context.Context {
			fmt.Println("begin:", e.Operation)
			return ctx
		},
		Looked: func(_ context.Context, l engine.Look) { fmt.Println("looked at", l.URL) },
		Asked:  func(_ context.Context, a engine.Ask) { fmt.Println("asked", a.Model) },
		Ended:  func(_ context.Context, e engine.Entry, err error) { fmt.Println("end:", e.Operation, err) },
	}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{Model: offline.New(), Hooks: hooks})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	if _, err := page.Act(ctx, "click Cart", nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// begin: navigate
	// end: navigate <nil>
	// begin: act
	// looked at https://shop.test/
	// asked offline/words
	// end: act <nil>
}
