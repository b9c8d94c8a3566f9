// Package layout gives the elements of a document boxes: where they are, what
// clips and covers them, and what a point hits.
package layout

import (
	"fmt"
	"slices"
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
	counts  counters
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

// build makes the boxes of the flat tree.
func (v *View) build() {
	d := v.scene
	v.at = make([]int32, len(d.Nodes), len(d.Nodes)+8)
	for i := range v.at {
		v.at[i] = -1
	}
	v.Boxes = make([]Box, 0, len(d.Nodes)+8)
	v.push(Box{Node: d.Root, Parent: -1, Host: -1, Kind: driver.DocumentNode, Style: css.RootStyle})
	v.children(css.NewStyler(&d.Sheets), d.AssignSlots(), 0, d.Root)
	v.Boxes[0].end = int32(len(v.Boxes))
}

// children adds the boxes of n's children below box; n is the box's node or its shadow
// tree. slots has the nodes that each slot shows.
func (v *View) children(st *css.Styler, slots map[*html.Node][]*html.Node, box int32, n *html.Node) {
	below := n.ChildNodes()
	if shown := slots[n]; shown != nil {
		below = slices.Values(shown)
	}
	for c := range below {
		i, open := v.open(st, box, c)
		if !open {
			continue
		}
		if s := v.scene.Shadows[c]; s != nil {
			v.children(st, slots, i, s.Root)
		} else {
			v.children(st, slots, i, c)
		}
		if b := &v.Boxes[i]; b.Style != nil {
			v.generate(st, i, "::after")
		}
		v.counts.uncount(i)
		v.Boxes[i].end = int32(len(v.Boxes))
	}
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
		b.Style, b.Skipped = p.Style, p.Skipped || p.Style != nil && v.skips(p, n, b.Kind)
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
		b.Skipped = p.Skipped || v.skips(p, n, b.Kind)
		v.Runs = v.Runs || b.Style != nil && (b.Style.Transition != "" || b.Style.Animation != "")
	}
	i = v.push(b)
	if b.Style != nil {
		v.counts.count(parent, b.Style)
		v.marker(i)
		v.generate(st, i, "::before")
	}
	return i, n.Data != "template" && n.Data != "iframe" && n.Data != "frame" || n.Namespace != ""
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
	v.counts.count(i, s)
	text, ok := css.ContentText(s.Content, &v.quotes, func(name string) string { return dom.Attr(b.Node, name) }, v.counts.counted)
	if !ok {
		return
	}
	v.push(Box{Node: b.Node, Parent: i, Host: b.Host, Shadow: b.Shadow, Kind: driver.PseudoNode, Pseudo: pseudo, Text: text,
		Style: s, Skipped: b.Skipped || v.skips(b, nil, driver.PseudoNode)})
}

// skips reports that a child of p, of some kind, is styled and yet not laid out.
func (v *View) skips(p *Box, n *html.Node, kind driver.NodeKind) bool {
	if p.Style.ContentVisibility == "hidden" {
		return true
	}
	if p.Node.Namespace != "" || p.Kind != driver.ElementNode {
		return false
	}
	text := kind != driver.ElementNode
	switch p.Node.Data {
	case "details":
		return !dom.Has(p.Node, "open") && (text || n != dom.Child(p.Node, "summary"))
	case "select":
		return text || !form.Listbox(p.Node)
	case "optgroup":
		return text || p.Skipped
	case "option":
		return text && p.Skipped
	case "datalist", "textarea", "iframe":
		return text
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
	}
	count += step
	if value, ok := dom.Number(dom.Attr(n, "value")); ok {
		count = int(value)
	}
	v.items[n.Parent] = count
	return count
}

// Hit finds the topmost element at a point of the viewport; nil outside of it.
func (v *View) Hit(x, y float64) *html.Node {
	if x < 0 || y < 0 || x >= v.Size.Width || y >= v.Size.Height {
		return nil
	}
	order := v.paintOrder()
	modal := v.scene.Modal()
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		b := &v.Boxes[i]
		if b.Style.PointerEvents == "none" || b.Style.Visibility != "visible" || b.Style.Display == "contents" || b.Style.ClippedAway() {
			continue
		}
		inside := b.Rendered && v.covers(b, x, y) && v.unclipped(i, x, y)
		if modal != nil && b.Node == modal {
			return modal // its backdrop covers the rest
		}
		if inside && !v.Inert(i, modal) {
			return b.Node
		}
	}
	if modal != nil {
		return modal
	}
	// The canvas belongs to the root element.
	return dom.Find(v.scene.Root, func(*html.Node) bool { return true })
}

func (v *View) covers(b *Box, x, y float64) bool {
	if !contains(v.Shown(b.Rect, b.Fixed), x, y) {
		return false
	}
	return len(b.Frags) == 0 || slices.ContainsFunc(b.Frags, func(r driver.Rect) bool { return contains(v.Shown(r, b.Fixed), x, y) })
}

// unclipped reports that no scroll container cuts the point off.
func (v *View) unclipped(i int32, x, y float64) bool {
	for c := v.Boxes[i].Clip; c >= 0; c = v.Boxes[c].Clip {
		b := &v.Boxes[c]
		if !contains(v.clipEdge(b), x, y) {
			return false
		}
	}
	return true
}

// clipEdge is what a box that clips shows of its content, in the viewport.
func (v *View) clipEdge(b *Box) driver.Rect {
	r := v.Shown(b.Rect, b.Fixed)
	if b.Style.OverflowX != "clip" || b.Style.OverflowY != "clip" {
		return r
	}
	m := b.Style.ClipMargin
	return driver.Rect{X: r.X - m, Y: r.Y - m, Width: r.Width + 2*m, Height: r.Height + 2*m}
}

// Inert reports that box i takes no part: by its style, by an attribute of it or of
// an ancestor, or because a modal dialog is open elsewhere.
func (v *View) Inert(i int32, modal *html.Node) bool {
	if s := v.Boxes[i].Style; s != nil && s.Interactivity == "inert" {
		return true
	}
	for ; i > 0; i = v.Boxes[i].Parent {
		n := v.Boxes[i].Node
		if n == modal {
			return false
		}
		if n.Type == html.ElementNode && n.Namespace == "" && dom.Has(n, "inert") {
			return true
		}
	}
	return modal != nil
}

// Shown turns a rectangle of the layout into the coordinates of the viewport.
func (v *View) Shown(r driver.Rect, fixed bool) driver.Rect {
	if !fixed {
		r.X -= v.scene.Scroll.X
		r.Y -= v.scene.Scroll.Y
	}
	return r
}

// paintOrder lists the elements from the lowest to the topmost: the flow, then
// what is positioned by its z-index, then the top layer.
func (v *View) paintOrder() []int32 {
	if v.order != nil {
		return v.order
	}
	n := len(v.Boxes)
	layer := make([]int32, n)      // the positioned box that a box is painted with
	context := make([]int32, n)    // the stacking context that a box stands in
	members := map[int32][]int32{} // by layer
	layers := map[int32][]int32{}  // by stacking context
	var top []int32
	for i := int32(1); i < int32(n); i++ {
		b := &v.Boxes[i]
		layer[i], context[i] = layer[b.Parent], context[b.Parent]
		if v.stacks(b.Parent) {
			context[i] = b.Parent
		}
		if b.Kind == driver.ElementNode && b.Style != nil {
			if v.onTop(b.Node) {
				layer[i] = i
				top = append(top, i)
			} else if b.Style.Position != "static" || b.Style.ShiftX != 0 || b.Style.ShiftY != 0 {
				layer[i] = i
				layers[context[i]] = append(layers[context[i]], i)
			}
			members[layer[i]] = append(members[layer[i]], i)
		}
	}
	var emit func(ctx int32)
	emit = func(ctx int32) {
		below := layers[ctx]
		slices.SortStableFunc(below, func(a, b int32) int { return v.Boxes[a].Style.ZIndex - v.Boxes[b].Style.ZIndex })
		k := 0
		paint := func(i int32) {
			if v.stacks(i) {
				emit(i)
			} else {
				v.order = append(v.order, members[i]...)
			}
		}
		for ; k < len(below) && v.Boxes[below[k]].Style.ZIndex < 0; k++ {
			paint(below[k])
		}
		v.order = append(v.order, members[ctx]...)
		for ; k < len(below); k++ {
			paint(below[k])
		}
	}
	emit(0)
	slices.SortFunc(top, func(a, b int32) int {
		return slices.Index(v.scene.TopLayer, v.Boxes[a].Node) - slices.Index(v.scene.TopLayer, v.Boxes[b].Node)
	})
	for _, i := range top {
		emit(i)
	}
	return v.order
}

// stacks reports that box i makes a stacking context.
func (v *View) stacks(i int32) bool {
	b := &v.Boxes[i]
	if i == 0 {
		return true
	}
	if b.Style == nil || b.Kind != driver.ElementNode {
		return false
	}
	p := b.Style.Position
	return p == "fixed" || p == "sticky" || p != "static" && b.Style.HasZ || b.Style.ShiftX != 0 || b.Style.ShiftY != 0 || v.onTop(b.Node)
}

// onTop reports that n is in the top layer.
func (v *View) onTop(n *html.Node) bool {
	return len(v.scene.TopLayer) > 0 && slices.Contains(v.scene.TopLayer, n)
}

// RectsOf are the boxes at which the element of box i shows: its own, or
// those of what is in it where it has none with an area.
func (v *View) RectsOf(i int32) []driver.Rect {
	b := &v.Boxes[i]
	contents := b.Style.Display == "contents"
	if !b.Rendered && !contents {
		return nil
	}
	own := b.Frags
	if len(own) == 0 && !contents {
		own = []driver.Rect{b.Rect}
	}
	if len(own) > 0 && !Union(own).IsZero() || !contents && (b.Style.OverflowX != "visible" || b.Style.OverflowY != "visible") {
		return own
	}
	if inner := v.Below(i); len(inner) > 0 && !Union(inner).IsZero() {
		return inner
	}
	return own
}

// Pointable reports whether a person could point at a control: not at one that
// lets the pointer through, is clipped away, or is but a pixel wide.
func (v *View) Pointable(n *html.Node) bool {
	i := v.Index(n)
	if i < 0 {
		return false
	}
	b := &v.Boxes[i]
	for c := b.Clip; c >= 0; c = v.Boxes[c].Clip {
		if edge := v.clipEdge(&v.Boxes[c]); edge.Width <= 1 || edge.Height <= 1 {
			return false
		}
	}
	return b.Rendered && b.Style.PointerEvents != "none" && !b.Style.ClippedAway() && b.Rect.Width > 1 && b.Rect.Height > 1
}

// Opaque reports that neither a node nor one around it has an opacity of 0.
func (v *View) Opaque(n *html.Node) bool {
	for i := v.Index(n); i > 0; i = v.Boxes[i].Parent {
		if s := v.Boxes[i].Style; s != nil && s.Transparent() {
			return false
		}
	}
	return true
}

// Draws reports that a node shows something of its own besides text.
func (v *View) Draws(n *html.Node) bool {
	b := v.Find(n)
	return b != nil && b.Style != nil && b.Rendered && (b.Style.Border > 0 || dom.IsElement(n, "img", "canvas", "video") || n.Data == "svg")
}

// Below are the boxes of the nearest rendered descendants.
func (v *View) Below(i int32) []driver.Rect {
	var out []driver.Rect
	for c := i + 1; c < v.Boxes[i].end; c++ {
		if b := &v.Boxes[c]; b.Rendered {
			out = append(out, b.Rect)
		}
	}
	return out
}

// VisiblePart clips a rectangle of the viewport by the scroll containers of box i.
func (v *View) VisiblePart(i int32, r driver.Rect) driver.Rect {
	for c := v.Boxes[i].Clip; c >= 0; c = v.Boxes[c].Clip {
		b := &v.Boxes[c]
		r = Intersect(r, v.clipEdge(b))
	}
	return r
}

// containers are the sizes of the content boxes of the containers.
func (v *View) containers() map[*html.Node]css.Container {
	all := make(map[*html.Node]css.Container)
	for i := range v.Boxes {
		b := &v.Boxes[i]
		if b.Style == nil || b.Kind != driver.ElementNode {
			continue
		}
		if s := b.Style; s.Container == "inline-size" || s.Container == "size" {
			all[b.Node] = css.Container{Name: s.ContainerName, Kind: s.Container, Size: driver.Size{
				Width:  b.Rect.Width - 2*s.Border - s.Padding.Left - s.Padding.Right,
				Height: b.Rect.Height - 2*s.Border - s.Padding.Top - s.Padding.Bottom}}
		}
	}
	return all
}

// layout gives every box its place.
func (v *View) layout() {
	l := &layouter{View: v, measured: make(map[int32]float64)}
	bottom := 0.0
	for c := int32(1); c < int32(len(v.Boxes)); c = v.Boxes[c].end {
		if b := &v.Boxes[c]; b.Kind == driver.ElementNode && b.Style != nil {
			l.block(c, 0, bottom, v.Size.Width)
			bottom += b.Rect.Height
		}
	}
	v.Boxes[0].Rect = driver.Rect{Width: v.Size.Width, Height: v.Size.Height}
	v.Boxes[0].Rendered = true
	for i := 0; i < len(l.late); i++ {
		l.placeAbsolute(l.late[i])
	}
	v.applyOffsets()
	v.extent()
}

// applyOffsets moves the boxes by what scrolling, relative positions and transforms
// move them, and finds what clips each.
func (v *View) applyOffsets() {
	type offset struct{ x, y float64 }
	offs := make([]offset, len(v.Boxes))
	for i := 1; i < len(v.Boxes); i++ {
		b := &v.Boxes[i]
		p := &v.Boxes[b.Parent]
		off := offs[b.Parent]
		if p.Style != nil && p.Kind == driver.ElementNode {
			if s, ok := v.scene.Scrolls[p.Node]; ok && p.Pseudo == "" {
				off.x -= s.X
				off.y -= s.Y
			}
		}
		b.Clip, b.Fixed = p.Clip, p.Fixed
		if p.clips() {
			b.Clip = b.Parent
		}
		if s := b.Style; s != nil && b.Kind != driver.TextNode {
			switch s.Position {
			case "relative":
				off.x += s.Left.Px() - map[bool]float64{true: s.Right.Px()}[s.Left.Unit == 0]
				off.y += s.Top.Px() - map[bool]float64{true: s.Bottom.Px()}[s.Top.Unit == 0]
			case "fixed":
				off, b.Clip, b.Fixed = offset{}, -1, true
			case "absolute":
				b.Clip = v.containerClip(b.Parent)
				if v.onTop(b.Node) { // the page contains it
					off, b.Clip, b.Fixed = offset{}, -1, false
				}
			}
			off.x += s.ShiftX
			off.y += s.ShiftY
		}
		offs[i] = off
		if off != (offset{}) {
			b.move(off.x, off.y)
		}
		b.shrink()
	}
}

// containerClip is the clip of an absolutely positioned child of p.
func (v *View) containerClip(p int32) int32 {
	for ; p > 0; p = v.Boxes[p].Parent {
		if b := &v.Boxes[p]; b.Style.Position != "static" {
			if b.clips() {
				return p
			}
			return b.Clip
		}
	}
	return -1
}

// extent computes the scrollable area of the page and of each container.
func (v *View) extent() {
	w, h := v.Size.Width, v.Size.Height
	for i := 1; i < len(v.Boxes); i++ {
		b := &v.Boxes[i]
		if !b.Rendered || b.Fixed {
			continue
		}
		right, bottom := b.Rect.X+b.Rect.Width, b.Rect.Y+b.Rect.Height
		if b.Clip < 0 {
			w, h = max(w, right), max(h, bottom)
			continue
		}
		c := &v.Boxes[b.Clip]
		s := v.scene.Scrolls[c.Node]
		c.Area.Width = max(c.Area.Width, right+s.X-c.Rect.X-c.Style.Border)
		c.Area.Height = max(c.Area.Height, bottom+s.Y-c.Rect.Y-c.Style.Border)
	}
	v.Content = driver.Size{Width: w, Height: h}
}

// ordinal writes a number as a list style has it, and in digits where the style
// has no sign for it.
func ordinal(n int, how string) string {
	switch how {
	case "lower-alpha", "lower-latin":
		return alphabetic(n, 'a')
	case "upper-alpha", "upper-latin":
		return alphabetic(n, 'A')
	case "lower-roman":
		return strings.ToLower(roman(n))
	case "upper-roman":
		return roman(n)
	case "decimal-leading-zero":
		return fmt.Sprintf("%02d", n)
	}
	return strconv.Itoa(n)
}

func alphabetic(n int, first rune) string {
	if n < 1 {
		return strconv.Itoa(n)
	}
	digits := ""
	for ; n > 0; n = (n - 1) / 26 {
		digits = string(first+rune(n-1)%26) + digits
	}
	return digits
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

func (b *Box) move(dx, dy float64) {
	if !b.Rendered {
		return
	}
	b.Rect.X += dx
	b.Rect.Y += dy
	for k := range b.Frags {
		b.Frags[k].X += dx
		b.Frags[k].Y += dy
	}
}

// shrink takes the area of what is scaled to nothing, and the height of letters of a
// pixel. Lines keep theirs, unlike a browser's.
func (b *Box) shrink() {
	switch {
	case b.Style == nil:
	case b.Style.Vanished:
		b.Rect.Width, b.Rect.Height, b.Frags = 0, 0, nil
	case b.Style.Tiny && (b.Kind == driver.TextNode || b.Style.Display == "inline"):
		b.Rect.Height = min(b.Rect.Height, 1)
	}
}

// clips reports that content outside of the box is not shown.
func (b *Box) clips() bool {
	if b.Style == nil || b.Kind != driver.ElementNode || dom.IsElement(b.Node, "html", "body") {
		return false
	}
	return b.Style.OverflowX != "visible" || b.Style.OverflowY != "visible" || listboxBox(b)
}

// Scrolls reports that a person can scroll the content of the box.
func (b *Box) Scrolls() bool {
	if b.Kind != driver.ElementNode || b.Style == nil || !b.Rendered || dom.IsElement(b.Node, "html", "body") {
		return false
	}
	auto := func(s string) bool { return s == "auto" || s == "scroll" || s == "hidden" }
	return auto(b.Style.OverflowX) || auto(b.Style.OverflowY) || listboxBox(b)
}

// Clipped reports that no wheel scrolls the content of the box, though it
// scrolls and there is more of it.
func (b *Box) Clipped(maxX, maxY float64) bool {
	free := func(s string) bool { return s == "auto" || s == "scroll" || listboxBox(b) }
	return (maxX > 0 || maxY > 0) && !(maxX > 0 && free(b.Style.OverflowX)) && !(maxY > 0 && free(b.Style.OverflowY))
}

func listboxBox(b *Box) bool { return dom.IsElement(b.Node, "select") && form.Listbox(b.Node) }

func contains(r driver.Rect, x, y float64) bool {
	return x >= r.X && x < r.X+r.Width && y >= r.Y && y < r.Y+r.Height
}

func Intersect(a, b driver.Rect) driver.Rect {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	return driver.Rect{X: x, Y: y, Width: max(0, min(a.X+a.Width, b.X+b.Width)-x), Height: max(0, min(a.Y+a.Height, b.Y+b.Height)-y)}
}

// Modal is the topmost modal dialog; nil if there is none.
func (s *Scene) Modal() *html.Node {
	for i := len(s.TopLayer) - 1; i >= 0; i-- {
		n := s.TopLayer[i]
		if c := s.Inputs[n]; c != nil && c.Modal && s.Connected(n) {
			return n
		}
	}
	return nil
}
