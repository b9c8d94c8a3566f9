package microsoft_test

import (
	"fmt"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/microsoft"
)

func ExampleNew() {
	model, err := microsoft.New(microsoft.Options{
		Model: "Phi-4", BaseURL: "https://contoso.services.ai.azure.com", APIKey: llm.NewSecret("0123456789abcdef"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name()) // engine.Options{Model: model}
	// Output: microsoft/Phi-4
}

// The model comes from a configuration, as a service gets it in a request.
func ExampleNewFromConfig() {
	c, err := config.Parse([]byte(`{"provider": "microsoft", "modelName": "Phi-4", "baseURL": "https://contoso.services.ai.azure.com"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	c.APIKey = llm.NewSecret("0123456789abcdef") // shows as *** wherever it is printed
	model, err := microsoft.NewFromConfig(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name(), c.APIKey)
	// Output: microsoft/Phi-4 ***
}
