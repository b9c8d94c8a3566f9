// Command vendor asks a model of whichever vendor its name begins with, and reports what
// that took. Several names with commas between them are asked in turn, until one answers.
//
// Keys are in the vendors' usual variables. The pages are in memory, so that nothing but the
// model is on the network; -server asks a server of your own that speaks as the vendor does.
//
//	OPENAI_API_KEY=… go run ./examples/vendor -model openai/gpt-5-mini
//	ANTHROPIC_API_KEY=… go run ./examples/vendor -model anthropic/claude-haiku-4-5
//	go run ./examples/vendor -model qwen3 -server http://127.0.0.1:11434/v1
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/anthropic"
	"github.com/wayfinder-engine/wayfinder/llm/bedrock"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/google"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
	"github.com/wayfinder-engine/wayfinder/llm/vertex"
)

// keys are the variables of the vendors whose access is a key alone.
var keys = map[config.Provider]string{
	config.OpenAI: "OPENAI_API_KEY", config.Anthropic: "ANTHROPIC_API_KEY", config.Google: "GEMINI_API_KEY", config.Microsoft: "AZURE_INFERENCE_CREDENTIAL",
}

// vendors make the model of a configuration. To link fewer SDKs, a program leaves lines out.
var vendors = map[config.Provider]func(*config.Config) (llm.Model, error){
	config.OpenAI: func(c *config.Config) (llm.Model, error) {
		if strings.HasPrefix(c.ModelName, "openai/") { // a server of another kind speaks Chat Completions alone
			c.OpenAIEndpointFormat = config.ResponsesFormat
		}
		return openai.NewFromConfig(c)
	},
	config.Anthropic: func(c *config.Config) (llm.Model, error) { return anthropic.NewFromConfig(c) },
	config.Google:    func(c *config.Config) (llm.Model, error) { return google.NewFromConfig(c) },
	config.Microsoft: func(c *config.Config) (llm.Model, error) { return openai.NewFromConfig(c) },
	config.Azure: func(c *config.Config) (llm.Model, error) {
		c.Auth = &config.Auth{Type: "azureEntraId", Token: secret("AZURE_OPENAI_AD_TOKEN")}
		c.ProviderOptions = &config.ProviderOptions{Azure: &config.AzureOptions{ResourceName: os.Getenv("AZURE_RESOURCE_NAME")}}
		return openai.NewFromConfig(c)
	},
	config.Bedrock: func(c *config.Config) (llm.Model, error) {
		return bedrock.NewFromConfig(c, bedrock.Options{Region: os.Getenv("AWS_REGION"), AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: secret("AWS_SECRET_ACCESS_KEY"), SessionToken: secret("AWS_SESSION_TOKEN")})
	},
	config.Vertex: func(c *config.Config) (llm.Model, error) {
		raw, err := os.ReadFile(os.Getenv("GOOGLE_APPLICATION_CREDENTIALS"))
		if err != nil {
			return nil, fmt.Errorf("GOOGLE_APPLICATION_CREDENTIALS must name a service account's key file: %w", err)
		}
		var account config.ServiceAccount
		if err := json.Unmarshal(raw, &account); err != nil {
			return nil, err
		}
		c.Auth = &config.Auth{Type: "googleServiceAccount", Credentials: &account}
		c.ProviderOptions = &config.ProviderOptions{Vertex: &config.VertexOptions{Project: account.ProjectID, Location: "global"}}
		return vertex.NewFromConfig(c)
	},
}

func secret(variable string) llm.Secret { return llm.NewSecret(os.Getenv(variable)) }

func main() {
	names := flag.String("model", "openai/gpt-5-mini", "the model's name, after its provider's")
	server := flag.String("server", "", "address of a server that speaks as the vendor does")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*names, ","), *server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string, server string) error {
	var models []llm.Model
	for _, name := range names {
		c := &config.Config{ModelName: name, BaseURL: server}
		provider, _, err := c.Resolve()
		if err != nil {
			return err
		}
		c.APIKey = secret(keys[provider])
		m, err := vendors[provider](c)
		if err != nil {
			return err
		}
		models = append(models, middleware.Wrap(m, middleware.Retry(nil)))
	}
	model := middleware.Wrap(models[0], middleware.Meter(), middleware.Fallback(models[1:]...))
	budget := &middleware.Budget{MaxTokens: 50_000}
	ctx = middleware.WithBudget(ctx, budget)
	news := fake.Web{"https://news.test/": `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`, "https://news.test/weather": `<h1>Weather</h1>`}
	session, err := engine.Open(ctx, news, &engine.Options{Model: model})
	if err != nil {
		return err
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://news.test/", nil); err != nil {
		return err
	}
	result, err := page.Act(ctx, "show me the weather", nil)
	if err != nil {
		return err
	}
	used, cost := budget.Spent()
	fmt.Printf("%s: %s\n%d tokens in, %d of them cached, %d out, %d of them thoughts, for $%.6f\n",
		model.Name(), result.Message, used.Input, used.Cached, used.Output, used.Reasoning, cost)
	return nil
}
