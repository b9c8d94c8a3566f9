package accessibility

import "strings"

// labels are the label elements of each control, in document order.
type labels struct {
	of      map[int32][]int32 // control → labels
	control map[int32]int32   // label → control
	next    []int32           // the first control at each item or behind it
}

// relate finds out which elements name or describe others: labels, and the
// targets of aria-labelledby and aria-describedby.
func (b *builder) relate() {
	for i := range b.items {
		it := &b.items[i]
		if it.tag == tagLabel {
			it.flags |= relTarget
			if c := b.labelled(int32(i)); c != none {
				if b.labels.of == nil {
					b.labels.of, b.labels.control = map[int32][]int32{}, map[int32]int32{}
				}
				b.labels.of[c] = append(b.labels.of[c], int32(i))
				b.labels.control[int32(i)] = c
			}
		}
		if !it.any(ariaLabelledby | ariaLabeledby | ariaDescribedby) {
			continue
		}
		for _, name := range [...]string{"aria-labelledby", "aria-labeledby", "aria-describedby"} {
			for _, t := range b.references(int32(i), name) {
				b.items[t].flags |= relTarget
			}
		}
	}
}

// labelled returns the control that a label is for: the one it names by id, or
// else the first one that it holds (HTML §4.10.4).
func (b *builder) labelled(label int32) int32 {
	it := &b.items[label]
	if it.any(attrFor) {
		c := b.byID(label, b.attr(label, attrFor, "for"))
		if c != none && b.isLabelable(c) {
			return c
		}
		return none
	}
	c := b.nextLabelable(label + 1)
	if c == none || c >= it.end {
		return none
	}
	if b.isLabelable(c) {
		return c
	}
	return b.referenceTarget(c)
}

// nextLabelable returns the first item at i or behind it that is a control, or
// stands for one. It is read once for all labels.
func (b *builder) nextLabelable(i int32) int32 {
	if b.labels.next == nil {
		b.labels.next = make([]int32, len(b.items)+1)
		c := none
		b.labels.next[len(b.items)] = none
		for k := int32(len(b.items)) - 1; k >= 0; k-- {
			if b.isLabelable(k) || b.items[k].node.Rare != nil && b.isLabelable(b.referenceTarget(k)) {
				c = k
			}
			b.labels.next[k] = c
		}
	}
	return b.labels.next[i]
}

// within returns the item behind i in preorder of the flat tree, as long as it
// is below root.
func (b *builder) within(root, i int32) int32 {
	if c := b.items[i].first; c != none {
		return c
	}
	for i != root {
		if n := b.items[i].next; n != none {
			return n
		}
		i = b.items[i].parent
	}
	return none
}

func (b *builder) isLabelable(i int32) bool {
	if i == none {
		return false
	}
	switch b.items[i].tag {
	case tagButton, tagMeter, tagOutput, tagProgress, tagSelect, tagTextarea:
		return true
	case tagInput:
		return b.inputType(i) != "hidden"
	}
	return false
}

// isRedundantLabel: a label that only says what its checkbox or radio is
// called already is not shown for itself.
func (b *builder) isRedundantLabel(i int32) bool {
	c, ok := b.labels.control[i]
	if !ok {
		return false
	}
	it := &b.items[c]
	if it.tag != tagInput || !it.is(hasLayout) || b.invisible(c) {
		return false
	}
	if t := b.inputType(c); t != "checkbox" && t != "radio" {
		return false
	}
	if b.namedByARIA(c) {
		return false
	}
	first := b.elementFrom(b.items[i].first)
	if first == none {
		return true
	}
	return first == c && b.elementFrom(b.items[c].next) == none
}

// elementFrom returns i or the first of its next siblings that is an element.
func (b *builder) elementFrom(i int32) int32 {
	for ; i != none; i = b.items[i].next {
		if b.items[i].is(isElement) {
			return i
		}
	}
	return none
}

// invisible reports whether an item's own visibility hides it.
func (b *builder) invisible(i int32) bool {
	s := b.items[i].node.Style
	return s != nil && s.Visibility != "" && s.Visibility != "visible"
}

// trimmed is s without white space around it.
func trimmed(s string) string { return strings.Trim(s, " \n\t\r\f") }
