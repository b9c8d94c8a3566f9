package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// What a page renders and nobody can see is not in an outline: text of a pixel's
// height, what is scaled to nothing, and the content of a box without an area that
// cuts off what overflows it. Text that is there for screen readers alone, in a box
// of one pixel, is none of these: it stays.

// readable is the height of the smallest text that counts, in pixels.
const readable = 3

// maxUnseen bounds how many nodes below an element without an area are looked at.
const maxUnseen = 256

// unseen reports whether nobody can see anything of an element.
func unseen(d *driver.Document, at int32) bool {
	n := &d.Nodes[at]
	if !n.Rendered || n.Box.Width > 0 && n.Box.Height >= readable || !measured(d, at) {
		return false
	}
	if cutsOff(n) {
		return true
	}
	text := false
	for i := at + 1; int(i) < len(d.Nodes) && d.Nodes[i].Parent >= at; i++ {
		c := &d.Nodes[i]
		if c.Box.Width > 0 && c.Box.Height >= readable || i-at > maxUnseen {
			return false
		}
		text = text || c.Kind == driver.TextNode && c.Style != nil && tidy(c.Text) != ""
	}
	return text
}

// cutsOff reports whether an element cuts off all that it contains.
func cutsOff(n *driver.Node) bool {
	if n.Rare == nil || n.Rare.Scroll == nil || !n.Rare.Scroll.Clipped {
		return false
	}
	view := n.Rare.Scroll.View
	return view.Height <= 0 && n.Rare.Scroll.MaxY > 0 || view.Width <= 0 && n.Rare.Scroll.MaxX > 0
}

// escapes reports whether an element within one that cuts off its content stands
// outside of it.
func escapes(n *driver.Node, cutter *driver.Node) bool {
	if n.Style == nil {
		return false
	}
	static := cutter.Style == nil || cutter.Style.Position == "" || cutter.Style.Position == "static"
	return n.Style.Position == "fixed" || n.Style.Position == "absolute" && static
}

// unreadable reports whether a text is too small for anybody to read.
func unreadable(d *driver.Document, at int32) bool {
	n := &d.Nodes[at]
	return n.Kind == driver.TextNode && n.Style != nil && n.Box.Height < readable && measured(d, at)
}

// measured reports whether a node has been laid out, in a document that has boxes at
// all: what is far from the window may wait for that (content-visibility: auto).
func measured(d *driver.Document, at int32) bool {
	if d.Nodes[0].Box.Width <= 0 && d.Nodes[0].Box.Height <= 0 {
		return false
	}
	for n := 0; at >= 0 && n < maxUnseen; n++ {
		if s := d.Nodes[at].Style; s != nil && s.ContentVisibility == "auto" {
			return false
		}
		if up := d.Nodes[at].Parent; up < at {
			at = up
		} else {
			break
		}
	}
	return true
}
