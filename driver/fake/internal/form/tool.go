package form

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// IsTool reports a form that offers itself to agents (WebMCP, toolname).
func IsTool(n *html.Node) bool {
	return dom.IsElement(n, "form") && dom.Attr(n, "toolname") != "" && dom.Attr(n, "tooldescription") != ""
}

// A parameter is what a tool's schema says of one name of a form.
type parameter struct {
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Format      string   `json:"format,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
}

func bound(c *html.Node, name string) *float64 {
	if v, ok := dom.Number(dom.Attr(c, name)); ok {
		return &v
	}
	return nil
}
