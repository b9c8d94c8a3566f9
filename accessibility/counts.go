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
	c := counting{nodes, map[int32]*series{}}
	c.count()
	for i := range nodes {
		if n := &nodes[i]; n.Counts != nil {
			if c.leaveOut(int32(i), n.Counts); *n.Counts == (Counts{}) {
				n.Counts = nil
			}
		}
	}
	for i, s := range c.of {
		if n := &nodes[i]; s.present >= longTable && n.Counts == nil && isTable(n.Role) {
			n.Counts = &Counts{Rows: s.present}
		}
	}
}

func isTable(role Role) bool { return role == "table" || role == "grid" || role == "treegrid" }

// counting knows what there is of each table, row and set.
type counting struct {
	nodes []Node
	of    map[int32]*series // by the node around
}

// A series is what there is of one of them: how many members and columns, and which
// was the last that was looked at.
type series struct{ last, present, width int }

// at is the series of a node.
func (c *counting) at(i int32) *series {
	s := c.of[i]
	if s == nil {
		s = &series{}
		c.of[i] = s
	}
	return s
}

// tableAround is the table around a node, -1 if there is none.
func tableAround(nodes []Node, i int32) int32 {
	up := nodes[i].Parent
	for up >= 0 && !isTable(nodes[up].Role) {
		up = nodes[up].Parent
	}
	return up
}

// count counts the members and columns that are there.
func (c *counting) count() {
	for i := range c.nodes {
		n := &c.nodes[i]
		switch {
		case n.Role == "row":
			if up := tableAround(c.nodes, int32(i)); up >= 0 {
				s := c.at(up)
				s.present++
				s.width = max(s.width, len(n.Cells))
			}
		case n.Counts != nil && n.Counts.Size > 0:
			c.at(n.Parent).present++
		case cellRole(n.Role) && n.Parent >= 0 && c.nodes[n.Parent].Role == "row" && len(c.nodes[n.Parent].Cells) == 0:
			s := c.at(n.Parent)
			s.width++
			if up := tableAround(c.nodes, n.Parent); up >= 0 {
				c.at(up).width = max(c.at(up).width, s.width)
			}
		}
	}
}

// leaveOut takes from a node's counts what its series says as well. Nodes come in
// their order: a position that follows the last one's goes without saying.
func (c *counting) leaveOut(i int32, k *Counts) {
	switch n := &c.nodes[i]; {
	case n.Role == "row":
		if up := tableAround(c.nodes, i); up >= 0 {
			s := c.at(up)
			next := s.last + 1
			if s.last = k.Row; k.Row == next {
				k.Row = 0
			}
		}
	case k.Size > 0:
		s := c.at(n.Parent)
		next := s.last + 1
		s.last = k.Position
		if k.Position == next && (next > 1 || s.present >= k.Size) {
			k.Position, k.Size = 0, 0
		}
	default:
		s := c.at(i)
		if k.Rows <= s.present {
			k.Rows = 0
		}
		if k.Columns <= s.width {
			k.Columns = 0
		}
	}
}
