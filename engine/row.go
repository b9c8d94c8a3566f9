package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// twinsOf are the places of the nodes that look like print, in order.
func twinsOf(snap *Snapshot, print Fingerprint) []int32 {
	var twins []int32
	for i := range snap.Nodes {
		if fingerprint(&snap.Nodes[i]) == print {
			twins = append(twins, int32(i))
		}
	}
	return twins
}

// A row is one of several elements that look the same, and what is written
// right around it: in its list item, its line of a table.
type row struct {
	snap  *Snapshot
	twins []int32
	at    int // in twins
}

// rowOf returns the row of an element. ok is false if the page has none.
func rowOf(snap *Snapshot, node driver.NodeRef) (row, bool) {
	n, ok := snap.Find(node)
	if !ok {
		return row{}, false
	}
	r := row{snap: snap, twins: twinsOf(snap, fingerprint(n))}
	r.at = slices.IndexFunc(r.twins, func(i int32) bool { return snap.Nodes[i].Ref == n.Ref })
	return r, r.at >= 0
}

// keepsRow makes sure that an element which others look like is in the row that
// it was in. A list that renders anew and keeps its nodes shows another row at
// the same node, and the button in it is called Remove as before.
func keepsRow(before *Snapshot, was driver.NodeRef, now *Snapshot, is driver.NodeRef) error {
	if n, ok := before.Find(was); ok && onRow(n) {
		return keepsCell(before, n, now, is)
	}
	old, ok := rowOf(before, was)
	if !ok {
		return nil
	}
	r, ok := rowOf(now, is)
	if !ok || len(old.twins) < 2 && len(r.twins) < 2 {
		return nil
	}
	said, says := old.words(old.at), r.words(r.at)
	other := slices.Contains(r.others(), said) || slices.Contains(old.others(), says)
	if said == says || said == "" || says == "" || !other && mostly(said, says) {
		return nil // or something in it has changed, as a price does
	}
	return fmt.Errorf("%w: %s was meant beside %q, it stands beside %q now", ErrMismatch, fingerprint(&now.Nodes[r.twins[r.at]]), shortly(said), shortly(says))
}

// keepsSurroundings is keepsRow for an element whose surroundings were stored,
// without the values of variables.
func (p *Page) keepsSurroundings(old *Surroundings, now *Snapshot, is driver.NodeRef) error {
	if n, ok := now.Find(is); ok && onRow(n) && old != nil {
		return p.keepsStoredCell(old, now, n)
	}
	r, ok := rowOf(now, is)
	if old == nil || !ok || old.Alike < 2 && len(r.twins) < 2 {
		return nil
	}
	hide := p.session.secrets.hide
	says := r.told(r.at, hide)
	other := false
	for i := range r.twins {
		other = other || i != r.at && r.told(i, hide) == old.Row
	}
	if old.Row == says || old.Row == "" || says == "" || !other && mostly(old.Row, says) {
		return nil
	}
	return fmt.Errorf("%w: %s was meant beside %q, it stands beside %q now", ErrMismatch, fingerprint(&now.Nodes[r.twins[r.at]]), shortly(old.Row), shortly(says))
}

// surroundings are those of the row's element.
func (r row) surroundings(hide func(string) string) *Surroundings {
	return &Surroundings{Row: r.told(r.at, hide), Alike: len(r.twins)}
}

// surroundingsIn are those of an element of a reading; nil of what it does not show.
func surroundingsIn(snap *Snapshot, node driver.NodeRef, hide func(string) string) *Surroundings {
	if n, ok := snap.Find(node); ok && onRow(n) {
		return surroundingsOfCell(snap, n)
	}
	if r, ok := rowOf(snap, node); ok {
		return r.surroundings(hide)
	}
	return nil
}

// surroundingsOf tells of the surroundings of elements of a reading; nil of what it
// does not show. Who asks for many does not pay for each.
func surroundingsOf(snap *Snapshot, hide func(string) string) func(driver.NodeRef) *Surroundings {
	alike := map[Fingerprint][]int32{}
	for i := range snap.Nodes {
		print := fingerprint(&snap.Nodes[i])
		alike[print] = append(alike[print], int32(i))
	}
	var cells map[string]int // what cells say, once one is asked for
	return func(node driver.NodeRef) *Surroundings {
		n, ok := snap.Find(node)
		if !ok {
			return nil
		}
		if onRow(n) {
			if cells == nil {
				cells = cellTexts(snap)
			}
			return &Surroundings{Row: rowWords(&snap.Nodes[n.Parent]), Alike: cells[n.Name]}
		}
		r := row{snap: snap, twins: alike[fingerprint(n)]}
		r.at = slices.IndexFunc(r.twins, func(i int32) bool { return snap.Nodes[i].Ref == n.Ref })
		return r.surroundings(hide)
	}
}

// inSameRow returns the only element that stands in the row of one that was
// there, and looks like it.
func inSameRow(before *Snapshot, was driver.NodeRef, now *Snapshot) (driver.NodeRef, bool) {
	old, ok := rowOf(before, was)
	if !ok || slices.Contains(old.others(), old.words(old.at)) {
		return driver.NodeRef{}, false
	}
	r := row{snap: now, twins: twinsOf(now, fingerprint(&before.Nodes[old.twins[old.at]]))}
	var found []driver.NodeRef
	for i := range r.twins {
		if said := r.words(i); said != "" && said == old.words(old.at) {
			found = append(found, now.Nodes[r.twins[i]].Source)
		}
	}
	if len(found) != 1 {
		return driver.NodeRef{}, false
	}
	return found[0], true
}

// mostBeside bounds what of a row is looked at, in letters before an element and
// in letters behind it.
const mostBeside = 300

// words are what is written around the ith of the twins, with single spaces:
// in the smallest part of the page that says something else and does not hold
// another of them. Where others stand right beside it, it is what stands between
// it and the one before, else what stands between it and the one behind.
func (r row) words(i int) string { return r.told(i, squeeze) }

// told are the words as hide has them. It gets more than is told: what is cut off
// in the middle could not be found.
func (r row) told(i int, hide func(string) string) string {
	at := r.twins[i]
	nodes := r.snap.Nodes
	for up := nodes[at].Parent; up >= 0; up = nodes[up].Parent {
		start, end := up, nodes[up].End
		shared := i > 0 && r.twins[i-1] >= start || i+1 < len(r.twins) && r.twins[i+1] < end
		if shared {
			start, end = beside(r.snap, r.twins, at, up)
		}
		ahead := lastWords(hide(writtenBefore(nodes[min(start, at):at])))
		behind := firstWords(hide(writtenAfter(nodes[min(nodes[at].End, end):end])))
		switch {
		case shared:
			return cmp.Or(ahead, behind)
		case ahead != "" || behind != "":
			return squeeze(ahead + " " + behind)
		}
	}
	return ""
}

// others are the words around the other twins.
func (r row) others() []string {
	var all []string
	for i := range r.twins {
		if words := r.words(i); i != r.at && words != "" {
			all = append(all, words)
		}
	}
	return all
}

// writtenBefore are the last names and cells of nodes, each whole, and twice as
// much as is told of them.
func writtenBefore(nodes []accessibility.Node) string {
	var parts []string
	for i, letters := len(nodes)-1, 0; i >= 0 && letters < 2*mostBeside; i-- {
		said := written(&nodes[i])
		letters += len(said)
		parts = append(parts, said)
	}
	slices.Reverse(parts)
	return squeeze(strings.Join(parts, " "))
}

// writtenAfter are the first ones.
func writtenAfter(nodes []accessibility.Node) string {
	var b strings.Builder
	for i := range nodes {
		if b.Len() >= 2*mostBeside {
			break
		}
		b.WriteString(written(&nodes[i]) + " ")
	}
	return squeeze(b.String())
}

// lastWords are as many of the last words as are told.
func lastWords(words string) string {
	if len(words) <= mostBeside {
		return words
	}
	_, whole, _ := strings.Cut(words[len(words)-mostBeside:], " ")
	return whole
}

// firstWords are as many of the first.
func firstWords(words string) string {
	if len(words) <= mostBeside {
		return words
	}
	return words[:max(0, strings.LastIndexByte(words[:mostBeside], ' '))]
}

// written are the name and the cells of a node.
func written(n *accessibility.Node) string {
	if len(n.Cells) == 0 {
		return n.Name
	}
	words := n.Name
	for _, c := range n.Cells {
		words += " " + c.Text
	}
	return words
}

// mostly reports that more than half of the words are there still.
func mostly(said, says string) bool {
	words, now := strings.Fields(said), strings.Fields(says)
	kept := 0
	for _, w := range words {
		if slices.Contains(now, w) {
			kept++
		}
	}
	return 2*kept > len(words)
}

// shortly is the beginning of what is written.
func shortly(words string) string {
	const most = 60
	if text := []rune(words); len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return words
}
