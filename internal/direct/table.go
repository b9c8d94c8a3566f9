package direct

import (
	"fmt"
	"strconv"
	"strings"
)

// mostColumns bounds how wide a table may be, spans included.
const mostColumns = 200

// A table is a grid of cells, those that span several places in each of them.
type table struct {
	rows    [][]int32 // nodes of cells, by row and column
	node    []int32   // of each row
	header  int       // how many of the rows are headers
	labels  []string  // of the columns, from the headers
	columns int
	last    int // the last row that begins with a cell of one column
	total   int // how many rows the page says that there are; 0 if it doesn't
}

// A span is a cell that reaches into rows below.
type span struct {
	cell int32
	left int // rows
}

func isTable(n *node) bool {
	switch n.object.Role {
	case "table", "grid", "treegrid", "layouttable":
		return true
	}
	return n.is("table")
}

func isRow(n *node) bool {
	return n.kind == elementNode && (n.object.Role == "row" || n.object.Role == "layouttablerow" || n.is("tr"))
}

func isCell(n *node) bool {
	switch n.object.Role {
	case "cell", "gridcell", "columnheader", "rowheader", "layouttablecell":
		return true
	}
	return n.is("td", "th")
}

func isHeader(n *node) bool {
	return n.object.Role == "columnheader" || n.object.Role == "rowheader" || n.is("th")
}

// tableAt reads a table; those within its cells are not looked into.
func (p *page) tableAt(at int32) *table {
	t := &table{total: number(attr(p.nodes[at].dom, "aria-rowcount"))}
	var spans []span // cells from above that reach into the next row, by column
	for i := at + 1; i < p.nodes[at].end; {
		n := &p.nodes[i]
		if isTable(n) {
			i = n.end
			continue
		}
		if !isRow(n) {
			i++
			continue
		}
		var row []int32
		fromAbove := func() {
			for len(row) < len(spans) && spans[len(row)].left > 0 {
				spans[len(row)].left--
				row = append(row, spans[len(row)].cell)
			}
		}
		for c := i + 1; c < n.end; {
			cell := &p.nodes[c]
			if !isCell(cell) {
				c++
				continue
			}
			fromAbove()
			wide := max(number(attr(cell.dom, "colspan")), number(attr(cell.dom, "aria-colspan")), 1)
			high := max(number(attr(cell.dom, "rowspan")), number(attr(cell.dom, "aria-rowspan")), 1)
			for range min(wide, mostColumns-len(row)) {
				for len(spans) <= len(row) {
					spans = append(spans, span{})
				}
				spans[len(row)] = span{c, high - 1}
				row = append(row, c)
			}
			c = cell.end
		}
		fromAbove()
		if len(row) > 0 {
			t.rows, t.node = append(t.rows, row), append(t.node, i)
			t.columns = max(t.columns, len(row))
		}
		i = n.end
	}
	for k, row := range t.rows {
		if len(row) < 2 || row[0] != row[1] {
			t.last = k
		}
	}
	t.readHeader(p)
	return t
}

func number(text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// readHeader finds the rows of headers, and names the columns by them.
func (t *table) readHeader(p *page) {
	for _, row := range t.rows {
		header := len(row) > 1
		for _, c := range row {
			header = header && (isHeader(&p.nodes[c]) || p.nodes[c].from == p.nodes[c].to)
		}
		if !header {
			break
		}
		t.header++
	}
	if t.header == len(t.rows) {
		t.header = 0
	}
	t.labels = make([]string, t.columns)
	for col := range t.columns {
		last := int32(-1)
		for _, row := range t.rows[:t.header] {
			if col >= len(row) || row[col] == last {
				continue
			}
			last = row[col]
			t.labels[col] = strings.TrimSpace(t.labels[col] + " " + p.headerText(last))
		}
	}
}

// headerText is what a header says; an abbreviation says it in full.
func (p *page) headerText(cell int32) string {
	for c := cell + 1; c < p.nodes[cell].end; c++ {
		if n := &p.nodes[c]; n.is("abbr") {
			if full := attr(n.dom, "title"); full != "" {
				return full
			}
		}
	}
	text := p.span(cell)
	if text == "" {
		text = p.nodes[cell].object.Name
	}
	return text
}

// table adds what a table says that is no list of records: labels with values.
func (r *reader) table(at int32) {
	t := r.p.tableAt(at)
	if t.header > 0 {
		for k := t.header; k < len(t.rows); k++ {
			if row := t.rows[k]; t.summary(r.p, k) {
				r.pair(row[0], row[len(row)-1])
			}
		}
		return
	}
	// th and td in turn, or two columns
	for _, row := range t.rows {
		switch {
		case len(row)%2 == 0 && t.paired(r.p, row):
			for c := 0; c < len(row); c += 2 {
				r.pair(row[c], row[c+1])
			}
		case len(row) == 2 && t.columns == 2 && !isHeader(&r.p.nodes[row[1]]):
			r.pair(row[0], row[1])
		}
	}
}

func (r *reader) pair(label, value int32) {
	if text := r.p.span(label); labelLike(text) && label != value {
		r.labelled(text, r.p.rich(value))
	}
}

// paired reports whether a row's cells are headers and values in turn.
func (t *table) paired(p *page, row []int32) bool {
	for i, c := range row {
		if isHeader(&p.nodes[c]) != (i%2 == 0) {
			return false
		}
	}
	return true
}

var sums = setOf("total totals subtotal sum summe gesamt gesamtbetrag gesamtsumme nettobetrag zwischensumme grand average durchschnitt due net gross tax vat amount price netto brutto mwst")

// summary reports whether row k below the headers is a sum and no record: it
// stands in the table's foot, says so, or has a label over several columns
// behind the last record.
func (t *table) summary(p *page, k int) bool {
	row := t.rows[k]
	if len(row) < 2 {
		return false
	}
	for i := p.nodes[row[0]].parent; i >= 0 && !isTable(&p.nodes[i]); i = p.nodes[i].parent {
		if p.nodes[i].is("tfoot") {
			return true
		}
	}
	if row[0] == row[1] && row[0] != row[len(row)-1] && k > t.last {
		return true
	}
	words := split(p.text[p.nodes[row[0]].from:p.nodes[row[0]].to])
	for _, word := range words {
		if !sums[word] {
			return false
		}
	}
	return len(words) > 0
}

// records returns a fact for each cell of each row that is a record, by column.
func (t *table) records(p *page) []record {
	var out []record
	for k := t.header; k < len(t.rows); k++ {
		row := t.rows[k]
		if t.summary(p, k) || row[0] == row[len(row)-1] && t.columns > 1 {
			continue // a sum, or a heading over all columns
		}
		rec := record{node: t.node[k]}
		links := 0
		link := ""
		for col, cell := range row {
			f := p.rich(cell)
			f.key, f.label, f.most = fmt.Sprintf("T:%d", col), t.labels[col], 100
			f.figure = ratingOf(f.text)
			if writtenBy.MatchString(f.label) {
				f.about = "author"
			}
			if f.url != "" && f.url != link {
				links++
				link = f.url
			}
			rec.facts = append(rec.facts, f)
		}
		if links == 1 {
			for _, f := range rec.facts {
				if f.url == link {
					rec.facts = append(rec.facts, fact{key: "K:link", about: "link", most: 75, node: f.node, url: link})
					break
				}
			}
		}
		out = append(out, rec)
	}
	return out
}

// turned reports whether a table's records may be its columns: each row begins
// with a header, which names the cells beside it.
func (t *table) turned(p *page) bool {
	if t.columns < 3 || len(t.rows) < 2 {
		return false
	}
	for k, row := range t.rows {
		if len(row) != t.columns || row[0] == row[1] {
			return false
		}
		first := &p.nodes[row[0]]
		if k < t.header { // the corner, and what the records are called
			continue
		}
		if !isHeader(first) || first.from == first.to {
			return false
		}
		for _, c := range row[1:] {
			if isHeader(&p.nodes[c]) {
				return false
			}
		}
	}
	return t.header < len(t.rows) && t.header < 2
}

// columnsAsRecords returns a fact for each cell of each column but the first.
func (t *table) columnsAsRecords(p *page) []record {
	var out []record
	for col := 1; col < t.columns; col++ {
		rec := record{node: t.rows[0][col]}
		for k, row := range t.rows {
			f := p.rich(row[col])
			f.key, f.label, f.most = fmt.Sprintf("T:%d", k), p.headerText(row[0]), 100
			f.figure = ratingOf(f.text)
			if k < t.header && f.label == "" {
				f.key, f.about, f.most = "K:name", "name", 80
			}
			rec.facts = append(rec.facts, f)
		}
		out = append(out, rec)
	}
	return out
}
