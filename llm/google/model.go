package google

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/internal/gemini"
)

const official = "https://generativelanguage.googleapis.com"

// Options say which model to use and how to reach it. Model is required, and
// APIKey is for Google itself.
type Options struct {
	Model   string
	APIKey  llm.Secret
	BaseURL string            // empty is Google's own; a version at its end, as /v1beta, is the interface's
	Headers map[string]string // sent with every request; they win over our own

	// Timeout bounds a request where the caller's context does not do so
	// sooner; 0 is ten minutes.
	Timeout time.Duration

	// HTTPClient, if not nil, sends the requests. The default obeys the
	// environment's proxies.
	HTTPClient *http.Client
}

// A Model is one Gemini model, named "google/…". It may be used from several goroutines at
// once.
type Model = gemini.Model

var _ llm.Streamer = (*Model)(nil)

// New returns a model. It does not reach for the network.
func New(opts Options) (*Model, error) {
	opts.BaseURL = cmp.Or(opts.BaseURL, official)
	if u, err := url.Parse(opts.BaseURL); err == nil && opts.APIKey.IsZero() && opts.Model != "" && "https://"+u.Host == official {
		return nil, &llm.Error{Provider: string(config.Google), Kind: llm.KindAuth, Message: "no API key is given"}
	}
	key := opts.APIKey
	return gemini.New(gemini.Options{
		Provider: string(config.Google), Model: opts.Model, BaseURL: opts.BaseURL,
		Headers: opts.Headers, Timeout: opts.Timeout, HTTPClient: opts.HTTPClient, Scrub: key.Scrub,
		Sign: func(_ context.Context, h http.Header) error {
			if !key.IsZero() {
				h.Set("X-Goog-Api-Key", key.Reveal())
			}
			return nil
		},
	})
}

// NewFromConfig returns the model that a configuration names.
func NewFromConfig(c *config.Config) (*Model, error) {
	provider, model, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	if provider != config.Google {
		return nil, fmt.Errorf("google: a model of %s", provider)
	}
	return New(Options{Model: model, APIKey: c.APIKey, BaseURL: c.BaseURL, Headers: c.Headers})
}
