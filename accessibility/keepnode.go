package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// add appends a node for an object below the node of f, and makes it f's own.
func (p *pruner) add(f *opened, object int32, o *Object, role Role) int32 {
	k := p.append(f.node)
	node := &p.nodes[k]
	node.role, node.object, node.doc, node.node = role, object, o.Doc, o.Node
	node.broken, node.tight = p.broken, !p.gap
	p.broken, p.gap = false, false
	f.node, f.own = k, true
	return k
}

// keep gives an element a line.
func (p *pruner) keep(f *opened, i int32, n *driver.Node, role Role, v ruling) {
	if v.how&(inlineRole|acts) == 0 {
		p.broken = true
	}
	o := &p.tree.Objects[i]
	node := &p.nodes[p.add(f, i, o, role)]
	node.name, node.interactive, node.checked = v.name, v.interactive, v.checked
	f.by = cover{name: v.name, whole: v.how&contentName == 0}
	if o.States.Editable || role == "textbox" || role == "searchbox" || role == "combobox" {
		f.by.value = tidy(o.Value)
	}
	if v.interactive && v.name != "" && v.how&contentName != 0 {
		f.inside = true
	}
	if f.by.name != "" || f.by.value != "" || v.how&container != 0 {
		f.cover = int32(len(p.open))
	}
}

// object0 stands for a node that was not made of an object.
var object0 Object

// made returns the object that a node was made of.
func (p *pruner) made(k int32) *Object {
	if i := p.nodes[k].object; i >= 0 {
		return &p.tree.Objects[i]
	}
	return &object0
}

func (p *pruner) states(k int32) *States { return &p.made(k).States }

// scrolls reports whether a node's content is larger than what is shown of it.
func (p *pruner) scrolls(k int32) bool {
	d := &p.nodes[k]
	return d.object >= 0 && scrolls(&p.tree.Capture.Documents[d.doc].Nodes[d.node])
}
