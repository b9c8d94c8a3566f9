package fake

import (
	"slices"
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
	return slices.ContainsFunc(v.Boxes, func(b layout.Box) bool {
		return b.Rendered && (b.Style == nil || b.Style.Visibility == "visible") &&
			(b.Kind == driver.TextNode && strings.TrimSpace(b.Node.Data) != "" || b.Kind == driver.ElementNode && drawn[b.Node.Data] && !b.Rect.IsZero())
	})
}

// takesInput reports that there is a control in an element, or that it is one.
func takesInput(n *html.Node) bool {
	switch {
	case dom.IsElement(n, "input", "select", "textarea"), dom.IsElement(n, "button") && !dom.Has(n, "disabled"),
		dom.Attr(n, "role") == "spinbutton", dom.Attr(n, "role") == "button":
		return true
	}
	return slices.ContainsFunc(slices.Collect(n.ChildNodes()), takesInput)
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
	return strings.Contains(class, "skeleton") || strings.Contains(class, "spinner") || strings.Contains(class, "shimmer")
}
