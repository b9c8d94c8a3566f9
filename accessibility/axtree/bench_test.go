package axtree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// sheet makes the capture of a page with about n elements: navigation, cards
// with headings, links and buttons, forms with labels, tables. Its texts have
// line breaks to collapse, as in hand-written pages.
func sheet(n int) *driver.Capture {
	d := driver.Document{Frame: "F", Doc: "D", OwnerDocument: -1, Owner: -1, Active: -1}
	styles := map[string]*driver.Style{}
	for _, display := range []string{"block", "inline", "inline-block", "list-item", "table", "table-row-group", "table-row", "table-cell"} {
		styles[display] = &driver.Style{Display: display, Visibility: "visible", Position: "static", Content: "normal", ContentVisibility: "visible"}
	}
	add := func(parent int32, name, display string, attrs ...string) int32 {
		node := driver.Node{ID: driver.NodeID(len(d.Nodes) + 1), Parent: parent, Host: -1, Kind: driver.ElementNode, Name: name, Rendered: true, Style: styles[display]}
		for k := 0; k < len(attrs); k += 2 {
			node.Attrs = append(node.Attrs, driver.Attr{Name: attrs[k], Value: attrs[k+1]})
		}
		d.Nodes = append(d.Nodes, node)
		return int32(len(d.Nodes) - 1)
	}
	text := func(parent int32, s string) {
		d.Nodes = append(d.Nodes, driver.Node{ID: driver.NodeID(len(d.Nodes) + 1), Parent: parent, Host: -1, Kind: driver.TextNode, Text: s, Shown: s, Rendered: true, Style: styles["inline"]})
	}
	d.Nodes = append(d.Nodes, driver.Node{ID: 1, Parent: -1, Host: -1, Kind: driver.DocumentNode, Rendered: true})
	html := add(0, "html", "block", "lang", "en")
	body := add(html, "body", "block")
	main := add(body, "main", "block")
	for k := 0; len(d.Nodes) < n; k++ {
		article := add(main, "article", "block", "class", "card")
		h := add(article, "h2", "block", "class", "title")
		a := add(h, "a", "inline", "href", "/item/"+fmt.Sprint(k), "class", "link")
		text(a, fmt.Sprintf("\n   Item number %d\n  ", k))
		p := add(article, "p", "block")
		text(p, "A description with ")
		b := add(p, "b", "inline")
		text(b, "bold")
		text(p, "\n  text in it.")
		div := add(article, "div", "block", "class", "row")
		id := "q" + fmt.Sprint(k)
		label := add(div, "label", "inline", "for", id)
		text(label, "Quantity")
		add(div, "input", "inline-block", "id", id, "type", "number", "value", "1")
		button := add(div, "button", "inline-block", "type", "button", "class", "btn")
		span := add(button, "span", "inline", "class", "icon", "aria-hidden", "true")
		text(span, "+")
		text(button, " Add")
		ul := add(article, "ul", "block")
		for range 3 {
			li := add(ul, "li", "list-item")
			text(li, "A point")
		}
	}
	return &driver.Capture{Documents: []driver.Document{d}}
}

func BenchmarkCompute(b *testing.B) {
	for _, n := range []int{1_000, 50_000} {
		c := sheet(n)
		nodes := len(c.Documents[0].Nodes)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				axtree.Compute(c)
			}
			b.ReportMetric(float64(nodes)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
			b.ReportMetric(float64(nodes), "nodes")
		})
	}
}

// BenchmarkComputeDeep nests elements far deeper than authors do.
func BenchmarkComputeDeep(b *testing.B) {
	c := nested(50_000, "div", "span", "b")
	b.ReportAllocs()
	for b.Loop() {
		axtree.Compute(c)
	}
}

// nested makes a capture of n elements, each in the one before, with a text in
// the last. The names take turns; a name may carry attributes, as "a href=x".
func nested(n int, names ...string) *driver.Capture {
	block := &driver.Style{Display: "block", Visibility: "visible", Position: "static"}
	d := driver.Document{Frame: "F", Doc: "D", OwnerDocument: -1, Owner: -1, Active: -1}
	d.Nodes = append(d.Nodes, driver.Node{ID: 1, Parent: -1, Host: -1, Kind: driver.DocumentNode, Rendered: true})
	for k := range n {
		fields := strings.Fields(names[k%len(names)])
		node := driver.Node{ID: driver.NodeID(k + 2), Parent: int32(k), Host: -1, Kind: driver.ElementNode, Name: fields[0], Rendered: true, Style: block}
		for _, f := range fields[1:] {
			name, value, _ := strings.Cut(f, "=")
			node.Attrs = append(node.Attrs, driver.Attr{Name: name, Value: strings.ReplaceAll(value, "#", fmt.Sprint(k))})
		}
		d.Nodes = append(d.Nodes, node)
	}
	d.Nodes = append(d.Nodes, driver.Node{ID: driver.NodeID(n + 2), Parent: int32(n), Host: -1, Kind: driver.TextNode, Text: "x", Shown: "x", Rendered: true, Style: block})
	return &driver.Capture{Documents: []driver.Document{d}}
}
