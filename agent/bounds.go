package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
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
	unpriced        []string // models that were asked and have no known price
	warned          bool
}

func newBounds(t *Task, prices *middleware.Prices, now time.Time) *bounds {
	b := &bounds{
		maxSteps:    cmp.Or(t.MaxSteps, defaultSteps),
		maxFailures: cmp.Or(t.MaxFailures, defaultFailures),
		maxTokens:   t.MaxTokens,
		maxCost:     t.MaxCost,
		prices:      prices,
	}
	if t.RunTime > 0 {
		b.deadline = now.Add(t.RunTime)
	}
	return b
}

// left is how many steps there still are.
func (b *bounds) left() int { return b.maxSteps - b.steps }

// mayAsk says whether a question of about so many tokens may be put to a model.
func (b *bounds) mayAsk(model string, tokens int) error {
	if !b.deadline.IsZero() && !time.Now().Before(b.deadline) {
		return fmt.Errorf("%w: the run has lasted as long as it may", ErrRunTime)
	}
	if used := b.usage.Input + b.usage.Output; b.maxTokens > 0 && used+tokens > b.maxTokens {
		return fmt.Errorf("%w: %d of %d are used, and the next question takes about %d", ErrTokens, used, b.maxTokens, tokens)
	}
	if b.maxCost > 0 {
		if err := b.priced(model); err != nil {
			return err
		}
		price, _ := b.prices.Of(model)
		if next := price.Cost(llm.Usage{Input: tokens}); b.cost+next > b.maxCost {
			return fmt.Errorf("%w: $%.4f of $%.4f are spent, and the next question costs about $%.4f", ErrCost, b.cost, b.maxCost, next)
		}
	}
	return nil
}

// priced says that MaxCost cannot be kept with a model.
func (b *bounds) priced(model string) error {
	if _, ok := b.prices.Of(model); ok || b.maxCost <= 0 || model == "" {
		return nil
	}
	return fmt.Errorf("%w: the price of %s is not known, so that MaxCost cannot be kept; give it by Config.Prices", ErrInvalid, model)
}

// asked counts what a model took, and returns what it cost.
func (b *bounds) asked(model string, u llm.Usage) float64 {
	b.usage = b.usage.Add(u)
	cost := 0.0
	if price, ok := b.prices.Of(model); ok {
		cost = price.Cost(u)
	} else if !slices.Contains(b.unpriced, model) {
		b.unpriced = append(b.unpriced, model)
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

const (
	// tellRepeated is how often the same action on the same page is the model's
	// to know, endRepeated how often it ends the run.
	tellRepeated = 3
	endRepeated  = 6
)

// A state is what a page says, whatever the refs are.
type state [sha256.Size]byte

// passing is what an outline says of a page in passing: refs, and the focus.
var passing = regexp.MustCompile(`(?m)^(\s*)\[[0-9]+-[0-9]+\]| \(focused\)`)

// stateOf digests an address and an outline.
func stateOf(address, outline string) state {
	return sha256.Sum256([]byte(address + "\n" + passing.ReplaceAllString(outline, "$1")))
}

// repetition notices a run that goes in circles, or stands still.
type repetition struct {
	seen   map[string]int // the same action on the same page, by a digest of both
	still  int            // actions in a row that changed nothing
	last   string         // the digest that was noted last, for the log; empty is none
	forgot string         // the digest that was forgotten last, so too

	before state  // of the action that was noted last
	hidden string // its digest, if it had an effect that an outline may not show
}

// A noted is an action for the guard against circles.
type noted struct {
	what    string // the same for the same action
	before  state  // of the page
	changed bool   // the action changed something, or moved the focus or the position
	hidden  bool   // its effect may be one that no outline shows
	acts    bool   // it was meant to change something
}

// note counts an action. It returns what the model should know, and an error once
// there is no more sense in it.
//
// An outline does not show every effect: a script draws on a canvas, a file arrives.
// An action with such an effect is progress, so note resets its count. Where the
// outline shows the effect, the outline tells the states apart: a menu that opens and
// closes alternates between two of them.
func (r *repetition) note(a noted) (remark string, _ error) {
	if r.hidden != "" && r.before == a.before {
		r.forget(r.hidden)
	}
	sum := sha256.Sum256([]byte(a.what + string(a.before[:])))
	key := hex.EncodeToString(sum[:8])
	r.again(key)
	r.last, r.before, r.hidden = key, a.before, ""
	if a.hidden {
		r.hidden = key
	}
	switch {
	case a.changed:
		r.still = 0
	case a.acts:
		r.still++
	}
	switch times := r.seen[key]; {
	case times >= endRepeated:
		return "", fmt.Errorf("%w: the same action was done %d times on the same page", ErrRepeated, times)
	case r.still >= endRepeated:
		return "", fmt.Errorf("%w: %d actions in a row changed nothing", ErrStagnant, r.still)
	case times >= tellRepeated && !a.hidden:
		return fmt.Sprintf("The same action was done %d times on the same page. Doing it again will not help: try another way, or call done and say what is in the way.", times), nil
	case r.still >= tellRepeated:
		return fmt.Sprintf("The last %d actions changed nothing on the page. Look for another way, or call done and say what is in the way.", r.still), nil
	}
	return "", nil
}

// again counts a digest, of this process or of one before it.
func (r *repetition) again(key string) {
	if r.seen == nil {
		r.seen = map[string]int{}
	}
	r.seen[key]++
}

// forget begins a digest's count anew.
func (r *repetition) forget(key string) {
	delete(r.seen, key)
	r.forgot = key
}
