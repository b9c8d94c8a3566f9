package vendorserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// A Server is a server on loopback that keeps what it was asked.
type Server struct {
	*httptest.Server

	mu     sync.Mutex // protects bodies
	bodies []string
}

// Serve starts a server that answers by a function, until the test ends.
func Serve(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, body string)) *Server {
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client went away
		}
		s.mu.Lock()
		s.bodies = append(s.bodies, string(body))
		s.mu.Unlock()
		answer(w, r, string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

// Bodies returns the bodies of the requests so far.
func (s *Server) Bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// Post checks method, address and media type of a request.
func Post(r *http.Request, address string) error {
	switch {
	case r.Method != http.MethodPost || r.URL.RequestURI() != address:
		return fmt.Errorf("%s %s, want POST %s", r.Method, r.URL, address)
	case r.Header.Get("Content-Type") != "application/json":
		return fmt.Errorf("content type %q", r.Header.Get("Content-Type"))
	}
	return nil
}

// Strictly decodes what a server takes, and nothing else.
func Strictly(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%w in %s", err, raw)
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

// WriteJSON writes a body of JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encoded(v)) // the client may be gone
}

// event writes one event of a stream, with a name where it has one.
func event(w http.ResponseWriter, name string, v any, pieces ...string) {
	if name != "" {
		io.WriteString(w, "event: "+name+"\n") // the client may be gone
	}
	fmt.Fprintf(w, "data: %s\n\n", encoded(v, pieces...))
	w.(http.Flusher).Flush()
}

// encoded is JSON with a piece of a text, which may be torn, where a value says
// PIECE: encoding/json would not write it as it is.
func encoded(v any, pieces ...string) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	for _, piece := range pieces {
		escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(piece)
		raw = bytes.Replace(raw, []byte("PIECE"), []byte(escaped), 1)
	}
	return raw
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
