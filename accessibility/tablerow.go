package accessibility

// row puts the plain cells of a row on the row's line.
func (p *pruner) row(k int32) {
	row := &p.nodes[k]
	cells, inline, empty, header := 0, 0, 0, 0
	for c := p.first(k); c > 0; c = p.nodes[c].next {
		cell := &p.nodes[c]
		if !cellRole(cell.role) {
			return
		}
		cells++
		if cell.kids > 0 || !p.plain(c) {
			continue
		}
		inline++
		if cell.name == "" {
			empty++
		} else if cell.role == "columnheader" {
			header++
		}
	}
	if empty == cells && row.name == "" && p.plain(k) {
		p.dropKids(k)
		p.drop(k)
		return
	}
	if inline > 0 {
		row.header = header > 0 && header+empty == cells
		row.cells = p.cells(cells)
	}
	for c := p.first(k); c > 0; c = p.nodes[c].next {
		cell := &p.nodes[c]
		switch plain := p.plain(c); {
		case plain && cell.kids == 0:
			row.cells = append(row.cells, Cell{Text: cell.name, kind: cellNumber(cell.role), node: cell.node})
			cell.dead = true
			continue
		case plain && cell.kids == 1:
			cell.dead = cell.name == ""
		}
		if inline > 0 {
			row.cells = append(row.cells, Cell{Below: true, kind: cellNumber(cell.role), node: cell.node})
		}
	}
	if inline > 0 {
		row.name = p.joinCells(row.cells)
	}
	if inline == cells {
		p.dropKids(k)
	}
}

// first returns the first child of k, 0 if there is none.
func (p *pruner) first(k int32) int32 {
	if p.nodes[k].kids == 0 {
		return 0
	}
	return k + 1
}

// cells returns an empty slice with room for n cells, a part of a larger one.
func (p *pruner) cells(n int) []Cell {
	if cap(p.spare)-len(p.spare) < n {
		p.spare = make([]Cell, 0, max(1024, n))
	}
	at := len(p.spare)
	p.spare = p.spare[:at+n]
	return p.spare[at : at : at+n]
}

// joinCells returns the text of a row.
func (p *pruner) joinCells(cells []Cell) string {
	b := p.line[:0]
	for i, c := range cells {
		if i > 0 {
			b = append(b, " | "...)
		}
		if !c.Below {
			b = append(b, c.Text...)
		}
	}
	p.line = b
	return p.text.add(b)
}
