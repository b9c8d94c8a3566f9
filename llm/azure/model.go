package azure

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
)

// Scope is what a token of Microsoft Entra ID is asked for.
const Scope = "https://cognitiveservices.azure.com/.default"

// Options say which deployment to use and how to reach it. Deployment is
// required, and so is one of ResourceName and BaseURL, and one of APIKey and
// Token.
type Options struct {
	Deployment string // the name that it was given in Azure

	ResourceName string // as in https://NAME.openai.azure.com
	// BaseURL, if not empty, is used in place of ResourceName. It goes up to
	// "/openai"; of a server at azure.com, the host alone will do.
	BaseURL string

	// APIVersion is sent as api-version; empty sends none, and for
	// DeploymentURLs a version that the vendor calls stable.
	APIVersion string
	// DeploymentURLs uses the older addresses, which name the deployment.
	DeploymentURLs bool

	APIKey llm.Secret
	// Token, if not nil, is asked for a token of Microsoft Entra ID before every
	// request. It keeps a token for as long as that lives, and may be called
	// from several goroutines at once.
	Token func(context.Context) (llm.Secret, error)

	Headers map[string]string     // sent with every request; they win over our own
	Format  config.EndpointFormat // empty is Chat Completions, which every deployment speaks

	// Timeout bounds a request where the caller's context does not do so
	// sooner; 0 is ten minutes.
	Timeout time.Duration
	// HTTPClient, if not nil, sends the requests. The default obeys the
	// environment's proxies.
	HTTPClient *http.Client
}

// New returns the model of a deployment, named "azure/…" after it. It does not
// reach for the network.
func New(opts Options) (*openai.Model, error) {
	if opts.Deployment == "" {
		return nil, errors.New("azure: no deployment is named")
	}
	base, query, err := opts.address()
	if err != nil {
		return nil, err
	}
	if opts.APIKey.IsZero() && opts.Token == nil {
		return nil, &llm.Error{Provider: string(config.Azure), Kind: llm.KindAuth, Message: "neither an API key nor a token is given"}
	}
	if opts.Format == "" {
		opts.Format = config.ChatFormat
	}
	return openai.New(openai.Options{
		Model: opts.Deployment, Provider: string(config.Azure),
		BaseURL: base, Query: query, Headers: opts.Headers,
		APIKey: opts.APIKey, KeyHeader: "Api-Key", Token: opts.Token,
		Format: opts.Format, Genuine: true,
		Timeout: opts.Timeout, HTTPClient: opts.HTTPClient,
	})
}

// NewFromConfig returns the model that a configuration names. What its
// providerOptions say wins over what stands beside them.
func NewFromConfig(c *config.Config) (*openai.Model, error) {
	provider, deployment, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	if provider != config.Azure {
		return nil, fmt.Errorf("azure: a model of %s", provider)
	}
	opts := Options{Deployment: deployment, BaseURL: c.BaseURL, APIKey: c.APIKey, Headers: maps.Clone(c.Headers), Format: c.OpenAIEndpointFormat}
	if c.ProviderOptions != nil && c.ProviderOptions.Azure != nil {
		given := c.ProviderOptions.Azure
		opts.ResourceName, opts.APIVersion, opts.DeploymentURLs = given.ResourceName, given.APIVersion, given.UseDeploymentBasedURLs
		if given.BaseURL != "" {
			opts.BaseURL = given.BaseURL
		}
		if opts.Headers == nil {
			opts.Headers = map[string]string{}
		}
		maps.Copy(opts.Headers, given.Headers)
	}
	if c.Auth != nil {
		if c.Auth.Type != "azureEntraId" || c.Auth.Token.IsZero() {
			return nil, &llm.Error{Provider: string(config.Azure), Kind: llm.KindAuth, Message: "its auth holds no token of Microsoft Entra ID"}
		}
		token := c.Auth.Token
		opts.Token = func(context.Context) (llm.Secret, error) { return token, nil }
	}
	return New(opts)
}
