package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// Models of one endpoint share a breaker, those of one key a limit, also where
// each request of a server opens its model anew.
func TestGuardsAreShared(t *testing.T) {
	g := &modelLimits{requests: 1}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600") // no attempt after the first
		http.Error(w, `{"error":{"message":"down"}}`, http.StatusBadGateway)
	}))
	defer server.Close()
	ask := func(model string) error {
		c := config.Config{ModelName: model, BaseURL: server.URL, APIKey: llm.NewSecret("key")}
		v, _ := vendorOf(config.OpenAI)
		m, err := v.open(&c, lookupIn(nil))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = g.around(m, &c).Generate(ctx, hello())
		return err
	}
	for i := range 5 {
		if err := ask("openai/a"); errors.Is(err, middleware.ErrOpen) {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if err := ask("openai/a"); !errors.Is(err, middleware.ErrOpen) {
		t.Errorf("after five failures: %v, want %v", err, middleware.ErrOpen)
	}
	if err := ask("openai/b"); errors.Is(err, middleware.ErrOpen) {
		t.Errorf("another model of that server: %v", err)
	}
	if len(g.limits) != 1 || len(g.breakers) != 2 {
		t.Errorf("%d limits and %d breakers, want 1 and 2", len(g.limits), len(g.breakers))
	}
}

// What clients bring does not grow without bounds.
func TestGuardsAreBounded(t *testing.T) {
	g := &modelLimits{tokens: 1}
	for i := range maxKept + 10 {
		c := config.Config{ModelName: "openai/a", BaseURL: "http://127.0.0.1", APIKey: llm.NewSecret(fmt.Sprint("key", i))}
		g.around(nobody{}, &c)
	}
	if len(g.limits) > maxKept {
		t.Errorf("%d limits are kept, want at most %d", len(g.limits), maxKept)
	}
}

type nobody struct{ llm.Model }

func (nobody) Name() string { return "openai/a" }
