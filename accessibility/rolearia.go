package accessibility

import "strings"

// ariaRole returns what an element's role attribute makes of it: the first
// word that is a role and may stand where it stands; kindUnknown if there is
// none, or if the element keeps its own role (ARIA 1.3 §5.4, §9.1).
func (b *builder) ariaRole(i int32) kind {
	it := &b.items[i]
	if !it.any(attrRole) {
		return kindUnknown
	}
	words := b.attr(i, attrRole, "role")
	k := b.firstRole(i, words, false)
	switch k {
	case kindForm, kindRegion:
		if !b.namedByAuthor(i) && !it.any(ariaRoleDescription) {
			k = b.firstRole(i, words, true)
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
		return b.buttonRole(i)
	case kindComboBoxGrouping:
		switch {
		case b.isTextControl(i):
			return kindTextFieldWithComboBox
		case it.tag == tagSelect:
			if b.isMenuList(i) {
				return kindUnknown
			}
		case it.is(supportsFocus) || it.tag == tagButton || it.tag == tagInput && isButtonType(b.inputType(i)):
			return kindComboBoxMenuButton
		}
	}
	return k
}

// firstRole returns the first word of a role attribute that counts on i.
func (b *builder) firstRole(i int32, words string, skipLandmarks bool) kind {
	for w := range strings.FieldsSeq(words) {
		k := roleWord(w)
		if k == kindUnknown || skipLandmarks && (k == kindForm || k == kindRegion) {
			continue
		}
		if b.inContext(i, k) {
			return k
		}
	}
	return kindUnknown
}

func roleWord(w string) kind {
	if k, ok := ariaKinds[w]; ok {
		return k
	}
	return ariaKinds[strings.ToLower(w)]
}

// rawRole is the first word of an element's role attribute that is a role at
// all, wherever it stands.
func (b *builder) rawRole(i int32) kind {
	if !b.items[i].any(attrRole) {
		return kindUnknown
	}
	for w := range strings.FieldsSeq(b.attr(i, attrRole, "role")) {
		if k := roleWord(w); k != kindUnknown {
			return k
		}
	}
	return kindUnknown
}

// A context says where a role may stand.
type context struct {
	parents [2]kind // what must hold it
	tags    tagSet  // native elements that hold it as well
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

// inContext reports whether k may stand at i.
func (b *builder) inContext(i int32, k kind) bool {
	c, ok := contexts[k]
	if !ok {
		return true
	}
	if b.items[i].is(owned) {
		owner := b.items[i].axParent
		r := b.rawRole(owner)
		if r == kindUnknown {
			r = nativeKinds[b.items[owner].tag]
		}
		if r == c.parents[0] || r == c.parents[1] {
			return true
		}
	}
	for n, p := 0, b.items[i].parent; p != none && n < maxContext; n, p = n+1, b.items[p].parent {
		it := &b.items[p]
		if !it.is(isElement) {
			continue
		}
		if c.tags.has(it.tag) {
			return true
		}
		r := b.rawRole(p)
		switch {
		case r != kindUnknown && (r == c.parents[0] || r == c.parents[1]):
			return true
		case r == kindNone, r != kindUnknown && r == c.self:
			continue
		case c.through.has(it.tag) && b.attr(p, attrRole, "role") == "":
			continue
		case k == kindTreeItem && it.is(isHTML) && strings.Contains(it.node.Name, "-") && !it.any(attrRole):
			continue // a custom element
		}
		return false
	}
	return false
}

// namedByAuthor reports whether an attribute names an element, whatever it says.
func (b *builder) namedByAuthor(i int32) bool {
	return b.items[i].any(attrTitle) || b.namedByARIA(i)
}

// namedByARIA reports whether aria-label or aria-labelledby names an element.
func (b *builder) namedByARIA(i int32) bool {
	it := &b.items[i]
	if it.any(ariaLabelledby|ariaLabeledby) && (len(b.references(i, "aria-labelledby")) > 0 || len(b.references(i, "aria-labeledby")) > 0) {
		return true
	}
	if it.any(ariaLabel) && strings.TrimSpace(b.attr(i, ariaLabel, "aria-label")) != "" {
		return true
	}
	return it.node.Rare != nil && it.node.Rare.Label != ""
}
