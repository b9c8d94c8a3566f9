package axtree

import "strings"

// nativeRoles are the roles that HTML and SVG give to their elements.
type nativeRoles struct {
	*arrangement
	tables tables
}

// nativeKinds are the roles of the elements whose role depends on their name
// alone (HTML-AAM, SVG-AAM).
var nativeKinds = [tagCount]kind{
	tagAddress: kindGroup, tagAudio: kindAudio, tagCaption: others["caption"], tagDetails: kindDetails, tagDialog: kindDialog,
	tagDir: kindList, tagEmbed: others["embeddedobject"], tagFieldset: kindGroup, tagForm: kindForm, tagFooter: kindFooter,
	tagFrame: others["iframe"], tagH1: kindHeading, tagH2: kindHeading, tagH3: kindHeading, tagH4: kindHeading,
	tagH5: kindHeading, tagH6: kindHeading, tagHeader: kindHeader, tagHgroup: kindGroup, tagHr: kindSeparator,
	tagHTML: kindGeneric, tagIframe: others["iframe"], tagImg: kindImage, tagLabel: kindLabelText, tagLegend: others["legend"],
	tagMenu: kindList, tagMeter: kindMeter, tagObject: others["pluginobject"], tagOl: kindList, tagOptgroup: kindGroup,
	tagOutput: others["status"], tagP: kindParagraph, tagProgress: kindProgress, tagRt: kindRubyAnnotation, tagRuby: kindRuby,
	tagTextarea: kindTextField, tagUl: kindList, tagVideo: kindVideo, svgG: kindGroup,
}

// plainKinds are those of HTML's elements that no other rule names.
var plainKinds = map[string]kind{
	"abbr": others["abbr"], "article": kindArticle, "aside": kindComplementary, "blockquote": others["blockquote"],
	"code": others["code"], "dd": others["definition"], "del": others["deletion"], "dfn": others["term"],
	"dl": others["descriptionlist"], "dt": others["term"], "em": kindEmphasis, "figcaption": others["figcaption"],
	"figure": others["figure"], "ins": others["insertion"], "main": kindMain, "mark": others["mark"], "nav": kindNavigation,
	"rp": kindRubyAnnotation, "s": others["deletion"], "search": others["search"], "section": kindSection, "strong": kindStrong,
	"sub": others["subscript"], "sup": others["superscript"], "time": others["time"],
}

// mathRoles are the roles of MathML's elements (MathML-AAM).
var mathRoles = map[string]Role{
	"math": "mathmlmath", "mfrac": "mathmlfraction", "mi": "mathmlidentifier", "mmultiscripts": "mathmlmultiscripts",
	"mn": "mathmlnumber", "mo": "mathmloperator", "mover": "mathmlover", "munder": "mathmlunder",
	"munderover": "mathmlunderover", "mroot": "mathmlroot", "mrow": "mathmlrow", "annotation-xml": "mathmlrow",
	"maction": "mathmlrow", "merror": "mathmlrow", "mpadded": "mathmlrow", "mphantom": "mathmlrow", "mstyle": "mathmlrow",
	"semantics": "mathmlrow", "mprescripts": "mathmlprescriptdelimiter", "none": "mathmlnonescript", "msqrt": "mathmlsquareroot",
	"ms": "mathmlstringliteral", "msub": "mathmlsub", "msubsup": "mathmlsubsup", "msup": "mathmlsup", "mtable": "mathmltable",
	"mtd": "mathmltablecell", "mtr": "mathmltablerow", "mtext": "mathmltext", "annotation": "mathmltext",
}

// nativeRole returns the role that an item has without its role attribute.
func (nr *nativeRoles) nativeRole(i int32) kind {
	it := &nr.items[i]
	switch {
	case it.is(isText):
		return kindStaticText
	case it.is(isPseudo):
		return nr.pseudoRole(i)
	case !it.is(isElement):
		if it.axParent == none || it.parent == none {
			return kindRootWebArea
		}
		return kindGeneric
	}
	if k := nativeKinds[it.tag]; k != kindUnknown {
		return k
	}
	switch it.tag {
	case tagA, svgA:
		return nr.anchorRole(i)
	case tagArea:
		if it.any(attrHref) {
			return kindLink
		}
		return kindGeneric
	case tagButton:
		return nr.buttonRole(i)
	case tagSummary:
		if nr.summaryOf(i) != none {
			return kindDisclosureTriangle
		}
		return kindGeneric
	case tagTable:
		if nr.tables.isDataTable(i) {
			return kindTable
		}
		return kindLayoutTable
	case tagTr:
		return nr.tables.rowRole(i)
	case tagTd, tagTh:
		return nr.tables.cellRole(i)
	case tagTbody, tagThead, tagTfoot:
		return nr.tables.sectionRole(i)
	case tagInput:
		return nr.inputRole(i)
	case tagSelect:
		if nr.isMenuList(i) {
			return kindComboBoxSelect
		}
		return kindListBox
	case tagOption:
		if s := nr.ownerSelect(i); s != none && nr.isMenuList(s) {
			return kindMenuListOption
		}
		return kindListBoxOption
	case tagLi:
		if nr.inForeignList(i) {
			return kindNone
		}
		return kindListItem
	}
	if k, ok := plainKinds[it.node.Name]; ok && it.is(isHTML) {
		return k
	}
	if r, ok := mathRoles[it.node.Name]; ok && !it.is(isHTML|isSVG) {
		return others[r]
	}
	return nr.layoutRole(i)
}

// anchorRole: an a is a link if it leads somewhere or listens for clicks.
func (nr *nativeRoles) anchorRole(i int32) kind {
	it := &nr.items[i]
	if it.any(attrHref) || it.node.Clickable {
		return kindLink
	}
	if it.tag == svgA && nr.nearest(it.parent, svgText, maxAncestors) == none {
		return kindGroup
	}
	return kindGeneric
}

// inputRoles are the roles of input's types.
var inputRoles = map[string]kind{
	"checkbox": others["checkbox"], "date": others["date"], "datetime-local": others["datetime"], "month": others["datetime"],
	"week": others["datetime"], "file": kindButton, "radio": kindRadioButton, "number": kindSpinButton, "range": kindSlider,
	"search": others["searchbox"], "color": others["colorwell"], "time": others["inputtime"], "image": kindButton,
}

func (nr *nativeRoles) inputRole(i int32) kind {
	t := nr.inputType(i)
	if t != "color" && nr.hasDatalist(i, t) {
		return kindTextFieldWithComboBox
	}
	switch t {
	case "button", "reset", "submit":
		return nr.buttonRole(i)
	}
	if k, ok := inputRoles[t]; ok {
		return k
	}
	return kindTextField
}

// hasDatalist reports whether an input offers the choices of a datalist.
func (nr *nativeRoles) hasDatalist(i int32, t string) bool {
	if !nr.items[i].any(attrList) {
		return false
	}
	switch t {
	case "hidden", "checkbox", "radio", "file", "submit", "image", "reset", "button", "password":
		return false
	}
	d := nr.byID(i, nr.attr(i, attrList, "list"))
	return d != none && nr.items[d].tag == tagDatalist
}

// buttonRole returns the kind of a button: one that stays pressed, one that opens
// something, or any other.
func (nr *nativeRoles) buttonRole(i int32) kind {
	if _, ok := nr.token(i, ariaPressed, "aria-pressed"); ok {
		return kindToggleButton
	}
	if p := nr.popupAttr(i); p != "" && p != "false" && p != "dialog" {
		return kindPopUpButton
	}
	return kindButton
}

// pseudoRole: a marker is the marker of its list item; other generated
// content is a wrapper.
func (nr *nativeRoles) pseudoRole(i int32) kind {
	it := &nr.items[i]
	if _, ok := nr.pseudoAlt(i); ok {
		if strings.HasPrefix(it.node.Style.Content, "url(") || strings.HasPrefix(it.node.Style.Content, "image") {
			return kindImage
		}
		return kindStaticText
	}
	if it.node.Name == "::marker" {
		if p := it.parent; p != none && nr.items[p].tag == tagLi && nr.inForeignList(p) {
			return kindNone
		}
		return kindListMarker
	}
	return kindGeneric
}

// inForeignList: an item of a native list that claims another role is no item.
func (nr *nativeRoles) inForeignList(i int32) bool {
	p := nr.items[i].parent
	for p != none && nr.items[p].tag == tagSlot {
		p = nr.items[p].parent
	}
	if p == none {
		return false
	}
	switch nr.items[p].tag {
	case tagUl, tagOl, tagMenu:
		r := nr.attr(p, attrRole, "role")
		return r != "" && r != "list" && r != "directory"
	}
	return false
}

// layoutRole is the role that follows from how an element is laid out, for
// elements whose name has no role.
func (nr *nativeRoles) layoutRole(i int32) kind {
	it := &nr.items[i]
	if it.is(hasLayout) {
		switch it.tag {
		case tagBr:
			return kindLineBreak
		case tagCanvas:
			return kindCanvas
		case svgImage:
			return kindImage
		case svgSVG:
			if p := it.parent; p != none && nr.items[p].is(isSVG) && nr.items[p].tag != svgForeignObject {
				return kindGroup
			}
			return kindSvgRoot
		case svgShape:
			return kindGraphicsSymbol
		case svgForeignObject:
			return kindGroup
		case svgUse:
			return kindGraphicsObject
		}
		switch nr.display(i) {
		case "list-item":
			return kindListItem
		case "table", "inline-table":
			return kindLayoutTable
		case "table-row-group", "table-header-group", "table-footer-group":
			return nr.tables.sectionRole(i)
		case "table-row":
			return nr.tables.rowRole(i)
		case "table-cell":
			return nr.tables.cellRole(i)
		}
	}
	if it.is(hasLayout) && !it.any(attrRole) && it.any(attrPopover|attrAutofocus|attrDraggable) {
		return kindGroup
	}
	return kindGeneric
}
