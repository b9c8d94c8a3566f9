package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/twins"
)

// A row is an element with the part of the page that belongs to it alone.
type row struct{ twins.Row }

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
	return row{twins.Row{Twins: twins.New(snap, nodes, hide), At: at}}, true
}

// Rows are those of all elements of a reading. They share their work: together they take
// time linear in the page.
type rows struct {
	snap  *Snapshot
	hide  func(string) string
	alike map[Fingerprint][]int32 // in Nodes
	twins map[Fingerprint]*twins.Twins
	at    []int          // of each node, in its twins
	cells map[string]int // see cellTexts; nil until it is asked for
	last  struct {       // the row of cells that was asked for last
		row   *accessibility.Node
		words string
	}
}

func newRows(snap *Snapshot, hide func(string) string) *rows {
	rs := &rows{snap: snap, hide: hide, alike: map[Fingerprint][]int32{}, twins: map[Fingerprint]*twins.Twins{}, at: make([]int, len(snap.Nodes))}
	for i := range snap.Nodes {
		print := fingerprint(&snap.Nodes[i])
		rs.at[i] = len(rs.alike[print])
		rs.alike[print] = append(rs.alike[print], int32(i))
	}
	return rs
}

// row returns that of a node by its index.
func (rs *rows) row(i int32) row {
	print := fingerprint(&rs.snap.Nodes[i])
	t := rs.twins[print]
	if t == nil {
		t = twins.New(rs.snap, rs.alike[print], rs.hide)
		t.Prepare()
		rs.twins[print] = t
	}
	return row{twins.Row{Twins: t, At: rs.at[i]}}
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
		rs.last.row, rs.last.words = up, twins.Cells(up)
	}
	return &Surroundings{Row: rs.last.words, Alike: rs.cells[n.Name]}
}

// besideOf is Row.Beside, for cells as well.
func besideOf(snap *Snapshot, node driver.NodeRef) *driver.Beside {
	if n, ok := snap.Find(node); ok && isInlineCell(n) {
		if cellTexts(snap)[n.Name] < 2 {
			return nil
		}
		row := snap.Part(&snap.Nodes[n.Parent])
		return twins.Beside(snap, n, row, row)
	}
	if r, ok := rowOf(snap, node, squeeze); ok {
		return r.Beside()
	}
	return nil
}

// surroundings returns those of the row's element.
func (r row) surroundings() *Surroundings {
	return &Surroundings{Row: r.Text(), Alike: len(r.Nodes), Head: r.Head()}
}

// mismatch says that the element was meant where another text was beside it.
func (r row) mismatch(was, is string) error {
	return fmt.Errorf("%w: %s was meant beside %q, it stands beside %q now", ErrMismatch, fingerprint(r.Node(r.At)), abbreviate(was), abbreviate(is))
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
	var nodes []int32
	for i := range snap.Nodes {
		if fingerprint(&snap.Nodes[i]) == print {
			nodes = append(nodes, int32(i))
		}
	}
	return nodes
}
