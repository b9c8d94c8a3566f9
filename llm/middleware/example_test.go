package middleware_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// down is a model that cannot be reached, and up one that can.
type down struct{}

func (down) Name() string { return "example/down" }

func (down) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, &llm.Error{Provider: "example", Kind: llm.KindUnavailable, Err: errors.New("connection refused")}
}

type up struct{}

func (up) Name() string { return "example/up" }

func (up) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return &llm.Response{Text: "hello", Model: "up", Stop: llm.StopEnd, Usage: llm.Usage{Input: 10, Output: 5}}, nil
}

// Middleware is put around a model: here a second model answers where the first
// can't, and a budget counts what is used.
func ExampleWrap() {
	model := middleware.Wrap(down{}, middleware.Meter(), middleware.Fallback(up{}))
	budget := &middleware.Budget{MaxTokens: 10_000}
	ctx := middleware.WithBudget(context.Background(), budget)

	answer, err := model.Generate(ctx, &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "hi"}}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	used, _ := budget.Spent()
	fmt.Println(answer.Text, "by", answer.Model, "for", used.Input+used.Output, "tokens")
	// Output:
	// hello by up for 15 tokens
}
