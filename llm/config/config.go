package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A Provider is who serves a model.
type Provider string

// The providers.
const (
	OpenAI    Provider = "openai" // and every compatible server
	Anthropic Provider = "anthropic"
	Google    Provider = "google"
	Microsoft Provider = "microsoft"
	Bedrock   Provider = "bedrock"
	Vertex    Provider = "vertex"
	Azure     Provider = "azure"
)

// Providers lists all of them.
func Providers() []Provider {
	return []Provider{OpenAI, Anthropic, Google, Microsoft, Bedrock, Vertex, Azure}
}

// aliases are the neutral words of the interface, and what they stand for.
var aliases = map[string]string{
	"cloudA":               string(Vertex),
	"cloudAServiceAccount": "googleServiceAccount",
	"cloudB":               string(Azure),
	"cloudBIdentityToken":  "azureEntraId",
	"<provider_1>":         string(OpenAI),
	"<provider_2>":         string(Anthropic),
	"<provider_3>":         string(Google),
	"<provider_4>":         string(Microsoft),
	"<provider_5>":         string(Bedrock),
}

// An EndpointFormat is which of OpenAI's two interfaces a server is asked by.
type EndpointFormat string

// The formats. The empty value leaves the choice to the adapter.
const (
	ResponsesFormat EndpointFormat = "responses"
	ChatFormat      EndpointFormat = "chat"
)

// A Config says which model to use and how to reach it. As JSON it is a string
// "provider/model" or an object of one of four closed forms; see [Parse].
// Its secrets don't show when it is printed or marshaled.
type Config struct {
	// ModelName is "provider/model", or the bare name where Provider or
	// BaseURL say who serves it.
	ModelName string            `json:"modelName"`
	Provider  Provider          `json:"provider,omitempty"`
	APIKey    llm.Secret        `json:"apiKey,omitzero"`
	BaseURL   string            `json:"baseURL,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"` // sent with every request

	// OpenAIEndpointFormat is for OpenAI and servers compatible with it.
	OpenAIEndpointFormat EndpointFormat `json:"openaiEndpointFormat,omitempty"`

	Auth            *Auth            `json:"auth,omitempty"`
	ProviderOptions *ProviderOptions `json:"providerOptions,omitempty"`
}

// Auth is how Vertex and Azure identify the caller.
type Auth struct {
	Type string `json:"type"` // "googleServiceAccount" or "azureEntraId"

	// Of a service account.
	Credentials    *ServiceAccount `json:"credentials,omitempty"`
	Scopes         Scopes          `json:"scopes,omitempty"`
	ProjectID      string          `json:"projectId,omitempty"`
	UniverseDomain string          `json:"universeDomain,omitempty"`

	// Of an identity.
	Token llm.Secret `json:"token,omitzero"`
}

// ServiceAccount is a key file of Google Cloud.
type ServiceAccount struct {
	PrivateKey              llm.Secret `json:"private_key"`
	ClientEmail             string     `json:"client_email"`
	Type                    string     `json:"type,omitempty"`
	ProjectID               string     `json:"project_id,omitempty"`
	PrivateKeyID            string     `json:"private_key_id,omitempty"`
	ClientID                string     `json:"client_id,omitempty"`
	UniverseDomain          string     `json:"universe_domain,omitempty"`
	AuthURI                 string     `json:"auth_uri,omitempty"`
	TokenURI                string     `json:"token_uri,omitempty"`
	AuthProviderX509CertURL string     `json:"auth_provider_x509_cert_url,omitempty"`
	ClientX509CertURL       string     `json:"client_x509_cert_url,omitempty"`
}

// Scopes are OAuth scopes. As JSON, one may stand without a list.
type Scopes []string

// UnmarshalJSON reads a string or a list of strings.
func (s *Scopes) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*s = Scopes{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(s))
}

// ProviderOptions are what one provider needs beyond the rest.
type ProviderOptions struct {
	Vertex *VertexOptions `json:"vertex,omitempty"`
	Azure  *AzureOptions  `json:"azure,omitempty"`
}

// VertexOptions say where in Google Cloud a model is served.
type VertexOptions struct {
	Project  string            `json:"project"`
	Location string            `json:"location"`
	BaseURL  string            `json:"baseURL,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
}

// AzureOptions say where in Azure a model is served.
type AzureOptions struct {
	ResourceName           string            `json:"resourceName,omitempty"`
	BaseURL                string            `json:"baseURL,omitempty"`
	APIVersion             string            `json:"apiVersion,omitempty"`
	UseDeploymentBasedURLs bool              `json:"useDeploymentBasedUrls,omitempty"`
	Headers                map[string]string `json:"headers,omitempty"`
}

// Resolve says who serves the model, and under which name that provider knows
// it. A bare name behind a BaseURL is taken for one of an OpenAI-compatible
// server.
func (c *Config) Resolve() (Provider, string, error) {
	prefix, rest, prefixed := strings.Cut(c.ModelName, "/")
	named := Provider(canonical(prefix))
	switch {
	case c.ModelName == "":
		return "", "", fmt.Errorf("llm: no model is named")
	case c.Provider != "" && prefixed && named == c.Provider && rest != "":
		return c.Provider, rest, nil
	case c.Provider != "":
		return c.Provider, c.ModelName, nil
	case prefixed && rest != "" && slices.Contains(Providers(), named):
		return named, rest, nil
	case c.BaseURL != "":
		return OpenAI, c.ModelName, nil
	default:
		return "", "", fmt.Errorf("llm: model %q names no provider: write it as provider/model, the providers are %s", c.ModelName, providerList())
	}
}

// check holds the parts against each other.
func (c *Config) check() error {
	if _, _, err := c.Resolve(); err != nil {
		return &schema.ValidationError{Issues: []schema.Issue{{Path: []any{"modelName"}, Message: err.Error()}}}
	}
	return nil
}

func providerList() string {
	names := make([]string, 0, len(Providers()))
	for _, p := range Providers() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// canonical returns what a word of the interface stands for.
func canonical(word string) string {
	if c, ok := aliases[word]; ok {
		return c
	}
	return word
}
