package anthropic_test

import (
	"fmt"
	"os"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/anthropic"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// A model, with what a program that asks much puts around it.
func Example() {
	model, err := anthropic.New(anthropic.Options{Model: "claude-haiku-4-5", APIKey: llm.NewSecret(os.Getenv("ANTHROPIC_API_KEY"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	// One breaker for all models of the endpoint, one limiter for all of the key.
	breaker := &middleware.Breaker{Failures: 3, Pause: time.Minute}
	limiter := &middleware.Limiter{Requests: 8, TokensPerMinute: 200_000}
	guarded := middleware.Wrap(model, middleware.Retry(nil), middleware.Break(breaker), middleware.Limit(limiter))
	fmt.Println(guarded.Name()) // engine.Options{Model: guarded}
}

func ExampleNew() {
	model, err := anthropic.New(anthropic.Options{Model: "claude-haiku-4-5", APIKey: llm.NewSecret("sk-ant-…")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name())
	// Output: anthropic/claude-haiku-4-5
}
