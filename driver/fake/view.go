package fake

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A view is a document's flat tree with styles and boxes, in preorder. It is
// computed when it is asked for and thrown away by the next change.
type view struct {
	d               *document
	boxes           []box
	at              []int32 // index by node number less one; -1 for what is not in the flat tree
	size            driver.Size
	content         driver.Size
	order           []int32 // paint order of the elements, lowest first; computed for hit-tests
	busyKnown, busy bool
	blankKnown      bool
	blank           bool
	runs            bool               // a style has an animation or a transition
	items           map[*html.Node]int // the last number given in each list
	quotes          int                // how many are open
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

// render returns the view of the document as it is now.
func (d *document) render() *view {
	if d.view != nil {
		return d.view
	}
	d.parse()
	v := &view{d: d, size: d.viewport()}
	v.build()
	v.layout()
	if d.frame.hidden() {
		for i := range v.boxes {
			v.boxes[i].rendered = false
		}
	}
	d.view = v
	if v.runs {
		d.watchRuns(d.before, v)
		d.before = nil
	}
	return v
}

// viewport is the size of the frame that shows the document.
func (d *document) viewport() driver.Size {
	f := d.frame
	if f.parent == nil {
		return f.page.Viewport
	}
	pv := f.parent.doc.render()
	if b := pv.find(f.owner); b != nil && b.rendered {
		w := 2 * b.style.border
		return driver.Size{Width: max(0, b.rect.Width-w), Height: max(0, b.rect.Height-w)}
	}
	return driver.Size{}
}

// find returns the box of a node; nil if it is not in the flat tree.
func (v *view) find(n *html.Node) *box {
	if i := v.index(n); i >= 0 {
		return &v.boxes[i]
	}
	return nil
}

func (v *view) index(n *html.Node) int32 {
	id, ok := v.d.ids[n]
	if !ok || int(id) > len(v.at) {
		return -1
	}
	return v.at[id-1]
}

// build walks the flat tree. It keeps a stack of its own: trees are as deep as they like.
func (v *view) build() {
	d := v.d
	st := newStyler(d)
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
		id := v.d.number(b.node)
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
	if len(v.d.shadows) > 0 {
		if s := v.d.roots[topOf(n)]; s != nil {
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
	if !isElement(b.node, "q") && !v.d.sheetsOf(topOf(b.node)).pseudo {
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

func firstSummary(details *html.Node) *html.Node {
	for c := details.FirstChild; c != nil; c = c.NextSibling {
		if isElement(c, "summary") {
			return c
		}
	}
	return nil
}
