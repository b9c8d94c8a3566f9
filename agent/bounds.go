package agent

import (
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

const (
	defaultSteps       = 20
	defaultFailures    = 5
	defaultToolTimeout = 45 * time.Second
)

// bounds counts what a run takes, and says when it is enough.
type bounds struct {
	maxSteps, maxFailures int
	maxTokens             int
	maxCost               float64
	prices                *middleware.Prices
	deadline              time.Time // zero is none

	steps, failures int // failures in a row
	usage           llm.Usage
	cost            float64
	warned          bool
}

// left is how many steps there still are.
func (b *bounds) left() int { return b.maxSteps - b.steps }

// mayAsk says whether a question of about so many tokens may be put to a model.
func (b *bounds) mayAsk(model string, input, output int, now time.Time) error {
	if !b.deadline.IsZero() && !now.Before(b.deadline) {
		return fmt.Errorf("%w: the run has lasted as long as it may", ErrRunTime)
	}
	if used := b.usage.Input + b.usage.Output; b.maxTokens > 0 && used+input+output > b.maxTokens {
		return fmt.Errorf("%w: %d of %d are used, and the next question takes about %d", ErrTokens, used, b.maxTokens, input+output)
	}
	if b.maxCost > 0 {
		price, ok := b.prices.Of(model)
		if !ok {
			return fmt.Errorf("%w: the price of %s is not known, so that MaxCost cannot be kept; give it by Config.Prices", ErrInvalid, model)
		}
		if next := price.Cost(llm.Usage{Input: input, Output: output}); b.cost+next > b.maxCost {
			return fmt.Errorf("%w: $%.4f of $%.4f are spent, and the next question costs about $%.4f", ErrCost, b.cost, b.maxCost, next)
		}
	}
	return nil
}

// asked counts what a model took, and returns what it cost.
func (b *bounds) asked(model string, u llm.Usage) float64 {
	b.usage = b.usage.Add(u)
	cost := 0.0
	if price, ok := b.prices.Of(model); ok {
		cost = price.Cost(u)
	}
	b.cost += cost
	return cost
}

// stepped counts a step, and says whether too many have failed in a row.
func (b *bounds) stepped(failed bool) error {
	b.steps++
	if !failed {
		b.failures = 0
		return nil
	}
	if b.failures++; b.failures >= b.maxFailures {
		return fmt.Errorf("%w: %d", ErrFailures, b.failures)
	}
	return nil
}

// remark is what the model should know of the bounds; it is said once.
func (b *bounds) remark() string {
	switch {
	case b.left() == 1:
		return "This is the last step: only done is left. Say truly what is done and what is not."
	case !b.warned && 4*b.steps >= 3*b.maxSteps:
		b.warned = true
		return fmt.Sprintf("%d of %d steps are used. Finish what matters, and keep the last step for done.", b.steps, b.maxSteps)
	}
	return ""
}
