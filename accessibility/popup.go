package accessibility

// expanded: what a control opens is open or closed.
func (b *builder) expanded(i int32) Tristate {
	it := &b.items[i]
	if !it.kind.is(expandable) {
		return Unset
	}
	if it.kind == kindComboBoxSelect {
		return Off // an open one is a window of its own, and not captured
	}
	if it.any(attrPopoverTarget) {
		if p := b.popoverTarget(i); p != none && !(p < i && i < b.items[p].end) {
			return onOff(b.items[p].node.Rare != nil && b.items[p].node.Rare.PopoverOpen)
		}
	}
	if it.tag == tagSummary {
		if d := b.summaryOf(i); d != none {
			return onOff(b.items[d].any(attrOpen))
		}
	}
	if it.any(ariaExpanded) {
		if v, ok := b.boolean(i, ariaExpanded, "aria-expanded"); ok {
			return onOff(v)
		}
	}
	return Unset
}

// popoverTarget is the popover that a button opens.
func (b *builder) popoverTarget(i int32) int32 {
	it := &b.items[i]
	if it.tag != tagButton && it.tag != tagInput || b.submits(i) {
		return none
	}
	if id, ok := it.node.Attr("commandfor"); ok {
		cmd, _ := it.node.Attr("command")
		switch cmd {
		case "toggle-popover", "show-popover", "hide-popover":
			if p := b.byID(i, id); p != none && b.items[p].any(attrPopover) {
				return p
			}
		}
	}
	if id, ok := it.node.Attr("popovertarget"); ok {
		if p := b.byID(i, id); p != none && b.items[p].any(attrPopover) {
			return p
		}
	}
	return none
}

// submits reports whether a button sends the form that it stands in.
func (b *builder) submits(i int32) bool {
	it := &b.items[i]
	t := b.attr(i, attrType, "type")
	if it.tag == tagButton && (equalFold(t, "button") || equalFold(t, "reset")) || it.tag == tagInput && !equalFold(t, "submit") && !equalFold(t, "image") {
		return false
	}
	for n, p := 0, it.parent; p != none && n < maxAncestors; n, p = n+1, b.items[p].parent {
		if b.items[p].tag == tagForm {
			return true
		}
	}
	return false
}

// popupAttr is what aria-haspopup says, in the word for it; "" if nothing.
func (b *builder) popupAttr(i int32) string {
	v, ok := b.token(i, ariaHasPopup, "aria-haspopup")
	if !ok {
		return ""
	}
	for _, w := range [...]string{"false", "listbox", "tree", "grid", "dialog", "menu"} {
		if equalFold(v, w) {
			return w
		}
	}
	if isTrue(v) {
		return "menu"
	}
	return ""
}

func (b *builder) popup(i int32) string {
	it := &b.items[i]
	if p := b.popupAttr(i); p != "" && p != "false" {
		return p
	}
	switch it.kind {
	case kindComboBoxSelect:
		return "menu"
	case kindComboBoxGrouping, kindComboBoxMenuButton, kindTextFieldWithComboBox:
		return "listbox"
	}
	return ""
}
