package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// A guard enforces a session's policy on its browser.
type guard struct {
	session *Session
	rules   *policy.Rules                  // nil without a policy
	dialer  *policy.Dialer                 // for a driver that dials itself
	gate    *policy.Gate                   // for any other driver
	names   bool                           // look up names before a request is sent
	allow   func(driver.RequestInfo) error // the caller's own

	mu    sync.Mutex // protects what follows
	count int        // refusals so far
	last  []Refusal  // the most recent ones
}

func (g *guard) compile(ctx context.Context, p *Policy, d Driver, opts *driver.BrowserOptions) (err error) {
	if g.rules, err = p.Compile(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	switch {
	case g.rules.Open():
	case opts.Proxy != nil:
		return g.rules.CheckProxy(ctx, opts.Proxy)
	case p.NoGate:
		g.names = true
	case driver.DialsItself(d):
		g.dialer = g.rules.NewDialer(g.connectionRefused)
		g.names = true
		opts.Dial = g.dialer.DialContext
	default:
		if g.gate, err = g.rules.OpenGate(g.connectionRefused); err != nil {
			return err
		}
		g.names = true
		opts.Proxy = &driver.Proxy{Server: g.gate.Server()}
	}
	return nil
}

// nameLimit is how long a name lookup may delay a request.
const nameLimit = 5 * time.Second

// decide answers the driver for every request.
func (g *guard) decide(r driver.RequestInfo) error {
	var err error
	if g.rules != nil {
		err = g.checkRules(r.URL)
	}
	if err == nil && g.allow != nil {
		err = g.allow(r)
	}
	if err != nil {
		g.note(Refusal{URL: r.URL, Kind: r.Kind, frame: r.Frame, err: err})
	}
	return err
}

// checkRules decides about an address before it is requested.
func (g *guard) checkRules(address string) error {
	if !g.names {
		return g.rules.CheckURL(address)
	}
	ctx, cancel := context.WithTimeout(context.Background(), nameLimit)
	defer cancel()
	err := g.rules.CheckName(ctx, address)
	var refused *policy.RefusedError
	if (g.gate != nil || g.dialer != nil) && errors.As(err, &refused) && refused.Rule == policy.RuleName {
		return nil // the connection decides, with a better error
	}
	return err
}

// connectionRefused records a connection that was not made.
func (g *guard) connectionRefused(err *policy.RefusedError) {
	g.note(Refusal{URL: err.What, err: err})
}

// checkAddress decides about an address that the caller navigates to: not every
// scheme becomes a request that the driver asks about.
func (g *guard) checkAddress(address string) error {
	if g.rules == nil {
		return nil
	}
	err := g.rules.CheckURL(address)
	if err != nil {
		g.note(Refusal{URL: address, Kind: driver.RequestDocument, err: err})
	}
	return err
}

// clarify replaces the error of a navigation that failed at the gate by the
// gate's reason: the browser only knows that its proxy did not connect.
func (g *guard) clarify(err error) error {
	var failed *driver.NavigationError
	if g.gate == nil || !errors.As(err, &failed) || failed.Err != nil && errors.Is(failed.Err, driver.ErrBlocked) {
		return err
	}
	why := g.gate.Failure(failed.URL)
	if why == nil {
		return err
	}
	return &driver.NavigationError{URL: failed.URL, Reason: reasonOf(why), Detail: why.Error(), Err: why}
}

// reasonOf classifies why a connection was not made.
func reasonOf(err error) driver.Reason {
	timeout, ok := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, driver.ErrBlocked):
		return driver.ReasonBlocked
	case errors.As(err, new(*net.DNSError)):
		return driver.ReasonDNS
	case errors.Is(err, syscall.ECONNREFUSED):
		return driver.ReasonRefused
	case ok && timeout.Timeout():
		return driver.ReasonTimeout
	}
	return driver.ReasonOther
}

// close closes the gate, after the browser.
func (g *guard) close() error {
	if g.gate == nil {
		return nil
	}
	return g.gate.Close()
}

// maxRefusals bounds the refusals that a collector can look back on.
const maxRefusals = 64

// note reports a refusal and remembers it for evidence.
func (g *guard) note(r Refusal) {
	s := g.session
	r.URL, r.Reason = s.secrets.hide(r.URL), s.secrets.hide(r.err.Error())
	g.mu.Lock()
	g.count++
	if len(g.last) >= maxRefusals {
		g.last = slices.Delete(g.last, 0, 1)
	}
	g.last = append(g.last, r)
	g.mu.Unlock()
	s.journal.refused(r)
}

// refusals returns the number of refusals so far.
func (g *guard) refusals() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count
}

// since returns what was refused after the first n, except what is known to
// belong to another page.
func (g *guard) since(n int, page *Page) []Refusal {
	g.mu.Lock()
	last := slices.Clone(g.last[max(0, len(g.last)-(g.count-n)):])
	g.mu.Unlock()
	last = slices.DeleteFunc(last, func(r Refusal) bool { return g.session.ownedByOther(r.frame, page) })
	if len(last) == 0 {
		return nil
	}
	return last[:min(len(last), maxRefusedSeen)]
}
