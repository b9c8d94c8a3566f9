package axtree

// labels are the label elements of each control, in document order, and the rules
// for names that come from what an item contains.
type labels struct {
	controls
	labelsOf    map[int32][]int32 // control → labels
	controlOf   map[int32]int32   // label → control
	nextControl []int32           // the first control at each item or behind it
}

// relate finds the elements that name or describe others: labels, and the
// targets of aria-labelledby and aria-describedby.
func (l *labels) relate() {
	for i := range l.items {
		it := &l.items[i]
		if it.tag == tagLabel {
			it.flags |= relTarget
			if c := l.labelled(int32(i)); c != none {
				if l.labelsOf == nil {
					l.labelsOf, l.controlOf = map[int32][]int32{}, map[int32]int32{}
				}
				l.labelsOf[c] = append(l.labelsOf[c], int32(i))
				l.controlOf[int32(i)] = c
			}
		}
		if !it.any(ariaLabelledby | ariaLabeledby | ariaDescribedby) {
			continue
		}
		for _, name := range [...]string{"aria-labelledby", "aria-labeledby", "aria-describedby"} {
			for _, t := range l.references(int32(i), name) {
				l.items[t].flags |= relTarget
			}
		}
	}
}

// labelled returns the control that a label is for: the one it names by id, or
// else the first one that it contains (HTML §4.10.4).
func (l *labels) labelled(label int32) int32 {
	it := &l.items[label]
	if it.any(attrFor) {
		c := l.byID(label, l.attr(label, attrFor, "for"))
		if c != none && l.isLabelable(c) {
			return c
		}
		return none
	}
	c := l.nextLabelable(label + 1)
	if c == none || c >= it.end {
		return none
	}
	if l.isLabelable(c) {
		return c
	}
	return l.referenceTarget(c)
}

// nextLabelable returns the first item at i or behind it that is a control, or
// stands for one. The first call computes it for all items.
func (l *labels) nextLabelable(i int32) int32 {
	if l.nextControl == nil {
		l.nextControl = make([]int32, len(l.items)+1)
		c := none
		l.nextControl[len(l.items)] = none
		for k := int32(len(l.items)) - 1; k >= 0; k-- {
			if l.isLabelable(k) || l.items[k].node.Rare != nil && l.isLabelable(l.referenceTarget(k)) {
				c = k
			}
			l.nextControl[k] = c
		}
	}
	return l.nextControl[i]
}

func (l *labels) isLabelable(i int32) bool {
	if i == none {
		return false
	}
	switch l.items[i].tag {
	case tagButton, tagMeter, tagOutput, tagProgress, tagSelect, tagTextarea:
		return true
	case tagInput:
		return l.inputType(i) != "hidden"
	}
	r := l.items[i].node.Rare
	return r != nil && r.FormAssociated
}

// isRedundantLabel reports whether a label only repeats the name of its checkbox
// or radio button, and so is not shown.
func (l *labels) isRedundantLabel(i int32) bool {
	c, ok := l.controlOf[i]
	if !ok {
		return false
	}
	it := &l.items[c]
	if it.tag != tagInput || !it.is(hasLayout) || l.invisible(c) {
		return false
	}
	if t := l.inputType(c); t != "checkbox" && t != "radio" {
		return false
	}
	if l.namedByARIA(c) {
		return false
	}
	first := l.elementFrom(l.items[i].first)
	if first == none {
		return true
	}
	return first == c && l.elementFrom(l.items[c].next) == none
}

// namedByContent reports whether an item's role takes its name from what it
// contains (ARIA 1.3 §5.2.8.5), or gives it to an ancestor's.
func (l *labels) namedByContent(i int32, recursive, focus bool) bool {
	it := &l.items[i]
	switch {
	case it.kind == kindRow:
		return l.inGrid(i)
	case it.kind == kindMenuListOption:
		return l.canHaveChildren(i)
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
	return focus && l.isFocused(i)
}

// inGrid reports whether a row stands in a grid or treegrid.
func (l *labels) inGrid(i int32) bool {
	for n, p := 0, l.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, l.items[p].axParent {
		it := &l.items[p]
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
func (l *labels) isLabelPart(i int32, p *item) bool {
	it := &l.items[i]
	if it.is(relTarget) {
		return true
	}
	if it.is(isElement) && (!it.is(ignored) || it.is(focusable)) && l.namedByContent(i, false, false) {
		return true
	}
	if it.kind == kindGroup || !p.is(labelPart) {
		return false
	}
	if !it.is(hiddenStyle|ariaHidden) || p.is(hiddenStyle|ariaHidden) {
		return true
	}
	for n, p := 0, it.axParent; p != none && l.items[p].is(labelPart) && n < maxAncestors; n, p = n+1, l.items[p].axParent {
		if l.items[p].is(relTarget) {
			return true
		}
	}
	return false
}

// belowIgnoredLabel reports whether a text only repeats what its control is
// called: it stands in a label that is left out.
func (l *labels) belowIgnoredLabel(i int32) bool {
	p := l.items[i].axParent
	for n := 0; p != none && l.items[p].is(ignored) && n < maxAncestors; n++ {
		if l.items[p].kind == kindLabelText {
			return true
		}
		p = l.items[p].axParent
	}
	return false
}
