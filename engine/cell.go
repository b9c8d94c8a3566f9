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

// rowOfCell returns what is written in the row of a cell that stands on its
// line, and whether another cell of the page says the same as this one. ok is
// false for every other element.
func rowOfCell(snap *Snapshot, node driver.NodeRef) (words string, twins, ok bool) {
	n, ok := snap.Find(node)
	if !ok || !onRow(n) {
		return "", false, false
	}
	same := 0
	for i := range snap.Nodes {
		for _, c := range snap.Nodes[i].Cells {
			if c.Text == n.Name {
				same++
			}
		}
	}
	return rowWords(&snap.Nodes[n.Parent]), same > 1, true
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
func keepsCell(before *Snapshot, was driver.NodeRef, now *Snapshot, is driver.NodeRef) error {
	said, twins, ok := rowOfCell(before, was)
	says, more, still := rowOfCell(now, is)
	if !ok || !still || !twins && !more || said == says || !saysRow(now, said) && !saysRow(before, says) && mostly(said, says) {
		return nil
	}
	return fmt.Errorf("%w: a cell of the row %q was meant, it is in the row %q now", ErrMismatch, shortly(said), shortly(says))
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
