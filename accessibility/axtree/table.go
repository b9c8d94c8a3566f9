package axtree

// tables decides what tables are, and the roles of their parts.
type tables struct{ *forest }

// dataTableRows is how many rows make a table of data, whatever it looks like.
const dataTableRows = 20

// isDataTable reports whether a table has data, not just a layout, by Chromium's
// criteria. Borders and backgrounds are not captured: a table
// with more than one cell and nothing else to go by is taken for data if its
// cells stand apart, see [tables.looksLikeData].
func (tb *tables) isDataTable(i int32) bool {
	it := &tb.items[i]
	if !it.is(hasLayout) || it.any(attrRole) || it.is(editable) {
		return true
	}
	for _, name := range [...]string{"summary", "rules"} {
		if v, _ := it.node.Attr(name); v != "" {
			return true
		}
	}
	rows, firstCells, marked := 0, 0, false
	for c := it.first; c != none; c = tb.items[c].next {
		switch tb.items[c].tag {
		case tagThead, tagTfoot, tagCaption, tagCol, tagColgroup:
			return true
		case tagTbody:
			for r := tb.items[c].first; r != none; r = tb.items[r].next {
				if tb.items[r].tag != tagTr {
					continue
				}
				n, m := tb.cells(r)
				if rows == 0 {
					firstCells = n
				}
				rows++
				if marked = marked || m; marked && (rows > 1 || firstCells > 1) || rows >= dataTableRows {
					return true
				}
			}
		}
	}
	if rows == 0 || rows == 1 && firstCells == 1 {
		return false
	}
	return marked || tb.looksLikeData(i)
}

// cells counts a row's cells, and reports whether one is marked as data.
func (tb *tables) cells(row int32) (n int, marked bool) {
	for c := tb.items[row].first; c != none; c = tb.items[c].next {
		it := &tb.items[c]
		if it.tag != tagTh && it.tag != tagTd {
			continue
		}
		n++
		if it.tag == tagTh {
			marked = true
			continue
		}
		for _, name := range [...]string{"headers", "abbr", "axis", "scope"} {
			if v, _ := it.node.Attr(name); v != "" {
				marked = true
			}
		}
	}
	return n, marked
}

// looksLikeData decides by the appearance, as far as attributes describe it.
func (tb *tables) looksLikeData(i int32) bool {
	v, ok := tb.items[i].node.Attr("border")
	if !ok {
		return false
	}
	n, ok := parseInt(v)
	return !ok || n > 0
}

// tableAround returns the nearest ancestor that counts in a table: groups and
// wrappers do not.
func (tb *tables) tableAround(i int32) int32 {
	for n, p := 0, tb.items[i].parent; p != none && n < maxAncestors; n, p = n+1, tb.items[p].parent {
		switch tb.items[p].kind {
		case kindGroup, kindGeneric, kindRowGroup:
			continue
		}
		return p
	}
	return none
}

func (tb *tables) sectionRole(i int32) kind {
	t := tb.tableAround(i)
	if t == none || !tb.items[t].kind.is(tableKind) || tb.items[t].kind == kindLayoutTable {
		return kindGeneric
	}
	return kindRowGroup
}

func (tb *tables) rowRole(i int32) kind {
	t := tb.tableAround(i)
	switch {
	case t == none || !tb.items[t].kind.is(tableKind):
		return kindGeneric
	case tb.items[t].kind == kindLayoutTable:
		return kindLayoutTableRow
	}
	return kindRow
}

func (tb *tables) cellRole(i int32) kind {
	row := tb.tableAround(i)
	if row == none || !tb.items[row].kind.is(rowKind) {
		return kindGeneric
	}
	t := tb.tableAround(row)
	if t == none || !tb.items[t].kind.is(tableKind) {
		return kindGeneric
	}
	if tb.items[row].kind == kindLayoutTableRow {
		return kindLayoutTableCell
	}
	if tb.items[i].tag != tagTh {
		return kindCell
	}
	scope := tb.attr(i, attrScope, "scope")
	switch {
	case equalFold(scope, "row"), equalFold(scope, "rowgroup"):
		return kindRowHeader
	case equalFold(scope, "col"), equalFold(scope, "colgroup"):
		return kindColumnHeader
	}
	return tb.headerByNeighbours(i)
}

// headerByNeighbours: a th beside a td with content heads the row, else the
// column. The first two and the last two cells count as neighbours too: tables
// often have an empty corner.
func (tb *tables) headerByNeighbours(i int32) kind {
	it := &tb.items[i]
	prev, next := tb.previous(i), it.next
	switch {
	case prev == none && next == none, tb.hasTag(prev, tagTh) && tb.hasTag(next, tagTh):
		return kindColumnHeader
	case tb.isFilledCell(prev), tb.isFilledCell(next):
		return kindRowHeader
	case !tb.hasTag(it.parent, tagTr):
		return kindColumnHeader
	}
	row := &tb.items[it.parent]
	first, last := tb.elementFrom(row.first), tb.elementBefore(row.last)
	for _, c := range [...]int32{first, last, tb.elementFrom(tb.items[first].next), tb.elementBefore(tb.previous(last))} {
		if tb.isFilledCell(c) {
			return kindRowHeader
		}
	}
	return kindColumnHeader
}

func (tb *tables) hasTag(i int32, t tag) bool { return i != none && tb.items[i].tag == t }

// isFilledCell reports whether an item is a td with something in it.
func (tb *tables) isFilledCell(i int32) bool { return tb.hasTag(i, tagTd) && tb.items[i].first != none }

// elementBefore returns i or the last of its previous siblings that is an element.
func (tb *tables) elementBefore(i int32) int32 {
	for i != none && !tb.items[i].is(isElement) {
		i = tb.previous(i)
	}
	return i
}

// isWellFormedTable reports whether a table contains nothing but one caption,
// one head, one foot, and bodies.
func (tb *tables) isWellFormedTable(i int32) bool {
	var seen tagSet
	for c := tb.items[i].first; c != none; c = tb.items[c].next {
		it := &tb.items[c]
		switch it.tag {
		case tagTbody:
		case tagCaption, tagThead, tagTfoot:
			if seen.has(it.tag) {
				return false
			}
			one := tagsOf(it.tag)
			for k := range seen {
				seen[k] |= one[k]
			}
		case tagColgroup:
			if it.is(hasLayout) {
				return false
			}
		default:
			if it.is(isElement) || it.is(hasLayout) {
				return false
			}
		}
	}
	return true
}
