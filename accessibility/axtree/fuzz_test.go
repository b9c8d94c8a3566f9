package axtree_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// FuzzCompute makes captures of random bytes: trees that break the rules of a
// capture, facts that contradict each other, styles and rare facts that are
// missing. For any of them there is one object for each node, in a tree, and the
// same input gives the same objects.
func FuzzCompute(f *testing.F) {
	f.Add([]byte("a plain seed"))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 200, 201, 202, 255, 254, 253, 0, 0, 0, 1, 1, 1})
	f.Add([]byte("\x03button\x00\x01\x02aria-labelledby\x05\x06\x07\x08owner\x10\x20\x30\x40\x50\x60\x70\x80\x90"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		tree := axtree.Compute(randomCapture(data))
		checkTree(t, tree)
		again := axtree.Compute(randomCapture(data))
		for i := range tree.Objects {
			if diff := cmp.Diff(tree.Objects[i], again.Objects[i]); diff != "" {
				t.Fatalf("object %d is another the second time:\n%s", i, diff)
			}
		}
	})
}

var (
	randomNames = []string{"html", "body", "div", "span", "a", "button", "input", "select", "option", "optgroup", "label", "table", "caption",
		"thead", "tbody", "tfoot", "tr", "td", "th", "ul", "li", "details", "summary", "fieldset", "legend", "img", "map", "area", "svg", "title",
		"desc", "g", "use", "textarea", "iframe", "object", "slot", "x-card", "canvas", "br", "wbr", "pre", "ruby", "rt", "dialog", "datalist",
		"meter", "progress", "section", "header", "footer", "aside", "h1", "math", "mi", "noscript", "head", "style", "", "::before", "::marker"}
	randomAttrs = []string{"id", "role", "aria-label", "aria-labelledby", "aria-describedby", "aria-owns", "aria-hidden", "aria-disabled", "for",
		"type", "title", "alt", "href", "usemap", "name", "tabindex", "contenteditable", "popover", "popovertarget", "commandfor", "command", "list", "multiple",
		"size", "disabled", "required", "readonly", "aria-checked", "aria-pressed", "aria-selected", "aria-expanded", "aria-level",
		"aria-valuenow", "aria-valuemin", "aria-valuetext", "aria-activedescendant", "aria-actions", "aria-haspopup", "inert", "open",
		"placeholder", "value", "label", "style", "lang", "summary", "scope", "aria-invalid", "aria-multiselectable", "aria-readonly", "aria-modal"}
	randomValues = []string{"", "a", "b", "c", "a b c", "true", "false", "mixed", "undefined", "button", "listbox", "option", "combobox", "none", "img",
		"grid", "row", "gridcell", "tree", "treeitem", "textbox", "slider", "radio", "checkbox", "file", "image", "range", "number", "hint",
		"display: contents", "#a", "1", "-5", "99999999999999999999", " x  y ", "\t\n", "toggle-popover", "separator", "dialog", "menu"}
	randomDisplays = []string{"block", "inline", "inline-block", "contents", "table", "table-row", "table-cell", "list-item", "flex", "none", ""}
	randomContents = []string{"normal", "none", `"x"`, `"x" / "alt"`, `url(a) / "b" attr(id)`, `"\22`, `"a" / "`, "counter(x)"}
)

// A source makes numbers from bytes, and zeros after their end.
type source struct{ data []byte }

func (s *source) byte() int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b)
}

func (s *source) of(list []string) string { return list[s.byte()%len(list)] }

func randomCapture(data []byte) *driver.Capture {
	s := &source{data}
	c := &driver.Capture{}
	for d := range 1 + s.byte()%3 {
		doc := driver.Document{Frame: "F", Ordinal: d, OwnerDocument: int32(s.byte()%4) - 1, Owner: int32(s.byte()) - 2, Active: int32(s.byte()) - 2}
		for range s.byte() % 80 {
			doc.Nodes = append(doc.Nodes, randomNode(s, len(doc.Nodes)))
		}
		c.Documents = append(c.Documents, doc)
	}
	return c
}

func randomNode(s *source, i int) driver.Node {
	n := driver.Node{ID: driver.NodeID(s.byte() % 64), Parent: int32(s.byte()%(i+2)) - 1, Host: int32(s.byte()%(i+2)) - 1}
	if i > 0 && s.byte()%4 > 0 {
		n.Parent, n.Host = int32(i-1-s.byte()%i%3), -1
	}
	n.Kind = []driver.NodeKind{driver.ElementNode, driver.ElementNode, driver.ElementNode, driver.TextNode, driver.PseudoNode, driver.DocumentNode, driver.DoctypeNode}[s.byte()%7]
	n.Namespace = driver.Namespace(s.byte() % 5 % 4)
	n.Name = s.of(randomNames)
	bits := s.byte()
	n.Rendered, n.Clickable, n.Checked, n.Selected, n.HasValue = bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0, bits&16 != 0
	if n.Kind == driver.TextNode || n.Kind == driver.PseudoNode {
		n.Text, n.Shown = s.of(randomValues), s.of(randomValues)
		if bits&32 != 0 {
			n.Shown = ""
		}
	}
	if n.HasValue {
		n.Value = s.of(randomValues)
	}
	if bits&64 == 0 {
		n.Style = &driver.Style{Display: s.of(randomDisplays), Visibility: []string{"visible", "hidden", ""}[s.byte()%3], Content: s.of(randomContents),
			Position: []string{"static", "absolute", "relative", ""}[s.byte()%4], ContentVisibility: []string{"visible", "auto", "hidden"}[s.byte()%3]}
	}
	for range s.byte() % 5 {
		n.Attrs = append(n.Attrs, driver.Attr{Name: s.of(randomAttrs), Value: s.of(randomValues)})
	}
	if bits&128 != 0 {
		n.Rare = &driver.Rare{Mixed: bits&1 != 0, Modal: bits&2 != 0, PopoverOpen: bits&4 != 0, Broken: bits&8 != 0,
			ReferenceTarget: driver.NodeID(s.byte()%66) - 1, Internals: []driver.Attr{{Name: s.of(randomAttrs), Value: s.of(randomValues)}}, FormAssociated: bits&16 != 0, Invalid: s.of(randomValues),
			References: map[string][]driver.NodeID{s.of(randomAttrs): {driver.NodeID(s.byte()), driver.NodeID(s.byte())}}}
	}
	return n
}
