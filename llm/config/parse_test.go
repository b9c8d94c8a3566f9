package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/llm"
)

const serviceAccount = `{"private_key":"-----BEGIN KEY-----","client_email":"a@b.test","type":"service_account","token_uri":"https://x.test/token"}`

func TestParseConfig(t *testing.T) {
	for _, test := range []struct {
		name, raw string
		want      *Config
		provider  Provider
		model     string
	}{
		{"string", `"openai/gpt-5"`, &Config{ModelName: "openai/gpt-5"}, OpenAI, "gpt-5"},
		{"generic", `{"modelName":"gpt-5","provider":"openai","apiKey":"k","baseURL":"http://127.0.0.1:1/v1","headers":{"X-A":"b"},"openaiEndpointFormat":"chat"}`,
			&Config{ModelName: "gpt-5", Provider: OpenAI, APIKey: llm.NewSecret("k"), BaseURL: "http://127.0.0.1:1/v1", Headers: map[string]string{"X-A": "b"}, OpenAIEndpointFormat: ChatFormat},
			OpenAI, "gpt-5"},
		{"no provider but an address", `{"modelName":"llama3","baseURL":"http://127.0.0.1:11434/v1"}`,
			&Config{ModelName: "llama3", BaseURL: "http://127.0.0.1:11434/v1"}, OpenAI, "llama3"},
		{"path in the name", `{"modelName":"meta/llama3","baseURL":"http://127.0.0.1:1/v1"}`,
			&Config{ModelName: "meta/llama3", BaseURL: "http://127.0.0.1:1/v1"}, OpenAI, "meta/llama3"},
		{"provider wins", `{"modelName":"anthropic/claude","provider":"openai"}`, &Config{ModelName: "anthropic/claude", Provider: OpenAI}, OpenAI, "anthropic/claude"},
		{"neutral provider", `{"modelName":"claude","provider":"<provider_2>"}`, &Config{ModelName: "claude", Provider: Anthropic}, Anthropic, "claude"},
		{"neutral prefix", `"<provider_3>/gemini"`, &Config{ModelName: "<provider_3>/gemini"}, Google, "gemini"},
		{"vertex", `{"modelName":"vertex/gemini","provider":"vertex","auth":{"type":"googleServiceAccount","credentials":` + serviceAccount + `,"scopes":"s"},"providerOptions":{"vertex":{"project":"p","location":"l"}}}`,
			vertexConfig(), Vertex, "gemini"},
		{"vertex in neutral words", `{"modelName":"vertex/gemini","provider":"cloudA","auth":{"type":"cloudAServiceAccount","credentials":` + serviceAccount + `,"scopes":["s"]},"providerOptions":{"cloudA":{"project":"p","location":"l"}}}`,
			vertexConfig(), Vertex, "gemini"},
		{"azure token", `{"modelName":"m","provider":"cloudB","auth":{"type":"cloudBIdentityToken","token":"t"},"providerOptions":{"cloudB":{"resourceName":"r","useDeploymentBasedUrls":true}}}`,
			&Config{ModelName: "m", Provider: Azure, Auth: &Auth{Type: "azureEntraId", Token: llm.NewSecret("t")},
				ProviderOptions: &ProviderOptions{Azure: &AzureOptions{ResourceName: "r", UseDeploymentBasedURLs: true}}}, Azure, "m"},
		{"azure key", `{"modelName":"m","provider":"azure","apiKey":"k","providerOptions":{"azure":{"apiVersion":"v"}}}`,
			&Config{ModelName: "m", Provider: Azure, APIKey: llm.NewSecret("k"), ProviderOptions: &ProviderOptions{Azure: &AzureOptions{APIVersion: "v"}}}, Azure, "m"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse([]byte(test.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Parse (-want +got):\n%s", diff)
			}
			if provider, model, err := got.Resolve(); err != nil || provider != test.provider || model != test.model {
				t.Errorf("Resolve = %s, %s, %v, want %s, %s", provider, model, err, test.provider, test.model)
			}
		})
	}
}

func vertexConfig() *Config {
	return &Config{
		ModelName: "vertex/gemini", Provider: Vertex,
		Auth: &Auth{Type: "googleServiceAccount", Scopes: Scopes{"s"}, Credentials: &ServiceAccount{
			PrivateKey: llm.NewSecret("-----BEGIN KEY-----"), ClientEmail: "a@b.test", Type: "service_account", TokenURI: "https://x.test/token"}},
		ProviderOptions: &ProviderOptions{Vertex: &VertexOptions{Project: "p", Location: "l"}},
	}
}

func TestParseConfigRefuses(t *testing.T) {
	for _, test := range []struct{ name, raw, want string }{
		{"number", `7`, `schema: is a number, must be an object`},
		{"cut", `{"modelName":`, `schema: it is no complete JSON: it ends too soon, at byte 13`},
		{"bare name", `"gpt-5"`, `schema: modelName: llm: model "gpt-5" names no provider: write it as provider/model, the providers are ` + providerList()},
		{"no name", `{"provider":"openai"}`, `schema: modelName: is missing`},
		{"empty name", `{"modelName":"","provider":"openai"}`, `schema: modelName: has 0 characters, must have at least 1`},
		{"unknown member", `{"modelName":"openai/m","apikey":"secret"}`, `schema: apikey: is not a known member`},
		{"unknown provider", `{"modelName":"m","provider":"acme"}`, `schema: provider: is "acme", must be one of "openai", "anthropic", "google", "microsoft" or "bedrock"`},
		{"no address", `{"modelName":"m","baseURL":"127.0.0.1:80"}`, `schema: baseURL: is "127.0.0.1:80", which is no valid uri`},
		{"address of a file", `{"modelName":"m","baseURL":"file:///etc"}`, `schema: baseURL: is "file:///etc", must match the pattern ^https?://[^/]`},
		{"header", `{"modelName":"openai/m","headers":{"a b":"c","d":1}}`, `schema: headers: has a member of a name that is not allowed, "a b": is "a b", must match the pattern ^[!#$%&'*+.^_` + "`" + `|~0-9A-Za-z-]+$; headers.d: is a number, must be a string`},
		{"format", `{"modelName":"openai/m","openaiEndpointFormat":"soap"}`, `schema: openaiEndpointFormat: is "soap", must be one of "responses" or "chat"`},
		{"vertex lacks", `{"modelName":"m","provider":"vertex"}`, `schema: auth: is missing; providerOptions: is missing`},
		{"vertex with a format", `{"modelName":"m","provider":"vertex","openaiEndpointFormat":"chat","auth":{"type":"x","credentials":{"client_email":"e","type":"user"}},"providerOptions":{"cloudA":{"project":"p","zone":"z"}}}`,
			`schema: auth.credentials.private_key: is missing; auth.credentials.type: is "user", must be "service_account"; auth.type: is "x", must be "googleServiceAccount"; openaiEndpointFormat: is not a known member; providerOptions.cloudA.location: is missing; providerOptions.cloudA.zone: is not a known member`},
		{"azure with both", `{"modelName":"m","provider":"azure","apiKey":"k","auth":{"type":"azureEntraId","token":""},"providerOptions":{"azure":{}}}`,
			`schema: apiKey: is not a known member; auth.token: has 0 characters, must have at least 1`},
		{"twice", `{"modelName":"m","provider":"azure","providerOptions":{"azure":{},"cloudB":{}}}`, `schema: providerOptions.cloudB: means the same as azure, which is there too`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.raw))
			if err == nil || err.Error() != test.want {
				t.Errorf("Parse = %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestConfigHidesItsSecrets(t *testing.T) {
	c := vertexConfig()
	c.APIKey = llm.NewSecret("sk-very-secret")
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(raw), fmt.Sprintf("%v %+v %#v", c, c, c), fmt.Sprintf("%+v", *c.Auth.Credentials)} {
		if strings.Contains(text, "sk-very-secret") || strings.Contains(text, "BEGIN KEY") {
			t.Errorf("a secret shows in %s", text)
		}
	}
	if !strings.Contains(string(raw), `"apiKey":"***"`) {
		t.Errorf("Marshal = %s", raw)
	}
}
