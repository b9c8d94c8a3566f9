package fake

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

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
func (d *document) watchRuns(old, v *view) {
	now := time.Now()
	for i := range v.boxes {
		b := &v.boxes[i]
		if b.kind != driver.ElementNode || b.style == nil {
			continue
		}
		s := b.style
		if s.animation != "" && s.animation != "none" {
			d.animate(b.node, s.animation, now)
		}
		if s.transition == "" || old == nil {
			continue
		}
		before := old.find(b.node)
		if before == nil || before.style == nil || before.style == s || *before.style == *s {
			continue
		}
		if wait := readDuration(s.transition); wait > 0 {
			moves := before.style.shiftX != s.shiftX || before.style.shiftY != s.shiftY || before.rect != b.rect
			d.transitions = setRun(d.transitions, b.node, run{now.Add(wait), moves})
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
	s := d.sheetsOf(topOf(n))
	for _, word := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' }) {
		body, ok := s.keyframes[word]
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
		if r.until.After(now) && d.connected(n) {
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
