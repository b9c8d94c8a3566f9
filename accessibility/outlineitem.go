package accessibility

import "strconv"

// An Item is one line of an outline, as text says it. Off is not said, so a
// state that is off is Unset here.
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
	Clickable   bool // can be acted on although its role does not say so
	Editable    bool // takes text although its role does not say so
	Header      bool // a row of column headers
	ScrollY     Percent
	ScrollX     Percent
	Cells       []OutlineCell // of a row, in place of Name
	Options     []string      // of a select
	MoreOptions int           // options that are not shown

	// Omitted is set in a line that says what was left out, which has no
	// other members than Depth and Parent.
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

// An Omission is what a line stands for that an outline had no room for.
type Omission struct {
	Count int
	Noun  string // "rows", "items", "elements" …, in the singular if Count is 1
	Ref   Ref    // what to ask for; empty for the page
}

// Interactive reports whether the item can be acted on.
func (it *Item) Interactive() bool {
	return it.Clickable || it.Editable || interactiveRole(it.Role)
}

const below = "↓"

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
			if it.Cells[i].Below {
				dst = append(dst, below...)
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

// appendCount writes a number with a comma between thousands.
func appendCount(dst []byte, n int) []byte {
	if n < 1000 {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	dst = appendCount(dst, n/1000)
	return append(dst, ',', byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))
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

func appendOptions(dst []byte, options []string, more int) []byte {
	dst = append(dst, " (options:"...)
	for i, o := range options {
		if i > 0 {
			dst = append(dst, " |"...)
		}
		dst = append(dst, ' ')
		dst = appendAtom(dst, o, false)
	}
	if more > 0 {
		if len(options) > 0 {
			dst = append(dst, " |"...)
		}
		dst = append(dst, " … "...)
		dst = appendCount(dst, more)
		dst = append(dst, " more"...)
	}
	return append(dst, ')')
}
