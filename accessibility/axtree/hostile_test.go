package axtree_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// hostile are elements that, nested by the hundred thousand, would take quadratic
// time, or the whole stack, if some rule looked too far.
var hostile = map[string][]string{
	"wrappers":       {"div"},
	"presentational": {"div role=none"},
	"inline":         {"span"},
	"buttons":        {"button"},
	"headings":       {"h2"},
	"links":          {"a href=x", "span"},
	"labels":         {"label", "div"},
	"labelled":       {"label", "input"},
	"sections":       {"section", "header"},
	"lists":          {"ul", "li"},
	"aria lists":     {"div role=list", "div role=listitem"},
	"orphan items":   {"div role=listitem", "div"},
	"tree items":     {"div role=treeitem"},
	"tree groups":    {"div role=group", "div role=treeitem aria-level=0"},
	"tables":         {"table", "tbody", "tr", "td"},
	"aria rows":      {"div role=row", "div role=gridcell"},
	"grids":          {"div role=grid", "div role=row", "div role=gridcell aria-readonly=true"},
	"titles":         {"div title=x"},
	"title buttons":  {"button title=y"},
	"details":        {"details", "summary title=z"},
	"fieldsets":      {"fieldset disabled=", "legend"},
	"hidden":         {"div aria-hidden=true"},
	"disabled":       {"div aria-disabled=true tabindex=0"},
	"svg":            {"a role=link", "b"},
	"options":        {"div role=listbox", "div role=option aria-selected=true"},
	"comboboxes":     {"div role=combobox tabindex=0"},
	"select":         {"select", "option"},
	"owners":         {"div id=n# aria-owns=n0"},
	"labelledby":     {"div id=n# role=button aria-labelledby=n0"},
	"describedby":    {"div id=n# aria-describedby=n1"},
	"editable":       {"div contenteditable="},
	"figures":        {"figure", "figcaption"},
	"articles":       {"article", "aside"},
	"text fields":    {"div role=textbox"},
	"popovers":       {"button popovertarget=n1", "div id=n# popover=hint"},
	"inert":          {"div inert="},
	"notes":          {"div role=doc-endnotes", "ul", "li"},
	"slots":          {"slot"},
}

// hostileDepth is deep enough for a rule that looks too far to take seconds.
var hostileDepth = flag.Int("hostile.depth", 20_000, "how deep the elements of hostile pages are nested")

func TestComputeHostileNesting(t *testing.T) {
	deep := scaled(*hostileDepth)
	for name, elements := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := nested(deep, elements...)
			tree := axtree.Compute(c)
			checkTree(t, tree)
		})
	}
}

// TestComputeManyReferences has many elements refer to many others.
func TestComputeManyReferences(t *testing.T) {
	n := scaled(20_000)
	long := strings.Repeat("t0 t1 t2 ", 3000)
	for _, attr := range []string{"aria-labelledby", "aria-describedby", "aria-owns", "aria-actions", "for", "headers"} {
		t.Run(attr, func(t *testing.T) {
			c := wide(n, func(k int) []driver.Attr {
				list := []driver.Attr{{Name: "id", Value: "t" + string(rune('0'+k%10))}, {Name: "role", Value: "button"}}
				if k%1000 == 0 {
					list = append(list, driver.Attr{Name: attr, Value: long})
				} else {
					list = append(list, driver.Attr{Name: attr, Value: "t3"})
				}
				return list
			})
			checkTree(t, axtree.Compute(c))
		})
	}
}

// scaled is a tenth of n under the race detector, which finds nothing in pure code
// and makes it many times slower.
func scaled(n int) int {
	if raceDetector {
		return n / 10
	}
	return n
}

// wide makes a capture of n elements side by side, each with a text.
func wide(n int, attrs func(k int) []driver.Attr) *driver.Capture {
	inline := &driver.Style{Display: "inline", Visibility: "visible", Position: "static"}
	d := driver.Document{Frame: "F", Doc: "D", OwnerDocument: -1, Owner: -1, Active: -1}
	d.Nodes = append(d.Nodes, driver.Node{ID: 1, Parent: -1, Host: -1, Kind: driver.DocumentNode, Rendered: true})
	d.Nodes = append(d.Nodes, driver.Node{ID: 2, Parent: 0, Host: -1, Kind: driver.ElementNode, Name: "label", Rendered: true, Style: inline})
	for k := range n {
		id := driver.NodeID(len(d.Nodes) + 1)
		d.Nodes = append(d.Nodes, driver.Node{ID: id, Parent: 1, Host: -1, Kind: driver.ElementNode, Name: "span", Rendered: true, Style: inline, Attrs: attrs(k)})
		d.Nodes = append(d.Nodes, driver.Node{ID: id + 1, Parent: int32(id - 1), Host: -1, Kind: driver.TextNode, Text: " ", Shown: " ", Rendered: true, Style: inline})
	}
	return &driver.Capture{Documents: []driver.Document{d}}
}

// checkTree checks a tree against the contract of [axtree.Tree].
func checkTree(t testing.TB, tree *axtree.Tree) {
	t.Helper()
	want := 0
	for d := range tree.Capture.Documents {
		want += len(tree.Capture.Documents[d].Nodes)
	}
	if len(tree.Objects) != want {
		t.Fatalf("%d objects of %d nodes", len(tree.Objects), want)
	}
	type source struct{ doc, node int32 }
	seen := make(map[source]bool, want)
	for i := range tree.Objects {
		o := &tree.Objects[i]
		if s := (source{o.Doc, o.Node}); seen[s] {
			t.Fatalf("object %d: node %v is there twice", i, s)
		} else {
			seen[s] = true
		}
		if o.End <= int32(i) || int(o.End) > len(tree.Objects) {
			t.Fatalf("object %d ends at %d", i, o.End)
		}
		if o.Parent >= int32(i) || o.Parent < -1 {
			t.Fatalf("object %d has parent %d", i, o.Parent)
		}
		if o.Parent >= 0 && tree.Objects[o.Parent].End < o.End {
			t.Fatalf("object %d ends at %d, behind its parent %d", i, o.End, o.Parent)
		}
		if !o.Ignored && o.Role == "" {
			t.Fatalf("object %d has no role", i)
		}
	}
}
