package engine

import (
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// Twins are the elements of a reading that look the same. One alone is its only twin.
type twins struct {
	snap   *Snapshot
	hide   func(string) string  // gets more text than is used, because it would not find a value that is cut off
	nodes  []int32              // in Snapshot.Nodes
	parts  []accessibility.Part // of each, the part of the page that is about it and no other
	least  width                // of what is about one of them
	begins []string             // what the part of each begins with; nil until it is asked for
	said   [widths][]string     // around each; nil until it is asked for
	count  [widths]map[string]int
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

// A row is one of the twins.
type row struct {
	*twins
	at int // in nodes
}

// newTwins returns the elements at some indices. The part of each is its table row or list
// item, else the largest element that holds none of the others.
func newTwins(snap *Snapshot, nodes []int32, hide func(string) string) *twins {
	t := &twins{snap: snap, hide: hide, nodes: nodes}
	if len(nodes) == 1 {
		t.parts = []accessibility.Part{t.near()}
	} else {
		t.parts = snap.Apart(nodes)
	}
	for i := range nodes {
		if part, ok := snap.RowAround(t.node(i)); ok && t.alone(i, part) {
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
func (t *twins) apart() bool {
	for i := range len(t.nodes) - 1 {
		_, k := t.snap.Range(t.parts[i], t.nodes[i])
		for end := t.nodes[i+1]; ; k++ {
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
	return (!n.Interactive || n.Role == "link") && nodeText(n) != ""
}

func (t *twins) node(i int) *accessibility.Node { return &t.snap.Nodes[t.nodes[i]] }

// alone reports whether a part around the ith twin holds none of the others.
func (t *twins) alone(i int, part accessibility.Part) bool {
	return (i == 0 || !t.snap.Holds(part, t.nodes[i-1])) && (i+1 == len(t.nodes) || !t.snap.Holds(part, t.nodes[i+1]))
}

// near returns the smallest part around the only one that says more than controls do, as
// far as its text is used.
func (t *twins) near() accessibility.Part {
	part := t.snap.Part(t.node(0))
	for around, ok := t.snap.Around(part); ok; around, ok = t.snap.Around(part) {
		part = around
		first, end := t.bounds(0, part)
		size := 0
		for k := first; k < end; k++ {
			if k == t.nodes[0] {
				k = t.node(0).End - 1
				continue
			}
			if n := &t.snap.Nodes[k]; says(n) {
				return part
			} else {
				size += len(nodeText(n))
			}
		}
		if size >= 2*maxBeside {
			break
		}
	}
	return part
}

// rowOf returns the row of an element. ok is false if it is not on the page.
func rowOf(snap *Snapshot, node driver.NodeRef, hide func(string) string) (row, bool) {
	n, ok := snap.Find(node)
	if !ok {
		return row{}, false
	}
	nodes := twinsOf(snap, fingerprint(n))
	at := slices.IndexFunc(nodes, func(i int32) bool { return snap.Nodes[i].Ref == n.Ref })
	if at < 0 {
		return row{}, false
	}
	return row{newTwins(snap, nodes, hide), at}, true
}

// Rows are those of all elements of a reading. They share their work: together they take
// time linear in the page.
type rows struct {
	snap  *Snapshot
	hide  func(string) string
	twins map[Fingerprint]*twins // without snap until they are asked for
	at    []int                  // of each node, in its twins
	cells map[string]int         // see cellTexts; nil until it is asked for
	last  struct {               // the row of cells that was asked for last
		row   *accessibility.Node
		words string
	}
}

func newRows(snap *Snapshot, hide func(string) string) *rows {
	rs := &rows{snap: snap, hide: hide, twins: map[Fingerprint]*twins{}, at: make([]int, len(snap.Nodes))}
	for i := range snap.Nodes {
		print := fingerprint(&snap.Nodes[i])
		t := rs.twins[print]
		if t == nil {
			t = &twins{}
			rs.twins[print] = t
		}
		rs.at[i] = len(t.nodes)
		t.nodes = append(t.nodes, int32(i))
	}
	return rs
}

// row returns that of a node by its index.
func (rs *rows) row(i int32) row {
	t := rs.twins[fingerprint(&rs.snap.Nodes[i])]
	if t.snap == nil {
		*t = *newTwins(rs.snap, t.nodes, rs.hide)
		t.around(ofPart)
	}
	return row{t, rs.at[i]}
}

// surroundings is surroundingsIn.
func (rs *rows) surroundings(node driver.NodeRef) *Surroundings {
	i, ok := rs.snap.IndexOf(node)
	if ok {
		return rs.row(i).surroundings()
	}
	n, ok := rs.snap.Find(node)
	if !ok {
		return nil
	}
	if rs.cells == nil {
		rs.cells = cellTexts(rs.snap)
	}
	if up := &rs.snap.Nodes[n.Parent]; up != rs.last.row {
		rs.last.row, rs.last.words = up, rowWords(up)
	}
	return &Surroundings{Row: rs.last.words, Alike: rs.cells[n.Name]}
}

// surroundings returns those of the row's element.
func (r row) surroundings() *Surroundings {
	return &Surroundings{Row: r.text(), Alike: len(r.nodes), Head: r.head()}
}

// head returns what the element's table row or list item begins with.
func (r row) head() string { return r.hide(r.snap.HeadOfRow(r.node(r.at))) }

// begin returns what the ith twin's part begins with.
func (t *twins) begin(i int) string {
	if t.begins == nil {
		t.begins = make([]string, len(t.nodes))
		for i := range t.nodes {
			t.begins[i] = t.hide(t.snap.Beginning(t.parts[i], t.node(i)))
		}
	}
	return t.begins[i]
}

// beginsAlone reports whether what is about the element begins with a text, and nothing that
// is about another with the same.
func (r row) beginsAlone() bool {
	if r.least > ofPart {
		return false // it does not begin with the part
	}
	for i := range r.nodes {
		if i != r.at && r.begin(i) == r.begin(r.at) {
			return false
		}
	}
	return r.begin(r.at) != ""
}

// text returns the text around the row's element that no other has; all of it if there is
// none.
func (r row) text() string {
	if r.least == ofPart && r.said[ofPart] == nil {
		if text := r.within(r.at, r.parts[r.at]); text != "" && !r.copied() {
			return text
		}
	}
	return r.around(r.width())[r.at]
}

// copied reports whether another of the twins has the text of the element's part around it.
// For one element that is answered sooner so than from the texts of all.
func (r row) copied() bool {
	var own []string
	for text := range r.pieces(r.at) {
		own = append(own, text)
	}
	words := strings.Join(own, " ")
	for i := range r.nodes {
		if i == r.at {
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
func (t *twins) pieces(i int) iter.Seq[string] {
	return func(yield func(string) bool) {
		first, end := t.bounds(i, t.parts[i])
		for k := first; k < end; k++ {
			if k == t.nodes[i] {
				k = t.node(i).End - 1
			} else if text := nodeText(&t.snap.Nodes[k]); text != "" && !yield(text) {
				return
			}
		}
	}
}

// width returns the least one at which the text around the element is its alone: no other
// has it around itself, that far or less.
func (r row) width() width {
	for w := r.least; w < widths; w++ {
		text, others := r.around(w)[r.at], 0
		for v := range w + 1 {
			own := r.around(v)[r.at]
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
func (t *twins) around(w width) []string {
	if t.said[w] != nil {
		return t.said[w]
	}
	texts := make([]string, len(t.nodes))
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
func (t *twins) within(i int, part accessibility.Part) string {
	first, end := t.bounds(i, part)
	return t.words(i, first, end)
}

// bounds returns the nodes of a part around the ith twin, as far as its text is used.
func (t *twins) bounds(i int, part accessibility.Part) (first, end int32) {
	nodes := t.snap.Nodes
	first, end = t.nodes[i], t.node(i).End
	for size := 0; first > 0 && size < 2*maxBeside && t.snap.Holds(part, first-1); {
		first--
		size += len(nodeText(&nodes[first]))
	}
	for size := 0; int(end) < len(nodes) && size < 2*maxBeside && t.snap.Holds(part, end); end++ {
		size += len(nodeText(&nodes[end]))
	}
	return first, end
}

// words returns the text of a range of nodes around the ith twin without its own.
func (t *twins) words(i int, first, end int32) string {
	nodes, at := t.snap.Nodes, t.nodes[i]
	ahead := lastWords(t.hide(textBefore(nodes[min(first, at):at])))
	behind := firstWords(t.hide(textAfter(nodes[min(nodes[at].End, end):end])))
	return squeeze(ahead + " " + behind)
}

// places sets the texts of what stands around each twin up to the parts of the others. It is
// what stands ahead if behind the last one nothing does, and what stands behind if ahead of
// the first one nothing does. Else either may be about the element, and both are told.
func (t *twins) places(texts []string) {
	nodes := t.snap.Nodes
	text := func(first, end int32) bool {
		for first < end && !says(&nodes[first]) {
			first++
		}
		return first < end
	}
	type bounds struct{ first, end int32 }
	parts, around := make([]bounds, len(t.nodes)), make([]bounds, len(t.nodes))
	for i, part := range t.parts {
		parts[i].first, parts[i].end = t.snap.Range(part, t.nodes[i])
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
			first = max(nodes[t.nodes[i-1]].End, parts[i-1].end)
		}
		if i+1 < len(t.nodes) {
			end = min(t.nodes[i+1], parts[i+1].first)
		}
		for b.first > first && t.snap.Holds(place, b.first-1) {
			b.first--
		}
		for b.end < end && t.snap.Holds(place, b.end) {
			b.end++
		}
		around[i] = b
		if (i == 0 || !t.snap.Holds(place, t.nodes[i-1])) && text(b.first, parts[i].first) {
			behind = false
		}
		if (i+1 == len(t.nodes) || !t.snap.Holds(place, t.nodes[i+1])) && text(parts[i].end, b.end) {
			ahead = false
		}
	}
	for i, b := range around {
		switch {
		case ahead:
			b.end = parts[i].end
		case behind:
			b.first = parts[i].first
		}
		texts[i] = t.words(i, b.first, b.end)
	}
}

// sections sets the texts of the twins' parts, each after the names of what is around and
// the heading above that is none of another row's.
func (t *twins) sections(texts []string) {
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
		first, end := t.snap.Range(part, t.nodes[i])
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
		for up := nodes[t.nodes[i]].Parent; up >= 0; up = nodes[up].Parent {
			if n := &nodes[up]; up < first && !n.Interactive && n.Role != "document" && n.Name != "" {
				names = append(names, n.Name)
			}
		}
		slices.Reverse(names)
		texts[i] = squeeze(t.hide(strings.Join(names, " ")) + " " + t.around(ofPlace)[i])
	}
}

// says reports whether the ith twin stands in a part of the page that says just this.
func (t *twins) says(i int, text string) bool {
	part, ok := t.snap.Part(t.node(i)), true
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

// alsoSays reports whether another of the twins stands in a part that says just this.
func (r row) alsoSays(text string) bool {
	for i := range r.nodes {
		if i != r.at && r.says(i, text) {
			return true
		}
	}
	return false
}

// mismatch says that the element was meant where another text was beside it.
func (r row) mismatch(was, is string) error {
	return fmt.Errorf("%w: %s was meant beside %q, it stands beside %q now", ErrMismatch, fingerprint(r.node(r.at)), abbreviate(was), abbreviate(is))
}

// maxBeside bounds, in bytes, how much text before and after an element belongs
// to its row.
const maxBeside = 300

// textBefore returns the last names and cells of nodes, whole, up to twice
// maxBeside.
func textBefore(nodes []accessibility.Node) string {
	var parts []string
	for i, size := len(nodes)-1, 0; i >= 0 && size < 2*maxBeside; i-- {
		text := nodeText(&nodes[i])
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
		b.WriteString(nodeText(&nodes[i]) + " ")
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

// nodeText returns the name and the cells of a node. The name of most rows is their cells
// over again.
func nodeText(n *accessibility.Node) string {
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
		return rowWords(n)
	}
	return squeeze(n.Name + " " + rowWords(n))
}

// mostlySame reports that more than half of the words are still there.
func mostlySame(before, after string) bool {
	return 2*sharedWords(before, after) > len(wordsOf(before))
}

// sharedWords counts the words that are still there.
func sharedWords(before, after string) (n int) {
	now := wordsOf(after)
	for _, w := range wordsOf(before) {
		if slices.Contains(now, w) {
			n++
		}
	}
	return n
}

// without returns the words of a row but for those of the element's own name, which all
// of its kind have.
func without(row, name string) string {
	own := strings.Fields(name)
	return strings.Join(slices.DeleteFunc(wordsOf(row), func(w string) bool { return slices.Contains(own, w) }), " ")
}

// wordsOf returns the different words of a text.
func wordsOf(text string) []string {
	words := strings.Fields(text)
	slices.Sort(words)
	return slices.Compact(words)
}

// abbreviate returns the beginning of a text.
func abbreviate(words string) string {
	const most = 60
	if text := []rune(words); len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return words
}

// twinsOf returns the indices of the nodes that look like print, in order.
func twinsOf(snap *Snapshot, print Fingerprint) []int32 {
	var twins []int32
	for i := range snap.Nodes {
		if fingerprint(&snap.Nodes[i]) == print {
			twins = append(twins, int32(i))
		}
	}
	return twins
}
