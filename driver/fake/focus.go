package fake

import (
	"cmp"
	"slices"
	"strconv"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// focusing moves the focus.
type focusing struct{ scrolling }

// tabIndex is the number that the tab order goes by; ok is false for elements
// that take no focus at all.
func (d *focusing) tabIndex(n *html.Node) (i int, ok bool) {
	if n.Type != html.ElementNode {
		return 0, false
	}
	if v, has := dom.Lookup(n, "tabindex"); has {
		if i, err := strconv.Atoi(dom.Trim(v)); err == nil {
			if dom.IsElement(n, "input", "button", "select", "textarea") && d.Disabled(n) {
				return 0, false
			}
			return i, true
		}
	}
	switch {
	case isLink(n):
		return 0, true
	case dom.IsElement(n, "input"):
		return 0, !d.Disabled(n) && form.InputType(n) != "hidden"
	case dom.IsElement(n, "button", "select", "textarea"):
		return 0, !d.Disabled(n)
	case dom.IsElement(n, "iframe"):
		return 0, true
	case dom.IsElement(n, "summary"):
		return 0, opensDetails(n)
	case dom.IsElement(n, "audio", "video"):
		return 0, dom.Has(n, "controls")
	case dom.IsElement(n, "dialog"):
		return -1, dom.Has(n, "open")
	}
	if v, has := dom.Lookup(n, "contenteditable"); has && n.Namespace == "" && dom.Lower(v) != "false" {
		return 0, true
	}
	// Chrome lets the keyboard reach what can be scrolled and holds nothing that takes the focus.
	return 0, false
}

// focusable reports that n takes the focus now.
func (d *focusing) focusable(n *html.Node) bool {
	if _, ok := d.tabIndex(n); !ok {
		return false
	}
	b := d.render().Find(n)
	if dom.IsElement(n, "area") {
		b = d.render().Find(d.standIn(n))
	}
	if b == nil || b.Style == nil || b.Skipped || b.Style.Visibility != "visible" || !b.Rendered {
		return false
	}
	return !d.inertNode(n)
}

// mouseFocusable is focusable for a press.
func (d *focusing) mouseFocusable(n *html.Node) bool {
	return n.Type == html.ElementNode && d.focusable(n)
}

// focus moves the focus and fires the events of the elements.
func (d *focusing) focus(n *html.Node, keyboard bool) {
	p := d.frame.page
	if !d.focusable(n) {
		return
	}
	if f := p.frameOf(d.self, n); f != nil {
		p.setFocused(f)
		return
	}
	old := p.focusedDocument()
	if old != d.self && old.active != nil {
		old.blurActive()
	}
	if d.active == n {
		p.setFocused(d.frame)
		d.byKeyboard = keyboard
		return
	}
	d.blurActive()
	if !d.Connected(n) {
		return
	}
	d.active, d.byKeyboard = n, keyboard
	p.setFocused(d.frame)
	d.Touched(n)
	d.fire("focus", n)
	d.fire("focusin", n)
}

// blurActive takes the focus off the document's element.
func (d *focusing) blurActive() {
	n := d.active
	if n == nil {
		return
	}
	d.commitEdit(n)
	if d.active != n {
		return
	}
	d.active = nil
	d.Touched(n)
	d.fire("blur", n)
	d.fire("focusout", n)
}

// commitEdit fires change for a text that was edited.
func (d *focusing) commitEdit(n *html.Node) {
	if c := d.Inputs[n]; c != nil && c.Edited {
		c.Edited = false
		d.fire("change", n)
	}
}

// autofocus focuses the first element that asks for it.
func (d *focusing) autofocus() {
	if d.frame.parent != nil {
		return
	}
	closed := func(n *html.Node) bool { return dom.IsElement(n, "dialog") && !dom.Has(n, "open") }
	n := dom.Find(d.Root, func(n *html.Node) bool {
		return dom.Has(n, "autofocus") && dom.Closest(n.Parent, closed) == nil && d.focusable(n)
	})
	if n != nil {
		d.focus(n, true)
	}
}

// A stop is an element in the tab order of a page.
type stop struct {
	hit
	index int
}

// tabStops lists what Tab visits in one document, those of its frames where
// their elements stand.
func (d *focusing) tabStops() []stop {
	v := d.render()
	var ahead, flow []stop
	seen := make(map[*html.Node]bool) // radio groups
	for i := range v.Boxes {
		b := &v.Boxes[i]
		if b.Kind != driver.ElementNode {
			continue
		}
		index, ok := d.tabIndex(b.Node)
		if !ok || index < 0 || !d.focusable(b.Node) {
			continue
		}
		if dom.IsElement(b.Node, "input") && form.InputType(b.Node) == "radio" {
			group := d.Group(b.Node).Buttons
			if seen[group[0]] || len(group) > 1 && d.tabRadio(group) != b.Node {
				continue
			}
			seen[group[0]] = true
		}
		stops := []stop{{hit{d.self, b.Node}, index}}
		if f := d.frame.page.frameOf(d.self, b.Node); f != nil {
			stops = f.doc.tabStops()
			for k := range stops {
				stops[k].index = index
			}
		}
		if index > 0 {
			ahead = append(ahead, stops...)
		} else {
			flow = append(flow, stops...)
		}
	}
	slices.SortStableFunc(ahead, func(a, b stop) int { return a.index - b.index })
	return append(ahead, flow...)
}

// besides is the stop next to what has the focus and is none itself, as its tabindex is
// negative: the nearest one behind or before it in the document, -1 if there is none.
func (d *focusing) besides(stops []stop, back bool) int {
	v := d.render()
	here, nearest, distance := v.Index(d.active), -1, int32(0)
	for i, s := range stops {
		away := v.Index(s.n) - here
		if back {
			away = -away
		}
		if s.d == d.self && away > 0 && (nearest < 0 || away < distance) {
			nearest, distance = i, away
		}
	}
	return nearest
}

// tabRadio is the button of a group that Tab visits: the checked one, else the first.
func (d *focusing) tabRadio(group []*html.Node) *html.Node {
	for _, fits := range []func(*html.Node) bool{d.Checked, d.focusable} {
		if i := slices.IndexFunc(group, fits); i >= 0 {
			return group[i]
		}
	}
	return group[0]
}

// selectTabbed selects all of a one-line field that Tab has come to.
func (d *focusing) selectTabbed(n *html.Node) {
	if d.active != n || !dom.IsElement(n, "input") || !form.Editable(n) {
		return
	}
	c := d.Control(n)
	c.Start, c.Stop = 0, len([]rune(d.Value(n)))
}

func (d *focusing) sameGroup(a, b *html.Node) bool {
	return dom.IsElement(a, "input") && form.InputType(a) == "radio" && slices.Contains(d.Group(a).Buttons, b)
}

func isLink(n *html.Node) bool {
	if n.Namespace == "svg" && n.Data == "a" {
		return dom.Has(n, "href")
	}
	return dom.IsElement(n, "a", "area") && dom.Has(n, "href")
}

// focusWithin gives the focus to what a dialog that opens holds first.
func (d *focusing) focusWithin(n *html.Node) {
	inside := func(c *html.Node) bool { return c != n && d.focusable(c) }
	d.focus(cmp.Or(
		dom.Find(n, func(c *html.Node) bool { return dom.Has(c, "autofocus") && inside(c) }),
		dom.Find(n, inside),
		n,
	), true)
}
