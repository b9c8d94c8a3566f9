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

// A Fingerprint tells whether an element is the one that was meant.
type Fingerprint struct {
	Role string `json:"role"`
	Name string `json:"name"`
	Tag  string `json:"tag"`
}

func (f Fingerprint) String() string {
	if f.Name == "" {
		return f.Role
	}
	return fmt.Sprintf("%s %q", f.Role, f.Name)
}

// Surroundings tell an element from others that look the same, as the button of
// one product from those of the others.
type Surroundings struct {
	// Row is what is written right around the element: in its list item, its
	// line of a table. What was far from it in a long one is not in it.
	Row string `json:"row"`
	// Alike is how many elements looked the same, it included.
	Alike int `json:"alike"`
}

func fingerprint(n *accessibility.Node) Fingerprint {
	return Fingerprint{Role: string(n.Role), Name: n.Name, Tag: n.Tag}
}

// verify holds an element of a snapshot against the fingerprint of the action
// that names it.
func (p *Page) verify(snap *Snapshot, node driver.NodeRef, want *Fingerprint) error {
	if want == nil {
		return nil
	}
	found, ok := snap.Find(node)
	if !ok {
		return fmt.Errorf("%w: %s was meant, and what is there now says nothing of itself", ErrMismatch, want)
	}
	// A name that holds the value of a variable was stored without it.
	if got := fingerprint(found); got != *want && p.session.hidePrint(got) != p.session.hidePrint(*want) {
		return fmt.Errorf("%w: %s was meant, %s is there", ErrMismatch, want, got)
	}
	return nil
}

// verifyNow holds an element against a fingerprint as the page is now: a list
// uses its nodes again for other rows. What has not changed since the last look is
// not read again.
func (p *Page) verifyNow(ctx context.Context, node driver.NodeRef, want *Fingerprint) error {
	if want == nil {
		return nil
	}
	if _, err := p.capture(ctx); err != nil {
		return err
	}
	return p.verify(p.build(nil), node, want)
}

// findAgain finds the element that took the place of one that was replaced
// since it was read: the only one in the same document that looks the same, or
// the only one of these that stands in the same row.
func (p *Page) findAgain(ctx context.Context, before *Snapshot, lost driver.NodeRef, want Fingerprint) (driver.NodeRef, error) {
	p.last = reading{}
	if _, err := p.capture(ctx); err != nil {
		return driver.NodeRef{}, err
	}
	snap := p.build(nil)
	want = p.session.hidePrint(want)
	var same []*accessibility.Node
	add := func(n *accessibility.Node) {
		if n.Source.Frame == lost.Frame && n.Source.Doc == lost.Doc && p.session.hidePrint(fingerprint(n)) == want {
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
	e := &AmbiguousError{Selector: want.String(), Count: len(same)}
	for _, n := range same[:min(len(same), maxAmbiguousNamed)] {
		e.Candidates = append(e.Candidates, candidate(n))
	}
	return driver.NodeRef{}, e
}

// candidate names an element for a choice among several.
func candidate(n *accessibility.Node) string {
	return fmt.Sprintf("[%s] %s", n.Ref, fingerprint(n))
}

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

// checkRow makes sure that an element which others look like is in the row that
// it was in. A list that renders anew and keeps its nodes shows another row at
// the same node, and the button in it is called Remove as before.
func checkRow(before *Snapshot, was driver.NodeRef, now *Snapshot, is driver.NodeRef) error {
	if n, ok := before.Find(was); ok && isInlineCell(n) {
		return checkCell(before, n, now, is)
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
	if said == says || said == "" || says == "" || !other && mostlySame(said, says) {
		return nil // or something in it has changed, as a price does
	}
	return fmt.Errorf("%w: %s was meant beside %q, it stands beside %q now", ErrMismatch, fingerprint(&now.Nodes[r.twins[r.at]]), abbreviate(said), abbreviate(says))
}

// checkSurroundings is checkRow for an element whose surroundings were stored,
// without the values of variables.
func (p *Page) checkSurroundings(old *Surroundings, now *Snapshot, is driver.NodeRef) error {
	if n, ok := now.Find(is); ok && isInlineCell(n) && old != nil {
		return p.checkStoredCell(old, now, n)
	}
	r, ok := rowOf(now, is)
	if old == nil || !ok || old.Alike < 2 && len(r.twins) < 2 {
		return nil
	}
	hide := p.session.secrets.hide
	says := r.text(r.at, hide)
	other := false
	for i := range r.twins {
		other = other || i != r.at && r.text(i, hide) == old.Row
	}
	if old.Row == says || old.Row == "" || says == "" || !other && mostlySame(old.Row, says) {
		return nil
	}
	return fmt.Errorf("%w: %s was meant beside %q, it stands beside %q now", ErrMismatch, fingerprint(&now.Nodes[r.twins[r.at]]), abbreviate(old.Row), abbreviate(says))
}

// surroundings are those of the row's element.
func (r row) surroundings(hide func(string) string) *Surroundings {
	return &Surroundings{Row: r.text(r.at, hide), Alike: len(r.twins)}
}

// surroundingsIn are those of an element of a reading; nil of what it does not show.
func surroundingsIn(snap *Snapshot, node driver.NodeRef, hide func(string) string) *Surroundings {
	if n, ok := snap.Find(node); ok && isInlineCell(n) {
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
		if isInlineCell(n) {
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

// maxBeside bounds what of a row is looked at, in letters before an element and
// in letters behind it.
const maxBeside = 300

// words are what is written around the ith of the twins, with single spaces:
// in the smallest part of the page that says something else and does not hold
// another of them. Where others stand right beside it, it is what stands between
// it and the one before, else what stands between it and the one behind.
func (r row) words(i int) string { return r.text(i, squeeze) }

// text are the words as hide has them. It gets more than is told: what is cut off
// in the middle could not be found.
func (r row) text(i int, hide func(string) string) string {
	at := r.twins[i]
	nodes := r.snap.Nodes
	for up := nodes[at].Parent; up >= 0; up = nodes[up].Parent {
		start, end := up, nodes[up].End
		shared := i > 0 && r.twins[i-1] >= start || i+1 < len(r.twins) && r.twins[i+1] < end
		if shared {
			start, end = between(r.snap, r.twins, at, up)
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

// textBefore are the last names and cells of nodes, each whole, and twice as
// much as is told of them.
func textBefore(nodes []accessibility.Node) string {
	var parts []string
	for i, letters := len(nodes)-1, 0; i >= 0 && letters < 2*maxBeside; i-- {
		said := nodeText(&nodes[i])
		letters += len(said)
		parts = append(parts, said)
	}
	slices.Reverse(parts)
	return squeeze(strings.Join(parts, " "))
}

// textAfter are the first ones.
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

// lastWords are as many of the last words as are told.
func lastWords(words string) string {
	if len(words) <= maxBeside {
		return words
	}
	_, whole, _ := strings.Cut(words[len(words)-maxBeside:], " ")
	return whole
}

// firstWords are as many of the first.
func firstWords(words string) string {
	if len(words) <= maxBeside {
		return words
	}
	return words[:max(0, strings.LastIndexByte(words[:maxBeside], ' '))]
}

// nodeText are the name and the cells of a node.
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

// mostlySame reports that more than half of the words are there still.
func mostlySame(said, says string) bool {
	words, now := strings.Fields(said), strings.Fields(says)
	kept := 0
	for _, w := range words {
		if slices.Contains(now, w) {
			kept++
		}
	}
	return 2*kept > len(words)
}

// abbreviate is the beginning of what is written.
func abbreviate(words string) string {
	const most = 60
	if text := []rune(words); len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return words
}

// between returns what lies between the twin before and the twin after a node,
// within a common parent.
func between(snap *Snapshot, twins []int32, at, parent int32) (start, end int32) {
	start, end = parent+1, snap.Nodes[parent].End
	for _, twin := range twins {
		switch {
		case twin < at:
			start = max(start, snap.Nodes[twin].End)
		case twin > at:
			return start, min(end, twin)
		}
	}
	return start, end
}

// isInlineCell reports that a node is a cell which stands on its row's line, and has
// none of its own.
func isInlineCell(n *accessibility.Node) bool { return strings.Contains(string(n.Ref), ":") }

// cellsOf are the cells on the line of a row.
func cellsOf(snap *Snapshot, row *accessibility.Node) []*accessibility.Node {
	var cells []*accessibility.Node
	for i := range row.Cells {
		if n, ok := snap.Lookup(row.Ref.Cell(i + 1)); ok && isInlineCell(n) {
			cells = append(cells, n)
		}
	}
	return cells
}

// surroundingsOfCell are those of a cell that stands on its row's line.
func surroundingsOfCell(snap *Snapshot, cell *accessibility.Node) *Surroundings {
	return &Surroundings{Row: rowWords(&snap.Nodes[cell.Parent]), Alike: cellTexts(snap)[cell.Name]}
}

// cellTexts counts what the cells on rows' lines say.
func cellTexts(snap *Snapshot) map[string]int {
	counts := map[string]int{}
	for i := range snap.Nodes {
		for _, c := range snap.Nodes[i].Cells {
			counts[c.Text]++
		}
	}
	return counts
}

// rowWords is what the cells on a row's line say.
func rowWords(row *accessibility.Node) string {
	var words []string
	for _, c := range row.Cells {
		words = append(words, c.Text)
	}
	return squeeze(strings.Join(words, " "))
}

// hasRow reports whether a row of a table says just that.
func hasRow(snap *Snapshot, words string) bool {
	return slices.ContainsFunc(snap.Nodes, func(n accessibility.Node) bool { return len(n.Cells) > 0 && rowWords(&n) == words })
}

// checkCell is checkRow for a cell that stands on its row's line.
func checkCell(before *Snapshot, was *accessibility.Node, now *Snapshot, is driver.NodeRef) error {
	cell, ok := now.Find(is)
	if !ok || !isInlineCell(cell) {
		return nil // it has a line of its own by now, and says what it said
	}
	old, around := surroundingsOfCell(before, was), surroundingsOfCell(now, cell)
	return checkCellRow(old, around, hasRow(now, old.Row) || hasRow(before, around.Row))
}

// checkStoredCell is checkSurroundings for a cell that stands on its row's line.
func (p *Page) checkStoredCell(old *Surroundings, now *Snapshot, cell *accessibility.Node) error {
	hide := p.session.secrets.hide
	around := surroundingsOfCell(now, cell)
	around.Row = hide(around.Row)
	other := slices.ContainsFunc(now.Nodes, func(n accessibility.Node) bool { return len(n.Cells) > 0 && hide(rowWords(&n)) == old.Row })
	return checkCellRow(old, around, other)
}

// checkCellRow holds the row of a cell that others look like against what it
// was; other says that one of the two is another row of the page.
func checkCellRow(old, now *Surroundings, other bool) error {
	if old.Alike < 2 && now.Alike < 2 || old.Row == now.Row || !other && mostlySame(old.Row, now.Row) {
		return nil
	}
	return fmt.Errorf("%w: a cell of the row %q was meant, it is in the row %q now", ErrMismatch, abbreviate(old.Row), abbreviate(now.Row))
}

// pressedCells are the cells of a grid that listens in place of its cells, as
// that of a date picker does.
func pressedCells(snap *Snapshot, row *accessibility.Node) []*accessibility.Node {
	if len(row.Cells) == 0 {
		return nil
	}
	for up := row.Parent; up >= 0; up = snap.Nodes[up].Parent {
		grid := &snap.Nodes[up]
		if grid.Role != "grid" && grid.Role != "treegrid" {
			continue
		}
		if captured := snap.Captured(grid); captured == nil || !captured.Clickable {
			return nil
		}
		return slices.DeleteFunc(cellsOf(snap, row), func(n *accessibility.Node) bool { return n.Role != "gridcell" || n.Name == "" })
	}
	return nil
}
