package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// A chatServer speaks Chat Completions, as Ollama and its like do.
type chatServer struct {
	*vendorserver.Server

	mu  sync.Mutex // guards what follows
	key string     // the last Authorization header
}

// said returns the last request's body and key.
func (s *chatServer) said() (request, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	bodies := s.Bodies()
	return bodies[len(bodies)-1], s.key
}

// chat starts a server that answers each request by a function of its body.
func chat(t *testing.T, answer func(request string) (status int, content string)) *chatServer {
	t.Helper()
	s := &chatServer{}
	s.Server = vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.URL.Path != "/v1/chat/completions" {
			http.Error(w, r.URL.Path, http.StatusTeapot)
			return
		}
		s.mu.Lock()
		s.key = r.Header.Get("Authorization")
		s.mu.Unlock()
		status, content := answer(body)
		if status != http.StatusOK {
			vendorserver.WriteJSON(w, status, map[string]any{"error": map[string]any{"message": content, "type": "error"}})
			return
		}
		vendorserver.Chat.Reply(w, &llmtest.Said{Text: content, Usage: llm.Usage{Input: 210, Output: 12}})
	})
	return s
}

var wordField = regexp.MustCompile(`\[(\d+-\d+)\] textbox: Word`)

// A server of one's own carries out an instruction that no word matcher would,
// and is told of a variable, never of its value.
func TestServerOfOnesOwn(t *testing.T) {
	site := pages(t)
	server := chat(t, func(request string) (int, string) {
		m := wordField.FindStringSubmatch(request)
		if m == nil {
			return http.StatusBadRequest, "the request shows no field Word"
		}
		return http.StatusOK, fmt.Sprintf(`{"found":true,"ref":%q,"method":"fill","arguments":["%%pw%%"],"description":"fill Word","reason":"","more":false}`, m[1])
	})
	args := []string{"act", site.URL, "whisper %pw% to it", "--var", "pw=xyzzy-42", "--driver", "memory", "--json",
		"--model", "openai/local", "--base-url", server.URL + "/v1"}
	got := wayfinderIn(t, []string{"OPENAI_API_KEY=sk-of-the-test"}, args...)
	if got.code != exitDone {
		t.Fatalf("wayfinder %q: exit %d\n%s%s", args, got.code, got.out, got.err)
	}
	result := lines(t, got.out)[0]
	if usage, _ := json.Marshal(result["usage"]); result["success"] != true || !strings.Contains(string(usage), "210") {
		t.Errorf("act --json = %v, want a success with the server's usage", result)
	}
	request, key := server.said()
	if key != "Bearer sk-of-the-test" || !strings.Contains(request, `"model":"local"`) {
		t.Errorf("the server got the key %q and the request %s, want the key of the environment and the model local", key, request)
	}
	if strings.Contains(request+got.out+got.err, "xyzzy-42") {
		t.Errorf("the value is shown\nrequest: %s\n%s%s", request, got.out, got.err)
	}
}

// WAYFINDER_MODEL stands for --model.
func TestModelOfTheEnvironment(t *testing.T) {
	got := wayfinderIn(t, []string{"WAYFINDER_MODEL=openai/gpt-5"}, "act", pages(t).URL, "click Send", "--driver", "memory")
	if got.code != exitEnvironment || !strings.Contains(got.err, "OPENAI_API_KEY is not set") {
		t.Errorf("act with WAYFINDER_MODEL=openai/gpt-5: exit %d, want 3 and the key that is missing\n%s", got.code, got.err)
	}
}

func TestModelErrors(t *testing.T) {
	site := pages(t)
	cases := []struct {
		name    string
		status  int
		content string
		code    int
		says    string
	}{
		{"wrong key", http.StatusUnauthorized, "no such key", exitEnvironment, "→ check the key in OPENAI_API_KEY"},
		{"no such model", http.StatusNotFound, "no such model", exitEnvironment, "→ check the name in --model"},
		{"no answer to the question", http.StatusOK, "I would rather talk about tea.", exitNotDone, "ask openai/local"},
		{"nothing found", http.StatusOK, `{"found":false,"ref":"","method":"","arguments":[],"description":"","reason":"there is no tea","more":false}`, exitNotDone, "there is no tea"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := chat(t, func(string) (int, string) { return c.status, c.content })
			got := wayfinder(t, "act", site.URL, "drink tea", "--driver", "memory", "--model", "openai/local", "--base-url", server.URL+"/v1")
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("exit %d, want %d with %q\n%s", got.code, c.code, c.says, got.err)
			}
		})
	}
}
