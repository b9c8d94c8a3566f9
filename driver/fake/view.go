package fake

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A scene is what a view is computed from.
type scene struct {
	sheets
	pictures pictures2
	scroll   driver.ScrollTarget // of the page: X and Y alone
	scrolls  map[*html.Node]driver.ScrollTarget
	topLayer []*html.Node
}

// pictures2 knows which pictures can be had.
type pictures2 interface {
	Broken(*html.Node) bool
}

// newView computes the boxes of a scene in a viewport.
func newView(s *scene, size driver.Size) *view {
	v := &view{scene: s, size: size}
	v.build()
	v.layout()
	return v
}

// A view is a document's flat tree with styles and boxes, in preorder. It is
// computed when it is asked for and thrown away by the next change.
type view struct {
	scene   *scene
	boxes   []box
	at      []int32 // index by node number less one; -1 for what is not in the flat tree
	size    driver.Size
	content driver.Size
	order   []int32            // paint order of the elements, lowest first; computed for hit-tests
	runs    bool               // a style has an animation or a transition
	items   map[*html.Node]int // the last number given in each list
	quotes  int                // how many are open
}

// A box is one node of the flat tree.
type box struct {
	node     *html.Node    // of a pseudo-element: its element
	id       driver.NodeID // of node; 0 for a pseudo-element
	style    *style        // nil where there is none
	text     string        // of a pseudo-element
	frags    []driver.Rect
	rect     driver.Rect
	area     driver.Size // of a scroll container: its content
	parent   int32
	end      int32 // index after the subtree
	host     int32
	clip     int32 // nearest ancestor that clips this box; -1
	kind     driver.NodeKind
	shadow   driver.ShadowKind
	pseudo   string
	rendered bool
	skipped  bool // below closed details and the like: styled, and never laid out
	fixed    bool // scrolls with nothing
}

// find returns the box of a node; nil if it is not in the flat tree.
func (v *view) find(n *html.Node) *box {
	if i := v.index(n); i >= 0 {
		return &v.boxes[i]
	}
	return nil
}

func (v *view) index(n *html.Node) int32 {
	id, ok := v.scene.numberOf(n)
	if !ok || int(id) > len(v.at) {
		return -1
	}
	return v.at[id-1]
}

// build walks the flat tree. It keeps a stack of its own: trees are as deep as they like.
func (v *view) build() {
	d := v.scene
	st := newStyler(&d.sheets)
	v.at = make([]int32, len(d.nodes), len(d.nodes)+8)
	for i := range v.at {
		v.at[i] = -1
	}
	v.boxes = make([]box, 0, len(d.nodes)+8)
	v.push(box{node: d.root, parent: -1, host: -1, kind: driver.DocumentNode, style: rootStyle})
	slots := d.assignSlots()
	type level struct {
		box   int32
		nodes []*html.Node // the children, where they are not the node's own
		next  *html.Node
		i     int
	}
	stack := []level{{box: 0, next: d.root.FirstChild}}
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
		case d.shadows[n] != nil:
			child.next = d.shadows[n].root.FirstChild
		case n.Data == "slot" && slots[n] != nil:
			child.nodes = slots[n]
		default:
			child.next = n.FirstChild
		}
		stack = append(stack, child)
	}
	v.boxes[0].end = int32(len(v.boxes))
}

func (v *view) push(b box) int32 {
	i := int32(len(v.boxes))
	b.end, b.clip = i+1, -1
	v.boxes = append(v.boxes, b)
	if b.pseudo == "" {
		id := v.scene.number(b.node)
		for len(v.at) < int(id) {
			v.at = append(v.at, -1)
		}
		v.at[id-1], v.boxes[i].id = i, id
	}
	return i
}

// open adds a node below parent. open is false where nothing below it counts.
func (v *view) open(st *styler, parent int32, n *html.Node) (i int32, open bool) {
	p := &v.boxes[parent]
	b := box{node: n, parent: parent, host: -1}
	if len(v.scene.shadows) > 0 {
		if s := v.scene.roots[topOf(n)]; s != nil {
			b.host, b.shadow = v.index(s.host), s.kind
		}
	}
	switch n.Type {
	case html.TextNode:
		b.kind = driver.TextNode
		b.style, b.skipped = p.style, p.skipped || hidesText(p) || p.style != nil && v.skips(p, n)
		return v.push(b), false
	case html.DoctypeNode:
		b.kind = driver.DoctypeNode
		return v.push(b), false
	case html.ElementNode:
	default:
		return 0, false
	}
	b.kind = driver.ElementNode
	if p.style != nil {
		b.style = st.style(n, p.style)
		if b.style.Display == "none" {
			b.style = nil
		}
		b.skipped = p.skipped || v.skips(p, n)
		v.runs = v.runs || b.style != nil && (b.style.transition != "" || b.style.animation != "")
	}
	i = v.push(b)
	if b.style != nil {
		v.marker(i)
		v.generate(st, i, "::before")
	}
	return i, n.Data != "template" && n.Data != "iframe" && n.Data != "frame" || n.Namespace != ""
}

func (v *view) closeBox(st *styler, i int32) {
	if b := &v.boxes[i]; b.kind == driver.ElementNode && b.style != nil {
		v.generate(st, i, "::after")
	}
	v.boxes[i].end = int32(len(v.boxes))
}

// generate adds a pseudo-element that the style sheets ask for.
func (v *view) generate(st *styler, i int32, pseudo string) {
	b := &v.boxes[i]
	if !isElement(b.node, "q") && !v.scene.generates(b.node) {
		return
	}
	s := st.generated(b.node, pseudo, b.style)
	if s == nil {
		return
	}
	text, ok := contentText(s.Content, &v.quotes, func(name string) string { return attr(b.node, name) })
	if !ok {
		return
	}
	v.push(box{node: b.node, parent: i, host: b.host, shadow: b.shadow, kind: driver.PseudoNode, pseudo: pseudo, text: text,
		style: s, skipped: b.skipped || hidesText(b)})
}

// hidesText reports elements whose text is not laid out.
func hidesText(p *box) bool {
	if p.kind != driver.ElementNode || p.node.Namespace != "" {
		return false
	}
	switch p.node.Data {
	case "option":
		return p.skipped
	case "select", "optgroup", "datalist", "textarea", "video", "audio", "canvas", "object", "iframe", "meter", "progress", "img":
		return true
	}
	return false
}

// skips reports that the child n of p is styled and yet not laid out.
func (v *view) skips(p *box, n *html.Node) bool {
	if p.style.ContentVisibility == "hidden" {
		return true
	}
	if p.node.Namespace != "" || p.kind != driver.ElementNode {
		return false
	}
	switch p.node.Data {
	case "details":
		return !has(p.node, "open") && n != firstSummary(p.node)
	case "select":
		return !listbox(p.node)
	case "optgroup":
		return p.skipped
	case "video", "audio", "canvas", "object", "meter", "progress", "img":
		return true
	}
	return false
}

// marker adds the ::marker of a list item.
func (v *view) marker(i int32) {
	b := &v.boxes[i]
	if b.style.Display != "list-item" {
		return
	}
	text := v.markerText(b)
	if text == "" {
		return
	}
	s := inherit(b.style)
	if !b.style.listInside {
		s.Display = "inline-block"
	}
	v.push(box{node: b.node, parent: i, host: b.host, shadow: b.shadow, kind: driver.PseudoNode, pseudo: "::marker", text: text,
		style: &s, skipped: b.skipped})
}

// markerText is what stands in front of a list item.
func (v *view) markerText(b *box) string {
	if bullet, ok := listBullets[b.style.listStyle]; ok {
		if isElement(b.node.Parent, "ol") {
			v.itemNumber(b.node)
		}
		return bullet
	}
	if s := b.style.listStyle; s[0] == '"' || s[0] == '\'' {
		return unescape(strings.Trim(s, s[:1]))
	}
	return ordinal(v.itemNumber(b.node), b.style.listStyle) + ". "
}

// listBullets are the list styles without a number.
var listBullets = map[string]string{
	"none": "", "disc": "• ", "circle": "◦ ", "square": "■ ", "disclosure-closed": "▸ ", "disclosure-open": "▾ ",
}

// itemNumber is the ordinal of a list item. Items are asked for in order.
func (v *view) itemNumber(n *html.Node) int {
	step := 1
	if isElement(n.Parent, "ol") && has(n.Parent, "reversed") {
		step = -1
	}
	count, counted := v.items[n.Parent]
	if !counted {
		if start, ok := number(attr(n.Parent, "start")); ok {
			count = int(start) - step
		} else if step < 0 {
			count = 1
			for c := n.Parent.FirstChild; c != nil; c = c.NextSibling {
				if isElement(c, "li") {
					count++
				}
			}
		}
		if v.items == nil {
			v.items = make(map[*html.Node]int)
		}
	}
	count += step
	if value, ok := number(attr(n, "value")); ok {
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
