package config_test

import (
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// A configuration is a name, or an object. It prints without its key.
func ExampleParse() {
	c, err := config.Parse([]byte(`{"modelName": "qwen3", "baseURL": "http://127.0.0.1:11434/v1", "apiKey": "sk-123456"}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.ModelName, c.BaseURL, c.APIKey)

	_, err = config.Parse([]byte(`{"modelName": "qwen3", "temperature": 2}`))
	fmt.Println(err)
	// Output:
	// qwen3 http://127.0.0.1:11434/v1 ***
	// schema: temperature: is not a known member
}
