package accessibility

import "strconv"

// flags are the states that are said by a word alone, in the order of a line.
var flags = [...]struct {
	word string
	ref  func(*Item) *bool
}{
	{"header", func(it *Item) *bool { return &it.Header }},
	{"disabled", func(it *Item) *bool { return &it.States.Disabled }},
	{"readonly", func(it *Item) *bool { return &it.States.ReadOnly }},
	{"required", func(it *Item) *bool { return &it.States.Required }},
	{"multiline", func(it *Item) *bool { return &it.States.Multiline }},
	{"multiple", func(it *Item) *bool { return &it.States.Multiselectable }},
	{"modal", func(it *Item) *bool { return &it.States.Modal }},
	{"busy", func(it *Item) *bool { return &it.States.Busy }},
	{"focused", func(it *Item) *bool { return &it.States.Focused }},
	{"clickable", func(it *Item) *bool { return &it.Clickable }},
	{"editable", func(it *Item) *bool { return &it.Editable }},
}

// appendStates writes what is true of an item, each in its own parentheses.
func appendStates(dst []byte, it *Item) []byte {
	s := &it.States
	if s.Level > 0 {
		dst = appendNumber(dst, " (level ", s.Level, ")")
	}
	if it.Heading > 0 {
		dst = appendNumber(dst, " (heading ", it.Heading, ")")
	}
	switch s.Checked {
	case On:
		dst = append(dst, " (checked)"...)
	case Mixed:
		dst = append(dst, " (mixed)"...)
	}
	switch s.Pressed {
	case On:
		dst = append(dst, " (pressed)"...)
	case Mixed:
		dst = append(dst, " (partly pressed)"...)
	}
	switch s.Expanded {
	case On:
		dst = append(dst, " (expanded)"...)
	case Off:
		dst = append(dst, " (collapsed)"...)
	}
	if s.Selected == On {
		dst = append(dst, " (selected)"...)
	}
	for i := range flags {
		if *flags[i].ref(it) {
			dst = append(dst, " ("...)
			dst = append(dst, flags[i].word...)
			dst = append(dst, ')')
		}
	}
	dst = appendWord(dst, "invalid", s.Invalid)
	dst = appendWord(dst, "popup", s.HasPopup)
	dst = appendWord(dst, "current", s.Current)
	dst = appendWord(dst, "sort", s.Sort)
	if it.ScrollY.Set {
		dst = appendNumber(dst, " (scrollable ", it.ScrollY.Value, "%)")
	}
	if it.ScrollX.Set {
		dst = appendNumber(dst, " (scrollable across ", it.ScrollX.Value, "%)")
	}
	return dst
}

func appendNumber(dst []byte, before string, n int, after string) []byte {
	dst = append(dst, before...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, after...)
}

// appendWord writes a state that has a value. "true" needs no saying.
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
