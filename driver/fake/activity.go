package fake

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// habit is how many changes of a node within habitWindow are a habit.
const (
	habit       = 4
	habitWindow = 1500 * time.Millisecond
	// afterInput is how long a change is taken to come from input, which makes
	// no habit however often it is sent.
	afterInput = 250 * time.Millisecond
)

// novelty keeps the changes of the tree that scripts made.
type novelty struct {
	last    time.Time
	touched time.Time // when input last came
	changes map[*html.Node][]time.Time
}

// mutation notes a change of n.
func (p *page) mutation(n *html.Node, added bool) {
	now := time.Now()
	if p.changes == nil || len(p.changes) > 10000 {
		p.changes = make(map[*html.Node][]time.Time)
	}
	times := slices.DeleteFunc(p.changes[n], func(t time.Time) bool { return now.Sub(t) > habitWindow })
	novel := added || len(times) < habit-1
	if now.Sub(p.touched) > afterInput {
		times = append(times, now)
	}
	p.changes[n] = times
	if novel {
		p.last = now
	}
}

// Activity tells how busy the page is.
func (p *page) Activity(ctx context.Context) (*driver.Activity, error) {
	var a *driver.Activity
	err := p.do(ctx, "activity", "", func(context.Context) error {
		a = &driver.Activity{Mutated: -1, Parsing: !p.main.doc.ready, Blank: p.main.doc.blank(), Idle: len(p.due) == 0 && p.inflight == 0}
		if !p.last.IsZero() {
			a.Mutated = time.Since(p.last)
		}
		for _, f := range p.frames() {
			a.Busy = a.Busy || f.doc.busy()
			a.Transition = a.Transition || f.doc.inTransition()
			a.Idle = a.Idle && f.pending == nil && f.doc.loaded
		}
		a.Idle = a.Idle && !a.Transition
		return nil
	})
	return a, err
}

// busy reports a visible mark of work under way.
func (d *document) busy() bool {
	if !d.parsed && !mayBeBusy(d.source) {
		return false
	}
	v := d.render()
	if v.busyKnown {
		return v.busy
	}
	v.busyKnown = true
	for i := range v.boxes {
		b := &v.boxes[i]
		if b.kind == driver.ElementNode && b.rendered && b.style.Visibility == "visible" && marksBusy(b.node) && !b.rect.IsZero() {
			v.busy = true
			break
		}
	}
	return v.busy
}

// drawn are elements that show something without any text in them.
var drawn = map[string]bool{
	"img": true, "svg": true, "canvas": true, "video": true, "audio": true, "iframe": true, "object": true, "embed": true, "input": true,
	"button": true, "select": true, "textarea": true, "progress": true, "meter": true, "hr": true, "math": true,
}

// blank reports that the document has scripts, and nothing that could be seen.
func (d *document) blank() bool {
	if !d.parsed && !containsFold(d.source, "<script") {
		return false
	}
	v := d.render()
	if !v.blankKnown {
		v.blankKnown, v.blank = true, d.first("script") != nil && isElement(d.body(), "body") && !v.draws()
	}
	return v.blank
}

// draws reports that there is something to see.
func (v *view) draws() bool {
	for i := range v.boxes {
		b := &v.boxes[i]
		if !b.rendered || b.style != nil && b.style.Visibility != "visible" {
			continue
		}
		if b.kind == driver.TextNode && strings.TrimSpace(b.node.Data) != "" || b.kind == driver.ElementNode && drawn[b.node.Data] && !b.rect.IsZero() {
			return true
		}
	}
	return false
}

func mayBeBusy(source string) bool {
	for _, mark := range []string{"aria-busy", "progress", "skeleton", "spinner", "loading", "loader"} {
		if containsFold(source, mark) {
			return true
		}
	}
	return false
}

func marksBusy(n *html.Node) bool {
	if lower(attr(n, "aria-busy")) == "true" || attr(n, "role") == "progressbar" || isElement(n, "progress") {
		return true
	}
	class := lower(attr(n, "class"))
	if class == "" {
		return false
	}
	for _, c := range strings.Fields(class) {
		for _, mark := range []string{"skeleton", "spinner", "shimmer"} {
			if strings.Contains(c, mark) {
				return true
			}
		}
	}
	return false
}

// containsFold is strings.Contains for ASCII without regard to case. sub is in
// lower case.
func containsFold(s, sub string) bool {
	if strings.Contains(s, sub) {
		return true
	}
	first := sub[0]
	for i := 0; i+len(sub) <= len(s); i++ {
		if c := s[i] | 0x20; c == first && strings.EqualFold(s[i:i+len(sub)], sub) {
			return true
		}
	}
	return false
}
