package vertex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/llm/internal/gemini"
)

// claudeVersion is that of Claude's interface in Google Cloud.
const claudeVersion = "vertex-2023-10-16"

// A claudeTransport brings requests to Anthropic's own interface to the form
// that Google Cloud takes: the model is in the address, and the proof of who
// asks is a token.
//
// The SDK's own package for it would do the same, but links all of Google's
// transports, and reads its base address from the location alone.
type claudeTransport struct {
	next    http.RoundTripper
	account *account
	models  string // the path before a model's name
}

// RoundTrip sends a request on.
func (t *claudeTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ours, err := t.rewrite(req)
	if err != nil {
		return nil, err
	}
	if ours.Header.Get("Authorization") == "" { // one of the caller's own wins
		if err := t.account.sign(ours.Context(), ours.Header); err != nil {
			return nil, err
		}
	}
	resp, err := t.next.RoundTrip(ours)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusUnauthorized {
		t.account.refused(ours.Header)
	}
	return gemini.Tidy(resp)
}

func (t *claudeTransport) rewrite(req *http.Request) (*http.Request, error) {
	defer req.Body.Close()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, fmt.Errorf("the request's own body: %w", err)
	}
	model, stream := gjson.GetBytes(body, "model").Str, gjson.GetBytes(body, "stream").Bool()
	delete(members, "model")
	members["anthropic_version"] = json.RawMessage(`"` + claudeVersion + `"`)
	if body, err = json.Marshal(members); err != nil {
		return nil, err
	}
	verb := ":rawPredict"
	if stream {
		verb = ":streamRawPredict"
	}
	ours := req.Clone(req.Context())
	ours.URL.Path, ours.URL.RawPath, ours.URL.RawQuery = t.models+model+verb, "", ""
	ours.Body, ours.ContentLength, ours.GetBody = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	return ours, nil
}
