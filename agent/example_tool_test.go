package agent_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// A tool is a Go function with typed arguments. Its schema is made from them.
func ExampleNewTool() {
	type city struct {
		Name string `json:"name" jsonschema:"description=in English"`
	}
	weather, err := agent.NewTool("weather", "The weather of a city.", func(_ context.Context, _ *agent.Call, in city) (string, error) {
		return "rain in " + in.Name, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := agent.New(agent.Config{Tools: []agent.Tool{weather}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(weather.Parameters))
	// Output:
	// {"properties":{"name":{"type":"string","description":"in English"}},"additionalProperties":false,"type":"object","required":["name"]}
}
