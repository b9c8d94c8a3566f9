// Package snapshot makes documents of Chrome's DOM snapshots.
//
// It reads the columns of a reply without a detour by encoding/json, which
// takes several times as long; see BenchmarkDecodeSnapshot.
package snapshot

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// styleCount is the number of computed styles that a capture asks for.
const styleCount = 8

// ComputedStyles are those styles, in the order in which [driver.Style] is
// filled. Each one more costs a tenth of the whole capture; opacity,
// text-transform and white-space are in the laid-out text already.
var ComputedStyles = [styleCount]string{
	"display", "visibility", "content", "position", "pointer-events", "cursor", "content-visibility",
	"interactivity",
}

// A Snapshot is a decoded reply.
type Snapshot struct {
	// Docs are the documents of one process, in the reply's order, which is
	// not yet that of a capture.
	Docs []driver.Document

	// Content is a hash of all that is not geometry.
	Content uint64
}

// Decode reads a reply of DOMSnapshot.captureSnapshot. It fills all of
// a document that the reply tells: Doc, Ordinal, Active and what needs a
// script are the caller's, and so is Host in nested shadow trees of one kind.
// Lengths are divided by scale, as the reply is in device pixels.
func Decode(raw []byte, scale float64) (*Snapshot, error) {
	t, err := scanTable(raw)
	if err != nil {
		return nil, err
	}
	defer t.release()
	snap := &Snapshot{Docs: make([]driver.Document, len(t.docs)), Content: t.content}
	styles := newStyleSet(t)
	names := map[int32]string{}
	for i := range t.docs {
		snap.Docs[i].OwnerDocument, snap.Docs[i].Owner, snap.Docs[i].Active = -1, -1, -1
	}
	for i := range t.docs {
		b := &builder{t: t, d: t.docs[i], doc: &snap.Docs[i], styles: styles, names: names, scale: 1 / scale}
		b.build()
		for j, content := range b.d.content.value {
			if int(content) != i {
				child := &snap.Docs[content]
				child.OwnerDocument, child.Owner = int32(i), b.index[b.d.content.index[j]]
			}
		}
	}
	return snap, nil
}

// A styleSet makes one [driver.Style] of equal ones.
type styleSet struct {
	t    *table
	last [styleCount]int32
	of   *driver.Style
	all  map[[styleCount]int32]*driver.Style
}

func newStyleSet(t *table) *styleSet {
	return &styleSet{t: t, all: make(map[[styleCount]int32]*driver.Style)}
}

func (s *styleSet) get(values []int32) *driver.Style {
	if len(values) != styleCount {
		return nil
	}
	key := [styleCount]int32(values)
	if s.of != nil && key == s.last {
		return s.of
	}
	style := s.all[key]
	if style == nil {
		style = &driver.Style{
			Display: s.t.text(key[0]), Visibility: s.t.text(key[1]), Content: s.t.text(key[2]), Position: s.t.text(key[3]),
			PointerEvents: s.t.text(key[4]), Cursor: s.t.text(key[5]), ContentVisibility: s.t.text(key[6]),
			Interactivity: s.t.text(key[7]),
		}
		s.all[key] = style
	}
	s.last, s.of = key, style
	return style
}

// A builder makes a document of its columns.
type builder struct {
	t      *table
	d      *docTable
	doc    *driver.Document
	styles *styleSet
	names  map[int32]string // lower-case names by string index
	scale  float64
	pseudo []bool

	// index is where each node of the reply stands in doc.Nodes. What is
	// left out stands where its parent does.
	index []int32
}

func (b *builder) build() {
	d, t := b.d, b.t
	*b.doc = driver.Document{
		Frame: driver.FrameID(t.text(d.frame)), URL: t.text(d.url), BaseURL: t.text(d.base), Title: t.text(d.title),
		Lang:          t.text(d.lang),
		OwnerDocument: b.doc.OwnerDocument, Owner: b.doc.Owner, Active: -1,
		ScrollX: d.scrollX * b.scale, ScrollY: d.scrollY * b.scale,
		Content: driver.Size{Width: d.width * b.scale, Height: d.height * b.scale},
	}
	b.pseudo = make([]bool, len(d.parent))
	for _, i := range d.pseudo.index {
		b.pseudo[i] = true
	}
	b.nodes()
	b.rareColumns()
	b.layout()
	nodes := b.doc.Nodes
	firstLetters(nodes)
	finishControls(nodes)
	for i := range nodes {
		if nodes[i].Kind == driver.ElementNode {
			if lang, ok := nodes[i].Attr("lang"); ok {
				b.doc.Lang = lang
			}
			break
		}
	}
}

// nodes fills doc.Nodes with what the columns of the nodes say, in order.
func (b *builder) nodes() {
	d := b.d
	b.index = make([]int32, len(d.parent))
	nodes := make([]driver.Node, 0, len(d.parent))
	attrs := make([]driver.Attr, 0, len(d.attrs)/2)
	for _, i := range b.order() {
		parent := int32(-1)
		if p := d.parent[i]; p >= 0 {
			parent = b.index[p]
		}
		kind, ok := b.kind(i)
		if !ok && parent >= 0 {
			b.index[i] = parent
			continue
		}
		b.index[i] = int32(len(nodes))
		nodes = append(nodes, driver.Node{ID: driver.NodeID(d.backend[i]), Parent: parent, Host: -1, Kind: kind})
		n := &nodes[len(nodes)-1]
		switch kind {
		case driver.TextNode:
			n.Text = b.t.text(d.value[i])
		case driver.ElementNode:
			b.name(n, nodes, b.t.text(d.name[i]), d.name[i])
			first := len(attrs)
			list := d.attrs[d.attrStart(int(i)):d.attrEnd[i]]
			for k := 0; k+1 < len(list); k += 2 {
				attrs = append(attrs, driver.Attr{Name: b.t.text(list[k]), Value: b.t.text(list[k+1])})
			}
			n.Attrs = attrs[first:len(attrs):len(attrs)]
		default:
			n.Name = b.t.text(d.name[i])
		}
	}
	b.doc.Nodes = nodes
}

func (b *builder) kind(i int32) (kind driver.NodeKind, captured bool) {
	if i == 0 {
		return driver.DocumentNode, true
	}
	if b.pseudo[i] {
		return driver.PseudoNode, true
	}
	switch b.d.kind[i] {
	case 1:
		return driver.ElementNode, true
	case 3, 4:
		return driver.TextNode, true
	case 10:
		return driver.DoctypeNode, true
	default:
		return 0, false
	}
}

// name sets the local name and the namespace. The reply tells neither: it has
// qualified names, in upper case for HTML elements of HTML documents.
func (b *builder) name(n *driver.Node, nodes []driver.Node, name string, at int32) {
	parent, inherited := "", driver.HTML
	if n.Parent >= 0 {
		if p := &nodes[n.Parent]; p.Kind == driver.ElementNode {
			parent, inherited = p.Name, p.Namespace
		}
	}
	lower, ok := b.names[at]
	if !ok {
		lower = strings.ToLower(name)
		b.names[at] = lower
	}
	n.Name = name
	switch {
	case name == strings.ToUpper(name) && name != lower:
		n.Name = lower
		return
	case parent == "" && name == "html":
		b.doc.XML = true
	case lower == "svg":
		n.Namespace = driver.SVG
	case lower == "math":
		n.Namespace = driver.MathML
	case parent == "" && name != "html":
		n.Namespace = driver.OtherNamespace
	case inherited == driver.SVG && parent == "foreignObject":
	default:
		n.Namespace = inherited
	}
	if _, local, found := strings.Cut(name, ":"); found && n.Namespace != driver.HTML {
		n.Name = local
		if local == "svg" {
			n.Namespace = driver.SVG
		}
	}
}

// rareColumns fills what only some nodes have.
func (b *builder) rareColumns() {
	d, nodes := b.d, b.doc.Nodes
	for k, i := range d.pseudo.index {
		if n := &nodes[b.index[i]]; n.Kind == driver.PseudoNode && n.Name == "" {
			n.Name = "::" + b.t.text(d.pseudo.value[k])
		}
	}
	for k, i := range d.shadow.index {
		n := &nodes[b.index[i]]
		if n.ID != driver.NodeID(d.backend[i]) {
			continue // a comment's place is that of what it stands in
		}
		switch b.t.text(d.shadow.value[k]) {
		case "open":
			n.Shadow = driver.OpenShadow
		case "closed":
			n.Shadow = driver.ClosedShadow
		}
	}
	for _, c := range []rareColumn{d.textValue, d.inputValue} {
		for k, i := range c.index {
			n := &nodes[b.index[i]]
			n.Value, n.HasValue = b.t.text(c.value[k]), true
		}
	}
	for _, i := range d.checked.index {
		nodes[b.index[i]].Checked = true
	}
	for _, i := range d.selected.index {
		nodes[b.index[i]].Selected = true
	}
	for _, i := range d.clickable.index {
		nodes[b.index[i]].Clickable = true
	}
}

// layout fills in boxes, styles and laid-out text. A node may have several rows.
func (b *builder) layout() {
	d, nodes := b.d, b.doc.Nodes
	for row, i := range d.layoutNode {
		n := &nodes[b.index[i]]
		if n.ID != driver.NodeID(d.backend[i]) {
			continue
		}
		box := driver.Rect{
			X: d.bounds[4*row] * b.scale, Y: d.bounds[4*row+1] * b.scale,
			Width: d.bounds[4*row+2] * b.scale, Height: d.bounds[4*row+3] * b.scale,
		}
		text := b.t.text(d.layoutText[row])
		if n.Style == nil {
			n.Style = b.styles.get(d.styles[d.styleStart(row):d.styleEnd[row]])
		}
		if n.Kind == driver.TextNode && box.Width == 0 && box.Height == 0 {
			// White space that layout trimmed away keeps a row without a size.
			continue
		}
		n.Shown += text
		if n.Rendered {
			// The first row of an element is its own box, around the rest.
			if n.Kind == driver.TextNode {
				n.Box = union(n.Box, box)
			}
			continue
		}
		n.Rendered, n.Box = true, box
	}
}

func union(a, b driver.Rect) driver.Rect {
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return driver.Rect{
		X: x, Y: y,
		Width:  max(a.X+a.Width, b.X+b.Width) - x,
		Height: max(a.Y+a.Height, b.Y+b.Height) - y,
	}
}

// order returns the nodes of the reply in the order of a capture. The reply is
// in preorder but for one thing: it has all pseudo elements before the
// children, ::after and then ::marker last among them. Here ::marker is the
// first and ::after stands behind the children.
func (b *builder) order() []int32 {
	parent := b.d.parent
	order := make([]int32, 0, len(parent))
	if len(b.d.pseudo.index) == 0 {
		for i := range parent {
			order = append(order, int32(i))
		}
		return order
	}
	// The first child of each node, and the next one of its parent; the root is nobody's.
	first, next := make([]int32, len(parent)), make([]int32, len(parent))
	for place := afterPlace; place >= markerPlace; place-- {
		for i := len(parent) - 1; i > 0; i-- {
			if b.place(i) == place {
				p := parent[i]
				next[i], first[p] = first[p], int32(i)
			}
		}
	}
	for i := int32(0); ; {
		order = append(order, i)
		if first[i] != 0 {
			i = first[i]
			continue
		}
		for i != 0 && next[i] == 0 {
			i = parent[i]
		}
		if i == 0 {
			return order
		}
		i = next[i]
	}
}

// The places among the children of an element, in their order.
const (
	markerPlace = iota
	pseudoPlace
	childPlace
	afterPlace
)

func (b *builder) place(i int) int {
	if !b.pseudo[i] {
		return childPlace
	}
	switch b.t.text(b.d.name[i]) {
	case "::marker":
		return markerPlace
	case "::after":
		return afterPlace
	}
	return pseudoPlace
}
