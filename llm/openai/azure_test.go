package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/transcript"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// azureHarness is the harness for one kind of address, of key, and of interface.
func azureHarness(opts AzureOptions, path string) llmtest.Harness {
	format := vendorserver.Chat
	if opts.Format == config.ResponsesFormat {
		format = vendorserver.Responses
	}
	format.Path, format.Errors = path, vendorserver.AzureErrors
	if opts.Token == nil {
		format.Key, opts.APIKey = "Api-Key", llm.NewSecret(llmtest.Key)
	}
	return format.Harness(func(t testing.TB, address string) llm.Model {
		opts := opts
		opts.Deployment, opts.BaseURL, opts.Headers = "test-model", address+"/openai", map[string]string{"X-Extra": "extra"}
		m, err := NewAzure(opts)
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
}

func TestAzureKeyConformance(t *testing.T) {
	llmtest.Conformance(t, azureHarness(AzureOptions{}, "/openai/v1/chat/completions"))
}

func TestAzureDeploymentConformance(t *testing.T) {
	token := func(context.Context) (llm.Secret, error) { return llm.NewSecret(llmtest.Key), nil }
	llmtest.Conformance(t, azureHarness(AzureOptions{DeploymentURLs: true, APIVersion: "2025-01-01-preview", Token: token},
		"/openai/deployments/test-model/chat/completions?api-version=2025-01-01-preview"))
}

func TestAzureResponsesConformance(t *testing.T) {
	llmtest.Conformance(t, azureHarness(AzureOptions{Format: config.ResponsesFormat, APIVersion: "preview"}, "/openai/v1/responses?api-version=preview"))
}

// The actions are the same as by every other adapter.
func TestAzureTranscript(t *testing.T) {
	h := azureHarness(AzureOptions{}, "/openai/v1/chat/completions")
	transcript.Run(t, h)
	transcript.Converse(t, h)
	transcript.Task(t, h)
}

func plain() *llm.Request {
	return &llm.Request{MaxOutputTokens: 9, Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "hi"}}}}}
}

func TestAzureAddresses(t *testing.T) {
	for _, test := range []struct {
		opts AzureOptions
		want string
	}{
		{AzureOptions{ResourceName: "contoso"}, "https://contoso.openai.azure.com/openai/v1/chat/completions"},
		{AzureOptions{ResourceName: "contoso", APIVersion: "preview"}, "https://contoso.openai.azure.com/openai/v1/chat/completions?api-version=preview"},
		{AzureOptions{ResourceName: "contoso", DeploymentURLs: true}, "https://contoso.openai.azure.com/openai/deployments/gpt%205/chat/completions?api-version=2024-10-21"},
		{AzureOptions{BaseURL: "https://contoso.openai.azure.com/"}, "https://contoso.openai.azure.com/openai/v1/chat/completions"},
		{AzureOptions{BaseURL: "https://contoso.openai.azure.com/openai/v1/"}, "https://contoso.openai.azure.com/openai/v1/chat/completions"},
		{AzureOptions{BaseURL: "https://contoso.cognitiveservices.azure.com", DeploymentURLs: true, APIVersion: "2025-03-01-preview"}, "https://contoso.cognitiveservices.azure.com/openai/deployments/gpt%205/chat/completions?api-version=2025-03-01-preview"},
		{AzureOptions{BaseURL: "https://contoso.openai.azure.com/openai/deployments/gpt%205", DeploymentURLs: true}, "https://contoso.openai.azure.com/openai/deployments/gpt%205/chat/completions?api-version=2024-10-21"},
		{AzureOptions{BaseURL: "https://gate.example.com/azure", ResourceName: "contoso"}, "https://gate.example.com/azure/v1/chat/completions"},
	} {
		asked := ""
		test.opts.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = r.URL.String()
			body, err := io.ReadAll(r.Body)
			if err != nil || !strings.Contains(string(body), `"max_completion_tokens":9`) {
				t.Errorf("asked %s, %v, want the limit by the name that OpenAI's own models know", body, err)
			}
			w := httptest.NewRecorder()
			vendorserver.Chat.Say(w, "ok")
			return w.Result(), nil
		})}
		test.opts.Deployment, test.opts.APIKey = "gpt 5", llm.NewSecret("key-of-azure")
		m, err := NewAzure(test.opts)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Generate(t.Context(), plain()); err != nil || asked != test.want {
			t.Errorf("asked %s, %v, want %s", asked, err, test.want)
		}
	}
}

func TestAzureRefuses(t *testing.T) {
	key := llm.NewSecret("key-of-azure")
	for _, test := range []struct {
		opts AzureOptions
		want string
	}{
		{AzureOptions{}, "azure: no deployment is named"},
		{AzureOptions{Deployment: "d", APIKey: key}, "azure: neither a resource nor an address is named"},
		{AzureOptions{Deployment: "d", ResourceName: "r"}, "azure: auth: neither an API key nor a token is given"},
		{AzureOptions{Deployment: "d", BaseURL: "contoso", APIKey: key}, `azure: "contoso" is no address of a server`},
		{AzureOptions{Deployment: "d", BaseURL: "http://x/?api-version=1", APIKey: key}, `azure: "http://x/?api-version=1" is no address of a server`},
		{AzureOptions{Deployment: "d", ResourceName: "r", APIKey: key, DeploymentURLs: true, Format: config.ResponsesFormat},
			"azure: the Responses interface has no address for each deployment: leave DeploymentURLs out, or use Chat Completions"},
	} {
		if _, err := NewAzure(test.opts); err == nil || err.Error() != test.want {
			t.Errorf("NewAzure(%+v) = %v, want %s", test.opts, err, test.want)
		}
	}
}

// openAzure starts a server that answers by a function, and a model of it made from
// one of the closed forms.
func openAzure(t *testing.T, form string, answer http.HandlerFunc) *Model {
	t.Helper()
	s := vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, _ string) { answer(w, r) })
	c, err := config.Parse([]byte(strings.ReplaceAll(form, "SERVER", s.URL)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewFromConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const tokenForm = `{"modelName":"azure/gpt-5","provider":"cloudB","headers":{"X-One":"1","X-Two":"1"},
	"auth":{"type":"cloudBIdentityToken","token":"token-of-entra"},
	"providerOptions":{"cloudB":{"baseURL":"SERVER/openai","useDeploymentBasedUrls":true,"apiVersion":"2024-06-01","headers":{"X-Two":"2"}}}}`

func TestAzureClosedForms(t *testing.T) {
	m := openAzure(t, tokenForm, func(w http.ResponseWriter, r *http.Request) {
		if err := vendorserver.Post(r, "/openai/deployments/gpt-5/chat/completions?api-version=2024-06-01"); err != nil {
			t.Error(err)
		}
		if h := r.Header; h.Get("Authorization") != "Bearer token-of-entra" || h.Get("Api-Key") != "" || h.Get("X-One") != "1" || h.Get("X-Two") != "2" {
			t.Errorf("headers %v", h)
		}
		vendorserver.Chat.Say(w, "ok")
	})
	if resp, err := m.Generate(t.Context(), plain()); err != nil || resp.Text != "ok" || m.Name() != "azure/gpt-5" {
		t.Errorf("Generate = %+v, %v", resp, err)
	}
	m = openAzure(t, `{"modelName":"gpt-5","provider":"azure","apiKey":"key-of-azure","baseURL":"SERVER/openai","providerOptions":{"azure":{}}}`, func(w http.ResponseWriter, r *http.Request) {
		if err := vendorserver.Post(r, "/openai/v1/chat/completions"); err != nil || r.Header.Get("Api-Key") != "key-of-azure" {
			t.Errorf("headers %v, %v", r.Header, err)
		}
		vendorserver.Chat.Say(w, "ok")
	})
	if _, err := m.Generate(t.Context(), plain()); err != nil {
		t.Error(err)
	}
}

// The forms of errors that only Azure and what stands before it write.
func TestAzureErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   llm.ErrorKind
	}{
		{"prompt filtered", 400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"jailbreak":{"filtered":true,"detected":true}}}}}`, llm.KindContentFilter},
		{"filtered, said inside alone", 400, `{"error":{"message":"filtered","code":"BadRequest","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, llm.KindContentFilter},
		{"no such operation", 400, `{"error":{"code":"OperationNotSupported","message":"The chatCompletion operation does not work with the specified model"}}`, llm.KindUnsupported},
		{"gateway's form", 401, `{"statusCode":401,"message":"Access denied due to missing subscription key, not token-of-entra"}`, llm.KindAuth},
		{"gateway's page", 403, `<html><head><title>Microsoft Azure Application Gateway</title></head></html>`, llm.KindAuth},
		{"no capacity", 500, `{"error":{"code":"NoCapacity","message":"The system is currently experiencing high demand"}}`, llm.KindOverloaded},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := openAzure(t, tokenForm, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(test.status)
				io.WriteString(w, test.body) // the client reads it all
			})
			_, err := m.Generate(t.Context(), plain())
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != test.want || e.Status != test.status || e.Provider != "azure" || strings.Contains(err.Error(), "token-of-entra") {
				t.Errorf("Generate = %v, want kind %s", err, test.want)
			}
		})
	}
}

// A stream of Azure's begins with the filter's verdict, which is no choice.
func TestAzureStreamWithFilterResults(t *testing.T) {
	m := openAzure(t, tokenForm, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, data := range []string{
			`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]}`,
			`{"choices":[{"content_filter_results":{},"delta":{"content":"Hi","role":"assistant"},"finish_reason":null,"index":0}],"model":"gpt-5"}`,
			`{"choices":[{"content_filter_offsets":{"check_offset":1},"content_filter_results":{},"finish_reason":null,"index":0}],"model":""}`,
			`{"choices":[{"delta":{},"finish_reason":"stop","index":0}],"model":"gpt-5"}`,
			`{"choices":[],"model":"gpt-5","usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`, `[DONE]`,
		} {
			io.WriteString(w, "data: "+data+"\n\n") // the client reads it all
		}
	})
	var text string
	var last *llm.Response
	for delta, err := range m.Stream(t.Context(), plain()) {
		if err != nil {
			t.Fatal(err)
		}
		text, last = text+delta.Text, delta.Response
	}
	if text != "Hi" || last == nil || last.Usage.Input != 3 || last.Model != "gpt-5" {
		t.Errorf("Stream = %q, %+v", text, last)
	}
}

// A token is asked for anew before every request, and one that an error
// repeats is hidden.
func TestAzureTokenSource(t *testing.T) {
	s := vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		vendorserver.WriteJSON(w, 401, map[string]any{"error": map[string]any{"code": "401", "message": "no: " + r.Header.Get("Authorization")}})
	})
	asked, failing := 0, false
	m, err := NewAzure(AzureOptions{Deployment: "d", BaseURL: s.URL, Token: func(context.Context) (llm.Secret, error) {
		if failing {
			return llm.Secret{}, errors.New("the identity is locked")
		}
		asked++
		return llm.NewSecret(fmt.Sprintf("token-number-%d", asked)), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := m.Generate(t.Context(), plain()); err == nil || strings.Contains(err.Error(), "token-number") || !strings.Contains(err.Error(), "no: Bearer ***") {
			t.Errorf("Generate = %v, want the server's words without the token", err)
		}
	}
	failing = true
	var e *llm.Error
	if _, err := m.Generate(t.Context(), plain()); !errors.As(err, &e) || e.Kind != llm.KindAuth || !strings.Contains(e.Message, "the identity is locked") || asked != 2 {
		t.Errorf("Generate = %v after %d tokens", err, asked)
	}
}

// A server that points elsewhere does not get the key sent there.
func TestAzureRedirectKeepsTheKey(t *testing.T) {
	leaked := ""
	other := vendorserver.Serve(t, func(_ http.ResponseWriter, r *http.Request, _ string) { leaked = fmt.Sprint(r.Header) })
	m := openAzure(t, `{"modelName":"gpt-5","provider":"azure","apiKey":"key-of-azure","baseURL":"SERVER/openai","providerOptions":{"azure":{}}}`, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if _, err := m.Generate(t.Context(), plain()); err == nil || leaked != "" {
		t.Errorf("Generate = %v, the other server heard %s", err, leaked)
	}
}
