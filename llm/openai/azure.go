package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// AzureScope is what a token of Microsoft Entra ID is asked for.
const AzureScope = "https://cognitiveservices.azure.com/.default"

// AzureOptions say which deployment of Azure's to use and how to reach it. Deployment
// is required, and so is one of ResourceName and BaseURL, and one of APIKey and
// Token.
type AzureOptions struct {
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

// NewAzure returns the model of a deployment of Azure's, named "azure/…" after it. It
// does not reach for the network.
func NewAzure(opts AzureOptions) (*Model, error) {
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
	opts.Format = cmp.Or(opts.Format, config.ChatFormat)
	return New(Options{
		Model: opts.Deployment, Provider: string(config.Azure),
		BaseURL: base, Query: query, Headers: opts.Headers,
		APIKey: opts.APIKey, KeyHeader: "Api-Key", Token: opts.Token,
		Format: opts.Format, Genuine: true,
		Timeout: opts.Timeout, HTTPClient: opts.HTTPClient,
	})
}

// azureFromConfig returns the model of a configuration of Azure's. What its
// providerOptions say wins over what stands beside them.
func azureFromConfig(c *config.Config, deployment string) (*Model, error) {
	opts := AzureOptions{Deployment: deployment, BaseURL: c.BaseURL, APIKey: c.APIKey, Headers: maps.Clone(c.Headers), Format: c.OpenAIEndpointFormat}
	if c.ProviderOptions != nil && c.ProviderOptions.Azure != nil {
		given := c.ProviderOptions.Azure
		opts.ResourceName, opts.APIVersion, opts.DeploymentURLs = given.ResourceName, given.APIVersion, given.UseDeploymentBasedURLs
		opts.BaseURL = cmp.Or(given.BaseURL, opts.BaseURL)
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
	return NewAzure(opts)
}

// address returns where a deployment is asked, and what stands in the query.
func (o *AzureOptions) address() (base string, query map[string]string, err error) {
	root, err := o.root()
	if err != nil {
		return "", nil, err
	}
	version := o.APIVersion
	switch {
	case o.DeploymentURLs && o.Format == config.ResponsesFormat:
		return "", nil, errors.New("azure: the Responses interface has no address for each deployment: leave DeploymentURLs out, or use Chat Completions")
	case o.DeploymentURLs:
		root = strings.TrimSuffix(root, "/v1")
		if deployment := "/deployments/" + url.PathEscape(o.Deployment); !strings.HasSuffix(root, deployment) {
			root += deployment
		}
		version = cmp.Or(version, defaultVersion)
	case !strings.HasSuffix(root, "/v1"):
		root += "/v1"
	}
	if version != "" {
		query = map[string]string{"api-version": version}
	}
	return root, query, nil
}

// root returns the address up to where the two forms part. A server of the
// vendor's is often named by its host alone.
func (o *AzureOptions) root() (string, error) {
	if o.BaseURL == "" {
		if o.ResourceName == "" {
			return "", errors.New("azure: neither a resource nor an address is named")
		}
		return "https://" + o.ResourceName + ".openai.azure.com/openai", nil
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
		return "", fmt.Errorf("azure: %q is no address of a server", o.BaseURL)
	}
	root := strings.TrimRight(o.BaseURL, "/")
	if strings.Trim(u.Path, "/") == "" && strings.HasSuffix(u.Hostname(), ".azure.com") {
		root += "/openai"
	}
	return root, nil
}

// defaultVersion is the version of the interface at addresses that name the
// deployment, where none is given: they want one.
const defaultVersion = "2024-10-21"
