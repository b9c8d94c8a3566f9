package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func clickNode(t *trial, ref driver.NodeRef) {
	l := t.locate(ref, &driver.LocateOptions{Scroll: true})
	if !l.Visible || !l.InView || !l.Reached {
		t.fatalf("Locate of what is to be clicked = %+v, want it visible, in view and reached", *l)
	}
	t.clickAt(l.At)
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

// A view is a capture with ways to look things up in it.
type view struct {
	*driver.Capture
	t *trial
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
