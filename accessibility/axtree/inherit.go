package axtree

import "strings"

// inheritance is the pass from the top of the flat tree down.
type inheritance struct{ *controls }

// inherit passes on, from the top of the flat tree down, what an item gets from
// its ancestors: whether it is rendered at all, editable, disabled by a fieldset,
// part of a drop-down.
func (in *inheritance) inherit() {
	for i := range in.items {
		it := &in.items[i]
		p := it.parent
		if p != none {
			in.inheritFrom(int32(i), &in.items[p])
		}
		if !it.is(isElement) {
			continue
		}
		in.editableHere(it)
		if it.tag == tagSelect && in.isMenuList(int32(i)) {
			it.flags |= inSelect
		}
		if it.any(attrDisabled) || it.is(inDisabledFieldset) || it.tag == tagOption {
			in.disableHere(int32(i))
		}
		if it.node.Rare != nil && it.node.Rare.Modal {
			it.flags |= modalOpen
		}
		if in.canTakeFocus(int32(i)) {
			it.flags |= supportsFocus
		}
	}
	// An element without a box whose content has one is display: contents.
	for i := len(in.items) - 1; i >= 0; i-- {
		it := &in.items[i]
		if it.parent == none || !it.is(hasLayout|boxless) {
			continue
		}
		if p := &in.items[it.parent]; p.is(isElement) && !p.is(hasLayout) {
			p.flags |= boxless
		}
	}
	// Only its style attribute distinguishes an empty one from display: none.
	for i := range in.items {
		it := &in.items[i]
		if it.parent != none && it.is(isElement) && !it.is(hasLayout|boxless) && in.items[it.parent].is(hasLayout|boxless) && inlineContents(it) {
			it.flags |= boxless
		}
	}
}

// inlineContents reports whether an element's style attribute sets display: contents.
func inlineContents(it *item) bool {
	if isReplaced(it) || it.tag == tagBr {
		return false // on these it computes to none (CSS Display 3 appendix B)
	}
	style, _ := it.node.Attr("style")
	for decl := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(decl, ":")
		if strings.EqualFold(strings.TrimSpace(name), "display") && strings.EqualFold(strings.TrimSpace(value), "contents") {
			return true
		}
	}
	return false
}

func (in *inheritance) inheritFrom(i int32, p *item) {
	it := &in.items[i]
	it.flags |= p.flags & (editable | richEditable | inSelect | inDisabledFieldset | preserved | inCanvas | locked | inClosed)
	switch p.tag {
	case tagPre:
		it.flags |= preserved
	case tagCanvas:
		it.flags |= inCanvas
	}
	if s := p.node.Style; s != nil && s.ContentVisibility == "hidden" && p.is(isElement) {
		it.flags |= locked
	}
	// A closed details may have been laid out all the same.
	if p.tag == tagDetails && !p.any(attrOpen) && (it.tag != tagSummary || in.firstOfTag(it.parent, tagSummary) != i) && !it.is(isPseudo) {
		it.flags |= inClosed
	}
	if it.is(locked | inClosed) {
		it.flags &^= hasLayout
	}
	if it.is(isText) && p.is(isElement) && p.tag == tagTextarea {
		it.flags &^= hasLayout // the text to begin with, not what is shown
	}
	if !it.is(isElement) {
		return
	}
	if p.tag == tagFieldset && p.any(attrDisabled) {
		it.flags |= inDisabledFieldset
		if it.tag == tagLegend && in.firstOfTag(it.parent, tagLegend) == i && !in.items[it.parent].is(inDisabledFieldset) {
			it.flags &^= inDisabledFieldset
		}
	}
}

// editableHere reads contenteditable.
func (in *inheritance) editableHere(it *item) {
	if !it.any(attrContentEditable) || !it.is(isHTML) {
		return
	}
	v, _ := it.node.Attr("contenteditable")
	switch {
	case v == "" || equalFold(v, "true"):
		it.flags |= editable | richEditable | editRoot
	case equalFold(v, "plaintext-only"):
		it.flags |= editable | editRoot
		it.flags &^= richEditable
	case equalFold(v, "false"):
		it.flags &^= editable | richEditable
	}
}

// disableHere marks form controls that are disabled (HTML §4.10.18.5).
func (in *inheritance) disableHere(i int32) {
	it := &in.items[i]
	switch it.tag {
	case tagButton, tagInput, tagSelect, tagTextarea:
		it.flags |= disabledForm
	case tagOption, tagOptgroup:
		if it.any(attrDisabled) || it.tag == tagOption && it.parent != none && in.items[it.parent].tag == tagOptgroup && in.items[it.parent].any(attrDisabled) {
			it.flags |= disabledForm
		}
	}
}

// canTakeFocus reports whether an element could have the focus if it were
// shown and not disabled.
func (in *inheritance) canTakeFocus(i int32) bool {
	it := &in.items[i]
	if it.any(attrTabIndex) {
		if _, ok := parseInt(in.attr(i, attrTabIndex, "tabindex")); ok {
			return !it.is(disabledForm)
		}
	}
	if it.is(editRoot) && !(it.parent != none && in.items[it.parent].is(editable)) {
		return true
	}
	switch it.tag {
	case tagA, tagArea, svgA:
		return it.any(attrHref)
	case tagInput:
		return !it.is(disabledForm) && in.inputType(i) != "hidden"
	case tagButton, tagSelect, tagTextarea:
		return !it.is(disabledForm)
	case tagIframe, tagFrame, tagEmbed:
		return true
	case tagSummary:
		d := in.summaryOf(i)
		return d != none && in.firstOfTag(it.parent, tagSummary) == i
	case tagAudio, tagVideo:
		return it.any(attrControls)
	case tagDialog:
		return it.any(attrOpen)
	}
	return false
}
