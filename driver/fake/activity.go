package fake

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
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

// A sight is what a view of a document shows at a glance.
type sight struct {
	busyOf, blankOf *layout.View // for which the answers hold
	busy, blank     bool
}

// busy reports a visible mark of work under way.
func (d *document) busy() bool {
	if !d.parsed && !mayBeBusy(d.source) {
		return false
	}
	v := d.render()
	if d.sight.busyOf == v {
		return d.sight.busy
	}
	d.sight.busyOf, d.sight.busy = v, false
	for i := range v.Boxes {
		b := &v.Boxes[i]
		if b.Kind == driver.ElementNode && b.Rendered && b.Style.Visibility == "visible" && marksBusy(b.Node) && !b.Rect.IsZero() {
			d.sight.busy = true
			break
		}
	}
	return d.sight.busy
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
	if d.sight.blankOf != v {
		d.sight.blankOf, d.sight.blank = v, d.first("script") != nil && dom.IsElement(d.body(), "body") && !draws(v)
	}
	return d.sight.blank
}

// draws reports that there is something to see.
func draws(v *layout.View) bool {
	for i := range v.Boxes {
		b := &v.Boxes[i]
		if !b.Rendered || b.Style != nil && b.Style.Visibility != "visible" {
			continue
		}
		if b.Kind == driver.TextNode && strings.TrimSpace(b.Node.Data) != "" || b.Kind == driver.ElementNode && drawn[b.Node.Data] && !b.Rect.IsZero() {
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
	if dom.Lower(dom.Attr(n, "aria-busy")) == "true" || dom.Attr(n, "role") == "progressbar" || dom.IsElement(n, "progress") {
		return true
	}
	class := dom.Lower(dom.Attr(n, "class"))
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

// movingProperties are those whose animation moves an element.
var movingProperties = []string{"transform", "translate", "rotate", "scale", "top", "left", "right", "bottom", "inset", "margin", "width", "height", "offset"}

// readDuration finds the longest time in a shorthand ("opacity 0.3s ease").
// Of two times in one part, the first is the duration and the second the delay.
func readDuration(value string) time.Duration {
	longest := time.Duration(0)
	for _, part := range strings.Split(value, ",") {
		total, n := time.Duration(0), 0
		for _, word := range strings.Fields(part) {
			if d, ok := parseTime(word); ok && n < 2 {
				total += d
				n++
			}
		}
		longest = max(longest, total)
	}
	return longest
}

func parseTime(word string) (time.Duration, bool) {
	unit := time.Second
	num, ok := strings.CutSuffix(word, "ms")
	if ok {
		unit = time.Millisecond
	} else if num, ok = strings.CutSuffix(word, "s"); !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || f < 0 || f > 1e6 {
		return 0, false
	}
	return time.Duration(f * float64(unit)), true
}

// A run is a transition or an animation under way.
type run struct {
	until time.Time
	moves bool
}

// watchRuns compares a new view with the one before: an element with a
// transition whose style has changed begins one; an animation begins when it
// is first seen.
func (d *document) watchRuns(old, v *layout.View) {
	now := time.Now()
	for i := range v.Boxes {
		b := &v.Boxes[i]
		if b.Kind != driver.ElementNode || b.Style == nil {
			continue
		}
		s := b.Style
		if s.Animation != "" && s.Animation != "none" {
			d.animate(b.Node, s.Animation, now)
		}
		if s.Transition == "" || old == nil {
			continue
		}
		before := old.Find(b.Node)
		if before == nil || before.Style == nil || before.Style == s || *before.Style == *s {
			continue
		}
		if wait := readDuration(s.Transition); wait > 0 {
			moves := before.Style.ShiftX != s.ShiftX || before.Style.ShiftY != s.ShiftY || before.Rect != b.Rect
			d.transitions = setRun(d.transitions, b.Node, run{now.Add(wait), moves})
		}
	}
}

func setRun(runs map[*html.Node]run, n *html.Node, r run) map[*html.Node]run {
	if runs == nil {
		runs = make(map[*html.Node]run)
	}
	runs[n] = r
	return runs
}

// animate notes an animation that begins now, unless it was seen before.
func (d *document) animate(n *html.Node, value string, now time.Time) {
	if _, seen := d.animations[n]; seen {
		return
	}
	r := run{moves: d.animationMoves(n, value)}
	wait := readDuration(value)
	if strings.Contains(value, "infinite") {
		wait = 1e6 * time.Second
	}
	if wait > 0 {
		r.until = now.Add(wait)
		d.animations = setRun(d.animations, n, r)
	}
}

// animationMoves reports that the keyframes which the value names move their element.
func (d *document) animationMoves(n *html.Node, value string) bool {
	for _, word := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' }) {
		body, ok := d.Keyframes(n, word)
		if !ok {
			continue
		}
		for _, p := range movingProperties {
			if strings.Contains(body, p) {
				return true
			}
		}
	}
	return false
}

// inTransition reports that a CSS transition runs.
func (d *document) inTransition() bool {
	if !d.parsed {
		return false
	}
	d.render()
	now := time.Now()
	for n, r := range d.transitions {
		if r.until.After(now) && d.Connected(n) {
			return true
		}
		delete(d.transitions, n)
	}
	return false
}

// moving reports that an animation or transition moves n itself.
func (d *document) moving(n *html.Node) bool {
	now := time.Now()
	for _, runs := range []map[*html.Node]run{d.transitions, d.animations} {
		if r, ok := runs[n]; ok && r.moves && r.until.After(now) {
			return true
		}
	}
	return false
}
