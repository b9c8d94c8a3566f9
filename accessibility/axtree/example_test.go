package axtree_test

import (
	"fmt"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A checkbox that the label around it names. The label itself only repeats the
// name, and is ignored.
func ExampleCompute() {
	block, inline := &driver.Style{Display: "block"}, &driver.Style{Display: "inline"}
	capture := &driver.Capture{Documents: []driver.Document{{
		Frame: "F", Doc: "D", Title: "Terms", OwnerDocument: -1, Owner: -1, Active: -1,
		Nodes: []driver.Node{
			{ID: 1, Parent: -1, Host: -1, Kind: driver.DocumentNode, Rendered: true},
			{ID: 2, Parent: 0, Host: -1, Kind: driver.ElementNode, Name: "html", Style: block, Rendered: true},
			{ID: 3, Parent: 1, Host: -1, Kind: driver.ElementNode, Name: "body", Style: block, Rendered: true},
			{ID: 4, Parent: 2, Host: -1, Kind: driver.ElementNode, Name: "label", Style: inline, Rendered: true},
			{ID: 5, Parent: 3, Host: -1, Kind: driver.ElementNode, Name: "input", Style: inline, Rendered: true, Checked: true,
				Attrs: []driver.Attr{{Name: "type", Value: "checkbox"}}},
			{ID: 6, Parent: 3, Host: -1, Kind: driver.TextNode, Text: "I agree", Shown: "I agree", Style: inline, Rendered: true},
		},
	}}}
	tree := axtree.Compute(capture)
	for i := range tree.Objects {
		if o := &tree.Objects[i]; !o.Ignored && o.Name != "" {
			fmt.Printf("%s %q checked: %v\n", o.Role, o.Name, o.States.Checked == axtree.On)
		}
	}
	// Output:
	// rootwebarea "Terms" checked: false
	// checkbox "I agree" checked: true
}
