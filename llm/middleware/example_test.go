package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// A server is a model that is down for a number of requests.
type server struct {
	name string
	down int
}

func (s *server) Name() string { return s.name }

func (s *server) Generate(_ context.Context, _ *llm.Request) (*llm.Response, error) {
	if s.down > 0 {
		s.down--
		fmt.Println(s.name, "is down")
		return nil, &llm.Error{Provider: "example", Kind: llm.KindUnavailable}
	}
	return &llm.Response{Text: "Hello from " + s.name, Usage: llm.Usage{Input: 90, Output: 10}}, nil
}

func greeting() *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Say hello."}}}}}
}

// Requests are repeated, and another model answers where that does not help.
func ExampleWrap() {
	large, small := &server{name: "example/large", down: 9}, &server{name: "example/small"}
	model := middleware.Wrap(large,
		middleware.Fallback(small),
		middleware.Retry(&middleware.RetryOptions{Attempts: 2, First: time.Millisecond}),
		middleware.Break(&middleware.Breaker{Failures: 3}),
		middleware.Limit(&middleware.Limiter{Requests: 8}),
	)
	resp, err := model.Generate(context.Background(), greeting())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Text)
	// Output:
	// example/large is down
	// example/large is down
	// Hello from example/small
}

// What a budget does not allow is not asked.
func ExampleMeter() {
	model := middleware.Wrap(&server{name: "example/small"}, middleware.Meter())
	budget := &middleware.Budget{MaxTokens: 100}
	ctx := middleware.WithBudget(context.Background(), budget)
	for range 2 {
		resp, err := model.Generate(ctx, greeting())
		var refused *llm.Error
		switch {
		case errors.As(err, &refused) && refused.Kind == llm.KindBudget:
			fmt.Println(refused.Message)
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(resp.Text)
		}
	}
	// Output:
	// Hello from example/small
	// 100 of 100 tokens are used, and this request is about 3
}

// A middleware is a function from a model to a model.
func ExampleMiddleware() {
	model := middleware.Wrap(&server{name: "example/small"}, func(m llm.Model) llm.Model { return logged{m} })
	_, err := model.Generate(context.Background(), greeting())
	fmt.Println(err)
	// Output:
	// example/small took 100 tokens
	// <nil>
}

type logged struct{ llm.Model }

func (l logged) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := l.Model.Generate(ctx, req)
	if err == nil {
		fmt.Println(l.Name(), "took", resp.Usage.Input+resp.Usage.Output, "tokens")
	}
	return resp, err
}
