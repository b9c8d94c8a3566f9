package axtree

import (
	"slices"
	"strconv"
	"strings"
)

// value is the value of a control, as a person reads it.
func (b *builder) value(i int32) string {
	it := &b.items[i]
	if !it.is(isElement) {
		return ""
	}
	if b.isRange(i) {
		if n, ok := b.rangeValue(i); ok {
			return formatNumber(n)
		}
		return ""
	}
	if b.isTextField(i) && !b.isTextControl(i) {
		return b.innerText(i)
	}
	v, _ := b.controlValue(i, nil)
	return v
}

// controlValue is a control's value; ok reports whether it has one, which may be
// empty.
func (b *builder) controlValue(i int32, v *visitSet) (value string, ok bool) {
	it := &b.items[i]
	switch {
	case it.tag == tagSelect:
		if !b.isMenuList(i) {
			return "", false
		}
		return b.chosenLabel(i), true
	case b.isTextControl(i):
		if it.node.HasValue {
			return it.node.Value, it.node.Value != ""
		}
		return "", false
	case b.isRange(i):
		t, has := it.node.Attr("aria-valuetext")
		return t, has
	case it.tag == tagInput:
		switch t := b.inputType(i); t {
		case "file":
			return b.fileStatus(i), true
		case "button", "checkbox", "image", "radio", "reset", "submit":
		case "hidden":
			return b.attrValue(i), true
		default:
			if t == "color" && !it.node.HasValue {
				return "#000000", true
			}
			return it.node.Value, true
		}
	}
	if it.kind == kindComboBoxMenuButton {
		if v == nil {
			v = b.visits()
			defer b.release(v)
		}
		return b.content(i, v, none, false), true
	}
	return "", false
}

// chosenLabel is what a drop-down shows.
func (b *builder) chosenLabel(i int32) string {
	if b.items[i].any(attrMultiple) {
		if list := b.chosenOptions(i); len(list) != 1 || !b.items[list[0]].node.Selected {
			list = slices.DeleteFunc(list, func(o int32) bool { return !b.items[o].node.Selected })
			return strconv.Itoa(len(list)) + " selected"
		}
	}
	if o := b.chosen(i); o != none {
		if t := b.attr(o, ariaLabel, "aria-label"); t != "" {
			return t
		}
		if t := b.optionLabel(o); t != "" && (!b.canHaveChildren(o) || b.items[o].first == none) {
			return t
		}
		return trimmed(simplify(b.innerText(o)))
	}
	return ""
}

// chosen is the option that is selected, or what a browser shows if none is.
func (b *builder) chosen(i int32) int32 {
	first := none
	for c := b.within(i, i); c != none && b.step(); c = b.within(i, c) {
		if b.items[c].tag != tagOption {
			continue
		}
		if b.items[c].node.Selected {
			return c
		}
		if first == none && !b.items[c].is(disabledForm) {
			first = c
		}
	}
	return first
}

// maxNested is how many names of options may be computed within one another.
const maxNested = 3

// valueInName is what a control adds to another element's name (accname 2C).
func (b *builder) valueInName(i int32, v *visitSet) (string, bool) {
	it := &b.items[i]
	if !it.is(isElement) {
		return "", false
	}
	if b.isTextField(i) {
		if !b.isTextControl(i) {
			return b.innerText(i), true
		}
		return b.controlValue(i, v)
	}
	if b.isRange(i) {
		if t, ok := it.node.Attr("aria-valuetext"); ok {
			return t, true
		}
		if n, ok := b.rangeValue(i); ok {
			return formatNumber(n), true
		}
	}
	switch it.kind {
	case kindComboBoxGrouping, kindComboBoxMenuButton, kindComboBoxSelect, kindListBox:
	default:
		return "", false
	}
	// An option may be named by the list that it is chosen in.
	if b.nested++; b.nested > maxNested {
		b.nested--
		return "", false
	}
	defer func() { b.nested-- }()
	options := b.chosenOptions(i)
	if len(options) == 0 {
		return b.controlValue(i, v)
	}
	var parts []string
	for _, o := range options {
		if v.has(o) || !b.step() {
			continue
		}
		v.add(o)
		if name, _ := b.name(o); name != "" {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " "), true
}

// chosenOptions are the selected options of a select, a listbox or a combobox.
func (b *builder) chosenOptions(i int32) []int32 {
	var list []int32
	if b.items[i].tag == tagSelect {
		for c := b.within(i, i); c != none && b.step(); c = b.within(i, c) {
			if b.items[c].tag == tagOption && b.items[c].node.Selected {
				list = append(list, c)
			}
		}
		if len(list) == 0 && b.isMenuList(i) {
			if o := b.chosen(i); o != none {
				list = append(list, o)
			}
		}
		return list
	}
	if b.items[i].kind != kindListBox {
		for c := b.includedChild(i); c != none; c = b.includedNext(i, c) {
			if b.items[c].kind == kindListBox {
				return b.chosenOptions(c)
			}
		}
	}
	for c := b.includedChild(i); c != none; c = b.includedNext(i, c) {
		if b.selected(c) == On {
			list = append(list, c)
		}
	}
	return list
}

// isRange reports whether an item is a number within bounds. A separator is
// one if it can be moved.
func (b *builder) isRange(i int32) bool {
	it := &b.items[i]
	if it.kind == kindSeparator {
		return it.is(focusable) && !it.is(editable)
	}
	return it.kind.is(rangeKind)
}

// implicitBounds are the bounds of ARIA's ranges (ARIA 1.3 §6.6).
var implicitBounds = map[kind][2]float64{
	kindMeter: {0, 100}, kindProgress: {0, 100}, kindScrollBar: {0, 100}, kindSeparator: {0, 100}, kindSlider: {0, 100},
}

// rangeValue is the current value of a range.
func (b *builder) rangeValue(i int32) (float64, bool) {
	it := &b.items[i]
	lo, hasLo := b.bound(i, "aria-valuemin", "min", 0)
	hi, hasHi := b.bound(i, "aria-valuemax", "max", 1)
	if it.any(ariaValue) {
		if n, ok := b.number(i, "aria-valuenow"); ok {
			if hasLo && n < lo {
				return lo, true
			}
			if hasHi && n > hi {
				return hi, true
			}
			return n, true
		}
	}
	switch {
	case it.tag == tagInput && (b.inputType(i) == "range" || b.inputType(i) == "number"):
		if it.node.HasValue {
			n, err := strconv.ParseFloat(it.node.Value, 64)
			return n, err == nil
		}
		if b.inputType(i) == "range" && hasLo && hasHi {
			return (lo + hi) / 2, true
		}
		return 0, false
	case it.tag == tagProgress:
		n, ok := b.number(i, "value")
		if top, set := b.number(i, "max"); set && top > 0 {
			return min(max(n, 0), top), ok
		}
		return min(max(n, 0), 1), ok
	case it.tag == tagMeter:
		n, _ := b.number(i, "value")
		return min(max(n, lo), hi), true
	}
	switch it.aria {
	case kindScrollBar, kindSlider:
		if hasLo && hasHi {
			return (lo + hi) / 2, true
		}
		return 50, true
	case kindSeparator:
		return 50, true
	case kindMeter:
		return lo, true
	case kindSpinButton:
		return 0, true
	}
	return 0, false
}

// bound is one of a range's two bounds: its attribute, or the default of ARIA or
// HTML.
func (b *builder) bound(i int32, aria, native string, which int) (float64, bool) {
	it := &b.items[i]
	if it.any(ariaValue) {
		if n, ok := b.number(i, aria); ok {
			return n, true
		}
	}
	switch it.tag {
	case tagInput:
		if n, ok := b.number(i, native); ok {
			return n, true
		}
		if b.inputType(i) == "range" {
			return float64(100 * which), true
		}
		return 0, false
	case tagMeter:
		if n, ok := b.number(i, native); ok {
			return n, true
		}
		return float64(which), true
	}
	bounds, ok := implicitBounds[it.kind]
	return bounds[which], ok
}

func (b *builder) number(i int32, name string) (float64, bool) {
	v, ok := b.items[i].node.Attr(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(trimmed(v), 64)
	return n, err == nil
}

// formatNumber writes a number as Chromium does: six digits.
func formatNumber(n float64) string { return strconv.FormatFloat(n, 'g', 6, 64) }

// optionLabel is what an option is shown as: its label, or its text.
func (b *builder) optionLabel(i int32) string {
	if t, ok := b.items[i].node.Attr("label"); ok && t != "" {
		return t
	}
	c := b.items[i].first
	if c == none {
		return ""
	}
	return trimmed(simplify(b.items[c].node.Text))
}

// attrValue is an input's value attribute, or its live value.
func (b *builder) attrValue(i int32) string {
	n := b.items[i].node
	if n.HasValue {
		return n.Value
	}
	v, _ := n.Attr("value")
	return v
}

// fileStatus is the text beside a file input's button.
func (b *builder) fileStatus(i int32) string {
	n := b.items[i].node
	if n.HasValue && n.Value != "" {
		v := n.Value
		for k := len(v) - 1; k >= 0; k-- {
			if v[k] == '\\' || v[k] == '/' {
				return v[k+1:]
			}
		}
		return v
	}
	return "No file chosen"
}
