package engine

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// WaitFor waits until a condition holds, and returns at once if it does:
//
//	err := page.WaitFor(ctx, engine.TextShown("Order placed"))
//
// ctx bounds the wait, and so does the limit of [Options].Timeout. An error for that
// reason wraps [ErrNotMet] and context.DeadlineExceeded. Where a driver knows
// that nothing is under way on the page, so that it stays as it is, the wait
// ends with [ErrNotMet] at once.
//
// It takes the page's turn: what another goroutine does to the page comes later.
func (p *Page) WaitFor(ctx context.Context, c Condition) error {
	if c == nil {
		return fmt.Errorf("wait: %w: no condition", ErrInvalid)
	}
	if err := c.check(); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	bounded, end, err := p.begin(ctx, p.session.opts.limitOfAct(0))
	if err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	defer end()
	if err := p.await(bounded, c); err != nil {
		return p.session.hideError(p.session.explain("wait", err))
	}
	return nil
}

// await looks until a condition holds. Events wake it, and the clock for what
// no event tells. It takes no more than half of the time for looking.
func (p *Page) await(ctx context.Context, c Condition) error {
	begun := time.Now()
	for {
		_, changed, err := p.watch.blocked()
		if err != nil {
			return err
		}
		idle := p.idle(ctx) // before the look: what comes in between is seen by it
		from := time.Now()
		met, err := c.met(ctx, p)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%w after %v: %s: %w", ErrNotMet, time.Since(begun).Round(time.Millisecond), c, context.Cause(ctx))
		case err != nil && !betweenDocuments(err):
			return err
		case err == nil && met:
			return nil
		case err == nil && idle:
			return fmt.Errorf("%w: %s: nothing is under way on the page", ErrNotMet, c)
		}
		rest(ctx, time.Since(from), nil)
		rest(ctx, longestTurn, changed)
	}
}

// A Condition is something that [Page.WaitFor] waits for. The set is closed: the
// types of this file, each of which [ParseCondition] can read.
type Condition interface {
	fmt.Stringer
	// check refuses what can never hold.
	check() error
	// met reports whether the page is so now.
	met(ctx context.Context, p *Page) (bool, error)
}

type (
	// ElementShown: an element that the selector matches can be seen, if need
	// be after scrolling.
	ElementShown string

	// ElementGone: the selector matches nothing that can be seen.
	ElementGone string

	// TextShown: the page says the text. White space and the case of letters
	// do not matter; the text may run over several elements.
	TextShown string

	// TextGone: the page does not say the text, or not any more.
	TextGone string

	// AddressIs: the page shows the address. A * stands for any letters. A
	// pattern that begins with a slash is held against what comes behind the
	// host, and without query and fragment unless it has such itself.
	AddressIs string

	// Quiet: nothing is under way on the page, by the rule that is waited for
	// before each action.
	Quiet struct{}
)

// conditionKinds are the words for conditions, as ParseCondition reads them.
var conditionKinds = []struct {
	word string
	make func(what string) Condition
}{
	{"selector", func(what string) Condition { return ElementShown(what) }},
	{"selector-gone", func(what string) Condition { return ElementGone(what) }},
	{"text", func(what string) Condition { return TextShown(what) }},
	{"text-gone", func(what string) Condition { return TextGone(what) }},
	{"address", func(what string) Condition { return AddressIs(what) }},
}

// ParseCondition reads a condition as it prints itself: "selector=#total",
// "selector-gone=.spinner", "text=Order placed", "text-gone=Loading",
// "address=/orders/*" or "quiet". An error wraps [ErrInvalid].
func ParseCondition(s string) (Condition, error) {
	if s == "quiet" {
		return Quiet{}, nil
	}
	word, what, _ := strings.Cut(s, "=")
	for _, kind := range conditionKinds {
		if kind.word == word {
			c := kind.make(what)
			return c, c.check()
		}
	}
	return nil, fmt.Errorf("%w: condition %q; write selector=…, selector-gone=…, text=…, text-gone=…, address=… or quiet", ErrInvalid, s)
}

func (c ElementShown) String() string { return "selector=" + string(c) }
func (c ElementGone) String() string  { return "selector-gone=" + string(c) }
func (c TextShown) String() string    { return "text=" + string(c) }
func (c TextGone) String() string     { return "text-gone=" + string(c) }
func (c AddressIs) String() string    { return "address=" + string(c) }
func (Quiet) String() string          { return "quiet" }

func (c ElementShown) check() error { return checkSelector(string(c)) }
func (c ElementGone) check() error  { return checkSelector(string(c)) }
func (c TextShown) check() error    { return checkWords("text", string(c)) }
func (c TextGone) check() error     { return checkWords("text", string(c)) }
func (c AddressIs) check() error    { return checkWords("address", string(c)) }
func (Quiet) check() error          { return nil }

func checkSelector(selector string) error {
	if _, err := accessibility.SplitSelector(selector); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}

func checkWords(kind, words string) error {
	if strings.TrimSpace(words) == "" {
		return fmt.Errorf("%w: the %s to wait for is empty", ErrInvalid, kind)
	}
	return nil
}

func (c ElementShown) met(ctx context.Context, p *Page) (bool, error) {
	return p.shows(ctx, string(c))
}

func (c ElementGone) met(ctx context.Context, p *Page) (bool, error) {
	shown, err := p.shows(ctx, string(c))
	return !shown, err
}

// maxLookedAt bounds how many matches of a selector are asked whether they
// can be seen.
const maxLookedAt = 100

// shows reports whether a selector matches an element that can be seen.
func (p *Page) shows(ctx context.Context, selector string) (bool, error) {
	nodes, err := p.find(ctx, selector)
	if err != nil {
		return false, err
	}
	for _, node := range nodes[:min(len(nodes), maxLookedAt)] {
		switch at, err := p.driver.Locate(ctx, node, nil); {
		case betweenDocuments(err):
		case err != nil:
			return false, err
		case at.Visible:
			return true, nil
		}
	}
	return false, nil
}

func (c TextShown) met(ctx context.Context, p *Page) (bool, error) {
	return p.showsText(ctx, string(c))
}

func (c TextGone) met(ctx context.Context, p *Page) (bool, error) {
	says, err := p.showsText(ctx, string(c))
	return !says, err
}

// showsText reports whether the page says a text. Placeholders stand for the values
// of variables on both sides, as in an outline.
func (p *Page) showsText(ctx context.Context, text string) (bool, error) {
	if _, err := p.capture(ctx); err != nil {
		return false, err
	}
	plain := func(s string) string { return strings.ToLower(squeeze(p.session.secrets.hide(s))) }
	return strings.Contains(plain(p.build(nil).Text()), plain(text)), nil
}

func (c AddressIs) met(_ context.Context, p *Page) (bool, error) {
	return matchesAddress(string(c), p.URL()), nil
}

// matchesAddress holds an address against the pattern of an [AddressIs].
func matchesAddress(pattern, address string) bool {
	if strings.HasPrefix(pattern, "/") {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			_, address, _ = strings.Cut(address, u.Host)
			if !strings.HasPrefix(address, "/") {
				address = "/" + address
			}
		}
		if !strings.Contains(pattern, "#") {
			address, _, _ = strings.Cut(address, "#")
			if !strings.Contains(pattern, "?") {
				address, _, _ = strings.Cut(address, "?")
			}
		}
	}
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(address, parts[0])
	for i := 1; ok && i < len(parts); i++ {
		if i == len(parts)-1 {
			return strings.HasSuffix(rest, parts[i])
		}
		_, rest, ok = strings.Cut(rest, parts[i])
	}
	return ok && rest == ""
}

func (Quiet) met(ctx context.Context, p *Page) (bool, error) {
	if blocked, _, err := p.watch.blocked(); blocked || err != nil {
		return false, err
	}
	activity, err := p.driver.Activity(ctx)
	if err != nil {
		return false, err
	}
	return p.watch.unquiet(activity, time.Now()) <= 0, nil
}
