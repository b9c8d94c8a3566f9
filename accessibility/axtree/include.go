package axtree

// include decides for every item whether it is shown (ignored or not), whether
// it can have the focus, and whether it stands in Chromium's tree at all,
// which names are computed over.
func (b *builder) include() {
	for _, i := range b.order {
		it := &b.items[i]
		if it.parent == none {
			it.flags |= included | focusable
			continue
		}
		p := &b.items[it.axParent]
		if it.is(isElement) {
			if b.belowDisabled(i, p) {
				it.flags |= disabledBelow
			}
			if b.isFocusable(i) {
				it.flags |= focusable
			}
		} else {
			it.flags |= p.flags & disabledBelow
		}
		// A text is left out with its label, which comes first.
		if b.isIgnored(i) {
			it.flags |= ignored
		}
		if b.isLabelPart(i, p) {
			it.flags |= labelPart
		}
		if it.is(isText) && !it.is(ignored) && it.is(labelPart) && b.belowIgnoredLabel(i) {
			it.flags |= ignored
		}
		if !it.is(ignored) || b.staysInTree(i) {
			it.flags |= included
		}
		if it.is(pruned) {
			it.flags &^= included
		}
	}
}

func (b *builder) belowDisabled(i int32, p *item) bool {
	it := &b.items[i]
	if it.any(ariaDisabled) {
		if v, ok := b.boolean(i, ariaDisabled, "aria-disabled"); ok {
			return v
		}
	}
	return p.is(disabledBelow) || b.isDisabledItem(it.axParent)
}

// isFocusable reports whether an element can have the focus as it is.
func (b *builder) isFocusable(i int32) bool {
	it := &b.items[i]
	if it.is(inert|disabledForm|pruned) && !it.is(0) {
		return false
	}
	if it.native.is(embedKind) {
		return false
	}
	if it.tag == tagOption {
		return b.ancestorWithin(i, tagDatalist) == none
	}
	if it.is(hiddenStyle) {
		return false
	}
	if !it.is(hasLayout|inCanvas) && it.tag != tagArea {
		return false
	}
	return it.is(supportsFocus)
}

// isIgnored decides whether an item itself is left out of what is shown.
func (b *builder) isIgnored(i int32) bool {
	it := &b.items[i]
	if it.is(pruned) {
		return true
	}
	if it.is(hiddenStyle|ariaHidden|inert) || !it.is(hasLayout|boxless|inCanvas) && it.tag != tagArea && it.tag != tagOption && !it.is(lockedAuto) {
		if it.is(ariaHidden|inert) || !it.is(inSelect) || it.tag == tagSelect {
			return true
		}
		if it.tag != tagOption && b.ancestorOrSelf(it.parent, tagOption) {
			return true // shown with the list, once that is open
		}
		s := b.selectAround(i)
		return s == none || b.items[s].is(ignored)
	}
	switch b.bySemantics(i) {
	case shown:
		return false
	case leftOut:
		return true
	}
	if !it.is(hasLayout) {
		return !it.is(isText) && !it.is(inCanvas)
	}
	return b.ignoredByLayout(i)
}

func (b *builder) selectAround(i int32) int32 {
	for n := 0; n < 8 && i != none; n++ {
		if b.items[i].tag == tagSelect {
			return i
		}
		i = b.items[i].parent
	}
	return none
}

// ignoredByLayout: an element without a meaning of its own is shown if it lays
// out content.
func (b *builder) ignoredByLayout(i int32) bool {
	it := &b.items[i]
	switch {
	case it.tag == tagIframe, it.tag == tagFrame, it.tag == tagBr, it.is(isText):
		return false
	case it.kind == kindCanvas:
		return it.first == none && it.node.Box.Width <= 1 && it.node.Box.Height <= 1 || it.first == none && !it.is(isElement)
	case it.is(isPseudo):
		if it.native == kindListMarker {
			return b.items[it.parent].tag == tagSummary
		}
		return !it.is(blockFlow)
	}
	if r := it.node.Rare; r != nil && r.Scroll != nil {
		return false
	}
	if s := it.node.Style; s != nil && s.Position != "" && s.Position != "static" {
		return false
	}
	return !it.is(blockFlow) || !it.is(inlineOnly)
}

// staysInTree reports whether an ignored item is in Chromium's tree all the same,
// and so takes part in computing names.
func (b *builder) staysInTree(i int32) bool {
	it := &b.items[i]
	if it.is(owned) || it.any(ariaOwns) || it.tag == tagLabel || it.is(isPseudo) {
		return true
	}
	p := &b.items[it.parent]
	if !p.is(isElement) {
		return true
	}
	if it.node.Host != p.node.Host || p.tag == tagLabel && it.tag != tagSpan || p.tag == tagRt {
		return true
	}
	if it.is(isElement) && b.hasPseudos(i) {
		return true
	}
	if it.is(labelPart) {
		if !it.is(hasLayout) && !it.is(boxless) {
			if it.tag != tagDatalist && it.tag != tagOption {
				return true
			}
		} else if it.is(hiddenStyle) {
			return true
		} else if it.is(ariaHidden) {
			return !it.native.is(embedKind)
		}
	}
	if !it.is(isElement) {
		return false
	}
	switch it.tag {
	case tagHTML, tagRt, tagTable, tagTbody, tagTr, tagTd, tagTh:
		return true
	}
	switch it.kind {
	case kindVideo, kindAudio, kindMenu:
		return true
	}
	return b.breaksLine(i) && !it.is(hiddenStyle|ariaHidden|inert) || it.any(attrLang)
}

// hasPseudos reports whether an element has generated content.
func (b *builder) hasPseudos(i int32) bool {
	f := b.items[i].first
	if f != none && b.items[f].is(isPseudo) {
		return true
	}
	l := b.items[i].last
	return l != none && b.items[l].is(isPseudo)
}

// breaksLine reports whether an element starts a line of its own.
func (b *builder) breaksLine(i int32) bool {
	it := &b.items[i]
	if it.kind.is(presentational) {
		return false
	}
	if it.tag == tagBr || it.is(boxless) {
		return true
	}
	if it.is(hasLayout) && (!it.is(inlineLevel) || it.is(atomic)) {
		return true
	}
	return it.kind.is(breaksLine) && !it.is(isSVG)
}

// A verdict is whether an item's meaning decides that it is shown.
type verdict uint8

const (
	undecided verdict = iota
	shown
	leftOut
)

// bySemantics decides by what an item means, not by how it is laid out.
func (b *builder) bySemantics(i int32) verdict {
	it := &b.items[i]
	if it.kind.is(presentational) {
		return leftOut
	}
	if it.kind == kindRubyAnnotation || it.kind == kindStaticText && b.items[it.axParent].kind == kindRubyAnnotation {
		return leftOut
	}
	if it.is(isText) {
		return undecided
	}
	if alt, ok := b.pseudoAlt(i); ok {
		if alt == "" {
			return leftOut
		}
		return shown
	}
	if !it.is(isElement) {
		return undecided
	}
	if it.is(isSVG) {
		if v := b.svgVerdict(i); v != undecided {
			return v
		}
	}
	if b.hasMeaning(i) {
		return shown
	}
	return b.byDefault(i)
}

// hasMeaning: an element with a role, a state or a use of its own is shown.
func (b *builder) hasMeaning(i int32) bool {
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

// byDefault is what Chromium makes of an element that has no meaning of its own.
func (b *builder) byDefault(i int32) verdict {
	it := &b.items[i]
	switch {
	case it.tag == tagHTML && it.is(isHTML):
		return leftOut
	case it.kind.is(imageKind) && it.kind != kindCanvas && !it.is(isSVG):
		if it.any(attrAlt) && b.attr(i, attrAlt, "alt") == "" {
			return leftOut
		}
		return shown
	case it.node.Host < 0 && !it.is(isSVG) && b.isNamedPlace(i):
		return shown
	case it.is(atomic) && it.native != kindSvgRoot && it.native != kindCanvas && b.hasElementSibling(i):
		return shown
	}
	switch it.tag {
	case tagSpan, svgForeignObject:
		return leftOut
	case tagLabel:
		if b.isRedundantLabel(i) {
			return leftOut
		}
		return shown
	}
	return undecided
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
		return leftOut
	}
	if it.tag == svgSVG && it.native == kindSvgRoot && b.elementFrom(it.first) != none {
		return shown
	}
	for c := it.first; c != none; c = b.items[c].next {
		if t := b.items[c].tag; t == svgTitle || t == svgDesc {
			return shown
		}
	}
	return undecided
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
