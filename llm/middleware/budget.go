package middleware

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Budget limits what may be spent on models by everything that runs under
// one context; see [WithBudget] and [Meter]. Its fields are set before the
// first use. It may be used from several goroutines at once.
type Budget struct {
	MaxTokens int     // in and out together; 0 is no limit
	MaxCost   float64 // US dollars; 0 is no limit

	// Prices are those that MaxCost counts with; nil is [ListPrices]. A model
	// without a price is refused under a MaxCost: what can't be counted can't
	// be kept.
	Prices *Prices

	mu       sync.Mutex // protects the fields below
	spent    llm.Usage
	cost     float64
	reserved llm.Usage // of requests under way, estimated
	pending  float64

	othersTokens int // see SetOthers
	othersCost   float64
}

// SetLimits changes the limits. What was used continues counting.
func (b *Budget) SetLimits(maxTokens int, maxCost float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.MaxTokens, b.MaxCost = maxTokens, maxCost
}

// SetOthers says what was used of the same limits by others, as other processes:
// tokens in and out together, and US dollars. It replaces what was said before,
// and is no part of Spent.
func (b *Budget) SetOthers(tokens int, cost float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.othersTokens, b.othersCost = tokens, cost
}

// Spent returns what was used so far, and what it cost in US dollars as far as
// prices are known.
func (b *Budget) Spent() (llm.Usage, float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent, b.cost
}

type budgetKey struct{}

// WithBudget returns a context whose requests to models behind a [Meter] count
// against the budget, and against those of its parents.
func WithBudget(ctx context.Context, b *Budget) context.Context {
	return context.WithValue(ctx, budgetKey{}, append([]*Budget{b}, budgets(ctx)...))
}

func budgets(ctx context.Context) []*Budget {
	list, _ := ctx.Value(budgetKey{}).([]*Budget)
	return list
}

// Meter holds a model to the budgets of each call's context. They are checked
// before a request is sent, with its size estimated, so that requests at once
// don't exceed a budget together; what is refused is an [llm.Error] of
// [llm.KindBudget]. An answer may still be longer than was estimated: a budget
// is exceeded by at most the answers that were under way. A stream that is left
// before its end counts as nothing, as its usage is never reported.
//
// Around a [Fallback], each of its models is metered for itself, at its own
// price.
func Meter() Middleware { return meter }

func meter(m llm.Model) llm.Model {
	if list := modelsOf(m); len(list) > 1 {
		metered := make([]llm.Model, len(list))
		for i, one := range list {
			metered[i] = meter(one)
		}
		return Fallback(metered[1:]...)(metered[0])
	}
	return intercept(func(ctx context.Context, req *llm.Request, ask attempt) (resp *llm.Response, err error) {
		charge, err := reserve(ctx, m.Name(), req)
		if err != nil {
			return nil, err
		}
		defer func() { charge(resp) }()
		resp, _, err = ask(m)
		return resp, err
	}, m)
}

// reserve sets the estimate aside in every budget, or in none.
func reserve(ctx context.Context, model string, req *llm.Request) (charge func(*llm.Response), err error) {
	estimate := llm.Usage{Input: llm.Estimate(req), Output: req.MaxOutputTokens}
	var releases []func(llm.Usage)
	charge = func(resp *llm.Response) {
		var used llm.Usage
		if resp != nil {
			used = resp.Usage
		}
		for _, release := range releases {
			release(used)
		}
	}
	for _, b := range budgets(ctx) {
		release, err := b.reserve(model, estimate)
		if err != nil {
			charge(nil)
			return nil, err
		}
		releases = append(releases, release)
	}
	return charge, nil
}

func (b *Budget) reserve(model string, estimate llm.Usage) (release func(used llm.Usage), err error) {
	prices := b.Prices
	if prices == nil {
		if prices, err = ListPrices(); err != nil {
			return nil, err
		}
	}
	price, known := prices.Of(model)
	provider, _, _ := strings.Cut(model, "/")
	refuse := func(format string, args ...any) error {
		return &llm.Error{Provider: provider, Kind: llm.KindBudget, Message: fmt.Sprintf(format, args...)}
	}
	cost := price.Cost(estimate)
	b.mu.Lock()
	defer b.mu.Unlock()
	tokens, spent := b.othersTokens+b.spent.Input+b.spent.Output, b.othersCost+b.cost
	under := b.reserved.Add(estimate)
	switch {
	case b.MaxTokens > 0 && tokens+under.Input+under.Output > b.MaxTokens:
		return nil, refuse("%d of %d tokens are used, and this request is about %d", tokens, b.MaxTokens, estimate.Input+estimate.Output)
	case b.MaxCost > 0 && !known:
		return nil, refuse("no price is known for %s, so that a limit on cost can't be kept", model)
	case b.MaxCost > 0 && spent+b.pending+cost > b.MaxCost:
		return nil, refuse("$%.4f of $%.4f is spent, and this request costs about $%.4f", spent, b.MaxCost, cost)
	}
	b.reserved = b.reserved.Add(estimate)
	b.pending += cost
	return func(used llm.Usage) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.reserved.Input -= estimate.Input
		b.reserved.Output -= estimate.Output
		b.pending -= cost
		b.spent = b.spent.Add(used)
		b.cost += price.Cost(used)
	}, nil
}
