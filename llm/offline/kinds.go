package offline

import "github.com/wayfinder-engine/wayfinder/accessibility"

// A kind is what people call elements, and the roles that are meant.
type kind map[accessibility.Role]bool

func roles(list ...accessibility.Role) kind {
	m := make(kind, len(list))
	for _, r := range list {
		m[r] = true
	}
	return m
}

var (
	boxes    = roles("checkbox", "switch", "menuitemcheckbox", "radio", "menuitemradio")
	lists    = roles("combobox", "listbox")
	typed    = roles("textbox", "searchbox", "spinbutton", "slider", "date", "datetime", "inputtime", "colorwell", "combobox")
	pressed  = roles("button", "menuitem", "tab", "option", "treeitem")
	headings = roles("heading")
)

// kinds are the words for elements, in the singular. A word may be a part of a name as well.
var kinds = map[string]kind{
	"button": pressed, "link": roles("link"), "tab": roles("tab"), "heading": headings,
	"field": typed, "input": typed, "box": typed, "textbox": typed, "textarea": typed, "control": typed,
	"checkbox": roles("checkbox", "switch"), "switch": roles("switch", "checkbox"), "toggle": roles("switch", "checkbox", "button"),
	"radio": roles("radio", "menuitemradio"), "option": roles("option", "radio", "menuitem"),
	"dropdown": lists, "select": lists, "list": roles("listbox", "combobox", "list"), "combobox": lists, "menu": roles("combobox", "listbox", "menu", "button"),
	"slider": roles("slider"), "image": roles("image", "img"), "picture": roles("image", "img"),
	"menuitem": roles("menuitem", "menuitemcheckbox", "menuitemradio"), "item": roles("menuitem", "listitem", "option", "treeitem"),
	"row": roles("row"), "cell": cellRoles, "table": roles("table", "grid", "treegrid"), "form": roles("form"),
	"group": roles("group", "radiogroup", "region"), "section": roles("region", "group", "article"), "area": roles("region", "group"), "dialog": roles("dialog", "alertdialog"), "icon": roles("button", "link", "image"),
}

// kindOf returns the kind that a word means.
func kindOf(word string) (kind, bool) {
	k, ok := kinds[stem(word)]
	return k, ok
}

// usable reports whether an item can be acted on.
func usable(it *accessibility.Item) bool {
	return it.Omitted == nil && it.Interactive()
}

func editable(it *accessibility.Item) bool {
	return it.Omitted == nil && (it.Editable || typed[it.Role] && !(it.Role == "combobox" && choosable(it)))
}

// choosable reports a list whose options the outline says.
func choosable(it *accessibility.Item) bool {
	return it.Omitted == nil && lists[it.Role] && (len(it.Options) > 0 || it.MoreOptions > 0)
}

func checkable(it *accessibility.Item) bool { return it.Omitted == nil && boxes[it.Role] }

func usableText(it *accessibility.Item) bool { return it.Depth > 0 && text(it) != "" }

// field accepts what a value can be given to.
func field(it *accessibility.Item) bool {
	return editable(it) || choosable(it) || checkable(it)
}

var cellRoles = roles("cell", "gridcell", "rowheader", "columnheader")

var offered = roles("option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem")

// entries are the roles of what stands in a list or table by itself.
var entries = roles("row", "listitem", "treeitem", "option", "article", "term", "definition")

// closed reports a list whose options the outline does not say: it has to be opened.
func closed(it *accessibility.Item) bool {
	return !choosable(it) && (it.Role == "combobox" || opener(it)) && usable(it) && it.Role != "link"
}

// opener reports an element that opens a list or a menu.
func opener(it *accessibility.Item) bool {
	return it.Omitted == nil && (it.States.HasPopup != "" || it.States.Expanded == accessibility.Off) && it.Interactive()
}
