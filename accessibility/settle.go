package accessibility

import "strings"

// closeUntil closes the elements that end at or before object i.
func (p *pruner) closeUntil(i int32) {
	for n := len(p.open); n > 0 && p.open[n-1].end <= i; n = len(p.open) {
		p.close(&p.open[n-1])
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
	how := treatments[node.role]
	if node.name == "" && node.kids > 0 && (node.interactive || how&ownLine != 0) {
		p.absorb(k)
	}
	if node.role == "row" {
		p.row(k)
		return
	}
	if node.kids == 0 {
		if !p.says(k) {
			p.drop(k)
		}
		return
	}
	if node.kids != 1 {
		return
	}
	kid := p.only(k)
	if kid < 0 || !p.nodes[kid].interactive && node.role != "listitem" {
		return
	}
	switch node.role {
	case "heading":
		if !node.interactive && equalText(node.name, p.nodes[kid].name) {
			p.nodes[kid].heading = int32(max(p.states(k).Level, 1))
			node.dead = true
		}
	case "listitem":
		node.dead = node.name == "" && p.plain(k)
	case "generic":
		node.dead = node.name == "" && node.interactive && !p.states(k).Editable && !p.scrolls(k)
	}
}

// only returns the single node below k, through those that are dead; -1 if it
// has more.
func (p *pruner) only(k int32) int32 {
	for p.nodes[k].kids == 1 {
		k = p.nodes[k].last
		if !p.nodes[k].dead {
			return k
		}
	}
	return -1
}

// plain reports whether a node is nothing but the role and the name it has.
func (p *pruner) plain(k int32) bool {
	s := p.states(k)
	return !p.nodes[k].interactive && s.Current == "" && s.Selected != On && s.Expanded == Unset && s.Sort == "" && !s.Busy &&
		!p.scrolls(k)
}

// says reports whether a node without anything below it is worth a line.
func (p *pruner) says(k int32) bool {
	n := &p.nodes[k]
	if n.name != "" || n.interactive && !p.hollow(k) || p.scrolls(k) || hasValue(n.role) && p.made(k).Value != "" {
		return true
	}
	switch n.role {
	case "cell", "gridcell", "columnheader", "rowheader": // the row decides
		return n.parent >= 0 && p.nodes[n.parent].role == "row"
	case "image", "iframe", "video", "audio", "canvas", "embeddedobject", "pluginobject", "dialog", "alertdialog", "document",
		"meter", "progressbar":
		return true
	}
	return p.states(k).Busy
}

// hollow reports an element without a role and without an area, as what a
// script puts its popups in: it may listen, and nobody can press it.
func (p *pruner) hollow(k int32) bool {
	n := &p.nodes[k]
	if n.role != "generic" || n.object < 0 || p.states(k).Editable {
		return false
	}
	box := p.tree.Capture.Documents[n.doc].Nodes[n.node].Box
	return box.Width <= 0 || box.Height <= 0
}

// absorb makes the text below a node its name, if there is nothing but text.
func (p *pruner) absorb(k int32) {
	node, first := &p.nodes[k], int(k)+1
	if len(p.nodes) != first+int(node.kids) { // there is more below its children
		return
	}
	kids := p.nodes[first:]
	for i := range kids {
		if kids[i].role != "text" {
			return
		}
	}
	if len(kids) > 1 && !node.interactive && !cellRole(node.role) {
		return
	}
	node.name = kids[0].name
	if len(kids) > 1 {
		var b strings.Builder
		for i := range kids {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(kids[i].name)
		}
		node.name = b.String()
	}
	p.dropKids(k)
}
