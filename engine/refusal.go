package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// A Refusal is a request that a session's policy, or BrowserOptions.Allow, did
// not let out.
type Refusal struct {
	// URL is what was asked for. Where a connection was refused, only its host
	// is known.
	URL    string             `json:"url"`
	Kind   driver.RequestKind `json:"kind,omitempty"`
	Reason string             `json:"reason"`

	frame driver.FrameID // empty if not known
	err   error
}

// Rule names the part of the policy that refused: scheme, deny, allow, private,
// … as package policy names them; "caller" is the driver options' own Allow.
func (r Refusal) Rule() string {
	var refused *policy.RefusedError
	if errors.As(r.err, &refused) {
		return string(refused.Rule)
	}
	return "caller"
}

// mostRefusals bounds the refusals that an inquest can look back on.
const mostRefusals = 64

// mostRefusedSeen bounds those that evidence names.
const mostRefusedSeen = 10

// note enters a refusal into log, metrics, and what evidence is made of.
func (g *guard) note(r Refusal) {
	s := g.session
	r.URL, r.Reason = s.secrets.hide(r.URL), s.secrets.hide(r.err.Error())
	g.mu.Lock()
	g.count++
	if len(g.last) >= mostRefusals {
		g.last = slices.Delete(g.last, 0, 1)
	}
	g.last = append(g.last, r)
	g.mu.Unlock()
	s.metrics.refused()
	if tell := s.opts.Hooks; tell != nil && tell.Refused != nil {
		tell.Refused(r)
	}
	s.log.Warn("request refused", "url", r.URL, "kind", r.Kind, "reason", r.Reason)
}

// refusals is how many there were so far.
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
	return last[:min(len(last), mostRefusedSeen)]
}

// ownedByOther reports whether a frame is one of a page that has nothing to do
// with this one.
func (s *Session) ownedByOther(frame driver.FrameID, page *Page) bool {
	if frame == "" {
		return false
	}
	for _, p := range s.browser.Pages() {
		if p.ID() != page.id && slices.ContainsFunc(p.Frames(), func(f driver.Frame) bool { return f.ID == frame }) {
			return p.Opener() != page.id
		}
	}
	return false
}

// foldRefused makes evidence of what was refused since the deed began.
func (q *inquest) foldRefused() {
	page := q.deed.page
	q.evidence.Refused = page.session.guard.since(q.refused, page)
}

// refusal is the error of a deed whose navigation was refused, or came to
// nothing but the browser's own page about that: it was done, and it did not
// lead to where it leads.
func (q *inquest) refusal() error {
	if n := q.evidence.Navigation; n != nil && n.failed != nil {
		return fmt.Errorf("%s was done, and where it leads could not be opened: %w", q.deed.method, q.deed.page.session.guard.clarify(n.failed))
	}
	if q.evidence.Navigation != nil || strength[q.evidence.Effect] > strength[EffectPage] {
		return nil
	}
	for _, r := range q.evidence.Refused {
		if r.Kind == driver.RequestDocument && (r.frame == "" || r.frame == driver.FrameID(q.deed.page.id)) {
			return fmt.Errorf("%s was done, and where it leads was not opened: %w", q.deed.method, blocked(r.err))
		}
	}
	return nil
}

// blocked makes sure that an error can be told by driver.ErrBlocked.
func blocked(err error) error {
	if errors.Is(err, driver.ErrBlocked) {
		return err
	}
	return fmt.Errorf("%w: %w", driver.ErrBlocked, err)
}
