package axtree

import "strings"

// roles decides the roles of all items: twice, since some depend on what is shown.
type roles struct{ nativeRoles }

// firstRoles gives every item its role, in document order: the role of a table's
// part depends on its ancestors' roles.
func (rs *roles) firstRoles() {
	rs.findOwned()
	for i := range rs.items {
		it := &rs.items[i]
		it.native = rs.nativeRole(int32(i))
		if it.is(isElement) {
			it.aria = rs.ariaRole(int32(i))
		}
		it.kind = it.native
		if it.aria != kindUnknown {
			it.kind = it.aria
		}
	}
}

// ariaRole returns what an element's role attribute makes of it: the first
// word that is a role and may stand where it stands; kindUnknown if there is
// none, or if the element retains its own role (ARIA 1.3 §5.4, §9.1).
func (rs *roles) ariaRole(i int32) kind {
	it := &rs.items[i]
	if !it.any(attrRole) {
		return kindUnknown
	}
	words := rs.attr(i, attrRole, "role")
	k := rs.firstRole(i, words, false)
	switch k {
	case kindForm, kindRegion:
		if !rs.namedByAuthor(i) && !it.any(ariaRoleDescription) {
			k = rs.firstRole(i, words, true)
		}
	}
	switch k {
	case kindNone:
		if it.tag == tagIframe || it.tag == tagFrame {
			return kindIframePresentational
		}
		if it.is(supportsFocus) || it.any(ariaGlobal) {
			return kindUnknown
		}
	case kindButton:
		return rs.buttonRole(i)
	case kindComboBoxGrouping:
		switch {
		case rs.isTextControl(i):
			return kindTextFieldWithComboBox
		case it.tag == tagSelect:
			if rs.isMenuList(i) {
				return kindUnknown
			}
		case it.is(supportsFocus) || it.tag == tagButton || it.tag == tagInput && isButtonType(rs.inputType(i)):
			return kindComboBoxMenuButton
		}
	}
	return k
}

// firstRole returns the first word of a role attribute that is valid for i.
func (rs *roles) firstRole(i int32, words string, skipLandmarks bool) kind {
	for w := range strings.FieldsSeq(words) {
		k := roleWord(w)
		if k == kindUnknown || skipLandmarks && (k == kindForm || k == kindRegion) {
			continue
		}
		if rs.inContext(i, k) {
			return k
		}
	}
	return kindUnknown
}

// A context is where a role is valid.
type context struct {
	parents [2]kind // roles that must contain it
	tags    tagSet  // native elements that may contain it as well
	through tagSet  // elements that may stand between, without a role
	self    kind    // a role that may stand between
}

// contexts are the roles that mean nothing outside of their container.
var contexts = map[kind]context{
	kindListItem:      {parents: [2]kind{kindList, kindGroup}, tags: tagsOf(tagUl, tagOl, tagMenu), through: tagsOf(tagDiv, tagSlot)},
	kindListBoxOption: {parents: [2]kind{kindListBox, kindGroup}, tags: tagsOf(tagSelect), through: tagsOf(tagDiv, tagSlot)},
	kindTreeItem:      {parents: [2]kind{kindTree, kindGroup}, through: tagsOf(tagDiv, tagSpan, tagSlot), self: kindTreeItem},
}

// maxContext is how far up a container is looked for.
const maxContext = 500

// inContext reports whether role k is valid for i where it stands.
func (rs *roles) inContext(i int32, k kind) bool {
	c, ok := contexts[k]
	if !ok {
		return true
	}
	if rs.items[i].is(owned) {
		owner := rs.items[i].axParent
		r := rs.rawRole(owner)
		if r == kindUnknown {
			r = nativeKinds[rs.items[owner].tag]
		}
		if r == c.parents[0] || r == c.parents[1] {
			return true
		}
	}
	for n, p := 0, rs.items[i].parent; p != none && n < maxContext; n, p = n+1, rs.items[p].parent {
		it := &rs.items[p]
		if !it.is(isElement) {
			continue
		}
		if c.tags.has(it.tag) {
			return true
		}
		r := rs.rawRole(p)
		switch {
		case r != kindUnknown && (r == c.parents[0] || r == c.parents[1]):
			return true
		case r == kindNone, r != kindUnknown && r == c.self:
			continue
		case c.through.has(it.tag) && rs.attr(p, attrRole, "role") == "":
			continue
		case k == kindTreeItem && it.is(isHTML) && strings.Contains(it.node.Name, "-") && !it.any(attrRole):
			continue // a custom element
		}
		return false
	}
	return false
}

// finalRoles computes the roles that depend on what is shown around or below an
// item: landmarks within sections, sections with a name, drawings without parts.
func (rs *roles) finalRoles() {
	hasChild := rs.shownChildren()
	final := make([]kind, 0, 16)
	where := make([]int32, 0, 16)
	for _, i := range rs.order {
		it := &rs.items[i]
		k := it.kind
		switch k {
		case kindSvgRoot:
			if it.is(included) && !hasChild[i] {
				k = kindImage
			}
		case kindListItem:
			k = rs.noteRole(i)
		case kindHeader:
			if rs.inSection(i, true) {
				k = kindSectionHeader
			}
		case kindFooter:
			if rs.inSection(i, true) {
				k = kindSectionFooter
			}
		case kindComplementary:
			if it.aria != kindComplementary && !rs.namedByAuthor(i) && rs.inSection(i, false) {
				k = kindGeneric
			}
		case kindSection:
			if rs.namedByAuthor(i) {
				k = kindRegion
			} else {
				k = kindSectionWithoutName
			}
		case kindCell:
			if rs.inGridTable(i) {
				k = kindGridCell
			}
		}
		if k != it.kind {
			final, where = append(final, k), append(where, i)
		}
	}
	for n, i := range where {
		rs.items[i].shownAs = final[n]
	}
}

// shownChildren returns the drawings that have something shown directly below
// them, looking through ignored items.
func (rs *roles) shownChildren() map[int32]bool {
	has := map[int32]bool{}
	for _, i := range rs.order {
		if rs.items[i].is(ignored) {
			continue
		}
		for p := rs.items[i].axParent; p != none; p = rs.items[p].axParent {
			if rs.items[p].kind == kindSvgRoot {
				has[p] = true
			}
			if !rs.items[p].is(ignored) {
				break
			}
		}
	}
	return has
}

// inSection reports whether an item stands in a sectioning element, where it
// is no landmark.
func (rs *roles) inSection(i int32, orMain bool) bool {
	for n, p := 0, rs.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, rs.items[p].axParent {
		if rs.items[p].is(ignored) {
			continue
		}
		switch rs.items[p].kind {
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
func (rs *roles) noteRole(i int32) kind {
	p := rs.items[i].axParent
	if p == none || rs.items[p].kind != kindList {
		return kindListItem
	}
	for n, p := 0, rs.items[p].axParent; p != none && n < maxAncestors; n, p = n+1, rs.items[p].axParent {
		switch rs.items[p].kind {
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
