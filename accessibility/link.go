package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// linkKind tells a link that leads somewhere else than to another page in this window:
// see [Node].Link.
func linkKind(d *driver.Document, n *driver.Node) string {
	href, download, target := "", false, ""
	for i := range n.Attrs {
		switch a := &n.Attrs[i]; a.Name {
		case "href", "xlink:href":
			href = strings.TrimSpace(a.Value)
		case "download":
			download = true
		case "target":
			target = a.Value
		}
	}
	if href == "" {
		return ""
	}
	if scheme, _, ok := strings.Cut(href, ":"); ok && len(scheme) < 8 {
		switch scheme = strings.ToLower(scheme); scheme {
		case "mailto", "tel", "sms":
			return scheme
		}
	}
	switch {
	case download:
		return "download"
	case target != "" && elsewhere(d, target):
		return "new window"
	case href[0] == '#' && len(href) > 1 && href[1] != '!' && href[1] != '/':
		return "anchor"
	}
	return ""
}

// elsewhere reports whether a link's target is another window: no frame of the
// document has that name.
func elsewhere(d *driver.Document, target string) bool {
	if strings.HasPrefix(target, "_") {
		return strings.EqualFold(target, "_blank")
	}
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.Name == "iframe" || n.Name == "frame" {
			if name, _ := n.Attr("name"); name == target {
				return false
			}
		}
	}
	return true
}

// picture returns the address of a picture that is not written into the page.
func (r *resolver) picture(d *driver.Document, doc int32, n *driver.Node) string {
	src, ok := n.Attr("src")
	if src = strings.TrimSpace(src); !ok || src == "" || len(src) >= 5 && strings.EqualFold(src[:5], "data:") {
		return ""
	}
	return r.href(d, doc, &driver.Node{Attrs: []driver.Attr{{Name: "href", Value: src}}})
}
