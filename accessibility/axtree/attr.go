package axtree

import "github.com/wayfinder-engine/wayfinder/driver"

// An attrSet is the set of attributes that an element has, of those that rules
// read. Nearly all are absent, and cost no search.
type attrSet uint64

const (
	attrRole attrSet = 1 << iota
	attrID
	attrTitle
	attrAlt
	attrHref
	attrType
	attrTabIndex
	attrDisabled
	attrContentEditable
	attrInert
	attrPopover
	attrDraggable
	attrAutofocus
	attrFor
	attrName
	attrList
	attrOpen
	attrPlaceholder
	attrControls
	attrUsemap
	attrMultiple
	attrSize
	attrPopoverTarget
	attrScope
	attrLang

	ariaAny    // any attribute that begins with aria-
	ariaGlobal // one that undoes role none
	ariaLabel
	ariaLabelledby
	ariaLabeledby
	ariaDescribedby
	ariaDescription
	ariaOwns
	ariaHiddenAttr
	ariaDisabled
	ariaChecked
	ariaPressed
	ariaSelected
	ariaExpanded
	ariaLevel
	ariaValue // aria-valuenow, -min, -max, -text
	ariaHasPopup
	ariaReadonly
	ariaRequired
	ariaInvalid
	ariaMulti // aria-multiline, aria-multiselectable
	ariaModal
	ariaBusy
	ariaCurrent
	ariaSort
	ariaKeys
	ariaRoleDescription
	ariaActive
	ariaPlaceholder
	ariaLive
	ariaControls
	ariaActions
)

// attrBits maps the names of attributes.
var attrBits = map[string]attrSet{
	"role": attrRole, "id": attrID, "title": attrTitle, "alt": attrAlt, "href": attrHref, "xlink:href": attrHref,
	"type": attrType, "tabindex": attrTabIndex, "disabled": attrDisabled, "contenteditable": attrContentEditable,
	"inert": attrInert, "popover": attrPopover, "draggable": attrDraggable, "autofocus": attrAutofocus, "for": attrFor,
	"name": attrName, "list": attrList, "open": attrOpen, "placeholder": attrPlaceholder, "controls": attrControls,
	"usemap": attrUsemap, "multiple": attrMultiple, "size": attrSize, "popovertarget": attrPopoverTarget,
	"commandfor": attrPopoverTarget, "scope": attrScope, "lang": attrLang,

	"aria-atomic": ariaGlobal, "aria-braillelabel": ariaGlobal, "aria-brailleroledescription": ariaGlobal,
	"aria-details": ariaGlobal, "aria-flowto": ariaGlobal, "aria-keyshortcuts": ariaGlobal | ariaKeys, "aria-relevant": ariaGlobal,
	"aria-busy": ariaGlobal | ariaBusy, "aria-controls": ariaGlobal | ariaControls, "aria-current": ariaGlobal | ariaCurrent,
	"aria-describedby": ariaGlobal | ariaDescribedby, "aria-description": ariaGlobal | ariaDescription,
	"aria-label": ariaGlobal | ariaLabel, "aria-labelledby": ariaGlobal | ariaLabelledby,
	"aria-labeledby": ariaGlobal | ariaLabeledby, "aria-live": ariaGlobal | ariaLive, "aria-owns": ariaGlobal | ariaOwns,
	"aria-roledescription": ariaGlobal | ariaRoleDescription,

	"aria-hidden": ariaHiddenAttr, "aria-disabled": ariaDisabled, "aria-checked": ariaChecked, "aria-pressed": ariaPressed,
	"aria-selected": ariaSelected, "aria-expanded": ariaExpanded, "aria-level": ariaLevel, "aria-valuenow": ariaValue,
	"aria-valuemin": ariaValue, "aria-valuemax": ariaValue, "aria-valuetext": ariaValue, "aria-haspopup": ariaHasPopup,
	"aria-readonly": ariaReadonly, "aria-required": ariaRequired, "aria-invalid": ariaInvalid,
	"aria-multiline": ariaMulti, "aria-multiselectable": ariaMulti, "aria-modal": ariaModal, "aria-sort": ariaSort,
	"aria-activedescendant": ariaActive, "aria-placeholder": ariaPlaceholder, "aria-actions": ariaActions,
}

// attrsOf reads which attributes an element has.
func attrsOf(n *driver.Node) attrSet {
	var set attrSet
	for i := range n.Attrs {
		name := n.Attrs[i].Name
		if len(name) > 5 && name[:5] == "aria-" {
			set |= ariaAny
		} else if name == "class" || name == "style" {
			continue // the most frequent ones, of no meaning here
		}
		set |= attrBits[name]
	}
	return set
}

// isTrue reports whether an attribute's value is "true" as ARIA reads it.
func isTrue(v string) bool { return equalFold(v, "true") }

// equalFold compares ASCII words whatever their case; word is in lower case.
func equalFold(v, word string) bool {
	if len(v) != len(word) {
		return false
	}
	for i := 0; i < len(v); i++ {
		c := v[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// oneOf returns the word that a value is, whatever its case; "" if it is none of them.
func oneOf(v string, words ...string) string {
	for _, w := range words {
		if equalFold(v, w) {
			return w
		}
	}
	return ""
}

// isSpace reports whether c is white space as HTML has it.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// parseInt reads a number as HTML does: white space, a sign, digits, anything.
func parseInt(s string) (int, bool) {
	k := 0
	for k < len(s) && isSpace(s[k]) {
		k++
	}
	sign := 1
	if k < len(s) && (s[k] == '-' || s[k] == '+') {
		if s[k] == '-' {
			sign = -1
		}
		k++
	}
	n, digits := 0, 0
	for ; k < len(s) && '0' <= s[k] && s[k] <= '9'; k++ {
		if n < 1<<30 {
			n = n*10 + int(s[k]-'0')
		}
		digits++
	}
	return sign * n, digits > 0
}
