package axtree

// dataTableRows is how many rows make a table of data, whatever it looks like.
const dataTableRows = 20

// isDataTable reports whether a table has data, not just a layout, by Chromium's
// criteria. Borders and backgrounds are not captured: a table
// with more than one cell and nothing else to go by is taken for data if its
// cells stand apart, see [builder.looksLikeData].
func (b *builder) isDataTable(i int32) bool {
	it := &b.items[i]
	if !it.is(hasLayout) || it.any(attrRole) || it.is(editable) {
		return true
	}
	for _, name := range [...]string{"summary", "rules"} {
		if v, _ := it.node.Attr(name); v != "" {
			return true
		}
	}
	rows, firstCells, marked := 0, 0, false
	for c := it.first; c != none; c = b.items[c].next {
		switch b.items[c].tag {
		case tagThead, tagTfoot, tagCaption, tagCol, tagColgroup:
			return true
		case tagTbody:
			for r := b.items[c].first; r != none; r = b.items[r].next {
				if b.items[r].tag != tagTr {
					continue
				}
				n, m := b.cells(r)
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
	return marked || b.looksLikeData(i)
}

// cells counts a row's cells, and reports whether one is marked as data.
func (b *builder) cells(row int32) (n int, marked bool) {
	for c := b.items[row].first; c != none; c = b.items[c].next {
		it := &b.items[c]
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
func (b *builder) looksLikeData(i int32) bool {
	v, ok := b.items[i].node.Attr("border")
	if !ok {
		return false
	}
	n, ok := parseInt(v)
	return !ok || n > 0
}

// tableAround returns the nearest ancestor that counts in a table: groups and
// wrappers do not.
func (b *builder) tableAround(i int32) int32 {
	for n, p := 0, b.items[i].parent; p != none && n < maxAncestors; n, p = n+1, b.items[p].parent {
		switch b.items[p].kind {
		case kindGroup, kindGeneric, kindRowGroup:
			continue
		}
		return p
	}
	return none
}

func (b *builder) sectionRole(i int32) kind {
	t := b.tableAround(i)
	if t == none || !b.items[t].kind.is(tableKind) || b.items[t].kind == kindLayoutTable {
		return kindGeneric
	}
	return kindRowGroup
}

func (b *builder) rowRole(i int32) kind {
	t := b.tableAround(i)
	switch {
	case t == none || !b.items[t].kind.is(tableKind):
		return kindGeneric
	case b.items[t].kind == kindLayoutTable:
		return kindLayoutTableRow
	}
	return kindRow
}

func (b *builder) cellRole(i int32) kind {
	row := b.tableAround(i)
	if row == none || !b.items[row].kind.is(rowKind) {
		return kindGeneric
	}
	t := b.tableAround(row)
	if t == none || !b.items[t].kind.is(tableKind) {
		return kindGeneric
	}
	if b.items[row].kind == kindLayoutTableRow {
		return kindLayoutTableCell
	}
	if b.items[i].tag != tagTh {
		return kindCell
	}
	scope := b.attr(i, attrScope, "scope")
	switch {
	case equalFold(scope, "row"), equalFold(scope, "rowgroup"):
		return kindRowHeader
	case equalFold(scope, "col"), equalFold(scope, "colgroup"):
		return kindColumnHeader
	}
	return b.headerByNeighbours(i)
}

// headerByNeighbours: a th beside a td with content heads the row, else the
// column. The first two and the last two cells count as neighbours too: tables
// often have an empty corner.
func (b *builder) headerByNeighbours(i int32) kind {
	it := &b.items[i]
	prev, next := b.previous(i), it.next
	switch {
	case prev == none && next == none, b.hasTag(prev, tagTh) && b.hasTag(next, tagTh):
		return kindColumnHeader
	case b.isFilledCell(prev), b.isFilledCell(next):
		return kindRowHeader
	case !b.hasTag(it.parent, tagTr):
		return kindColumnHeader
	}
	row := &b.items[it.parent]
	first, last := b.elementFrom(row.first), b.elementBefore(row.last)
	for _, c := range [...]int32{first, last, b.elementFrom(b.items[first].next), b.elementBefore(b.previous(last))} {
		if b.isFilledCell(c) {
			return kindRowHeader
		}
	}
	return kindColumnHeader
}

func (b *builder) hasTag(i int32, t tag) bool { return i != none && b.items[i].tag == t }

// isFilledCell reports whether an item is a td with something in it.
func (b *builder) isFilledCell(i int32) bool { return b.hasTag(i, tagTd) && b.items[i].first != none }

// elementBefore returns i or the last of its previous siblings that is an element.
func (b *builder) elementBefore(i int32) int32 {
	for i != none && !b.items[i].is(isElement) {
		i = b.previous(i)
	}
	return i
}

// isWellFormedTable reports whether a table contains nothing but one caption,
// one head, one foot, and bodies.
func (b *builder) isWellFormedTable(i int32) bool {
	var seen tagSet
	for c := b.items[i].first; c != none; c = b.items[c].next {
		it := &b.items[c]
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
