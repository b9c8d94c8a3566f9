package middleware_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

func TestPrices(t *testing.T) {
	list, err := middleware.ListPrices()
	if err != nil {
		t.Fatal(err)
	}
	if list.Date() == "" {
		t.Error("the list has no date")
	}
	base, ok := list.Of("openai/gpt-5")
	dated, okDated := list.Of("openai/gpt-5-2025-08-07")
	if !ok || !okDated || base != dated {
		t.Errorf("Of = %v, %t and %v, %t for a release", base, ok, dated, okDated)
	}
	for served, own := range map[string]string{
		"vertex/gemini-2.5-flash":           "google/gemini-2.5-flash",
		"vertex/claude-sonnet-4-5@20250929": "anthropic/claude-sonnet-4-5",
	} {
		got, ok := list.Of(served)
		if want, known := list.Of(own); !ok || !known || got != want {
			t.Errorf("Of(%s) = %v, %t, want %v as %s", served, got, ok, want, own)
		}
	}
	if _, ok := list.Of("openai/gpt-5-turbo"); ok {
		t.Error("a model that is not in the list has a price")
	}
	mine := list.With(map[string]middleware.Price{"openai/qwen3": {}})
	if _, ok := mine.Of("openai/qwen3"); !ok {
		t.Error("With did not add")
	}
	if _, ok := list.Of("openai/qwen3"); ok {
		t.Error("With changed the list itself")
	}
	cost := middleware.Price{Input: 2, Cached: 0.5, Output: 8}.Cost(llm.Usage{Input: 1_000_000, Cached: 400_000, Output: 100_000, Reasoning: 50_000})
	if want := 0.6*2 + 0.4*0.5 + 0.1*8; math.Abs(cost-want) > 1e-9 {
		t.Errorf("Cost = %v, want %v", cost, want)
	}
	for _, raw := range []string{`{`, `{"models":{}}`, `{"date":"d","models":{"a/b":{"input":-1}}}`} {
		if _, err := middleware.ParsePrices([]byte(raw)); err == nil {
			t.Errorf("ParsePrices(%s) = nil, want an error", raw)
		}
	}
}

func wantBudget(t *testing.T, err error, words string) {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindBudget || !strings.Contains(e.Message, words) {
		t.Errorf("error = %v, want %s with %q", err, llm.KindBudget, words)
	}
}

func TestBudgetOfTokens(t *testing.T) {
	model := middleware.Meter()(llmtest.NewScript(t, llmtest.Step{Text: "x", Usage: llm.Usage{Input: 900, Output: 50}}))
	budget := &middleware.Budget{MaxTokens: 1000}
	ctx := middleware.WithBudget(context.Background(), budget)
	req := question()
	req.MaxOutputTokens = 60
	if _, err := model.Generate(ctx, req); err != nil {
		t.Fatal(err)
	}
	_, err := model.Generate(ctx, req) // the script would fail the test
	wantBudget(t, err, "950 of 1000 tokens are used")
	if spent, _ := budget.Spent(); spent.Input != 900 || spent.Output != 50 {
		t.Errorf("Spent = %+v", spent)
	}
}

func TestBudgetOfMoney(t *testing.T) {
	list, err := middleware.ListPrices()
	if err != nil {
		t.Fatal(err)
	}
	prices := list.With(map[string]middleware.Price{"script/test": {Input: 1, Output: 10}})
	budget := &middleware.Budget{MaxCost: 0.01, Prices: prices}
	ctx := middleware.WithBudget(context.Background(), budget)
	model := middleware.Meter()(llmtest.NewScript(t, llmtest.Step{Usage: llm.Usage{Input: 0, Output: 1000}}))
	if _, err := model.Generate(ctx, question()); err != nil {
		t.Fatal(err)
	}
	_, err = model.Generate(ctx, question())
	wantBudget(t, err, "$0.0100 of $0.0100 is spent")
	if _, cost := budget.Spent(); math.Abs(cost-0.01) > 1e-9 {
		t.Errorf("cost = %v", cost)
	}
	_, err = middleware.Meter()(llmtest.NewScript(t)).Generate(middleware.WithBudget(context.Background(), &middleware.Budget{MaxCost: 1}), question())
	wantBudget(t, err, "no price is known for script/test")
}

// TestBudgetOfOthers: what others used counts against both limits, and is no part of
// what was spent here. Limits can be changed.
func TestBudgetOfOthers(t *testing.T) {
	list, err := middleware.ListPrices()
	if err != nil {
		t.Fatal(err)
	}
	budget := &middleware.Budget{Prices: list.With(map[string]middleware.Price{"script/test": {Input: 1000}})}
	budget.SetLimits(1000, 0)
	budget.SetOthers(850, 0.85)
	ctx := middleware.WithBudget(context.Background(), budget)
	model := middleware.Meter()(llmtest.NewTable(t, llmtest.Step{Text: "x", Usage: llm.Usage{Input: 100}, Times: -1}))
	if _, err := model.Generate(ctx, question()); err != nil {
		t.Fatal(err)
	}
	req := question()
	req.MaxOutputTokens = 60
	_, err = model.Generate(ctx, req)
	wantBudget(t, err, "950 of 1000 tokens are used")
	budget.SetLimits(0, 0.95)
	_, err = model.Generate(ctx, question())
	wantBudget(t, err, "$0.9500 of $0.9500 is spent")
	budget.SetOthers(0, 0)
	if _, err := model.Generate(ctx, question()); err != nil {
		t.Error(err)
	}
	if used, cost := budget.Spent(); used.Input != 200 || math.Abs(cost-0.2) > 1e-9 {
		t.Errorf("Spent = %+v, %v, want the 200 tokens and $0.2 of here", used, cost)
	}
}

func TestBudgetOfParents(t *testing.T) {
	outer, inner := &middleware.Budget{MaxTokens: 100}, &middleware.Budget{MaxTokens: 100_000}
	ctx := middleware.WithBudget(middleware.WithBudget(context.Background(), outer), inner)
	model := middleware.Meter()(llmtest.NewScript(t, llmtest.Step{Usage: llm.Usage{Input: 100}}))
	if _, err := model.Generate(ctx, question()); err != nil {
		t.Fatal(err)
	}
	_, err := model.Generate(ctx, question())
	wantBudget(t, err, "100 of 100")
	if spent, _ := inner.Spent(); spent.Input != 100 {
		t.Errorf("the inner budget counts %+v", spent)
	}
	// What the outer one refused is not held back in the inner one.
	free := middleware.Meter()(llmtest.NewScript(t, llmtest.Step{}))
	req := question()
	req.MaxOutputTokens = 99_000
	if _, err := free.Generate(middleware.WithBudget(context.Background(), inner), req); err != nil {
		t.Error(err)
	}
}

func TestBudgetOfRequestsAtOnce(t *testing.T) {
	budget := &middleware.Budget{MaxTokens: 1000}
	ctx, cancel := context.WithCancel(middleware.WithBudget(context.Background(), budget))
	req := question()
	req.MaxOutputTokens = 400
	model := middleware.Meter()(llmtest.NewTable(t, llmtest.Step{Hang: true, Times: -1}))
	var group sync.WaitGroup
	refused := make(chan error, 8)
	for range 8 {
		group.Go(func() {
			_, err := model.Generate(ctx, req)
			var e *llm.Error
			if errors.As(err, &e) && e.Kind == llm.KindBudget {
				refused <- err
			}
		})
	}
	for range 6 {
		<-refused
	}
	cancel()
	group.Wait()
	if len(refused) != 0 {
		t.Errorf("%d more than 6 of 8 requests were refused", len(refused))
	}
}

func TestBudgetOfStreams(t *testing.T) {
	budget := &middleware.Budget{MaxTokens: 130}
	ctx := middleware.WithBudget(context.Background(), budget)
	model, ok := middleware.Meter()(llmtest.NewScript(t, llmtest.Step{Text: "a b", Usage: llm.Usage{Input: 120}})).(llm.Streamer)
	if !ok {
		t.Fatal("Metered of a Streamer is none")
	}
	for _, err := range model.Stream(ctx, question()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range model.Stream(ctx, question()) {
		wantBudget(t, err, "120 of 130")
	}
}

func question() *llm.Request {
	return &llm.Request{
		Purpose:  llm.PurposeExtract,
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "the price"}}}},
		Schema:   &llm.ResponseSchema{Name: "price", Schema: json.RawMessage(`{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}`)},
	}
}
