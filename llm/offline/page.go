package offline

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A page is an outline with what the matcher asks of it.
type page struct {
	items []accessibility.Item
	end   []int // the index behind each item's subtree
	own   split // the instruction, which a page may show

	// known holds the words of texts that were split before: each name is
	// compared with many phrases. It is shared with the page's parts.
	known map[string]split
}

func newPage(o *accessibility.Outline) *page {
	p := &page{items: o.Items, end: make([]int, len(o.Items)), known: map[string]split{}}
	for i := len(o.Items) - 1; i >= 0; i-- {
		j := i + 1
		for j < len(o.Items) && o.Items[j].Depth > o.Items[i].Depth {
			j = p.end[j]
		}
		p.end[i] = j
	}
	return p
}

func (p *page) split(text string) split {
	s, ok := p.known[text]
	if !ok {
		s = splitWords(text)
		p.known[text] = s
	}
	return s
}

// root is the ref of the document.
func (p *page) root() (accessibility.Ref, bool) {
	if len(p.items) == 0 || p.items[0].Omitted != nil {
		return "", false
	}
	return p.items[0].Ref, true
}

// children returns the indexes directly below item i, without omissions.
func (p *page) children(i int) []int {
	var out []int
	for j := i + 1; j < p.end[i]; j = p.end[j] {
		if p.items[j].Omitted == nil {
			out = append(out, j)
		}
	}
	return out
}

// text is what an item says: its name, or a row's cells.
func text(it *accessibility.Item) string {
	if len(it.Cells) == 0 {
		return it.Name
	}
	var cells []string
	for _, c := range it.Cells {
		if !c.Below {
			cells = append(cells, c.Text)
		}
	}
	return strings.Join(cells, " ")
}

// allText is what an item and everything below it say.
func (p *page) allText(i int) string {
	var lines []string
	for j := i; j < p.end[i]; j++ {
		it := &p.items[j]
		if t := text(it); t != "" {
			lines = append(lines, t)
		}
		if it.Value != "" && it.Value != it.Name {
			lines = append(lines, it.Value)
		}
	}
	return strings.Join(lines, "\n")
}

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

// nameFit reports how well a phrase fits a text of the page. A text that shows the
// instruction itself names nothing.
func (p *page) nameFit(phrase, name string) int {
	a, b := p.split(phrase), p.split(name)
	if len(p.own.all) >= mostShownWords && len(a.all) < len(p.own.all) && holds(b.all, p.own.all) {
		return noFit
	}
	return nameFit(a, b)
}

// harmless are words that say nothing about which element is meant.
var harmless = set("now", "again", "once", "here", "there", "page", "website", "screen", "option", "entry")

func harmlessBut(phrase, name []string) bool {
	for _, w := range phrase {
		if _, isKind := kindOf(w); !slices.Contains(name, w) && !harmless[w] && !isKind {
			return false
		}
	}
	return true
}

// field accepts what a value can be given to.
func field(it *accessibility.Item) bool {
	return editable(it) || choosable(it) || checkable(it)
}

// nameFit reports how well a phrase fits the name of an element that is to be
// acted on. It is stricter than fit: no word of the phrase is passed over that
// could say something, and no name is taken that says the opposite.
func nameFit(p, n split) int {
	if len(p.all) == 0 || len(n.all) == 0 {
		if p.text != "" && p.text == n.text {
			return same // signs without letters, as "×"
		}
		return noFit
	}
	if p.joined == n.joined {
		return same
	}
	ep, en := exact(p.all), exact(n.all)
	if len(ep) == 0 || len(en) == 0 || contrary(p.all, n.all) {
		return noFit
	}
	switch {
	case slices.Equal(ep, en):
		return nearly
	case holds(n.all, p.all) || holds(en, ep):
		return inOrder
	case subset(ep, en, equal):
		return allWords
	case len(ep) > 1 && slices.Equal(stems(ep), stems(en)):
		return plural
	case subset(en, ep, equal) && 2*len(en) > len(ep) && harmlessBut(ep, en):
		return part
	case subset(ep, en, similar):
		return misspelled
	}
	return noFit
}
