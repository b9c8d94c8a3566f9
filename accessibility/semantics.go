package accessibility

// A verdict is what an item's meaning says about showing it.
type verdict uint8

const (
	open verdict = iota // nothing
	shown
	left
)

// bySemantics decides by what an item means, not by how it is laid out.
func (b *builder) bySemantics(i int32) verdict {
	it := &b.items[i]
	if it.kind.is(presentational) {
		return left
	}
	if it.kind == kindRubyAnnotation || it.kind == kindStaticText && b.items[it.axParent].kind == kindRubyAnnotation {
		return left
	}
	if it.is(isText) {
		return open
	}
	if alt, ok := b.pseudoAlt(i); ok {
		if alt == "" {
			return left
		}
		return shown
	}
	if !it.is(isElement) {
		return open
	}
	if it.is(isSVG) {
		if v := b.svgVerdict(i); v != open {
			return v
		}
	}
	if b.meansSomething(i) {
		return shown
	}
	return b.byHabit(i)
}

// meansSomething: an element with a role, a state or a use of its own is shown.
func (b *builder) meansSomething(i int32) bool {
	it := &b.items[i]
	k := it.kind
	switch {
	case k.is(tableKind | rowKind | cellKind), it.tag == tagThead, it.tag == tagTfoot:
		return true
	case it.tag == tagHTML && it.is(isHTML):
		return false
	case it.tag != tagBody && it.is(focusable), k.is(linkKind | headingKind), b.isClickable(i):
		return true
	case it.tag == tagHeader, it.tag == tagFooter, it.tag == tagLegend, it.tag == tagHgroup, it.tag == tagOptgroup:
		return true
	case b.isControl(i), it.aria != kindUnknown, it.is(editRoot), k.is(alwaysShown), it.any(ariaAny):
		return true
	}
	return it.any(attrTitle) && b.attr(i, attrTitle, "title") != ""
}

// byHabit is what Chromium makes of an element that has no meaning of its own.
func (b *builder) byHabit(i int32) verdict {
	it := &b.items[i]
	switch {
	case it.tag == tagHTML && it.is(isHTML):
		return left
	case it.kind.is(imageKind) && it.kind != kindCanvas && !it.is(isSVG):
		if it.any(attrAlt) && b.attr(i, attrAlt, "alt") == "" {
			return left
		}
		return shown
	case it.node.Host < 0 && !it.is(isSVG) && b.isNamedPlace(i):
		return shown
	case it.is(atomic) && it.native != kindSvgRoot && it.native != kindCanvas && it.native != kindEmbeddedObject && b.hasElementSibling(i):
		return shown
	}
	switch it.tag {
	case tagSpan, svgForeignObject:
		return left
	case tagLabel:
		if b.isRedundantLabel(i) {
			return left
		}
		return shown
	}
	return open
}

// isNamedPlace: an element that a link can lead to.
func (b *builder) isNamedPlace(i int32) bool {
	it := &b.items[i]
	if it.tag == tagA && it.any(attrName) && b.attr(i, attrName, "name") != "" {
		return true
	}
	return it.any(attrID) && it.tag != tagLabel && it.tag != tagOptgroup
}

// svgVerdict: a drawing with something in it, and parts with a title or a description.
func (b *builder) svgVerdict(i int32) verdict {
	it := &b.items[i]
	if it.tag == svgSymbol || b.items[it.axParent].is(inSymbol) {
		it.flags |= inSymbol
		return left
	}
	if it.tag == svgSVG && it.native == kindSvgRoot && b.elementFrom(it.first) != none {
		return shown
	}
	for c := it.first; c != none; c = b.items[c].next {
		if t := b.items[c].tag; t == svgTitle || t == svgDesc {
			return shown
		}
	}
	return open
}

// hasElementSibling reports whether another element stands beside i.
func (b *builder) hasElementSibling(i int32) bool {
	p := b.items[i].parent
	if p == none {
		return false
	}
	n := 0
	for c := b.items[p].first; c != none; c = b.items[c].next {
		if b.items[c].is(isElement) {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}

// isClickable reports whether a click on an element does something.
func (b *builder) isClickable(i int32) bool {
	it := &b.items[i]
	if b.isDisabledItem(i) {
		return false
	}
	if it.is(editRoot) || it.native.is(clickKind) {
		return true
	}
	// What is editable takes clicks as well, without a listener.
	return it.node.Clickable && it.tag != tagLabel && !it.is(editable)
}

// isControl reports whether an item is a control, by its element or its role.
func (b *builder) isControl(i int32) bool {
	it := &b.items[i]
	switch it.tag {
	case tagButton, tagInput, tagSelect, tagTextarea, tagFieldset, tagOutput:
		return true
	}
	return it.aria.is(widget)
}
