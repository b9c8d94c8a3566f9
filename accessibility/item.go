package accessibility

import (
	"math"
	"strconv"
)

// An Item is one line of an outline that was read from text. A line does not show
// states that are off, so they are Unset here.
type Item struct {
	Ref    Ref
	Depth  int
	Parent int // index in [Outline].Items; -1 at the top
	Role   Role

	Name        string
	Value       string
	Description string
	Placeholder string
	URL         string
	Cut         Cut // how much of the above is not shown

	States      States
	Heading     int  // level of the heading that this item makes up alone
	Clickable   bool // can be acted on although its role does not imply it
	Editable    bool // takes text although its role does not imply it
	Header      bool // a row of column headers
	Password    bool // takes a password
	Covered     bool // a page that a modal dialog lies over
	Link        string
	Counts      Counts
	ScrollY     Percent
	ScrollX     Percent
	Min, Max    string        // the bounds of a value
	Cells       []OutlineCell // of a row, in place of Name
	Options     []Option      // of a select
	MoreOptions int           // options that are not shown

	// Omitted is set in a line that stands for what was left out. Such a line has
	// no other members than Depth and Parent.
	Omitted *Omission
}

// A Cut counts the characters of a text that an outline does not show.
type Cut struct{ Name, Value, Description, Placeholder, URL int }

// A Percent is a scroll position: 0 is the start, 100 the end.
type Percent struct {
	Set   bool
	Value int
}

// An OutlineCell is one cell on a row's line.
type OutlineCell struct {
	Cell
	Cut int
}

// An Omission is what an outline had no room for, and one line stands for.
type Omission struct {
	Count int
	Noun  string // "rows", "items", "elements" …, in the singular if Count is 1
	Ref   Ref    // what to ask for; empty for the page
}

// Interactive reports whether the item can be acted on.
func (it *Item) Interactive() bool {
	return it.Clickable || it.Editable || interactiveRole(it.Role)
}

// appendItem writes an item's line, without the newline.
func appendItem(dst []byte, it *Item) []byte {
	dst = appendIndent(dst, it.Depth)
	if it.Omitted != nil {
		return appendOmission(dst, it.Omitted)
	}
	dst = append(dst, '[')
	dst = append(dst, it.Ref...)
	dst = append(dst, "] "...)
	dst = append(dst, it.Role...)
	switch {
	case len(it.Cells) > 0:
		dst = append(dst, ':')
		for i := range it.Cells {
			if i > 0 {
				dst = append(dst, " |"...)
			}
			dst = append(dst, ' ')
			if sign := signOfCell(&it.Cells[i].Cell); sign != "" {
				dst = append(dst, sign...)
				continue
			}
			dst = appendCut(appendAtom(dst, it.Cells[i].Text, it.Cells[i].Cut > 0), it.Cells[i].Cut)
		}
	case it.Name != "" || it.Cut.Name > 0:
		dst = append(dst, ": "...)
		if it.Role == "row" { // whose names are read as cells
			dst = appendAtom(dst, it.Name, it.Cut.Name > 0)
		} else {
			dst = appendName(dst, it.Name, it.Cut.Name > 0)
		}
		dst = appendCut(dst, it.Cut.Name)
	}
	dst = appendStates(dst, it)
	if len(it.Options) > 0 || it.MoreOptions > 0 {
		dst = appendOptions(dst, it.Options, it.MoreOptions)
	}
	dst = appendProperty(dst, "value", it.Value, it.Cut.Value)
	dst = appendProperty(dst, "placeholder", it.Placeholder, it.Cut.Placeholder)
	dst = appendProperty(dst, "description", it.Description, it.Cut.Description)
	return appendProperty(dst, "url", it.URL, it.Cut.URL)
}

const spaces = "                                                                "

func appendIndent(dst []byte, depth int) []byte {
	for n := 2 * depth; n > 0; n -= len(spaces) {
		dst = append(dst, spaces[:min(n, len(spaces))]...)
	}
	return dst
}

func appendOmission(dst []byte, o *Omission) []byte {
	dst = append(dst, "… "...)
	dst = appendCount(dst, o.Count)
	dst = append(dst, " more "...)
	dst = append(dst, o.Noun...)
	if o.Ref != "" {
		dst = append(dst, ", ask with ref "...)
		dst = append(dst, o.Ref...)
	}
	return dst
}

func appendCut(dst []byte, n int) []byte {
	if n <= 0 {
		return dst
	}
	dst = append(dst, " … "...)
	dst = appendCount(dst, n)
	return append(dst, " more characters"...)
}

func appendProperty(dst []byte, name, value string, cut int) []byte {
	if value == "" && cut == 0 {
		return dst
	}
	dst = append(dst, ' ')
	dst = append(dst, name...)
	dst = append(dst, '=')
	return appendCut(appendQuoted(dst, value), cut)
}

// flags are the states that a single word stands for, in the order of a line.
var flags = [...]struct {
	word string
	ref  func(*Item) *bool
}{
	{"header", func(it *Item) *bool { return &it.Header }},
	{"disabled", func(it *Item) *bool { return &it.States.Disabled }},
	{"readonly", func(it *Item) *bool { return &it.States.ReadOnly }},
	{"required", func(it *Item) *bool { return &it.States.Required }},
	{"password", func(it *Item) *bool { return &it.Password }},
	{"multiline", func(it *Item) *bool { return &it.States.Multiline }},
	{"multiple", func(it *Item) *bool { return &it.States.Multiselectable }},
	{"covered", func(it *Item) *bool { return &it.Covered }},
	{"modal", func(it *Item) *bool { return &it.States.Modal }},
	{"busy", func(it *Item) *bool { return &it.States.Busy }},
	{"focused", func(it *Item) *bool { return &it.States.Focused }},
	{"clickable", func(it *Item) *bool { return &it.Clickable }},
	{"editable", func(it *Item) *bool { return &it.Editable }},
}

// tristates are the values of states that a line names, in its order.
var tristates = [...]struct {
	words string
	ref   func(*States) *Tristate
	is    Tristate
}{
	{"checked", func(s *States) *Tristate { return &s.Checked }, On},
	{"mixed", func(s *States) *Tristate { return &s.Checked }, Mixed},
	{"pressed", func(s *States) *Tristate { return &s.Pressed }, On},
	{"partly pressed", func(s *States) *Tristate { return &s.Pressed }, Mixed},
	{"expanded", func(s *States) *Tristate { return &s.Expanded }, On},
	{"collapsed", func(s *States) *Tristate { return &s.Expanded }, Off},
	{"selected", func(s *States) *Tristate { return &s.Selected }, On},
}

// valued are the states that have a value, in the order of a line: those of ARIA stand
// before the scroll positions, the bounds behind them.
var valued = [...]struct {
	word string
	ref  func(*Item) *string
}{
	{"invalid", func(it *Item) *string { return &it.States.Invalid }},
	{"popup", func(it *Item) *string { return &it.States.HasPopup }},
	{"current", func(it *Item) *string { return &it.States.Current }},
	{"sort", func(it *Item) *string { return &it.States.Sort }},
	{"keys", func(it *Item) *string { return &it.States.Keys }},
	{"min", func(it *Item) *string { return &it.Min }},
	{"max", func(it *Item) *string { return &it.Max }},
}

// bounds is how many of the valued are bounds.
const bounds = 2

// appendStates writes what is true of an item, each in its own parentheses.
func appendStates(dst []byte, it *Item) []byte {
	if it.States.Level > 0 {
		dst = appendNumber(dst, " (level ", it.States.Level, ")")
	}
	if it.Heading > 0 {
		dst = appendNumber(dst, " (heading ", it.Heading, ")")
	}
	for i := range tristates {
		if *tristates[i].ref(&it.States) == tristates[i].is {
			dst = appendWord(dst, tristates[i].words, "true")
		}
	}
	for i := range flags {
		if *flags[i].ref(it) {
			dst = appendWord(dst, flags[i].word, "true")
		}
	}
	if it.Link != "" {
		dst = appendWord(dst, it.Link, "true")
	}
	dst = it.Counts.append(dst)
	for _, v := range valued[:len(valued)-bounds] {
		dst = appendWord(dst, v.word, *v.ref(it))
	}
	if it.ScrollY.Set {
		dst = appendNumber(dst, " (scrollable ", it.ScrollY.Value, "%)")
	}
	if it.ScrollX.Set {
		dst = appendNumber(dst, " (scrollable across ", it.ScrollX.Value, "%)")
	}
	for _, v := range valued[len(valued)-bounds:] {
		dst = appendWord(dst, v.word, *v.ref(it))
	}
	return dst
}

func appendNumber(dst []byte, before string, n int, after string) []byte {
	dst = append(dst, before...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, after...)
}

// appendWord writes a state that has a value. "true" is left out.
func appendWord(dst []byte, word, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(dst, " ("...)
	dst = append(dst, word...)
	if value != "true" {
		dst = append(dst, ": "...)
		dst = appendAtom(dst, value, false)
	}
	return append(dst, ')')
}

// OptionLabels returns the labels of the options that a line shows.
func (it *Item) OptionLabels() []string { return optionLabels(it.Options) }

// show fills in the line of a node.
func (it *Item) show(n *Node, opts *Options, brief bool) {
	text, aside, most := maxText, maxAside, maxOptions
	switch {
	case brief:
		text, aside, most = briefText, briefText/2, briefItems
	case opts.Whole:
		text, aside, most = math.MaxInt, math.MaxInt, math.MaxInt
	}
	cells, options := it.Cells[:0], it.Options[:0]
	*it = Item{Ref: n.Ref, Depth: int(n.Depth), Parent: int(n.Parent), Role: n.Role, States: n.States, Heading: n.Heading, Header: n.Header,
		Password: n.Password, Covered: n.Covered, Link: n.Link}
	if n.Counts != nil {
		it.Counts = *n.Counts
	}
	it.Name, it.Cut.Name = shorten(opts.mask(n.Name), text)
	if len(n.Cells) > 0 {
		it.Name, it.Cut.Name = "", 0
		for _, c := range n.Cells {
			short, cut := shorten(opts.mask(c.Text), text)
			cells = append(cells, OutlineCell{Cell{Text: short, Below: c.Below, Reach: c.Reach}, cut})
		}
		it.Cells = cells
	}
	if n.Value != n.Name {
		it.Value, it.Cut.Value = shorten(opts.mask(n.Value), text)
	}
	it.Description, it.Cut.Description = shorten(opts.mask(n.Description), aside)
	it.Placeholder, it.Cut.Placeholder = shorten(opts.mask(n.Placeholder), aside)
	if opts.URLs {
		it.URL, it.Cut.URL = shorten(opts.mask(n.URL), text)
	}
	it.Clickable = n.Interactive && !interactiveRole(n.Role) && !n.States.Editable
	it.Editable = n.States.Editable && !interactiveRole(n.Role)
	if n.InvalidMessage != "" {
		it.States.Invalid, _ = shorten(opts.mask(n.InvalidMessage), aside)
	}
	it.Min, _ = shorten(opts.mask(n.Min), briefText)
	it.Max, _ = shorten(opts.mask(n.Max), briefText)
	if n.Role == "combobox" && (it.States.HasPopup == "listbox" || n.Tag == "select") {
		it.States.HasPopup = "" // all of them have
	}
	if n.Tag == "select" && it.States.Expanded == Off {
		it.States.Expanded = Unset // its options are on the line
	}
	if n.Role != "textbox" {
		it.States.Multiline = false
	}
	switch n.Role { // their indentation shows the level
	case "treeitem", "listitem", "row":
		it.States.Level = 0
	}
	if n.Scroll != nil {
		it.ScrollY, it.ScrollX = percent(n.Scroll.Y, n.Scroll.MaxY), percent(n.Scroll.X, n.Scroll.MaxX)
	}
	it.showOptions(options, n.Options, opts, most, aside)
}

// percent returns a scroll position.
func percent(at, most float64) Percent {
	if !(most > 2) || math.IsInf(most, 0) || math.IsNaN(at) {
		return Percent{}
	}
	return Percent{Set: true, Value: int(math.Round(100 * min(max(at/most, 0), 1)))}
}

// showOptions fills in the options that a line shows, most at most.
func (it *Item) showOptions(room, options []Option, opts *Options, most, aside int) {
	show := func(text string) string {
		short, cut := shorten(opts.mask(text), aside)
		if cut > 0 {
			short += "…"
		}
		return short
	}
	if len(options) > most {
		it.MoreOptions = len(options) - most/2
		options = options[:most/2]
	}
	it.Options = append(room, options...)
	for i := range it.Options {
		it.Options[i].Label = show(it.Options[i].Label)
		it.Options[i].Group = show(it.Options[i].Group)
	}
}
