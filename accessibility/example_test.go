package accessibility_test

import (
	"fmt"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// page is a capture as a driver gives it: a form with a label, a field and a button.
func page(value string) *driver.Capture {
	block, inline := &driver.Style{Display: "block"}, &driver.Style{Display: "inline"}
	return &driver.Capture{
		Viewport: driver.Size{Width: 1280, Height: 720},
		Documents: []driver.Document{{
			Frame: "F", Doc: "D", Title: "Sign up", URL: "https://shop.test/", OwnerDocument: -1, Owner: -1, Active: -1,
			Nodes: []driver.Node{
				{ID: 1, Parent: -1, Host: -1, Kind: driver.DocumentNode, Rendered: true},
				{ID: 2, Parent: 0, Host: -1, Kind: driver.ElementNode, Name: "html", Style: block, Rendered: true},
				{ID: 3, Parent: 1, Host: -1, Kind: driver.ElementNode, Name: "body", Style: block, Rendered: true},
				{ID: 4, Parent: 2, Host: -1, Kind: driver.ElementNode, Name: "label", Style: inline, Rendered: true,
					Attrs: []driver.Attr{{Name: "for", Value: "mail"}}},
				{ID: 5, Parent: 3, Host: -1, Kind: driver.TextNode, Text: "Email", Shown: "Email", Style: inline, Rendered: true},
				{ID: 6, Parent: 2, Host: -1, Kind: driver.ElementNode, Name: "input", Style: inline, Rendered: true,
					Value: value, HasValue: true, Attrs: []driver.Attr{{Name: "id", Value: "mail"}}},
				{ID: 7, Parent: 2, Host: -1, Kind: driver.ElementNode, Name: "button", Style: inline, Rendered: true},
				{ID: 8, Parent: 6, Host: -1, Kind: driver.TextNode, Text: "Join", Shown: "Join", Style: inline, Rendered: true},
			},
		}},
	}
}

func ExampleBuild() {
	snap := accessibility.Build(page(""), nil)
	fmt.Print(snap.Outline())

	node, ok := snap.Lookup("0-7") // from a model's answer
	fmt.Println(ok, node.Role, node.Name, node.Target.Node)
	fmt.Println(snap.XPath(node))
	// Output:
	// [0-1] document: Sign up
	//   [0-6] textbox: Email
	//   [0-7] button: Join
	// true button Join 7
	// xpath=/html[1]/body[1]/button[1]
}

func ExampleDiff() {
	before := accessibility.Build(page(""), nil)
	after := accessibility.Build(page("ada@shop.test"), nil)
	fmt.Print(accessibility.Diff(before, after))
	// Output:
	// ~ [0-6] textbox: Email value="ada@shop.test"
}

func ExampleParseOutline() {
	outline, err := accessibility.ParseOutline(`[0-1] document: Orders
  [0-4] table
    [0-9] row: A-17 | 2026-11-02 | ↓
      [0-15] link: Open
    … 37 more rows, ask with ref 0-4
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range outline.Items {
		switch {
		case item.Omitted != nil:
			fmt.Println(item.Omitted.Count, item.Omitted.Noun, "are missing")
		case item.Interactive():
			fmt.Println(item.Ref, "can be used:", item.Name)
		}
	}
	// Output:
	// 0-15 can be used: Open
	// 37 rows are missing
}

func ExampleSplitSelector() {
	steps, err := accessibility.SplitSelector("xpath=/html[1]/body[1]/iframe[2]/html[1]/body[1]/button[1]")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range steps {
		fmt.Println(step.Text)
	}
	// Output:
	// /html[1]/body[1]/iframe[2]
	// ./html[1]/body[1]/button[1]
}
