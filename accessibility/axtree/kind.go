package axtree

// A Role is an ARIA role in ARIA's words ("button", "heading", "textbox"), or
// one of the few that HTML-AAM, the DPUB and graphics modules add.
// The empty role and "generic" are containers without a meaning of their own.
//
// Where ARIA has no word it is Chromium's, in lower case: "text" for a text,
// "rootwebarea" for a page, "linebreak", "listmarker", "iframe", "labeltext",
// "legend", "figcaption", "abbr", "ruby", "descriptionlist",
// "disclosuretriangle" (a summary), "date", "datetime", "inputtime",
// "colorwell", "audio", "video", "canvas", "svgroot", "pluginobject",
// "embeddedobject", "layouttable" with "layouttablerow" and "layouttablecell",
// and "mathmlmath", "mathmlfraction" and so on for the parts of a formula.
type Role string

// A kind is a role as the rules need it: ARIA's roles, and finer ones where
// one word of ARIA stands for objects that behave differently (a button that
// is pressed, a button that opens a menu). Several kinds may share a [Role].
type kind uint8

// A trait is a property that the rules ask of a kind.
type trait uint32

const (
	fromContent      trait = 1 << iota // is named by what it contains
	givesContent                       // adds its content to an ancestor's name, but is not named by it
	alwaysShown                        // is in the tree without any other reason
	widget                             // is a control
	clickKind                          // does something when it is clicked, by nature
	tableKind                          // table, grid, treegrid
	rowKind                            // a row of one
	cellKind                           // a cell of one
	linkKind                           // is a link
	headingKind                        // is a heading
	rangeKind                          // has a number within bounds
	presentational                     // has no meaning of its own
	expandable                         // may have aria-expanded
	readOnlyKind                       // may have aria-readonly
	requirable                         // may have aria-required
	multiselectKind                    // may have aria-multiselectable
	selectableParent                   // a person moves among its parts
	selectedByFocus                    // is selected as long as it has the focus
	nameless                           // must not be named
	imageKind                          // is a picture
	breaksLine                         // starts a new line by nature of its role
	checkKind                          // can be checked
	plainField                         // takes text by role
	embedKind                          // contains another document
)

// A kindInfo is what is known of a kind.
type kindInfo struct {
	role   Role
	traits trait
}

// The kinds that rules name. kindUnknown is "no role found".
const (
	kindUnknown kind = iota
	kindAlertDialog
	kindArticle
	kindAudio
	kindBanner
	kindButton
	kindCanvas
	kindCell
	kindColumnHeader
	kindComboBoxGrouping
	kindComboBoxMenuButton
	kindComboBoxSelect
	kindComment
	kindComplementary
	kindContentInfo
	kindDetails
	kindDialog
	kindDisclosureTriangle
	kindEmphasis
	kindFooter
	kindForm
	kindGeneric
	kindGraphicsObject
	kindGraphicsSymbol
	kindGrid
	kindGridCell
	kindGroup
	kindHeader
	kindHeading
	kindIframePresentational
	kindImage
	kindLabelText
	kindLayoutTable
	kindLayoutTableCell
	kindLayoutTableRow
	kindLineBreak
	kindLink
	kindList
	kindListBox
	kindListBoxOption
	kindListItem
	kindListMarker
	kindMain
	kindMenu
	kindMenuItemRadio
	kindMenuListOption
	kindMeter
	kindNavigation
	kindNone
	kindParagraph
	kindPopUpButton
	kindProgress
	kindRadioButton
	kindRegion
	kindRootWebArea
	kindRow
	kindRowGroup
	kindRowHeader
	kindRuby
	kindRubyAnnotation
	kindScrollBar
	kindSection
	kindSectionFooter
	kindSectionHeader
	kindSectionWithoutName
	kindSeparator
	kindSlider
	kindSpinButton
	kindStaticText
	kindStrong
	kindSvgRoot
	kindSwitch
	kindTab
	kindTable
	kindTextField
	kindTextFieldWithComboBox
	kindToggleButton
	kindTooltip
	kindTree
	kindTreeGrid
	kindTreeItem
	kindVideo

	kindDocBiblioEntry
	kindDocBibliography
	kindDocEndnote
	kindDocEndnotes

	kindCount // and behind it those that no rule names
)

func (k kind) is(t trait) bool { return kinds[k].traits&t != 0 }

// role returns the role that the kind is shown as.
func (k kind) role() Role { return kinds[k].role }
