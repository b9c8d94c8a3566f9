package fake

import (
	"errors"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// maxDepth is how deep elements nest. Deeper ones become siblings, as in
// browsers. The parser itself refuses 512.
const maxDepth = 480

// mostForeseen is for how many nodes room is made before they are there.
const mostForeseen = 1 << 16

// parse builds the tree, once.
func (d *document) parse() {
	if d.parsed {
		return
	}
	d.parsed = true
	source := d.source
	d.source = ""
	switch {
	case d.plain == "" && d.web:
		d.root = d.frame.page.browser.driver.sources.tree(source)
	case d.plain == "":
		d.root = parseHTML(source, !d.live)
	case strings.HasPrefix(d.plain, "image/"):
		d.root = parseHTML(`<body><img src="`+html.EscapeString(d.address())+`">`, true)
	default:
		d.root = parseHTML(`<head><meta name="color-scheme" content="light dark"></head><body><pre></pre>`, true)
		pre := d.root.FirstChild.LastChild.FirstChild
		pre.AppendChild(&html.Node{Type: html.TextNode, Data: source})
	}
	tags := min(16+strings.Count(source, "<"), mostForeseen) // about as many as nodes
	d.ids = make(map[*html.Node]driver.NodeID, tags)
	d.nodes = make([]*html.Node, 0, tags)
	d.adopt(d.root)
	d.mirrorChoices()
	if d.live {
		d.noteScripts()
	}
}

// complement gives the document the rest of its source. What has been parsed
// keeps its numbers: they count in the order of the source.
func (d *document) complement(source string) {
	if !d.parsed {
		d.source = source
		return
	}
	old := d.nodes
	inputs, active := d.inputs, d.active
	d.parsed, d.source = false, source
	d.nodes, d.inputs, d.active, d.shadows, d.roots, d.mirrors = nil, nil, nil, nil, nil, nil
	d.parse()
	for i, n := range old {
		if i >= len(d.nodes) || d.nodes[i].Data != n.Data || d.nodes[i].Type != n.Type {
			continue
		}
		if c := inputs[n]; c != nil {
			d.control(d.nodes[i])
			d.inputs[d.nodes[i]] = c
		}
		if n == active {
			d.active = d.nodes[i]
		}
	}
	d.resheet()
	d.based = nil
}

// parseHTML never fails: what nests too deep is flattened.
func parseHTML(source string, scripting bool) *html.Node {
	if root := tryParse(source, scripting); root != nil {
		return root
	}
	for limit := maxDepth; limit > 8; limit /= 2 {
		if root := tryParse(flatten(source, limit), scripting); root != nil {
			return root
		}
	}
	return tryParse(html.EscapeString(source), scripting)
}

// tryParse gives nil where the parser gives up, which it does by a panic.
func tryParse(source string, scripting bool) (root *html.Node) {
	defer func() {
		if recover() != nil {
			root = nil
		}
	}()
	root, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(scripting))
	if err != nil {
		return nil
	}
	return root
}

// flatten closes every element at once that would stand deeper than limit.
func flatten(source string, limit int) string {
	var sb strings.Builder
	sb.Grow(len(source) + len(source)/4)
	z := html.NewTokenizer(strings.NewReader(source))
	depth, over := 0, 0
	for {
		tt := z.Next()
		raw := z.Raw()
		switch tt {
		case html.ErrorToken:
			return sb.String()
		case html.StartTagToken:
			sb.Write(raw)
			name, _ := z.TagName()
			if void(string(name)) {
				continue
			}
			if depth < limit {
				depth++
				continue
			}
			over++
			if n := string(name); n != "script" && n != "style" && n != "textarea" && n != "title" {
				sb.WriteString("</" + n + ">")
			}
		case html.EndTagToken:
			if over > 0 {
				over--
				if name, _ := z.TagName(); raws[string(name)] {
					sb.Write(raw)
				}
				continue
			}
			if depth > 0 {
				depth--
			}
			sb.Write(raw)
		default:
			sb.Write(raw)
		}
	}
}

var raws = map[string]bool{"script": true, "style": true, "textarea": true, "title": true}

func void(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// parseFragment parses what a script puts below context.
func parseFragment(source string, context *html.Node) (nodes []*html.Node, err error) {
	defer func() {
		if recover() != nil {
			nodes, err = nil, errors.New("fake: HTML is nested too deep")
		}
	}()
	if context == nil || context.Type != html.ElementNode || context.Namespace != "" {
		context = &html.Node{Type: html.ElementNode, Data: "body", DataAtom: bodyAtom}
	}
	// The parser follows the context's ancestors and wants its atom to fit.
	bare := &html.Node{Type: html.ElementNode, Data: context.Data, DataAtom: atomOf(context.Data)}
	return html.ParseFragment(strings.NewReader(source), bare)
}

// adopt numbers the nodes below top, top included, and attaches the shadow
// trees that templates declare.
func (d *document) adopt(top *html.Node) {
	for n := top; n != nil; {
		d.number(n)
		if n.Type == html.ElementNode && n.Namespace == "" {
			switch n.Data {
			case "template":
				after := nextSkip(n, top)
				d.declare(n)
				n = after
				continue
			case "iframe", "frame":
				d.mayHaveFrames = true
			case "selectedcontent":
				d.mirrors = append(d.mirrors, mirror{at: n})
			}
		}
		n = next(n, top)
	}
}

// declare turns a template with shadowrootmode into its parent's shadow tree.
func (d *document) declare(t *html.Node) {
	mode := lower(attr(t, "shadowrootmode"))
	host := t.Parent
	if mode != "open" && mode != "closed" || host == nil || host.Type != html.ElementNode || d.shadows[host] != nil {
		return
	}
	host.RemoveChild(t)
	s := d.attachShadow(host, mode == "closed")
	s.delegates = has(t, "shadowrootdelegatesfocus")
	s.target, s.refers = lookup(t, "shadowrootreferencetarget")
	for c := t.FirstChild; c != nil; c = t.FirstChild {
		t.RemoveChild(c)
		s.root.AppendChild(c)
	}
	d.adopt(s.root)
}

func (d *document) attachShadow(host *html.Node, closed bool) *shadowRoot {
	s := &shadowRoot{host: host, kind: driver.OpenShadow, root: &html.Node{Type: html.DocumentNode}}
	if closed {
		s.kind = driver.ClosedShadow
	}
	if d.shadows == nil {
		d.shadows = make(map[*html.Node]*shadowRoot)
		d.roots = make(map[*html.Node]*shadowRoot)
	}
	d.shadows[host] = s
	d.roots[s.root] = s
	return s
}

// noteScripts says so where a page that came over a network seems to be
// nothing without its scripts.
func (d *document) noteScripts() {
	scripts, text, noscript := 0, 0, false
	for n := d.root; n != nil; n = next(n, d.root) {
		switch {
		case isElement(n, "script"):
			if t := lower(attr(n, "type")); t == "" || t == "module" || strings.Contains(t, "javascript") {
				scripts++
			}
		case isElement(n, "noscript"):
			noscript = noscript || strings.TrimSpace(textOf(n)) != ""
		case n.Type == html.TextNode && !isElement(n.Parent, "script", "style", "noscript", "title"):
			text += len(strings.TrimSpace(n.Data))
		}
	}
	switch {
	case scripts > 0 && text < 200:
		d.note("This page seems to need its scripts, and they were not run: it has next to no content without them.")
	case scripts > 0 && noscript:
		d.note("This page says that it needs scripts for some of its parts; they were not run.")
	}
}
