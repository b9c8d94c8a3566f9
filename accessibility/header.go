package accessibility

import (
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A tableIndex finds the headers that name the fields of a table: a field without a
// name is called by the header of its column, or else by that of its row, as people
// read it. It remembers the row that it read last, and the first row of each table.
type tableIndex struct {
	doc, row int32
	cells    []tableCell // of row
	heads    map[nodeAt][]tableCell
}

// A nodeAt is a node of a capture.
type nodeAt struct{ doc, node int32 }

// A tableCell is a cell in its row.
type tableCell struct {
	node, end int32
	column    int // the first
	across    int
	header    bool // a th
	field     bool // holds a control
	text      string
}

// maxCellDepth bounds how deep in its cell a field is looked for.
const maxCellDepth = 32

// label returns the text of the header of a field in a table.
func (x *tableIndex) label(nodes []driver.Node, doc, field int32) string {
	cell := field
	for n := 0; n == 0 || !isCell(&nodes[cell]); n++ {
		up := nodes[cell].Parent
		if up < 0 || up >= cell || n > maxCellDepth {
			return ""
		}
		cell = up
	}
	row := nodes[cell].Parent
	if row < 0 || row >= cell || nodes[row].Name != "tr" {
		return ""
	}
	if x.heads == nil {
		x.heads = map[nodeAt][]tableCell{}
	}
	if x.cells == nil || x.doc != doc || x.row != row {
		x.doc, x.row, x.cells = doc, row, cellsOf(nodes, row)
	}
	at := 0
	for at < len(x.cells) && x.cells[at].node != cell {
		at++
	}
	if at == len(x.cells) {
		return ""
	}
	if text := x.columnHeader(nodes, doc, row, &x.cells[at]); text != "" {
		return text
	}
	labels, fields := 0, 0
	for k := range x.cells {
		if c := &x.cells[k]; c.field {
			fields++
		} else if c.text != "" {
			labels++
		}
	}
	for k := at - 1; k >= 0; k-- {
		c := &x.cells[k]
		if c.header && c.text != "" {
			return c.text
		}
		if k == at-1 && !c.field && labels <= fields { // a label and a field in turn
			return c.text
		}
	}
	return ""
}

// columnHeader returns the header of a cell's column: what stands there in the first
// row, if that is one of headers alone.
func (x *tableIndex) columnHeader(nodes []driver.Node, doc, row int32, cell *tableCell) string {
	table := nodes[row].Parent
	if table >= 0 && table < row && (nodes[table].Name == "tbody" || nodes[table].Name == "thead" || nodes[table].Name == "tfoot") {
		table = nodes[table].Parent
	}
	if table < 0 || table >= row || nodes[table].Name != "table" {
		return ""
	}
	head, ok := x.heads[nodeAt{doc, table}]
	if !ok {
		for i := table + 1; i < row; i++ {
			if nodes[i].Name == "tr" && nodes[i].Kind == driver.ElementNode {
				head = cellsOf(nodes, i)
				break
			}
		}
		headers := 0
		for i := range head {
			if head[i].field || !head[i].header && head[i].text != "" {
				headers = 0
				break
			}
			headers++
		}
		if headers < 2 {
			head = nil
		}
		x.heads[nodeAt{doc, table}] = head
	}
	for i := range head {
		if c := &head[i]; cell.column >= c.column && cell.column < c.column+c.across {
			return c.text
		}
	}
	return ""
}

// cellsOf reads the cells of a row.
func cellsOf(nodes []driver.Node, row int32) []tableCell {
	cells := []tableCell{}
	column := 0
	for i := row + 1; int(i) < len(nodes) && nodes[i].Parent >= row; {
		if nodes[i].Parent != row || !isCell(&nodes[i]) {
			i++
			continue
		}
		c := tableCell{node: i, column: column, across: 1, header: nodes[i].Name == "th"}
		if v, ok := nodes[i].Attr("colspan"); ok {
			if n, err := strconv.Atoi(tidy(v)); err == nil && n > 1 && n <= maxColumns {
				c.across = n
			}
		}
		var text strings.Builder
		for i++; int(i) < len(nodes) && nodes[i].Parent >= c.node; i++ {
			n := &nodes[i]
			switch {
			case n.Kind == driver.TextNode && n.Rendered && text.Len() < maxAside:
				text.WriteString(n.Text)
			case n.Namespace == driver.HTML && (n.Name == "input" || n.Name == "select" || n.Name == "textarea" || n.Name == "button"):
				c.field = true
			}
		}
		c.end, c.text = i, strings.TrimRight(tidy(text.String()), ": *")
		column += c.across
		cells = append(cells, c)
	}
	return cells
}

// isCell reports whether a node is a cell of an HTML table.
func isCell(n *driver.Node) bool {
	return n.Kind == driver.ElementNode && n.Namespace == driver.HTML && (n.Name == "td" || n.Name == "th")
}
