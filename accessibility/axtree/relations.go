package axtree

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// relations finds elements by id within the tree that they belong to (the
// document's own, or a shadow root's), and by node number. Each index is made when
// it is first asked for.
type relations struct {
	forest
	ids    map[idKey]int32
	nodes  []map[driver.NodeID]int32
	images map[idKey]int32 // pictures by the name of their map
}

// namedByAuthor reports whether an element has an attribute that names it.
func (r *relations) namedByAuthor(i int32) bool {
	return r.items[i].any(attrTitle) || r.namedByARIA(i)
}

// namedByARIA reports whether aria-label or aria-labelledby names an element.
func (r *relations) namedByARIA(i int32) bool {
	it := &r.items[i]
	if it.any(ariaLabelledby|ariaLabeledby) && (len(r.references(i, "aria-labelledby")) > 0 || len(r.references(i, "aria-labeledby")) > 0) {
		return true
	}
	return strings.TrimSpace(r.attr(i, ariaLabel, "aria-label")) != ""
}

// scope returns the tree that an item stands in, as the key of its ids.
func (r *relations) scope(i int32) (doc, host int32) {
	it := &r.items[i]
	return it.doc, it.node.Host
}

// indexIDs reads the ids of all elements, the first of each wins.
func (r *relations) indexIDs() {
	if r.ids != nil {
		return
	}
	r.ids = make(map[idKey]int32)
	for i := range r.items {
		if !r.items[i].any(attrID) {
			continue
		}
		doc, host := r.scope(int32(i))
		k := idKey{doc, host, r.attr(int32(i), attrID, "id")}
		if _, ok := r.ids[k]; !ok && k.id != "" {
			r.ids[k] = int32(i)
		}
	}
}

// byID returns the element with an id in the tree that i belongs to. A shadow
// host may forward the reference to an element inside it.
func (r *relations) byID(i int32, id string) int32 {
	if id == "" {
		return none
	}
	r.indexIDs()
	doc, host := r.scope(i)
	t, ok := r.ids[idKey{doc, host, id}]
	if !ok {
		return none
	}
	return r.referenceTarget(t)
}

func (r *relations) referenceTarget(t int32) int32 {
	for range 16 { // a chain of hosts
		rare := r.items[t].node.Rare
		if rare == nil || rare.ReferenceTarget == 0 {
			break
		}
		t = r.byNode(r.items[t].doc, rare.ReferenceTarget)
		if t == none {
			return none // it forwards to nothing
		}
	}
	return t
}

// byNode returns the item of a node's number in a document.
func (r *relations) byNode(doc int32, id driver.NodeID) int32 {
	if r.nodes == nil {
		r.nodes = make([]map[driver.NodeID]int32, len(r.c.Documents))
	}
	m := r.nodes[doc]
	if m == nil {
		nodes := r.c.Documents[doc].Nodes
		m = make(map[driver.NodeID]int32, len(nodes))
		for k := range nodes {
			if _, ok := m[nodes[k].ID]; !ok {
				m[nodes[k].ID] = r.base[doc] + int32(k)
			}
		}
		r.nodes[doc] = m
	}
	if i, ok := m[id]; ok {
		return i
	}
	return none
}

// references returns the elements that an attribute of i refers to: by ids, or
// by what a script has set if the attribute is empty.
func (r *relations) references(i int32, name string) []int32 {
	it := &r.items[i]
	var list []int32
	v, ok := it.node.Attr(name)
	if ok && v != "" {
		for id := range strings.FieldsSeq(v) {
			if t := r.byID(i, id); t != none {
				list = append(list, t)
			}
		}
		return list
	}
	if rare := it.node.Rare; rare != nil {
		for _, id := range rare.References[name] {
			if t := r.byNode(it.doc, id); t != none {
				list = append(list, t)
			}
		}
	}
	return list
}

// imageOf returns the picture that uses a map element: its areas are parts of
// the picture, wherever the map stands.
func (r *relations) imageOf(m int32) int32 {
	if r.images == nil {
		r.images = map[idKey]int32{}
		for i := range r.items {
			it := &r.items[i]
			if it.tag != tagImg || !it.any(attrUsemap) {
				continue
			}
			k := idKey{it.doc, it.node.Host, strings.TrimPrefix(r.attr(int32(i), attrUsemap, "usemap"), "#")}
			if _, ok := r.images[k]; !ok {
				r.images[k] = int32(i)
			}
		}
	}
	it := &r.items[m]
	for _, name := range [...]string{r.attr(m, attrName, "name"), r.attr(m, attrID, "id")} {
		if i, ok := r.images[idKey{it.doc, it.node.Host, name}]; ok && name != "" && !(m < i && i < it.end) {
			return i
		}
	}
	return none
}

// isPictured reports whether the picture of a map can be there: Chromium makes no objects
// of the areas of one that has no source, or did not come.
func (r *relations) isPictured(m int32) bool {
	it := &r.items[m]
	name, _ := it.node.Attr("name")
	i, ok := r.images[idKey{it.doc, it.node.Host, name}]
	if !ok {
		return true // what no picture names is not laid out
	}
	n := r.items[i].node
	_, source := n.Attr("src")
	_, set := n.Attr("srcset")
	return (source || set) && (n.Rare == nil || !n.Rare.Broken)
}

// An idKey is an id within a tree: the document and the host of the shadow
// root, none for the document's own tree.
type idKey struct {
	doc, host int32
	id        string
}
