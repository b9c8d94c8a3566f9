package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// onRow reports that a node is a cell which stands on its row's line, and has
// none of its own.
func onRow(n *accessibility.Node) bool { return strings.Contains(string(n.Ref), ":") }

// cellsOf are the cells on the line of a row.
func cellsOf(snap *Snapshot, row *accessibility.Node) []*accessibility.Node {
	var cells []*accessibility.Node
	for i := range row.Cells {
		if n, ok := snap.Lookup(row.Ref.Cell(i + 1)); ok && onRow(n) {
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

// saysRow reports whether a row of a table says just that.
func saysRow(snap *Snapshot, words string) bool {
	return slices.ContainsFunc(snap.Nodes, func(n accessibility.Node) bool { return len(n.Cells) > 0 && rowWords(&n) == words })
}

// keepsCell is keepsRow for a cell that stands on its row's line.
func keepsCell(before *Snapshot, was *accessibility.Node, now *Snapshot, is driver.NodeRef) error {
	cell, ok := now.Find(is)
	if !ok || !onRow(cell) {
		return nil // it has a line of its own by now, and says what it said
	}
	old, around := surroundingsOfCell(before, was), surroundingsOfCell(now, cell)
	return keepsCellRow(old, around, saysRow(now, old.Row) || saysRow(before, around.Row))
}

// keepsStoredCell is keepsSurroundings for a cell that stands on its row's line.
func (p *Page) keepsStoredCell(old *Surroundings, now *Snapshot, cell *accessibility.Node) error {
	hide := p.session.secrets.hide
	around := surroundingsOfCell(now, cell)
	around.Row = hide(around.Row)
	other := slices.ContainsFunc(now.Nodes, func(n accessibility.Node) bool { return len(n.Cells) > 0 && hide(rowWords(&n)) == old.Row })
	return keepsCellRow(old, around, other)
}

// keepsCellRow holds the row of a cell that others look like against what it
// was; other says that one of the two is another row of the page.
func keepsCellRow(old, now *Surroundings, other bool) error {
	if old.Alike < 2 && now.Alike < 2 || old.Row == now.Row || !other && mostly(old.Row, now.Row) {
		return nil
	}
	return fmt.Errorf("%w: a cell of the row %q was meant, it is in the row %q now", ErrMismatch, shortly(old.Row), shortly(now.Row))
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
