package llmtest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// Conformance holds an adapter against the contract of package llm, over HTTP
// on loopback.
func Conformance(t *testing.T, h Harness) {
	for _, c := range slices.Concat(requestCases(), answerCases(), errorCases(), streamCases(), toolCases()) {
		t.Run(c.name, func(t *testing.T) {
			if c.needs != "" && slices.Contains(h.Without, c.needs) {
				t.Skipf("the vendor has no %s", c.needs)
			}
			runCase(t, h, c)
		})
	}
	t.Run("error: nobody listens", func(t *testing.T) { unreachable(t, h) })
}

func runCase(t *testing.T, h Harness, c conformanceCase) {
	talk := &conversation{arrived: make(chan struct{}, 64), over: make(chan struct{})}
	answered := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client went away
		}
		heard, err := h.Read(r, body)
		talk.mu.Lock()
		if err != nil {
			talk.wrong = append(talk.wrong, err)
			heard = &Heard{}
		}
		talk.heard = append(talk.heard, heard)
		said := &Said{Text: "ok"}
		if len(c.said) > 0 {
			said = c.said[min(answered, len(c.said)-1)]
		}
		answered++
		talk.mu.Unlock()
		talk.arrived <- struct{}{}
		switch {
		case said.Hang:
			select {
			case <-r.Context().Done():
			case <-talk.over:
			}
		case said.Raw != nil:
			said.Raw(w)
		case said.Fail != "":
			h.Fail(w, said.Fail, "the words of the server, with "+Key+" in them")
		default:
			h.Answer(w, heard, said)
		}
		if said.Break {
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	defer close(talk.over)
	talk.model = h.New(t, server.URL)
	talk.req = plain()
	if c.req != nil {
		talk.req = c.req()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a hang alone
	defer cancel()
	if c.ask != nil {
		c.ask(t, talk)
	} else {
		talk.resp, talk.err = talk.model.Generate(ctx, talk.req)
	}
	talk.mu.Lock()
	for _, err := range talk.wrong {
		t.Errorf("the server refuses the request: %v", err)
	}
	talk.mu.Unlock()
	if c.check != nil {
		c.check(t, talk)
	}
}
