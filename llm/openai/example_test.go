package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
)

func ExampleNew() {
	// Any server that speaks the protocol; here one that says the same always.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"model":"qwen3","choices":[{"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()

	model, err := openai.New(openai.Options{Model: "qwen3", BaseURL: server.URL + "/v1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := middleware.Wrap(model, middleware.Retry(nil)).Generate(context.Background(), &llm.Request{
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Say hello."}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name(), resp.Text)
	// Output: openai/qwen3 Hello.
}

// A limit on what a run may cost, checked before each request by the list of
// prices that is built in.
func Example() {
	model, err := openai.New(openai.Options{Model: "gpt-5-mini", APIKey: llm.NewSecret(os.Getenv("OPENAI_API_KEY"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	metered := middleware.Wrap(model, middleware.Meter(), middleware.Retry(nil)) // engine.Options{Model: metered}
	budget := &middleware.Budget{MaxCost: 0.10}
	ctx := middleware.WithBudget(context.Background(), budget)
	resp, err := metered.Generate(ctx, &llm.Request{
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Say hello."}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	used, cost := budget.Spent()
	fmt.Printf("%s\n%d tokens in, %d of them cached, for $%.6f\n", resp.Text, used.Input, used.Cached, cost)
}
