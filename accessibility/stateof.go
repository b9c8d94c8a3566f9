package accessibility

// states collects what is true of an item (ARIA 1.3 §6, HTML-AAM §3.5).
func (b *builder) states(i int32) States {
	it := &b.items[i]
	s := States{Focusable: it.is(focusable), Focused: b.isFocused(i), Editable: it.is(editable) && !it.is(isPseudo) || b.isTextControl(i)}
	if !it.is(isElement) {
		return s
	}
	s.Disabled = b.isDisabled(i)
	s.Checked, s.Pressed = b.checked(i)
	s.Expanded = b.expanded(i)
	s.Selected = b.selected(i)
	s.Invalid = b.invalid(i)
	s.HasPopup = b.popup(i)
	s.Level = b.level(i)
	s.Multiline = b.isMultiline(i)
	s.Multiselectable = b.isMultiselectable(i)
	s.ReadOnly = !s.Disabled && b.isReadOnly(i)
	s.Required = b.isRequired(i)
	s.Modal = b.isModal(i)
	if it.any(ariaBusy) {
		s.Busy = isTrue(b.attr(i, ariaBusy, "aria-busy"))
	}
	s.Current = b.current(i)
	s.Sort = b.sort(i)
	return s
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

// checked is the state of what can be checked, and of a button that stays pressed.
func (b *builder) checked(i int32) (checked, pressed Tristate) {
	it := &b.items[i]
	if !it.kind.is(checkKind) {
		return Unset, Unset
	}
	switch it.kind {
	case kindTreeItem, kindListBoxOption, kindMenuListOption:
		if _, ok := b.token(i, ariaChecked, "aria-checked"); !ok {
			return Unset, Unset
		}
	}
	if it.tag == tagInput {
		switch b.inputType(i) {
		case "checkbox":
			if r := it.node.Rare; r != nil && r.Mixed {
				return Mixed, Unset
			}
			return onOff(it.node.Checked), Unset
		case "radio":
			return onOff(it.node.Checked), Unset
		}
	}
	if it.kind == kindToggleButton {
		return Unset, b.tristate(i, ariaPressed, "aria-pressed", true)
	}
	mixed := it.kind != kindRadioButton && it.kind != kindMenuItemRadio && it.kind != kindSwitch
	return b.tristate(i, ariaChecked, "aria-checked", mixed), Unset
}

func (b *builder) tristate(i int32, a attrSet, name string, mixed bool) Tristate {
	v, ok := b.token(i, a, name)
	if r := b.items[i].node.Rare; !ok && a == ariaChecked && r != nil && r.Checked != "" {
		v, ok = r.Checked, true
	}
	switch {
	case !ok || equalFold(v, "false"):
		return Off
	case equalFold(v, "mixed"):
		if mixed {
			return Mixed
		}
		return Off
	}
	return On
}

func onOff(v bool) Tristate {
	if v {
		return On
	}
	return Off
}

// invalid: what a control holds is not what it takes.
func (b *builder) invalid(i int32) string {
	it := &b.items[i]
	if it.any(ariaInvalid) {
		v, ok := b.token(i, ariaInvalid, "aria-invalid")
		switch {
		case !ok:
		case equalFold(v, "false"):
			return ""
		case equalFold(v, "spelling"), equalFold(v, "grammar"):
			if it.kind == kindTextField {
				return "true"
			}
			return ""
		default:
			return "true"
		}
	}
	r := it.node.Rare
	if r == nil || r.Invalid == "" {
		return ""
	}
	if b.isTextControl(i) && b.isRequired(i) && it.node.Value == "" {
		return "" // it says that it is required
	}
	return "true"
}

// level is how deep a heading, a tree item, a comment or a list item stands.
func (b *builder) level(i int32) int {
	it := &b.items[i]
	if it.shownAs != kindUnknown {
		return 0
	}
	switch it.kind {
	case kindHeading, kindListItem, kindTreeItem, kindComment, kindRow:
	default:
		return 0
	}
	if it.any(ariaLevel) {
		n, _ := parseInt(b.attr(i, ariaLevel, "aria-level"))
		if n = max(n, 1); it.kind != kindHeading || n <= 9 {
			return n
		}
	}
	switch it.kind {
	case kindHeading:
		if it.is(isHTML) && tagH1 <= it.tag && it.tag <= tagH6 {
			return int(it.tag-tagH1) + 1
		}
		if !it.is(isHTML) {
			return 0
		}
		return 2
	case kindComment:
		return b.count(i, 1, kindComment, kindUnknown)
	case kindListItem:
		return max(1, b.count(i, 0, kindList, kindUnknown))
	case kindTreeItem:
		return b.count(i, 1, kindGroup, kindTree)
	}
	return 0
}

// count adds the ancestors of a kind, up to one of another.
func (b *builder) count(i int32, from int, k, until kind) int {
	for n, p := 0, b.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		switch b.items[p].kind {
		case k:
			from++
		case until:
			return from
		}
	}
	return from
}

func (b *builder) isMultiline(i int32) bool {
	it := &b.items[i]
	if !b.isTextField(i) || it.tag == tagInput {
		return false
	}
	if v, ok := b.boolean(i, ariaMulti, "aria-multiline"); ok {
		return v
	}
	return it.tag == tagTextarea || it.is(editRoot)
}

func (b *builder) isReadOnly(i int32) bool {
	it := &b.items[i]
	if b.isTextControl(i) {
		if _, ok := it.node.Attr("readonly"); ok {
			return true
		}
	}
	if !it.is(editRoot) && it.kind.is(readOnlyKind) && it.any(ariaReadonly) {
		if it.kind != kindColumnHeader && it.kind != kindRowHeader || b.inGridTable(i) {
			if v, ok := b.boolean(i, ariaReadonly, "aria-readonly"); ok {
				return v
			}
		}
	}
	if it.kind.is(cellKind) {
		row := b.shownParent(i)
		if row == none || !b.items[row].kind.is(rowKind) {
			return false
		}
		if t := b.shownParent(row); t != none && (b.items[t].kind == kindGrid || b.items[t].kind == kindTreeGrid) && b.items[t].any(ariaReadonly) {
			return b.isReadOnly(t)
		}
	}
	return false
}

func (b *builder) isRequired(i int32) bool {
	it := &b.items[i]
	switch it.tag {
	case tagInput, tagSelect, tagTextarea:
		if _, ok := it.node.Attr("required"); ok {
			switch b.inputType(i) {
			case "hidden", "range", "color", "submit", "image", "reset", "button":
			default:
				return true
			}
		}
	}
	if !it.any(ariaRequired) || !it.kind.is(requirable) && it.kind != kindRadioButton {
		return false
	}
	return isTrue(b.attr(i, ariaRequired, "aria-required"))
}

func (b *builder) isModal(i int32) bool {
	it := &b.items[i]
	if it.kind != kindDialog && it.kind != kindAlertDialog {
		return false
	}
	if it.any(ariaModal) {
		if v, ok := b.boolean(i, ariaModal, "aria-modal"); ok {
			return v
		}
	}
	return it.tag == tagDialog && it.is(modalOpen)
}

// current is aria-current in one of its words; any other word is "true".
func (b *builder) current(i int32) string {
	v, ok := b.token(i, ariaCurrent, "aria-current")
	if !ok || equalFold(v, "false") {
		return ""
	}
	for _, w := range [...]string{"page", "step", "location", "date", "time"} {
		if equalFold(v, w) {
			return w
		}
	}
	return "true"
}

func (b *builder) sort(i int32) string {
	it := &b.items[i]
	if it.kind != kindColumnHeader && it.kind != kindRowHeader {
		return ""
	}
	v, ok := b.token(i, ariaSort, "aria-sort")
	if !ok {
		return ""
	}
	for _, w := range [...]string{"ascending", "descending"} {
		if equalFold(v, w) {
			return w
		}
	}
	if equalFold(v, "none") {
		return ""
	}
	return "other"
}
