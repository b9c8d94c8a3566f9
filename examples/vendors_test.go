package examples

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
)

// A vendor plays the server that an example asks, and returns the example's
// arguments and variables.
type vendor func(t *testing.T) (args, env []string)

var vendors = map[string]vendor{
	"google": func(t *testing.T) (args, env []string) {
		s := play(t, at(vendorserver.Gemini, "/v1beta/models/gemini-2.5-flash:generateContent", "X-Goog-Api-Key"), "key-of-the-example")
		return []string{"-model", "google/gemini-2.5-flash", "-server", s.URL}, []string{"GEMINI_API_KEY=key-of-the-example"}
	},
	"vertex": func(t *testing.T) (args, env []string) {
		tokens := vendorserver.Serve(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			io.WriteString(w, `{"access_token":"token-of-the-example","expires_in":3600}`) // the client reads it
		})
		s := play(t, at(vendorserver.Gemini, "/v1beta1/projects/acme/locations/global/publishers/google/models/gemini-2.5-flash:generateContent", "Authorization"), "Bearer token-of-the-example")
		return []string{"-model", "vertex/gemini-2.5-flash", "-server", s.URL}, []string{"GOOGLE_APPLICATION_CREDENTIALS=" + keyFile(t, tokens.URL)}
	},
	"openai": func(t *testing.T) (args, env []string) {
		return []string{"-model", "openai/gpt-5-mini", "-server", play(t, vendorserver.Responses, "Bearer key-of-the-example").URL + "/v1"}, []string{"OPENAI_API_KEY=key-of-the-example"}
	},
	"anthropic": func(t *testing.T) (args, env []string) {
		return []string{"-model", "anthropic/claude-haiku-4-5", "-server", play(t, vendorserver.Claude, "key-of-the-example").URL}, []string{"ANTHROPIC_API_KEY=key-of-the-example"}
	},
	"azure": func(t *testing.T) (args, env []string) {
		s := play(t, at(vendorserver.Chat, "/openai/v1/chat/completions", "Authorization"), "Bearer token-of-the-example")
		return []string{"-model", "azure/gpt-5-mini", "-server", s.URL + "/openai"}, []string{"AZURE_OPENAI_AD_TOKEN=token-of-the-example"}
	},
	"bedrock": func(t *testing.T) (args, env []string) {
		return []string{"-model", "bedrock/anthropic.claude-haiku-4-5-20251001-v1:0,bedrock/amazon.nova-lite-v1:0", "-server", nova(t).URL}, []string{"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret-of-the-example"}
	},
	"microsoft": func(t *testing.T) (args, env []string) {
		s := play(t, vendorserver.Chat, "Bearer key-of-the-example")
		return []string{"-model", "microsoft/Phi-4", "-server", s.URL + "/v1"}, []string{"AZURE_INFERENCE_CREDENTIAL=key-of-the-example"}
	},
	"compatible": func(t *testing.T) (args, env []string) {
		return []string{"-model", "qwen3", "-server", play(t, vendorserver.Chat, "").URL + "/v1"}, nil
	},
}

// weather finds the link of that name in an outline.
var weather = regexp.MustCompile(`\[(\d+-\d+)\] link: Weather`)

// click is the answer to an act: a click on that link.
func click(t *testing.T, body string) string {
	found := weather.FindStringSubmatch(body)
	if found == nil {
		t.Errorf("the page is not in %s", body)
		return `{}`
	}
	return fmt.Sprintf(`{"found":true,"ref":%q,"method":"click","arguments":[],"description":"the link to the weather","reason":"","more":false}`, found[1])
}

// keyFile writes the key file of a service account.
func keyFile(t *testing.T, tokenURI string) string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "acme", "client_email": "robot@acme.test", "token_uri": tokenURI,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestVendorsAreRun keeps the table of servers to what is run.
func TestVendorsAreRun(t *testing.T) {
	for name := range vendors {
		if !slices.ContainsFunc(programs, func(p program) bool { return p.name == "vendor/"+name }) {
			t.Errorf("nothing is run with the server of %s", name)
		}
	}
}
