package accessibility

import "strings"

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
