package llm

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
)

// A Budget limits what may be spent on models by everything that runs under
// one context; see [WithBudget] and [Metered]. Its limits are set before the
// first use. It may be used from several goroutines at once.
type Budget struct {
	MaxTokens int     // in and out together; 0 is no limit
	MaxCost   float64 // US dollars; 0 is no limit

	// Prices are those that MaxCost counts with; nil is [ListPrices]. A model
	// without a price is refused under a MaxCost: what can't be counted can't
	// be kept.
	Prices *Prices

	mu       sync.Mutex // protects the fields below
	spent    Usage
	cost     float64
	reserved Usage // of requests under way, estimated
	pending  float64
}

// Spent returns what was used so far, and what it cost in US dollars as far as
// prices are known.
func (b *Budget) Spent() (Usage, float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent, b.cost
}

type budgetKey struct{}

// WithBudget returns a context whose requests to [Metered] models count
// against the budget, and against those of its parents.
func WithBudget(ctx context.Context, b *Budget) context.Context {
	return context.WithValue(ctx, budgetKey{}, append([]*Budget{b}, budgets(ctx)...))
}

func budgets(ctx context.Context) []*Budget {
	list, _ := ctx.Value(budgetKey{}).([]*Budget)
	return list
}

// Metered returns the model held to the budgets of each call's context. They
// are checked before a request is sent, with its size estimated, so that
// requests at once don't exceed a budget together; what is refused is an
// [Error] of KindBudget. An answer may still be longer than was estimated: a
// budget is exceeded by at most the answers that were under way.
//
// Of a [Fallback], each model is metered for itself, at its own price. The
// result is a [Streamer] if the model is one.
func Metered(m Model) Model {
	if f, ok := m.(interface{ each(func(Model) Model) Model }); ok {
		return f.each(Metered)
	}
	if s, ok := m.(Streamer); ok {
		return &meteredStream{metered{m}, s}
	}
	return &metered{m}
}

type metered struct{ model Model }

// Name is the model's own.
func (m *metered) Name() string { return m.model.Name() }

// Generate asks the model if the budgets allow it.
func (m *metered) Generate(ctx context.Context, req *Request) (*Response, error) {
	settle, err := m.reserve(ctx, req)
	if err != nil {
		return nil, err
	}
	resp, err := m.model.Generate(ctx, req)
	settle(resp)
	return resp, err
}

// reserve sets the estimate aside in every budget, or in none.
func (m *metered) reserve(ctx context.Context, req *Request) (settle func(*Response), err error) {
	list := budgets(ctx)
	estimate := Usage{Input: Estimate(req), Output: req.MaxOutputTokens}
	var releases []func(Usage)
	settle = func(resp *Response) {
		var used Usage
		if resp != nil {
			used = resp.Usage
		}
		for _, release := range releases {
			release(used)
		}
	}
	for _, b := range list {
		release, err := b.reserve(m.model.Name(), estimate)
		if err != nil {
			settle(nil)
			return nil, err
		}
		releases = append(releases, release)
	}
	return settle, nil
}

func (b *Budget) reserve(model string, estimate Usage) (release func(used Usage), err error) {
	prices := b.Prices
	if prices == nil {
		if prices, err = ListPrices(); err != nil {
			return nil, err
		}
	}
	price, known := prices.Of(model)
	provider, _, _ := strings.Cut(model, "/")
	refuse := func(format string, args ...any) error {
		return &Error{Provider: provider, Kind: KindBudget, Message: fmt.Sprintf(format, args...)}
	}
	cost := price.Cost(estimate)
	b.mu.Lock()
	defer b.mu.Unlock()
	under := b.spent.Add(b.reserved).Add(estimate)
	switch {
	case b.MaxTokens > 0 && under.Input+under.Output > b.MaxTokens:
		return nil, refuse("%d of %d tokens are used, and this request is about %d", b.spent.Input+b.spent.Output, b.MaxTokens, estimate.Input+estimate.Output)
	case b.MaxCost > 0 && !known:
		return nil, refuse("no price is known for %s, so that a limit on cost can't be kept", model)
	case b.MaxCost > 0 && b.cost+b.pending+cost > b.MaxCost:
		return nil, refuse("$%.4f of $%.4f is spent, and this request costs about $%.4f", b.cost, b.MaxCost, cost)
	}
	b.reserved = b.reserved.Add(estimate)
	b.pending += cost
	return func(used Usage) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.reserved.Input -= estimate.Input
		b.reserved.Output -= estimate.Output
		b.pending -= cost
		b.spent = b.spent.Add(used)
		b.cost += price.Cost(used)
	}, nil
}

type meteredStream struct {
	metered
	streamer Streamer
}

// Stream asks the model if the budgets allow it. A stream that is left before
// its end counts as nothing, as no usage is told then.
func (m *meteredStream) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		settle, err := m.reserve(ctx, req)
		if err != nil {
			yield(Delta{}, err)
			return
		}
		var last *Response
		defer func() { settle(last) }()
		for delta, err := range m.streamer.Stream(ctx, req) {
			if delta.Response != nil {
				last = delta.Response
			}
			if !yield(delta, err) {
				return
			}
		}
	}
}

// Estimate returns about how many tokens a request's input is: a quarter of
// its bytes of text, and 1,000 for a picture.
func Estimate(req *Request) int {
	size := len(req.System)
	for _, tool := range req.Tools {
		size += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	if req.Schema != nil {
		size += len(req.Schema.Schema)
	}
	for _, message := range req.Messages {
		size += sizeOf(message.Parts)
	}
	return (size + 3) / 4
}

const pictureSize = 4000 // bytes of text that cost about as much

func sizeOf(parts []Part) int {
	size := 0
	for _, part := range parts {
		switch part := part.(type) {
		case Instruction:
			size += len(part.Text)
		case Text:
			size += len(part.Text)
		case Page:
			size += len(part.Text)
		case Image:
			size += pictureSize
		case Reasoning:
			size += max(len(part.Text), len(part.Opaque))
		case ToolCall:
			size += len(part.Name) + len(part.Arguments)
		case ToolResult:
			size += sizeOf(part.Parts)
		}
	}
	return size
}
