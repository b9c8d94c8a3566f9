package accessibility

import (
	"strconv"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Counts are how many parts there are where a page holds only some of them, as
// ARIA has it (WAI-ARIA 1.2 §6.6.4). A line shows them where they say more than
// its neighbours. Zero is unknown.
type Counts struct {
	Rows, Columns  int // of a table: in all
	Row            int // of a row: its number, from 1
	Position, Size int // of an item: its number, from 1, and how many there are
}

// append writes the counts as states.
func (c *Counts) append(dst []byte) []byte {
	for _, part := range [...]struct {
		word string
		n    int
	}{{"rows ", c.Rows}, {"columns ", c.Columns}, {"row ", c.Row}} {
		if part.n > 0 {
			dst = append(append(dst, " ("...), part.word...)
			dst = append(appendCount(dst, part.n), ')')
		}
	}
	if c.Position > 0 && c.Size > 0 {
		dst = appendCount(append(dst, " ("...), c.Position)
		dst = appendCount(append(dst, " of "...), c.Size)
		dst = append(dst, ')')
	}
	return dst
}

// countsOf reads the counts of a node's element.
func countsOf(node *Node, n *driver.Node) *Counts {
	var c Counts
	read := func(to *int, name string) {
		v, ok := n.Attr(name)
		if !ok {
			return
		}
		if k, err := strconv.Atoi(tidy(v)); err == nil && k > 0 && k < 1e9 {
			*to = k
		}
	}
	switch node.Role {
	case "table", "grid", "treegrid":
		read(&c.Rows, "aria-rowcount")
		read(&c.Columns, "aria-colcount")
	case "row":
		read(&c.Row, "aria-rowindex")
	case "listitem", "option", "treeitem", "article", "menuitem", "menuitemradio", "menuitemcheckbox", "tab", "comment":
		read(&c.Position, "aria-posinset")
		if read(&c.Size, "aria-setsize"); c.Position == 0 || c.Size == 0 {
			c.Position, c.Size = 0, 0
		}
	}
	if c == (Counts{}) {
		return nil
	}
	return &c
}

// longTable is how many rows a table has whose line says how many they are, though no
// attribute does: an outline that is cut shows but a part of them.
const longTable = 40

// settleCounts leaves out the counts that what is there says as well, gives long
// tables theirs, and notes whether a modal dialog lies over the page.
func settleCounts(nodes []Node) {
	type series struct{ last, present, width int }
	of := map[int32]*series{} // by the node around
	table := func(i int32) int32 {
		for up := nodes[i].Parent; up >= 0; up = nodes[up].Parent {
			switch nodes[up].Role {
			case "table", "grid", "treegrid":
				return up
			}
		}
		return -1
	}
	at := func(i int32) *series {
		s := of[i]
		if s == nil {
			s = &series{}
			of[i] = s
		}
		return s
	}
	counted, modal, rows := false, false, 0
	for i := range nodes {
		counted = counted || nodes[i].Counts != nil
		if nodes[i].Role == "row" {
			rows++
		}
		modal = modal || nodes[i].States.Modal
	}
	if modal && nodes[0].Role == "document" {
		nodes[0].Covered = true
	}
	if !counted && rows < longTable {
		return
	}
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.Role == "row":
			if up := table(int32(i)); up >= 0 {
				s := at(up)
				s.present++
				s.width = max(s.width, len(n.Cells))
			}
		case n.Counts != nil && n.Counts.Size > 0:
			at(n.Parent).present++
		case cellRole(n.Role) && n.Parent >= 0 && nodes[n.Parent].Role == "row" && len(nodes[n.Parent].Cells) == 0:
			s := at(n.Parent)
			s.width++
			if up := table(n.Parent); up >= 0 {
				at(up).width = max(at(up).width, s.width)
			}
		}
	}
	for i := range nodes {
		n := &nodes[i]
		c := n.Counts
		if c == nil {
			continue
		}
		switch {
		case n.Role == "row":
			if up := table(int32(i)); up >= 0 {
				s := at(up)
				next := s.last + 1
				if s.last = c.Row; c.Row == next {
					c.Row = 0
				}
			}
		case c.Size > 0:
			s := at(n.Parent)
			next := s.last + 1
			s.last = c.Position
			if c.Position == next && (next > 1 || s.present >= c.Size) {
				c.Position, c.Size = 0, 0
			}
		default:
			s := at(int32(i))
			if c.Rows <= s.present {
				c.Rows = 0
			}
			if c.Columns <= s.width {
				c.Columns = 0
			}
		}
		if *c == (Counts{}) {
			n.Counts = nil
		}
	}
	for i, s := range of {
		if n := &nodes[i]; n.Role != "row" && s.present >= longTable && n.Counts == nil {
			switch n.Role {
			case "table", "grid", "treegrid":
				n.Counts = &Counts{Rows: s.present}
			}
		}
	}
}
