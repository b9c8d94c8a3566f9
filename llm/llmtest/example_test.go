package llmtest_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
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

// exampleTB stands for a test, which an example has none of.
type exampleTB struct{ testing.TB }

func (exampleTB) Helper()               {}
func (exampleTB) Cleanup(func())        {}
func (exampleTB) Errorf(string, ...any) { fmt.Println("the test fails") }

// A request that no step expects fails the test.
func ExampleNewScript() {
	var t testing.TB = exampleTB{} // in a test: its own

	model := llmtest.NewScript(t, llmtest.Step{Instruction: "hello", Text: "Hello."})
	req := &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "say hello"}}}}}
	for range 2 {
		resp, err := model.Generate(context.Background(), req)
		if err != nil {
			continue
		}
		fmt.Println(resp.Text, resp.Usage.Input, "tokens in")
	}
	// Output:
	// Hello. 100 tokens in
	// the test fails
}
