package parts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// An Omission is something that is not read, or not there to be read.
type Omission struct {
	Refs  []accessibility.Ref // what it stands below
	Count int                 // 0 is not known
	Noun  string              // "rows", "items", "characters" …
}

// nouns are what several nodes of a role are called; others are elements.
var nouns = map[accessibility.Role]string{
	"row": "rows", "listitem": "items", "article": "articles", "option": "options", "treeitem": "items",
}

// Unread lists what is in parts: rows, items and articles by what holds them,
// everything else by its elements.
func (d *Division) Unread(parts []Part) []Omission {
	var out []Omission
	nodes := d.snap.Nodes
	for _, p := range parts {
		for i := p.From; i < p.To; {
			noun, whole := nouns[nodes[i].Role]
			if !whole {
				noun = "elements"
			}
			o := Omission{Count: 1, Noun: noun}
			if up := nodes[i].Parent; up >= 0 {
				o.Refs = []accessibility.Ref{nodes[up].Ref}
			}
			out = append(out, o)
			if i++; whole {
				i = nodes[i-1].End
			}
		}
	}
	return together(out)
}

// Cut lists what is missing of the lines that are longer than a part.
func (d *Division) Cut() []Omission {
	var out []Omission
	for _, line := range d.shortened {
		outline, err := accessibility.ParseOutline(line)
		if err != nil { // a line reads back
			out = append(out, Omission{Noun: "characters"})
			continue
		}
		for i := range outline.Items {
			it := &outline.Items[i]
			missing := it.Cut.Name + it.Cut.Value + it.Cut.Description + it.Cut.Placeholder
			for c := range it.Cells {
				missing += it.Cells[c].Cut
			}
			for noun, n := range map[string]int{"characters": missing, "options": it.MoreOptions} {
				if n > 0 {
					out = append(out, Omission{[]accessibility.Ref{it.Ref}, n, noun})
				}
			}
		}
	}
	return together(out)
}

// together joins omissions of one noun at one place, and says "row" for one.
func together(list []Omission) []Omission {
	var out []Omission
	for _, o := range list {
		same := func(have Omission) bool { return have.Noun == o.Noun && slices.Equal(have.Refs, o.Refs) }
		if i := len(out) - 1; i >= 0 && same(out[i]) {
			out[i].Count += o.Count
		} else if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].Count += o.Count
		} else {
			out = append(out, o)
		}
	}
	for i := range out {
		out[i].Noun = Noun(out[i].Count, out[i].Noun)
	}
	return out
}

// Noun returns the form of a plural for n.
func Noun(n int, plural string) string {
	if n == 1 {
		return strings.TrimSuffix(plural, "s")
	}
	return plural
}

// Hidden lists the tables and lists of which the page shows a part, by
// aria-rowcount and aria-setsize (WAI-ARIA 1.2 §6.6).
func Hidden(snap *accessibility.Snapshot) []Omission {
	var out []Omission
	for d := range snap.Capture.Documents {
		doc := &snap.Capture.Documents[d]
		sets := map[int32]*shownSet{}
		var order []int32
		for i := range doc.Nodes {
			n := &doc.Nodes[i]
			if n.Kind != driver.ElementNode || !n.Rendered {
				continue
			}
			if total, ok := count(n, "aria-rowcount"); ok {
				sets[int32(i)], order = &shownSet{at: int32(i), total: total, noun: "rows"}, append(order, int32(i))
			}
			if isRow(n) {
				if table := sets[above(doc, int32(i), sets)]; table != nil {
					table.shown++
				}
			}
			total, ok := count(n, "aria-setsize")
			if !ok || n.Parent < 0 {
				continue
			}
			set := sets[n.Parent]
			if set == nil {
				set = &shownSet{at: n.Parent, noun: "items"}
				sets[n.Parent], order = set, append(order, n.Parent)
			}
			if set.noun == "items" {
				set.total = total
				set.shown++
			}
		}
		for _, at := range order {
			set := sets[at]
			if set.total >= 0 && set.total <= set.shown || set.shown == 0 {
				continue
			}
			node, ok := snap.Nearest(doc.Ref(at))
			if !ok {
				continue // out of scope
			}
			missing := max(set.total-set.shown, 0)
			out = append(out, Omission{[]accessibility.Ref{node.Ref}, missing, Noun(missing, set.noun)})
		}
	}
	return out
}

// A shownSet is a table or list that says how many entries it has; -1 are more
// than it knows.
type shownSet struct {
	at           int32
	total, shown int
	noun         string
}

// count reads the number of an attribute, -1 included.
func count(n *driver.Node, name string) (int, bool) {
	text, ok := n.Attr(name)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(strings.TrimSpace(text))
	return v, err == nil && (v > 0 || v == -1)
}

func isRow(n *driver.Node) bool {
	role, ok := n.Attr("role")
	return role == "row" || !ok && n.Name == "tr"
}

// above returns the nearest element above a row that says how many rows it has,
// -1 if a table that does not stands between.
func above(doc *driver.Document, i int32, sets map[int32]*shownSet) int32 {
	for i = doc.Nodes[i].Parent; i >= 0; i = doc.Nodes[i].Parent {
		if s := sets[i]; s != nil && s.noun == "rows" {
			return i
		}
		if doc.Nodes[i].Name == "table" {
			return -1
		}
	}
	return -1
}
