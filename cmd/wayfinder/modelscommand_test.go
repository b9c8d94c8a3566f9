package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// standingsOf decodes what models --json wrote.
func standingsOf(t *testing.T, out string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for _, l := range lines(t, out) {
		all[l["provider"].(string)] = l
	}
	return all
}

func TestModels(t *testing.T) {
	got := wayfinder(t, "models")
	for _, v := range vendors {
		if got.code != exitDone || !strings.Contains(got.out, string(v.name)+" ") || !strings.Contains(got.out, v.needs[0][0][0]) {
			t.Errorf("models without keys: exit %d, want 0 and %s with %s\n%s%s", got.code, v.name, v.needs[0][0][0], got.out, got.err)
		}
	}
	got = wayfinderIn(t, []string{"ANTHROPIC_API_KEY=secret-of-anthropic", "AWS_ACCESS_KEY_ID=secret-id", "AWS_SECRET_ACCESS_KEY=secret-access", "AZURE_API_KEY=secret-of-azure"}, "models", "--json")
	if strings.Contains(got.out+got.err, "secret-") {
		t.Errorf("a key is shown:\n%s%s", got.out, got.err)
	}
	all := standingsOf(t, got.out)
	for provider, want := range map[string]bool{"offline": true, "anthropic": true, "openai": false, "bedrock": false, "azure": false} {
		if got := all[provider]; got["configured"] != want || got["check"] != nil {
			t.Errorf("models --json: %s is %v, want configured %t", provider, got, want)
		}
	}
	if from := all["anthropic"]["from"].([]any); !slices.Equal(from, []any{"ANTHROPIC_API_KEY"}) {
		t.Errorf("anthropic is configured from %v", from)
	}
	if lacks := all["bedrock"]["missing"].([]any); !slices.Equal(lacks, []any{"AWS_REGION or AWS_DEFAULT_REGION"}) {
		t.Errorf("bedrock lacks %v", lacks)
	}
}

func TestModelsByName(t *testing.T) {
	key := []string{"OPENAI_API_KEY=secret-of-openai"}
	for _, test := range []struct {
		env  []string
		args []string
		code int
		says string
	}{
		{key, []string{"models", "openai"}, exitDone, "OPENAI_API_KEY"},
		{key, []string{"models", "openai", "anthropic"}, exitEnvironment, "needs ANTHROPIC_API_KEY"},
		{nil, []string{"models", "offline", "--check"}, exitDone, "word matcher"},
		{nil, []string{"models", "acme"}, exitUsage, `there is no provider "acme"`},
		{nil, []string{"models", "--check", "--base-url", "http://127.0.0.1:9"}, exitUsage, "--base-url goes with one model"},
		{nil, []string{"models", "--model-tokens=-1"}, exitUsage, "--model-tokens"},
		{[]string{"AZURE_API_KEY=secret-of-azure", "AZURE_RESOURCE_NAME=contoso"}, []string{"models", "--check", "azure"}, exitEnvironment, "azure/NAME"},
	} {
		got := wayfinderIn(t, test.env, test.args...)
		if got.code != test.code || !strings.Contains(got.out+got.err, test.says) || strings.Contains(got.out+got.err, "secret-of") {
			t.Errorf("wayfinder %q: exit %d, want %d with %q\n%s%s", test.args, got.code, test.code, test.says, got.out, got.err)
		}
	}
}

// Each is asked once, all at the same time, and what went wrong is said in words.
func TestModelsCheck(t *testing.T) {
	asked := make(chan string, 9)
	good := vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		asked <- r.URL.Path
		vendorserver.Responses.Say(w, "ok")
	})
	bad := vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		asked <- r.URL.Path
		vendorserver.WriteJSON(w, http.StatusUnauthorized, map[string]any{"type": "error",
			"error": map[string]any{"type": "authentication_error", "message": "invalid x-api-key " + r.Header.Get("X-Api-Key")}})
	})
	got := wayfinderIn(t, []string{
		"OPENAI_API_KEY=secret-of-openai", "OPENAI_BASE_URL=" + good.URL,
		"ANTHROPIC_API_KEY=secret-of-anthropic", "ANTHROPIC_BASE_URL=" + bad.URL,
		"GEMINI_API_KEY=secret-of-google", "GOOGLE_GEMINI_BASE_URL=" + unused(t),
	}, "models", "--check", "--json")
	if got.code != exitEnvironment || strings.Contains(got.out+got.err, "secret-of") {
		t.Errorf("models --check: exit %d, want 3 without keys\n%s%s", got.code, got.out, got.err)
	}
	all := standingsOf(t, got.out)
	for provider, want := range map[string]string{
		"openai": "malformed", "anthropic": "invalid x-api-key ***", "google": "refused",
	} {
		check, _ := all[provider]["check"].(map[string]any)
		if check == nil || check["ok"] != false || !strings.Contains(check["detail"].(string), want) {
			t.Errorf("models --check: %s is %v, want %q", provider, all[provider], want)
		}
	}
	if all["bedrock"]["check"] != nil || len(asked) != 2 {
		t.Errorf("bedrock is %v, and %d servers were asked, want 2", all["bedrock"], len(asked))
	}
}

func TestModelsCheckOfAServer(t *testing.T) {
	server := vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		said := &llmtest.Said{Text: "ok"}
		if strings.Contains(r.Header.Get("Authorization"), "thinks") {
			said.Stop = "length"
		}
		vendorserver.Chat.Reply(w, said)
	})
	for _, env := range [][]string{nil, {"OPENAI_API_KEY=a-key-that-thinks"}} {
		got := wayfinderIn(t, env, "models", "--check", "local/qwen3", "--base-url", server.URL+"/v1")
		if got.code != exitDone || !strings.Contains(got.out, "local/qwen3  ok") || !strings.Contains(got.out, " ms") {
			t.Errorf("models --check of a server: exit %d\n%s%s", got.code, got.out, got.err)
		}
	}
}

// Several models with commas are asked in turn.
func TestFallbackModels(t *testing.T) {
	site := pages(t)
	server := chat(t, func(string) (int, string) {
		return http.StatusOK, `{"found":false,"ref":"","method":"","arguments":[],"description":"","reason":"there is no tea","more":false}`
	})
	got := wayfinderIn(t, []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + server.URL + "/v1", "ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=" + unused(t)},
		"act", site.URL, "drink tea", "--driver", "memory", "--model", "anthropic/claude, openai/local")
	if got.code != exitNotDone || !strings.Contains(got.err, "there is no tea") {
		t.Errorf("act with two models: exit %d, want the second one's answer\n%s%s", got.code, got.out, got.err)
	}
	if got := wayfinder(t, "act", site.URL, "drink tea", "--driver", "memory", "--model", "offline,nobody/x"); got.code != exitUsage {
		t.Errorf("act with a list that names nobody: exit %d\n%s", got.code, got.err)
	}
}
