package axtree

import (
	"slices"
	"strconv"
	"strings"
)

// names computes names, descriptions and values. Each needs the others: a name
// holds the values of the controls inside, a value the names of the chosen options.
type names struct {
	values
	free   []*visitSet // for the next name
	depth  int         // of content within content, see maxDepth
	nested int         // of names within names, see maxNested
}

// name computes an item's accessible name.
func (ns *names) name(i int32) (string, nameFrom) {
	v := ns.visits()
	text, from := ns.alternative(i, false, none, v)
	ns.release(v)
	switch it := &ns.items[i]; {
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
func (ns *names) alternative(i int32, recursive bool, root int32, v *visitSet) (string, nameFrom) {
	it := &ns.items[i]
	if alt, ok := ns.pseudoAlt(i); ok {
		return alt, fromPseudoAlt
	}
	if it.is(hasLayout) {
		if text, ok := ns.laidOutText(i, recursive, v); ok {
			return text, fromContents
		}
	}
	// 2C (embedded control): within another name, a control counts by its value.
	if recursive && !v.has(i) {
		if value, ok := ns.valueInName(i, v); ok {
			return value, fromValue
		}
	}
	been := v.has(i)
	v.add(i)
	if (it.tag == tagAudio || it.tag == tagVideo) && ns.isUnusable(i) && !ns.hiddenInName(i, root) {
		return "Unable to play media.", fromAttribute // in Chromium before any name of its own
	}
	if it.tag != tagSlot {
		// 2A: what is hidden has no name, unless it was referred to.
		if ns.hiddenInName(i, root) {
			return "", fromNothing
		}
		// 2B: aria-labelledby, once.
		if root == none && !been && it.any(ariaLabelledby|ariaLabeledby) {
			if text := ns.labelledBy(i, v); trimmed(text) != "" {
				return ns.withFile(i, text), fromRelated
			}
		}
		// 2D: aria-label.
		if text := ns.attr(i, ariaLabel, "aria-label"); trimmed(text) != "" {
			return ns.withFile(i, text), fromAttribute
		}
	}
	// 2E: the host language.
	text, from := ns.nativeName(i, v)
	if text != "" {
		return ns.withFile(i, text), from
	}
	empty := from == fromEmpty
	// 2F, 2G: content.
	if ns.contentCounts(i, recursive, root) {
		if text = ns.contentText(i, v, root); text != "" {
			return ns.withFile(i, text), fromContents
		}
	}
	// 2I: the tooltip.
	if (root != none || !ns.nameProhibited(i)) && !(empty && (it.tag == tagImg || it.tag == tagArea)) {
		if t, f := ns.tooltip(i); t != "" {
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
func (ns *names) laidOutText(i int32, recursive bool, v *visitSet) (text string, ok bool) {
	it := &ns.items[i]
	switch {
	case it.tag == tagBr:
		v.add(i)
		return "\n", true
	case it.is(isText):
		v.add(i)
		return ns.visibleText(i), true
	case it.is(isPseudo) && it.node.Name == "::marker":
		return it.node.Shown, !recursive
	case it.is(isPseudo) && it.first == none && it.node.Shown != "":
		v.add(i)
		return ns.visible[i], true
	}
	return "", false
}

// contentText is the text of an element's content, or that of a text itself.
func (ns *names) contentText(i int32, v *visitSet, root int32) string {
	switch it := &ns.items[i]; {
	case it.is(isText):
		return it.node.Text
	case it.tag == tagBr:
		return "\n"
	}
	return ns.content(i, v, root, false)
}

// visibleText is the part of a text that is visible.
func (ns *names) visibleText(i int32) string {
	if t := ns.visible[i]; t != "" {
		return t
	}
	if ns.items[i].is(ignored) {
		return ""
	}
	return " " // trimmed at the end of a line
}

// labelledBy is the text of the elements that aria-labelledby refers to. Chromium
// accepts aria-labeledby as well.
func (ns *names) labelledBy(i int32, v *visitSet) string {
	name := "aria-labelledby"
	if !ns.items[i].any(ariaLabelledby) {
		name = "aria-labeledby"
	}
	text, _ := ns.textOf(ns.references(i, name), true, v)
	return text
}

// textOf joins the texts of several items with spaces. It reports whether
// there was an object for any.
func (ns *names) textOf(list []int32, referred bool, v *visitSet) (text string, ok bool) {
	var parts strings.Builder
	for _, t := range list {
		if ns.items[t].is(pruned) {
			continue
		}
		ok = true
		root := none
		if referred {
			root = t
		}
		s := ns.recursive(t, root, v)
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
func (ns *names) recursive(i, root int32, v *visitSet) string {
	s, _ := ns.recursiveFrom(i, root, v)
	return s
}

func (ns *names) recursiveFrom(i, root int32, v *visitSet) (string, nameFrom) {
	if root == none && v.has(i) || v.len() > 50*maxVisited {
		return "", fromNothing
	}
	return ns.alternative(i, true, root, v)
}

// hiddenInName reports whether an item is left out of names (accname 2A).
func (ns *names) hiddenInName(i, root int32) bool {
	it := &ns.items[i]
	switch {
	case it.is(inClosed) && (root == none || !ns.items[root].is(inClosed)):
		return true
	case it.is(lockedAuto) && !it.is(hasLayout), it.is(isText), it.tag == svgTitle, it.tag == svgDesc:
		return false
	case it.tag == tagNoscript:
		return true
	case it.is(isPseudo) && it.node.Name == "::marker":
		return true
	case it.is(inSelect) && !it.is(ariaHidden) && ns.nearest(i, tagOption, 16) != none:
		return false
	case root != none && ns.items[root].is(hiddenStyle|ariaHidden|inert):
		return false
	case it.is(ariaRoot):
		return true
	}
	return it.is(hiddenStyle)
}

// contentCounts reports whether an item's content gives it its name.
func (ns *names) contentCounts(i int32, recursive bool, root int32) bool {
	if root == none && !ns.namedByContent(i, recursive, true) {
		return false
	}
	if ns.items[i].tag == tagSelect {
		return false
	}
	return !ns.isTextField(i) || root == i
}

// nameProhibited reports whether an item's role must not be named.
func (ns *names) nameProhibited(i int32) bool {
	it := &ns.items[i]
	if it.is(focusable|ignored) || it.is(isHTML) && strings.Contains(it.node.Name, "-") {
		return false
	}
	return it.kind.is(nameless)
}

// nameAndDescription computes both: a description does not use the source that
// the name came from.
func (ns *names) nameAndDescription(i int32) (name, description string) {
	name, from := ns.name(i)
	if ns.items[i].is(isElement) {
		description = trimmed(simplify(ns.description(i, from)))
	}
	return name, description
}

// description computes an element's accessible description (accname 1.2
// §4.3.3, HTML-AAM §4).
func (ns *names) description(i int32, from nameFrom) string {
	it := &ns.items[i]
	if it.any(ariaDescribedby) {
		v := ns.visits()
		text, ok := ns.textOf(ns.references(i, "aria-describedby"), true, v)
		ns.release(v)
		if ok {
			return text
		}
	}
	if it.any(ariaDescription) {
		return ns.attr(i, ariaDescription, "aria-description")
	}
	if it.is(isSVG) {
		if t := ns.svgDescription(i, from); t != "" {
			return t
		}
	}
	switch it.tag {
	case tagInput:
		if t := ns.inputType(i); from != fromValue && (t == "button" || t == "submit" || t == "reset") {
			if v, ok := it.node.Attr("value"); ok {
				return v
			}
		}
	case tagRuby:
		if it.kind == kindRuby {
			if c := ns.firstOfTag(i, tagRt); c != none {
				return ns.described(c, i)
			}
		}
	case tagTable:
		if c := ns.firstOfTag(i, tagCaption); from != fromCaption && c != none {
			return ns.described(c, none)
		}
	case tagSummary:
		if from != fromContents {
			v := ns.visits()
			t := ns.content(i, v, none, false)
			ns.release(v)
			if t != "" {
				return t
			}
		}
	}
	if it.any(attrTitle) && from != fromTitle {
		if t := ns.attr(i, attrTitle, "title"); t != "" && !ns.innerTextIs(i, trimmed(t)) {
			return t
		}
	}
	if from != fromPopover {
		t, _ := ns.hintPopover(i)
		return t
	}
	return ""
}

// svgDescription: the desc element, the title if it is not the name, and what
// a link is titled (SVG-AAM §5.2).
func (ns *names) svgDescription(i int32, from nameFrom) string {
	if c := ns.firstOfTag(i, svgDesc); c != none {
		if t := ns.innerText(c); t != "" {
			return t
		}
	}
	if ns.namedByARIA(i) {
		if c := ns.firstOfTag(i, svgTitle); c != none {
			if t := ns.innerText(c); t != "" {
				return t
			}
		}
	}
	if ns.items[i].tag == svgA && from != fromAttribute {
		t, _ := ns.items[i].node.Attr("xlink:title")
		return t
	}
	return ""
}

// nativeName is what the host language names an item by (accname 2E, HTML-AAM
// §4, SVG-AAM §5.1). from is fromEmpty where it is left empty on purpose.
func (ns *names) nativeName(i int32, v *visitSet) (string, nameFrom) {
	it := &ns.items[i]
	switch {
	case it.parent == none && !it.is(isElement):
		return ns.documentName(i)
	case !it.is(isElement):
		return "", fromNothing
	}
	switch it.tag {
	case tagOption:
		if !ns.canHaveChildren(i) {
			if t := ns.optionLabel(i); t != "" {
				return t, fromContents
			}
		}
	case tagOptgroup:
		if t, _ := it.node.Attr("label"); t != "" {
			return t, fromAttribute
		}
	}
	if list := ns.labelsOf[i]; len(list) > 0 {
		if t, ok := ns.textOf(list, false, v); ok {
			return trimmed(t), fromRelated
		}
	}
	if it.tag == tagInput {
		if t, f, done := ns.inputName(i); done {
			return t, f
		}
	}
	if ns.isTextControl(i) {
		if t, f := ns.tooltip(i); t != "" {
			return t, f
		}
		if t := lineBreaks.Replace(ns.attr(i, attrPlaceholder, "placeholder")); t != "" {
			return t, fromPlaceholder
		}
	}
	if ns.isTextField(i) {
		return ns.attr(i, ariaPlaceholder, "aria-placeholder"), fromPlaceholder
	}
	switch {
	case it.tag == tagImg, it.tag == tagArea:
		if !it.any(attrAlt) {
			return "", fromNothing
		}
		if t := ns.attr(i, attrAlt, "alt"); t != "" {
			return t, fromAttribute
		}
		return "", fromEmpty
	case it.tag == tagTable:
		if c := ns.firstOfTag(i, tagCaption); c != none {
			if t := ns.recursive(c, none, v); t != "" {
				return t, fromCaption
			}
		}
		t, _ := it.node.Attr("summary")
		return t, fromAttribute
	case it.is(isSVG):
		return ns.svgName(i)
	case it.tag == tagFieldset:
		if c := ns.firstOfTag(i, tagLegend); c != none && !v.has(c) {
			return ns.recursive(c, none, v), fromRelated
		}
	}
	return "", fromNothing
}

// inputName names the inputs that are not fields. done reports that the name is
// final, even if it is empty.
func (ns *names) inputName(i int32) (name string, from nameFrom, done bool) {
	it := &ns.items[i]
	value := ns.attrValue(i)
	switch t := ns.inputType(i); t {
	case "button", "submit", "reset":
		if _, ok := it.node.Attr("value"); ok {
			return value, fromValue, true
		}
		if t == "submit" {
			return "Submit", fromContents, true
		}
		if t == "reset" {
			return "Reset", fromContents, true
		}
		return "", fromValue, true
	case "image":
		if t := ns.attr(i, attrAlt, "alt"); t != "" {
			return t, fromAttribute, true
		}
		if _, ok := it.node.Attr("value"); ok && value != "" {
			return value, fromAttribute, true
		}
		if t, f := ns.tooltip(i); t != "" {
			return t, f, true
		}
		return "Submit", fromValue, true
	case "file":
		if it.any(attrMultiple) {
			return "Choose Files", fromContents, true
		}
		return "Choose File", fromContents, true
	}
	return "", fromNothing, false
}

// documentName is the title of a page.
func (ns *names) documentName(i int32) (string, nameFrom) {
	for c := ns.items[i].first; c != none; c = ns.items[c].next {
		if ns.items[c].is(isElement) {
			if t := ns.attr(c, ariaLabel, "aria-label"); t != "" {
				return t, fromAttribute
			}
		}
	}
	return ns.c.Documents[ns.items[i].doc].Title, fromRelated
}

// withFile adds the chosen file to the name of a file input.
func (ns *names) withFile(i int32, name string) string {
	if ns.items[i].tag != tagInput || ns.inputType(i) != "file" || ns.items[i].node.Value == "" {
		return name
	}
	return name + ": " + ns.fileStatus(i)
}

// svgName: the title element, then what a link is titled (SVG-AAM §5.1).
func (ns *names) svgName(i int32) (string, nameFrom) {
	if t := ns.firstOfTag(i, svgTitle); t != none {
		if s := ns.innerText(t); s != "" {
			return s, fromRelated
		}
	}
	if ns.items[i].tag == svgA {
		if s, _ := ns.items[i].node.Attr("xlink:title"); s != "" {
			return s, fromAttribute
		}
	}
	return "", fromNothing
}

// tooltip is the title attribute, unless it only repeats the content.
func (ns *names) tooltip(i int32) (string, nameFrom) {
	it := &ns.items[i]
	if it.any(attrTitle) && !it.is(isSVG) {
		t := ns.attr(i, attrTitle, "title")
		if t != "" && !ns.innerTextIs(i, trimmed(t)) {
			return t, fromTitle
		}
	}
	return ns.hintPopover(i)
}

// hintPopover is the text of a hint popover that a control opens, if it is nothing
// but text.
func (ns *names) hintPopover(i int32) (string, nameFrom) {
	it := &ns.items[i]
	if !it.any(attrPopoverTarget) {
		return "", fromNothing
	}
	p := ns.popoverTarget(i)
	if p == none {
		return "", fromNothing
	}
	if v := ns.attr(p, attrPopover, "popover"); !equalFold(v, "hint") || !ns.isPlain(p) {
		return "", fromNothing
	}
	t := ns.described(p, p)
	if t == "" || ns.innerTextIs(i, trimmed(t)) {
		return "", fromNothing
	}
	return t, fromPopover
}

// isPlain reports whether an element contains nothing but text and wrappers.
func (ns *names) isPlain(i int32) bool {
	for c := i; c != none; c = ns.within(i, c) {
		switch ns.items[c].kind {
		case kindStaticText, kindGeneric, kindGroup, kindLineBreak, kindParagraph, kindStrong, kindEmphasis, kindNone, kindTooltip:
		default:
			return false
		}
	}
	return true
}

// described is the text of one item, as a description.
func (ns *names) described(c, root int32) string {
	v := ns.visits()
	t := ns.recursive(c, root, v)
	ns.release(v)
	return t
}

// content joins the alternatives of what an item contains (accname 2F.i), with
// a space between two that do not read as one word.
func (ns *names) content(i int32, v *visitSet, root int32, recursive bool) string {
	if ns.depth++; ns.depth > maxDepth {
		ns.depth--
		return ""
	}
	defer func() { ns.depth-- }()
	if ns.items[i].is(isElement) && !ns.canHaveChildren(i) {
		if recursive {
			return ""
		}
		return ns.innerText(i)
	}
	var (
		j        joiner
		prev     = none
		lastFrom = fromNothing
		actions  []int32
		summary  bool
	)
	if ns.items[i].tag == tagDetails && ns.firstOfTag(i, tagSummary) == none {
		summary = true // the one that browsers supply
		j.add("Details")
	}
	if ns.items[i].any(ariaActions) {
		actions = ns.references(i, "aria-actions")
	}
	for c := ns.includedChild(i); c != none; c = ns.includedNext(i, c) {
		if v.len() > maxVisited {
			break
		}
		if slices.Contains(actions, c) || ns.hiddenInName(c, root) {
			continue
		}
		var s string
		from := fromNothing
		if ns.items[c].kind.is(presentational) {
			s = ns.content(c, v, root, true)
		} else {
			s, from = ns.recursiveFrom(c, root, v)
		}
		if s != "" {
			if j.open() && !isSpace(s[0]) && (prev == none && summary || prev != none && ns.apart(prev, c, lastFrom, from)) {
				j.add(" ")
			}
			j.add(s)
			lastFrom = from
		}
		// It separates its neighbours, whether it has a text or not.
		prev = c
	}
	return j.String()
}

// apart reports whether a space belongs between the texts of two items that
// follow one another.
func (ns *names) apart(prev, next int32, last, from nameFrom) bool {
	p, n := &ns.items[prev], &ns.items[next]
	switch {
	case !p.is(inlineLevel) || !n.is(inlineLevel) || p.run != n.run:
		return true
	case p.is(atomic) || n.is(atomic):
		return true
	case last.separate() || from.separate():
		return true
	}
	return ns.isControl(prev) || ns.isControl(next)
}

// value is the value of a control, as a person reads it.
func (ns *names) value(i int32) string {
	it := &ns.items[i]
	if !it.is(isElement) {
		return ""
	}
	if ns.isRange(i) {
		if n, ok := ns.rangeValue(i); ok {
			return formatNumber(n)
		}
		return ""
	}
	if ns.isTextField(i) && !ns.isTextControl(i) {
		return ns.innerText(i)
	}
	v, _ := ns.controlValue(i, nil)
	return v
}

// controlValue is a control's value; ok reports whether it has one, which may be
// empty.
func (ns *names) controlValue(i int32, v *visitSet) (value string, ok bool) {
	it := &ns.items[i]
	switch {
	case it.tag == tagSelect:
		if !ns.isMenuList(i) {
			return "", false
		}
		return ns.chosenLabel(i), true
	case ns.isTextControl(i):
		if it.node.HasValue {
			return it.node.Value, it.node.Value != ""
		}
		return "", false
	case ns.isRange(i):
		t, has := it.node.Attr("aria-valuetext")
		return t, has
	case it.tag == tagInput:
		switch t := ns.inputType(i); t {
		case "file":
			return ns.fileStatus(i), true
		case "button", "checkbox", "image", "radio", "reset", "submit":
		case "hidden":
			return ns.attrValue(i), true
		default:
			if t == "color" && !it.node.HasValue {
				return "#000000", true
			}
			return it.node.Value, true
		}
	}
	if it.kind == kindComboBoxMenuButton {
		if v == nil {
			v = ns.visits()
			defer ns.release(v)
		}
		return ns.content(i, v, none, false), true
	}
	return "", false
}

// valueInName is what a control adds to another element's name (accname 2C).
func (ns *names) valueInName(i int32, v *visitSet) (string, bool) {
	it := &ns.items[i]
	if !it.is(isElement) {
		return "", false
	}
	if ns.isTextField(i) {
		if !ns.isTextControl(i) {
			return ns.innerText(i), true
		}
		return ns.controlValue(i, v)
	}
	if ns.isRange(i) {
		if t, ok := it.node.Attr("aria-valuetext"); ok {
			return t, true
		}
		if n, ok := ns.rangeValue(i); ok {
			return formatNumber(n), true
		}
	}
	switch it.kind {
	case kindComboBoxGrouping, kindComboBoxMenuButton, kindComboBoxSelect, kindListBox:
	default:
		return "", false
	}
	// An option may be named by the list that it is chosen in.
	if ns.nested++; ns.nested > maxNested {
		ns.nested--
		return "", false
	}
	defer func() { ns.nested-- }()
	options := ns.chosenOptions(i)
	if len(options) == 0 {
		return ns.controlValue(i, v)
	}
	var parts []string
	for _, o := range options {
		if v.has(o) || !ns.step() {
			continue
		}
		v.add(o)
		if name, _ := ns.name(o); name != "" {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " "), true
}

func (ns *names) visits() *visitSet {
	if n := len(ns.free); n > 0 {
		v := ns.free[n-1]
		ns.free = ns.free[:n-1]
		return v
	}
	return &visitSet{}
}

func (ns *names) release(v *visitSet) {
	v.list, v.more = v.list[:0], nil
	ns.free = append(ns.free, v)
}

// maxVisited bounds how many items the name of an element is computed from.
const maxVisited = 100

// maxNested is how many names of options may be computed within one another.
const maxNested = 3

// A visitSet is the items that the computation of one name has visited: few, as
// a rule.
type visitSet struct {
	list []int32
	more map[int32]struct{}
}

func (v *visitSet) has(i int32) bool {
	_, ok := v.more[i]
	return ok || slices.Contains(v.list, i)
}

func (v *visitSet) add(i int32) {
	if v.has(i) {
		return
	}
	if len(v.list) < 2*maxVisited {
		v.list = append(v.list, i)
		return
	}
	if v.more == nil {
		v.more = map[int32]struct{}{}
	}
	v.more[i] = struct{}{}
}

func (v *visitSet) len() int { return len(v.list) + len(v.more) }

// maxDepth bounds the recursion of names. The limit of visited items ends nearly
// all of them sooner, but presentational items do not count towards that.
const maxDepth = 2 * maxVisited

// A nameFrom is where a name was found. One that does not come from plain text is
// set apart by spaces, and a description must not repeat it.
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

// lineBreaks takes line breaks out: a placeholder has one line.
var lineBreaks = strings.NewReplacer("\n", "", "\r", "")

// formatNumber writes a number as Chromium does: six digits.
func formatNumber(n float64) string { return strconv.FormatFloat(n, 'g', 6, 64) }
