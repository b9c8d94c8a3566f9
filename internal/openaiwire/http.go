// Package openaiwire is the server's side of OpenAI's two interfaces, for the
// tests of adapters that speak them: it reads requests as strictly as the
// vendor's schema is, and writes answers with the vendor's own quirks.
package openaiwire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// Strictly decodes what a server takes, and nothing else.
func Strictly(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%w in %s", err, raw)
	}
	return nil
}

// Bearer is how most servers are asked: by a POST to a path, with the key as a
// bearer's token.
func Bearer(r *http.Request, path string) (key string, err error) {
	if err := Post(r, path, ""); err != nil {
		return "", err
	}
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return "", fmt.Errorf("authorization %q", r.Header.Get("Authorization"))
	}
	return key, nil
}

// Post checks method, address and media type of a request.
func Post(r *http.Request, path, query string) error {
	switch {
	case r.Method != http.MethodPost || r.URL.EscapedPath() != path || r.URL.RawQuery != query:
		return fmt.Errorf("%s %s, want POST %s?%s", r.Method, r.URL, path, query)
	case r.Header.Get("Content-Type") != "application/json":
		return fmt.Errorf("content type %q", r.Header.Get("Content-Type"))
	}
	return nil
}

func readImage(url string) (llm.Image, error) {
	rest, ok := strings.CutPrefix(url, "data:")
	mediaType, encoded, ok2 := strings.Cut(rest, ";base64,")
	if !ok || !ok2 {
		return llm.Image{}, fmt.Errorf("picture at %q", url)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	return llm.Image{MediaType: mediaType, Data: data}, err
}

// Fail writes an error as OpenAI does.
func Fail(w http.ResponseWriter, kind llm.ErrorKind, message string) {
	status, code := http.StatusBadRequest, any(nil)
	switch kind {
	case llm.KindAuth:
		status, code = http.StatusUnauthorized, "invalid_api_key"
	case llm.KindNotFound:
		status, code = http.StatusNotFound, "model_not_found"
	case llm.KindRateLimited:
		status, code = http.StatusTooManyRequests, "rate_limit_exceeded"
	case llm.KindQuota:
		status, code = http.StatusTooManyRequests, "insufficient_quota"
	case llm.KindOverloaded:
		status = http.StatusServiceUnavailable
	case llm.KindUnavailable:
		status, code = http.StatusInternalServerError, "server_error"
	case llm.KindTooLong:
		code = "context_length_exceeded"
	}
	WriteJSON(w, status, map[string]any{"error": map[string]any{"message": message, "type": "some_error", "param": nil, "code": code}})
}

// WriteJSON writes a body of JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(raw) // the client may be gone
}

// event writes one event of a stream. Pieces of characters are written as they
// are, which encoding/json would not do.
func event(w http.ResponseWriter, name string, v any, pieces ...string) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	for i, piece := range pieces {
		raw = bytes.Replace(raw, fmt.Appendf(nil, "PIECE%d", i), []byte(escape(piece)), 1)
	}
	if name != "" {
		io.WriteString(w, "event: "+name+"\n") // the client may be gone
	}
	fmt.Fprintf(w, "data: %s\n\n", raw)
	w.(http.Flusher).Flush()
}

func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}

// halves tears a text in the middle, also of a character.
func halves(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text[:len(text)/2], text[len(text)/2:]}
}

func pieces(said *llmtest.Said) []string {
	if said.Pieces != nil {
		return said.Pieces
	}
	if said.Text == "" {
		return nil
	}
	return []string{said.Text}
}
