package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// inherit settles, from the top down in the flat tree, what an item has from
// what it stands in: whether it is rendered at all, editable, disabled by a
// fieldset, part of a drop-down.
func (b *builder) inherit() {
	for i := range b.items {
		it := &b.items[i]
		p := it.parent
		if p != none {
			b.inheritFrom(int32(i), &b.items[p])
		}
		if !it.is(isElement) {
			continue
		}
		b.editableHere(it)
		if it.tag == tagSelect && b.isMenuList(int32(i)) {
			it.flags |= inSelect
		}
		if it.any(attrDisabled) || it.is(inDisabledFieldset) || it.tag == tagOption {
			b.disableHere(int32(i))
		}
		if it.node.Rare != nil && it.node.Rare.Modal {
			it.flags |= modalOpen
		}
		if b.canTakeFocus(int32(i)) {
			it.flags |= supportsFocus
		}
	}
	// An element without a box whose content has one is display: contents.
	for i := len(b.items) - 1; i >= 0; i-- {
		it := &b.items[i]
		if it.parent == none || !it.is(hasLayout|boxless) {
			continue
		}
		if p := &b.items[it.parent]; p.is(isElement) && !p.is(hasLayout) {
			p.flags |= boxless
		}
	}
	// An empty one is told from display: none by its style attribute alone.
	for i := range b.items {
		it := &b.items[i]
		if it.parent != none && it.is(isElement) && !it.is(hasLayout|boxless) && b.items[it.parent].is(hasLayout|boxless) && inlineContents(it) {
			it.flags |= boxless
		}
	}
}

// inlineContents reports whether an element's style attribute sets display: contents.
func inlineContents(it *item) bool {
	if isReplaced(it) || it.tag == tagBr {
		return false // on these it is none (CSS Display 3 appendix B)
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

func (b *builder) inheritFrom(i int32, p *item) {
	it := &b.items[i]
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
	if p.tag == tagDetails && !p.any(attrOpen) && (it.tag != tagSummary || b.firstOfTag(it.parent, tagSummary) != i) && !it.is(isPseudo) {
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
		if it.tag == tagLegend && b.firstOfTag(it.parent, tagLegend) == i && !b.items[it.parent].is(inDisabledFieldset) {
			it.flags &^= inDisabledFieldset
		}
	}
}

// editableHere reads contenteditable.
func (b *builder) editableHere(it *item) {
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
func (b *builder) disableHere(i int32) {
	it := &b.items[i]
	switch it.tag {
	case tagButton, tagInput, tagSelect, tagTextarea:
		it.flags |= disabledForm
	case tagOption, tagOptgroup:
		if it.any(attrDisabled) || it.tag == tagOption && it.parent != none && b.items[it.parent].tag == tagOptgroup && b.items[it.parent].any(attrDisabled) {
			it.flags |= disabledForm
		}
	}
}

// firstOfTag returns p's first child with a tag.
func (b *builder) firstOfTag(p int32, t tag) int32 {
	for c := b.items[p].first; c != none; c = b.items[c].next {
		if b.items[c].tag == t {
			return c
		}
	}
	return none
}

// canTakeFocus reports whether an element could have the focus if it were
// shown and not disabled.
func (b *builder) canTakeFocus(i int32) bool {
	it := &b.items[i]
	if it.any(attrTabIndex) {
		if _, ok := parseInt(b.attr(i, attrTabIndex, "tabindex")); ok {
			return !it.is(disabledForm)
		}
	}
	if it.is(editRoot) && !(it.parent != none && b.items[it.parent].is(editable)) {
		return true
	}
	switch it.tag {
	case tagA, tagArea, svgA:
		return it.any(attrHref)
	case tagInput:
		return !it.is(disabledForm) && b.inputType(i) != "hidden"
	case tagButton, tagSelect, tagTextarea:
		return !it.is(disabledForm)
	case tagIframe, tagFrame, tagEmbed:
		return true
	case tagSummary:
		d := b.summaryOf(i)
		return d != none && b.firstOfTag(it.parent, tagSummary) == i
	case tagAudio, tagVideo:
		return it.any(attrControls)
	case tagDialog:
		return it.any(attrOpen)
	}
	return false
}

// isMenuList reports whether a select is shown as a drop-down.
func (b *builder) isMenuList(i int32) bool {
	it := &b.items[i]
	if it.any(attrMultiple) {
		return false
	}
	n, ok := parseInt(b.attr(i, attrSize, "size"))
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

// isSpace reports whether c is white space as HTML has it.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// inputType returns an input's type, in lower case; what is no type is text.
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

// display returns an item's display value: the computed one, or what a
// browser gives the element by itself where none was captured.
func (b *builder) display(i int32) string {
	it := &b.items[i]
	if s := it.node.Style; s != nil && s.Display != "" {
		return s.Display
	}
	if it.node.Kind == driver.DocumentNode {
		return "block"
	}
	if it.is(isElement) && it.is(isHTML) {
		if d, ok := uaDisplay[it.tag]; ok {
			return d
		}
	}
	return "inline"
}

// uaDisplay is what browsers' own style sheet says.
var uaDisplay = func() map[tag]string {
	m := map[tag]string{
		tagLi: "list-item", tagSummary: "block", tagTable: "table", tagCaption: "table-caption", tagThead: "table-header-group",
		tagTbody: "table-row-group", tagTfoot: "table-footer-group", tagTr: "table-row", tagTd: "table-cell", tagTh: "table-cell",
		tagButton: "inline-block", tagInput: "inline-block", tagSelect: "inline-block", tagTextarea: "inline-block",
		tagMeter: "inline-block", tagProgress: "inline-block", tagRuby: "ruby", tagRt: "ruby-text",
	}
	for _, t := range []tag{tagAddress, tagArticle, tagAside, tagBlockquote, tagBody, tagDd, tagDetails, tagDialog, tagDir, tagDiv,
		tagDl, tagDt, tagFieldset, tagFigcaption, tagFigure, tagFooter, tagForm, tagH1, tagH2, tagH3, tagH4, tagH5, tagH6,
		tagHeader, tagHgroup, tagHr, tagHTML, tagLegend, tagMain, tagMenu, tagNav, tagOl, tagP, tagPre, tagSearch, tagSection,
		tagUl, tagOptgroup, tagOption} {
		m[t] = "block"
	}
	return m
}()
