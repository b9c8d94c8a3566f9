package accessibility

import (
	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Role is an ARIA role in ARIA's words ("button", "heading", "textbox"), or
// one of Chromium's in lower case where ARIA has none: see [axtree.Role].
type Role = axtree.Role

// States are the states and properties of a node, as ARIA names them. Zero
// values mean that the state does not apply or is off.
type States = axtree.States

// A Tristate is a state that may be absent, off, on, or mixed.
type Tristate = axtree.Tristate

// The values. Unset means that the node does not have the state at all.
const (
	Unset = axtree.Unset
	Off   = axtree.Off
	On    = axtree.On
	Mixed = axtree.Mixed
)

// A treatment is what an outline does with objects of a role.
type treatment uint16

const (
	keepAlways  treatment = 1 << iota // has a line unless it is empty
	keepNamed                         // has a line if it has a name
	acts                              // can be acted on by nature
	contentName                       // its name is the text in it
	ownLine                           // takes a single text below it as its name
	container                         // groups its children, and is not replaced by them
	inlineRole                        // stands within a line of text
)

// treatments are the roles that have lines. An object of any other role is
// dropped, and its content takes its place.
var treatments = map[Role]treatment{
	"button": acts | contentName, "link": acts | contentName | inlineRole, "checkbox": acts | contentName, "radio": acts | contentName,
	"switch": acts | contentName, "tab": acts | contentName, "option": acts | contentName, "treeitem": acts | contentName,
	"menuitem": acts | contentName, "menuitemcheckbox": acts | contentName, "menuitemradio": acts | contentName,
	"textbox": acts, "searchbox": acts, "combobox": acts, "spinbutton": acts, "slider": acts,
	"colorwell": acts, "date": acts, "datetime": acts, "inputtime": acts,
	"doc-backlink": acts | contentName | inlineRole, "doc-biblioref": acts | contentName | inlineRole,
	"doc-glossref": acts | contentName | inlineRole, "doc-noteref": acts | contentName | inlineRole,

	"heading": keepAlways | contentName, "doc-subtitle": keepAlways | contentName,
	"listitem": keepAlways | ownLine, "term": keepAlways | ownLine, "definition": keepAlways | ownLine,
	"blockquote": keepAlways | ownLine, "alert": keepAlways | ownLine, "status": keepAlways | ownLine,
	"tooltip": keepAlways | ownLine, "timer": keepAlways | ownLine, "note": keepAlways | ownLine, "comment": keepAlways | ownLine,
	"deletion": keepAlways | ownLine | inlineRole, "insertion": keepAlways | ownLine | inlineRole, "suggestion": keepAlways | ownLine,
	"cell": keepAlways | ownLine, "gridcell": keepAlways | ownLine,
	"columnheader": keepAlways | ownLine, "rowheader": keepAlways | ownLine,

	"image": keepAlways, "graphics-document": keepNamed, "graphics-symbol": keepNamed, "graphics-object": keepNamed,
	"meter": keepAlways, "progressbar": keepAlways, "math": keepAlways | ownLine, "mathmlmath": keepAlways | ownLine,
	"video": keepAlways | container, "audio": keepAlways | container, "canvas": keepAlways | container,
	"embeddedobject": keepAlways | container, "pluginobject": keepAlways | container, "iframe": keepAlways | container,

	"row": keepAlways, "list": keepAlways | container, "descriptionlist": keepAlways | container,
	"table": keepAlways | container, "grid": keepAlways | container, "treegrid": keepAlways | container, "tree": keepAlways | container,
	"listbox": acts | container, "menu": keepAlways | container, "menubar": keepAlways | container, "tablist": keepAlways | container,
	"tabpanel": keepAlways | container, "toolbar": keepAlways | container, "radiogroup": keepAlways | container,
	"feed": keepAlways | container, "log": keepAlways | container, "marquee": keepAlways | container,
	"dialog": keepAlways | container, "alertdialog": keepAlways | container, "application": keepAlways | container,
	"document": keepNamed | container, "article": keepAlways | container, "form": keepAlways | container, "search": keepAlways | container,
	"banner": keepAlways | container, "navigation": keepAlways | container, "main": keepAlways | container,
	"contentinfo": keepAlways | container, "complementary": keepAlways | container, "region": keepNamed | container,
	"group": keepNamed | container, "details": keepNamed | container, "figure": keepNamed | container, "generic": keepNamed | container,
	"separator": 0,
}

// interactiveRole reports whether objects of a role can be acted on by nature.
func interactiveRole(r Role) bool { return treatments[r]&acts != 0 }

// shownRole returns the word for a role that an outline uses.
func shownRole(r Role) Role {
	switch r {
	case "rootwebarea":
		return "document"
	case "disclosuretriangle":
		return "button"
	case "svgroot", "img":
		return "image"
	case "iframepresentational":
		return "iframe"
	case "", "none", "presentation":
		return "generic"
	}
	for i := range len(r) {
		if !roleByte(r[i]) { // a role that a page has made up
			return "generic"
		}
	}
	return r
}

// inlineDisplay reports whether a box of this display stands within a line.
func inlineDisplay(display string) bool {
	switch display {
	case "inline", "contents", "ruby", "ruby-text", "math":
		return true
	}
	return false
}

// atomicDisplay reports whether a box stands in a line like a big character.
func atomicDisplay(display string) bool {
	switch display {
	case "inline-block", "inline-flex", "inline-grid", "inline-table":
		return true
	}
	return false
}

// leaf reports whether an element shows its content itself: as its value, or as
// its options.
func leaf(n *driver.Node) bool {
	if n.Namespace != driver.HTML {
		return false
	}
	switch n.Name {
	case "input", "textarea", "select", "option", "datalist", "meter", "progress":
		return true
	}
	return false
}

// scrolls reports whether an element's content is larger than what is shown of
// it, by more than a rounding error. Text for screen readers alone often has a
// box of a single pixel, which does not count.
func scrolls(n *driver.Node) bool {
	return n.Rare != nil && n.Rare.Scroll != nil && (n.Rare.Scroll.MaxX > 2 || n.Rare.Scroll.MaxY > 2) &&
		n.Box.Width > 1 && n.Box.Height > 1
}

// roleByte reports whether b may be part of a role.
func roleByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '-' || b >= '0' && b <= '9'
}
