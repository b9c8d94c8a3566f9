package accessibility

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

// isDisabledItem reports whether an item is disabled, by its own attribute or
// by a container's.
func (b *builder) isDisabledItem(i int32) bool {
	it := &b.items[i]
	if it.is(disabledForm) || it.is(isElement) && b.isDead(i) {
		return true
	}
	if it.any(ariaDisabled) && isTrue(b.attr(i, ariaDisabled, "aria-disabled")) {
		return true
	}
	return it.is(disabledBelow) && it.is(focusable)
}

// isDead reports whether an element holds something that does not work: media
// that cannot play, an object without a document.
func (b *builder) isDead(i int32) bool {
	it := &b.items[i]
	switch it.tag {
	case tagAudio, tagVideo:
		return it.node.Rare != nil && it.node.Rare.Broken
	case tagObject, tagEmbed:
		for d := range b.c.Documents {
			if b.owner(d) == i {
				return false
			}
		}
		return it.kind == it.native
	}
	return false
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

// ancestorWithin returns the nearest ancestor with a tag, a few levels up.
func (b *builder) ancestorWithin(i int32, t tag) int32 {
	for n := 0; n < 4; n++ {
		i = b.items[i].parent
		if i == none || b.items[i].tag == t {
			return i
		}
	}
	return none
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
	case left:
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

// ignoredByLayout: what says nothing by itself is shown if it places content.
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

// belowIgnoredLabel reports whether a text only repeats what its control is
// called: it stands in a label that is left out.
func (b *builder) belowIgnoredLabel(i int32) bool {
	p := b.items[i].axParent
	for n := 0; p != none && b.items[p].is(ignored) && n < maxAncestors; n++ {
		if b.items[p].kind == kindLabelText {
			return true
		}
		p = b.items[p].axParent
	}
	return false
}

// isLabelPart reports whether an item takes part in a name or a description.
func (b *builder) isLabelPart(i int32, p *item) bool {
	it := &b.items[i]
	if it.is(relTarget) {
		return true
	}
	if it.is(isElement) && (!it.is(ignored) || it.is(focusable)) && b.namedByContent(i, false, false) {
		return true
	}
	if it.kind == kindGroup || !p.is(labelPart) {
		return false
	}
	if !it.is(hiddenStyle|ariaHidden) || p.is(hiddenStyle|ariaHidden) {
		return true
	}
	for n, p := 0, it.axParent; p != none && b.items[p].is(labelPart) && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		if b.items[p].is(relTarget) {
			return true
		}
	}
	return false
}

// staysInTree reports whether an ignored item stands in Chromium's tree all
// the same, and so is one step in computing names.
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
