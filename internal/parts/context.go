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
	var ancestors, others []int32
	for child := at; child >= 0; child = nodes[child].Parent {
		if child != at {
			ancestors = append(ancestors, child)
		}
		others = append(others, d.governing(child)...)
	}
	others = append(others, d.spanning(at)...)
	room := d.room/2 - d.sizeOf(ancestors)
	var out []int32
	for _, i := range others { // the nearest first
		for k := i; k >= 0 && !slices.Contains(ancestors, k) && !slices.Contains(out, k); k = nodes[k].Parent {
			if room -= d.sizes[k]; room < 0 {
				break
			}
			out = append(out, k)
		}
	}
	out = append(out, ancestors...)
	slices.Sort(out)
	return d.closed(slices.Compact(out))
}

// closed leaves out the lines whose parent is missing.
func (d *Division) closed(lines []int32) []int32 {
	have := make(map[int32]bool, len(lines))
	out := lines[:0]
	for _, i := range lines {
		if up := d.snap.Nodes[i].Parent; up < 0 || have[up] {
			have[i] = true
			out = append(out, i)
		}
	}
	return out
}

// governing returns the lines among those before a line, below the same parent,
// that stand above it as headings or as header rows: the last of each level.
func (d *Division) governing(at int32) []int32 {
	nodes := d.snap.Nodes
	var out []int32
	first := nodes[at].Parent + 1
	var levels [8]int32 // the last heading of each level, and what is below it is void
	row := int32(-1)    // the last row that stands for those below it
	head := true        // within the header rows at the top of a table
	for i := first; i < at; i = nodes[i].End {
		n := &nodes[i]
		if level := headingLevel(n); level > 0 {
			levels[level] = i + 1
			clear(levels[level+1:])
		}
		switch {
		case n.Role == "row" && (n.Header || n.End > i+1 && headerBelow(nodes, i)):
			if head {
				out = append(out, i)
			} else {
				row = i
			}
		case n.Role == "row":
			head = false
			if wide(n) && !wide(&nodes[at]) {
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
	for _, i := range levels {
		if i > 0 {
			out = append(out, i-1)
		}
	}
	if row >= 0 {
		out = append(out, row)
	}
	slices.Reverse(out)
	return out
}

func headingLevel(n *accessibility.Node) int {
	level := n.Heading
	if n.Role == "heading" {
		level = max(n.States.Level, 1)
	}
	return min(level, 7)
}

// headerBelow reports whether a row's lines below it are column headers.
func headerBelow(nodes []accessibility.Node, row int32) bool {
	for i := row + 1; i < nodes[row].End; i++ {
		if nodes[i].Role == "columnheader" {
			return true
		}
	}
	return false
}

// wide reports whether a row is one cell across all columns.
func wide(n *accessibility.Node) bool {
	for i := range n.Cells {
		if i > 0 && n.Cells[i].Reach != accessibility.FromLeft {
			return false
		}
	}
	return len(n.Cells) > 0
}

// spanning returns the rows above a row whose cells reach into it.
func (d *Division) spanning(at int32) []int32 {
	nodes := d.snap.Nodes
	open := map[int]bool{}
	for c := range nodes[at].Cells {
		if nodes[at].Cells[c].Reach == accessibility.FromAbove {
			open[c] = true
		}
	}
	if len(open) == 0 {
		return nil
	}
	var before []int32
	for i := nodes[at].Parent + 1; i < at; i = nodes[i].End {
		before = append(before, i)
	}
	var out []int32
	for k := len(before) - 1; k >= 0 && len(open) > 0 && k >= len(before)-mostSpanned; k-- {
		n := &nodes[before[k]]
		own := false
		for c := range open {
			if c < len(n.Cells) && n.Cells[c].Reach != accessibility.FromAbove {
				own = true
				delete(open, c)
			}
		}
		if own {
			out = append(out, before[k])
		}
	}
	return out
}
