package engine

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
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
// ends with [ErrNotMet] at once. A dialog that stands unanswered for
// Options.SettleTimeout ends it with an error that wraps [driver.ErrDialog].
//
// It takes the page's turn: what another goroutine does to the page comes later.
func (p *Page) WaitFor(ctx context.Context, c Condition) error {
	if c == nil {
		return fmt.Errorf("wait: %w: no condition", ErrInvalid)
	}
	if err := c.check(); err != nil {
		return p.session.rejected("wait", err)
	}
	bounded, end, err := p.begin(ctx, p.session.opts.limitOfAct(0))
	if err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	defer end()
	if err := p.withoutDialog(bounded, func(ctx context.Context) error { return p.await(ctx, c) }); err != nil {
		return p.session.secrets.hideError(p.session.explain("wait", err))
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
			return fmt.Errorf("%w after %v: %s: %w", ErrNotMet, time.Since(begun).Round(time.Millisecond), p.unmet(c), context.Cause(ctx))
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

// unmet names a condition that does not hold and, for Quiet, what stands against it.
func (p *Page) unmet(c Condition) string {
	if _, ok := c.(Quiet); ok {
		return fmt.Sprintf("%s (%s)", c, p.pending())
	}
	return c.String()
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

	// Count: as many elements as N match the selector. It counts visible ones alone.
	Count struct {
		Selector string
		N        int
	}

	// ValueIs: the one field that the selector matches holds the value: what stands in
	// a text field, or the chosen option's label. Several matches are an error.
	ValueIs struct{ Selector, Value string }

	// Response: an address that the pattern matches, as that of AddressIs, has answered
	// since the last action began, with whatever status.
	Response string

	// Download: a file whose name the pattern matches, with * for any characters, has
	// been downloaded since the last action began.
	Download string

	// Until: the function finds on the page what it looks for. It is called with each
	// reading until it returns true, and holds the page's turn.
	Until func(*Snapshot) bool

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
	{"response", func(what string) Condition { return Response(what) }},
	{"download", func(what string) Condition { return Download(what) }},
	{"value", func(what string) Condition {
		quoted, err := strconv.QuotedPrefix(what)
		if err != nil {
			return ValueIs{} // which check refuses
		}
		value, _ := strconv.Unquote(quoted) // it is quoted
		return ValueIs{strings.TrimSpace(what[len(quoted):]), value}
	}},
	{"count", func(what string) Condition {
		number, selector, _ := strings.Cut(what, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			n = -1 // which check refuses
		}
		return Count{strings.TrimSpace(selector), n}
	}},
}

// ParseCondition parses a condition as it prints itself: "selector=#total",
// "selector-gone=.spinner", "text=Order placed", "text-gone=Loading",
// "address=/orders/*", "response=/api/orders", "download=*.pdf", "count=3 role=row",
// `value="Ada" label=Name` or "quiet". An error wraps [ErrInvalid].
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
	return nil, fmt.Errorf("%w: condition %q; write selector=…, selector-gone=…, text=…, text-gone=…, address=…, response=…, download=…, count=N …, value=\"…\" … or quiet", ErrInvalid, s)
}

func (c ElementShown) String() string { return "selector=" + string(c) }
func (c ElementGone) String() string  { return "selector-gone=" + string(c) }
func (c TextShown) String() string    { return "text=" + string(c) }
func (c TextGone) String() string     { return "text-gone=" + string(c) }
func (c AddressIs) String() string    { return "address=" + string(c) }
func (c Count) String() string        { return fmt.Sprintf("count=%d %s", c.N, c.Selector) }
func (c ValueIs) String() string      { return fmt.Sprintf("value=%q %s", c.Value, c.Selector) }
func (c Response) String() string     { return "response=" + string(c) }
func (c Download) String() string     { return "download=" + string(c) }
func (Until) String() string          { return "until a function finds it" }
func (Quiet) String() string          { return "quiet" }

func (c ElementShown) check() error { return checkSelector(string(c)) }
func (c ElementGone) check() error  { return checkSelector(string(c)) }
func (c TextShown) check() error    { return checkWords("text", string(c)) }
func (c TextGone) check() error     { return checkWords("text", string(c)) }
func (c AddressIs) check() error    { return checkWords("address", string(c)) }
func (c ValueIs) check() error      { return checkSelector(c.Selector) }
func (c Response) check() error     { return checkWords("response", string(c)) }
func (c Download) check() error     { return checkWords("download", string(c)) }
func (Quiet) check() error          { return nil }

func (c Until) check() error {
	if c == nil {
		return fmt.Errorf("%w: no function to wait for", ErrInvalid)
	}
	return nil
}

func (c Count) check() error {
	if c.N < 0 {
		return fmt.Errorf("%w: write how many elements to wait for, from 0, and a selector: count=3 role=row", ErrInvalid)
	}
	return checkSelector(c.Selector)
}

func checkSelector(selector string) error {
	_, err := accessibility.SplitSelector(selector)
	if accessibility.IsLocator(selector) {
		_, err = accessibility.ParseLocator(selector)
	}
	if err != nil {
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
	n, err := p.visible(ctx, string(c), 1)
	return n > 0, err
}

func (c ElementGone) met(ctx context.Context, p *Page) (bool, error) {
	n, err := p.visible(ctx, string(c), 1)
	return n == 0, err
}

func (c Count) met(ctx context.Context, p *Page) (bool, error) {
	n, err := p.visible(ctx, c.Selector, c.N+1)
	return n == c.N, err
}

func (c ValueIs) met(ctx context.Context, p *Page) (bool, error) {
	found, err := p.match(ctx, c.Selector)
	if err != nil || len(found) == 0 {
		return false, err
	}
	if len(found) > 1 {
		return false, p.ambiguous(ctx, c.Selector, found)
	}
	if _, err := p.capture(ctx); err != nil {
		return false, err
	}
	n, ok := p.build(nil).Find(found[0].node)
	hide := p.session.secrets.hide
	return ok && hide(n.Value) == hide(c.Value), nil
}

func (c Response) met(_ context.Context, p *Page) (bool, error) {
	return slices.ContainsFunc(p.watch.arrived().responses, func(address string) bool { return matchesAddress(string(c), address) }), nil
}

func (c Download) met(_ context.Context, p *Page) (bool, error) {
	return slices.ContainsFunc(p.watch.arrived().downloads, func(name string) bool { return matchesPattern(string(c), name) }), nil
}

func (c Until) met(ctx context.Context, p *Page) (bool, error) {
	if _, err := p.capture(ctx); err != nil {
		return false, err
	}
	return c(p.build(nil)), nil
}

// maxLookedAt bounds how many matches of a selector are checked for visibility.
const maxLookedAt = 100

// visible counts the visible elements that a selector matches, up to enough.
func (p *Page) visible(ctx context.Context, selector string, enough int) (n int, _ error) {
	nodes, err := p.find(ctx, selector)
	if err != nil {
		return 0, err
	}
	for _, node := range nodes[:min(len(nodes), max(maxLookedAt, enough))] {
		switch at, err := p.driver.Locate(ctx, node, nil); {
		case betweenDocuments(err):
		case err != nil:
			return 0, err
		case at.Visible:
			if n++; n == enough {
				return n, nil
			}
		}
	}
	return n, nil
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
	return matchesPattern(pattern, address)
}

// matchesPattern matches a text with a pattern in which * stands for any characters.
func matchesPattern(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(text, parts[0])
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
