package accessibility

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A resolver makes links absolute.
type resolver struct {
	doc    int32
	parsed bool
	base   *url.URL // of doc
	origin string   // scheme and host of base
	text   chunks
	buf    []byte
}

// hrefOf returns the address that an element of HTML or SVG names.
func hrefOf(n *driver.Node) (string, bool) {
	if ref, ok := n.Attr("href"); ok {
		return ref, true
	}
	return n.Attr("xlink:href")
}

// href returns where a link goes, or nothing if it has no address.
func (r *resolver) href(d *driver.Document, doc int32, n *driver.Node) string {
	ref, ok := hrefOf(n)
	if !ok {
		return ""
	}
	ref = strings.Trim(ref, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ")
	if !r.parsed || r.doc != doc {
		r.doc, r.parsed, r.base, r.origin = doc, true, nil, ""
		if u, err := url.Parse(cmp.Or(d.BaseURL, d.URL)); err == nil && u.IsAbs() {
			r.base = u
			if u.Host != "" {
				r.origin = u.Scheme + "://" + u.Host
			}
		}
	}
	if simplePath(ref) {
		if strings.HasPrefix(ref, "https://") || strings.HasPrefix(ref, "http://") {
			return ref
		}
		if ref != "" && ref[0] == '/' && !strings.HasPrefix(ref, "//") && r.origin != "" {
			r.buf = append(append(r.buf[:0], r.origin...), ref...)
			return r.text.add(r.buf)
		}
	}
	return r.resolve(ref)
}

// resolve resolves a reference that is not a simple path.
func (r *resolver) resolve(ref string) string {
	// A browser drops these wherever they stand.
	ref = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(ref)
	if i := strings.IndexAny(ref, "?#"); strings.Contains(ref[:max(i, 0)], `\`) {
		ref = strings.ReplaceAll(ref, `\`, "/")
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	if r.base == nil || u.IsAbs() {
		return u.String()
	}
	if r.base.Opaque != "" && !strings.HasPrefix(ref, "#") { // about:blank, data:
		return ref
	}
	return r.base.ResolveReference(u).String()
}

// simplePath reports whether a reference only needs the origin in front of it.
func simplePath(s string) bool {
	for i := range len(s) {
		switch b := s[i]; {
		case b <= ' ', b >= 0x7f, b == '\\', b == '"', b == '<', b == '>', b == '^', b == '`', b == '{', b == '}', b == '|':
			return false
		case b == '/' && i+1 < len(s) && s[i+1] == '.':
			return false
		}
	}
	// A browser adds a path to an address without one.
	if i := strings.Index(s, "://"); i >= 0 {
		return strings.IndexByte(s[i+3:], '/') > 0 && !hasUpper(s[:i+3+strings.IndexByte(s[i+3:], '/')])
	}
	return true
}

func hasUpper(s string) bool {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return true
		}
	}
	return false
}

// chunks hands out strings that are parts of few large ones. Each is twice as
// large as the one before, so that a small page does not hold a large one.
type chunks struct{ b strings.Builder }

// The sizes of chunks in bytes, unless one text takes more.
const (
	firstChunk = 1 << 10
	lastChunk  = 64 << 10
)

// add returns text as a string.
func (c *chunks) add(text []byte) string {
	if c.b.Cap()-c.b.Len() < len(text) {
		size := min(max(2*c.b.Cap(), firstChunk), lastChunk)
		c.b = strings.Builder{} // strings handed out keep the old one alive
		c.b.Grow(max(size, len(text)))
	}
	at := c.b.Len()
	c.b.Write(text)
	return c.b.String()[at:]
}

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
