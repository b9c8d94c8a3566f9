package azure_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/azure"
)

// A deployment, by a token of Microsoft Entra ID. A token lives for an hour or
// so; the function is asked before every request. A program that runs for long
// asks the vendor's azidentity there.
func Example() {
	model, err := azure.New(azure.Options{
		ResourceName: "contoso", Deployment: "gpt-5-mini",
		Token: func(context.Context) (llm.Secret, error) {
			token := os.Getenv("AZURE_OPENAI_AD_TOKEN") // of az account get-access-token
			if token == "" {
				return llm.Secret{}, errors.New("AZURE_OPENAI_AD_TOKEN is not set")
			}
			return llm.NewSecret(token), nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name()) // engine.Options{Model: model}
	// Output: azure/gpt-5-mini
}

func ExampleNew() {
	model, err := azure.New(azure.Options{ResourceName: "contoso", Deployment: "gpt-5-mini", APIKey: llm.NewSecret("0123456789abcdef")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name())
	// Output: azure/gpt-5-mini
}
