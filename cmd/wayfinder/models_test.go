package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

func lookupIn(variables map[string]string) lookup {
	return func(name string) string { return variables[name] }
}

func hello() *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "hi"}}}}}
}

var privateKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// keyFile writes that of a service account which gets its tokens from a server.
func keyFile(t *testing.T, tokens string) string {
	t.Helper()
	key, err := privateKey()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]string{"type": "service_account", "project_id": "shop-1", "client_email": "a@shop-1.test",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": tokens})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// everything is an environment with all that the vendors need, at one address.
func everything(t *testing.T, address string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, v := range vendors {
		for _, n := range v.needs {
			for _, name := range n[0] {
				all[name] = "secret-of-" + strings.ToLower(name)
			}
		}
		for _, name := range v.addresses {
			all[name] = address
		}
	}
	all["GOOGLE_APPLICATION_CREDENTIALS"] = keyFile(t, address+"/token")
	return all
}

// A key of the environment goes to an address of the environment, and not to
// one that a configuration names.
func TestKeysStayWhereTheyBelong(t *testing.T) {
	var heard http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/env/token" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"access_token":"secret-of-vertex","expires_in":3600,"token_type":"Bearer"}`)
			return
		}
		heard = r.Header
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusTeapot)
	}))
	defer server.Close()
	for _, v := range vendors {
		t.Run(string(v.name), func(t *testing.T) {
			shown := func() string {
				var all strings.Builder
				if err := heard.Write(&all); err != nil {
					t.Fatal(err)
				}
				return all.String()
			}
			env := everything(t, server.URL+"/env")
			m, err := openModelIn(lookupIn(env), config.Config{ModelName: string(v.name) + "/m"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Generate(t.Context(), hello()); err == nil || !strings.Contains(shown(), "ecret-of-") {
				t.Errorf("to the address of the environment: %v, headers %s, want the key of the environment", err, shown())
			}
			for _, c := range []config.Config{
				{ModelName: string(v.name) + "/m", BaseURL: server.URL + "/other"},
				{ModelName: string(v.name) + "/m", BaseURL: server.URL + "/other", APIKey: llm.NewSecret("key-of-the-caller")},
			} {
				heard = nil
				m, err := openModelIn(lookupIn(env), c)
				if err != nil {
					continue // it wants a key
				}
				_, err = m.Generate(t.Context(), hello())
				if strings.Contains(shown(), "ecret-of-") {
					t.Errorf("a key of the environment went to an address of the configuration: %s", shown())
				}
				if err == nil || strings.Contains(err.Error(), "ecret-of") {
					t.Errorf("Generate = %v", err)
				}
			}
		})
	}
}

func TestOpenModel(t *testing.T) {
	env := everything(t, "http://127.0.0.1:9/v1")
	for _, v := range vendors {
		m, err := openModelIn(lookupIn(env), config.Config{ModelName: string(v.name) + "/some-model"})
		if err != nil || m.Name() != string(v.name)+"/some-model" {
			t.Errorf("openModel(%s/some-model) = %v, %v", v.name, m, err)
		}
		if _, ok := m.(llm.Streamer); !ok {
			t.Errorf("the model of %s can't stream", v.name)
		}
		_, err = openModelIn(lookupIn(nil), config.Config{ModelName: string(v.name) + "/some-model"})
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindAuth || !strings.Contains(err.Error(), v.needs[0][0][0]) {
			t.Errorf("openModel without an environment = %v, want an error that names %s", err, v.needs[0])
		}
		lacking := maps.Clone(env)
		for _, n := range v.needs {
			for _, names := range n {
				lacking[names[0]] = ""
			}
		}
		if _, err := openModelIn(lookupIn(lacking), config.Config{ModelName: string(v.name) + "/some-model"}); err == nil {
			t.Errorf("openModel(%s) took an environment without %v", v.name, v.needs)
		}
	}
	for _, name := range []string{"offline", "offline/words"} {
		if m, err := openModelIn(lookupIn(nil), config.Config{ModelName: name}); err != nil || m.Name() != "offline/words" {
			t.Errorf("openModel(%s) = %v, %v", name, m, err)
		}
	}
	if m, err := openModelIn(lookupIn(nil), config.Config{ModelName: "qwen3", BaseURL: "http://127.0.0.1:11434/v1"}); err != nil || m.Name() != "openai/qwen3" {
		t.Errorf("openModel of a server = %v, %v", m, err)
	}
	if _, err := openModelIn(lookupIn(nil), config.Config{ModelName: "qwen3"}); err == nil {
		t.Error("openModel took a name that says nothing")
	}
}

// Azure's own clients read more than a key and an address.
func TestAzureOfTheEnvironment(t *testing.T) {
	var asked *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = r }))
	defer server.Close()
	for _, test := range []struct {
		env                map[string]string
		path, key, version string
	}{
		{map[string]string{"AZURE_API_KEY": "key-of-azure"}, "/openai/v1/chat/completions", "key-of-azure", ""},
		{map[string]string{"AZURE_OPENAI_AD_TOKEN": "token-of-azure", "OPENAI_API_VERSION": "preview"}, "/openai/v1/chat/completions", "Bearer token-of-azure", "preview"},
		{map[string]string{"AZURE_OPENAI_API_KEY": "key-of-azure", "OPENAI_API_VERSION": "2024-06-01"}, "/openai/deployments/d/chat/completions", "key-of-azure", "2024-06-01"},
	} {
		test.env["AZURE_OPENAI_ENDPOINT"] = server.URL + "/openai"
		m, err := openModelIn(lookupIn(test.env), config.Config{ModelName: "azure/d"})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = m.Generate(t.Context(), hello()) // the request is what matters
		if got := asked.Header.Get("Api-Key") + asked.Header.Get("Authorization"); asked.URL.Path != test.path || got != test.key || asked.URL.Query().Get("api-version") != test.version {
			t.Errorf("with %v: asked %s as %q", test.env, asked.URL, got)
		}
	}
	if _, err := openModelIn(lookupIn(map[string]string{"AZURE_API_KEY": "k", "AZURE_RESOURCE_NAME": "contoso"}), config.Config{ModelName: "azure/d"}); err != nil {
		t.Errorf("openModel with a resource = %v", err)
	}
}

// A file that does not fit is named, and what is in it is not shown.
func TestKeyFilesThatDoNotFit(t *testing.T) {
	file := func(content string) string {
		name := filepath.Join(t.TempDir(), "key.json")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, test := range []struct{ file, want string }{
		{file("secret-of-vertex"), "is no JSON"},
		{file(`{"type":"authorized_user","refresh_token":"secret-of-vertex"}`), `of type "authorized_user"; the key file of a service account is wanted`},
		{file(`{"type":"service_account","client_email":"a@b","private_key":"secret-of-vertex"}`), "no RSA key"},
		{filepath.Join(t.TempDir(), "none"), "no such file"},
	} {
		_, err := openModelIn(lookupIn(map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": test.file, "GOOGLE_CLOUD_PROJECT": "p"}), config.Config{ModelName: "vertex/gemini"})
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindAuth || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret-of-vertex") {
			t.Errorf("openModel = %v, want %s", err, test.want)
		}
	}
}
