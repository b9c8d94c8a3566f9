package fake

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// faceOfList is the box that a component shows in place of a select that nobody sees:
// one close around, or right beside, that says what the select has chosen, and holds no
// other select, and no field or link that can be seen. It stays the one, whatever it says later.
func (d *document) faceOfList(n *html.Node) *html.Node {
	v := d.render()
	if !dom.IsElement(n, "select") || form.Listbox(n) || v.Pointable(n) && v.Opaque(n) {
		return nil
	}
	if known := d.faces[n]; known != nil && d.Connected(known) && d.seenThere(known) {
		return known
	}
	face := d.findFace(n)
	if face != nil {
		if d.faces == nil {
			d.faces = map[*html.Node]*html.Node{}
		}
		d.faces[n] = face
	}
	return face
}

// findFace looks for the box that says what a select has chosen.
func (d *document) findFace(n *html.Node) *html.Node {
	chosen := ""
	for _, o := range d.Chosen(n) {
		chosen = form.OptionLabel(o)
	}
	if chosen == "" {
		return nil
	}
	const levels = 3 // a select in a wrapper that hides it, in one that places it, in the box
	at := n
	for range levels {
		if at == nil || at.Type != html.ElementNode || dom.IsElement(at, "body") {
			return nil
		}
		for _, box := range []*html.Node{at, sibling(at, true), sibling(at, false)} {
			if box != nil && box != n && d.seenThere(box) && d.seenText(box, n) == chosen && !d.holdsField(box, n) {
				return box
			}
		}
		at = at.Parent
	}
	return nil
}

// sibling is the element right behind, or right before, another.
func sibling(n *html.Node, behind bool) *html.Node {
	for {
		if behind {
			n = n.NextSibling
		} else {
			n = n.PrevSibling
		}
		if n == nil || n.Type == html.ElementNode {
			return n
		}
	}
}

// seenThere reports that a person sees something at an element.
func (d *document) seenThere(n *html.Node) bool {
	v := d.render()
	b := v.Find(n)
	return b != nil && b.Rendered && b.Style.Visibility == "visible" && b.Rect.Width > 1 && b.Rect.Height > 1 && v.Opaque(n)
}

// seenText is the text in a box that a person sees, but for that of one element in it.
func (d *document) seenText(box, but *html.Node) string {
	var words []string
	for c := range box.Descendants() {
		if c.Type == html.TextNode && !dom.Within(c, but) && strings.TrimSpace(c.Data) != "" && d.seenThere(c.Parent) {
			words = append(words, strings.Fields(c.Data)...)
		}
	}
	return strings.Join(words, " ")
}

// holdsField reports that a box holds another select, or a field or link that a person
// sees.
func (d *document) holdsField(box, but *html.Node) bool {
	for c := range box.Descendants() {
		field := dom.IsElement(c, "input", "select", "textarea") || dom.IsElement(c, "a") && dom.Has(c, "href")
		if c != but && field && (dom.IsElement(c, "select") || d.seenThere(c)) {
			return true
		}
	}
	return false
}

// shown is what a person sees in place of a select.
func (d *document) shown(n *html.Node) string {
	if face := d.faceOfList(n); face != nil {
		return d.seenText(face, n)
	}
	return ""
}
