package axtree

import (
	"slices"
	"strconv"
	"strings"
)

// values reads the values of native controls and of ranges.
type values struct{ states }

// chosenLabel is what a drop-down shows.
func (vs *values) chosenLabel(i int32) string {
	if vs.items[i].any(attrMultiple) {
		if list := vs.chosenOptions(i); len(list) != 1 || !vs.items[list[0]].node.Selected {
			list = slices.DeleteFunc(list, func(o int32) bool { return !vs.items[o].node.Selected })
			return strconv.Itoa(len(list)) + " selected"
		}
	}
	if o := vs.chosen(i); o != none {
		if t := vs.attr(o, ariaLabel, "aria-label"); t != "" {
			return t
		}
		if t := vs.optionLabel(o); t != "" && (!vs.canHaveChildren(o) || vs.items[o].first == none) {
			return t
		}
		return trimmed(simplify(vs.innerText(o)))
	}
	return ""
}

// chosen is the option that is selected, or what a browser shows if none is.
func (vs *values) chosen(i int32) int32 {
	first := none
	for c := vs.within(i, i); c != none && vs.step(); c = vs.within(i, c) {
		if vs.items[c].tag != tagOption {
			continue
		}
		if vs.items[c].node.Selected {
			return c
		}
		if first == none && !vs.items[c].is(disabledForm) {
			first = c
		}
	}
	return first
}

// chosenOptions are the selected options of a select, a listbox or a combobox.
func (vs *values) chosenOptions(i int32) []int32 {
	var list []int32
	if vs.items[i].tag == tagSelect {
		for c := vs.within(i, i); c != none && vs.step(); c = vs.within(i, c) {
			if vs.items[c].tag == tagOption && vs.items[c].node.Selected {
				list = append(list, c)
			}
		}
		if len(list) == 0 && vs.isMenuList(i) {
			if o := vs.chosen(i); o != none {
				list = append(list, o)
			}
		}
		return list
	}
	if vs.items[i].kind != kindListBox {
		for c := vs.includedChild(i); c != none; c = vs.includedNext(i, c) {
			if vs.items[c].kind == kindListBox {
				return vs.chosenOptions(c)
			}
		}
	}
	for c := vs.includedChild(i); c != none; c = vs.includedNext(i, c) {
		if vs.selected(c) == On {
			list = append(list, c)
		}
	}
	return list
}

// isRange reports whether an item is a number within bounds. A separator is
// one if it can be moved.
func (vs *values) isRange(i int32) bool {
	it := &vs.items[i]
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
func (vs *values) rangeValue(i int32) (float64, bool) {
	it := &vs.items[i]
	lo, hasLo := vs.bound(i, "aria-valuemin", "min", 0)
	hi, hasHi := vs.bound(i, "aria-valuemax", "max", 1)
	if it.any(ariaValue) {
		if n, ok := vs.number(i, "aria-valuenow"); ok {
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
	case it.tag == tagInput && (vs.inputType(i) == "range" || vs.inputType(i) == "number"):
		if it.node.HasValue {
			n, err := strconv.ParseFloat(it.node.Value, 64)
			return n, err == nil
		}
		if vs.inputType(i) == "range" && hasLo && hasHi {
			return (lo + hi) / 2, true
		}
		return 0, false
	case it.tag == tagProgress:
		n, ok := vs.number(i, "value")
		if top, set := vs.number(i, "max"); set && top > 0 {
			return min(max(n, 0), top), ok
		}
		return min(max(n, 0), 1), ok
	case it.tag == tagMeter:
		n, _ := vs.number(i, "value")
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
func (vs *values) bound(i int32, aria, native string, which int) (float64, bool) {
	it := &vs.items[i]
	if it.any(ariaValue) {
		if n, ok := vs.number(i, aria); ok {
			return n, true
		}
	}
	switch it.tag {
	case tagInput:
		if n, ok := vs.number(i, native); ok {
			return n, true
		}
		if vs.inputType(i) == "range" {
			return float64(100 * which), true
		}
		return 0, false
	case tagMeter:
		if n, ok := vs.number(i, native); ok {
			return n, true
		}
		return float64(which), true
	}
	bounds, ok := implicitBounds[it.kind]
	return bounds[which], ok
}

func (vs *values) number(i int32, name string) (float64, bool) {
	v, ok := vs.items[i].node.Attr(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(trimmed(v), 64)
	return n, err == nil
}

// optionLabel is what an option is shown as: its label, or its text.
func (vs *values) optionLabel(i int32) string {
	if t, ok := vs.items[i].node.Attr("label"); ok && t != "" {
		return t
	}
	c := vs.items[i].first
	if c == none {
		return ""
	}
	return trimmed(simplify(vs.items[c].node.Text))
}

// attrValue is an input's value attribute, or its live value.
func (vs *values) attrValue(i int32) string {
	n := vs.items[i].node
	if n.HasValue {
		return n.Value
	}
	v, _ := n.Attr("value")
	return v
}

// fileStatus is the text beside a file input's button.
func (vs *values) fileStatus(i int32) string {
	n := vs.items[i].node
	if n.HasValue && n.Value != "" {
		return n.Value[strings.LastIndexAny(n.Value, `\/`)+1:]
	}
	return "No file chosen"
}
