package fake

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
)

// rendering is how a document looks: its view, computed when it is asked for, and
// what moves in it.
type rendering struct {
	markup
	dirty       bool // a script changed the tree
	view        *layout.View
	before      *layout.View // the last one, where transitions want to know it
	transitions map[*html.Node]run
	animations  map[*html.Node]run
	appearance  appearance
}

// render returns the view of the document as it is now.
func (d *rendering) render() *layout.View {
	if d.view != nil {
		return d.view
	}
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
func (d *rendering) Medium() css.Medium {
	return css.Medium{Size: d.Viewport(), Dark: d.frame.page.ColorScheme == driver.DarkScheme}
}

// Viewport is the size of the frame that shows the document.
func (d *rendering) Viewport() driver.Size {
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
func (d *rendering) startRuns(old, v *layout.View) {
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
			d.transitions[b.Node] = run{now.Add(wait), moves}
		}
	}
}

// animate notes an animation that begins now, unless it was seen before.
func (d *rendering) animate(n *html.Node, value string, now time.Time) {
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
		d.animations[n] = r
	}
}

// animationMoves reports that the keyframes which the value names move their element.
func (d *rendering) animationMoves(n *html.Node, value string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' }), func(word string) bool {
		body := d.Keyframes(n, word)
		return slices.ContainsFunc(movingProperties, func(p string) bool { return strings.Contains(body, p) })
	})
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
func (d *rendering) inTransition() bool {
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
func (d *rendering) moving(n *html.Node) bool {
	now := time.Now()
	for _, runs := range []map[*html.Node]run{d.transitions, d.animations} {
		if r, ok := runs[n]; ok && r.moves && r.until.After(now) {
			return true
		}
	}
	return false
}

// restyle has styles and layout computed anew.
func (d *rendering) restyle() {
	if d.view != nil && d.view.Runs {
		d.before = d.view
	}
	d.view = nil
}

// resheet has the style sheets read anew, too.
func (d *rendering) resheet() {
	d.restyle()
	d.Reread()
}

// Restructure is for a change of the tree.
func (d *rendering) Restructure() {
	d.resheet()
	d.based = nil
	d.frame.page.changed()
}

// Stamp is another number after every change of the page.
func (d *rendering) Stamp() uint64 { return d.frame.page.revision + 1 }

// Touched is for a change of live state. Only sheets that ask for such state
// need a new layout.
func (d *rendering) Touched(n *html.Node) {
	d.frame.page.changed()
	if d.view == nil {
		return
	}
	if d.UsesState() {
		d.restyle()
	}
}

// mutated is for every change that a script makes to the tree. added says that
// elements came in: such a change is never a habit.
func (d *rendering) mutated(n *html.Node, added bool) {
	d.dirty = true
	d.frame.page.mutation(n, added)
	d.Restructure()
	d.MirrorChoices()
}

// attributed is mutated, for one attribute. Boxes stay as they are if neither
// the browser nor a sheet of the page styles by it.
func (d *rendering) attributed(n *html.Node, name string) {
	if d.view == nil || d.StyledBy(name) {
		d.mutated(n, false)
		return
	}
	d.dirty = true
	d.frame.page.mutation(n, false)
	d.frame.page.changed()
	d.MirrorChoices()
}

// busy reports a visible mark of work under way.
func (d *rendering) busy() bool {
	v := d.render()
	if d.appearance.busyOf == v {
		return d.appearance.busy
	}
	d.appearance.busyOf, d.appearance.busy = v, slices.ContainsFunc(v.Boxes, func(b layout.Box) bool {
		return b.Kind == driver.ElementNode && b.Rendered && b.Style.Visibility == "visible" && marksBusy(b.Node) && !b.Rect.IsZero()
	})
	return d.appearance.busy
}

// blank reports that the document has scripts, and nothing that could be seen.
func (d *rendering) blank() bool {
	v := d.render()
	if d.appearance.blankOf != v {
		d.appearance.blankOf, d.appearance.blank = v, d.First("script") != nil && dom.IsElement(d.body(), "body") && !draws(v)
	}
	return d.appearance.blank
}

// inertNode is inert for an element, through its frames.
func (d *rendering) inertNode(n *html.Node) bool {
	for {
		v := d.render()
		if i := v.Index(n); i >= 0 && v.Inert(i, d.Modal()) {
			return true
		}
		f := d.frame
		if f.parent == nil {
			return false
		}
		d, n = &f.parent.doc.rendering, f.owner
	}
}

// Embedded reports that an object or embed element shows what its address names.
func (d *rendering) Embedded(n *html.Node) bool {
	switch d.embeds(n) {
	case "image":
		return !d.missing(dom.Trim(dom.Attr(n, addressOf[n.Data])))
	case "document":
		f := d.frame.page.frameOf(d.self, n)
		return f == nil || f.doc.status < 400
	}
	return false
}

// showsFrame reports an element that shows a document of its own.
func (d *rendering) showsFrame(n *html.Node) bool {
	return dom.IsElement(n, "iframe", "frame") || d.embeds(n) == "document"
}

// An appearance is what a view of a document shows at a glance. It is kept: a page that
// does not change is asked again and again.
type appearance struct {
	busyOf, blankOf *layout.View // for which the answers hold
	busy, blank     bool
}

// A run is a transition or an animation under way.
type run struct {
	until time.Time
	moves bool
}
