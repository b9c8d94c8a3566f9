package accessibility

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// An Outline is an outline that has been read back from text.
type Outline struct {
	Items []Item
}

// ErrOutline is what the errors of [ParseOutline] wrap.
var ErrOutline = errors.New("not an outline")

// ParseOutline reads an outline: the text that [Snapshot.Outline] writes.
// [Outline.String] writes the same text again, byte for byte. ParseOutline refuses
// any other text, with the number of the line.
//
// # Form
//
// A line is one node. Two spaces stand before it for each level.
//
//	[0-1] document: Shop (scrollable 0%)
//	  [0-9] textbox: Search value="red shoes" (focused)
//	  [0-14] table: Orders
//	    [0-16] row: Number | Date | ↓
//	      [0-22] link: Open
//	    … 37 more rows, ask with ref 0-14
//
// After the ref in brackets comes the role, then a colon and the name if there
// is one, then what is true of the node: states in parentheses, and properties
// with quoted values. Text of the page stands bare only where it cannot be taken
// for a part of the form; otherwise it is quoted, with \" \\ \n \t and \u{hex} as
// escapes. So no page can forge a line, a ref or a state.
//
// A row's name is a list of its cells. "↓" alone is a cell whose content has its
// own lines below; "←" and "↑" are columns that the cell to the left, or the one
// above, reaches into. A text too long to show ends with how much is missing, outside
// the quotes: "Lorem ipsum" … 12,345 more characters.
func ParseOutline(text string) (*Outline, error) {
	o := &Outline{}
	if text == "" {
		return o, nil
	}
	if !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("accessibility: the last line is cut: %w", ErrOutline)
	}
	o.Items = make([]Item, 0, strings.Count(text, "\n"))
	var open []int // the item at each depth that lines may go below
	var buf []byte
	for number := 1; text != ""; number++ {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		it, err := parseLine(line)
		if err == nil && it.Depth > len(open) {
			err = errors.New("indented too far")
		}
		if err == nil {
			if buf = appendItem(buf[:0], &it); string(buf) != line {
				err = errors.New("not in canonical form")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("accessibility: line %d: %w: %w", number, ErrOutline, err)
		}
		open = open[:it.Depth]
		it.Parent = -1
		if it.Depth > 0 {
			it.Parent = open[it.Depth-1]
		}
		if it.Omitted == nil { // nothing stands below an omission
			open = append(open, len(o.Items))
		}
		o.Items = append(o.Items, it)
	}
	return o, nil
}

// String writes the outline.
func (o *Outline) String() string {
	var dst []byte
	for i := range o.Items {
		dst = append(appendItem(dst, &o.Items[i]), '\n')
	}
	return string(dst)
}

// Find returns the item with a ref.
func (o *Outline) Find(ref Ref) (*Item, bool) {
	for i := range o.Items {
		if o.Items[i].Ref == ref && ref != "" {
			return &o.Items[i], true
		}
	}
	return nil, false
}

// Children returns the indexes of the items directly below item i; -1 stands
// for the top.
func (o *Outline) Children(i int) []int {
	var out []int
	depth := 0
	if i >= 0 {
		depth = o.Items[i].Depth + 1
	}
	for j := i + 1; j < len(o.Items) && o.Items[j].Depth >= depth; j++ {
		if o.Items[j].Depth == depth {
			out = append(out, j)
		}
	}
	return out
}

// How much of a text an outline shows, in characters.
const (
	maxText    = 2000 // of a name or a value
	maxAside   = 300  // of a description, a placeholder, an address
	maxOptions = 24   // of a select; beyond that, the first half as many
	briefText  = 160  // of a name or a value where room is short
	briefItems = 4    // options where room is short
)

// Line returns a node's line in the outline, without its indentation.
func (s *Snapshot) Line(n *Node) string {
	var it Item
	s.item(&it, n, false)
	it.Depth = 0
	return string(appendItem(nil, &it))
}

// mask rewrites a text by the caller's Mask.
func (s *Snapshot) mask(text string) string {
	if s.opts.Mask == nil || text == "" {
		return text
	}
	return s.opts.Mask(text)
}

// item fills in the line of a node.
func (s *Snapshot) item(it *Item, n *Node, brief bool) {
	text, aside, most := maxText, maxAside, maxOptions
	switch {
	case brief:
		text, aside, most = briefText, briefText/2, briefItems
	case s.opts.Whole:
		text, aside, most = math.MaxInt, math.MaxInt, math.MaxInt
	}
	cells, options := it.Cells[:0], it.Options[:0]
	*it = Item{Ref: n.Ref, Depth: int(n.Depth), Parent: int(n.Parent), Role: n.Role, States: n.States, Heading: n.Heading, Header: n.Header,
		Password: n.Password, Covered: n.Covered, Link: n.Link}
	if n.Counts != nil {
		it.Counts = *n.Counts
	}
	it.Name, it.Cut.Name = shorten(s.mask(n.Name), text)
	if len(n.Cells) > 0 {
		it.Name, it.Cut.Name = "", 0
		for _, c := range n.Cells {
			short, cut := shorten(s.mask(c.Text), text)
			cells = append(cells, OutlineCell{Cell{Text: short, Below: c.Below, Reach: c.Reach}, cut})
		}
		it.Cells = cells
	}
	if n.Value != n.Name {
		it.Value, it.Cut.Value = shorten(s.mask(n.Value), text)
	}
	it.Description, it.Cut.Description = shorten(s.mask(n.Description), aside)
	it.Placeholder, it.Cut.Placeholder = shorten(s.mask(n.Placeholder), aside)
	if s.opts.URLs {
		it.URL, it.Cut.URL = shorten(s.mask(n.URL), text)
	}
	it.Clickable = n.Interactive && !interactiveRole(n.Role) && !n.States.Editable
	it.Editable = n.States.Editable && !interactiveRole(n.Role)
	if n.InvalidMessage != "" {
		it.States.Invalid, _ = shorten(s.mask(n.InvalidMessage), aside)
	}
	it.Min, _ = shorten(s.mask(n.Min), briefText)
	it.Max, _ = shorten(s.mask(n.Max), briefText)
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
	s.shownOptions(it, options, n.Options, most, aside)
}

// percent returns a scroll position.
func percent(at, most float64) Percent {
	if !(most > 2) || math.IsInf(most, 0) || math.IsNaN(at) {
		return Percent{}
	}
	return Percent{Set: true, Value: int(math.Round(100 * min(max(at/most, 0), 1)))}
}

// shownOptions fills in the options that a line shows, most at most.
func (s *Snapshot) shownOptions(it *Item, room, options []Option, most, aside int) {
	show := func(text string) string {
		short, cut := shorten(s.mask(text), aside)
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
