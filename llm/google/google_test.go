package google

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/transcript"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

func harness() llmtest.Harness {
	return vendorserver.Gemini.Harness(func(t testing.TB, address string) llm.Model {
		m, err := New(Options{Model: "test-model", APIKey: llm.NewSecret(llmtest.Key), BaseURL: address, Headers: map[string]string{"X-Extra": "extra"}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
}

func TestConformance(t *testing.T) { llmtest.Conformance(t, harness()) }

// The actions are the same as by every other adapter.
func TestTranscript(t *testing.T) {
	transcript.Run(t, harness())
	transcript.Converse(t, harness())
	transcript.Task(t, harness())
}

const key = "AIza-secret-0123456789"

type server struct{ *vendorserver.Server }

func serve(t *testing.T, reply func(w http.ResponseWriter, r *http.Request, body string)) *server {
	t.Helper()
	return &server{vendorserver.Serve(t, reply)}
}

// says answers always the same JSON.
func says(t *testing.T, body string) *Model {
	return serve(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, body) // the client reads it
	}).model(t)
}

func (s *server) model(t *testing.T) *Model {
	t.Helper()
	m, err := New(Options{Model: "gemini-x", APIKey: llm.NewSecret(key), BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func question() *llm.Request {
	return &llm.Request{
		System:   "Be brief.",
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "the price"}}}},
		Schema: &llm.ResponseSchema{Name: "price", Schema: json.RawMessage(
			`{"type":"object","properties":{"price":{"type":"number"},"currency":{"type":"string","pattern":"^[A-Z]+$"}},"required":["price"]}`)},
	}
}

func kindOf(err error) llm.ErrorKind {
	var e *llm.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Kind
}

// TestKeyStaysWhereItBelongs checks addresses, logs and errors, and that no
// other server is told.
func TestKeyStaysWhereItBelongs(t *testing.T) {
	t.Setenv("GOOGLE_API_KEY", "AIza-of-the-environment")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1/environment")
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	var logged strings.Builder
	log.SetOutput(&logged)
	defer log.SetOutput(log.Default().Writer())
	elsewhere := serve(t, func(_ http.ResponseWriter, r *http.Request, _ string) {
		t.Errorf("another server was asked with %v", r.Header)
	})
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if got := r.Header.Get("X-Goog-Api-Key"); got != key || strings.Contains(r.URL.String(), key) {
			t.Errorf("key = %q at %s", got, r.URL)
		}
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	_, err := s.model(t).Generate(t.Context(), question())
	if kindOf(err) != llm.KindInvalid || !strings.Contains(err.Error(), "leads to "+elsewhere.URL) || strings.Contains(err.Error()+logged.String(), "AIza") {
		t.Errorf("Generate = %v, logged %q", err, logged.String())
	}
}

func TestServersWithoutAKey(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "AIza-of-the-environment")
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Header.Get("X-Goog-Api-Key") != "" || r.Header.Get("X-Gate") != "open" || r.URL.Path != "/gate/v1/models/gemini-x:generateContent" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		vendorserver.Gemini.Say(w, "ok")
	})
	m, err := New(Options{Model: "gemini-x", BaseURL: s.URL + "/gate/v1/", Headers: map[string]string{"x-gate": "open"}})
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := m.Generate(t.Context(), &llm.Request{Messages: question().Messages}); err != nil || resp.Text != "ok" {
		t.Errorf("Generate = %+v, %v", resp, err)
	}
}

// TestProxiesAreObeyed asks in a process of its own: the environment's proxies
// are read once.
func TestProxiesAreObeyed(t *testing.T) {
	if os.Getenv("TEST_BEHIND_PROXY") == "" {
		proxy := serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
			if got, want := r.URL.String(), "http://gemini.test/v1beta/models/gemini-x:generateContent"; got != want {
				t.Errorf("the proxy was asked for %s, want %s", got, want)
			}
			vendorserver.Gemini.Say(w, "ok")
		})
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxiesAreObeyed$")
		child.Env = append(os.Environ(), "TEST_BEHIND_PROXY=1", "HTTP_PROXY="+proxy.URL, "NO_PROXY=")
		if out, err := child.CombinedOutput(); err != nil || len(proxy.Bodies()) != 1 {
			t.Errorf("the proxy was asked %d times: %v\n%s", len(proxy.Bodies()), err, out)
		}
		return
	}
	m, err := New(Options{Model: "gemini-x", BaseURL: "http://gemini.test"})
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := m.Generate(t.Context(), &llm.Request{Messages: question().Messages}); err != nil || resp.Text != "ok" {
		t.Errorf("Generate = %+v, %v", resp, err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{}, "google: no model is named"},
		{Options{Model: "gemini"}, "google: auth: no API key is given"},
		{Options{Model: "gemini", BaseURL: "here"}, `google: "here" is no address of a server`},
		{Options{Model: "gemini?key=x", APIKey: llm.NewSecret(key)}, `google: "gemini?key=x" is no name of a model`},
		{Options{Model: "../x", APIKey: llm.NewSecret(key)}, `google: "../x" is no name of a model`},
	} {
		if _, err := New(test.opts); err == nil || err.Error() != test.want {
			t.Errorf("New(%+v) = %v, want %s", test.opts, err, test.want)
		}
	}
	if _, err := NewFromConfig(&config.Config{ModelName: "openai/gpt"}); err == nil {
		t.Error("NewFromConfig took a model of another provider")
	}
	m, err := NewFromConfig(&config.Config{ModelName: "google/gemini", APIKey: llm.NewSecret("k")})
	if err != nil || m.Name() != "google/gemini" {
		t.Errorf("NewFromConfig = %v, %v", m, err)
	}
}
