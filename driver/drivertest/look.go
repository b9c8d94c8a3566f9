package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// input sends events.
func (t *trial) input(events ...driver.InputEvent) {
	t.ok("Input", t.page.Input(t.ctx, events...))
}

// clickAt clicks a point.
func (t *trial) clickAt(at driver.Point) {
	t.input(driver.MouseMove{At: at}, driver.MouseDown{At: at, Clicks: 1}, driver.MouseUp{At: at, Clicks: 1})
}

// click clicks the element at the end of a walk, which must be within reach.
func (t *trial) click(selectors ...string) { clickNode(t, t.find(selectors...)) }

// trigger clicks what has the events come that are looked at.
func (t *trial) trigger(selectors ...string) {
	t.events.mark()
	t.click(selectors...)
}

func clickNode(t *trial, ref driver.NodeRef) {
	l := t.locate(ref, &driver.LocateOptions{Scroll: true})
	if !l.Visible || !l.InView || !l.Reached {
		t.fatalf("Locate of what is to be clicked = %+v, want it visible, in view and reached", *l)
	}
	t.clickAt(l.At)
}

// focus focuses the element at the end of a walk.
func (t *trial) focus(selectors ...string) {
	t.ok("Focus "+strings.Join(selectors, " "), t.page.Focus(t.ctx, driver.Target{At: t.find(selectors...)}))
}

// press presses keys one after another: "Enter", "a", "Shift+Tab".
func (t *trial) press(keys ...string) {
	for _, k := range keys {
		t.input(chord(k)...)
	}
}

// chord returns the events of a key with its modifiers.
func chord(k string) []driver.InputEvent {
	var mods driver.Modifiers
	for {
		name, rest, ok := strings.Cut(k, "+")
		if !ok || name == "" {
			break
		}
		mods |= modifiers[name]
		k = rest
	}
	return []driver.InputEvent{
		driver.KeyDown{Key: k, Modifiers: mods},
		driver.KeyUp{Key: k, Modifiers: mods},
	}
}

var modifiers = map[string]driver.Modifiers{
	"Alt": driver.Alt, "Control": driver.Control, "Meta": driver.Meta, "Shift": driver.Shift,
}

// write types each character of s as a key.
func (t *trial) write(s string) {
	for _, r := range s {
		t.press(string(r))
	}
}

// setValue sets a control's value and returns what the driver says it is then.
func (t *trial) setValue(selector string, values ...string) []string {
	got, err := t.page.SetValue(t.ctx, driver.Target{At: t.find(selector)}, values...)
	t.ok("SetValue "+selector, err)
	return got
}

// scrollTo scrolls the element at a selector, or the page where it is empty.
func (t *trial) scrollTo(selector string, to driver.ScrollTarget) driver.ScrollState {
	ref := t.capture().Documents[0].Root()
	if selector != "" {
		ref = t.find(selector)
	}
	s, err := t.page.ScrollTo(t.ctx, ref, to)
	t.ok("ScrollTo "+selector, err)
	return s
}

// on is a behavior of the page at "/".
func on(event, selector string, actions ...Action) Behavior {
	return Behavior{Path: "/", Selector: selector, Event: event, Do: actions}
}

// onPage is a behavior of the page at a path.
func onPage(path, event, selector string, actions ...Action) Behavior {
	return Behavior{Path: path, Selector: selector, Event: event, Do: actions}
}

// logged are the behaviors that log events of an element of the page at "/"
// to its element #log.
func logged(selector string, events ...string) []Behavior {
	var bs []Behavior
	for _, e := range events {
		bs = append(bs, on(e, selector, Action{Kind: LogEvent, Target: "#log"}))
	}
	return bs
}

// css is a CSS selector.
func css(text string) driver.Selector { return driver.Selector{Kind: driver.CSS, Text: text} }

// xpath is an XPath.
func xpath(text string) driver.Selector { return driver.Selector{Kind: driver.XPath, Text: text} }

// findAll returns what a CSS selector matches within root.
func (t *trial) findAll(root driver.NodeRef, selector string) []driver.NodeRef {
	return t.findBy(root, css(selector))
}

// findBy is findAll with a selector of any kind.
func (t *trial) findBy(root driver.NodeRef, selector driver.Selector) []driver.NodeRef {
	refs, err := t.page.Find(t.ctx, root, selector)
	t.ok("Find "+selector.Text, err)
	return refs
}

// in returns the one element that a CSS selector matches within root.
func (t *trial) in(root driver.NodeRef, selector string) driver.NodeRef {
	refs := t.findAll(root, selector)
	if len(refs) != 1 {
		t.fatalf("Find(%s) gave %d elements, want 1", selector, len(refs))
	}
	return refs[0]
}

// find walks from the main document: each selector finds one element, within
// whose frame or shadow root the next is searched.
func (t *trial) find(selectors ...string) driver.NodeRef {
	var ref driver.NodeRef
	for _, s := range selectors {
		ref = t.in(ref, s)
	}
	return ref
}

// ids returns the id attributes of elements, in one string.
func (t *trial) ids(refs []driver.NodeRef) string {
	v := t.capture()
	var ids []string
	for _, ref := range refs {
		id, ok := v.node(ref).Attr("id")
		if !ok {
			id = v.node(ref).Name
		}
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

// state reads the state of the element at the end of a walk.
func (t *trial) state(selectors ...string) *driver.State {
	s, err := t.page.State(t.ctx, t.find(selectors...))
	t.ok("State "+strings.Join(selectors, " "), err)
	return s
}

// value reads a control's live value.
func (t *trial) value(selectors ...string) string { return t.state(selectors...).Value }

// location locates the element at the end of a walk without scrolling.
func (t *trial) location(selectors ...string) *driver.Location {
	return t.locate(t.find(selectors...), nil)
}

func (t *trial) locate(ref driver.NodeRef, opts *driver.LocateOptions) *driver.Location {
	l, err := t.page.Locate(t.ctx, ref, opts)
	t.ok("Locate", err)
	return l
}

// hit returns the id of the element at a point of the main frame; empty if
// there is none.
func (t *trial) hit(x, y float64) string {
	ref := t.hitTest(driver.Point{X: x, Y: y})
	if ref.IsZero() {
		return ""
	}
	return t.ids([]driver.NodeRef{ref})
}

func (t *trial) hitTest(at driver.Point) driver.NodeRef {
	ref, err := t.page.HitTest(t.ctx, at)
	t.ok("HitTest", err)
	return ref
}

// revision reads the revision.
func (t *trial) revision() driver.Revision {
	r, err := t.page.Revision(t.ctx)
	t.ok("Revision", err)
	return r
}

// A view is a capture with ways to look things up in it.
type view struct {
	*driver.Capture
	t *trial
}

func (t *trial) capture() view {
	c, err := t.page.Capture(t.ctx)
	t.ok("Capture", err)
	if len(c.Documents) == 0 || len(c.Documents[0].Nodes) == 0 {
		t.fatalf("Capture holds no document")
	}
	return view{c, t}
}

// look returns the document and the index of a node.
func (v view) look(ref driver.NodeRef) (*driver.Document, int32) {
	for i := range v.Documents {
		d := &v.Documents[i]
		if d.Frame != ref.Frame || d.Doc != ref.Doc {
			continue
		}
		for j := range d.Nodes {
			if d.Nodes[j].ID == ref.Node {
				return d, int32(j)
			}
		}
	}
	v.t.fatalf("the capture does not hold the node %+v", ref)
	return nil, 0
}

// node returns a node.
func (v view) node(ref driver.NodeRef) *driver.Node {
	d, i := v.look(ref)
	return &d.Nodes[i]
}

// at returns the element at the end of a walk.
func (v view) at(selectors ...string) *driver.Node { return v.node(v.t.find(selectors...)) }

// has tells whether the capture holds a node.
func (v view) has(ref driver.NodeRef) bool {
	for i := range v.Documents {
		d := &v.Documents[i]
		for j := range d.Nodes {
			if d.Ref(int32(j)) == ref {
				return true
			}
		}
	}
	return false
}

// rare returns what few nodes have; never nil.
func rare(n *driver.Node) driver.Rare {
	if n.Rare == nil {
		return driver.Rare{}
	}
	return *n.Rare
}

// document returns the document of the frame whose owner is at the end of a walk.
func (v view) document(selectors ...string) *driver.Document {
	owner := v.t.find(selectors...)
	for i := range v.Documents {
		d := &v.Documents[i]
		if d.OwnerDocument >= 0 && v.Documents[d.OwnerDocument].Ref(d.Owner) == owner {
			return d
		}
	}
	v.t.fatalf("the capture holds no document of the frame at %q", selectors)
	return nil
}

// byID returns the index of the element with an id, -1 if there is none.
func byID(d *driver.Document, id string) int32 {
	for i := range d.Nodes {
		if got, ok := d.Nodes[i].Attr("id"); ok && got == id {
			return int32(i)
		}
	}
	return -1
}

// element returns the element of the main document with an id, in whatever
// tree it stands.
func (v view) element(id string) *driver.Node {
	i := byID(&v.Documents[0], id)
	if i < 0 {
		v.t.fatalf("the capture holds no element with the id %s", id)
	}
	return &v.Documents[0].Nodes[i]
}

// firstText returns the first text node below the element with an id.
func (v view) firstText(id string) *driver.Node {
	d := &v.Documents[0]
	i := byID(d, id)
	for j := i + 1; i >= 0 && int(j) < len(d.Nodes) && below(d, j, i); j++ {
		if d.Nodes[j].Kind == driver.TextNode {
			return &d.Nodes[j]
		}
	}
	v.t.fatalf("the capture holds no text below #%s", id)
	return nil
}

// text returns the data of all text nodes below a node.
func text(d *driver.Document, i int32) string {
	var b strings.Builder
	for j := i; i >= 0 && int(j) < len(d.Nodes) && (j == i || below(d, j, i)); j++ { // a node that is missing has no text
		if d.Nodes[j].Kind == driver.TextNode {
			b.WriteString(d.Nodes[j].Text)
		}
	}
	return b.String()
}

// below tells whether node j is a descendant of node i.
func below(d *driver.Document, j, i int32) bool {
	for j = d.Nodes[j].Parent; j >= 0; j = d.Nodes[j].Parent {
		if j == i {
			return true
		}
	}
	return false
}

// text returns the text of the element at the end of a walk.
func (t *trial) text(selectors ...string) string {
	ref := t.find(selectors...)
	return text(t.capture().look(ref))
}

// children returns the children of a node, by index.
func children(d *driver.Document, i int32) []int32 {
	var found []int32
	for j := range d.Nodes {
		if d.Nodes[j].Parent == i {
			found = append(found, int32(j))
		}
	}
	return found
}
