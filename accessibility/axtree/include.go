package axtree

// inclusion is the pass that decides what is shown.
type inclusion struct{ *arrangement }

// include decides for every item whether it is shown (ignored or not), whether
// it can have the focus, and whether it stands in Chromium's tree at all. Names are
// computed over that tree.
func (in *inclusion) include() {
	for _, i := range in.order {
		it := &in.items[i]
		if it.parent == none {
			it.flags |= included | focusable
			continue
		}
		p := &in.items[it.axParent]
		if it.is(isElement) {
			if in.belowDisabled(i, p) {
				it.flags |= disabledBelow
			}
			if in.isFocusable(i) {
				it.flags |= focusable
			}
		} else {
			it.flags |= p.flags & disabledBelow
		}
		// A text is left out with its label, which comes first.
		if in.isIgnored(i) {
			it.flags |= ignored
		}
		if in.isLabelPart(i, p) {
			it.flags |= labelPart
		}
		if it.is(isText) && !it.is(ignored) && it.is(labelPart) && in.belowIgnoredLabel(i) {
			it.flags |= ignored
		}
		if !it.is(ignored) || in.staysInTree(i) {
			it.flags |= included
		}
		if it.is(pruned) {
			it.flags &^= included
		}
	}
}

func (in *inclusion) belowDisabled(i int32, p *item) bool {
	if v, ok := in.boolean(i, ariaDisabled, "aria-disabled"); ok {
		return v
	}
	return p.is(disabledBelow) || in.isDisabledItem(in.items[i].axParent)
}

// isFocusable reports whether an element can have the focus as it is.
func (in *inclusion) isFocusable(i int32) bool {
	it := &in.items[i]
	if it.is(inert|disabledForm|pruned) && !it.is(0) {
		return false
	}
	if it.native.is(embedKind) {
		return false
	}
	if it.tag == tagOption {
		return in.nearest(it.parent, tagDatalist, 4) == none
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
func (in *inclusion) isIgnored(i int32) bool {
	it := &in.items[i]
	if it.is(pruned) {
		return true
	}
	if it.is(hiddenStyle|ariaHidden|inert) || !it.is(hasLayout|boxless|inCanvas) && it.tag != tagArea && it.tag != tagOption && !it.is(lockedAuto) {
		if it.is(ariaHidden|inert) || !it.is(inSelect) || it.tag == tagSelect {
			return true
		}
		if it.tag != tagOption && in.nearest(it.parent, tagOption, 16) != none {
			return true // shown with the list, once that is open
		}
		s := in.nearest(i, tagSelect, 8)
		return s == none || in.items[s].is(ignored)
	}
	switch in.bySemantics(i) {
	case shown:
		return false
	case leftOut:
		return true
	}
	if !it.is(hasLayout) {
		return !it.is(isText) && !it.is(inCanvas)
	}
	return in.ignoredByLayout(i)
}

// ignoredByLayout: an element without a meaning of its own is shown if it lays
// out content.
func (in *inclusion) ignoredByLayout(i int32) bool {
	it := &in.items[i]
	switch {
	case it.tag == tagIframe, it.tag == tagFrame, it.tag == tagBr, it.is(isText):
		return false
	case it.kind == kindCanvas:
		return it.first == none && it.node.Box.Width <= 1 && it.node.Box.Height <= 1 || it.first == none && !it.is(isElement)
	case it.is(isPseudo):
		if it.native == kindListMarker {
			return in.items[it.parent].tag == tagSummary
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
func (in *inclusion) staysInTree(i int32) bool {
	it := &in.items[i]
	if it.is(owned) || it.any(ariaOwns) || it.tag == tagLabel || it.is(isPseudo) {
		return true
	}
	p := &in.items[it.parent]
	if !p.is(isElement) {
		return true
	}
	if it.node.Host != p.node.Host || p.tag == tagLabel && it.tag != tagSpan || p.tag == tagRt {
		return true
	}
	if it.is(isElement) && in.hasPseudos(i) {
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
	return in.breaksLine(i) && !it.is(hiddenStyle|ariaHidden|inert) || it.any(attrLang)
}

// hasPseudos reports whether an element has generated content.
func (in *inclusion) hasPseudos(i int32) bool {
	f := in.items[i].first
	if f != none && in.items[f].is(isPseudo) {
		return true
	}
	l := in.items[i].last
	return l != none && in.items[l].is(isPseudo)
}

// breaksLine reports whether an element starts a line of its own.
func (in *inclusion) breaksLine(i int32) bool {
	it := &in.items[i]
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
func (in *inclusion) bySemantics(i int32) verdict {
	it := &in.items[i]
	if it.kind.is(presentational) {
		return leftOut
	}
	if it.kind == kindRubyAnnotation || it.kind == kindStaticText && in.items[it.axParent].kind == kindRubyAnnotation {
		return leftOut
	}
	if it.is(isText) {
		return undecided
	}
	if alt, ok := in.pseudoAlt(i); ok {
		if alt == "" {
			return leftOut
		}
		return shown
	}
	if !it.is(isElement) {
		return undecided
	}
	if it.is(isSVG) {
		if v := in.svgVerdict(i); v != undecided {
			return v
		}
	}
	if in.hasMeaning(i) {
		return shown
	}
	return in.byDefault(i)
}

// hasMeaning: an element with a role, a state or a use of its own is shown.
func (in *inclusion) hasMeaning(i int32) bool {
	it := &in.items[i]
	k := it.kind
	switch {
	case k.is(tableKind | rowKind | cellKind), it.tag == tagThead, it.tag == tagTfoot:
		return true
	case it.tag == tagHTML && it.is(isHTML):
		return false
	case it.tag != tagBody && it.is(focusable), k.is(linkKind | headingKind), in.isClickable(i):
		return true
	case it.tag == tagHeader, it.tag == tagFooter, it.tag == tagLegend, it.tag == tagHgroup, it.tag == tagOptgroup:
		return true
	case in.isControl(i), it.aria != kindUnknown, it.is(editRoot), k.is(alwaysShown), it.any(ariaAny):
		return true
	}
	return it.any(attrTitle) && in.attr(i, attrTitle, "title") != ""
}

// byDefault is what Chromium makes of an element that has no meaning of its own.
func (in *inclusion) byDefault(i int32) verdict {
	it := &in.items[i]
	switch {
	case it.tag == tagHTML && it.is(isHTML):
		return leftOut
	case it.kind.is(imageKind) && it.kind != kindCanvas && !it.is(isSVG):
		if it.any(attrAlt) && in.attr(i, attrAlt, "alt") == "" {
			return leftOut
		}
		return shown
	case it.node.Host < 0 && !it.is(isSVG) && in.isNamedPlace(i):
		return shown
	case it.is(atomic) && it.native != kindSvgRoot && it.native != kindCanvas && in.hasElementSibling(i):
		return shown
	}
	switch it.tag {
	case tagSpan, svgForeignObject:
		return leftOut
	case tagLabel:
		if in.isRedundantLabel(i) {
			return leftOut
		}
		return shown
	}
	return undecided
}

// isNamedPlace: an element that a link can lead to.
func (in *inclusion) isNamedPlace(i int32) bool {
	it := &in.items[i]
	if it.tag == tagA && it.any(attrName) && in.attr(i, attrName, "name") != "" {
		return true
	}
	return it.any(attrID) && it.tag != tagLabel && it.tag != tagOptgroup
}

// svgVerdict: a drawing with something in it, and parts with a title or a description.
func (in *inclusion) svgVerdict(i int32) verdict {
	it := &in.items[i]
	if it.tag == svgSymbol || in.items[it.axParent].is(inSymbol) {
		it.flags |= inSymbol
		return leftOut
	}
	if it.tag == svgSVG && it.native == kindSvgRoot && in.elementFrom(it.first) != none {
		return shown
	}
	for c := it.first; c != none; c = in.items[c].next {
		if t := in.items[c].tag; t == svgTitle || t == svgDesc {
			return shown
		}
	}
	return undecided
}

// hasElementSibling reports whether another element stands beside i.
func (in *inclusion) hasElementSibling(i int32) bool {
	p := in.items[i].parent
	if p == none {
		return false
	}
	n := 0
	for c := in.items[p].first; c != none; c = in.items[c].next {
		if in.items[c].is(isElement) {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}

// isClickable reports whether a click on an element does something.
func (in *inclusion) isClickable(i int32) bool {
	it := &in.items[i]
	if in.isDisabledItem(i) {
		return false
	}
	if it.is(editRoot) || it.native.is(clickKind) {
		return true
	}
	// What is editable takes clicks as well, without a listener.
	return it.node.Clickable && it.tag != tagLabel && !it.is(editable)
}
