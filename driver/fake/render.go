package fake

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
)

// render returns the view of the document as it is now.
func (d *document) render() *layout.View {
	if d.view != nil {
		return d.view
	}
	d.parse()
	v := layout.NewView(&d.Scene, d.Viewport())
	if d.frame.hidden() {
		for i := range v.Boxes {
			v.Boxes[i].Rendered = false
		}
	}
	d.view = v
	if v.Runs {
		d.startRuns(d.before, v)
		d.before = nil
	}
	return v
}

// Medium is what media queries of the document ask about.
func (d *document) Medium() css.Medium {
	return css.Medium{Size: d.Viewport(), Dark: d.frame.page.ColorScheme == driver.DarkScheme}
}

// Viewport is the size of the frame that shows the document.
func (d *document) Viewport() driver.Size {
	f := d.frame
	if f.parent == nil {
		return f.page.Viewport
	}
	pv := f.parent.doc.render()
	if b := pv.Find(f.owner); b != nil && b.Rendered {
		w := 2 * b.Style.Border
		return driver.Size{Width: max(0, b.Rect.Width-w), Height: max(0, b.Rect.Height-w)}
	}
	return driver.Size{}
}

// startRuns compares a new view with the one before: an element with a
// transition whose style has changed begins one; an animation begins when it
// is first seen.
func (d *document) startRuns(old, v *layout.View) {
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
		if before == nil || before.Style == nil || before.Style == s || before.Style.Same(s) {
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

// hidden reports that the frame's element, or one above, is not displayed.
func (f *frame) hidden() bool {
	for ; f.parent != nil; f = f.parent {
		if b := f.parent.doc.render().Find(f.owner); b == nil || !b.Rendered {
			return true
		}
	}
	return false
}
