package accessibility

import "strings"

// closeUntil closes the elements that end at or before object i.
func (p *pruner) closeUntil(i int32) {
	for n := len(p.open); n > 0 && p.open[n-1].end <= i; n = len(p.open) {
		f := p.open[n-1]
		p.close(&f)
		p.open = p.open[:n-1]
	}
}

// close ends an element.
func (p *pruner) close(f *opened) {
	if f.block || f.own {
		p.flush()
	}
	if f.own {
		p.settle(f.node)
	}
	if f.block {
		p.broken = true
	}
}

// settle decides about a node once all that is below it is known.
func (p *pruner) settle(k int32) {
	node := &p.nodes[k]
	how := treatments[node.Role]
	if node.Name == "" && p.marks[k].kids > 0 && (node.Interactive || how&ownLine != 0) {
		p.absorb(k)
		node = &p.nodes[k]
	}
	if node.Role == "row" {
		p.row(k)
		return
	}
	if p.marks[k].kids == 0 {
		if !p.says(node) {
			p.drop(k)
		}
		return
	}
	if p.marks[k].kids != 1 {
		return
	}
	switch kid := p.only(k); {
	case kid < 0:
	case node.Role == "heading" && !node.Interactive && p.nodes[kid].Interactive && equalText(node.Name, p.nodes[kid].Name):
		p.nodes[kid].Heading = max(node.States.Level, 1)
		p.bury(k)
	case node.Role == "listitem" && plain(node):
		p.bury(k)
	case node.Role == "generic" && node.Name == "" && node.Interactive && !node.States.Editable && node.Scroll == nil && p.nodes[kid].Interactive:
		p.bury(k)
	}
}

// bury removes a node but not what is below it.
func (p *pruner) bury(k int32) { p.marks[k].dead = true }

// only returns the single node below k, through those that are buried; -1 if
// it has more.
func (p *pruner) only(k int32) int32 {
	for p.marks[k].kids == 1 {
		k = p.marks[k].last
		if !p.marks[k].dead {
			return k
		}
	}
	return -1
}

// plain reports whether a node is a mere wrapper.
func plain(n *Node) bool {
	return n.Name == "" && !n.Interactive && n.Scroll == nil && n.States.Current == "" && n.States.Selected != On &&
		n.States.Expanded == Unset && !n.States.Busy
}

// says reports whether a node without anything below it is worth a line.
func (p *pruner) says(n *Node) bool {
	if n.Name != "" || n.Value != "" || n.Interactive || n.Scroll != nil {
		return true
	}
	switch n.Role {
	case "cell", "gridcell", "columnheader", "rowheader": // the row decides
		return n.Parent >= 0 && p.nodes[n.Parent].Role == "row"
	case "image", "iframe", "video", "audio", "canvas", "embeddedobject", "pluginobject", "dialog", "alertdialog", "document",
		"meter", "progressbar":
		return true
	}
	return false
}

// absorb makes the text below a node its name, if there is nothing but text.
func (p *pruner) absorb(k int32) {
	node, first := &p.nodes[k], int(k)+1
	if len(p.nodes) != first+int(p.marks[k].kids) { // there is more below its children
		return
	}
	kids := p.nodes[first:]
	for i := range kids {
		if kids[i].Role != "text" {
			return
		}
	}
	if len(kids) > 1 && !node.Interactive && !cellRole(node.Role) {
		return
	}
	name := kids[0].Name
	if len(kids) > 1 {
		var b strings.Builder
		for i := range kids {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(kids[i].Name)
		}
		name = b.String()
	}
	node.Name = name
	p.dropKids(k)
}

// row puts the plain cells of a row on the row's line.
func (p *pruner) row(k int32) {
	cells, plainCells, empty, header := 0, 0, 0, 0
	for c := p.first(k); c > 0; c = p.marks[c].next {
		n := &p.nodes[c]
		if !cellRole(n.Role) {
			return
		}
		cells++
		if p.marks[c].kids == 0 && plain(&Node{Interactive: n.Interactive, States: n.States, Scroll: n.Scroll}) && n.States.Sort == "" {
			plainCells++
			if n.Name == "" {
				empty++
			} else if n.Role == "columnheader" {
				header++
			}
		}
	}
	row := &p.nodes[k]
	if empty == cells && row.Name == "" && plain(row) {
		p.dropKids(k)
		p.drop(k)
		return
	}
	if plainCells > 0 {
		row.Header = header > 0 && header+empty == cells
		row.Cells = make([]Cell, 0, cells)
	}
	for c := p.first(k); c > 0; c = p.marks[c].next {
		n := &p.nodes[c]
		if p.marks[c].kids == 0 && plain(&Node{Interactive: n.Interactive, States: n.States, Scroll: n.Scroll}) && n.States.Sort == "" {
			row.Cells = append(row.Cells, Cell{Text: n.Name})
			p.bury(c)
			continue
		}
		if plainCells > 0 {
			row.Cells = append(row.Cells, Cell{Below: true})
		}
		if plain(n) && p.marks[c].kids == 1 && n.States.Sort == "" {
			p.bury(c)
		}
	}
	if row.Cells != nil {
		row.Name = joinCells(row.Cells)
	}
	if plainCells == cells {
		p.dropKids(k)
	}
}

// first returns the first child of k, 0 if there is none.
func (p *pruner) first(k int32) int32 {
	if p.marks[k].kids == 0 {
		return 0
	}
	return k + 1
}

// joinCells returns the text of a row.
func joinCells(cells []Cell) string {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString(" | ")
		}
		if !c.Below {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}
