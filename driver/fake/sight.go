package fake

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// sight is what a person sees of an element, and what shows it instead of itself.
type sight struct {
	rendering
	known map[*html.Node]*html.Node // what stood for a select when it was looked at before
}

// faceOfList is the box that a component shows in place of a select that nobody sees:
// one close around, or right beside, that says what the select has chosen, and holds no
// other select, and no field or link that can be seen. It stays the one, whatever it says later.
func (d *sight) faceOfList(n *html.Node) *html.Node {
	v := d.render()
	if !dom.IsElement(n, "select") || form.Listbox(n) || v.Pointable(n) && v.Opaque(n) {
		return nil
	}
	if known := d.known[n]; known != nil && d.Connected(known) && d.seenThere(known) {
		return known
	}
	d.known[n] = d.findFace(n)
	return d.known[n]
}

// findFace looks for the box that says what a select has chosen.
func (d *sight) findFace(n *html.Node) *html.Node {
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

// seenThere reports that a person sees something at an element.
func (d *sight) seenThere(n *html.Node) bool {
	v := d.render()
	b := v.Find(n)
	return b != nil && b.Rendered && b.Style.Visibility == "visible" && b.Rect.Width > 1 && b.Rect.Height > 1 && v.Opaque(n)
}

// seenText is the text in a box that a person sees, but for that of one element in it.
func (d *sight) seenText(box, but *html.Node) string {
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
func (d *sight) holdsField(box, but *html.Node) bool {
	for c := range box.Descendants() {
		field := dom.IsElement(c, "input", "select", "textarea") || dom.IsElement(c, "a") && dom.Has(c, "href")
		if c != but && field && (dom.IsElement(c, "select") || d.seenThere(c)) {
			return true
		}
	}
	return false
}

// shown is what a person sees in place of a select.
func (d *sight) shown(n *html.Node) string {
	if face := d.faceOfList(n); face != nil {
		return d.seenText(face, n)
	}
	return ""
}

// standIn is what to point at first for an element.
func (d *sight) standIn(n *html.Node) *html.Node { return d.standIns(n)[0] }

// hostFor is the host of a shadow tree for the only control in and below it, if that
// lets the pointer through: seen from outside, an event in the tree is one at the host.
func (d *sight) hostFor(n *html.Node) *html.Node {
	tree := d.Roots[dom.TopOf(n)]
	b := d.render().Find(n)
	if tree == nil || b == nil || b.Style == nil || b.Style.PointerEvents != "none" || !d.render().Pointable(tree.Host) {
		return nil
	}
	for _, top := range []*html.Node{tree.Root, tree.Host} {
		for c := range top.Descendants() {
			if c != n && isControl(c) {
				return nil
			}
		}
	}
	return tree.Host
}

// standIns are the elements to point at for one, the best first: itself, unless
// nobody can point at it; then, for a control that nobody sees, its labels, the box
// that is drawn in its place, or the host of its shadow tree. For an area it is the
// picture.
func (d *sight) standIns(n *html.Node) []*html.Node {
	v := d.render()
	if dom.IsElement(n, "area") {
		if picture := d.pictureOf(n); picture != nil {
			return []*html.Node{picture}
		}
	}
	can := v.Pointable(n)
	if !form.Labelable(n) || can && v.Opaque(n) {
		return []*html.Node{n}
	}
	var list []*html.Node
	if can {
		list = append(list, n)
	}
	if face := d.faceOfList(n); face != nil {
		list = append(list, face) // a press on a label would not open it
	}
	labels := 0
	for i := range v.Boxes {
		if b := &v.Boxes[i]; b.Rendered && b.Style.Visibility == "visible" && dom.IsElement(b.Node, "label") && d.Labeled(b.Node) == n {
			list = append(list, b.Node)
			labels++
		}
	}
	if box := cmp.Or(d.face(n), d.hostFor(n)); labels == 0 && box != nil {
		list = append(list, box)
	}
	if !can {
		list = append(list, n)
	}
	return list
}

// face is the box that a component draws in place of a hidden checkbox or radio
// button: one close around that shows something, says nothing and holds no other
// control. A cell or a row is none, which may have a purpose of its own.
func (d *sight) face(n *html.Node) *html.Node {
	if kind := form.InputType(n); !dom.IsElement(n, "input") || kind != "checkbox" && kind != "radio" {
		return nil
	}
	v := d.render()
	if v.Pointable(n) && v.Opaque(n) {
		return nil
	}
	const levels = 3 // an input in a wrapper that hides it, in one that places it, in the box
	at := n.Parent
	for range levels {
		if at == nil || at.Type != html.ElementNode || dom.IsElement(at, "body") || strings.TrimSpace(dom.TextOf(at)) != "" {
			return nil
		}
		drawn := false
		for c := range at.Descendants() {
			if c != n && c.Type == html.ElementNode && isControl(c) {
				return nil
			}
			drawn = drawn || c != n && v.Draws(c)
		}
		if b := v.Find(at); b == nil || b.Style == nil || strings.HasPrefix(b.Style.Display, "table-") {
			return nil
		}
		if (drawn || v.Draws(at)) && v.Pointable(at) && v.Opaque(at) {
			return at
		}
		at = at.Parent
	}
	return nil
}

// pictureOf is the picture that an area is a part of; nil if there is none.
func (d *sight) pictureOf(area *html.Node) *html.Node {
	m := dom.Above(area, "map")
	if m == nil || dom.Attr(m, "name") == "" {
		return nil
	}
	return dom.Find(dom.TopOf(area), func(n *html.Node) bool {
		return dom.IsElement(n, "img") && dom.Attr(n, "usemap") == "#"+dom.Attr(m, "name")
	})
}

// reaches reports whether a press on h is one on n: it is n, something within it,
// or its label. 0 is no, 1 by way of a control within that says nothing else, 2 is yes.
func (d *sight) reaches(n *html.Node, h hit) int {
	if n.Type == html.TextNode {
		n = d.Up(n) // the element that it stands in takes the press
	}
	for h.n != nil && h.d != d.self && h.d.frame.parent != nil {
		h = hit{h.d.frame.parent.doc, h.d.frame.owner}
	}
	if h.n == nil || h.d != d.self {
		return 0
	}
	v := d.render()
	way := 2
	for i := v.Index(h.n); i > 0; i = v.Boxes[i].Parent {
		c := v.Boxes[i].Node
		switch {
		case c == n:
			return way
		case dom.IsElement(c, "label") && d.Labeled(c) == n:
			return 2
		case dom.IsElement(c, "select") && dom.IsElement(n, "option", "optgroup") && dom.Within(n, c):
			return 2
		case !isControl(c) || dom.IsElement(n, "select"):
		case isControl(n) && !strings.Contains(saying(n), saying(c)):
			return 0
		default:
			way = 1
		}
	}
	for _, box := range []*html.Node{d.face(n), d.faceOfList(n), d.hostFor(n)} {
		if box != nil && dom.Within(h.n, box) {
			return 2
		}
	}
	return 0
}

// label is what labels an element by an attribute or by its labels.
func (d *sight) label(n *html.Node) string {
	if label := dom.Attr(n, "aria-label"); label != "" {
		return label
	}
	var words []string
	for _, id := range strings.Fields(dom.Attr(n, "aria-labelledby")) {
		if by := dom.ByID(n, id); by != nil {
			words = append(words, dom.TextOf(by))
		}
	}
	if len(words) == 0 && form.Labelable(n) {
		d.Each(func(l *html.Node) {
			if dom.IsElement(l, "label") && d.Labeled(l) == n {
				words = append(words, dom.TextWithout(l, n))
			}
		})
	}
	return strings.Join(words, " ")
}

// visibleLabel is what a person reads on an element, as far as Locate reports it.
func (d *sight) visibleLabel(n *html.Node) string {
	text := d.label(n)
	switch field := dom.IsElement(n, "textarea", "select") || dom.IsElement(n, "input") && !form.Submits(n) && !form.Resets(n) || d.EditingHost(n) == n; {
	case text != "":
	case field:
		text = cmp.Or(dom.Attr(n, "placeholder"), dom.Attr(n, "title"))
	default:
		text = cmp.Or(dom.TextOf(n), dom.Attr(n, "value"))
	}
	text = dom.Collapse(text)
	if len(text) <= driver.MaxLabel {
		return text
	}
	units := utf16.Encode([]rune(text))
	return string(utf16.Decode(units[:min(len(units), driver.MaxLabel)]))
}

// ariaDisabled reports that an element, or one around it, says that it is disabled.
func (d *sight) ariaDisabled(n *html.Node) bool {
	for ; n != nil; n = d.Up(n) {
		if n.Type != html.ElementNode {
			continue
		}
		if disabled := dom.Attr(n, "aria-disabled"); disabled != "" {
			return disabled == "true"
		}
	}
	return false
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

// controlRoles are those of elements that do something when they are pressed.
var controlRoles = []string{"button", "checkbox", "combobox", "gridcell", "link", "menuitem", "menuitemcheckbox",
	"menuitemradio", "option", "radio", "slider", "switch", "tab", "treeitem"}

// isControl reports an element that does something when it is pressed.
func isControl(n *html.Node) bool {
	return dom.IsElement(n, "a") && dom.Has(n, "href") || dom.IsElement(n, "button", "input", "select", "textarea", "summary", "label") ||
		n.Type == html.ElementNode && slices.Contains(controlRoles, dom.Attr(n, "role"))
}

// saying is what a person reads on an element: its label, else its texts, with what
// buttons and pictures say by an attribute.
func saying(n *html.Node) string {
	if label := dom.Attr(n, "aria-label"); label != "" {
		return dom.Collapse(label)
	}
	var words strings.Builder
	for at := n; at != nil; at = dom.Next(at, n) {
		switch {
		case at.Type == html.TextNode:
			words.WriteString(at.Data)
		case dom.IsElement(at, "img"):
			words.WriteString(" " + dom.Attr(at, "alt") + " ")
		case dom.IsElement(at, "input"):
			switch form.InputType(at) {
			case "submit", "reset", "button":
				words.WriteString(" " + dom.Attr(at, "value") + " ")
			case "image":
				words.WriteString(" " + dom.Attr(at, "alt") + " ")
			}
		}
	}
	return dom.Collapse(words.String())
}
