package fake

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
)

// drawn are elements that show something without any text in them.
var drawn = map[string]bool{
	"img": true, "svg": true, "canvas": true, "video": true, "audio": true, "iframe": true, "object": true, "embed": true, "input": true,
	"button": true, "select": true, "textarea": true, "progress": true, "meter": true, "hr": true, "math": true,
}

// draws reports that there is something to see.
func draws(v *layout.View) bool {
	for i := range v.Boxes {
		b := &v.Boxes[i]
		if !b.Rendered || b.Style != nil && b.Style.Visibility != "visible" {
			continue
		}
		if b.Kind == driver.TextNode && strings.TrimSpace(b.Node.Data) != "" || b.Kind == driver.ElementNode && drawn[b.Node.Data] && !b.Rect.IsZero() {
			return true
		}
	}
	return false
}

// takesInput reports that there is a control in an element, or that it is one.
func takesInput(n *html.Node) bool {
	switch {
	case dom.IsElement(n, "input"), dom.IsElement(n, "select"), dom.IsElement(n, "textarea"), dom.IsElement(n, "button") && !dom.Has(n, "disabled"),
		dom.Attr(n, "role") == "spinbutton", dom.Attr(n, "role") == "button":
		return true
	}
	for c := range n.ChildNodes() {
		if takesInput(c) {
			return true
		}
	}
	return false
}

func marksBusy(n *html.Node) bool {
	switch {
	case dom.Lower(dom.Attr(n, "aria-busy")) == "true":
		return true
	case takesInput(n):
		return false // a spinner that takes a number
	case dom.Attr(n, "role") == "progressbar" && !dom.Has(n, "aria-valuenow"), dom.IsElement(n, "progress") && !dom.Has(n, "value"):
		return true
	}
	class := dom.Lower(dom.Attr(n, "class"))
	if class == "" {
		return false
	}
	for _, c := range strings.Fields(class) {
		for _, mark := range []string{"skeleton", "spinner", "shimmer"} {
			if strings.Contains(c, mark) {
				return true
			}
		}
	}
	return false
}
