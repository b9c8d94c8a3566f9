package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/anthropic"
	"github.com/wayfinder-engine/wayfinder/llm/bedrock"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/google"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
	"github.com/wayfinder-engine/wayfinder/llm/vertex"
)

// A lookup gives the value of a variable; empty is not set.
type lookup func(name string) string

// first returns the value of the first of some variables that is set.
func (env lookup) first(names []string) string {
	for _, name := range names {
		if value := env(name); value != "" {
			return value
		}
	}
	return ""
}

// A vendor is a provider with the variables in which what it needs is usually
// found. Everything here that knows several providers reads [vendors].
type vendor struct {
	name config.Provider

	// needs are all that it takes to ask the vendor.
	needs []need
	// keys and addresses are variables for config.Config's APIKey and BaseURL; of
	// each, the first that is set counts.
	keys, addresses []string
	// extra are variables that are read too, if they are set, and more, if not
	// nil, reads what has no place above.
	extra []string
	more  func(v *vendor, env lookup, c *config.Config) error

	open func(*config.Config, lookup) (llm.Model, error)

	small string // a cheap model, to see whether the vendor answers; empty if names are the user's own
}

// A need is one thing that can stand in one of several variables, or be spread
// over several.
type need []variables

// variables are set together.
type variables []string

func one(names ...string) need {
	var n need
	for _, name := range names {
		n = append(n, variables{name})
	}
	return n
}

// met returns the variables that hold the thing; none if it is missing.
func (n need) met(env lookup) variables {
	for _, v := range n {
		if !slices.ContainsFunc(v, func(name string) bool { return env(name) == "" }) {
			return v
		}
	}
	return nil
}

// String writes the choice, as "A or B and C".
func (n need) String() string {
	var choices []string
	for _, v := range n {
		choices = append(choices, strings.Join(v, " and "))
	}
	return strings.Join(choices, " or ")
}

// vendors are all that models can be had from.
var vendors = []vendor{
	{
		name: config.OpenAI, small: "gpt-5-nano",
		keys: []string{"OPENAI_API_KEY"}, addresses: []string{"OPENAI_BASE_URL"}, needs: []need{one("OPENAI_API_KEY")},
		open: opener(openai.NewFromConfig),
	},
	{
		name: config.Anthropic, small: "claude-haiku-4-5",
		keys: []string{"ANTHROPIC_API_KEY"}, addresses: []string{"ANTHROPIC_BASE_URL"}, needs: []need{one("ANTHROPIC_API_KEY")},
		open: opener(anthropic.NewFromConfig),
	},
	{
		name: config.Google, small: "gemini-2.5-flash-lite",
		keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"}, addresses: []string{"GOOGLE_GEMINI_BASE_URL"},
		needs: []need{one("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY")},
		open:  opener(google.NewFromConfig),
	},
	{
		name: config.Vertex, small: "gemini-2.5-flash-lite",
		addresses: []string{"GOOGLE_VERTEX_BASE_URL"}, needs: []need{one("GOOGLE_APPLICATION_CREDENTIALS")},
		extra: []string{"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"}, more: moreOfVertex, open: opener(vertex.NewFromConfig),
	},
	{
		name: config.Bedrock, small: "amazon.nova-micro-v1:0",
		keys: []string{"AWS_BEARER_TOKEN_BEDROCK"}, addresses: []string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME"},
		needs: []need{{{"AWS_BEARER_TOKEN_BEDROCK"}, {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}}, one("AWS_REGION", "AWS_DEFAULT_REGION")},
		extra: []string{"AWS_SESSION_TOKEN"}, open: openBedrock,
	},
	{
		name: config.Azure,
		keys: []string{"AZURE_OPENAI_API_KEY", "AZURE_API_KEY"}, addresses: []string{"AZURE_OPENAI_ENDPOINT"},
		needs: []need{one("AZURE_OPENAI_API_KEY", "AZURE_API_KEY", "AZURE_OPENAI_AD_TOKEN"), one("AZURE_OPENAI_ENDPOINT", "AZURE_RESOURCE_NAME")},
		extra: []string{"OPENAI_API_VERSION", "AZURE_OPENAI_API_VERSION"}, more: moreOfAzure, open: opener(openai.NewFromConfig),
	},
	{
		name: config.Microsoft,
		keys: []string{"AZURE_INFERENCE_CREDENTIAL", "AZURE_AI_API_KEY"}, addresses: []string{"AZURE_INFERENCE_ENDPOINT", "AZURE_AI_API_BASE"},
		needs: []need{one("AZURE_INFERENCE_CREDENTIAL", "AZURE_AI_API_KEY"), one("AZURE_INFERENCE_ENDPOINT", "AZURE_AI_API_BASE")},
		open:  opener(openai.NewFromConfig),
	},
}

// vendorOf finds a provider in the table.
func vendorOf(p config.Provider) (*vendor, bool) {
	i := slices.IndexFunc(vendors, func(v vendor) bool { return v.name == p })
	if i < 0 {
		return nil, false
	}
	return &vendors[i], true
}

// opener fits an adapter's own function into the table.
func opener[M llm.Model](open func(*config.Config) (M, error)) func(*config.Config, lookup) (llm.Model, error) {
	return func(c *config.Config, _ lookup) (llm.Model, error) {
		m, err := open(c)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

// moreOfAzure reads what Azure's own clients read.
func moreOfAzure(v *vendor, env lookup, c *config.Config) error {
	var given config.AzureOptions
	if c.ProviderOptions != nil && c.ProviderOptions.Azure != nil {
		given = *c.ProviderOptions.Azure
	}
	if c.APIKey.IsZero() && c.Auth == nil {
		if token := env("AZURE_OPENAI_AD_TOKEN"); token != "" {
			c.Auth = &config.Auth{Type: "azureEntraId", Token: llm.NewSecret(token)}
		}
	}
	if c.BaseURL == "" {
		given.ResourceName = env("AZURE_RESOURCE_NAME")
	}
	version := env.first(v.extra)
	if given.APIVersion == "" && version != "" {
		given.APIVersion = version
		// A date is a version of the interface at the older addresses.
		given.UseDeploymentBasedURLs = strings.HasPrefix(version, "20")
	}
	c.ProviderOptions = &config.ProviderOptions{Azure: &given}
	return nil
}

// moreOfVertex reads the key file of a service account, and where it is used.
func moreOfVertex(_ *vendor, env lookup, c *config.Config) error {
	if c.Auth != nil || c.ProviderOptions != nil {
		return nil
	}
	name := env("GOOGLE_APPLICATION_CREDENTIALS")
	if name == "" {
		return nil
	}
	unfit := func(format string, args ...any) error {
		return &llm.Error{Provider: string(config.Vertex), Kind: llm.KindAuth, Message: "GOOGLE_APPLICATION_CREDENTIALS: " + fmt.Sprintf(format, args...)}
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return unfit("%v", err)
	}
	var account config.ServiceAccount
	if err := json.Unmarshal(raw, &account); err != nil {
		return unfit("%s is no JSON", name)
	}
	if account.Type != "service_account" {
		return unfit("%s is of type %q; the key file of a service account is wanted", name, account.Type)
	}
	options := config.VertexOptions{Project: cmp.Or(env("GOOGLE_CLOUD_PROJECT"), account.ProjectID), Location: cmp.Or(env("GOOGLE_CLOUD_LOCATION"), "global")}
	c.Auth = &config.Auth{Type: "googleServiceAccount", Credentials: &account}
	c.ProviderOptions = &config.ProviderOptions{Vertex: &options}
	return nil
}

// openBedrock adds what a configuration has no place for.
func openBedrock(c *config.Config, env lookup) (llm.Model, error) {
	region := env.first([]string{"AWS_REGION", "AWS_DEFAULT_REGION"})
	rest := bedrock.Options{
		Region:          region,
		AccessKeyID:     env("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: llm.NewSecret(env("AWS_SECRET_ACCESS_KEY")),
		SessionToken:    llm.NewSecret(env("AWS_SESSION_TOKEN")),
	}
	return opener(func(c *config.Config) (*bedrock.Model, error) { return bedrock.NewFromConfig(c, rest) })(c, env)
}

// missing returns what the environment lacks.
func (v *vendor) missing(env lookup) []need {
	var lacking []need
	for _, n := range v.needs {
		if n.met(env) == nil {
			lacking = append(lacking, n)
		}
	}
	return lacking
}

// setIn names the variables that hold what the vendor needs, never what they
// hold.
func (v *vendor) setIn(env lookup) string {
	var held []string
	for _, n := range v.needs {
		held = append(held, n.met(env)...)
	}
	return strings.Join(held, ", ")
}

// openIn opens a model, with what the environment adds to a configuration that
// names no place of its own.
func (v *vendor) openIn(env lookup, c *config.Config) (llm.Model, error) {
	if hasPlace(c) {
		env = func(string) string { return "" }
	} else if err := v.complete(env, c); err != nil {
		return nil, err
	}
	return v.open(c, env)
}

// complete adds what the environment has, or says what it lacks.
func (v *vendor) complete(env lookup, c *config.Config) error {
	own := !c.APIKey.IsZero() || c.Auth != nil // it brings a key of its own
	if lacking := v.missing(env); !own && len(lacking) > 0 {
		return v.lacks(lacking)
	}
	return v.takeOver(env, c)
}

// takeOver puts into a configuration what the environment has and it has not.
func (v *vendor) takeOver(env lookup, c *config.Config) error {
	if key := env.first(v.keys); c.APIKey.IsZero() && c.Auth == nil {
		c.APIKey = llm.NewSecret(key)
	}
	if address := env.first(v.addresses); c.BaseURL == "" {
		c.BaseURL = address
	}
	if v.more == nil {
		return nil
	}
	return v.more(v, env, c)
}

// lacks is the error of a vendor that is not configured.
func (v *vendor) lacks(lacking []need) error {
	var words []string
	for _, n := range lacking {
		if len(n) == 1 && len(n[0]) == 1 {
			words = append(words, "the variable "+n.String()+" is not set")
		} else {
			words = append(words, "none of the variables "+n.String()+" is set")
		}
	}
	return &llm.Error{Provider: string(v.name), Kind: llm.KindAuth, Message: strings.Join(words, "; ")}
}

func (v *vendor) standing(env lookup) *standing {
	st := &standing{Provider: string(v.name), From: []string{}}
	for _, n := range v.missing(env) {
		st.Missing = append(st.Missing, n.String())
	}
	st.Configured = len(st.Missing) == 0
	for _, n := range v.needs {
		st.From = append(st.From, n.met(env)...)
	}
	for _, name := range slices.Concat(v.addresses, v.extra) {
		if env(name) != "" && !slices.Contains(st.From, name) {
			st.From = append(st.From, name)
		}
	}
	return st
}
