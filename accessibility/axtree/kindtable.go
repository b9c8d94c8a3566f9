package axtree

import (
	"slices"
	"strings"
)

// ruled lists the kinds that rules name, with their roles and traits. ARIA 1.3, DPUB-ARIA
// 1.1 and Graphics-ARIA say which roles there are, which take their name from content and
// which may have none; the other traits are what Chromium does.
var ruled = [kindCount]kindInfo{
	kindUnknown:               {"", 0},
	kindAlertDialog:           {"alertdialog", breaksLine},
	kindArticle:               {"article", alwaysShown | breaksLine},
	kindAudio:                 {"audio", alwaysShown},
	kindBanner:                {"banner", alwaysShown | breaksLine},
	kindButton:                {"button", fromContent | widget | clickKind | expandable},
	kindCanvas:                {"canvas", givesContent | imageKind},
	kindCell:                  {"cell", fromContent | cellKind},
	kindColumnHeader:          {"columnheader", fromContent | cellKind | expandable | readOnlyKind | requirable},
	kindComboBoxGrouping:      {"combobox", widget | expandable | readOnlyKind | requirable | selectableParent},
	kindComboBoxMenuButton:    {"combobox", widget | clickKind | expandable | readOnlyKind | requirable | selectableParent},
	kindComboBoxSelect:        {"combobox", widget | expandable | requirable},
	kindComment:               {"comment", breaksLine},
	kindComplementary:         {"complementary", alwaysShown | breaksLine},
	kindContentInfo:           {"contentinfo", alwaysShown | breaksLine},
	kindDetails:               {"group", givesContent | alwaysShown | breaksLine},
	kindDialog:                {"dialog", alwaysShown | breaksLine},
	kindDisclosureTriangle:    {"disclosuretriangle", fromContent | widget | clickKind | expandable},
	kindEmphasis:              {"emphasis", givesContent | alwaysShown | nameless},
	kindFooter:                {"contentinfo", givesContent | alwaysShown | breaksLine},
	kindForm:                  {"form", alwaysShown | breaksLine},
	kindGeneric:               {"generic", givesContent | nameless},
	kindGraphicsObject:        {"graphics-object", fromContent},
	kindGraphicsSymbol:        {"graphics-symbol", imageKind},
	kindGrid:                  {"grid", tableKind | readOnlyKind | multiselectKind | selectableParent | breaksLine},
	kindGridCell:              {"gridcell", fromContent | cellKind | expandable | readOnlyKind | requirable},
	kindGroup:                 {"group", givesContent | breaksLine},
	kindHeader:                {"banner", alwaysShown | breaksLine},
	kindHeading:               {"heading", fromContent | headingKind | breaksLine},
	kindIframePresentational:  {"iframepresentational", embedKind},
	kindImage:                 {"image", imageKind},
	kindLabelText:             {"labeltext", givesContent},
	kindLayoutTable:           {"layouttable", givesContent | tableKind | breaksLine},
	kindLayoutTableCell:       {"layouttablecell", fromContent | cellKind},
	kindLayoutTableRow:        {"layouttablerow", givesContent | rowKind | breaksLine},
	kindLineBreak:             {"linebreak", fromContent},
	kindLink:                  {"link", fromContent | linkKind | clickKind | expandable},
	kindList:                  {"list", givesContent | alwaysShown | breaksLine},
	kindListBox:               {"listbox", widget | clickKind | expandable | readOnlyKind | requirable | multiselectKind | selectableParent},
	kindListBoxOption:         {"option", fromContent | widget | clickKind | selectedByFocus | checkKind},
	kindListItem:              {"listitem", givesContent | alwaysShown | expandable | breaksLine},
	kindListMarker:            {"listmarker", fromContent},
	kindMain:                  {"main", alwaysShown | breaksLine},
	kindMenu:                  {"menu", widget | selectableParent | breaksLine},
	kindMenuItemRadio:         {"menuitemradio", fromContent | widget | clickKind | expandable | readOnlyKind | checkKind},
	kindMenuListOption:        {"option", fromContent | widget | alwaysShown | clickKind | selectedByFocus | checkKind},
	kindMeter:                 {"meter", alwaysShown | rangeKind},
	kindNavigation:            {"navigation", alwaysShown | breaksLine},
	kindNone:                  {"none", givesContent | presentational | nameless},
	kindParagraph:             {"paragraph", givesContent | nameless | breaksLine},
	kindPopUpButton:           {"button", fromContent | widget | clickKind | expandable},
	kindProgress:              {"progressbar", alwaysShown | rangeKind},
	kindRadioButton:           {"radio", fromContent | widget | clickKind | checkKind | readOnlyKind},
	kindRegion:                {"region", givesContent | alwaysShown | breaksLine},
	kindRootWebArea:           {"rootwebarea", alwaysShown | breaksLine},
	kindRow:                   {"row", rowKind | expandable | breaksLine},
	kindRowGroup:              {"rowgroup", breaksLine},
	kindRowHeader:             {"rowheader", fromContent | cellKind | expandable | readOnlyKind | requirable},
	kindRuby:                  {"ruby", givesContent | alwaysShown},
	kindRubyAnnotation:        {"rubyannotation", 0},
	kindScrollBar:             {"scrollbar", widget | rangeKind},
	kindSection:               {"region", givesContent | alwaysShown | breaksLine},
	kindSectionFooter:         {"sectionfooter", alwaysShown | breaksLine},
	kindSectionHeader:         {"sectionheader", alwaysShown | breaksLine},
	kindSectionWithoutName:    {"generic", givesContent | breaksLine},
	kindSeparator:             {"separator", alwaysShown | breaksLine},
	kindSlider:                {"slider", widget | rangeKind | readOnlyKind},
	kindSpinButton:            {"spinbutton", widget | rangeKind | readOnlyKind | requirable},
	kindStaticText:            {"text", fromContent},
	kindStrong:                {"strong", givesContent | alwaysShown | nameless},
	kindSvgRoot:               {"svgroot", imageKind},
	kindSwitch:                {"switch", fromContent | widget | clickKind | expandable | readOnlyKind | requirable | checkKind},
	kindTab:                   {"tab", fromContent | widget | clickKind | expandable | selectedByFocus},
	kindTable:                 {"table", tableKind | breaksLine},
	kindTextField:             {"textbox", widget | readOnlyKind | requirable | plainField},
	kindTextFieldWithComboBox: {"combobox", widget | expandable | readOnlyKind | requirable | plainField},
	kindToggleButton:          {"button", fromContent | widget | clickKind | expandable | readOnlyKind | checkKind},
	kindTooltip:               {"tooltip", fromContent | breaksLine},
	kindTree:                  {"tree", widget | readOnlyKind | requirable | multiselectKind | selectableParent | breaksLine},
	kindTreeGrid:              {"treegrid", tableKind | readOnlyKind | requirable | multiselectKind | selectableParent | breaksLine},
	kindTreeItem:              {"treeitem", fromContent | widget | expandable | selectedByFocus | checkKind},
	kindVideo:                 {"video", alwaysShown},

	kindDocBiblioEntry:  {"doc-biblioentry", breaksLine},
	kindDocBibliography: {"doc-bibliography", alwaysShown | breaksLine},
	kindDocEndnote:      {"doc-endnote", breaksLine},
	kindDocEndnotes:     {"doc-endnotes", alwaysShown | breaksLine},
}

// A likeKinds is the roles that have the same traits, with spaces between.
type likeKinds struct {
	traits trait
	roles  string
}

// ariaRoles are the words of ARIA that no rule names: their traits say all of them.
var ariaRoles = []likeKinds{
	{breaksLine, "alert document feed log marquee note status tabpanel timer doc-abstract doc-colophon doc-credit " +
		"doc-dedication doc-epigraph doc-example doc-footnote doc-index doc-notice doc-pagebreak doc-pagefooter doc-pageheader " +
		"doc-pagelist doc-pullquote doc-qna doc-tip"},
	{alwaysShown | breaksLine, "blockquote figure search doc-acknowledgments doc-afterword doc-appendix doc-chapter " +
		"doc-conclusion doc-credits doc-epilogue doc-errata doc-foreword doc-glossary doc-introduction doc-part doc-preface " +
		"doc-prologue doc-toc"},
	{alwaysShown | expandable, "application"},
	{givesContent | nameless | breaksLine, "caption"},
	{givesContent | alwaysShown | nameless, "code deletion insertion mark subscript superscript time"},
	{givesContent | alwaysShown | breaksLine, "definition"},
	{imageKind, "graphics-document doc-cover"},
	{fromContent | alwaysShown, "math"},
	{fromContent | alwaysShown | breaksLine, "term"},
	{fromContent | widget | clickKind | expandable | readOnlyKind | requirable | checkKind, "checkbox"},
	{fromContent | widget | clickKind | expandable, "menuitem"},
	{fromContent | widget | clickKind | expandable | readOnlyKind | checkKind, "menuitemcheckbox"},
	{fromContent | linkKind | clickKind | expandable, "doc-backlink doc-biblioref doc-glossref doc-noteref"},
	{fromContent | headingKind | breaksLine, "doc-subtitle"},
	{widget | alwaysShown | selectableParent | breaksLine, "menubar"},
	{widget | readOnlyKind | requirable | selectableParent | breaksLine, "radiogroup"},
	{widget | readOnlyKind | requirable | plainField, "searchbox"},
	{widget | multiselectKind | selectableParent | breaksLine, "tablist"},
	{selectableParent | breaksLine, "toolbar"},
	{nameless, "suggestion"},
}

// nativeWords are the roles that no word of ARIA gives and no rule names.
var nativeWords = []likeKinds{
	{givesContent | alwaysShown, "abbr"},
	{widget | clickKind | readOnlyKind, "colorwell date datetime inputtime"},
	{givesContent | alwaysShown | breaksLine, "descriptionlist figcaption"},
	{embedKind, "embeddedobject iframe"},
	{givesContent, "legend"},
	{alwaysShown, "mathmlmath mathmlfraction mathmlidentifier mathmlmultiscripts mathmlnonescript mathmlnumber mathmloperator " +
		"mathmlover mathmlprescriptdelimiter mathmlroot mathmlrow mathmlsquareroot mathmlstringliteral mathmlsub mathmlsubsup " +
		"mathmlsup mathmltable mathmltablecell mathmltablerow mathmltext mathmlunder mathmlunderover"},
	{alwaysShown | embedKind, "pluginobject"},
}

// kinds has the role and the traits of every kind: first the ruled ones, then the others,
// which others finds by their roles.
var kinds, others = func() (all [256]kindInfo, others map[Role]kind) {
	others = map[Role]kind{}
	next := kind(copy(all[:], ruled[:]))
	for _, like := range slices.Concat(ariaRoles, nativeWords) {
		for role := range strings.FieldsSeq(like.roles) {
			all[next] = kindInfo{Role(role), like.traits}
			others[Role(role)] = next
			next++
		}
	}
	return all, others
}()

// ariaKinds maps the words of the role attribute.
var ariaKinds = func() map[string]kind {
	m := map[string]kind{
		"img": kindImage, "presentation": kindNone, "directory": kindList, "combobox": kindComboBoxGrouping,
		"banner": kindBanner, "button": kindButton, "option": kindListBoxOption, "region": kindRegion,
		"contentinfo": kindContentInfo, "generic": kindGeneric, "separator": kindSeparator,
		"progressbar": kindProgress, "textbox": kindTextField,
	}
	for _, like := range ariaRoles {
		for role := range strings.FieldsSeq(like.roles) {
			m[role] = others[Role(role)]
		}
	}
	for k := kind(1); k < kindCount; k++ {
		switch k {
		case kindAudio, kindCanvas, kindDetails, kindDisclosureTriangle, kindIframePresentational, kindLabelText,
			kindLayoutTable, kindLayoutTableCell, kindLayoutTableRow, kindLineBreak, kindListMarker, kindRootWebArea, kindRuby,
			kindRubyAnnotation, kindStaticText, kindSvgRoot, kindVideo:
			continue // not words of ARIA
		}
		if _, ok := m[string(kinds[k].role)]; !ok {
			m[string(kinds[k].role)] = k
		}
	}
	return m
}()
