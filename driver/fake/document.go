package fake

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/layout"
)

func newDocument(f *frame, r response) *document {
	d := &document{status: r.status}
	d.self, d.frame, d.id, d.url, d.parent = d, f, f.page.browser.docID(), r.url, r.base
	d.Page, d.Sheets.Source, d.Pictures = d, d, d
	d.Renew()
	d.Reread()
	d.known, d.Scrolls, d.resources = map[*html.Node]*html.Node{}, map[*html.Node]driver.ScrollTarget{}, map[string]*resource{}
	d.transitions, d.animations = map[*html.Node]run{}, map[*html.Node]run{}
	d.Scripts = len(f.page.browser.driver.scripts(r.url)) > 0
	d.parse(&r)
	return d
}

// A document is what one navigation gave. Node numbers begin at 1 in each: two
// documents never agree by more than chance.
//
// It consists of layers, each of which embeds the one below it and has fields and
// a file of its own:
//
//	markup < rendering < sight < queries < events < loading < scrolling <
//	focusing < dialogs < activation < editing < keys < document
type document struct {
	keys
	status int

	method, sent, contentType, referrer string // of the request that gave it

	answer *response
	stop   func()  // ends the answer that is still coming; or nil
	paused []timer // of a document in the cache
}

// markup is the source of a document, and the addresses in it. It is the lowest
// layer of a document.
type markup struct {
	layout.Scene
	self   *document // which the layers make up
	frame  *frame
	id     driver.DocID
	url    *url.URL
	hash   bool     // see withHash
	parent *url.URL // base of a srcdoc document
	based  *url.URL // what base found
	notes  []string

	resources     map[string]*resource
	ready, loaded bool
}

// parse builds the tree.
func (d *markup) parse(r *response) {
	var root *html.Node
	switch t := r.mediaType(); {
	case t == "" || t == "text/html" || t == "application/xhtml+xml":
		if r.web {
			root = d.frame.page.browser.driver.sources.Copy(r.body, d.Scripts)
		} else {
			root = dom.ParseHTML(r.body, d.Scripts)
		}
	case strings.HasPrefix(t, "image/"):
		root = dom.ParseHTML(`<body><img src="`+html.EscapeString(d.address())+`">`, true)
	default:
		root = dom.ParseHTML(`<head><meta name="color-scheme" content="light dark"></head><body><pre></pre>`, true)
		pre := root.FirstChild.LastChild.FirstChild
		pre.AppendChild(&html.Node{Type: html.TextNode, Data: r.body})
	}
	closeAccordions(root)
	d.Plant(root, strings.Count(r.body, "<"))
	d.MirrorChoices()
}

// closeAccordions closes all but the first of the details elements of one name (HTML,
// "ensure details exclusivity by closing the given element if needed").
func closeAccordions(root *html.Node) {
	open := map[string]bool{}
	for n := root; n != nil; n = dom.Next(n, root) {
		if name := dom.Attr(n, "name"); name != "" && dom.IsElement(n, "details") && dom.Has(n, "open") {
			if open[name] {
				dom.RemoveAttr(n, "open")
			}
			open[name] = true
		}
	}
}

// complement gives the document all of its source, of which it had the beginning.
// What has been parsed keeps its numbers: they count in the order of the source.
func (d *document) complement(whole *response) {
	old := d.Nodes
	inputs, active := d.Inputs, d.active
	d.Renew()
	d.active = nil
	d.parse(whole)
	d.answer = whole
	for i, n := range old {
		if i >= len(d.Nodes) || d.Nodes[i].Data != n.Data || d.Nodes[i].Type != n.Type {
			continue
		}
		if c := inputs[n]; c != nil {
			d.Control(d.Nodes[i])
			d.Inputs[d.Nodes[i]] = c
		}
		if n == active {
			d.active = d.Nodes[i]
		}
	}
	d.resheet()
	d.based = nil
}

// noteScripts says so where a page that came over a network seems to be
// nothing without its scripts.
func (d *markup) noteScripts() {
	scripts, text, noscript := 0, 0, false
	for n := d.Root; n != nil; n = dom.Next(n, d.Root) {
		switch {
		case dom.IsElement(n, "script"):
			if t := dom.Lower(dom.Attr(n, "type")); t == "" || t == "module" || strings.Contains(t, "javascript") {
				scripts++
			}
		case dom.IsElement(n, "noscript"):
			noscript = noscript || strings.TrimSpace(dom.TextOf(n)) != ""
		case n.Type == html.TextNode && !dom.IsElement(n.Parent, "script", "style", "noscript", "title"):
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

func (d *markup) address() string { return withHash(d.url, d.hash) }

// withHash prints an address. hash says that it ends with a fragment that is empty, which a
// url.URL cannot say: a link to # leads to the top of the page.
func withHash(u *url.URL, hash bool) string {
	if hash {
		return u.String() + "#"
	}
	return u.String()
}

func endsWithHash(ref string) bool { return strings.HasSuffix(dom.Trim(ref), "#") }

// base is what relative addresses are resolved against.
func (d *markup) base() *url.URL {
	if d.based == nil {
		d.based = d.findBase()
	}
	return d.based
}

func (d *markup) findBase() *url.URL {
	own := d.url
	if d.parent != nil {
		own = d.parent
	} else if d.url.Scheme == "about" && d.frame.parent != nil {
		own = d.frame.parent.doc.base()
	}
	if b := d.First("base"); b != nil {
		if href, ok := dom.Lookup(b, "href"); ok {
			if u, err := own.Parse(dom.Trim(href)); err == nil {
				return u
			}
		}
	}
	return own
}

func (d *markup) resolve(ref string) (*url.URL, error) {
	return dom.ParseURL(d.base(), ref)
}

// leading returns a navigation to an address that a link or a script of the document names.
func (d *document) leading(ref string) (*navigation, error) {
	u, err := d.resolve(ref)
	return &navigation{url: u, hash: endsWithHash(ref), referrer: d.address(), source: d}, err
}

// ref names a node of the document.
func (d *markup) ref(n *html.Node) driver.NodeRef {
	if n == nil {
		return driver.NodeRef{}
	}
	return driver.NodeRef{Frame: d.frame.id, Doc: d.id, Node: d.Number(n)}
}

// note adds a sentence for people to the captures of the document.
func (d *markup) note(s string) {
	if !slices.Contains(d.notes, s) {
		d.notes = append(d.notes, s)
	}
}

// body returns the body element, or the root if there is none.
func (d *markup) body() *html.Node {
	if b := d.First("body"); b != nil {
		return b
	}
	return d.Root
}

// missing reports an address at which there is nothing.
func (d *markup) missing(src string) bool {
	if src == "" || strings.HasPrefix(src, "data:") {
		return src == ""
	}
	u, err := d.resolve(src)
	if err != nil {
		return true
	}
	if r := d.resources[u.String()]; r != nil {
		return r.status >= 400
	}
	return !d.frame.page.browser.driver.knows(u)
}

// toolsChanged says that the document offers other tools.
func (d *markup) toolsChanged() {
	if b := d.frame.page.browser; b.opts.PageTools && !d.gone() {
		b.emit(driver.ToolsChanged{Page: d.frame.page.id, Frame: d.frame.id})
	}
}

// complete marks a document that has nothing to load.
func (d *markup) complete() { d.ready, d.loaded = true, true }

// An answer is how the focus changed the label of an element, and the selection that
// no longer selects it.
type answer struct {
	n             *html.Node
	before, after string
	parts         *driver.Beside // whose texts are gone
	unselects     driver.Selection
}

// gone reports that the document is not shown any more. The page is held.
func (d *markup) gone() bool { return d.frame.doc != d.self || d.frame.detached }

// origin is the document's own, or that of the document that wrote it.
func (d *markup) origin() string {
	switch {
	case d.url.Scheme == "http" || d.url.Scheme == "https":
		return dom.OriginOf(d.address())
	case d.parent != nil:
		return dom.OriginOf(d.parent.String())
	}
	return "null"
}

func (d *markup) title() string {
	if t := d.First("title"); t != nil {
		return dom.Collapse(dom.TextOf(t))
	}
	return ""
}

// Linked is the text of a style sheet that a link element names, as far as it
// has come.
func (d *markup) Linked(n *html.Node) string {
	rel := " " + dom.Lower(dom.Attr(n, "rel")) + " "
	if !strings.Contains(rel, " stylesheet ") || strings.Contains(rel, " alternate ") || dom.Has(n, "disabled") {
		return ""
	}
	u, err := d.resolve(dom.Attr(n, "href"))
	if err != nil {
		return ""
	}
	if r := d.resources[u.String()]; r != nil && r.status < 300 {
		return r.body
	}
	if text, ok := d.frame.page.browser.driver.entry("GET", u); ok {
		if r, err := readResponse(text); err == nil && r.status < 300 {
			return r.body
		}
	}
	return ""
}

// Broken reports a picture that cannot be had. Pictures are never looked at: it
// is enough that there is one.
func (d *markup) Broken(n *html.Node) bool {
	return dom.Has(n, "src") && d.missing(dom.Trim(dom.Attr(n, "src")))
}

// dead reports media that have nothing to play.
func (d *markup) dead(n *html.Node) bool {
	if dom.Has(n, "src") {
		return d.missing(dom.Trim(dom.Attr(n, "src")))
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if dom.IsElement(c, "source") && !d.missing(dom.Trim(dom.Attr(c, "src"))) {
			return false
		}
	}
	return true
}

// embeds is what an object or embed element asks for: a "document", an
// "image", or nothing that can be shown. Its type says so, else its address.
func (d *markup) embeds(n *html.Node) string {
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

func (d *document) snapshot() snapshot {
	return snapshot{doc: d, url: d.address(), answer: d.answer, method: d.method, scroll: d.Scroll}
}

// moveTo gives the document another address.
func (d *document) moveTo(u *url.URL, hash, replace bool) {
	from := d.snapshot()
	d.readdress(u, hash)
	d.frame.page.rememberWithin(d.frame, from, d.snapshot(), replace)
	d.navigated(true)
}

// readdress gives the document an address. Relative ones, and selectors of the target,
// depend on it.
func (d *document) readdress(u *url.URL, hash bool) {
	d.url, d.hash, d.based = u, hash, nil
	d.restyle()
}

// navigated tells that the frame shows the document at another address, or anew.
func (d *document) navigated(same bool) {
	p := d.frame.page
	p.changed()
	p.listFrames()
	p.browser.emit(driver.Navigated{Page: p.id, Frame: d.frame.id, Doc: d.id, URL: d.address(), SameDocument: same, Status: d.status})
}

// leave ends the timers of a document that another replaces, the rest of its answer, and
// the tools that it offers.
func (d *document) leave() {
	d.frame.page.dropTimers(d)
	if d.stop != nil {
		d.stop()
	}
	if d.script != nil && len(d.script.tools) > 0 {
		d.toolsChanged()
	}
}

// pointed is called where the pointer, or its button, has another element.
func (d *document) pointed() {
	if d != nil && d.UsesHover() {
		d.restyle()
		d.frame.page.changed()
	}
}

func (d *document) resumeTimers() {
	for _, t := range d.paused {
		d.frame.page.after(d, t.at.Sub(time.Time{}), t.f)
	}
	d.paused = nil
}
