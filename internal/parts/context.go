package parts

import (
	"slices"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// mostSpanned bounds how many rows above a part are searched for the cells that
// reach into it.
const mostSpanned = 200

// contextOf returns the lines before a line that say what it means: what it
// stands in and, at each level, the headings and header rows above it. They take
// at most half of a part's room; ancestors count most.
func (d *Division) contextOf(at int32) []int32 {
	nodes := d.snap.Nodes
	var ancestors, others []int32 // the nearest first
	for child := at; child >= 0; child = nodes[child].Parent {
		if child != at {
			ancestors = append(ancestors, child)
		}
		others = append(others, d.governing(child)...)
	}
	others = append(others, d.spanning(at)...)
	out := slices.Clone(ancestors)
	room := d.room/2 - d.size(ancestors...)
	for _, i := range others {
		for k := i; k >= 0 && !slices.Contains(out, k); k = nodes[k].Parent {
			if room -= d.size(k); room < 0 {
				break
			}
			out = append(out, k)
		}
	}
	slices.Sort(out)
	have := map[int32]bool{-1: true}
	return slices.DeleteFunc(out, func(i int32) bool { // what stands in a line that had no room
		have[i] = have[nodes[i].Parent]
		return !have[i]
	})
}

// governing returns the lines among those before a line, below the same parent,
// that stand above it as headings or as header rows, the nearest first.
func (d *Division) governing(at int32) []int32 {
	nodes := d.snap.Nodes
	var out, headings []int32
	row := int32(-1) // the last row that stands for those below it
	head := true     // within the header rows at the top of a table
	for i := nodes[at].Parent + 1; i < at; i = nodes[i].End {
		n := &nodes[i]
		if level := headingLevel(n); level > 0 { // those of its level and below are over
			headings = append(slices.DeleteFunc(headings, func(h int32) bool { return headingLevel(&nodes[h]) >= level }), i)
		}
		header := n.Role == "row" && (n.Header || slices.ContainsFunc(nodes[i+1:n.End], func(n accessibility.Node) bool { return n.Role == "columnheader" }))
		switch {
		case header && head:
			out = append(out, i)
		case n.Role == "row":
			head = head && header
			if header || wide(n) && !wide(&nodes[at]) {
				row = i
			}
		case n.Role == "rowgroup" && head: // a table's head
			for k := i + 1; k < n.End; k = nodes[k].End {
				if nodes[k].Role == "row" && nodes[k].Header {
					out = append(out, k)
				}
			}
		}
	}
	if out = append(out, headings...); row >= 0 {
		out = append(out, row)
	}
	slices.Reverse(out)
	return out
}

func headingLevel(n *accessibility.Node) int {
	if n.Role == "heading" {
		return max(n.States.Level, 1)
	}
	return n.Heading
}

// wide reports whether a row is one cell across all columns.
func wide(n *accessibility.Node) bool {
	return len(n.Cells) > 0 && !slices.ContainsFunc(n.Cells[1:], func(c accessibility.Cell) bool { return c.Reach != accessibility.FromLeft })
}

// spanning returns the rows above a row whose cells reach into it.
func (d *Division) spanning(at int32) (out []int32) {
	nodes := d.snap.Nodes
	open := map[int]bool{}
	for c := range nodes[at].Cells {
		if fromAbove(nodes[at].Cells[c]) {
			open[c] = true
		}
	}
	var before []int32
	for i := nodes[at].Parent + 1; i < at && len(open) > 0; i = nodes[i].End {
		before = append(before, i)
	}
	for _, i := range slices.Backward(before[max(0, len(before)-mostSpanned):]) {
		left := len(open)
		for c := range open {
			if c < len(nodes[i].Cells) && !fromAbove(nodes[i].Cells[c]) {
				delete(open, c)
			}
		}
		if len(open) < left {
			out = append(out, i)
		}
	}
	return out
}
