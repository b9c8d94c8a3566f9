package accessibility

import "math"

// How much of a text an outline shows, in characters.
const (
	maxText    = 2000 // of a name or a value
	maxAside   = 300  // of a description, a placeholder, an address
	maxOptions = 24   // of a select; beyond that, the first half as many
	briefText  = 160  // of a name or a value where room is short
	briefItems = 4    // options where room is short
)

// writeOutline writes the whole outline.
func (s *Snapshot) writeOutline() string {
	if s.opts.MaxTokens > 0 {
		return s.writeWithin(s.opts.MaxTokens)
	}
	dst := make([]byte, 0, 56*len(s.Nodes)+64)
	var it Item
	for i := range s.Nodes {
		s.item(&it, &s.Nodes[i], false)
		dst = append(appendItem(dst, &it), '\n')
	}
	return string(dst)
}

// Line returns a node as the outline says it, without its indentation.
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
	if brief {
		text, aside, most = briefText, briefText/2, briefItems
	}
	cells, options := it.Cells[:0], it.Options[:0]
	*it = Item{Ref: n.Ref, Depth: int(n.Depth), Parent: int(n.Parent), Role: n.Role, States: n.States, Heading: n.Heading, Header: n.Header}
	it.Name, it.Cut.Name = shorten(s.mask(n.Name), text)
	if len(n.Cells) > 0 {
		it.Name, it.Cut.Name = "", 0
		for _, c := range n.Cells {
			short, cut := shorten(s.mask(c.Text), text)
			cells = append(cells, OutlineCell{Cell{Text: short, Below: c.Below}, cut})
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
	if n.Role == "combobox" && (it.States.HasPopup == "listbox" || n.Tag == "select") {
		it.States.HasPopup = "" // all of them have
	}
	if n.Tag == "select" && it.States.Expanded == Off {
		it.States.Expanded = Unset // its options are said
	}
	if n.Role != "textbox" {
		it.States.Multiline = false
	}
	switch n.Role { // where the level is one of many of a kind, it is seen
	case "treeitem", "listitem", "row":
		it.States.Level = 0
	}
	if n.Scroll != nil {
		it.ScrollY, it.ScrollX = percent(n.Scroll.Y, n.Scroll.MaxY), percent(n.Scroll.X, n.Scroll.MaxX)
	}
	if len(n.Options) > most {
		it.Options = append(options, n.Options[:most/2]...)
		it.MoreOptions = len(n.Options) - most/2
	} else {
		it.Options = append(options, n.Options...)
	}
	for i, o := range it.Options {
		o = s.mask(o)
		it.Options[i] = o
		if short, cut := shorten(o, aside); cut > 0 {
			it.Options[i] = short + "…"
		}
	}
}

// percent returns a scroll position.
func percent(at, most float64) Percent {
	if !(most > 2) || math.IsInf(most, 0) || math.IsNaN(at) {
		return Percent{}
	}
	return Percent{Set: true, Value: int(math.Round(100 * min(max(at/most, 0), 1)))}
}
