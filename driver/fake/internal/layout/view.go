// Package layout gives the elements of a document boxes: where they are, what
// clips and covers them, and what a point hits.
package layout

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// A Scene is what a view is computed from.
type Scene struct {
	css.Sheets
	Pictures Pictures
	Scroll   driver.ScrollTarget // of the page: X and Y alone
	Scrolls  map[*html.Node]driver.ScrollTarget
	TopLayer []*html.Node
}

// Pictures knows which pictures can be had.
type Pictures interface {
	Broken(*html.Node) bool
	// Embedded reports that an object or embed element shows what its address
	// names, not what stands within it.
	Embedded(*html.Node) bool
}

// A View is a document's flat tree with styles and boxes, in preorder. It is
// computed when it is asked for and thrown away by the next change.
type View struct {
	scene   *Scene
	Boxes   []Box
	at      []int32 // index by node number less one; -1 for what is not in the flat tree
	Size    driver.Size
	Content driver.Size
	order   []int32            // paint order of the elements, lowest first; computed for hit-tests
	Runs    bool               // a style has an animation or a transition
	items   map[*html.Node]int // the last number given in each list
	quotes  int                // how many are open
	counts  []counter
}

// A Box is one node of the flat tree.
type Box struct {
	Node     *html.Node    // of a pseudo-element: its element
	ID       driver.NodeID // of node; 0 for a pseudo-element
	Style    *css.Style    // nil where there is none
	Text     string        // of a pseudo-element
	Frags    []driver.Rect
	Rect     driver.Rect
	Area     driver.Size // of a scroll container: its content
	Parent   int32
	end      int32 // index after the subtree
	Host     int32
	Clip     int32 // nearest ancestor that clips this box; -1
	Kind     driver.NodeKind
	Shadow   driver.ShadowKind
	Pseudo   string
	Rendered bool
	Skipped  bool // below closed details and the like: styled, and never laid out
	Fixed    bool // scrolls with nothing
}

// Find returns the box of a node; nil if it is not in the flat tree.
func (v *View) Find(n *html.Node) *Box {
	if i := v.Index(n); i >= 0 {
		return &v.Boxes[i]
	}
	return nil
}

func (v *View) Index(n *html.Node) int32 {
	id, ok := v.scene.NumberOf(n)
	if !ok || int(id) > len(v.at) {
		return -1
	}
	return v.at[id-1]
}

// build walks the flat tree. It keeps a stack of its own: trees are as deep as they like.
func (v *View) build() {
	d := v.scene
	st := css.NewStyler(&d.Sheets)
	v.at = make([]int32, len(d.Nodes), len(d.Nodes)+8)
	for i := range v.at {
		v.at[i] = -1
	}
	v.Boxes = make([]Box, 0, len(d.Nodes)+8)
	v.push(Box{Node: d.Root, Parent: -1, Host: -1, Kind: driver.DocumentNode, Style: css.RootStyle})
	slots := d.AssignSlots()
	type level struct {
		box   int32
		nodes []*html.Node // the children, where they are not the node's own
		next  *html.Node
		i     int
	}
	stack := []level{{box: 0, next: d.Root.FirstChild}}
	for len(stack) > 0 {
		at := &stack[len(stack)-1]
		var n *html.Node
		if at.nodes != nil {
			if at.i < len(at.nodes) {
				n = at.nodes[at.i]
				at.i++
			}
		} else if n = at.next; n != nil {
			at.next = n.NextSibling
		}
		if n == nil {
			v.closeBox(st, at.box)
			stack = stack[:len(stack)-1]
			continue
		}
		i, open := v.open(st, at.box, n)
		if !open {
			continue
		}
		child := level{box: i}
		switch {
		case d.Shadows[n] != nil:
			child.next = d.Shadows[n].Root.FirstChild
		case n.Data == "slot" && slots[n] != nil:
			child.nodes = slots[n]
		default:
			child.next = n.FirstChild
		}
		stack = append(stack, child)
	}
	v.Boxes[0].end = int32(len(v.Boxes))
}

func (v *View) push(b Box) int32 {
	i := int32(len(v.Boxes))
	b.end, b.Clip = i+1, -1
	v.Boxes = append(v.Boxes, b)
	if b.Pseudo == "" {
		id := v.scene.Number(b.Node)
		for len(v.at) < int(id) {
			v.at = append(v.at, -1)
		}
		v.at[id-1], v.Boxes[i].ID = i, id
	}
	return i
}

// open adds a node below parent. open is false where nothing below it counts.
func (v *View) open(st *css.Styler, parent int32, n *html.Node) (i int32, open bool) {
	p := &v.Boxes[parent]
	b := Box{Node: n, Parent: parent, Host: -1}
	if len(v.scene.Shadows) > 0 {
		if s := v.scene.Roots[dom.TopOf(n)]; s != nil {
			b.Host, b.Shadow = v.Index(s.Host), s.Kind
		}
	}
	switch n.Type {
	case html.TextNode:
		b.Kind = driver.TextNode
		b.Style, b.Skipped = p.Style, p.Skipped || v.hidesText(p) || p.Style != nil && v.skips(p, n)
		return v.push(b), false
	case html.DoctypeNode:
		b.Kind = driver.DoctypeNode
		return v.push(b), false
	case html.ElementNode:
	default:
		return 0, false
	}
	b.Kind = driver.ElementNode
	if p.Style != nil {
		b.Style = st.Style(n, p.Style)
		if b.Style.Display == "none" {
			b.Style = nil
		}
		b.Skipped = p.Skipped || v.skips(p, n)
		v.Runs = v.Runs || b.Style != nil && (b.Style.Transition != "" || b.Style.Animation != "")
	}
	i = v.push(b)
	if b.Style != nil {
		v.count(parent, b.Style)
		v.marker(i)
		v.generate(st, i, "::before")
	}
	return i, n.Data != "template" && n.Data != "iframe" && n.Data != "frame" || n.Namespace != ""
}

func (v *View) closeBox(st *css.Styler, i int32) {
	if b := &v.Boxes[i]; b.Kind == driver.ElementNode && b.Style != nil {
		v.generate(st, i, "::after")
	}
	v.uncount(i)
	v.Boxes[i].end = int32(len(v.Boxes))
}

// generate adds a pseudo-element that the style sheets ask for.
func (v *View) generate(st *css.Styler, i int32, pseudo string) {
	b := &v.Boxes[i]
	if !dom.IsElement(b.Node, "q") && !v.scene.Generates(b.Node) {
		return
	}
	s := st.Generated(b.Node, pseudo, b.Style)
	if s == nil {
		return
	}
	v.count(i, s)
	text, ok := css.ContentText(s.Content, &v.quotes, func(name string) string { return dom.Attr(b.Node, name) }, v.counted)
	if !ok {
		return
	}
	v.push(Box{Node: b.Node, Parent: i, Host: b.Host, Shadow: b.Shadow, Kind: driver.PseudoNode, Pseudo: pseudo, Text: text,
		Style: s, Skipped: b.Skipped || v.hidesText(b)})
}

// hidesText reports elements whose text is not laid out.
func (v *View) hidesText(p *Box) bool {
	if p.Kind != driver.ElementNode || p.Node.Namespace != "" {
		return false
	}
	switch p.Node.Data {
	case "details":
		return !dom.Has(p.Node, "open")
	case "option":
		return p.Skipped
	case "select", "optgroup", "datalist", "textarea", "video", "audio", "canvas", "iframe", "meter", "progress", "img":
		return true
	case "object":
		return v.scene.Pictures.Embedded(p.Node)
	}
	return false
}

// skips reports that the child n of p is styled and yet not laid out.
func (v *View) skips(p *Box, n *html.Node) bool {
	if p.Style.ContentVisibility == "hidden" {
		return true
	}
	if p.Node.Namespace != "" || p.Kind != driver.ElementNode {
		return false
	}
	switch p.Node.Data {
	case "details":
		return !dom.Has(p.Node, "open") && n != dom.FirstSummary(p.Node)
	case "select":
		return !form.Listbox(p.Node)
	case "optgroup":
		return p.Skipped
	case "video", "audio", "canvas", "meter", "progress", "img":
		return true
	case "object":
		return v.scene.Pictures.Embedded(p.Node)
	}
	return false
}

// marker adds the ::marker of a list item.
func (v *View) marker(i int32) {
	b := &v.Boxes[i]
	if b.Style.Display != "list-item" {
		return
	}
	text := v.markerText(b)
	if text == "" {
		return
	}
	s := css.Inherit(b.Style)
	if !b.Style.ListInside {
		s.Display = "inline-block"
	}
	v.push(Box{Node: b.Node, Parent: i, Host: b.Host, Shadow: b.Shadow, Kind: driver.PseudoNode, Pseudo: "::marker", Text: text,
		Style: &s, Skipped: b.Skipped})
}

// markerText is what stands in front of a list item.
func (v *View) markerText(b *Box) string {
	if bullet, ok := listBullets[b.Style.ListStyle]; ok {
		if dom.IsElement(b.Node.Parent, "ol") {
			v.itemNumber(b.Node)
		}
		return bullet
	}
	if s := b.Style.ListStyle; s[0] == '"' || s[0] == '\'' {
		return css.Unescape(strings.Trim(s, s[:1]))
	}
	return ordinal(v.itemNumber(b.Node), b.Style.ListStyle) + ". "
}

// listBullets are the list styles without a number.
var listBullets = map[string]string{
	"none": "", "disc": "• ", "circle": "◦ ", "square": "■ ", "disclosure-closed": "▸ ", "disclosure-open": "▾ ",
}

// itemNumber is the ordinal of a list item. Items are asked for in order.
func (v *View) itemNumber(n *html.Node) int {
	step := 1
	if dom.IsElement(n.Parent, "ol") && dom.Has(n.Parent, "reversed") {
		step = -1
	}
	count, counted := v.items[n.Parent]
	if !counted {
		if start, ok := dom.Number(dom.Attr(n.Parent, "start")); ok {
			count = int(start) - step
		} else if step < 0 {
			count = 1
			for c := n.Parent.FirstChild; c != nil; c = c.NextSibling {
				if dom.IsElement(c, "li") {
					count++
				}
			}
		}
		if v.items == nil {
			v.items = make(map[*html.Node]int)
		}
	}
	count += step
	if value, ok := dom.Number(dom.Attr(n, "value")); ok {
		count = int(value)
	}
	v.items[n.Parent] = count
	return count
}

// ordinal writes a number as a list style has it, and in digits where the style
// has no sign for it.
func ordinal(n int, how string) string {
	switch how {
	case "lower-alpha", "lower-latin":
		return alphabetic(n, 'a', 26)
	case "upper-alpha", "upper-latin":
		return alphabetic(n, 'A', 26)
	case "lower-roman":
		return strings.ToLower(roman(n))
	case "upper-roman":
		return roman(n)
	case "decimal-leading-zero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	}
	return strconv.Itoa(n)
}

func alphabetic(n int, first byte, letters int) string {
	if n < 1 {
		return strconv.Itoa(n)
	}
	var digits []byte
	for ; n > 0; n = (n - 1) / letters {
		digits = append([]byte{first + byte((n-1)%letters)}, digits...)
	}
	return string(digits)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var sb strings.Builder
	for _, r := range []struct {
		value int
		sign  string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"},
		{5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for ; n >= r.value; n -= r.value {
			sb.WriteString(r.sign)
		}
	}
	return sb.String()
}

// apart reports a box that takes no room in the flow. A text has its parent's
// style, and is never one.
func (b *Box) apart() bool {
	return (b.Kind == driver.ElementNode || b.Kind == driver.PseudoNode) && (b.Style.Position == "absolute" || b.Style.Position == "fixed")
}
