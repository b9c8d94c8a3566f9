package bedrock_test

import (
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/bedrock"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// A model, and another one that answers where it can't. The access key is where
// Amazon's own tools look for it.
func Example() {
	open := func(id string) (llm.Model, error) {
		return bedrock.New(bedrock.Options{
			Model: id, Region: "eu-central-1",
			AccessKeyID:     os.Getenv("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: llm.NewSecret(os.Getenv("AWS_SECRET_ACCESS_KEY")),
			SessionToken:    llm.NewSecret(os.Getenv("AWS_SESSION_TOKEN")),
		})
	}
	first, err := open("anthropic.claude-haiku-4-5-20251001-v1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := open("amazon.nova-lite-v1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	model := middleware.Wrap(first, middleware.Fallback(second))
	fmt.Println(model.Name()) // engine.Options{Model: model}
}

func ExampleNew() {
	model, err := bedrock.New(bedrock.Options{Model: "amazon.nova-lite-v1:0", Region: "eu-central-1", APIKey: llm.NewSecret("bedrock-api-key-…")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name())
	// Output: bedrock/amazon.nova-lite-v1:0
}
