package axtree

import "strings"

// name computes an item's accessible name.
func (b *builder) name(i int32) (string, nameFrom) {
	v := b.visits()
	text, from := b.alternative(i, false, none, v)
	b.release(v)
	switch it := &b.items[i]; {
	case it.kind == kindStaticText && it.is(isText), it.kind == kindLineBreak:
		return text, from
	case it.is(isPseudo) && it.kind == kindGeneric:
		return "", fromNothing // what it shows is a text of its own in Chromium
	}
	return simplify(text), from
}

// alternative computes the text alternative of an item (accname 1.2 §4.3.2).
//
// recursive reports that it is part of another name. root is the item that an
// aria-labelledby or aria-describedby refers to; none outside of those.
func (b *builder) alternative(i int32, recursive bool, root int32, v *visitSet) (string, nameFrom) {
	it := &b.items[i]
	if alt, ok := b.pseudoAlt(i); ok {
		return alt, fromPseudoAlt
	}
	if it.is(hasLayout) {
		if text, ok := b.laidOutText(i, recursive, v); ok {
			return text, fromContents
		}
	}
	// 2C (embedded control): within another name, a control counts by its value.
	if recursive && !v.has(i) {
		if value, ok := b.valueInName(i, v); ok {
			return value, fromValue
		}
	}
	been := v.has(i)
	v.add(i)
	if (it.tag == tagAudio || it.tag == tagVideo) && b.isUnusable(i) && !b.hiddenInName(i, root) {
		return "Unable to play media.", fromAttribute // in Chromium before any name of its own
	}
	if it.tag != tagSlot {
		// 2A: what is hidden has no name, unless it was referred to.
		if b.hiddenInName(i, root) {
			return "", fromNothing
		}
		// 2B: aria-labelledby, once.
		if root == none && !been && it.any(ariaLabelledby|ariaLabeledby) {
			if text := b.labelledBy(i, v); trimmed(text) != "" {
				return b.withFile(i, text), fromRelated
			}
		}
		// 2D: aria-label.
		if text := b.ariaLabelOf(i); trimmed(text) != "" {
			return b.withFile(i, text), fromAttribute
		}
	}
	// 2E: the host language.
	text, from := b.nativeName(i, v)
	if text != "" {
		return b.withFile(i, text), from
	}
	empty := from == fromEmpty
	// 2F, 2G: content.
	if b.contentCounts(i, recursive, root) {
		if text = b.contentText(i, v, root); text != "" {
			return b.withFile(i, text), fromContents
		}
	}
	// 2I: the tooltip.
	if (root != none || !b.nameProhibited(i)) && !(empty && (it.tag == tagImg || it.tag == tagArea)) {
		if t, f := b.tooltip(i); t != "" {
			return t, f
		}
	}
	if empty {
		return "", fromEmpty
	}
	return "", fromNothing
}

// laidOutText is the text of a line break, a text or generated content as it is
// laid out; ok is false for everything else.
func (b *builder) laidOutText(i int32, recursive bool, v *visitSet) (text string, ok bool) {
	it := &b.items[i]
	switch {
	case it.tag == tagBr:
		v.add(i)
		return "\n", true
	case it.is(isText):
		v.add(i)
		return b.visibleText(i), true
	case it.is(isPseudo) && it.node.Name == "::marker":
		return it.node.Shown, !recursive
	case it.is(isPseudo) && it.first == none && it.node.Shown != "":
		v.add(i)
		return b.texts[i], true
	}
	return "", false
}

// contentText is the text of an element's content, or that of a text itself.
func (b *builder) contentText(i int32, v *visitSet, root int32) string {
	switch it := &b.items[i]; {
	case it.is(isText):
		return it.node.Text
	case it.tag == tagBr:
		return "\n"
	}
	return b.content(i, v, root, false)
}

// visibleText is the part of a text that is visible.
func (b *builder) visibleText(i int32) string {
	if t := b.texts[i]; t != "" {
		return t
	}
	if b.items[i].is(ignored) {
		return ""
	}
	return " " // trimmed at the end of a line
}

// ariaLabelOf is an element's aria-label.
func (b *builder) ariaLabelOf(i int32) string {
	it := &b.items[i]
	if it.any(ariaLabel) {
		return b.attr(i, ariaLabel, "aria-label")
	}
	return ""
}

// labelledBy is the text of the elements that aria-labelledby refers to. Chromium
// accepts aria-labeledby as well.
func (b *builder) labelledBy(i int32, v *visitSet) string {
	name := "aria-labelledby"
	if !b.items[i].any(ariaLabelledby) {
		name = "aria-labeledby"
	}
	text, _ := b.textOf(b.references(i, name), true, v)
	return text
}

// textOf joins the texts of several items with spaces. It reports whether
// there was an object for any.
func (b *builder) textOf(list []int32, referred bool, v *visitSet) (text string, ok bool) {
	var parts strings.Builder
	for _, t := range list {
		if b.items[t].is(pruned) {
			continue
		}
		ok = true
		root := none
		if referred {
			root = t
		}
		s := b.recursive(t, root, v)
		v.add(t)
		if s == "" {
			continue
		}
		if len(list) == 1 {
			return s, true
		}
		if parts.Len() > 0 {
			parts.WriteByte(' ')
		}
		parts.WriteString(s)
	}
	return parts.String(), ok
}

// recursive is an item's alternative as part of another name.
func (b *builder) recursive(i, root int32, v *visitSet) string {
	s, _ := b.recursiveFrom(i, root, v)
	return s
}

func (b *builder) recursiveFrom(i, root int32, v *visitSet) (string, nameFrom) {
	if root == none && v.has(i) || v.len() > 50*maxVisited {
		return "", fromNothing
	}
	return b.alternative(i, true, root, v)
}

// hiddenInName reports whether an item is left out of names (accname 2A).
func (b *builder) hiddenInName(i, root int32) bool {
	it := &b.items[i]
	switch {
	case it.is(inClosed) && (root == none || !b.items[root].is(inClosed)):
		return true
	case it.is(lockedAuto) && !it.is(hasLayout), it.is(isText), it.tag == svgTitle, it.tag == svgDesc:
		return false
	case it.tag == tagNoscript:
		return true
	case it.is(isPseudo) && it.node.Name == "::marker":
		return true
	case it.is(inSelect) && !it.is(ariaHidden) && b.ancestorOrSelf(i, tagOption):
		return false
	case root != none && b.items[root].is(hiddenStyle|ariaHidden|inert):
		return false
	case it.is(ariaRoot):
		return true
	}
	return it.is(hiddenStyle)
}

// contentCounts reports whether an item's content gives it its name.
func (b *builder) contentCounts(i int32, recursive bool, root int32) bool {
	if root == none && !b.namedByContent(i, recursive, true) {
		return false
	}
	if b.items[i].tag == tagSelect {
		return false
	}
	return !b.isTextField(i) || root == i
}

// nameProhibited reports whether an item's role must not be named.
func (b *builder) nameProhibited(i int32) bool {
	it := &b.items[i]
	if it.is(focusable|ignored) || it.is(isHTML) && strings.Contains(it.node.Name, "-") {
		return false
	}
	return it.kind.is(nameless)
}

// nameAndDescription computes both: a description does not use the source that
// the name came from.
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
		t, _ := b.hintPopover(i)
		return t
	}
	return ""
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
