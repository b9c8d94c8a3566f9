package accessibility

import "unicode/utf8"

// longestName bounds the names and texts, in bytes, of the locators that we write.
// A longer one is no easier to read than a path.
const longestName = 80

// scopes are the roles of what a locator looks for an element in, by name; rows are
// found by a text as well.
var scopes = map[Role]bool{
	"row": true, "listitem": true, "article": true, "form": true, "search": true, "dialog": true, "alertdialog": true,
	"navigation": true, "main": true, "banner": true, "contentinfo": true, "complementary": true, "region": true,
	"group": true, "radiogroup": true, "table": true, "grid": true, "list": true, "menu": true, "menubar": true, "toolbar": true, "tabpanel": true, "tablist": true,
	"listbox": true, "tree": true, "figure": true,
}

type roleAndName struct {
	role Role
	name string
}

func nameKey(n *Node) roleAndName { return roleAndName{n.Role, collapse(n.Name)} }

// A namer writes the locators of one snapshot's nodes.
type namer struct {
	snap  *Snapshot
	named map[roleAndName]int // of those that are asked about: how many nodes
	roles map[Role]bool       // of those
	held  map[Role]map[string]rowsWith
}

// rowsWith says in how many rows of one role a text stands.
type rowsWith struct{ count, last int32 }

func (w *namer) ask(n *Node) { w.named[nameKey(n)], w.roles[n.Role] = 0, true }

// count counts the nodes that look like those that are asked about, and the cells on
// their lines.
func (w *namer) count() {
	add := func(role Role, name string) {
		k := roleAndName{role, collapse(name)}
		if n, asked := w.named[k]; asked {
			w.named[k] = n + 1
		}
	}
	for i := range w.snap.Nodes {
		n := &w.snap.Nodes[i]
		if w.roles[n.Role] {
			add(n.Role, n.Name)
		}
		for c := range n.Cells {
			if w.roles[lineCells[n.Cells[c].kind]] && w.snap.onLine(n, c) {
				add(lineCells[n.Cells[c].kind], n.Cells[c].Text)
			}
		}
	}
}

func (w *namer) locatorOf(n *Node) *Locator {
	key := nameKey(n)
	part := locatorPart{kind: "role", value: words{text: string(n.Role)}}
	if key.name != "" {
		if !writable(key.name) {
			return nil
		}
		part.name = &words{text: key.name}
		if w.named[key] == 1 {
			return &Locator{parts: []locatorPart{part}}
		}
	}
	for up := n.Parent; up >= 0; up = w.snap.Nodes[up].Parent {
		outer := &w.snap.Nodes[up]
		if !scopes[outer.Role] {
			continue
		}
		if !w.alone(outer, &part) {
			return nil // nor is it alone in anything around that
		}
		scope := locatorPart{kind: "role", value: words{text: string(outer.Role)}}
		if outer.Role == "row" || outer.Role == "listitem" {
			if text := w.headOnlyIn(outer, n); text != "" {
				scope.has = &words{text: text}
				return &Locator{parts: []locatorPart{scope, part}}
			}
		}
		if name := nameKey(outer); writable(name.name) && w.named[name] == 1 {
			scope.name = &words{text: name.name}
			return &Locator{parts: []locatorPart{scope, part}}
		}
	}
	return nil
}

// alone reports whether a part of a locator names just one of the nodes in another.
func (w *namer) alone(outer *Node, part *locatorPart) bool {
	count := 0
	for i := outer.index; i < outer.End && count < 2; i++ {
		n := &w.snap.Nodes[i]
		if n != outer && part.fits(w.snap, n) {
			count++
		}
		for c := range n.Cells {
			if string(lineCells[n.Cells[c].kind]) == part.value.text && w.snap.onLine(n, c) && part.fits(w.snap, w.snap.cell(n, c+1)) {
				count++
			}
		}
	}
	return count == 1
}

// headOnlyIn returns what a row begins with, if that stands in no other row of its role.
func (w *namer) headOnlyIn(row, n *Node) string {
	held := w.held[row.Role]
	if held == nil {
		held = map[string]rowsWith{}
		var texts []string
		for i := range w.snap.Nodes {
			if w.snap.Nodes[i].Role != row.Role {
				continue
			}
			texts = w.snap.textsIn(&w.snap.Nodes[i], texts[:0])
			for _, text := range texts {
				if in := held[text]; in.count == 0 || in.last != int32(i) {
					held[text] = rowsWith{in.count + 1, int32(i)}
				}
			}
		}
		w.held[row.Role] = held
	}
	// What a row begins with is what it is about, sooner than a state or a price.
	if head := w.snap.HeadOfRow(n); held[head].count == 1 && writable(head) {
		return head
	}
	return ""
}

// writable reports whether a name or a text can stand in a locator that people read.
func writable(text string) bool {
	return text != "" && len(text) <= longestName && utf8.ValidString(text)
}
