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

// await looks until a condition holds. Events wake it, and a timer for what no
// event tells. It spends at most half of the time looking.
func (p *Page) await(ctx context.Context, c Condition) error {
	begun := time.Now()
	for {
		_, changed, err := p.watch.blocked()
		if err != nil {
			return err
		}
		idle := p.idle(ctx) // asked before the look, which sees what comes in between
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

// A Condition is what [Page.WaitFor] waits for. The set is closed: the types
// below, which [ParseCondition] can parse.
type Condition interface {
	fmt.Stringer
	// check rejects what can never hold.
	check() error
	// met reports whether the condition holds now.
	met(ctx context.Context, p *Page) (bool, error)
}

type (
	// ElementShown: an element that the selector matches is visible, if need be
	// after scrolling.
	ElementShown string

	// ElementGone: the selector matches nothing visible.
	ElementGone string

	// TextShown: the page shows the text. White space and case are ignored; the
	// text may span several elements.
	TextShown string

	// TextGone: the page does not show the text.
	TextGone string

	// AddressIs: the page has this address. A * stands for any characters. A
	// pattern that begins with a slash matches the part after the host, without
	// query and fragment unless it has them itself.
	AddressIs string

	// Quiet: nothing is in progress on the page, by the rule for settling
	// before actions.
	Quiet struct{}
)

// conditionKinds are the prefixes that ParseCondition knows.
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

// ParseCondition parses a condition as it prints itself: "selector=#total",
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

// maxLookedAt bounds how many matches of a selector are checked for visibility.
const maxLookedAt = 100

// shows reports whether a selector matches a visible element.
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
	shown, err := p.showsText(ctx, string(c))
	return !shown, err
}

// showsText reports whether the page shows a text. As in an outline,
// placeholders stand for the values of variables on both sides.
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

// matchesAddress matches an address with the pattern of an [AddressIs].
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
