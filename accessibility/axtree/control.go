package axtree

// inputType returns an input's type, in lower case; "text" if it is unknown.
func (b *builder) inputType(i int32) string {
	it := &b.items[i]
	if !it.any(attrType) {
		return "text"
	}
	v := b.attr(i, attrType, "type")
	for _, t := range inputTypes {
		if equalFold(v, t) {
			return t
		}
	}
	return "text"
}

var inputTypes = []string{"text", "checkbox", "radio", "button", "submit", "hidden", "number", "password", "search", "email", "tel",
	"url", "date", "datetime-local", "month", "week", "time", "color", "file", "image", "range", "reset"}

func isButtonType(t string) bool {
	return t == "button" || t == "submit" || t == "reset" || t == "image"
}

// isTextControl reports whether an element is a native field that takes text.
func (b *builder) isTextControl(i int32) bool {
	it := &b.items[i]
	if it.tag == tagTextarea {
		return true
	}
	if it.tag != tagInput {
		return false
	}
	switch b.inputType(i) {
	case "text", "search", "email", "tel", "url", "number", "password":
		return true
	}
	return false
}

// isTextField reports whether an item takes text: a native field, one by its
// role, or an editable element.
func (b *builder) isTextField(i int32) bool {
	it := &b.items[i]
	if !it.is(isElement) {
		return false
	}
	if b.isTextControl(i) || it.is(editRoot) {
		return true
	}
	k := it.aria
	if k == kindUnknown {
		k = b.fieldRole(i)
	}
	return k.is(plainField)
}

// fieldRole is the role of the role attribute, before roles are computed.
func (b *builder) fieldRole(i int32) kind {
	if b.items[i].kind != kindUnknown {
		return kindUnknown
	}
	return b.rawRole(i)
}

// isMenuList reports whether a select is shown as a drop-down.
func (b *builder) isMenuList(i int32) bool {
	n, ok := parseInt(b.attr(i, attrSize, "size"))
	if b.items[i].any(attrMultiple) {
		return ok && n == 1 // Chromium: a size that is written wins
	}
	return !ok || n <= 1
}

// ownerSelect returns the select that an option is of.
func (b *builder) ownerSelect(i int32) int32 {
	for p := b.items[i].parent; p != none; p = b.items[p].parent {
		switch b.items[p].tag {
		case tagSelect:
			return p
		case tagDatalist, tagOption:
			return none
		}
	}
	return none
}

// summaryOf returns the details element that i is the summary of.
func (b *builder) summaryOf(i int32) int32 {
	p := b.items[i].parent
	if p != none && b.items[p].tag == tagSlot {
		p = b.items[p].parent
	}
	if p != none && b.items[p].tag == tagDetails {
		return p
	}
	return none
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

// popupAttr is the value of aria-haspopup, "menu" for true; "" without one.
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

func (b *builder) isMultiselectable(i int32) bool {
	it := &b.items[i]
	if it.kind.is(multiselectKind) {
		if v, ok := b.boolean(i, ariaMulti, "aria-multiselectable"); ok {
			return v
		}
	}
	return it.tag == tagSelect && it.any(attrMultiple) && !b.isMenuList(i)
}

// isFocused reports whether an item has the focus.
func (b *builder) isFocused(i int32) bool {
	it := &b.items[i]
	doc := &b.c.Documents[it.doc]
	return it.is(isElement) && doc.Active > 0 && b.docIndex(i) == doc.Active && !it.native.is(embedKind)
}

func (b *builder) isDisabled(i int32) bool {
	it := &b.items[i]
	if it.tag == tagOptgroup {
		return false
	}
	return b.isDisabledItem(i)
}

// isDisabledItem reports whether an item is disabled, by its own attribute or
// by a container's.
func (b *builder) isDisabledItem(i int32) bool {
	it := &b.items[i]
	if it.is(disabledForm) || it.is(isElement) && b.isUnusable(i) {
		return true
	}
	if it.any(ariaDisabled) && isTrue(b.attr(i, ariaDisabled, "aria-disabled")) {
		return true
	}
	return it.is(disabledBelow) && it.is(focusable)
}

// isUnusable reports whether the content of an element does not work: media that
// cannot play, an object without a document.
func (b *builder) isUnusable(i int32) bool {
	it := &b.items[i]
	switch it.tag {
	case tagAudio, tagVideo:
		return it.node.Rare != nil && it.node.Rare.Broken
	case tagObject, tagEmbed:
		for d := range b.c.Documents {
			if b.owner(d) == i {
				return false
			}
		}
		return it.kind == it.native
	}
	return false
}
