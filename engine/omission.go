package engine

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// An OmissionCause says why something is not in an [Extraction].
type OmissionCause string

// The causes of omissions.
const (
	// OmittedByBudget: the outline had no room for it, so the model did not see it.
	OmittedByBudget OmissionCause = "budget"
	// OmittedByPage: the page itself shows a part of a list, and says so.
	OmittedByPage OmissionCause = "page"
	// OmittedByModel: it stands beside the records of a list in the data and is
	// like them. The instruction may be the reason.
	OmittedByModel OmissionCause = "model"
)

// An Omission is something of the page that an [Extraction] does not cover.
type Omission struct {
	Cause OmissionCause `json:"cause"`

	// Pointer is the list in the data that is concerned, as a JSON pointer. It
	// is empty where that is the data itself, or not known.
	Pointer string `json:"pointer,omitempty"`

	// Refs are what was left out, or what it stands below; without any, it
	// stands somewhere on the page.
	Refs []accessibility.Ref `json:"refs,omitempty"`

	// Count is how many of Noun are missing: "rows", "items", "characters". 0 is
	// not known.
	Count int    `json:"count,omitempty"`
	Noun  string `json:"noun"`
}

// noun returns the form of a plural for n.
func noun(n int, plural string) string {
	if n == 1 {
		return strings.TrimSuffix(plural, "s")
	}
	return plural
}

// cutByBudget lists what the outline of a snapshot had no room for: lines one by
// one, and what is missing of texts and options together.
func cutByBudget(snap *Snapshot) []Omission {
	text := snap.Outline()
	if !strings.Contains(text, "… ") {
		return nil
	}
	outline, err := accessibility.ParseOutline(text)
	if err != nil { // an outline reads back
		return []Omission{{Cause: OmittedByBudget, Noun: "elements"}}
	}
	var out []Omission
	var texts, options Omission
	add := func(o *Omission, n int, ref accessibility.Ref) {
		if n > 0 {
			o.Count += n
			o.Refs = append(o.Refs, ref)
		}
	}
	for i := range outline.Items {
		it := &outline.Items[i]
		if it.Omitted != nil {
			o := Omission{Cause: OmittedByBudget, Count: it.Omitted.Count, Noun: it.Omitted.Noun}
			if it.Omitted.Ref != "" {
				o.Refs = []accessibility.Ref{it.Omitted.Ref}
			}
			out = append(out, o)
			continue
		}
		missing := it.Cut.Name + it.Cut.Value + it.Cut.Description + it.Cut.Placeholder
		for c := range it.Cells {
			missing += it.Cells[c].Cut
		}
		add(&texts, missing, it.Ref)
		add(&options, it.MoreOptions, it.Ref)
	}
	texts.Noun, options.Noun = "characters", "options"
	for _, o := range []Omission{texts, options} {
		if o.Count > 0 {
			o.Cause, o.Noun = OmittedByBudget, noun(o.Count, o.Noun)
			out = append(out, o)
		}
	}
	return out
}

// shownInPart lists the tables and lists of which the page shows a part, by
// aria-rowcount and aria-setsize (WAI-ARIA 1.2 §6.6). sources say which list of
// the data was read from each.
func shownInPart(snap *Snapshot, sources map[string]Source) []Omission {
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
			o := Omission{Cause: OmittedByPage, Refs: []accessibility.Ref{node.Ref}, Count: max(set.total-set.shown, 0), Pointer: listIn(snap, node, sources)}
			o.Noun = noun(o.Count, set.noun)
			out = append(out, o)
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

// listIn returns the pointer of the list most of whose values stand below a node.
func listIn(snap *Snapshot, node *accessibility.Node, sources map[string]Source) string {
	votes := map[string]int{}
	for pointer, source := range sources {
		list := listOf(pointer)
		if list == pointer {
			continue
		}
		n, ok := snap.Lookup(source.Ref)
		for ok && n != node && n.Parent >= 0 {
			n = &snap.Nodes[n.Parent]
		}
		if ok && n == node {
			votes[list]++
		}
	}
	best, most := "", 0
	for _, list := range slices.Sorted(maps.Keys(votes)) {
		if votes[list] > most {
			best, most = list, votes[list]
		}
	}
	return best
}

// listOf returns the pointer of the outermost list that a value is in, the
// value's own if it is in none.
func listOf(pointer string) string {
	for i := 0; i < len(pointer); {
		end := len(pointer)
		if next := strings.IndexByte(pointer[i+1:], '/'); next >= 0 {
			end = i + 1 + next
		}
		if _, err := strconv.Atoi(pointer[i+1 : end]); err == nil {
			return pointer[:i]
		}
		i = end
	}
	return pointer
}
