package accessibility

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/htmltable"
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
		n := nodeOf(t, c)
		if n == nil || n.Kind != driver.ElementNode || !labelable(n) ||
			!c.Hidden && !c.States.Focusable && !c.States.Disabled && (n.Rare == nil || !n.Rare.FormAssociated) {
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
		return !strings.EqualFold(t, "hidden")
	case "button", "meter", "output", "progress", "select", "textarea":
		return true
	}
	return n.Rare != nil && n.Rare.FormAssociated
}

// A tableIndex finds the headers that name the fields of a table: a field without a
// name is called by the header of its column, or else by that of its row, as people
// read it.
type tableIndex struct {
	tables map[nodeAt]*tableReader
	ids    map[nodeAt]map[string]string // of a table: the texts of its cells with an id
}

// A tableReader goes through the rows of a table, in their order.
type tableReader struct {
	next, section, row int32
	cells              []tableCell               // of row
	heads              htmltable.Headers[string] // above row
	layout             htmltable.Layout[int]     // the cells' places in cells
}

// A nodeAt is a node of a capture.
type nodeAt struct{ doc, node int32 }

// A tableCell is a cell in its row.
type tableCell struct {
	node, end int32
	column    int // the first
	span      htmltable.Span
	header    bool // a th
	field     bool // holds a control
	entry     bool // holds a control that is no button
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
	t := x.readTo(nodes, doc, row)
	at := slices.IndexFunc(t.cells, func(c tableCell) bool { return c.node == cell })
	if at < 0 {
		return ""
	}
	if text := x.named(nodes, doc, cell, row); text != "" {
		return text
	}
	if text := t.columnHeader(&t.cells[at]); text != "" {
		return text
	}
	labels, fields := 0, 0
	for k := range t.cells {
		if c := &t.cells[k]; c.field {
			fields++
		} else if c.text != "" {
			labels++
		}
	}
	for k := at - 1; k >= 0; k-- {
		c := &t.cells[k]
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

// readTo returns a reader of the row's table, which has come to the row.
func (x *tableIndex) readTo(nodes []driver.Node, doc, row int32) *tableReader {
	table := tableOf(nodes, row)
	if table < 0 {
		t := &tableReader{}
		t.read(nodes, row)
		return t
	}
	t := x.tables[nodeAt{doc, table}]
	if t == nil || t.row > row {
		t = &tableReader{next: table + 1}
		for _, head := range rowsAbove(nodes, table) {
			t.read(nodes, head)
		}
		if x.tables == nil {
			x.tables = map[nodeAt]*tableReader{}
		}
		x.tables[nodeAt{doc, table}] = t
	}
	for ; t.next <= row; t.next++ {
		if tableOf(nodes, t.next) == table {
			t.read(nodes, t.next)
		}
	}
	return t
}

// rowsAbove returns the rows of the table before a table that has no headers, if those
// are its headers and nothing else.
func rowsAbove(nodes []driver.Node, table int32) (rows []int32) {
	before := table - 1
	for before >= 0 && nodes[before].Name != "table" {
		before--
	}
	var heads tableReader
	for i := before + 1; before >= 0 && i < table; i++ {
		if tableOf(nodes, i) != before {
			continue
		}
		if heads.read(nodes, i); headersOf(heads.cells) == nil {
			return nil
		}
		rows = append(rows, i)
	}
	for i := table + 1; int(i) < len(nodes) && nodes[i].Parent >= table; i++ {
		if tableOf(nodes, i) != table || nodes[i].Box.IsZero() { // one without height measures columns
			continue
		}
		first := tableReader{}
		first.read(nodes, i)
		if headersOf(first.cells) != nil || !htmltable.Under(heads.boxes(nodes), first.boxes(nodes)) {
			return nil
		}
		return rows
	}
	return nil
}

// boxes are those of the cells of the row that was read last.
func (t *tableReader) boxes(nodes []driver.Node) (boxes []driver.Rect) {
	for i := range t.cells {
		boxes = append(boxes, nodes[t.cells[i].node].Box)
	}
	return boxes
}

// tableOf returns the table that a node is a row of, -1 if none.
func tableOf(nodes []driver.Node, row int32) int32 {
	if nodes[row].Kind != driver.ElementNode || nodes[row].Name != "tr" {
		return -1
	}
	table := nodes[row].Parent
	if table >= 0 && table < row && (nodes[table].Name == "tbody" || nodes[table].Name == "thead" || nodes[table].Name == "tfoot") {
		table = nodes[table].Parent
	}
	if table < 0 || table >= row || nodes[table].Name != "table" {
		return -1
	}
	return table
}

// read reads the next row. The headers of the row before it count from here on.
func (t *tableReader) read(nodes []driver.Node, row int32) {
	if head := headersOf(t.cells); head != nil {
		for i := range head {
			// What stands in a header beside a control for the whole column, such as a box
			// that marks all rows, is that control's label and no header.
			if c := &head[i]; c.entry {
				t.heads.Add(c.column, c.span.Across, "")
			} else if c.header {
				t.heads.Add(c.column, c.span.Across, c.text)
			}
		}
	} else {
		for i := range t.cells {
			c := &t.cells[i]
			for column := c.column; column < c.column+c.span.Across && !c.header; column++ {
				t.heads.Data(column)
			}
		}
	}
	if nodes[row].Parent != t.section {
		t.section = nodes[row].Parent
		t.layout.EndSection()
	}
	t.row, t.cells = row, cellsOf(nodes, row)
	spans := make([]htmltable.Cell[int], len(t.cells))
	for i := range t.cells {
		spans[i] = htmltable.Cell[int]{Cell: i, Span: t.cells[i].span}
	}
	for column, slot := range t.layout.Row(spans) {
		if slot.From == htmltable.Own {
			t.cells[slot.Cell].column = column
		}
	}
}

// columnHeader returns the headers of a cell's column, from above.
func (t *tableReader) columnHeader(cell *tableCell) string {
	var texts []string
	for _, text := range t.heads.Above(cell.column) {
		if text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}

// headersOf returns the cells of a row of column headers, nil for another row: one with
// a field or a text outside its headers, or of a single cell.
func headersOf(cells []tableCell) []tableCell {
	for i := range cells {
		if c := &cells[i]; !c.header && (c.field || c.text != "") {
			return nil
		}
	}
	if len(cells) < 2 {
		return nil
	}
	return cells
}

// cellsOf reads the cells of a row.
func cellsOf(nodes []driver.Node, row int32) []tableCell {
	cells := []tableCell{}
	for i := row + 1; int(i) < len(nodes) && nodes[i].Parent >= row; {
		if nodes[i].Parent != row || !isCell(&nodes[i]) {
			i++
			continue
		}
		c := tableCell{node: i, span: htmltable.SpanOf(&nodes[i]), header: nodes[i].Name == "th"}
		var text strings.Builder
		for i++; int(i) < len(nodes) && nodes[i].Parent >= c.node; i++ {
			n := &nodes[i]
			switch {
			case n.Kind == driver.TextNode && n.Rendered && text.Len() < maxAside:
				text.WriteString(n.Text)
			case n.Namespace == driver.HTML && (n.Name == "input" || n.Name == "select" || n.Name == "textarea" || n.Name == "button"):
				c.field = true
				c.entry = c.entry || n.Name != "button"
			}
		}
		c.end, c.text = i, strings.TrimRight(tidy(text.String()), ": *")
		cells = append(cells, c)
	}
	return cells
}

// isCell reports whether a node is a cell of an HTML table.
func isCell(n *driver.Node) bool {
	return n.Kind == driver.ElementNode && n.Namespace == driver.HTML && (n.Name == "td" || n.Name == "th")
}
