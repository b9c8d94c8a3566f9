package accessibility

import (
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Form is the HTML form that an element belongs to (HTML, form owner).
type Form struct {
	// Action is the absolute address that the form is submitted to, by the element
	// itself where that is a button of it.
	Action string
	// Submits reports that pressing the element submits the form.
	Submits bool
	// Buttons are the form's buttons that the snapshot has, in its order.
	Buttons []*Node
}

// submitsForm reports whether an element is a submit button.
func submitsForm(n *driver.Node) bool {
	kind, _ := n.Attr("type")
	switch kind = strings.ToLower(kind); n.Name {
	case "button":
		return kind != "button" && kind != "reset"
	case "input":
		return kind == "submit" || kind == "image"
	}
	return false
}

// A labelIndex finds the controls of label elements. Its indexes are made when the
// first label comes.
type labelIndex struct {
	ids     []map[string]int32 // by document: id to node
	objects []map[int32]int32  // by document: labelable node to object
}

// control returns the object of a label's control, -1 if there is none.
func (l *labelIndex) control(t *axtree.Tree, i int32, o *axtree.Object, n *driver.Node) int32 {
	if l.ids == nil {
		l.build(t)
	}
	if id, ok := n.Attr("for"); ok {
		node, ok := l.ids[o.Doc][id]
		if !ok {
			return -1
		}
		if c, ok := l.objects[o.Doc][node]; ok {
			return c
		}
		return -1
	}
	nodes := t.Capture.Documents[o.Doc].Nodes
	for j := i + 1; j < min(t.Objects[i].End, int32(len(t.Objects)), i+200); j++ {
		c := &t.Objects[j]
		if c.Doc == o.Doc && c.Node > 0 && int(c.Node) < len(nodes) && labelable(&nodes[c.Node]) {
			return j
		}
	}
	return -1
}

// build makes the indexes of all documents.
func (l *labelIndex) build(t *axtree.Tree) {
	docs := t.Capture.Documents
	l.ids = make([]map[string]int32, len(docs))
	l.objects = make([]map[int32]int32, len(docs))
	for d := range docs {
		l.ids[d], l.objects[d] = map[string]int32{}, map[int32]int32{}
	}
	for j := range t.Objects {
		c := &t.Objects[j]
		if c.Doc < 0 || int(c.Doc) >= len(docs) || c.Node < 0 || int(c.Node) >= len(docs[c.Doc].Nodes) {
			continue
		}
		n := &docs[c.Doc].Nodes[c.Node]
		if !c.Hidden && !c.States.Focusable && !c.States.Disabled && (n.Rare == nil || !n.Rare.FormAssociated) {
			continue
		}
		if n.Kind != driver.ElementNode || !labelable(n) {
			continue
		}
		l.objects[c.Doc][c.Node] = int32(j)
		if id, ok := n.Attr("id"); ok {
			if old, ok := l.ids[c.Doc][id]; !ok || c.Node < old {
				l.ids[c.Doc][id] = c.Node
			}
		}
	}
}

// labelable reports whether a label can be for an element.
func labelable(n *driver.Node) bool {
	switch n.Name {
	case "input":
		t, _ := n.Attr("type")
		return !equalFoldASCII(t, "hidden")
	case "button", "meter", "output", "progress", "select", "textarea":
		return true
	}
	return n.Rare != nil && n.Rare.FormAssociated
}

// equalFoldASCII compares two words whatever their case; b is in lower case.
func equalFoldASCII(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		c := a[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != b[i] {
			return false
		}
	}
	return true
}

// A tableIndex finds the headers that name the fields of a table: a field without a
// name is called by the header of its column, or else by that of its row, as people
// read it. It remembers the row that it read last, and the first row of each table.
type tableIndex struct {
	doc, row int32
	cells    []tableCell // of row
	heads    map[nodeAt][]tableCell
	ids      map[nodeAt]map[string]string // of a table: the texts of its cells with an id
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
	if text := x.named(nodes, doc, cell, row); text != "" {
		return text
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

// named returns the texts of the cells that a cell's headers attribute names.
func (x *tableIndex) named(nodes []driver.Node, doc, cell, row int32) string {
	list, ok := nodes[cell].Attr("headers")
	table := row
	for ok && table >= 0 && nodes[table].Name != "table" {
		table = nodes[table].Parent
	}
	if !ok || table < 0 {
		return ""
	}
	ids, ok := x.ids[nodeAt{doc, table}]
	if !ok {
		ids = map[string]string{}
		for i := table + 1; int(i) < len(nodes) && nodes[i].Parent >= table; i++ {
			id, ok := nodes[i].Attr("id")
			if !ok || !isCell(&nodes[i]) || ids[id] != "" {
				continue
			}
			var text strings.Builder
			for k := i + 1; int(k) < len(nodes) && nodes[k].Parent >= i && text.Len() < maxAside; k++ {
				if nodes[k].Kind == driver.TextNode && nodes[k].Rendered {
					text.WriteString(nodes[k].Text)
				}
			}
			ids[id] = strings.TrimRight(tidy(text.String()), ": *")
		}
		if x.ids == nil {
			x.ids = map[nodeAt]map[string]string{}
		}
		x.ids[nodeAt{doc, table}] = ids
	}
	var texts []string
	for id := range strings.FieldsSeq(list) {
		if text := ids[id]; text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
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
