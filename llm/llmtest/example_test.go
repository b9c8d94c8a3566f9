package llmtest_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// Record keeps the exchanges with a model, a line each. In a test Replay answers
// from them, and fails it on a request that was not recorded.
func ExampleRecord() {
	web := fake.Web{"https://shop.test/": `<button>Order</button>`}
	var exchanges bytes.Buffer
	model := llmtest.Record(offline.New(), &exchanges)
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{Model: model})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	if _, err := page.Act(ctx, "click Order", nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Err(), bytes.Count(exchanges.Bytes(), []byte("\n")), "exchange")
	// Output:
	// <nil> 1 exchange
}
