package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// maxIcon bounds how many nodes of an element are searched for an icon.
const maxIcon = 64

// An iconIndex finds the titles of drawings that use elements show. Chromium's names
// leave them out, and a button with nothing but an icon has no other.
type iconIndex struct {
	ids []map[string]int32 // by document: id to node
}

// icon returns the fragment that the first use element at or below a node refers to,
// and the title of what it refers to, if that is in the document.
func (x *iconIndex) icon(c *driver.Capture, doc, at int32) (fragment, title string) {
	nodes := c.Documents[doc].Nodes
	for i := at; int(i) < len(nodes) && i < at+maxIcon && (i == at || nodes[i].Parent >= at); i++ {
		n := &nodes[i]
		if n.Namespace != driver.SVG || n.Name != "use" {
			continue
		}
		href, _ := hrefOf(n)
		file, fragment, ok := strings.Cut(href, "#")
		if !ok || fragment == "" {
			continue
		}
		if file == "" {
			if target, ok := x.byID(c, doc)[fragment]; ok {
				title = titleOf(nodes, target)
			}
		}
		return fragment, title
	}
	return "", ""
}

func (x *iconIndex) byID(c *driver.Capture, doc int32) map[string]int32 {
	if x.ids == nil {
		x.ids = make([]map[string]int32, len(c.Documents))
	}
	if x.ids[doc] == nil {
		x.ids[doc] = map[string]int32{}
		nodes := c.Documents[doc].Nodes
		for i := len(nodes) - 1; i >= 0; i-- { // the first of two wins
			if nodes[i].Namespace != driver.SVG || nodes[i].Kind != driver.ElementNode {
				continue
			}
			if id, ok := nodes[i].Attr("id"); ok {
				x.ids[doc][id] = int32(i)
			}
		}
	}
	return x.ids[doc]
}

// titleOf returns the text of the title element right below a drawing.
func titleOf(nodes []driver.Node, at int32) string {
	for i := at + 1; int(i) < len(nodes) && nodes[i].Parent >= at; i++ {
		if nodes[i].Parent != at || nodes[i].Name != "title" {
			continue
		}
		text := ""
		for j := i + 1; int(j) < len(nodes) && nodes[j].Parent >= i; j++ {
			text += nodes[j].Text
		}
		return tidy(text)
	}
	return ""
}
