package fake

import (
	"path"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// addressOf are the attributes that say what an element shows, by its name.
var addressOf = map[string]string{"iframe": "src", "frame": "src", "embed": "src", "object": "data"}

// showsFrame reports an element that shows a document of its own.
func (d *document) showsFrame(n *html.Node) bool {
	return dom.IsElement(n, "iframe", "frame") || d.embeds(n) == "document"
}

// embeds is what an object or embed element asks for: a "document", an
// "image", or nothing that can be shown. Its type says so, else its address.
func (d *document) embeds(n *html.Node) string {
	if !dom.IsElement(n, "object", "embed") {
		return ""
	}
	src := dom.Trim(dom.Attr(n, addressOf[n.Data]))
	if src == "" {
		return ""
	}
	kind := dom.Lower(dom.Trim(dom.Attr(n, "type")))
	if kind == "" {
		if rest, ok := strings.CutPrefix(dom.Lower(src), "data:"); ok {
			kind, _, _ = strings.Cut(rest, ",")
		} else if u, err := d.resolve(src); err == nil {
			kind = embeddedKinds[dom.Lower(path.Ext(u.Path))]
		}
	}
	kind, _, _ = strings.Cut(kind, ";")
	switch {
	case strings.HasPrefix(kind, "image/"):
		return "image"
	case strings.HasPrefix(kind, "text/"), kind == "application/xhtml+xml", kind == "application/xml", kind == "application/json":
		return "document"
	}
	return ""
}

// embeddedKinds are the media types that an address without one is taken for.
var embeddedKinds = map[string]string{"": "text/html", ".html": "text/html", ".htm": "text/html", ".php": "text/html", ".txt": "text/plain",
	".svg": "image/svg+xml", ".png": "image/png", ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}

// Embedded reports that an object or embed element shows what its address names.
func (d *document) Embedded(n *html.Node) bool {
	switch d.embeds(n) {
	case "image":
		return !d.missing(dom.Trim(dom.Attr(n, addressOf[n.Data])))
	case "document":
		f := d.frame.page.frameOf(d, n)
		return f == nil || f.doc.status < 400
	}
	return false
}
