// Package computeruse plays the servers of vendors whose models have a tool for
// browsers of their own, in the vendors' formats and as strict as they are; and
// models that know how the tasks of package sites are done, by that tool. It is
// for the tests of adapters.
package computeruse

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
)

// A Move is one thing that a model does, in no vendor's words.
type Move struct {
	// Do is click, type, fill, form, key, scroll, drag, wait, screenshot, read, navigate,
	// back, newTab, switchTab, closeTab, list_tabs; or tool, for one of the agent's own.
	Do       string
	X, Y     float64 // in pixels of the picture
	ToX, ToY float64
	Ref      string
	Text     string
	Tool     string
	Args     map[string]any

	// Check has the vendor's checks warn of the move.
	Check string
}

// scrolls is the direction and the distance of a scroll.
func (m Move) scrolls() (direction string, distance float64) {
	if m.ToY < 0 {
		return "up", -m.ToY
	}
	return "down", m.ToY
}

// done is the move that ends a task.
func done(success bool, message string, criteria ...any) Move {
	m := Move{Do: "tool", Tool: "done", Args: map[string]any{"success": success, "message": message}}
	if len(criteria) > 0 {
		m.Args["criteria"] = criteria
	}
	return m
}

// Heard is what a request says to a model.
type Heard struct {
	Results  []Result // since the answer before
	Words    string   // of all that came since
	Pictures int      // so, too, those within results included
}

// A Result is what a call came to.
type Result struct {
	Words        string
	Failed       bool
	Pictures     int
	Acknowledged bool
	Changes      []string
}

// A Vendor is a vendor's tool on the wire.
type Vendor struct {
	Name  string // of the tool
	Model string
	Refs  bool // elements are named by ref
	Batch bool // an answer may hold several moves

	read  func(r *http.Request, body []byte) (*Heard, error)
	write func(number int, moves []Move) any
}

// Server plays the vendor's server with a model behind it: next is asked for the
// moves of each answer.
type Server struct {
	T      testing.TB
	Vendor *Vendor
	Next   func(h *Heard) []Move

	mu       sync.Mutex // protects the fields below
	answers  int
	Requests []json.RawMessage
	Heard    []*Heard
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.T.Error(err)
		return
	}
	heard, err := s.Vendor.read(r, body)
	if err != nil {
		s.T.Errorf("%s: a request that the vendor refuses: %v\n%s", s.Vendor.Name, err, brief(body))
		vendorserver.Chat.Fail(w, "invalid", err.Error())
		return
	}
	s.Requests = append(s.Requests, body)
	s.Heard = append(s.Heard, heard)
	s.answers++
	vendorserver.WriteJSON(w, http.StatusOK, s.Vendor.write(s.answers, s.Next(heard)))
}

// listen starts the server until the test ends, and returns its address.
func (s *Server) listen() string {
	listening := httptest.NewServer(s)
	s.T.Cleanup(listening.Close)
	return listening.URL
}

// brief is a body without its pictures.
func brief(body []byte) string {
	const most = 6000
	text := picture.ReplaceAllString(string(body), `"(picture)"`)
	if len(text) > most {
		text = text[:2000] + " … " + text[len(text)-most+2000:]
	}
	return text
}

// wirePicture checks a picture of the wire.
func wirePicture(mediaType string, data []byte) error {
	if mediaType != "image/png" || !strings.HasPrefix(string(data), "\x89PNG") {
		return fmt.Errorf("a picture of type %q with %d bytes that is no PNG", mediaType, len(data))
	}
	return nil
}

func raw(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake in this package
	}
	return out
}
