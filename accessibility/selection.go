package accessibility

// selected is the state of what can be chosen among others.
func (b *builder) selected(i int32) Tristate {
	it := &b.items[i]
	switch it.kind {
	case kindCell, kindColumnHeader, kindRowHeader, kindRow:
		if t := b.shownTable(i); t == none || b.items[t].kind != kindGrid && b.items[t].kind != kindTreeGrid {
			return Unset
		}
	case kindGridCell, kindListBoxOption, kindMenuListOption, kindTab, kindTreeItem:
	default:
		return Unset
	}
	if it.any(ariaSelected) {
		if v, ok := b.boolean(i, ariaSelected, "aria-selected"); ok {
			return onOff(v)
		}
	}
	if !it.kind.is(selectedByFocus) {
		return Unset
	}
	if it.tag == tagOption {
		if b.isDisabled(i) {
			return Unset
		}
		return onOff(it.node.Selected)
	}
	c := b.container(i)
	if c != none && (b.isMultiselectable(c) || b.choosesByCheck(c)) {
		return Unset
	}
	return onOff(c != none && b.hasFocusWithin(i, c))
}

// hasFocusWithin reports whether i has the focus, or is what the focused
// element points to.
func (b *builder) hasFocusWithin(i, container int32) bool {
	if b.isFocused(i) {
		return true
	}
	if !b.items[container].any(ariaActive) || !b.isFocused(container) {
		return false
	}
	return b.byID(container, b.attr(container, ariaActive, "aria-activedescendant")) == i
}

// choosesByCheck reports whether a container's parts say themselves which are
// chosen, by aria-selected or aria-checked, so that the focus says nothing.
func (b *builder) choosesByCheck(c int32) bool {
	if b.says == nil {
		b.says = map[int32]bool{}
		for i := range b.items {
			if b.items[i].any(ariaSelected|ariaChecked) && b.items[i].axParent != none {
				if k := b.container(int32(i)); k != none {
					b.says[k] = true
				}
			}
		}
	}
	return b.says[c]
}

// container is the nearest shown ancestor among whose parts a person moves.
func (b *builder) container(i int32) int32 {
	for n, p := 0, b.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		if !b.items[p].is(ignored) && b.items[p].kind.is(selectableParent) {
			return p
		}
	}
	return none
}

// shownParent is the nearest shown ancestor.
func (b *builder) shownParent(i int32) int32 {
	for n, p := 0, b.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		if !b.items[p].is(ignored) {
			return p
		}
	}
	return none
}

// shownTable is the nearest shown ancestor that is a table.
func (b *builder) shownTable(i int32) int32 {
	for n, p := 0, b.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		if !b.items[p].is(ignored) && b.items[p].kind.is(tableKind) {
			return p
		}
	}
	return none
}

func (b *builder) isMultiselectable(i int32) bool {
	it := &b.items[i]
	if it.kind.is(multiselectKind) {
		if v, ok := b.boolean(i, ariaMulti, "aria-multiselectable"); ok {
			return v
		}
	}
	return it.tag == tagSelect && it.any(attrMultiple)
}

func (b *builder) inGridTable(i int32) bool {
	t := b.shownTable(i)
	return t != none && (b.items[t].kind == kindGrid || b.items[t].kind == kindTreeGrid)
}
