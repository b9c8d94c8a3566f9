package middleware

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
)

func kind(k llm.ErrorKind) error { return &llm.Error{Provider: "test", Kind: k} }

func fallback(first llm.Model, others ...llm.Model) llm.Model { return Fallback(others...)(first) }

func TestFallbackMovesOn(t *testing.T) {
	for _, k := range []llm.ErrorKind{llm.KindAuth, llm.KindNotFound, llm.KindRateLimited, llm.KindQuota, llm.KindOverloaded, llm.KindUnavailable, llm.KindTooLong, llm.KindMalformed, llm.KindUnsupported} {
		first, second := &failing{errs: []error{kind(k)}}, &failing{}
		if resp, err := fallback(first, second).Generate(t.Context(), &llm.Request{}); err != nil || resp.Text != "done" || len(second.calls) != 1 {
			t.Errorf("Generate after %s = %v, %v, want the second model's answer", k, resp, err)
		}
	}
	for _, k := range []llm.ErrorKind{llm.KindInvalid, llm.KindLength, llm.KindRefusal, llm.KindContentFilter, llm.KindSchema, llm.KindBudget} {
		first, second := &failing{errs: []error{kind(k)}}, &failing{}
		var e *llm.Error
		if _, err := fallback(first, second).Generate(t.Context(), &llm.Request{}); !errors.As(err, &e) || e.Kind != k || len(second.calls) != 0 {
			t.Errorf("Generate after %s = %v, want that error and nothing else asked", k, err)
		}
	}
	first, second := &failing{errs: []error{errors.New("boom")}}, &failing{}
	if _, err := fallback(first, second).Generate(t.Context(), &llm.Request{}); err != nil {
		t.Errorf("Generate after an error of no kind = %v", err)
	}
}

func TestFallbackJoinsErrors(t *testing.T) {
	down, boom := kind(llm.KindUnavailable), errors.New("boom")
	_, err := fallback(&failing{errs: []error{down}}, &failing{errs: []error{boom}}).Generate(t.Context(), &llm.Request{})
	if !errors.Is(err, down) || !errors.Is(err, boom) || err.Error() != "test: unavailable; then boom" {
		t.Errorf("Generate = %v, want both errors in order", err)
	}
	// What settles it is what a caller branches on.
	_, err = fallback(&failing{errs: []error{down}}, &failing{errs: []error{kind(llm.KindRefusal)}}, &failing{}).Generate(t.Context(), &llm.Request{})
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindRefusal || !errors.Is(err, down) {
		t.Errorf("Generate = %v, want the refusal first", err)
	}
}

func TestFallbackEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	second := &failing{}
	first := asked(func(ctx context.Context) error {
		cancel()
		return ctx.Err()
	})
	if _, err := fallback(first, second).Generate(ctx, &llm.Request{}); !errors.Is(err, context.Canceled) || len(second.calls) != 0 {
		t.Errorf("Generate = %v after %d calls of the second model", err, len(second.calls))
	}
}

// asked is a model that answers by a function.
type asked func(context.Context) error

func (asked) Name() string { return "test/asked" }

func (f asked) Generate(ctx context.Context, _ *llm.Request) (*llm.Response, error) {
	if err := f(ctx); err != nil {
		return nil, err
	}
	return &llm.Response{Text: "done", Usage: llm.Usage{Input: 10, Output: 20}}, nil
}

func TestFallbackStreams(t *testing.T) {
	text := func(m llm.Model) (string, *llm.Response, error) {
		var said strings.Builder
		var last *llm.Response
		var failed error
		for delta, err := range m.(llm.Streamer).Stream(t.Context(), &llm.Request{}) {
			said.WriteString(delta.Text)
			last, failed = delta.Response, err
		}
		return said.String(), last, failed
	}
	down := kind(llm.KindUnavailable)
	said, last, err := text(fallback(&failingStream{failing{errs: []error{down}}}, &failing{}))
	if said != "done" || last == nil || err != nil {
		t.Errorf("Stream = %q, %v, %v, want the second model's answer in one piece", said, last, err)
	}
	second := &failingStream{}
	said, last, err = text(fallback(&failingStream{failing{errs: []error{down}, begun: true}}, second))
	if said != "do" || last != nil || !errors.Is(err, down) || len(second.calls) != 0 {
		t.Errorf("Stream that had begun = %q, %v, %v, want it to end with its error", said, last, err)
	}
	_, _, err = text(fallback(&failingStream{failing{errs: []error{down}}}, &failingStream{failing{errs: []error{kind(llm.KindAuth)}}}))
	if err == nil || err.Error() != "test: unavailable; then test: auth" {
		t.Errorf("Stream = %v, want both errors", err)
	}
	bits := 0
	for range fallback(&failingStream{failing{begun: true}}).(llm.Streamer).Stream(t.Context(), &llm.Request{}) {
		bits++
		break
	}
	if _, ok := fallback(&failing{}).(llm.Streamer); ok || bits != 1 {
		t.Errorf("a Fallback of no Streamer is one, or a stream that was left went on to %d", bits)
	}
}

type named struct {
	failing
	name string
}

func (n *named) Name() string { return n.name }

// Each model of a list has its own price, and a budget that is used up ends it.
func TestFallbackIsMeteredByModel(t *testing.T) {
	list, err := ParsePrices([]byte(`{"date":"2026-01-01","models":{"a/x":{"input":1000000,"output":1000000},"b/y":{"input":0,"output":0}}}`))
	if err != nil {
		t.Fatal(err)
	}
	budget := &Budget{MaxCost: 1, Prices: list}
	ctx := WithBudget(t.Context(), budget)
	cheap := &named{name: "b/y"}
	model := Meter()(fallback(&named{name: "b/y", failing: failing{errs: []error{kind(llm.KindUnavailable)}}}, &named{name: "a/x"}, cheap))
	var e *llm.Error
	_, err = model.Generate(ctx, &llm.Request{MaxOutputTokens: 5})
	if !errors.As(err, &e) || e.Kind != llm.KindBudget || len(cheap.calls) != 0 {
		t.Errorf("Generate = %v, want the price of the second model to be over the budget", err)
	}
}
