package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// An identifier verifies that an element still is the one that was meant: by what it is,
// and by what is around it.
type identifier struct{ page *Page }

func fingerprint(n *accessibility.Node) Fingerprint {
	return Fingerprint{Role: string(n.Role), Name: n.Name, Tag: n.Tag}
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

// A row is one of several elements that look the same, with the text right
// around it: of its list item or table row.
type row struct {
	snap  *Snapshot
	twins []int32
	ends  []int32 // of each twin: the furthest end of a twin before it
	at    int     // in twins
}

func newRow(snap *Snapshot, twins []int32) row {
	ends := make([]int32, len(twins))
	for i := 1; i < len(twins); i++ {
		ends[i] = max(ends[i-1], snap.Nodes[twins[i-1]].End)
	}
	return row{snap: snap, twins: twins, ends: ends}
}

// rowOf returns the row of an element. ok is false if it is not on the page.
func rowOf(snap *Snapshot, node driver.NodeRef) (row, bool) {
	n, ok := snap.Find(node)
	if !ok {
		return row{}, false
	}
	r := newRow(snap, twinsOf(snap, fingerprint(n)))
	r.at = slices.IndexFunc(r.twins, func(i int32) bool { return snap.Nodes[i].Ref == n.Ref })
	return r, r.at >= 0
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
		old, around := surroundingsOfCell(before, n), surroundingsOfCell(now, cell)
		return checkCellRow(old, around, hasRow(now, old.Row, squeeze) || hasRow(before, around.Row, squeeze))
	}
	old, ok := rowOf(before, was)
	if !ok {
		return nil
	}
	r, ok := rowOf(now, is)
	if !ok || len(old.twins) < 2 && len(r.twins) < 2 {
		return nil
	}
	oldWords, newWords := old.words(old.at), r.words(r.at)
	other := slices.Contains(r.others(), oldWords) || slices.Contains(old.others(), newWords)
	if oldWords == newWords || oldWords == "" || newWords == "" || !other && mostlySame(oldWords, newWords) {
		return nil // or a part of it changed, such as a price
	}
	return fmt.Errorf("%w: %s was meant beside %q, it stands beside %q now", ErrMismatch, fingerprint(&now.Nodes[r.twins[r.at]]), abbreviate(oldWords), abbreviate(newWords))
}

// checkSurroundings is checkRow against stored surroundings, which hold no
// values of variables.
func (i *identifier) checkSurroundings(old *Surroundings, now *Snapshot, is driver.NodeRef) error {
	hide := i.page.session.secrets.hide
	if n, ok := now.Find(is); ok && isInlineCell(n) && old != nil {
		around := surroundingsOfCell(now, n)
		around.Row = hide(around.Row)
		return checkCellRow(old, around, hasRow(now, old.Row, hide))
	}
	r, ok := rowOf(now, is)
	if old == nil || !ok {
		return nil
	}
	n := &now.Nodes[r.twins[r.at]]
	if head := hide(now.HeadOfRow(n)); !old.headFits(head) {
		return fmt.Errorf("%w: %s was meant beside %q, it stands beside %q now", ErrMismatch, fingerprint(n), abbreviate(old.Head), abbreviate(head))
	}
	if old.Alike < 2 && len(r.twins) < 2 {
		return nil
	}
	newWords := r.text(r.at, hide)
	if old.Row == newWords || old.Row == "" || newWords == "" {
		return nil
	}
	// A part of the row may have changed, such as a price. Another row may be at its
	// place, too, with many of the same words: then a third one has as many of them, or
	// there are more or fewer rows than there were.
	said := without(old.Row, hide(n.Name))
	closest := old.Alike == len(r.twins) && mostlySame(said, newWords)
	for i := range r.twins {
		closest = closest && (i == r.at || sharedWords(said, r.text(i, hide)) < sharedWords(said, newWords))
	}
	if closest {
		return nil
	}
	return fmt.Errorf("%w: %s was meant beside %q, it stands beside %q now", ErrMismatch, fingerprint(n), abbreviate(old.Row), abbreviate(newWords))
}

// headFits reports whether a row that begins so can be the one that was meant. A part of
// its first text may have changed, such as a count.
func (s *Surroundings) headFits(now string) bool {
	return s == nil || s.Head == "" || now == s.Head || mostlySame(s.Head, now)
}

// surroundings returns those of the row's element.
func (r row) surroundings(hide func(string) string) *Surroundings {
	return &Surroundings{Row: r.text(r.at, hide), Alike: len(r.twins), Head: hide(r.snap.HeadOfRow(&r.snap.Nodes[r.twins[r.at]]))}
}

// surroundingsIn returns the surroundings of an element of a reading, nil if it
// is not shown.
func surroundingsIn(snap *Snapshot, node driver.NodeRef, hide func(string) string) *Surroundings {
	if n, ok := snap.Find(node); ok && isInlineCell(n) {
		return surroundingsOfCell(snap, n)
	}
	if r, ok := rowOf(snap, node); ok {
		return r.surroundings(hide)
	}
	return nil
}

// surroundingsOf returns a function like surroundingsIn that shares its work
// between many elements: together they take time linear in the page.
func surroundingsOf(snap *Snapshot, hide func(string) string) func(driver.NodeRef) *Surroundings {
	numbers := map[Fingerprint]int32{} // in twins
	var twins [][]int32
	type position struct{ number, at int32 } // in twins, and among them
	positions := make(map[*accessibility.Node]position, len(snap.Nodes))
	for i := range snap.Nodes {
		n := &snap.Nodes[i]
		number, ok := numbers[fingerprint(n)]
		if !ok {
			number = int32(len(twins))
			numbers[fingerprint(n)] = number
			twins = append(twins, nil)
		}
		positions[n] = position{number, int32(len(twins[number]))}
		twins[number] = append(twins[number], int32(i))
	}
	rows := make([]row, len(twins)) // computed on first use
	var cells map[string]int        // computed on first use
	var last struct {               // the row of cells that was asked for last
		row   *accessibility.Node
		words string
	}
	return func(node driver.NodeRef) *Surroundings {
		n, ok := snap.Find(node)
		if !ok {
			return nil
		}
		if isInlineCell(n) {
			if cells == nil {
				cells = cellTexts(snap)
			}
			if up := &snap.Nodes[n.Parent]; up != last.row {
				last.row, last.words = up, rowWords(up)
			}
			return &Surroundings{Row: last.words, Alike: cells[n.Name]}
		}
		p := positions[n]
		if rows[p.number].snap == nil {
			rows[p.number] = newRow(snap, twins[p.number])
		}
		r := rows[p.number]
		r.at = int(p.at)
		return r.surroundings(hide)
	}
}

// inSameRow returns the only element that looks like a former one and is in its
// row.
func inSameRow(before *Snapshot, was driver.NodeRef, now *Snapshot) (driver.NodeRef, bool) {
	old, ok := rowOf(before, was)
	if !ok || slices.Contains(old.others(), old.words(old.at)) {
		return driver.NodeRef{}, false
	}
	r := newRow(now, twinsOf(now, fingerprint(&before.Nodes[old.twins[old.at]])))
	var found []driver.NodeRef
	for i := range r.twins {
		if words := r.words(i); words != "" && words == old.words(old.at) {
			found = append(found, now.Nodes[r.twins[i]].Source)
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
		} else if rowWords(n) == rowWords(&before.Nodes[was.Parent]) {
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

// maxBeside bounds, in bytes, how much text before and after an element belongs
// to its row.
const maxBeside = 300

// words returns the text around the ith twin, with single spaces: that of the
// smallest part of the page that has text of its own and holds no other twin.
// If other twins are right beside it, it is the text since the one before, else
// the text up to the one after.
func (r row) words(i int) string { return r.text(i, squeeze) }

// text returns the words after hide. hide gets more text than is returned,
// because it would not find a value that is cut off.
func (r row) text(i int, hide func(string) string) string {
	at := r.twins[i]
	nodes := r.snap.Nodes
	for up := nodes[at].Parent; up >= 0; up = nodes[up].Parent {
		start, end := up, nodes[up].End
		shared := i > 0 && r.twins[i-1] >= start || i+1 < len(r.twins) && r.twins[i+1] < end
		if shared {
			start, end = r.between(i, up)
		}
		ahead := lastWords(hide(textBefore(nodes[min(start, at):at])))
		behind := firstWords(hide(textAfter(nodes[min(nodes[at].End, end):end])))
		switch {
		case shared:
			return cmp.Or(ahead, behind)
		case ahead != "" || behind != "":
			return squeeze(ahead + " " + behind)
		}
	}
	return ""
}

// others returns the words around the other twins.
func (r row) others() []string {
	var all []string
	for i := range r.twins {
		if words := r.words(i); i != r.at && words != "" {
			all = append(all, words)
		}
	}
	return all
}

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

// nodeText returns the name and the cells of a node.
func nodeText(n *accessibility.Node) string {
	if len(n.Cells) == 0 {
		return n.Name
	}
	words := n.Name
	for _, c := range n.Cells {
		words += " " + c.Text
	}
	return words
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

// wordsOf returns the different words of a text. What stands between the cells of a
// table's row is none.
func wordsOf(text string) []string {
	words := slices.DeleteFunc(strings.Fields(text), func(w string) bool { return w == "|" })
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

// between returns the range between the ith twin's neighbours, within a common
// parent.
func (r row) between(i int, parent int32) (start, end int32) {
	start, end = max(parent+1, r.ends[i]), r.snap.Nodes[parent].End
	if i+1 < len(r.twins) {
		end = min(end, r.twins[i+1])
	}
	return start, end
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
	return &Surroundings{Row: rowWords(&snap.Nodes[cell.Parent]), Alike: cellTexts(snap)[cell.Name]}
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

// rowWords returns the text of a row's inline cells.
func rowWords(row *accessibility.Node) string {
	var words []string
	for _, c := range row.Cells {
		words = append(words, c.Text)
	}
	return squeeze(strings.Join(words, " "))
}

// hasRow reports whether a table row has exactly this text, once it is hidden.
func hasRow(snap *Snapshot, words string, hide func(string) string) bool {
	return slices.ContainsFunc(snap.Nodes, func(n accessibility.Node) bool { return len(n.Cells) > 0 && hide(rowWords(&n)) == words })
}

// checkCellRow compares the row of a cell that has twins with what it was.
// other says that one of the two is another row of the page.
func checkCellRow(old, now *Surroundings, other bool) error {
	if old.Alike < 2 && now.Alike < 2 || old.Row == now.Row || !other && mostlySame(old.Row, now.Row) {
		return nil
	}
	return fmt.Errorf("%w: a cell of the row %q was meant, it is in the row %q now", ErrMismatch, abbreviate(old.Row), abbreviate(now.Row))
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

// verify compares an element of a snapshot with the fingerprint of the action
// that names it.
func (i *identifier) verify(snap *Snapshot, node driver.NodeRef, want *Fingerprint) error {
	if want == nil {
		return nil
	}
	found, ok := snap.Find(node)
	if !ok {
		return fmt.Errorf("%w: %s was meant, and what is there now says nothing of itself", ErrMismatch, want)
	}
	// The fingerprint was stored without values of variables.
	if got := fingerprint(found); got != *want && i.page.session.secrets.hidePrint(got) != i.page.session.secrets.hidePrint(*want) {
		return fmt.Errorf("%w: %s was meant, %s is there", ErrMismatch, want, got)
	}
	return nil
}
