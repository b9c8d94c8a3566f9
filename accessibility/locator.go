package accessibility

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/htmltable"
)

// A Locator names elements by what they are to a person. As text, which is accepted
// wherever a selector is, it is a chain of parts, each searched within what the one
// before has found:
//
//	role=button                            every button of the outline
//	role=button[name="Print"]              whose accessible name is that
//	role=row[text="Teapot"] >> role=button[name="Open"]
//	label="First name"                     the field that has this name
//	placeholder="Search"                   the field that shows it while it is empty
//	text="Total"                           the smallest element with just this text
//	testid="submit"                        whose data-testid is that
//	role=row[text="Teapot"] >> column="Price"  the row's cell in the column of this header
//	column="Amount" >> role=textbox        the field in such a cell
//	role=row >> nth=1                      the second of what was found, from 0; -1 is the last
//
// Names and texts are compared whole, with white space collapsed; [name*="Pri"] and
// [text*="Tea"] find a part of them, an i behind the quote ignores case, and [text="…"]
// asks for a cell or a part with this text inside. Roles and names are those of the
// outline, so that a locator reaches into frames and shadow roots, closed ones too.
type Locator struct{ parts []locatorPart }

// A locatorPart narrows what was found before.
type locatorPart struct {
	kind  string // one of locatorKinds
	value words  // of role, the role as it is
	name  *words // the accessible name; nil is any
	has   *words // a text inside; nil is any
	nth   int
}

// words are a text to compare with.
type words struct {
	text       string
	part, fold bool // a part of it is enough; case is ignored
}

func (w *words) fits(text string) bool {
	want := collapse(w.text)
	if text = collapse(text); w.fold {
		text, want = strings.ToLower(text), strings.ToLower(want)
	}
	return text == want || w.part && strings.Contains(text, want)
}

func collapse(text string) string {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == ' ' && (i == 0 || i == len(text)-1 || text[i-1] == ' ') {
			return strings.Join(strings.Fields(text), " ")
		}
	}
	return text // most are in this form
}

var locatorKinds = []string{"role", "label", "placeholder", "text", "testid", "column", "nth"}

// IsLocator reports whether a selector is a locator's text.
func IsLocator(selector string) bool {
	kind, _, ok := strings.Cut(selector, "=")
	return ok && slices.Contains(locatorKinds, strings.TrimSpace(kind))
}

// ParseLocator reads a locator's text. Errors wrap driver.ErrSelector.
func ParseLocator(text string) (*Locator, error) {
	l := &Locator{}
	for i, part := range splitLocator(text) {
		p, err := parseLocatorPart(part)
		switch {
		case err != nil:
			return nil, selectorError(text, "%v", err)
		case i == 0 && p.kind == "nth":
			return nil, selectorError(text, "nth= counts what another part has found")
		}
		l.parts = append(l.parts, *p)
	}
	return l, nil
}

// splitLocator splits a chain at each " >> " that stands in no quotes.
func splitLocator(text string) []string {
	var parts []string
	quoted, start := false, 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], " >> "):
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + len(" >> ")
			i = start - 1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

func parseLocatorPart(part string) (*locatorPart, error) {
	kind, rest, ok := strings.Cut(part, "=")
	if kind = strings.TrimSpace(kind); !ok || !slices.Contains(locatorKinds, kind) {
		return nil, fmt.Errorf("%q is no part of a locator: those begin with %s=", part, strings.Join(locatorKinds, "=, "))
	}
	p := &locatorPart{kind: kind}
	rest = strings.TrimSpace(rest)
	switch kind {
	case "nth":
		n, err := strconv.Atoi(rest)
		p.nth = n
		if err != nil {
			return nil, fmt.Errorf("nth=%s: write a number, from 0, or -1 for the last", rest)
		}
		return p, nil
	case "role":
		end := strings.IndexByte(rest, '[')
		if end < 0 {
			end = len(rest)
		}
		p.value.text = strings.TrimSpace(rest[:end])
		rest = rest[end:]
	default:
		if !strings.HasPrefix(rest, `"`) { // the whole part, as people write it
			if p.value.text = rest; rest == "" {
				return nil, fmt.Errorf("%s= says nothing", kind)
			}
			return p, nil
		}
		var err error
		if p.value, rest, err = readWords(rest); err != nil {
			return nil, err
		}
	}
	if p.value.text == "" {
		return nil, fmt.Errorf("%s= says nothing", kind)
	}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		inner, ok := strings.CutPrefix(rest, "[")
		name, inner, found := strings.Cut(inner, "=")
		if !ok || !found {
			return nil, fmt.Errorf(`what follows is written as [name="Print"] or [text="Teapot"], not %s`, rest)
		}
		name, contains := strings.CutSuffix(strings.TrimSpace(name), "*")
		w, after, err := readWords(strings.TrimSpace(inner))
		if err != nil {
			return nil, err
		}
		if rest, ok = strings.CutPrefix(strings.TrimSpace(after), "]"); !ok {
			return nil, fmt.Errorf("a bracket is not closed")
		}
		w.part = contains
		switch strings.TrimSpace(name) {
		case "name":
			p.name = &w
		case "text":
			p.has = &w
		default:
			return nil, fmt.Errorf("[%s=…]: there are name and text", name)
		}
	}
	return p, nil
}

// readWords reads a text in double quotes, with \" and \\ for these, and an i behind
// it. It returns what follows.
func readWords(text string) (w words, rest string, _ error) {
	var b strings.Builder
	if !strings.HasPrefix(text, `"`) {
		return w, "", fmt.Errorf("%s: write the text in double quotes", text)
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case c == '"':
			rest = text[i+1:]
			if after, ok := strings.CutPrefix(rest, "i"); ok {
				w.fold, rest = true, after
			} else if after, ok := strings.CutPrefix(rest, " i"); ok {
				w.fold, rest = true, after
			}
			w.text = b.String()
			return w, rest, nil
		default:
			b.WriteByte(c)
		}
	}
	return w, "", fmt.Errorf("a quote is not closed")
}

// String is the locator's text.
func (l *Locator) String() string {
	texts := make([]string, len(l.parts))
	for i := range l.parts {
		texts[i] = l.parts[i].String()
	}
	return strings.Join(texts, " >> ")
}

func (p *locatorPart) String() string {
	text := p.kind + "="
	switch p.kind {
	case "nth":
		return text + strconv.Itoa(p.nth)
	case "role":
		text += p.value.text
	default:
		text += p.value.String()
	}
	for _, filter := range []struct {
		name string
		is   *words
	}{{"name", p.name}, {"text", p.has}} {
		if filter.is != nil {
			how := "="
			if filter.is.part {
				how = "*="
			}
			text += "[" + filter.name + how + filter.is.String() + "]"
		}
	}
	return text
}

func (w *words) String() string {
	text := QuoteForLocator(w.text)
	if w.fold {
		text += "i"
	}
	return text
}

// QuoteForLocator writes a text as locators have it, in double quotes.
func QuoteForLocator(text string) string {
	return `"` + locatorQuotes.Replace(text) + `"`
}

var locatorQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// narrow returns what a part names within the nodes that the part before it has found,
// or, of the first part, in all of the snapshot.
func (p *locatorPart) narrow(s *Snapshot, found []*Node, first bool) []*Node {
	if p.kind == "nth" {
		at := p.nth
		if at < 0 {
			at += len(found)
		}
		if at < 0 || at >= len(found) {
			return nil
		}
		return found[at : at+1]
	}
	var below map[driver.NodeRef]bool
	if p.kind == "column" {
		below = p.value.below(s)
	}
	fits := func(n *Node) bool { return p.fits(s, n) && (below == nil || below[n.Source]) }
	roots := []extent{{to: int32(len(s.Nodes)), whole: true}}
	if !first {
		roots = roots[:0]
		for _, n := range found {
			roots = append(roots, s.below(n))
		}
	}
	var next []*Node
	covered := int32(0) // nodes of nested parts count once
	for _, root := range roots {
		for k := max(root.from, covered); k < root.to; k++ {
			n := &s.Nodes[k]
			if (root.whole || k > root.from) && fits(n) {
				next = append(next, n)
			}
			for _, cell := range p.cells(s, n) {
				if fits(cell) {
					next = append(next, cell)
				}
			}
		}
		covered = max(covered, root.to)
	}
	if p.kind == "text" { // the smallest: an element around another that fits says the same
		next = slices.DeleteFunc(next, func(n *Node) bool {
			return slices.ContainsFunc(next, func(other *Node) bool {
				return n.index >= 0 && (other.index > n.index && other.index < n.End || other.index < 0 && other.Parent >= n.index && other.Parent < n.End)
			})
		})
	}
	return next
}

// cells returns the cells of a row that the part may name and that have no lines of their
// own. Of a column are those, too, that the outline leaves out for the one thing in them.
func (p *locatorPart) cells(s *Snapshot, row *Node) (cells []*Node) {
	for c := range row.Cells {
		if s.onLine(row, c) {
			cells = append(cells, s.cell(row, c+1))
		}
	}
	if p.kind == "column" && row.Role == "row" && row.Cells == nil {
		cells = slices.DeleteFunc(s.cellsOf(row.index), func(n *Node) bool { return n.index >= 0 })
	}
	return cells
}

// An extent is a range of nodes in which something is looked for. The first of them is
// what they stand in, unless whole is set.
type extent struct {
	from, to int32
	whole    bool
}

// below returns the nodes within a node. If it is a cell on a row's line, they are a run
// of the nodes below the row.
func (s *Snapshot) below(n *Node) (in extent) {
	if n.index >= 0 {
		return extent{from: n.index, to: n.End}
	}
	for i := n.Parent + 1; i < s.Nodes[n.Parent].End; i++ {
		inside := s.standsIn(&s.Nodes[i], n)
		switch {
		case inside && !in.whole:
			in = extent{from: i, to: i + 1, whole: true}
		case inside:
			in.to++
		case in.whole:
			return in
		}
	}
	return in
}

// A headedTable finds the cells of a table whose column has a header that says the words,
// row by row.
type headedTable struct {
	snap  *Snapshot
	words *words
	heads htmltable.Headers[bool] // each of which says the words, or not
	first []*Node                 // cells of the first row, which are the headers of a table without any
	below map[driver.NodeRef]bool // cells below a header that says the words
	plain map[driver.NodeRef]bool // cells below such a one of the first row
}

// below returns the cells of all tables whose column has a header that says the words.
func (w *words) below(s *Snapshot) map[driver.NodeRef]bool {
	rows := map[int32][]tableRow{} // by table
	var tables []int32             // in their order
	for i := range s.Nodes {
		table := s.tableOf(int32(i))
		if table < 0 {
			continue
		}
		row := tableRow{index: int32(i)}
		if before := rows[table]; before != nil {
			row.number = before[len(before)-1].number
		}
		if n, ok := s.numberOf(&s.Nodes[i], "aria-rowindex", maxRow); ok {
			row.number = n
		}
		if rows[table] == nil {
			tables = append(tables, table)
		}
		rows[table] = append(rows[table], row)
	}
	found := map[driver.NodeRef]bool{}
	for i, table := range tables {
		own := rows[table]
		slices.SortStableFunc(own, func(a, b tableRow) int { return a.number - b.number })
		if i > 0 && s.headed(rows[tables[i-1]], own) {
			own = slices.Concat(rows[tables[i-1]], own)
		}
		t := &headedTable{snap: s, words: w, below: map[driver.NodeRef]bool{}, plain: map[driver.NodeRef]bool{}}
		for _, row := range own {
			t.row(row.index)
		}
		if t.heads.None() {
			maps.Copy(found, t.plain)
		} else {
			maps.Copy(found, t.below)
		}
	}
	return found
}

// A tableRow is a row of a table. Its number is its aria-rowindex, or the number of the row
// before it. Rows are ordered by number (WAI-ARIA 1.2), which may differ from the order of
// the document: grids write fixed headers behind the rows that scroll.
type tableRow struct {
	index  int32
	number int
}

// headed reports whether a table without headers has those of the table before it.
func (s *Snapshot) headed(before, rows []tableRow) bool {
	heads := func(row tableRow) bool {
		cells := s.cellsOf(row.index)
		return s.Nodes[row.index].Header || len(cells) > 0 && !slices.ContainsFunc(cells, func(n *Node) bool { return n.Role != "columnheader" })
	}
	if slices.ContainsFunc(before, func(row tableRow) bool { return !heads(row) }) || slices.ContainsFunc(rows, heads) ||
		s.Nodes[before[0].index].doc != s.Nodes[rows[0].index].doc {
		return false
	}
	boxes := func(row tableRow) (boxes []driver.Rect) {
		for _, cell := range s.cellsOf(row.index) {
			boxes = append(boxes, s.Captured(cell).Box)
		}
		return boxes
	}
	first := slices.IndexFunc(rows, func(row tableRow) bool { // cells without height measure columns
		return !slices.ContainsFunc(boxes(row), driver.Rect.IsZero)
	})
	return first >= 0 && htmltable.Under(boxes(before[len(before)-1]), boxes(rows[first]))
}

// maxRow and maxColumn bound the numbers that a page gives the rows and columns of its
// tables. An Excel sheet has as many of each. Memory grows with the column's number.
const (
	maxRow    = 1 << 20
	maxColumn = 1 << 14
)

// numberOf returns the number from 1 to most that an attribute gives a row or a cell.
func (s *Snapshot) numberOf(n *Node, attribute string, most int) (int, bool) {
	text, _ := s.attribute(n, attribute)
	number, err := strconv.Atoi(tidy(text))
	return number, err == nil && number > 0 && number <= most
}

// tableOf returns the table that a node is a row of, -1 if none.
func (s *Snapshot) tableOf(row int32) int32 {
	if s.Nodes[row].Role != "row" {
		return -1
	}
	return tableAround(s.Nodes, row)
}

// row reads the next row.
func (t *headedTable) row(row int32) {
	cells := t.snap.cellsOf(row)
	if t.first == nil {
		t.first = cells
	}
	column := -1
	if n, ok := t.snap.numberOf(&t.snap.Nodes[row], "aria-colindex", maxColumn); ok {
		column = n - 2 // the next is its first cell's, from 0
	}
	for c, cell := range cells {
		again := c > 0 && cells[c-1].Source == cell.Source // it spans columns
		if column++; !again {
			if n, ok := t.snap.numberOf(cell, "aria-colindex", maxColumn); ok {
				column = n - 1
			}
		}
		if cell.Role == "columnheader" || t.snap.Nodes[row].Header {
			if !again {
				captured := &t.snap.Capture.Documents[cell.doc].Nodes[cell.node]
				t.heads.Add(column, htmltable.SpanOf(captured).Across, t.says(row, cell))
			}
			continue
		}
		t.heads.Data(column)
		if slices.Contains(t.heads.Above(column), true) {
			t.below[cell.Source] = true
		}
		if c < len(t.first) && t.first[c].Source != cell.Source && t.words.fits(t.first[c].says()) {
			t.plain[cell.Source] = true
		}
	}
}

// says reports whether a header says the words: as its name, with all that is in it, or
// in a text of it, beside which there may be a button that sorts.
func (t *headedTable) says(row int32, cell *Node) bool {
	var parts []string
	for i := row + 1; i < t.snap.Nodes[row].End; i++ {
		if n := &t.snap.Nodes[i]; n.Name != "" && t.snap.standsIn(n, cell) {
			parts = append(parts, n.Name)
		}
	}
	if t.words.fits(cell.Name) || t.words.fits(strings.Join(parts, " ")) {
		return true
	}
	nodes := t.snap.Capture.Documents[cell.doc].Nodes
	for i := cell.node + 1; int(i) < len(nodes) && nodes[i].Parent >= cell.node; i++ {
		n := &nodes[i]
		if n.Kind == driver.TextNode && n.Rendered && t.words.fits(n.Text) {
			return true
		}
		role, _ := n.Attr("role")
		if n.Name == "a" || n.Name == "button" || role == "link" || role == "button" {
			for control := i; int(i)+1 < len(nodes) && nodes[i+1].Parent >= control; {
				i++
			}
		}
	}
	return false
}

// standsIn reports whether a node stands in a cell of its row.
func (s *Snapshot) standsIn(n, cell *Node) bool {
	for n.doc != cell.doc { // in a frame
		if n.Parent < 0 {
			return false
		}
		n = &s.Nodes[n.Parent]
	}
	nodes, at := s.Capture.Documents[cell.doc].Nodes, n.node
	for at > cell.node {
		at = nodes[at].Parent
	}
	return at == cell.node
}

// fits reports whether a part of a locator names a node.
func (p *locatorPart) fits(s *Snapshot, n *Node) bool {
	switch p.kind {
	case "role":
		if string(n.Role) != p.value.text {
			return false
		}
	case "label":
		if !s.labelled(n) || !p.value.fits(n.Name) {
			return false
		}
	case "placeholder":
		if shown, _ := s.attribute(n, "placeholder"); !p.value.fits(n.Placeholder) && !p.value.fits(shown) {
			return false
		}
	case "testid":
		if id, ok := s.attribute(n, "data-testid"); !ok || id != p.value.text {
			return false
		}
	case "column":
		if !strings.HasSuffix(string(n.Role), "cell") && n.Role != "rowheader" { // narrow compares the header
			return false
		}
	case "text":
		if !p.value.fits(s.textOf(n)) {
			return false
		}
	}
	if p.name != nil && !p.name.fits(n.Name) {
		return false
	}
	return p.has == nil || p.has.standIn(s, n)
}

// labelled reports whether a node is a field, which a label names: a choice of files is
// one, also as the button that it looks like.
func (s *Snapshot) labelled(n *Node) bool {
	_, edited := s.attribute(n, "contenteditable")
	kind, _ := s.attribute(n, "type")
	files := n.Tag == "input" && strings.EqualFold(kind, "file")
	return n.Interactive && n.Role != "link" && (n.Role != "button" || files) && (n.Role != "generic" || edited)
}

// standIn reports whether a node says the words, or a cell or a node in it does.
func (w *words) standIn(s *Snapshot, n *Node) bool {
	if w.fits(s.textOf(n)) || n.index < 0 {
		return w.fits(s.textOf(n))
	}
	for i := n.index; i < n.End; i++ {
		one := &s.Nodes[i]
		if w.fits(one.says()) || slices.ContainsFunc(one.Cells, func(c Cell) bool { return w.fits(c.Text) }) {
			return true
		}
	}
	return false
}
