package openai

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// MicrosoftOptions say which model of Microsoft's catalog to use and how to reach it.
// Model and BaseURL are required: the vendor has no address that serves everybody.
type MicrosoftOptions struct {
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

// NewMicrosoft returns a model that Microsoft serves behind an address compatible with
// OpenAI's: its own, as Phi, and all others of its catalog, on an endpoint of
// one's own or in a project. It is named "microsoft/…". NewMicrosoft does not reach for
// the network. Azure's own addresses and identities are those of [NewAzure].
func NewMicrosoft(opts MicrosoftOptions) (*Model, error) {
	if opts.Model == "" {
		return nil, errors.New("microsoft: no model is named")
	}
	if opts.BaseURL == "" {
		return nil, errors.New("microsoft: no address is given: the endpoint's is on its page in the portal")
	}
	u, err := modelhttp.Address("microsoft", opts.BaseURL)
	if err != nil {
		return nil, err
	}
	opts.Format = cmp.Or(opts.Format, config.ChatFormat)
	complete(u)
	return New(Options{
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
