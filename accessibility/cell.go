package accessibility

import (
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// lineCells are the roles of what stands on a row's line.
var lineCells = [...]Role{"cell", "gridcell", "columnheader", "rowheader"}

// Equal reports whether two cells say the same.
func (c Cell) Equal(other Cell) bool { return c.Text == other.Text && c.Below == other.Below }

func cellNumber(role Role) uint8 { return uint8(max(0, slices.Index(lineCells[:], role))) }

// cell returns the node of the nth cell, from 1, of a row. Where the cell has a
// line of its own it is that of the line.
func (s *Snapshot) cell(row *Node, n int) *Node {
	c := &row.Cells[n-1]
	d := &s.Capture.Documents[row.doc]
	captured := &d.Nodes[c.node]
	if i, ok := s.index()[nodeKey{row.doc, captured.ID}]; ok {
		return &s.Nodes[i]
	}
	source := driver.NodeRef{Frame: d.Frame, Doc: d.Doc, Node: captured.ID}
	return &Node{
		Ref: row.Ref.Cell(n), Source: source, Target: source,
		Parent: row.index, End: row.index, Depth: min(row.Depth+1, MaxDepth),
		Role: lineCells[c.kind], Name: c.Text, Tag: captured.Name,
		index: -1, doc: row.doc, node: c.node,
	}
}

// findCell returns the node of a cell that stands on the line of the row around it.
func (s *Snapshot) findCell(doc int32, id driver.NodeID) (*Node, bool) {
	at, ok := s.captured(doc, id)
	if !ok {
		return nil, false
	}
	nodes := s.Capture.Documents[doc].Nodes
	for up := nodes[at].Parent; up >= 0; up = nodes[up].Parent {
		i, ok := s.index()[nodeKey{doc, nodes[up].ID}]
		if !ok {
			continue
		}
		row := &s.Nodes[i]
		n := slices.IndexFunc(row.Cells, func(c Cell) bool { return c.node == at })
		if n < 0 {
			return nil, false
		}
		return s.cell(row, n+1), true
	}
	return nil, false
}
