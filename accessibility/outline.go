package accessibility

import (
	"errors"
	"fmt"
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

// How much of a text an outline shows, in characters.
const (
	maxText    = 2000 // of a name or a value
	maxAside   = 300  // of a description, a placeholder, an address
	maxOptions = 24   // of a select; beyond that, the first half as many
	briefText  = 160  // of a name or a value where room is short
	briefItems = 4    // options where room is short
)
