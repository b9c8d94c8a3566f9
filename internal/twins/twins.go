// Package twins distinguishes elements of a page that look the same. For each of them it
// finds the part of the page that belongs to it alone, and the text of that part. The engine
// verifies by that text that it acts on the element that was meant, and the agent learns from
// it which record a step was about.
package twins

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// Twins are the elements of a snapshot that look the same. One alone is its only twin.
// They read the page as they are asked, so that only one goroutine may ask.
type Twins struct {
	Nodes []int32 // in the snapshot's

	snap   *accessibility.Snapshot
	hide   func(string) string  // gets more text than is used, because it would not find a value that is cut off
	parts  []accessibility.Part // of each, the part of the page that is about it and no other
	least  width                // of what is about one of them
	begins []string             // what the part of each begins with; nil until it is asked for
	said   [widths][]string     // around each; nil until it is asked for
	count  [widths]map[string]int
	ahead  bool // text before a part may be about its element; known once said[ofPlace] is
	behind bool // so may text behind it
}

// A width is how much of the page the text around an element is of. What tells it from
// the others is enough: further away, things change for other reasons.
type width int

const (
	ofPart    width = iota // its part
	ofPlace                // with what stands between the others next to it
	ofSection              // with the heading above its part, and the names of what is around
	widths
)

// A Row is one of the twins, with what is about it.
type Row struct {
	*Twins
	At int // in Nodes
}

// New returns the elements at some indices, in order. The part of each is its table row or list
// item, else the largest element that holds none of the others.
func New(snap *accessibility.Snapshot, nodes []int32, hide func(string) string) *Twins {
	t := &Twins{snap: snap, hide: hide, Nodes: nodes}
	if len(nodes) == 1 {
		t.parts = []accessibility.Part{t.near()}
	} else {
		t.parts = snap.Apart(nodes)
	}
	for i := range nodes {
		if part, ok := snap.RowAround(t.Node(i)); ok && t.alone(i, part) {
			t.parts[i] = part
		}
	}
	if len(nodes) > 1 && t.apart() {
		t.least = ofPlace
	}
	return t
}

// apart reports whether there is text between the parts of all neighbours: then their parts
// are not all that is about them.
func (t *Twins) apart() bool {
	for i := range len(t.Nodes) - 1 {
		_, k := t.snap.Range(t.parts[i], t.Nodes[i])
		for end := t.Nodes[i+1]; ; k++ {
			if k >= end || t.snap.Holds(t.parts[i+1], k) {
				return false
			}
			if says(&t.snap.Nodes[k]) {
				break
			}
		}
	}
	return true
}

// says reports whether a node says more than a control does.
func says(n *accessibility.Node) bool {
	return (!n.Interactive || n.Role == "link") && textOf(n) != ""
}

func (t *Twins) Node(i int) *accessibility.Node { return &t.snap.Nodes[t.Nodes[i]] }

// alone reports whether a part around the ith twin holds none of the others.
func (t *Twins) alone(i int, part accessibility.Part) bool {
	return (i == 0 || !t.snap.Holds(part, t.Nodes[i-1])) && (i+1 == len(t.Nodes) || !t.snap.Holds(part, t.Nodes[i+1]))
}

// near returns the smallest part around the only one that says more than controls do, as
// far as its text is used.
func (t *Twins) near() accessibility.Part {
	part := t.snap.Part(t.Node(0))
	for around, ok := t.snap.Around(part); ok; around, ok = t.snap.Around(part) {
		part = around
		first, end := t.bounds(0, part)
		size := 0
		for k := first; k < end; k++ {
			if k == t.Nodes[0] {
				k = t.Node(0).End - 1
				continue
			}
			if n := &t.snap.Nodes[k]; says(n) {
				return part
			} else {
				size += len(textOf(n))
			}
		}
		if size >= 2*maxBeside {
			break
		}
	}
	return part
}

// Prepare is for when all twins are asked about: it reads what is around each.
func (t *Twins) Prepare() { t.around(ofPart) }

// Head returns what the element's table row or list item begins with.
func (r Row) Head() string { return r.hide(r.snap.HeadOfRow(r.Node(r.At))) }

// Name returns the name that they all have.
func (t *Twins) Name() string { return t.hide(t.Node(0).Name) }

// Parts returns the text of each twin's part without its own.
func (t *Twins) Parts() []string { return t.around(ofPart) }

// Begin returns what the ith twin's part begins with.
func (t *Twins) Begin(i int) string {
	if t.begins == nil {
		t.begins = make([]string, len(t.Nodes))
		for i := range t.Nodes {
			begin, _ := t.snap.Beginning(t.parts[i], t.Node(i))
			t.begins[i] = t.hide(begin)
		}
	}
	return t.begins[i]
}

// BeginsAlone reports whether what is about the element begins with a text, and nothing that
// is about another with the same.
func (r Row) BeginsAlone() bool {
	if r.least > ofPart {
		return false // it does not begin with the part
	}
	for i := range r.Nodes {
		if i != r.At && r.Begin(i) == r.Begin(r.At) {
			return false
		}
	}
	return r.Begin(r.At) != ""
}

// Beside returns the text that distinguishes the element from the others, for a browser to
// compare when it gets input: the beginning of the element's part if no other part begins so,
// else the texts close to the element, in its part or between the parts. It is nil if no text
// distinguishes the element, or only text of another document. A single element has its
// table row or list item.
func (r Row) Beside() *driver.Beside {
	n, part := r.Node(r.At), r.parts[r.At]
	if _, row := r.snap.RowAround(n); len(r.Nodes) == 1 && !row {
		return nil
	}
	if r.least > ofPart {
		return r.between()
	}
	if r.BeginsAlone() {
		_, begin := r.snap.Beginning(part, n)
		if beside := Beside(r.snap, n, part, begin); beside != nil {
			return beside
		}
	}
	return Beside(r.snap, n, part, part)
}

// between is Beside with the texts between the element's part and those of its neighbors.
func (r Row) between() *driver.Beside {
	part := r.parts[r.At]
	up, ok := r.snap.Out(part, r.Node(r.At))
	if !ok {
		return nil
	}
	r.around(ofPlace)
	before, behind := r.snap.Siblings(part)
	slices.Reverse(before)
	near := func(is bool, parts []accessibility.Part) (texts []string, n int) {
		for is && n < len(parts) && !r.holdsAnother(parts[n]) {
			said, more := r.snap.Data(parts[n], r.Node(r.At))
			texts = append(append(texts, said...), more...)
			n++
		}
		return closest(texts), n
	}
	texts, from := near(r.ahead, before)
	more, to := near(r.behind, behind)
	if texts = append(texts, more...); len(texts) == 0 {
		return nil
	}
	return &driver.Beside{Up: up, From: -from, To: to, Texts: texts}
}

// holdsAnother reports whether the twin before or behind the element stands in a part.
func (r Row) holdsAnother(part accessibility.Part) bool {
	return r.At > 0 && r.snap.Holds(part, r.Nodes[r.At-1]) || r.At+1 < len(r.Nodes) && r.snap.Holds(part, r.Nodes[r.At+1])
}

// Beside returns the texts of one part that are closest to a node in a part around it; nil
// if there are none.
func Beside(snap *accessibility.Snapshot, n *accessibility.Node, around, of accessibility.Part) *driver.Beside {
	up, ok := snap.Out(around, n)
	before, behind := snap.Data(of, n)
	slices.Reverse(before)
	texts := append(closest(before), closest(behind)...)
	if !ok || len(texts) == 0 {
		return nil
	}
	return &driver.Beside{Up: up, Texts: texts}
}

// closest returns the first text, and more as far as they are within maxBeside.
func closest(texts []string) []string {
	for i, size := 0, 0; i < len(texts); i++ {
		if size += len(texts[i]); size > maxBeside && i > 0 {
			return texts[:i]
		}
	}
	return texts
}

// Text returns the text around the row's element that no other has; all of it if there is
// none.
func (r Row) Text() string {
	if r.least == ofPart && r.said[ofPart] == nil {
		if text := r.within(r.At, r.parts[r.At]); text != "" && !r.copied() {
			return text
		}
	}
	return r.around(r.width())[r.At]
}

// About is Text where it is about the element and no other, as far as the page tells; empty
// where its neighbours may be meant as well, and where nothing looks the same.
func (r Row) About() string {
	if len(r.Nodes) < 2 {
		return ""
	}
	w := r.width()
	if text := r.around(w)[r.At]; w == ofPart || !(r.ahead && r.behind) {
		return text
	}
	return ""
}

// Holds reports whether a node, by its index, is about the element: it stands in its part, or
// between the others where parts are not all that is about an element.
func (r Row) Holds(node int32) bool {
	if r.least > ofPart {
		return (r.At == 0 || node > r.Nodes[r.At-1]) && (r.At+1 == len(r.Nodes) || node < r.Nodes[r.At+1])
	}
	return r.snap.Holds(r.parts[r.At], node)
}

// copied reports whether another of the twins has the text of the element's part around it.
// For one element that is answered sooner so than from the texts of all.
func (r Row) copied() bool {
	var own []string
	for text := range r.pieces(r.At) {
		own = append(own, text)
	}
	words := strings.Join(own, " ")
	for i := range r.Nodes {
		if i == r.At {
			continue
		}
		rest, same := words, true
		for text := range r.pieces(i) {
			if rest, same = strings.CutPrefix(rest, text); !same {
				break
			}
			if rest, same = strings.CutPrefix(rest, " "); !same && rest != "" {
				break
			}
			same = true
		}
		if same && rest == "" {
			return true
		}
	}
	return false
}

// pieces returns the texts of the nodes in the ith twin's part without its own.
func (t *Twins) pieces(i int) iter.Seq[string] {
	return func(yield func(string) bool) {
		first, end := t.bounds(i, t.parts[i])
		for k := first; k < end; k++ {
			if k == t.Nodes[i] {
				k = t.Node(i).End - 1
			} else if text := textOf(&t.snap.Nodes[k]); text != "" && !yield(text) {
				return
			}
		}
	}
}

// width returns the least one at which the text around the element is its alone: no other
// has it around itself, that far or less.
func (r Row) width() width {
	for w := r.least; w < widths; w++ {
		text, others := r.around(w)[r.At], 0
		for v := range w + 1 {
			own := r.around(v)[r.At]
			if others += r.count[v][text]; own == text {
				others--
			}
		}
		if text != "" && others == 0 {
			return w
		}
	}
	return ofSection
}

// around returns the texts around all twins.
func (t *Twins) around(w width) []string {
	if t.said[w] != nil {
		return t.said[w]
	}
	texts := make([]string, len(t.Nodes))
	switch w {
	case ofPart:
		for i, part := range t.parts {
			texts[i] = t.within(i, part)
		}
	case ofPlace:
		t.places(texts)
	case ofSection:
		t.sections(texts)
	}
	t.said[w], t.count[w] = texts, map[string]int{}
	for _, text := range texts {
		t.count[w][text]++
	}
	return texts
}

// within returns the text of a part around the ith twin.
func (t *Twins) within(i int, part accessibility.Part) string {
	first, end := t.bounds(i, part)
	return t.words(i, first, end)
}

// bounds returns the nodes of a part around the ith twin, as far as its text is used.
func (t *Twins) bounds(i int, part accessibility.Part) (first, end int32) {
	nodes := t.snap.Nodes
	first, end = t.Nodes[i], t.Node(i).End
	for size := 0; first > 0 && size < 2*maxBeside && t.snap.Holds(part, first-1); {
		first--
		size += len(textOf(&nodes[first]))
	}
	for size := 0; int(end) < len(nodes) && size < 2*maxBeside && t.snap.Holds(part, end); end++ {
		size += len(textOf(&nodes[end]))
	}
	return first, end
}

// words returns the text of a range of nodes around the ith twin without its own.
func (t *Twins) words(i int, first, end int32) string {
	nodes, at := t.snap.Nodes, t.Nodes[i]
	ahead := lastWords(t.hide(textBefore(nodes[min(first, at):at])))
	behind := firstWords(t.hide(textAfter(nodes[min(nodes[at].End, end):end])))
	return squeeze(ahead + " " + behind)
}

// places sets the texts of what stands around each twin up to the parts of the others. It is
// what stands ahead if behind the last one nothing does, and what stands behind if ahead of
// the first one nothing does. Else either may be about the element, and both are told.
func (t *Twins) places(texts []string) {
	nodes := t.snap.Nodes
	text := func(first, end int32) bool {
		for first < end && !says(&nodes[first]) {
			first++
		}
		return first < end
	}
	type bounds struct{ first, end int32 }
	parts, around := make([]bounds, len(t.Nodes)), make([]bounds, len(t.Nodes))
	for i, part := range t.parts {
		parts[i].first, parts[i].end = t.snap.Range(part, t.Nodes[i])
	}
	ahead, behind := true, true
	for i, part := range t.parts {
		place, ok := t.snap.Around(part)
		for ok && t.alone(i, place) {
			place, ok = t.snap.Around(place)
		}
		if !ok {
			around[i] = parts[i]
			continue
		}
		b := bounds{parts[i].first, parts[i].end}
		first, end := int32(0), int32(len(nodes))
		if i > 0 {
			first = max(nodes[t.Nodes[i-1]].End, parts[i-1].end)
		}
		if i+1 < len(t.Nodes) {
			end = min(t.Nodes[i+1], parts[i+1].first)
		}
		for b.first > first && t.snap.Holds(place, b.first-1) {
			b.first--
		}
		for b.end < end && t.snap.Holds(place, b.end) {
			b.end++
		}
		around[i] = b
		if (i == 0 || !t.snap.Holds(place, t.Nodes[i-1])) && text(b.first, parts[i].first) {
			behind = false
		}
		if (i+1 == len(t.Nodes) || !t.snap.Holds(place, t.Nodes[i+1])) && text(parts[i].end, b.end) {
			ahead = false
		}
	}
	t.ahead, t.behind = ahead || !behind, !ahead
	for i, b := range around {
		if !t.behind {
			b.end = parts[i].end
		}
		if !t.ahead {
			b.first = parts[i].first
		}
		texts[i] = t.words(i, b.first, b.end)
	}
}

// sections sets the texts of the twins' parts, each after the names of what is around and
// the heading above that is none of another row's.
func (t *Twins) sections(texts []string) {
	nodes := t.snap.Nodes
	level := func(i int32) int {
		if nodes[i].Role == "heading" {
			return max(nodes[i].States.Level, 1)
		}
		return nodes[i].Heading
	}
	var headings []int32
	for i := range nodes {
		if level(int32(i)) > 0 {
			headings = append(headings, int32(i))
		}
	}
	for i, part := range t.parts {
		var names []string
		first, end := t.snap.Range(part, t.Nodes[i])
		own := 1 << 30 // the level of the part's own heading
		k := sort.Search(len(headings), func(k int) bool { return headings[k] >= first })
		for in := k; in < len(headings) && headings[in] < end; in++ {
			own = min(own, level(headings[in]))
		}
		for k--; k >= 0; k-- {
			if level(headings[k]) < own {
				names = append(names, nodes[headings[k]].Name)
				break
			}
		}
		for up := nodes[t.Nodes[i]].Parent; up >= 0; up = nodes[up].Parent {
			if n := &nodes[up]; up < first && !n.Interactive && n.Role != "document" && n.Name != "" {
				names = append(names, n.Name)
			}
		}
		slices.Reverse(names)
		texts[i] = squeeze(t.hide(strings.Join(names, " ")) + " " + t.around(ofPlace)[i])
	}
}

// Says reports whether the ith twin stands in a part of the page that says just this.
func (t *Twins) Says(i int, text string) bool {
	part, ok := t.snap.Part(t.Node(i)), true
	for part, ok = t.snap.Around(part); ok; part, ok = t.snap.Around(part) {
		said := t.within(i, part)
		if said == text {
			return true
		}
		if len(said) > len(text) {
			break
		}
	}
	return t.around(ofPlace)[i] == text || t.around(ofSection)[i] == text
}

// AlsoSays reports whether another of the twins stands in a part that says just this.
func (r Row) AlsoSays(text string) bool {
	for i := range r.Nodes {
		if i != r.At && r.Says(i, text) {
			return true
		}
	}
	return false
}

// maxBeside bounds, in bytes, how much text before and after an element belongs
// to its row.
const maxBeside = 300

// textBefore returns the last names and cells of nodes, whole, up to twice
// maxBeside.
func textBefore(nodes []accessibility.Node) string {
	var parts []string
	for i, size := len(nodes)-1, 0; i >= 0 && size < 2*maxBeside; i-- {
		text := textOf(&nodes[i])
		size += len(text)
		parts = append(parts, text)
	}
	slices.Reverse(parts)
	return squeeze(strings.Join(parts, " "))
}

// textAfter returns the first names and cells of nodes, whole, up to twice
// maxBeside.
func textAfter(nodes []accessibility.Node) string {
	var b strings.Builder
	for i := range nodes {
		if b.Len() >= 2*maxBeside {
			break
		}
		b.WriteString(textOf(&nodes[i]) + " ")
	}
	return squeeze(b.String())
}

// lastWords returns the last whole words within maxBeside.
func lastWords(words string) string {
	if len(words) <= maxBeside {
		return words
	}
	_, whole, _ := strings.Cut(words[len(words)-maxBeside:], " ")
	return whole
}

// firstWords returns the first whole words within maxBeside.
func firstWords(words string) string {
	if len(words) <= maxBeside {
		return words
	}
	return words[:max(0, strings.LastIndexByte(words[:maxBeside], ' '))]
}

// textOf returns the name and the cells of a node. The name of most rows is their cells
// over again.
func textOf(n *accessibility.Node) string {
	if len(n.Cells) == 0 {
		return n.Name
	}
	line := make([]string, len(n.Cells))
	for i, c := range n.Cells {
		if !c.Below {
			line[i] = c.Text
		}
	}
	if n.Name == strings.Join(line, " | ") {
		return Cells(n)
	}
	return squeeze(n.Name + " " + Cells(n))
}

// Cells returns the text of the cells on a row's line.
func Cells(row *accessibility.Node) string {
	var words []string
	for _, c := range row.Cells {
		words = append(words, c.Text)
	}
	return squeeze(strings.Join(words, " "))
}

// squeeze trims white space and collapses it to single spaces.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
