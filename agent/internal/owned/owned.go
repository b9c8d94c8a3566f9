// Package owned knows which pages of a session belong to a run: an agent's, or a script's.
package owned

import (
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// Pages are the pages of a session that a run owns: those that it began with or
// chose, and those that its own have opened. The session may have pages of other runs
// and of its caller, and its active page may be one of theirs: a run follows its own
// alone.
type Pages struct {
	session *engine.Session
	ids     map[driver.PageID]bool
}

// In are the pages of a run in a session: none yet.
func In(s *engine.Session) *Pages { return &Pages{session: s, ids: map[driver.PageID]bool{}} }

// Add takes a page over; nil is none.
func (o *Pages) Add(p *engine.Page) {
	if p != nil {
		o.ids[p.ID()] = true
	}
}

// Has reports whether a page is the run's.
func (o *Pages) Has(p *engine.Page) bool { return o.ids[p.ID()] }

// Session is that of the pages.
func (o *Pages) Session() *engine.Session { return o.session }

// Open are the run's open pages, with those that its own have opened by now.
func (o *Pages) Open() []*engine.Page {
	var open []*engine.Page
	for _, p := range o.session.Pages() { // openers come before what they opened
		if o.ids[p.Opener()] {
			o.Add(p)
		}
		if o.Has(p) {
			open = append(open, p)
		}
	}
	return open
}

// Follow is p while it is open. Then it is the session's active page if that is the
// run's, or the run's newest; nil if the run has none.
func (o *Pages) Follow(p *engine.Page) *engine.Page {
	open := o.Open()
	active := o.session.Page()
	switch {
	case slices.Contains(open, p):
		return p
	case slices.Contains(open, active):
		return active
	case len(open) == 0:
		return nil
	}
	return open[len(open)-1]
}

// Opened takes over the pages that an action has opened, and returns the newest that
// is still open; nil if there is none.
func (o *Pages) Opened(e *engine.Evidence) (newest *engine.Page) {
	for _, seen := range e.NewPages {
		id := driver.PageID(seen.ID)
		o.ids[id] = true
		if p := o.session.PageByID(id); p != nil {
			newest = p
		}
	}
	return newest
}

// Requests are what the run's pages have sent since a moment, oldest first, and what
// no page is known to have sent.
func (o *Pages) Requests(since time.Time) []engine.RequestSeen {
	o.Open()
	return slices.DeleteFunc(o.session.Requests(since), func(q engine.RequestSeen) bool { return q.Page != "" && !o.ids[q.Page] })
}
