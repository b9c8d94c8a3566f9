// Package htmlcapture makes captures from HTML, for tests that need no browser.
package htmlcapture

import (
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Of makes a capture from HTML: enough of a browser to test what is computed from
// captures. It supports the usual display of elements, style and hidden
// attributes, declarative shadow roots with slots, srcdoc frames, form state as
// in the source, data-clickable for a listener, data-scroll="y,max", and
// data-size="w,h". Ids count up in document order.
func Of(t testing.TB, source string) *driver.Capture {
	t.Helper()
	m := &maker{t: t, capture: &driver.Capture{Viewport: driver.Size{Width: 1280, Height: 720}, Scale: 1}}
	m.document(source, -1, -1)
	return m.capture
}

type maker struct {
	t       testing.TB
	capture *driver.Capture
}

// document adds a document and those of the frames in it.
func (m *maker) document(source string, up, owner int32) {
	m.t.Helper()
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		m.t.Fatal(err)
	}
	at := int32(len(m.capture.Documents))
	m.capture.Documents = append(m.capture.Documents, driver.Document{})
	w := &walker{doc: driver.Document{
		Frame: driver.FrameID("F" + strconv.Itoa(int(at))), Doc: driver.DocID("D" + strconv.Itoa(int(at))), Ordinal: int(at),
		URL: "https://shop.test/dir/page.html", BaseURL: "https://shop.test/dir/page.html",
		OwnerDocument: up, Owner: owner, Active: -1, Content: driver.Size{Width: 1280, Height: 720},
	}, frames: map[int32]string{}, slots: map[*html.Node][]*html.Node{}}
	w.walk(root, -1, -1, driver.Light, place{style: driver.Style{Display: "block", Visibility: "visible", Position: "static", PointerEvents: "auto", Cursor: "auto", Content: "normal", ContentVisibility: "visible"}, shown: true})
	m.capture.Documents[at] = w.doc
	for i := range int32(len(w.doc.Nodes)) {
		if srcdoc, ok := w.frames[i]; ok {
			m.document(srcdoc, at, i)
		}
	}
}

type walker struct {
	doc    driver.Document
	frames map[int32]string
	slots  map[*html.Node][]*html.Node // slot → assigned
	y      float64
}

// A place is what a node has from its ancestors.
type place struct {
	style    driver.Style
	shown    bool // displayed
	disabled bool
}

func (w *walker) walk(n *html.Node, parent, host int32, kind driver.ShadowKind, in place) {
	i := int32(len(w.doc.Nodes))
	out := driver.Node{ID: driver.NodeID(i + 1), Parent: parent, Host: host, Shadow: kind}
	switch n.Type {
	case html.DocumentNode:
		out.Kind = driver.DocumentNode
		out.Rendered = true
	case html.DoctypeNode:
		out.Kind = driver.DoctypeNode
	case html.TextNode:
		out.Kind, out.Text = driver.TextNode, n.Data
		out.Rendered = in.shown && (strings.TrimSpace(n.Data) != "" || n.NextSibling != nil && n.PrevSibling != nil)
		if out.Rendered {
			out.Shown = n.Data
			style := in.style
			out.Style = &style
			out.Box = w.box(8*float64(len(n.Data)), 18)
		}
	case html.ElementNode:
		w.element(n, &out, &in)
	default:
		return
	}
	w.doc.Nodes = append(w.doc.Nodes, out)
	if n.Type == html.ElementNode {
		switch n.Data {
		case "iframe":
			if srcdoc, ok := attr(n, "srcdoc"); ok {
				w.frames[i] = srcdoc
			}
			return
		case "template":
			return
		case "slot":
			if given := w.slots[n]; len(given) > 0 {
				for _, c := range given {
					w.walk(c, i, w.hostOf(host), w.kindOf(host), in)
				}
				return
			}
		case "title":
			if n.Namespace != "" {
				break
			}
			if n.FirstChild != nil {
				w.doc.Title = n.FirstChild.Data
			}
		}
		if root := shadowRoot(n); root != nil {
			mode := driver.OpenShadow
			if v, _ := attr(root, "shadowrootmode"); v == "closed" {
				mode = driver.ClosedShadow
			}
			w.assign(n, root)
			for c := root.FirstChild; c != nil; c = c.NextSibling {
				w.walk(c, i, i, mode, in)
			}
			return
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.walk(c, i, host, kind, in)
	}
}

// hostOf returns the host of the tree that a host itself stands in.
func (w *walker) hostOf(host int32) int32 {
	if host < 0 {
		return -1
	}
	return w.doc.Nodes[host].Host
}

func (w *walker) kindOf(host int32) driver.ShadowKind {
	if host < 0 {
		return driver.Light
	}
	return w.doc.Nodes[host].Shadow
}

// assign gives a host's light children to the slots of its shadow root.
func (w *walker) assign(host, root *html.Node) {
	slots := map[string]*html.Node{}
	for s := range root.Descendants() {
		if s.Type == html.ElementNode && s.Data == "slot" {
			name, _ := attr(s, "name")
			if slots[name] == nil {
				slots[name] = s
			}
		}
	}
	for c := host.FirstChild; c != nil; c = c.NextSibling {
		if c == root {
			continue
		}
		name := ""
		if c.Type == html.ElementNode {
			name, _ = attr(c, "slot")
		}
		if s := slots[name]; s != nil {
			w.slots[s] = append(w.slots[s], c)
		}
	}
}

func shadowRoot(n *html.Node) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == "template" {
			if _, ok := attr(c, "shadowrootmode"); ok {
				return c
			}
		}
	}
	return nil
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func (w *walker) box(width, height float64) driver.Rect {
	w.y += 4
	return driver.Rect{X: 8, Y: w.y, Width: min(width, 1200), Height: height}
}

// element fills in an element.
func (w *walker) element(n *html.Node, out *driver.Node, in *place) {
	out.Kind, out.Name = driver.ElementNode, n.Data
	switch n.Namespace {
	case "svg":
		out.Namespace = driver.SVG
	case "math":
		out.Namespace = driver.MathML
	}
	for _, a := range n.Attr {
		name := a.Key
		if a.Namespace != "" {
			name = a.Namespace + ":" + name
		}
		if !strings.HasPrefix(name, "data-") {
			out.Attrs = append(out.Attrs, driver.Attr{Name: name, Value: a.Val})
		}
	}
	style := in.style
	style.Display, style.Position, style.ContentVisibility = displayOf(n), "static", "visible"
	if n.Data == "a" {
		if _, ok := attr(n, "href"); ok {
			style.Cursor = "pointer"
		}
	}
	if _, ok := attr(n, "hidden"); ok {
		style.Display = "none"
	}
	css, _ := attr(n, "style")
	for d := range strings.SplitSeq(css, ";") {
		name, value, _ := strings.Cut(d, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "display":
			style.Display = value
		case "visibility":
			style.Visibility = value
		case "cursor":
			style.Cursor = value
		case "position":
			style.Position = value
		case "pointer-events":
			style.PointerEvents = value
		case "content-visibility":
			style.ContentVisibility = value
		}
	}
	in.shown = in.shown && style.Display != "none"
	in.style = style
	if in.shown {
		s := style
		out.Style, out.Rendered = &s, style.Display != "contents"
		out.Box = w.box(120, 24)
		if size, ok := attr(n, "data-size"); ok {
			x, y, _ := strings.Cut(size, ",")
			out.Box.Width, out.Box.Height = number(x), number(y)
		}
	}
	if _, ok := attr(n, "data-clickable"); ok {
		out.Clickable = true
	}
	if v, ok := attr(n, "data-scroll"); ok {
		y, most, _ := strings.Cut(v, ",")
		out.Rare = &driver.Rare{Scroll: &driver.ScrollState{Y: number(y), MaxY: number(most)}}
	}
	if v, ok := attr(n, "data-invalid"); ok {
		out.Rare = &driver.Rare{Invalid: v}
	}
	if n.Data == "details" { // what a closed one hides is not rendered
		if _, ok := attr(n, "open"); !ok {
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				if c.Type == html.ElementNode && c.Data != "summary" {
					c.Attr = append(c.Attr, html.Attribute{Key: "style", Val: "display:none"})
				}
			}
		}
	}
	control(n, out, in)
}

func number(s string) float64 {
	v, _ := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return v
}

// control fills in the live state of form controls.
func control(n *html.Node, out *driver.Node, in *place) {
	_, disabled := attr(n, "disabled")
	if n.Data == "fieldset" && disabled {
		in.disabled = true
	}
	disabled = disabled || in.disabled
	kind, _ := attr(n, "type")
	switch n.Data {
	case "input":
		out.Value, _ = attr(n, "value")
		out.HasValue = true
		if kind == "checkbox" || kind == "radio" {
			_, out.Checked = attr(n, "checked")
		}
		if kind == "password" {
			out.Value = strings.Repeat("•", len(out.Value))
		}
		out.Clickable = out.Clickable || !disabled && kind != "hidden"
		if kind == "hidden" {
			out.Rendered, out.Style = false, nil
		}
	case "textarea":
		if n.FirstChild != nil {
			out.Value = n.FirstChild.Data
		}
		out.HasValue = true
	case "select":
		in.shown = false // a closed one
		var first *html.Node
		for o := range n.Descendants() {
			if o.Type != html.ElementNode || o.Data != "option" {
				continue
			}
			if _, ok := attr(o, "selected"); ok || first == nil {
				first = o
			}
		}
		if first != nil {
			if _, many := attr(n, "multiple"); !many {
				first.Attr = append(first.Attr, html.Attribute{Key: "selected"})
			}
			if first.FirstChild != nil {
				out.Value = first.FirstChild.Data
			}
		}
		out.HasValue = true
	case "option":
		_, out.Selected = attr(n, "selected")
	case "a":
		if _, ok := attr(n, "href"); ok {
			out.Clickable = true
		}
	case "summary":
		out.Clickable = true
	case "label":
		if _, ok := attr(n, "for"); ok {
			out.Clickable = true
		}
		for c := range n.Descendants() {
			if c.Type == html.ElementNode && (c.Data == "input" || c.Data == "select" || c.Data == "textarea") {
				out.Clickable = true
			}
		}
	}
}

// displayOf returns an element's usual display.
func displayOf(n *html.Node) string {
	switch n.Data {
	case "head", "title", "meta", "link", "style", "script", "template", "noscript", "datalist", "area", "base":
		return "none"
	case "li", "summary":
		return "list-item"
	case "table":
		return "table"
	case "tr":
		return "table-row"
	case "td", "th":
		return "table-cell"
	case "thead":
		return "table-header-group"
	case "tbody":
		return "table-row-group"
	case "tfoot":
		return "table-footer-group"
	case "caption":
		return "table-caption"
	case "input", "button", "select", "textarea", "meter", "progress":
		return "inline-block"
	case "slot":
		return "contents"
	case "html", "body", "div", "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "dt", "dd", "form", "fieldset", "legend",
		"section", "article", "nav", "main", "header", "footer", "aside", "address", "blockquote", "pre", "figure", "figcaption",
		"details", "dialog", "hr", "search", "option", "optgroup", "hgroup", "menu":
		if _, open := attr(n, "open"); n.Data == "dialog" && !open {
			return "none"
		}
		return "block"
	}
	return "inline"
}
