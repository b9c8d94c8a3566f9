package axtree

// relate finds the elements that name or describe others: labels, and the
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
// else the first one that it contains (HTML §4.10.4).
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
// stands for one. The first call computes it for all items.
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
	r := b.items[i].node.Rare
	return r != nil && r.FormAssociated
}

// isRedundantLabel reports whether a label only repeats the name of its checkbox
// or radio button, and so is not shown.
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

// namedByContent reports whether an item's role takes its name from what it
// contains (ARIA 1.3 §5.2.8.5), or gives it to an ancestor's.
func (b *builder) namedByContent(i int32, recursive, focus bool) bool {
	it := &b.items[i]
	switch {
	case it.kind == kindRow:
		return b.inGrid(i)
	case it.kind == kindMenuListOption:
		return b.canHaveChildren(i)
	case it.kind == kindRubyAnnotation:
		return !recursive
	case it.kind.is(fromContent):
		return true
	case !it.kind.is(givesContent):
		return false
	case it.kind == kindGroup && it.tag != tagAddress:
		return false
	case (it.kind == kindGeneric || it.kind == kindGroup) && (it.tag == tagBody || it.tag == tagHTML):
		return false
	case recursive:
		return true
	case !it.is(isElement) || it.is(editable) || it.any(ariaActive):
		return false
	}
	// An item without a name of its own gets one while it has the focus.
	return focus && b.isFocused(i)
}

// inGrid reports whether a row stands in a grid or treegrid.
func (b *builder) inGrid(i int32) bool {
	for n, p := 0, b.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		it := &b.items[p]
		if it.is(ignored) {
			continue
		}
		switch it.kind {
		case kindGrid, kindTreeGrid:
			return true
		case kindGeneric, kindNone, kindGroup, kindRowGroup:
			continue
		}
		return false
	}
	return false
}

// isLabelPart reports whether an item takes part in a name or a description.
func (b *builder) isLabelPart(i int32, p *item) bool {
	it := &b.items[i]
	if it.is(relTarget) {
		return true
	}
	if it.is(isElement) && (!it.is(ignored) || it.is(focusable)) && b.namedByContent(i, false, false) {
		return true
	}
	if it.kind == kindGroup || !p.is(labelPart) {
		return false
	}
	if !it.is(hiddenStyle|ariaHidden) || p.is(hiddenStyle|ariaHidden) {
		return true
	}
	for n, p := 0, it.axParent; p != none && b.items[p].is(labelPart) && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		if b.items[p].is(relTarget) {
			return true
		}
	}
	return false
}

// belowIgnoredLabel reports whether a text only repeats what its control is
// called: it stands in a label that is left out.
func (b *builder) belowIgnoredLabel(i int32) bool {
	p := b.items[i].axParent
	for n := 0; p != none && b.items[p].is(ignored) && n < maxAncestors; n++ {
		if b.items[p].kind == kindLabelText {
			return true
		}
		p = b.items[p].axParent
	}
	return false
}
