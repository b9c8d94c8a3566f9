package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/outgoing"
)

type (
	// Outgoing is what leaves a page, or would.
	Outgoing = outgoing.Request
	// Hold lets an approved request out, once, and holds others.
	Hold = outgoing.Hold
)

// ErrWithheld: a request that an action caused was held and not let out, because
// nobody approved it. The input was sent; its effect did not leave the browser.
var ErrWithheld = outgoing.ErrWithheld

// A Proposal is an action right before its input is sent. It is good until the
// function that got it returns.
type Proposal struct {
	// Action has its element resolved and placeholders in place of values.
	Action Action

	attempt *attempt
	sends   *Outgoing
	read    bool
}

// propose asks whether an action may be done.
func (a *attempt) propose(ctx context.Context, action Action, approve func(context.Context, *Proposal) error) error {
	err := approve(ctx, &Proposal{Action: action, attempt: a})
	if err != nil && a.hold != nil {
		a.hold.End()
		a.hold = nil
	}
	return err
}

// Outgoing says what the action would send, by the form or the link that it
// would press: method, address and fields, and the amounts of money that stand
// around it. It is nil where neither says anything, because a script decides, or
// where the action presses nothing. It holds values of variables: show what
// [Session.HideOutgoing] makes of it.
func (p *Proposal) Outgoing(ctx context.Context) (*Outgoing, error) {
	a := p.attempt
	enter := a.entersLine()
	if p.read || !enter && !a.method.presses {
		return p.sends, nil
	}
	if _, err := a.page.capture(ctx); err != nil {
		return nil, err
	}
	p.read = true
	snap := a.page.build(nil)
	sends := outgoing.FromForm(snap.Capture, a.node, enter)
	if sends == nil {
		return nil, nil
	}
	for i := range sends.Fields {
		f := &sends.Fields[i]
		if node, ok := snap.Find(f.Node); ok {
			f.Ref, f.Label = node.Ref, node.Name
		}
		if f.Password { // a capture does not have it
			state, err := a.page.driver.State(ctx, f.Node)
			if err != nil {
				return nil, err
			}
			f.Value = state.Value
		}
	}
	sends.Page = amounts(snap, a.node)
	p.sends = sends
	return sends, nil
}

// Hold has the requests that the action causes held: h.Approved goes out once,
// and h.Ask decides about others, while the act is under way and until h.End is
// called, which is up to the caller. Owns, Hide and Page of h are set here. No
// request is held up before the first call, nor after the last End. A browser
// that can't hold requests is an error that wraps [errors.ErrUnsupported].
func (p *Proposal) Hold(ctx context.Context, h *Hold) error {
	page := p.attempt.page
	browser, ok := driver.BrowserAs[driver.Interceptor](page.session.browser)
	if !ok {
		return fmt.Errorf("the browser cannot hold requests: %w", errors.ErrUnsupported)
	}
	h.Page, h.Hide = page.URL(), page.session.secrets.hide
	h.Owns = func(r driver.RequestInfo) bool { return !page.session.ownedByOther(r.Frame, page) }
	if err := page.session.holds.Add(ctx, browser, h); err != nil {
		return fmt.Errorf("requests cannot be held: %w", err)
	}
	p.attempt.hold = h
	return nil
}

// HideOutgoing returns a copy that may be shown: values of variables have become
// their placeholders, and values of passwords bullets. It is nil for nil.
func (s *Session) HideOutgoing(r *Outgoing) *Outgoing {
	if r == nil {
		return nil
	}
	return r.Map(s.secrets.hide)
}

func (s *Session) hideApproval(a *Approval) *Approval {
	out := *a
	out.Reason, out.Outgoing = s.secrets.hide(a.Reason), s.HideOutgoing(a.Outgoing)
	out.Differences = nil
	for _, d := range a.Differences {
		out.Differences = append(out.Differences, s.secrets.hide(d))
	}
	return &out
}

// withheld is the error of an attempt whose effect was held and not let out, and
// whether somebody is being asked about it.
func (a *attempt) withheld() (err error, asking bool, changed <-chan struct{}) {
	if a.hold == nil {
		return nil, false, nil
	}
	seen, asking, changed := a.hold.Seen(0)
	if asking {
		return nil, true, changed
	}
	for _, s := range seen {
		if s.Out {
			return nil, false, nil // what came of it shows otherwise
		}
	}
	if len(seen) > 0 {
		return fmt.Errorf("%s was done, and nothing of it went out: %w", a.method.name, blocked(seen[0].Err)), false, nil
	}
	return nil, false, nil
}

// entersLine reports whether the attempt presses Enter, which may send the form
// of the field that gets it.
func (a *attempt) entersLine() bool {
	if len(a.args) == 0 {
		return false
	}
	switch a.method.name {
	case Press:
		chord := strings.Split(strings.ToLower(a.args[0]), "+")
		switch chord[len(chord)-1] {
		case "enter", "return", "numpadenter", "\n", "\r":
			return true
		}
	case Type:
		return strings.ContainsAny(a.args[0], "\r\n")
	}
	return false
}

// money finds amounts of money in a text.
var money = regexp.MustCompile(`(?:[$€£¥₹₩₽]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN)|\bFr\.)[\s\x{00a0}]?\d|\d[\s\x{00a0}]?(?:[$€£¥₹₩₽]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|kr|zł)\b)|\d[.,]\d\d\b`)

// maxAmounts and maxAmountText bound what is shown of a page.
const (
	maxAmounts    = 12
	maxAmountText = 160
)

// amounts are the lines with amounts of money around an element: in its form or
// dialog, else on the whole page.
func amounts(snap *Snapshot, node driver.NodeRef) (out []outgoing.Line) {
	at, ok := snap.Nearest(node)
	if !ok {
		return nil
	}
	first, end := 0, len(snap.Nodes)
	for i := at.Parent; i >= 0; i = snap.Nodes[i].Parent {
		if n := &snap.Nodes[i]; n.Role == "form" || n.Role == "dialog" || n.Role == "alertdialog" {
			if found := amountsIn(snap, int(i), int(n.End)); len(found) > 0 {
				return found
			}
		}
	}
	return amountsIn(snap, first, end)
}

func amountsIn(snap *Snapshot, first, end int) (out []outgoing.Line) {
	for i := first; i < end && len(out) < maxAmounts; i++ {
		n := &snap.Nodes[i]
		text := strings.TrimSpace(n.Name + " " + n.Value)
		for _, c := range n.Cells {
			text += " " + c.Text
		}
		if money.MatchString(text) {
			out = append(out, outgoing.Line{Ref: n.Ref, Text: cutLine(text)})
		}
	}
	return out
}

func cutLine(text string) string {
	text = squeeze(text)
	if len(text) > maxAmountText {
		text = strings.ToValidUTF8(text[:maxAmountText], "") + "…"
	}
	return text
}
