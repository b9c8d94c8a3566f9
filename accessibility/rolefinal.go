package accessibility

// finalRoles settles the roles that depend on what is shown around or below an
// item: landmarks within sections, sections with a name, drawings without
// parts.
func (b *builder) finalRoles() {
	hasChild := b.shownChildren()
	final := make([]kind, 0, 16)
	where := make([]int32, 0, 16)
	for _, i := range b.order {
		it := &b.items[i]
		k := it.kind
		switch k {
		case kindSvgRoot:
			if it.is(included) && !hasChild[i] {
				k = kindImage
			}
		case kindListItem:
			k = b.noteRole(i)
		case kindHeader:
			if b.inSection(i, true) {
				k = kindSectionHeader
			}
		case kindFooter:
			if b.inSection(i, true) {
				k = kindSectionFooter
			}
		case kindComplementary:
			if it.aria != kindComplementary && !b.namedByAuthor(i) && b.inSection(i, false) {
				k = kindGeneric
			}
		case kindSection:
			if b.namedByAuthor(i) {
				k = kindRegion
			} else {
				k = kindSectionWithoutName
			}
		case kindCell:
			if b.inGridTable(i) {
				k = kindGridCell
			}
		}
		if k != it.kind {
			final, where = append(final, k), append(where, i)
		}
	}
	for n, i := range where {
		b.items[i].shownAs = final[n]
	}
}

// shownChildren tells which items have something shown directly below them,
// what is ignored set aside.
func (b *builder) shownChildren() map[int32]bool {
	has := map[int32]bool{}
	for _, i := range b.order {
		if b.items[i].is(ignored) {
			continue
		}
		for p := b.items[i].axParent; p != none; p = b.items[p].axParent {
			if b.items[p].kind == kindSvgRoot {
				has[p] = true
			}
			if !b.items[p].is(ignored) {
				break
			}
		}
	}
	return has
}

// inSection reports whether an item stands in a sectioning element, where it
// is no landmark.
func (b *builder) inSection(i int32, orMain bool) bool {
	for n, p := 0, b.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		if b.items[p].is(ignored) {
			continue
		}
		switch b.items[p].kind {
		case kindArticle, kindComplementary, kindNavigation, kindSection:
			return true
		case kindMain:
			if orMain {
				return true
			}
		}
	}
	return false
}

// noteRole: the items of a list directly in a bibliography or in endnotes.
func (b *builder) noteRole(i int32) kind {
	p := b.items[i].axParent
	if p == none || b.items[p].kind != kindList {
		return kindListItem
	}
	for n, p := 0, b.items[p].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		switch b.items[p].kind {
		case kindList:
			return kindListItem
		case kindDocBibliography:
			return kindDocBiblioEntry
		case kindDocEndnotes:
			return kindDocEndnote
		}
	}
	return kindListItem
}
