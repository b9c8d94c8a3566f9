package vertex_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/vertex"
)

// A model by the key file of a service account, which is where Google's own
// tools look for it.
func Example() {
	raw, err := os.ReadFile(os.Getenv("GOOGLE_APPLICATION_CREDENTIALS"))
	if err != nil {
		fmt.Println(err)
		return
	}
	var account config.ServiceAccount
	if err := json.Unmarshal(raw, &account); err != nil {
		fmt.Println(err)
		return
	}
	model, err := vertex.New(vertex.Options{Model: "claude-sonnet-4-5@20250929", Project: account.ProjectID, Location: "global", Account: account})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name()) // engine.Options{Model: model}
}

// A configuration is checked strictly: a member that is misspelled is an error
// with its path.
func ExampleNewFromConfig() {
	_, err := config.Parse([]byte(`{
		"modelName": "vertex/gemini-2.5-flash", "provider": "vertex",
		"auth": {"type": "googleServiceAccount", "credentials": {"client_email": "robot@acme.test", "private_key": "-----BEGIN…"}},
		"providerOptions": {"vertex": {"project": "acme", "region": "europe-west4"}}
	}`))
	fmt.Println(err)
	// Output: schema: providerOptions.vertex.location: is missing; providerOptions.vertex.region: is not a known member
}
