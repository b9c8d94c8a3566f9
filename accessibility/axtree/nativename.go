package axtree

import "strings"

// lineBreaks takes line breaks out: a placeholder has one line.
var lineBreaks = strings.NewReplacer("\n", "", "\r", "")

// nativeName is what the host language names an item by (accname 2E, HTML-AAM
// §4, SVG-AAM §5.1). from is fromEmpty where it is left empty on purpose.
func (b *builder) nativeName(i int32, v *visitSet) (string, nameFrom) {
	it := &b.items[i]
	switch {
	case it.parent == none && !it.is(isElement):
		return b.documentName(i)
	case !it.is(isElement):
		return "", fromNothing
	}
	switch it.tag {
	case tagOption:
		if !b.canHaveChildren(i) {
			if t := b.optionLabel(i); t != "" {
				return t, fromContents
			}
		}
	case tagOptgroup:
		if t, _ := it.node.Attr("label"); t != "" {
			return t, fromAttribute
		}
	}
	if list := b.labels.of[i]; len(list) > 0 {
		if t, ok := b.textOf(list, false, v); ok {
			return trimmed(t), fromRelated
		}
	}
	if it.tag == tagInput {
		if t, f, done := b.inputName(i); done {
			return t, f
		}
	}
	if b.isTextControl(i) {
		if t, f := b.tooltip(i); t != "" {
			return t, f
		}
		if t := lineBreaks.Replace(b.attr(i, attrPlaceholder, "placeholder")); t != "" {
			return t, fromPlaceholder
		}
	}
	if b.isTextField(i) {
		return b.attr(i, ariaPlaceholder, "aria-placeholder"), fromPlaceholder
	}
	switch {
	case it.tag == tagImg, it.tag == tagArea:
		if !it.any(attrAlt) {
			return "", fromNothing
		}
		if t := b.attr(i, attrAlt, "alt"); t != "" {
			return t, fromAttribute
		}
		return "", fromEmpty
	case it.tag == tagTable:
		if c := b.firstOfTag(i, tagCaption); c != none {
			if t := b.recursive(c, none, v); t != "" {
				return t, fromCaption
			}
		}
		t, _ := it.node.Attr("summary")
		return t, fromAttribute
	case it.is(isSVG):
		return b.svgName(i)
	case it.tag == tagFieldset:
		if c := b.firstOfTag(i, tagLegend); c != none && !v.has(c) {
			return b.recursive(c, none, v), fromRelated
		}
	}
	return "", fromNothing
}

// inputName names the inputs that are not fields. done reports that the name is
// final, even if it is empty.
func (b *builder) inputName(i int32) (name string, from nameFrom, done bool) {
	it := &b.items[i]
	value := b.attrValue(i)
	switch t := b.inputType(i); t {
	case "button", "submit", "reset":
		if _, ok := it.node.Attr("value"); ok {
			return value, fromValue, true
		}
		if t == "submit" {
			return "Submit", fromContents, true
		}
		if t == "reset" {
			return "Reset", fromContents, true
		}
		return "", fromValue, true
	case "image":
		if t := b.attr(i, attrAlt, "alt"); t != "" {
			return t, fromAttribute, true
		}
		if _, ok := it.node.Attr("value"); ok && value != "" {
			return value, fromAttribute, true
		}
		if t, f := b.tooltip(i); t != "" {
			return t, f, true
		}
		return "Submit", fromValue, true
	case "file":
		if it.any(attrMultiple) {
			return "Choose Files", fromContents, true
		}
		return "Choose File", fromContents, true
	}
	return "", fromNothing, false
}

// documentName is the title of a page.
func (b *builder) documentName(i int32) (string, nameFrom) {
	for c := b.items[i].first; c != none; c = b.items[c].next {
		if b.items[c].is(isElement) {
			if t := b.attr(c, ariaLabel, "aria-label"); t != "" {
				return t, fromAttribute
			}
		}
	}
	return b.c.Documents[b.items[i].doc].Title, fromRelated
}

// withFile adds the chosen file to the name of a file input.
func (b *builder) withFile(i int32, name string) string {
	if b.items[i].tag != tagInput || b.inputType(i) != "file" {
		return name
	}
	if b.items[i].node.Value == "" {
		return name
	}
	return name + ": " + b.fileStatus(i)
}

// svgName: the title element, then what a link is titled (SVG-AAM §5.1).
func (b *builder) svgName(i int32) (string, nameFrom) {
	if t := b.firstOfTag(i, svgTitle); t != none {
		if s := b.innerText(t); s != "" {
			return s, fromRelated
		}
	}
	if b.items[i].tag == svgA {
		if s, _ := b.items[i].node.Attr("xlink:title"); s != "" {
			return s, fromAttribute
		}
	}
	return "", fromNothing
}

// tooltip is the title attribute, unless it only repeats the content.
func (b *builder) tooltip(i int32) (string, nameFrom) {
	it := &b.items[i]
	if it.any(attrTitle) && !it.is(isSVG) {
		t := b.attr(i, attrTitle, "title")
		if t != "" && !b.innerTextIs(i, trimmed(t)) {
			return t, fromTitle
		}
	}
	return b.hintPopover(i)
}

// hintPopover is the text of a hint popover that a control opens, if it is nothing
// but text.
func (b *builder) hintPopover(i int32) (string, nameFrom) {
	it := &b.items[i]
	if !it.any(attrPopoverTarget) {
		return "", fromNothing
	}
	p := b.popoverTarget(i)
	if p == none {
		return "", fromNothing
	}
	if v := b.attr(p, attrPopover, "popover"); !equalFold(v, "hint") || !b.isPlain(p) {
		return "", fromNothing
	}
	t := b.described(p, p)
	if t == "" || b.innerTextIs(i, trimmed(t)) {
		return "", fromNothing
	}
	return t, fromPopover
}

// isPlain reports whether an element contains nothing but text and wrappers.
func (b *builder) isPlain(i int32) bool {
	for c := i; c != none; c = b.within(i, c) {
		switch b.items[c].kind {
		case kindStaticText, kindGeneric, kindGroup, kindLineBreak, kindParagraph, kindStrong, kindEmphasis, kindNone, kindTooltip:
		default:
			return false
		}
	}
	return true
}

// described is the text of one item, as a description.
func (b *builder) described(c, root int32) string {
	v := b.visits()
	t := b.recursive(c, root, v)
	b.release(v)
	return t
}
