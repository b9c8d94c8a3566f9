package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/twins"
)

// An identifier verifies that an element still is the one that was meant: by what it is,
// and by what is around it.
type identifier struct{ page *Page }

func fingerprint(n *accessibility.Node) Fingerprint {
	return Fingerprint{Role: string(n.Role), Name: n.Name, Tag: n.Tag}
}

// checkRow verifies that an element with twins is in the row that it was in. A
// list that re-renders and keeps its nodes shows another row at the same node,
// with a button of the same name.
func checkRow(before *Snapshot, was driver.NodeRef, now *Snapshot, is driver.NodeRef) error {
	if n, ok := before.Find(was); ok && isInlineCell(n) {
		cell, ok := now.Find(is)
		if !ok || !isInlineCell(cell) {
			return nil // it has a line of its own now, with the same text
		}
		return surroundingsOfCell(before, n).checkCell(now, cell, squeeze)
	}
	old, ok := rowOf(before, was, squeeze)
	if !ok {
		return nil
	}
	r, ok := rowOf(now, is, squeeze)
	if !ok {
		return nil
	}
	if len(old.Nodes) < 2 && len(r.Nodes) < 2 {
		if old.Head() == r.Head() {
			return nil
		}
		return r.mismatch(old.Head(), r.Head())
	}
	words := old.Text()
	switch {
	case words == "", r.Says(r.At, words):
		return nil
	case old.BeginsAlone() && r.BeginsAlone() && old.Begin(old.At) == r.Begin(r.At) && mostlySame(words, r.Text()):
		return nil // a part of it changed, such as a price
	}
	return r.mismatch(words, r.Text())
}

// checkSurroundings is checkRow against stored surroundings, which hold no
// values of variables.
func (i *identifier) checkSurroundings(old *Surroundings, now *Snapshot, is driver.NodeRef) error {
	hide := i.page.session.secrets.hide
	if n, ok := now.Find(is); ok && isInlineCell(n) && old != nil {
		return old.checkCell(now, n, hide)
	}
	r, ok := rowOf(now, is, hide)
	if old == nil || !ok {
		return nil
	}
	return old.check(r)
}

// check verifies that a row can be the one that was meant: it says what that said, or
// begins as that did, as no other does, and says most of the rest.
func (s *Surroundings) check(r row) error {
	switch {
	case s.Alike < 2 && len(r.Nodes) < 2 && r.Head() == s.Head, // nothing else looks like it
		s.saidBy(r) && (s.Alike == len(r.Nodes) || !r.AlsoSays(s.Row)),
		s.Row == "" && s.Alike == len(r.Nodes), // only its place tells
		s.partlySaidBy(r):
		return nil
	}
	if s.Alike < 2 && len(r.Nodes) < 2 {
		return r.mismatch(s.Head, r.Head())
	}
	return r.mismatch(s.Row, r.Text())
}

func (s *Surroundings) saidBy(r row) bool { return s.Row != "" && r.Says(r.At, s.Row) }

// partlySaidBy reports whether a row is the one that was meant, and a part of it has
// changed, such as a price: no two rows begin the same, and this one begins as that did.
// Where rows begin with a state instead, another one may be in it by now, with many of the
// same words: then a third has as many of them, or there are more rows or fewer.
func (s *Surroundings) partlySaidBy(r row) bool {
	if s.Alike < 2 || s.Alike != len(r.Nodes) || !strings.HasPrefix(s.Row+" ", r.Begin(r.At)+" ") {
		return false
	}
	for i := range r.Nodes {
		if !(twins.Row{Twins: r.Twins, At: i}).BeginsAlone() {
			return false
		}
	}
	said, texts := without(s.Row, r.Name()), r.Parts()
	for i, text := range texts {
		if i != r.At && sharedWords(said, text) >= sharedWords(said, texts[r.At]) {
			return false
		}
	}
	return mostlySame(said, texts[r.At])
}

// surroundingsIn returns the surroundings of an element of a reading, nil if it
// is not shown.
func surroundingsIn(snap *Snapshot, node driver.NodeRef, hide func(string) string) *Surroundings {
	if n, ok := snap.Find(node); ok && isInlineCell(n) {
		return surroundingsOfCell(snap, n)
	}
	if r, ok := rowOf(snap, node, hide); ok {
		return r.surroundings()
	}
	return nil
}

// inSameRow returns the only element that looks like a former one and is in its
// row.
func inSameRow(before *Snapshot, was driver.NodeRef, now *Snapshot) (driver.NodeRef, bool) {
	old, ok := rowOf(before, was, squeeze)
	if !ok {
		return driver.NodeRef{}, false
	}
	words := old.Text()
	if words == "" || old.AlsoSays(words) {
		return driver.NodeRef{}, false
	}
	t := twins.New(now, twinsOf(now, fingerprint(old.Node(old.At))), squeeze)
	var found []driver.NodeRef
	for i := range t.Nodes {
		if t.Says(i, words) {
			found = append(found, t.Node(i).Source)
		}
	}
	if len(found) != 1 {
		return driver.NodeRef{}, false
	}
	return found[0], true
}

// findAgain finds the element that replaced another since it was read: the only
// one in the same document that looks the same, or the only one of these in the
// same row.
func (i *identifier) findAgain(ctx context.Context, before *Snapshot, lost driver.NodeRef, want Fingerprint) (driver.NodeRef, error) {
	i.page.last = reading{}
	if _, err := i.page.capture(ctx); err != nil {
		return driver.NodeRef{}, err
	}
	snap := i.page.build(nil)
	want = i.page.session.secrets.hidePrint(want)
	var same []*accessibility.Node
	add := func(n *accessibility.Node) {
		if n.Source.Frame == lost.Frame && n.Source.Doc == lost.Doc && i.page.session.secrets.hidePrint(fingerprint(n)) == want {
			same = append(same, n)
		}
	}
	was, cell := before.Find(lost)
	cell = cell && isInlineCell(was)
	for i := range snap.Nodes {
		n := &snap.Nodes[i]
		if !cell {
			add(n)
		} else if twins.Cells(n) == twins.Cells(&before.Nodes[was.Parent]) {
			for _, c := range cellsOf(snap, n) {
				add(c)
			}
		}
	}
	switch len(same) {
	case 0:
		return driver.NodeRef{}, fmt.Errorf("%w: %s is no longer on the page", ErrNotFound, want)
	case 1:
		return same[0].Source, checkRow(before, lost, snap, same[0].Source)
	}
	if again, ok := inSameRow(before, lost, snap); ok {
		return again, nil
	}
	return driver.NodeRef{}, &AmbiguousError{Selector: want.String(), Candidates: candidates(same), Count: len(same)}
}

// isInlineCell reports a table cell that is shown on its row's line and has no
// line of its own.
func isInlineCell(n *accessibility.Node) bool { return strings.Contains(string(n.Ref), ":") }

// cellsOf returns the inline cells of a row.
func cellsOf(snap *Snapshot, row *accessibility.Node) []*accessibility.Node {
	var cells []*accessibility.Node
	for i := range row.Cells {
		if row.Cells[i].Reach != accessibility.NoReach {
			continue
		}
		if n, ok := snap.Lookup(row.Ref.Cell(i + 1)); ok && isInlineCell(n) {
			cells = append(cells, n)
		}
	}
	return cells
}

// surroundingsOfCell returns the surroundings of an inline cell.
func surroundingsOfCell(snap *Snapshot, cell *accessibility.Node) *Surroundings {
	return &Surroundings{Row: twins.Cells(&snap.Nodes[cell.Parent]), Alike: cellTexts(snap)[cell.Name]}
}

// cellTexts counts the texts of inline cells.
func cellTexts(snap *Snapshot) map[string]int {
	counts := map[string]int{}
	for i := range snap.Nodes {
		for _, c := range snap.Nodes[i].Cells {
			counts[c.Text]++
		}
	}
	return counts
}

// checkCell verifies that a cell with twins is in the row that was meant: the row says what
// that said, or it begins with the same cell, as no other row does, and says most of the rest.
func (s *Surroundings) checkCell(now *Snapshot, cell *accessibility.Node, hide func(string) string) error {
	row := &now.Nodes[cell.Parent]
	words, first := hide(twins.Cells(row)), hide(squeeze(row.Cells[0].Text))
	if s.Alike < 2 && cellTexts(now)[cell.Name] < 2 || s.Row == words {
		return nil
	}
	other := slices.ContainsFunc(now.Nodes, func(n accessibility.Node) bool {
		return len(n.Cells) > 0 && n.Ref != row.Ref && (hide(squeeze(n.Cells[0].Text)) == first || hide(twins.Cells(&n)) == s.Row)
	})
	if !other && first != "" && strings.HasPrefix(s.Row+" ", first+" ") && mostlySame(s.Row, words) {
		return nil
	}
	return fmt.Errorf("%w: a cell of the row %q was meant, it is in the row %q now", ErrMismatch, abbreviate(s.Row), abbreviate(words))
}

// pressedCells returns the cells of a row that take presses and say something, like
// the days of a month. What is empty is found by its row.
func pressedCells(snap *Snapshot, row *accessibility.Node) []*accessibility.Node {
	if !slices.ContainsFunc(row.Cells, func(c accessibility.Cell) bool { return c.Interactive && c.Text != "" }) {
		return nil
	}
	return slices.DeleteFunc(cellsOf(snap, row), func(n *accessibility.Node) bool { return !n.Interactive || n.Name == "" })
}

// coveredBy adds what lies on top of an element.
func coveredBy(snap *Snapshot, e *CoveredError, node, hit driver.NodeRef) *CoveredError {
	at, ok := placeOf(snap.Capture, hit)
	if !ok {
		return e
	}
	// A common ancestor says nothing about what lies on top.
	if n, ok := snap.Nearest(hit); ok && !encloses(snap.Capture, n.Source, node) {
		e.Ref, e.By = n.Ref, fingerprint(n).String()
	} else {
		e.By = at.describe()
	}
	return e
}

// pressableAround returns what takes clicks close around an element, and around what
// covers it if that is known; empty if nothing does, or it holds other controls, too.
func pressableAround(snap *Snapshot, node, hit driver.NodeRef) accessibility.Ref {
	const levels = 3
	inner, ok := snap.Nearest(node)
	if !ok {
		return ""
	}
	at := inner.Parent
	for level := 1; at >= 0 && (!snap.Nodes[at].Interactive || !hit.IsZero() && !encloses(snap.Capture, snap.Nodes[at].Source, hit)); level++ {
		if at = snap.Nodes[at].Parent; level == levels {
			return ""
		}
	}
	if at < 0 {
		return ""
	}
	outer := &snap.Nodes[at]
	for i := at + 1; i < outer.End; i++ {
		if n := &snap.Nodes[i]; n != inner && n.Interactive && n.Role != "generic" {
			return ""
		}
	}
	return outer.Ref
}

// checkElement verifies that an element with a fingerprint still is what it was in the
// reading in which it was last verified, and in its row. It reports whether the page has
// changed since.
func (i *identifier) checkElement(ctx context.Context, el *element) (changed bool, _ error) {
	if el.print == nil {
		return false, nil
	}
	if _, err := i.page.capture(ctx); err != nil {
		return false, err
	}
	if i.page.last.capture == el.known.capture {
		return false, nil
	}
	now := i.page.build(nil)
	err := i.verify(now, el.node, el.print)
	switch {
	case err != nil:
	case el.known.capture == nil:
		err = i.checkSurroundings(el.around, now, el.node)
	default:
		err = checkRow(el.known.snapshot(), el.node, now, el.node)
	}
	if err == nil { // one that failed is not to pass at the next look
		el.known = i.page.last
	}
	return true, err
}

// An unshownError means that the element exists but the page does not show it.
type unshownError struct{ want *Fingerprint }

func (e *unshownError) Error() string {
	return fmt.Sprintf("%v: %s was meant, and what is there now says nothing of itself", ErrMismatch, e.want)
}

func (e *unshownError) Unwrap() error { return ErrMismatch }

// verify compares an element of a snapshot with the fingerprint of the action
// that names it.
func (i *identifier) verify(snap *Snapshot, node driver.NodeRef, want *Fingerprint) error {
	if want == nil {
		return nil
	}
	found, ok := snap.Find(node)
	if !ok {
		return &unshownError{want}
	}
	// The fingerprint was stored without values of variables.
	if got := fingerprint(found); got != *want && i.page.session.secrets.hidePrint(got) != i.page.session.secrets.hidePrint(*want) {
		return fmt.Errorf("%w: %s was meant, %s is there", ErrMismatch, want, got)
	}
	return nil
}
