package accessibility

import "strings"

// maxVisited ends the search for a name in what an element contains.
const maxVisited = 100

// A nameFrom says where a name was found. A space is put around one that does
// not come from plain text, and a description must not repeat it.
type nameFrom uint8

const (
	fromNothing nameFrom = iota
	fromEmpty            // an alternative text that is empty on purpose
	fromContents
	fromAttribute
	fromCaption
	fromPseudoAlt
	fromPlaceholder
	fromRelated
	fromTitle
	fromValue
	fromPopover
)

// separate reports whether a text from there stands apart from its neighbours.
func (f nameFrom) separate() bool { return f > fromContents }

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

// simplify makes one space of each stretch of white space. Space at either end
// stays as one space: the text went on there.
func simplify(s string) string {
	if s != "" && onlySpace(s) {
		return "  " // space at the front and at the back
	}
	if !needsCollapse(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	space := false
	for k := 0; k < len(s); k++ {
		if isSpace(s[k]) {
			if !space {
				out = append(out, ' ')
			}
			space = true
			continue
		}
		out = append(out, s[k])
		space = false
	}
	return string(out)
}

// alternative computes the text alternative of an item (accname 1.2 §4.3.2).
//
// recursive says that it is part of another name. root is the item that an
// aria-labelledby or aria-describedby named, none if none did.
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
	if it.tag != tagSlot {
		// 2A: what is hidden says nothing, unless it was referred to.
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
	// 2E: what the host language says.
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

// laidOutText is what a line break, a text or generated content says as it is
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

// contentText is what the content of an element says, and a text by itself.
func (b *builder) contentText(i int32, v *visitSet, root int32) string {
	switch it := &b.items[i]; {
	case it.is(isText):
		return it.node.Text
	case it.tag == tagBr:
		return "\n"
	}
	return b.content(i, v, root, false)
}

// visibleText is a text as it is seen.
func (b *builder) visibleText(i int32) string {
	if t := b.texts[i]; t != "" {
		return t
	}
	if b.items[i].is(ignored) {
		return ""
	}
	return " " // trimmed at the end of a line
}

// ariaLabelOf is an element's aria-label, or what its ElementInternals say.
func (b *builder) ariaLabelOf(i int32) string {
	it := &b.items[i]
	if it.any(ariaLabel) {
		return b.attr(i, ariaLabel, "aria-label")
	}
	if r := it.node.Rare; r != nil {
		return r.Label
	}
	return ""
}

// labelledBy is the text of what aria-labelledby names. Chromium takes the
// other spelling as well.
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

func (b *builder) ancestorOrSelf(i int32, t tag) bool {
	for n := 0; i != none && n < 16; n++ {
		if b.items[i].tag == t {
			return true
		}
		i = b.items[i].parent
	}
	return false
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

// namedByContent reports whether an item's role takes its name from what it
// contains (ARIA 1.3 §5.2.8.5), or gives it to an ancestor's.
func (b *builder) namedByContent(i int32, recursive, focus bool) bool {
	it := &b.items[i]
	switch {
	case it.kind == kindRow:
		return b.inGrid(i)
	case it.kind == kindMenuListOption:
		return b.canHaveChildren(i)
	case it.kind == kindRubyAnnotation:
		return !recursive
	case it.kind.is(fromContent):
		return true
	case !it.kind.is(givesContent):
		return false
	case it.kind == kindGroup && it.tag != tagAddress:
		return false
	case (it.kind == kindGeneric || it.kind == kindGroup) && (it.tag == tagBody || it.tag == tagHTML):
		return false
	case recursive:
		return true
	case !it.is(isElement) || it.is(editable) || it.any(ariaActive):
		return false
	}
	// A thing without a name of its own gets one while it has the focus.
	return focus && b.isFocused(i)
}

// inGrid reports whether a row stands in a grid or treegrid.
func (b *builder) inGrid(i int32) bool {
	for n, p := 0, b.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		it := &b.items[p]
		if it.is(ignored) {
			continue
		}
		switch it.kind {
		case kindGrid, kindTreeGrid:
			return true
		case kindGeneric, kindNone, kindGroup, kindRowGroup:
			continue
		}
		return false
	}
	return false
}

// nameProhibited reports whether an item's role must not be named.
func (b *builder) nameProhibited(i int32) bool {
	it := &b.items[i]
	if it.is(focusable|ignored) || it.is(isHTML) && strings.Contains(it.node.Name, "-") {
		return false
	}
	return it.kind.is(nameless)
}

// tooltip is what the title attribute says, unless the content says it already.
func (b *builder) tooltip(i int32) (string, nameFrom) {
	it := &b.items[i]
	if it.any(attrTitle) && !it.is(isSVG) {
		t := b.attr(i, attrTitle, "title")
		if t != "" && !b.innerTextIs(i, trimmed(t)) {
			return t, fromTitle
		}
	}
	return b.hint(i)
}
