package axtree

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// namedByAuthor reports whether an element has an attribute that names it.
func (b *builder) namedByAuthor(i int32) bool {
	return b.items[i].any(attrTitle) || b.namedByARIA(i)
}

// namedByARIA reports whether aria-label or aria-labelledby names an element.
func (b *builder) namedByARIA(i int32) bool {
	it := &b.items[i]
	if it.any(ariaLabelledby|ariaLabeledby) && (len(b.references(i, "aria-labelledby")) > 0 || len(b.references(i, "aria-labeledby")) > 0) {
		return true
	}
	if it.any(ariaLabel) && strings.TrimSpace(b.attr(i, ariaLabel, "aria-label")) != "" {
		return true
	}
	return false
}

// scope returns the tree that an item stands in, as the key of its ids.
func (b *builder) scope(i int32) (doc, host int32) {
	it := &b.items[i]
	return it.doc, it.node.Host
}

// indexIDs reads the ids of all elements, the first of each wins.
func (b *builder) indexIDs() {
	if b.ids.byID != nil {
		return
	}
	b.ids.byID = make(map[idKey]int32)
	for i := range b.items {
		if !b.items[i].any(attrID) {
			continue
		}
		doc, host := b.scope(int32(i))
		k := idKey{doc, host, b.attr(int32(i), attrID, "id")}
		if _, ok := b.ids.byID[k]; !ok && k.id != "" {
			b.ids.byID[k] = int32(i)
		}
	}
}

// byID returns the element with an id in the tree that i belongs to. A shadow
// host may forward the reference to an element inside it.
func (b *builder) byID(i int32, id string) int32 {
	if id == "" {
		return none
	}
	b.indexIDs()
	doc, host := b.scope(i)
	t, ok := b.ids.byID[idKey{doc, host, id}]
	if !ok {
		return none
	}
	return b.referenceTarget(t)
}

func (b *builder) referenceTarget(t int32) int32 {
	for range 16 { // a chain of hosts
		r := b.items[t].node.Rare
		if r == nil || r.ReferenceTarget == 0 {
			break
		}
		t = b.byNode(b.items[t].doc, r.ReferenceTarget)
		if t == none {
			return none // it forwards to nothing
		}
	}
	return t
}

// byNode returns the item of a node's number in a document.
func (b *builder) byNode(doc int32, id driver.NodeID) int32 {
	if b.ids.byNode == nil {
		b.ids.byNode = make([]map[driver.NodeID]int32, len(b.c.Documents))
	}
	m := b.ids.byNode[doc]
	if m == nil {
		nodes := b.c.Documents[doc].Nodes
		m = make(map[driver.NodeID]int32, len(nodes))
		for k := range nodes {
			if _, ok := m[nodes[k].ID]; !ok {
				m[nodes[k].ID] = b.base[doc] + int32(k)
			}
		}
		b.ids.byNode[doc] = m
	}
	if i, ok := m[id]; ok {
		return i
	}
	return none
}

// references returns the elements that an attribute of i refers to: by ids, or
// by what a script has set if the attribute is empty.
func (b *builder) references(i int32, name string) []int32 {
	it := &b.items[i]
	var list []int32
	v, ok := it.node.Attr(name)
	if ok && v != "" {
		for id := range strings.FieldsSeq(v) {
			if t := b.byID(i, id); t != none {
				list = append(list, t)
			}
		}
		return list
	}
	if r := it.node.Rare; r != nil {
		for _, id := range r.References[name] {
			if t := b.byNode(it.doc, id); t != none {
				list = append(list, t)
			}
		}
	}
	return list
}

// imageOf returns the picture that uses a map element: its areas are parts of
// the picture, wherever the map stands.
func (b *builder) imageOf(m int32) int32 {
	if b.images == nil {
		b.images = map[idKey]int32{}
		for i := range b.items {
			it := &b.items[i]
			if it.tag != tagImg || !it.any(attrUsemap) {
				continue
			}
			k := idKey{it.doc, it.node.Host, strings.TrimPrefix(b.attr(int32(i), attrUsemap, "usemap"), "#")}
			if _, ok := b.images[k]; !ok {
				b.images[k] = int32(i)
			}
		}
	}
	it := &b.items[m]
	for _, name := range [...]string{b.attr(m, attrName, "name"), b.attr(m, attrID, "id")} {
		if i, ok := b.images[idKey{it.doc, it.node.Host, name}]; ok && name != "" && !(m < i && i < it.end) {
			return i
		}
	}
	return none
}
