package vertex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/anthropic"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/internal/gemini"
)

// Options say which model to use and how to reach it. Model, Project, Location
// and Account are required.
type Options struct {
	Model    string // as gemini-2.5-flash, claude-sonnet-4-5@20250929 or anthropic/…
	Project  string
	Location string // as europe-west4, or global

	Account config.ServiceAccount
	Scopes  []string // of the tokens; none is that of the whole platform

	// UniverseDomain is the cloud's own domain; empty is the account's, and
	// googleapis.com where that has none.
	UniverseDomain string

	// BaseURL is the server's address; empty is the location's own. One that
	// leads to a publisher's models, as …/publishers/google, is followed by
	// /models/… at once.
	BaseURL string
	Headers map[string]string // sent with every request; they win over our own

	// Timeout bounds a request where the caller's context does not do so
	// sooner; 0 is ten minutes.
	Timeout time.Duration

	// HTTPClient, if not nil, sends the requests, those for tokens too. The
	// default obeys the environment's proxies.
	HTTPClient *http.Client
}

// A Model is one model that Google Cloud serves. It may be used from several
// goroutines at once.
type Model struct {
	family  llm.Streamer
	account *account
}

var _ llm.Streamer = (*Model)(nil)

var place = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.:_-]*$`)

// New returns a model. It does not reach for the network.
func New(opts Options) (*Model, error) {
	opts.UniverseDomain = cmp.Or(opts.UniverseDomain, opts.Account.UniverseDomain, defaultUniverse)
	switch {
	case opts.Model == "":
		return nil, errors.New("vertex: no model is named")
	case !place.MatchString(opts.Project):
		return nil, fmt.Errorf("vertex: %q is no project", opts.Project)
	case !place.MatchString(opts.Location):
		return nil, fmt.Errorf("vertex: %q is no location", opts.Location)
	case !place.MatchString(opts.UniverseDomain):
		return nil, fmt.Errorf("vertex: %q is no universe's domain", opts.UniverseDomain)
	}
	opts.BaseURL = cmp.Or(opts.BaseURL, address(opts.Location, opts.UniverseDomain))
	base, err := modelhttp.Address("vertex", opts.BaseURL)
	if err != nil {
		return nil, err
	}
	who, err := newAccount(&opts)
	if err != nil {
		return nil, err
	}
	m := &Model{account: who}
	if name, ok := claudeName(opts.Model); ok {
		m.family, err = newClaude(&opts, name, base, who)
	} else {
		m.family, err = gemini.New(gemini.Options{
			Provider: string(config.Vertex), Model: opts.Model, BaseURL: opts.BaseURL, Project: opts.Project, Location: opts.Location,
			Headers: opts.Headers, Timeout: opts.Timeout, HTTPClient: opts.HTTPClient,
			Sign: who.sign, Refused: who.refused, Scrub: who.scrub,
		})
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// address is where a location is served.
func address(location, universe string) string {
	switch location {
	case "global":
		return "https://aiplatform." + universe
	case "us", "eu":
		return "https://aiplatform." + location + ".rep." + universe
	default:
		return "https://" + location + "-aiplatform." + universe
	}
}

// NewFromConfig returns the model that a configuration names. Its APIKey is not
// used: the service account identifies the caller.
func NewFromConfig(c *config.Config) (*Model, error) {
	provider, model, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	if provider != config.Vertex {
		return nil, fmt.Errorf("vertex: a model of %s", provider)
	}
	if c.Auth == nil || c.Auth.Credentials == nil {
		return nil, &llm.Error{Provider: string(config.Vertex), Kind: llm.KindAuth, Message: "no service account is given"}
	}
	if c.ProviderOptions == nil || c.ProviderOptions.Vertex == nil {
		return nil, errors.New("vertex: the configuration has no providerOptions.vertex with a project and a location")
	}
	given := c.ProviderOptions.Vertex
	opts := Options{
		Model: model, Project: cmp.Or(given.Project, c.Auth.ProjectID, c.Auth.Credentials.ProjectID), Location: given.Location, BaseURL: cmp.Or(given.BaseURL, c.BaseURL),
		Account: *c.Auth.Credentials, Scopes: c.Auth.Scopes, UniverseDomain: c.Auth.UniverseDomain,
		Headers: maps.Clone(c.Headers),
	}
	if opts.Headers == nil {
		opts.Headers = map[string]string{}
	}
	maps.Copy(opts.Headers, given.Headers)
	return New(opts)
}

// Name is "vertex/…".
func (m *Model) Name() string { return m.family.Name() }

// Generate asks once, and again at once where the server refuses a part of the
// request that can be said otherwise.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := m.family.Generate(ctx, req)
	return resp, m.account.safe(err)
}

// Stream answers bit by bit. Where the request has a schema, the bits are the
// answer in the form that was sent to the server; the Response at the end is in
// the schema's own.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for delta, err := range m.family.Stream(ctx, req) {
			if !yield(delta, m.account.safe(err)) {
				return
			}
		}
	}
}

// claudeName returns the bare name of a Claude model: one that begins so, or
// is said to be Anthropic's.
func claudeName(model string) (string, bool) {
	for _, publisher := range []string{"publishers/anthropic/models/", "anthropic/"} {
		if name, ok := strings.CutPrefix(model, publisher); ok {
			return name, true
		}
	}
	return model, strings.HasPrefix(model, "claude")
}

func newClaude(opts *Options, name string, base *url.URL, who *account) (*anthropic.Model, error) {
	if !place.MatchString(strings.Replace(name, "@", "-", 1)) {
		return nil, fmt.Errorf("vertex: %q is no name of a model", opts.Model)
	}
	path := strings.TrimSuffix(base.Path, "/")
	t := &claudeTransport{account: who, models: path + "/models/"}
	if !strings.Contains(path+"/", "/publishers/") {
		t.models = fmt.Sprintf("%s/v1/projects/%s/locations/%s/publishers/anthropic/models/", strings.TrimSuffix(path, "/v1"), opts.Project, opts.Location)
	}
	client := modelhttp.Through(opts.HTTPClient, func(next http.RoundTripper) http.RoundTripper {
		t.next = next
		return t
	})
	return anthropic.New(anthropic.Options{
		Provider: string(config.Vertex), Model: name, BaseURL: base.Scheme + "://" + base.Host, Headers: opts.Headers, Timeout: opts.Timeout, HTTPClient: client,
	})
}
