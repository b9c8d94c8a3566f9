// Package microsoft adapts the models that Microsoft serves behind an address
// which is compatible with OpenAI's: its own, as Phi and Fara, and all others of
// its model catalog, on an endpoint of one's own or in a project.
//
//	model, err := microsoft.New(microsoft.Options{
//		Model: "Fara-7B", APIKey: llm.NewSecret(key),
//		BaseURL: "https://contoso.eastus2.inference.ml.azure.com/v1"})
//
// The translation is that of package llm/openai, by Chat Completions. For
// deployments of Azure with Azure's own addresses and identities there is
// package llm/azure.
package microsoft

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
)

// Options say which model to use and how to reach it. Model and BaseURL are
// required: the vendor has no address that serves everybody.
type Options struct {
	Model string // as the endpoint names it

	// BaseURL is the endpoint's address. Of a server of the vendor's, the host
	// alone will do.
	BaseURL string
	APIKey  llm.Secret
	Headers map[string]string     // sent with every request; they win over our own
	Format  config.EndpointFormat // empty is Chat Completions

	// Timeout bounds a request where the caller's context does not do so
	// sooner; 0 is ten minutes.
	Timeout time.Duration
	// HTTPClient, if not nil, sends the requests. The default obeys the
	// environment's proxies.
	HTTPClient *http.Client
}

// New returns a model, named "microsoft/…". It does not reach for the network.
func New(opts Options) (*openai.Model, error) {
	if opts.Model == "" {
		return nil, errors.New("microsoft: no model is named")
	}
	if opts.BaseURL == "" {
		return nil, errors.New("microsoft: no address is given: the endpoint's is on its page in the portal")
	}
	u, err := url.Parse(opts.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("microsoft: %q is no address of a server", opts.BaseURL)
	}
	if opts.Format == "" {
		opts.Format = config.ChatFormat
	}
	complete(u)
	return openai.New(openai.Options{
		Model: opts.Model, Provider: string(config.Microsoft),
		BaseURL: u.String(), APIKey: opts.APIKey, Headers: opts.Headers, Format: opts.Format,
		Timeout: opts.Timeout, HTTPClient: opts.HTTPClient,
	})
}

// complete adds what people leave out of the addresses of the vendor's servers.
// The path /models is that of another interface of the same servers, which the
// vendor's older tools are given.
func complete(u *url.URL) {
	host, path := u.Hostname(), strings.Trim(u.Path, "/")
	switch {
	case path == "models" && strings.HasSuffix(host, ".services.ai.azure.com"),
		path == "" && (strings.HasSuffix(host, ".services.ai.azure.com") || strings.HasSuffix(host, ".openai.azure.com")):
		u.Path = "/openai/v1"
	case path == "" && strings.HasSuffix(host, ".azure.com"):
		u.Path = "/v1"
	}
}

// NewFromConfig returns the model that a configuration names.
func NewFromConfig(c *config.Config) (*openai.Model, error) {
	provider, model, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	if provider != config.Microsoft {
		return nil, fmt.Errorf("microsoft: a model of %s", provider)
	}
	return New(Options{Model: model, APIKey: c.APIKey, BaseURL: c.BaseURL, Headers: c.Headers, Format: c.OpenAIEndpointFormat})
}
