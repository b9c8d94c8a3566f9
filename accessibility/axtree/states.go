package axtree

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// states computes what an item's states are.
type states struct {
	arrangement
	marked map[int32]bool // see marksSelection
}

// States are the states and properties of an object, as ARIA names them.
// Zero values mean that the state does not apply or is off.
type States struct {
	Checked  Tristate
	Pressed  Tristate
	Expanded Tristate
	Selected Tristate

	Disabled        bool
	Required        bool
	ReadOnly        bool
	Focused         bool
	Focusable       bool
	Modal           bool
	Busy            bool
	Multiline       bool
	Multiselectable bool
	Editable        bool

	Level    int    // of a heading, of a tree item
	Invalid  string // "true", "grammar", "spelling"; empty if valid
	HasPopup string // "menu", "listbox", "tree", "grid", "dialog"
	Current  string // aria-current, if not false
	Sort     string // aria-sort, if not none
	Keys     string // aria-keyshortcuts: "Control+Enter", several with spaces between
}

// A Tristate is a state that may be absent, off, on, or mixed.
type Tristate uint8

// The values. Unset means that the object does not have the state at all.
const (
	Unset Tristate = iota
	Off
	On
	Mixed
)

// statesOf returns the states of an item (ARIA 1.3 §6, HTML-AAM §3.5).
func (st *states) statesOf(i int32) States {
	it := &st.items[i]
	s := States{Focusable: it.is(focusable), Focused: st.isFocused(i), Editable: it.is(editable) && !it.is(isPseudo) || st.isTextControl(i)}
	if !it.is(isElement) {
		return s
	}
	s.Disabled = st.isDisabled(i)
	s.Checked, s.Pressed = st.checked(i)
	s.Expanded = st.expanded(i)
	s.Selected = st.selected(i)
	s.Invalid = st.invalid(i)
	s.HasPopup = st.popup(i)
	s.Level = st.level(i)
	s.Multiline = st.isMultiline(i)
	s.Multiselectable = st.isMultiselectable(i)
	s.ReadOnly = !s.Disabled && st.isReadOnly(i)
	s.Required = st.isRequired(i)
	s.Modal = st.isModal(i)
	s.Busy = isTrue(st.attr(i, ariaBusy, "aria-busy"))
	s.Current = st.current(i)
	s.Sort = st.sort(i)
	s.Keys = st.shortcuts(i)
	return s
}

// checked is the state of what can be checked, and of a button that stays pressed.
func (st *states) checked(i int32) (checked, pressed Tristate) {
	it := &st.items[i]
	if !it.kind.is(checkKind) {
		return Unset, Unset
	}
	switch it.kind {
	case kindTreeItem, kindListBoxOption, kindMenuListOption:
		if _, ok := st.token(i, ariaChecked, "aria-checked"); !ok {
			return Unset, Unset
		}
	}
	if it.tag == tagInput {
		switch st.inputType(i) {
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
		return Unset, st.tristate(i, ariaPressed, "aria-pressed", true)
	}
	mixed := it.kind != kindRadioButton && it.kind != kindMenuItemRadio && it.kind != kindSwitch
	return st.tristate(i, ariaChecked, "aria-checked", mixed), Unset
}

func (st *states) tristate(i int32, a attrSet, name string, mixed bool) Tristate {
	v, ok := st.token(i, a, name)
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

// invalid is aria-invalid, or else the result of the browser's own validation.
func (st *states) invalid(i int32) string {
	it := &st.items[i]
	if it.any(ariaInvalid) {
		v, ok := st.token(i, ariaInvalid, "aria-invalid")
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
	if st.isTextControl(i) && st.isRequired(i) && it.node.Value == "" {
		return "" // it is required, which another state shows
	}
	return "true"
}

// level is how deep a heading, a tree item, a comment or a list item stands.
func (st *states) level(i int32) int {
	it := &st.items[i]
	if it.shownAs != kindUnknown {
		return 0
	}
	switch it.kind {
	case kindHeading, kindListItem, kindTreeItem, kindComment, kindRow:
	default:
		return 0
	}
	if it.any(ariaLevel) {
		n, _ := parseInt(st.attr(i, ariaLevel, "aria-level"))
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
		return st.count(i, 1, kindComment, kindUnknown)
	case kindListItem:
		return max(1, st.count(i, 0, kindList, kindUnknown))
	case kindTreeItem:
		return st.count(i, 1, kindGroup, kindTree)
	}
	return 0
}

// count adds the ancestors of a kind, up to one of another.
func (st *states) count(i int32, from int, k, until kind) int {
	for n, p := 0, st.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, st.items[p].axParent {
		switch st.items[p].kind {
		case k:
			from++
		case until:
			return from
		}
	}
	return from
}

func (st *states) isMultiline(i int32) bool {
	it := &st.items[i]
	if !st.isTextField(i) || it.tag == tagInput {
		return false
	}
	if v, ok := st.boolean(i, ariaMulti, "aria-multiline"); ok {
		return v
	}
	return it.tag == tagTextarea || it.is(editRoot)
}

func (st *states) isReadOnly(i int32) bool {
	it := &st.items[i]
	if st.isTextControl(i) {
		if _, ok := it.node.Attr("readonly"); ok {
			return true
		}
	}
	if !it.is(editRoot) && it.kind.is(readOnlyKind) {
		if it.kind != kindColumnHeader && it.kind != kindRowHeader || st.inGridTable(i) {
			if v, ok := st.boolean(i, ariaReadonly, "aria-readonly"); ok {
				return v
			}
		}
	}
	if it.kind.is(cellKind) {
		row := st.shownAncestor(i, 0)
		if row == none || !st.items[row].kind.is(rowKind) {
			return false
		}
		if t := st.shownAncestor(row, 0); t != none && (st.items[t].kind == kindGrid || st.items[t].kind == kindTreeGrid) && st.items[t].any(ariaReadonly) {
			return st.isReadOnly(t)
		}
	}
	return false
}

func (st *states) isRequired(i int32) bool {
	it := &st.items[i]
	switch it.tag {
	case tagInput, tagSelect, tagTextarea:
		if _, ok := it.node.Attr("required"); ok {
			switch st.inputType(i) {
			case "hidden", "range", "color", "submit", "image", "reset", "button":
			default:
				return true
			}
		}
	}
	return (it.kind.is(requirable) || it.kind == kindRadioButton) && isTrue(st.attr(i, ariaRequired, "aria-required"))
}

func (st *states) isModal(i int32) bool {
	it := &st.items[i]
	if it.kind != kindDialog && it.kind != kindAlertDialog {
		return false
	}
	if v, ok := st.boolean(i, ariaModal, "aria-modal"); ok {
		return v
	}
	return it.tag == tagDialog && it.is(modalOpen)
}

// current is aria-current in one of its words; any other word is "true".
func (st *states) current(i int32) string {
	v, ok := st.token(i, ariaCurrent, "aria-current")
	if !ok || equalFold(v, "false") {
		return ""
	}
	return cmp.Or(oneOf(v, "page", "step", "location", "date", "time"), "true")
}

func (st *states) sort(i int32) string {
	it := &st.items[i]
	if it.kind != kindColumnHeader && it.kind != kindRowHeader {
		return ""
	}
	v, ok := st.token(i, ariaSort, "aria-sort")
	if !ok {
		return ""
	}
	if equalFold(v, "none") {
		return ""
	}
	return cmp.Or(oneOf(v, "ascending", "descending"), "other")
}

// maxShortcuts bounds the shortcuts of an element.
const maxShortcuts = 3

// shortcuts are the keys of aria-keyshortcuts. What is no key is left out: the
// attribute may say anything.
func (st *states) shortcuts(i int32) string {
	var chords []string
	for chord := range strings.FieldsSeq(st.attr(i, ariaKeys, "aria-keyshortcuts")) {
		if len(chords) < maxShortcuts && isChord(chord) {
			chords = append(chords, chord)
		}
	}
	return strings.Join(chords, " ")
}

// isChord reports whether a text is a key with modifiers before it, by the names
// of UI Events.
func isChord(text string) bool {
	parts := strings.Split(text, "+")
	last := len(parts) - 1
	for _, p := range parts[:last] {
		switch p {
		case "Alt", "AltGraph", "Control", "Meta", "Shift":
		default:
			return false
		}
	}
	switch key := parts[last]; key {
	case "Enter", "Escape", "Tab", "Space", "Plus", "Backspace", "Delete", "Insert", "Home", "End", "PageUp", "PageDown",
		"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12":
		return true
	default:
		r, size := utf8.DecodeRuneInString(key)
		return size > 0 && size == len(key) && unicode.IsGraphic(r)
	}
}

// expanded is whether what a control opens is open.
func (st *states) expanded(i int32) Tristate {
	it := &st.items[i]
	if !it.kind.is(expandable) {
		return Unset
	}
	if it.kind == kindComboBoxSelect {
		return Off // an open one is a window of its own, and not captured
	}
	if it.any(attrPopoverTarget) {
		if p := st.popoverTarget(i); p != none && !(p < i && i < st.items[p].end) {
			return onOff(st.items[p].node.Rare != nil && st.items[p].node.Rare.PopoverOpen)
		}
	}
	if it.tag == tagSummary {
		if d := st.summaryOf(i); d != none {
			return onOff(st.items[d].any(attrOpen))
		}
	}
	if v, ok := st.boolean(i, ariaExpanded, "aria-expanded"); ok {
		return onOff(v)
	}
	return Unset
}

func (st *states) popup(i int32) string {
	it := &st.items[i]
	if p := st.popupAttr(i); p != "" && p != "false" {
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

// selected is the state of what can be chosen among others.
func (st *states) selected(i int32) Tristate {
	it := &st.items[i]
	switch it.kind {
	case kindCell, kindColumnHeader, kindRowHeader, kindRow:
		if !st.inGridTable(i) {
			return Unset
		}
	case kindGridCell, kindListBoxOption, kindMenuListOption, kindTab, kindTreeItem:
	default:
		return Unset
	}
	if v, ok := st.boolean(i, ariaSelected, "aria-selected"); ok {
		return onOff(v)
	}
	if !it.kind.is(selectedByFocus) {
		return Unset
	}
	if it.tag == tagOption {
		if st.isDisabled(i) {
			return Unset
		}
		return onOff(it.node.Selected)
	}
	c := st.shownAncestor(i, selectableParent)
	if c != none && (st.isMultiselectable(c) || st.marksSelection(c)) {
		return Unset
	}
	return onOff(c != none && st.hasFocusWithin(i, c))
}

// hasFocusWithin reports whether i has the focus, or is what the focused
// element points to.
func (st *states) hasFocusWithin(i, container int32) bool {
	if st.isFocused(i) {
		return true
	}
	if !st.items[container].any(ariaActive) || !st.isFocused(container) {
		return false
	}
	return st.byID(container, st.attr(container, ariaActive, "aria-activedescendant")) == i
}

// marksSelection reports whether a container's parts have aria-selected or
// aria-checked, so that selection does not follow the focus.
func (st *states) marksSelection(c int32) bool {
	if st.marked == nil {
		st.marked = map[int32]bool{}
		for i := range st.items {
			if st.items[i].any(ariaSelected|ariaChecked) && st.items[i].axParent != none {
				if k := st.shownAncestor(int32(i), selectableParent); k != none {
					st.marked[k] = true
				}
			}
		}
	}
	return st.marked[c]
}
