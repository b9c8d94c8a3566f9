package accessibility

// nameAndDescription computes both: a description does not repeat what the
// name has taken.
func (b *builder) nameAndDescription(i int32) (name, description string) {
	name, from := b.name(i)
	if b.items[i].is(isElement) {
		description = trimmed(simplify(b.description(i, from)))
	}
	return name, description
}

// description computes an element's accessible description (accname 1.2
// §4.3.3, HTML-AAM §4).
func (b *builder) description(i int32, from nameFrom) string {
	it := &b.items[i]
	if it.any(ariaDescribedby) {
		v := b.visits()
		text, ok := b.textOf(b.references(i, "aria-describedby"), true, v)
		b.release(v)
		if ok {
			return text
		}
	}
	if it.any(ariaDescription) {
		return b.attr(i, ariaDescription, "aria-description")
	}
	if it.is(isSVG) {
		if t := b.svgDescription(i, from); t != "" {
			return t
		}
	}
	switch it.tag {
	case tagInput:
		if t := b.inputType(i); from != fromValue && (t == "button" || t == "submit" || t == "reset") {
			if v, ok := it.node.Attr("value"); ok {
				return v
			}
		}
	case tagRuby:
		if it.kind == kindRuby {
			if c := b.firstOfTag(i, tagRt); c != none {
				return b.described(c, i)
			}
		}
	case tagTable:
		if c := b.firstOfTag(i, tagCaption); from != fromCaption && c != none {
			return b.described(c, none)
		}
	case tagSummary:
		if from != fromContents {
			v := b.visits()
			t := b.content(i, v, none, false)
			b.release(v)
			if t != "" {
				return t
			}
		}
	}
	if it.any(attrTitle) && from != fromTitle {
		if t := b.attr(i, attrTitle, "title"); t != "" && !b.innerTextIs(i, trimmed(t)) {
			return t
		}
	}
	if from != fromPopover {
		t, _ := b.hint(i)
		return t
	}
	return ""
}

// described is the text of one item, as a description.
func (b *builder) described(c, root int32) string {
	v := b.visits()
	t := b.recursive(c, root, v)
	b.release(v)
	return t
}

// svgDescription: the desc element, the title if it is not the name, and what
// a link is titled (SVG-AAM §5.2).
func (b *builder) svgDescription(i int32, from nameFrom) string {
	if c := b.firstOfTag(i, svgDesc); c != none {
		if t := b.innerText(c); t != "" {
			return t
		}
	}
	if b.namedByARIA(i) {
		if c := b.firstOfTag(i, svgTitle); c != none {
			if t := b.innerText(c); t != "" {
				return t
			}
		}
	}
	if b.items[i].tag == svgA && from != fromAttribute {
		t, _ := b.items[i].node.Attr("xlink:title")
		return t
	}
	return ""
}

// hint is the text of a hint popover that a control opens, if it is nothing
// but text.
func (b *builder) hint(i int32) (string, nameFrom) {
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

// isPlain reports whether an element holds nothing but text and wrappers.
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
