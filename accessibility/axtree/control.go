package axtree

import "cmp"

// controls knows the controls of HTML: what kind each is, and whether it works.
type controls struct{ relations }

// inputType returns an input's type, in lower case; "text" if it is unknown.
func (ct *controls) inputType(i int32) string {
	if v := ct.attr(i, attrType, "type"); v != "" {
		return cmp.Or(oneOf(v, inputTypes...), "text")
	}
	return "text"
}

var inputTypes = []string{"text", "checkbox", "radio", "button", "submit", "hidden", "number", "password", "search", "email", "tel",
	"url", "date", "datetime-local", "month", "week", "time", "color", "file", "image", "range", "reset"}

func isButtonType(t string) bool {
	return t == "button" || t == "submit" || t == "reset" || t == "image"
}

// isTextControl reports whether an element is a native field that takes text.
func (ct *controls) isTextControl(i int32) bool {
	it := &ct.items[i]
	if it.tag == tagTextarea {
		return true
	}
	if it.tag != tagInput {
		return false
	}
	switch ct.inputType(i) {
	case "text", "search", "email", "tel", "url", "number", "password":
		return true
	}
	return false
}

// isTextField reports whether an item takes text: a native field, one by its
// role, or an editable element.
func (ct *controls) isTextField(i int32) bool {
	it := &ct.items[i]
	if !it.is(isElement) {
		return false
	}
	if ct.isTextControl(i) || it.is(editRoot) {
		return true
	}
	k := it.aria
	if k == kindUnknown {
		k = ct.fieldRole(i)
	}
	return k.is(plainField)
}

// fieldRole is the role of the role attribute, before roles are computed.
func (ct *controls) fieldRole(i int32) kind {
	if ct.items[i].kind != kindUnknown {
		return kindUnknown
	}
	return ct.rawRole(i)
}

// isMenuList reports whether a select is shown as a drop-down.
func (ct *controls) isMenuList(i int32) bool {
	n, ok := parseInt(ct.attr(i, attrSize, "size"))
	if ct.items[i].any(attrMultiple) {
		return ok && n == 1 // Chromium: a size that is written wins
	}
	return !ok || n <= 1
}

// ownerSelect returns the select that an option is of.
func (ct *controls) ownerSelect(i int32) int32 {
	for p := ct.items[i].parent; p != none; p = ct.items[p].parent {
		switch ct.items[p].tag {
		case tagSelect:
			return p
		case tagDatalist, tagOption:
			return none
		}
	}
	return none
}

// summaryOf returns the details element that i is the summary of.
func (ct *controls) summaryOf(i int32) int32 {
	p := ct.items[i].parent
	if p != none && ct.items[p].tag == tagSlot {
		p = ct.items[p].parent
	}
	if p != none && ct.items[p].tag == tagDetails {
		return p
	}
	return none
}

// popoverTarget is the popover that a button opens.
func (ct *controls) popoverTarget(i int32) int32 {
	it := &ct.items[i]
	if it.tag != tagButton && it.tag != tagInput || ct.submits(i) {
		return none
	}
	if id, ok := it.node.Attr("commandfor"); ok {
		cmd, _ := it.node.Attr("command")
		switch cmd {
		case "toggle-popover", "show-popover", "hide-popover":
			if p := ct.byID(i, id); p != none && ct.items[p].any(attrPopover) {
				return p
			}
		}
	}
	if id, ok := it.node.Attr("popovertarget"); ok {
		if p := ct.byID(i, id); p != none && ct.items[p].any(attrPopover) {
			return p
		}
	}
	return none
}

// submits reports whether a button sends the form that it stands in.
func (ct *controls) submits(i int32) bool {
	it := &ct.items[i]
	t := ct.attr(i, attrType, "type")
	if it.tag == tagButton && (equalFold(t, "button") || equalFold(t, "reset")) || it.tag == tagInput && !equalFold(t, "submit") && !equalFold(t, "image") {
		return false
	}
	return ct.nearest(it.parent, tagForm, maxAncestors) != none
}

// popupAttr is the value of aria-haspopup, "menu" for true; "" without one.
func (ct *controls) popupAttr(i int32) string {
	v := ct.attr(i, ariaHasPopup, "aria-haspopup")
	if isTrue(v) {
		return "menu"
	}
	return oneOf(v, "false", "listbox", "tree", "grid", "dialog", "menu")
}

func (ct *controls) isMultiselectable(i int32) bool {
	it := &ct.items[i]
	if it.kind.is(multiselectKind) {
		if v, ok := ct.boolean(i, ariaMulti, "aria-multiselectable"); ok {
			return v
		}
	}
	return it.tag == tagSelect && it.any(attrMultiple) && !ct.isMenuList(i)
}

// isFocused reports whether an item has the focus.
func (ct *controls) isFocused(i int32) bool {
	it := &ct.items[i]
	doc := &ct.c.Documents[it.doc]
	return it.is(isElement) && doc.Active > 0 && ct.docIndex(i) == doc.Active && !it.native.is(embedKind)
}

func (ct *controls) isDisabled(i int32) bool {
	it := &ct.items[i]
	if it.tag == tagOptgroup {
		return false
	}
	return ct.isDisabledItem(i)
}

// isDisabledItem reports whether an item is disabled, by its own attribute or
// by a container's.
func (ct *controls) isDisabledItem(i int32) bool {
	it := &ct.items[i]
	if it.is(disabledForm) || it.is(isElement) && ct.isUnusable(i) {
		return true
	}
	if it.any(ariaDisabled) && isTrue(ct.attr(i, ariaDisabled, "aria-disabled")) {
		return true
	}
	return it.is(disabledBelow) && it.is(focusable)
}

// isUnusable reports whether the content of an element does not work: media that
// cannot play, an object without a document.
func (ct *controls) isUnusable(i int32) bool {
	it := &ct.items[i]
	switch it.tag {
	case tagAudio, tagVideo:
		return it.node.Rare != nil && it.node.Rare.Broken
	case tagObject, tagEmbed:
		for d := range ct.c.Documents {
			if ct.owner(d) == i {
				return false
			}
		}
		return it.kind == it.native
	}
	return false
}

// isControl reports whether an item is a control, by its element or its role.
func (ct *controls) isControl(i int32) bool {
	it := &ct.items[i]
	switch it.tag {
	case tagButton, tagInput, tagSelect, tagTextarea, tagFieldset, tagOutput:
		return true
	}
	return it.aria.is(widget)
}
