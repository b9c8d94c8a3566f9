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

// omissions are those of one noun at one place together.
type omissions []Omission

func (o *omissions) add(count int, noun string, refs ...accessibility.Ref) {
	for i, have := range slices.Backward(*o) {
		if have.Noun == noun && slices.Equal(have.Refs, refs) {
			(*o)[i].Count += count
			return
		}
	}
	*o = append(*o, Omission{refs, count, noun})
}

// list says "row" for one.
func (o omissions) list() []Omission {
	for i := range o {
		o[i].Noun = Noun(o[i].Count, o[i].Noun)
	}
	return o
}

// Noun returns the form of a plural for n.
func Noun(n int, plural string) string {
	if n == 1 {
		return strings.TrimSuffix(plural, "s")
	}
	return plural
}

// Hidden lists the tables and lists of which the page shows a part, by
// aria-rowcount and aria-setsize (WAI-ARIA 1.2 §6.6); -1 there are more than it knows.
func Hidden(snap *accessibility.Snapshot) (out []Omission) {
	for d := range snap.Capture.Documents {
		doc := &snap.Capture.Documents[d]
		say := func(at int32, total, shown int, noun string) {
			if node, ok := snap.Nearest(doc.Ref(at)); ok && shown > 0 && (total < 0 || total > shown) { // or it is out of scope
				missing := max(total-shown, 0)
				out = append(out, Omission{[]accessibility.Ref{node.Ref}, missing, Noun(missing, noun)})
			}
		}
		rows, items, sizes := map[int32]int{}, map[int32]int{}, map[int32]int{} // by table or list
		for i := range doc.Nodes {
			n := &doc.Nodes[i]
			if n.Kind != driver.ElementNode || !n.Rendered {
				continue
			}
			if role, ok := n.Attr("role"); role == "row" || !ok && n.Name == "tr" {
				if table := tableOf(doc, n.Parent); table >= 0 {
					rows[table]++
				}
			}
			if size := number(n, "aria-setsize"); size != 0 && n.Parent >= 0 {
				items[n.Parent]++
				sizes[n.Parent] = size
			}
		}
		for i := range doc.Nodes {
			at := int32(i)
			if total := number(&doc.Nodes[i], "aria-rowcount"); total != 0 {
				say(at, total, rows[at], "rows")
			} else if items[at] > 0 {
				say(at, sizes[at], items[at], "items")
			}
		}
	}
	return out
}

// number is that of an attribute; 0 is none.
func number(n *driver.Node, name string) int {
	text, _ := n.Attr(name)
	v, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || v < -1 {
		return 0
	}
	return v
}

// tableOf returns the nearest element around a row that says how many rows it has,
// -1 if a table that does not stands between.
func tableOf(doc *driver.Document, at int32) int32 {
	for ; at >= 0 && number(&doc.Nodes[at], "aria-rowcount") == 0; at = doc.Nodes[at].Parent {
		if doc.Nodes[at].Name == "table" {
			return -1
		}
	}
	return at
}
