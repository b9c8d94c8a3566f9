package openai

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/transcript"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

func microsoftHarness() llmtest.Harness {
	return vendorserver.Chat.Harness(func(t testing.TB, address string) llm.Model {
		m, err := NewMicrosoft(MicrosoftOptions{Model: "test-model", APIKey: llm.NewSecret(llmtest.Key), BaseURL: address + "/v1/", Headers: map[string]string{"X-Extra": "extra"}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
}

func TestMicrosoftConformance(t *testing.T) { llmtest.Conformance(t, microsoftHarness()) }

// The actions are the same as by every other adapter.
func TestMicrosoftTranscript(t *testing.T) {
	transcript.Run(t, microsoftHarness())
	transcript.Converse(t, microsoftHarness())
	transcript.Task(t, microsoftHarness())
}

func TestMicrosoftAddresses(t *testing.T) {
	for base, want := range map[string]string{
		"https://contoso.services.ai.azure.com":               "https://contoso.services.ai.azure.com/openai/v1/chat/completions",
		"https://contoso.services.ai.azure.com/openai/v1/":    "https://contoso.services.ai.azure.com/openai/v1/chat/completions",
		"https://contoso.services.ai.azure.com/models":        "https://contoso.services.ai.azure.com/openai/v1/chat/completions",
		"https://phi.eastus2.models.ai.azure.com/":            "https://phi.eastus2.models.ai.azure.com/v1/chat/completions",
		"https://fara.eastus2.inference.ml.azure.com":         "https://fara.eastus2.inference.ml.azure.com/v1/chat/completions",
		"https://models.example.com/inference":                "https://models.example.com/inference/chat/completions",
		"https://fara.eastus2.inference.ml.azure.com/score/v": "https://fara.eastus2.inference.ml.azure.com/score/v/chat/completions",
	} {
		asked := ""
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = r.URL.String()
			w := httptest.NewRecorder()
			vendorserver.Chat.Say(w, "ok")
			return w.Result(), nil
		})}
		m, err := NewMicrosoft(MicrosoftOptions{Model: "Fara-7B", BaseURL: base, HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := m.Generate(t.Context(), &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "hi"}}}}})
		if err != nil || resp.Text != "ok" || asked != want {
			t.Errorf("at %s: asked %s, %v, want %s", base, asked, err, want)
		}
	}
}

func TestMicrosoftRefuses(t *testing.T) {
	for _, test := range []struct {
		config string
		want   string
	}{
		{`{"modelName":"Fara-7B","provider":"microsoft"}`, "microsoft: no address is given: the endpoint's is on its page in the portal"},
	} {
		c, err := config.Parse([]byte(test.config))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewFromConfig(c); err == nil || err.Error() != test.want {
			t.Errorf("NewFromConfig(%s) = %v, want %s", test.config, err, test.want)
		}
	}
	if _, err := NewMicrosoft(MicrosoftOptions{BaseURL: "http://x"}); err == nil {
		t.Error("New took a configuration without a model")
	}
	if _, err := NewMicrosoft(MicrosoftOptions{Model: "m", BaseURL: "here"}); err == nil {
		t.Error("New took an address that is none")
	}
	m, err := NewFromConfig(&config.Config{ModelName: "microsoft/Fara-7B", BaseURL: "https://x.test/v1"})
	if err != nil || m.Name() != "microsoft/Fara-7B" {
		t.Errorf("NewFromConfig = %v, %v", m, err)
	}
}
