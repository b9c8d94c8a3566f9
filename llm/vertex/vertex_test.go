package vertex

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/transcript"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

const somewhere = "/projects/acme/locations/europe-west4/publishers/"

// options are those of a model on a server of the test's own.
func options(model, address, tokenURI string) Options {
	return Options{
		Model: model, Project: "acme", Location: "europe-west4", BaseURL: address, Headers: map[string]string{"X-Extra": "extra"},
		Account: config.ServiceAccount{ClientEmail: "robot@acme.test", PrivateKey: llm.NewSecret(privateKey()), PrivateKeyID: "key-1", TokenURI: tokenURI},
	}
}

func newModel(t testing.TB, opts Options) *Model {
	t.Helper()
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask(t *testing.T, m llm.Model) (*llm.Response, error) {
	t.Helper()
	return m.Generate(t.Context(), &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Hello."}}}}})
}

func geminiHarness() llmtest.Harness {
	format := vendorserver.Gemini
	format.Path, format.Key = "/v1beta1"+somewhere+"google", "Authorization"
	return format.Harness(func(t testing.TB, address string) llm.Model {
		return newModel(t, options("test-model", address, newTokens(t, llmtest.Key).URL))
	})
}

func claudeHarness() llmtest.Harness {
	format := vendorserver.CloudClaude
	format.Path = "/v1" + somewhere + "anthropic"
	return format.Harness(func(t testing.TB, address string) llm.Model {
		return newModel(t, options("anthropic/test-model", address, newTokens(t, llmtest.Key).URL))
	})
}

func TestGeminiConformance(t *testing.T) { llmtest.Conformance(t, geminiHarness()) }

func TestClaudeConformance(t *testing.T) { llmtest.Conformance(t, claudeHarness()) }

// The actions are the same as by every other adapter.
func TestTranscript(t *testing.T) {
	t.Run("gemini", func(t *testing.T) { transcript.Run(t, geminiHarness()) })
	t.Run("gemini, with tools", func(t *testing.T) { transcript.Converse(t, geminiHarness()) })
	t.Run("gemini, a task", func(t *testing.T) { transcript.Task(t, geminiHarness()) })
	t.Run("claude", func(t *testing.T) { transcript.Run(t, claudeHarness()) })
	t.Run("claude, with tools", func(t *testing.T) { transcript.Converse(t, claudeHarness()) })
	t.Run("claude, a task", func(t *testing.T) { transcript.Task(t, claudeHarness()) })
}

func TestAddresses(t *testing.T) {
	for _, test := range []struct {
		model, location, universe string
		base                      string
		want                      string
	}{
		{"gemini-x", "europe-west4", "", "", "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/acme/locations/europe-west4/publishers/google/models/gemini-x:generateContent"},
		{"gemini-x", "global", "", "", "https://aiplatform.googleapis.com/v1beta1/projects/acme/locations/global/publishers/google/models/gemini-x:generateContent"},
		{"gemini-x", "eu", "", "", "https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/acme/locations/eu/publishers/google/models/gemini-x:generateContent"},
		{"gemini-x", "u-de-1", "cloud.test", "", "https://u-de-1-aiplatform.cloud.test/v1beta1/projects/acme/locations/u-de-1/publishers/google/models/gemini-x:generateContent"},
		{"gemini-x", "l", "", "http://gate.test/google/v1", "http://gate.test/google/v1/projects/acme/locations/l/publishers/google/models/gemini-x:generateContent"},
		{"gemini-x", "l", "", "http://gate.test/v1/projects/p/locations/q/publishers/google", "http://gate.test/v1/projects/p/locations/q/publishers/google/models/gemini-x:generateContent"},
		{"claude-x@20250929", "global", "", "", "https://aiplatform.googleapis.com/v1/projects/acme/locations/global/publishers/anthropic/models/claude-x@20250929:rawPredict"},
		{"claude-x", "us", "", "", "https://aiplatform.us.rep.googleapis.com/v1/projects/acme/locations/us/publishers/anthropic/models/claude-x:rawPredict"},
		{"claude-x", "l", "", "http://gate.test/a/", "http://gate.test/a/v1/projects/acme/locations/l/publishers/anthropic/models/claude-x:rawPredict"},
		{"claude-x", "l", "", "http://gate.test/v1", "http://gate.test/v1/projects/acme/locations/l/publishers/anthropic/models/claude-x:rawPredict"},
		{"claude-x", "l", "", "http://gate.test/p/publishers/anthropic/", "http://gate.test/p/publishers/anthropic/models/claude-x:rawPredict"},
	} {
		opts := options(test.model, test.base, newTokens(t, "t-0123456789").URL)
		opts.Location, opts.UniverseDomain = test.location, test.universe
		asked := ""
		opts.HTTPClient = &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.URL.String() == opts.Account.TokenURI {
				return http.DefaultTransport.RoundTrip(req)
			}
			asked = req.URL.String()
			return nil, io.ErrUnexpectedEOF
		})}
		if _, err := ask(t, newModel(t, opts)); err == nil || asked != test.want {
			t.Errorf("%s in %q asks %s, %v\nwant %s", test.model, test.location, asked, err, test.want)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestNewRefuses(t *testing.T) {
	for _, test := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Model = "" }, "vertex: no model is named"},
		{func(o *Options) { o.Model = "gemini?key=1" }, `vertex: "gemini?key=1" is no name of a model`},
		{func(o *Options) { o.Model = "claude/../x" }, `vertex: "claude/../x" is no name of a model`},
		{func(o *Options) { o.Project = "a/b" }, `vertex: "a/b" is no project`},
		{func(o *Options) { o.Location = "" }, `vertex: "" is no location`},
		{func(o *Options) { o.UniverseDomain = "x/y" }, `vertex: "x/y" is no universe's domain`},
		{func(o *Options) { o.BaseURL = "here" }, `vertex: "here" is no address of a server`},
		{func(o *Options) { o.Model, o.BaseURL = "claude", "here" }, `vertex: "here" is no address of a server`},
		{func(o *Options) { o.Account.ClientEmail = "" }, "vertex: auth: the service account has no client_email"},
		{func(o *Options) { o.Account.PrivateKey = llm.Secret{} }, "vertex: auth: the service account has no private_key"},
		{func(o *Options) { o.Account.PrivateKey = llm.NewSecret("sk-not-a-key") }, "vertex: auth: the service account's private_key is no RSA key in PEM form"},
		{func(o *Options) { o.Account.TokenURI = "token" }, `vertex: auth: the service account's token_uri, "token", is no address of a server`},
	} {
		opts := options("gemini", "http://127.0.0.1:1", "http://127.0.0.1:1")
		test.change(&opts)
		if _, err := New(opts); err == nil || err.Error() != test.want {
			t.Errorf("New = %v, want %s", err, test.want)
		}
	}
}

func TestNewFromConfig(t *testing.T) {
	tokens := newTokens(t, "token-0123456789")
	s := vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Header.Get("X-A") != "a" || r.Header.Get("X-B") != "special" || r.URL.Path != "/v1beta1"+somewhere+"google/models/gemini:generateContent" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		vendorserver.Gemini.Say(w, "Hi.")
	})
	key, err := json.Marshal(strings.ReplaceAll(privateKey(), "\n", `\n`)) // as variables hold it
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(fmt.Appendf(nil, `{"modelName":"vertex/gemini","provider":"cloudA","apiKey":"unused-0123456789","baseURL":"http://127.0.0.1:1","headers":{"X-A":"a","X-B":"b"},
		"auth":{"type":"cloudAServiceAccount","credentials":{"private_key":%s,"client_email":"robot@acme.test","token_uri":%q},"scopes":"scope-1"},
		"providerOptions":{"cloudA":{"project":"acme","location":"europe-west4","baseURL":%q,"headers":{"X-B":"special"}}}}`, key, tokens.URL, s.URL))
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewFromConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := ask(t, m); err != nil || resp.Text != "Hi." || m.Name() != "vertex/gemini" {
		t.Errorf("%s answers %+v, %v", m.Name(), resp, err)
	}
	if got := tokens.claims(t, 0)["scope"]; got != "scope-1" {
		t.Errorf("scope = %v", got)
	}
	for _, c := range []*config.Config{
		{ModelName: "google/gemini"},
		{ModelName: "gemini"},
		{ModelName: "vertex/gemini"},
		{ModelName: "vertex/gemini", Auth: c.Auth},
	} {
		if _, err := NewFromConfig(c); err == nil {
			t.Errorf("NewFromConfig took %+v", c)
		}
	}
}
