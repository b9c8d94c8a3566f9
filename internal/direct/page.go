package direct

import (
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A node is an element or text that a person perceives.
type node struct {
	parent, end int32 // in page.nodes, which are in preorder
	from, to    int32 // its text in page.text
	object      *axtree.Object
	dom         *driver.Node
	kind        nodeKind
	block       bool // stands on lines of its own
	aside       bool // in navigation, header, footer, sidebar or advertisement
	struck      bool // in text that was deleted
	sup         bool // superscript
	leaf        bool // its children are no part of the text: a control
}

type nodeKind uint8

const (
	elementNode nodeKind = iota
	textNode
)

// A page is an accessibility tree without what nobody perceives, with its text.
type page struct {
	tree  *axtree.Tree
	nodes []node
	text  string // all of it, in order; parts are between from and to of a node
	lang  string
	words map[string][]string // canonical words of a label, kept
	title map[string]bool     // canonical words of the titles of the documents, and of their main headings

	things []entity                 // what metadata describes
	called map[string][]int         // things by name
	scopes map[driver.NodeRef][]int // things by the element that they are about; made when asked for
}

// An entity is a thing that metadata describes.
type entity struct {
	name  string // as it has to stand on the page, in lower case
	props []prop
	scope driver.NodeRef // of microdata, the element around; else zero
}

// A prop is a part of an entity. Its label is what it is called.
type prop struct{ label, value string }

// raised stands before a superscript in page.text, so that "$19" with "99"
// above is no $1999.
const raised = '\u2060'

func newPage(tree *axtree.Tree, opts *Options) *page {
	p := &page{tree: tree, words: map[string][]string{}, title: map[string]bool{}, called: map[string][]int{}}
	if docs := tree.Capture.Documents; len(docs) > 0 {
		p.lang, _, _ = strings.Cut(strings.ToLower(docs[0].Lang), "-")
	}
	p.read(opts)
	for i := range tree.Capture.Documents {
		p.about(tree.Capture.Documents[i].Title)
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; n.is("h1") && !n.aside {
			p.about(p.span(int32(i)))
		}
	}
	return p
}

// read makes the page's nodes and its text.
func (p *page) read(opts *Options) {
	r := pageReader{page: p, of: make([]int32, len(p.tree.Objects)), scope: setOfRefs(opts.Scope), ignore: setOfRefs(opts.Ignore), mainFrame: opts.MainFrame}
	p.nodes = make([]node, 0, len(p.tree.Objects)/2)
	for i := range p.tree.Objects {
		r.close(int32(i))
		r.object(int32(i))
	}
	r.close(int32(len(p.tree.Objects)))
	p.text = r.text.String()
}

// A pageReader goes through the objects of a tree in order.
type pageReader struct {
	page *page
	text strings.Builder
	of   []int32 // the node of an object, or of the nearest above
	open []int32 // elements that have not ended

	scope, ignore   map[driver.NodeRef]bool
	mainFrame       bool
	skipTo, scopeTo int32 // objects before are left out, are in the scope
}

// close ends the elements that end before an object.
func (r *pageReader) close(object int32) {
	for len(r.open) > 0 {
		n := &r.page.nodes[r.open[len(r.open)-1]]
		if n.object.End > object {
			return
		}
		r.open = r.open[:len(r.open)-1]
		n.end, n.to = int32(len(r.page.nodes)), int32(r.text.Len())
		if n.block {
			r.text.WriteByte('\n')
		}
	}
}

// passes reports whether an object is left out, by what the caller asked for or
// because nobody perceives it.
func (r *pageReader) passes(i int32, o *axtree.Object, ref driver.NodeRef) bool {
	switch {
	case i < r.skipTo || o.Hidden || o.Role == "listmarker":
		return true
	case r.ignore[ref], r.mainFrame && o.Doc > 0:
		r.skipTo = o.End
		return true
	case r.scope[ref]:
		r.scopeTo = max(r.scopeTo, o.End)
	case r.scope != nil && i >= r.scopeTo && i > 0:
		return true
	}
	return false
}

// object makes the node of an object.
func (r *pageReader) object(i int32) {
	p := r.page
	o := &p.tree.Objects[i]
	n := node{parent: -1, object: o}
	if o.Parent >= 0 {
		n.parent = r.of[o.Parent]
	}
	r.of[i] = n.parent
	doc := &p.tree.Capture.Documents[o.Doc]
	n.dom = &doc.Nodes[o.Node]
	if r.passes(i, o, doc.Ref(o.Node)) {
		return
	}
	if n.parent >= 0 {
		above := &p.nodes[n.parent]
		n.aside, n.struck, n.sup = above.aside, above.struck, above.sup
	}
	name := n.dom.Name
	switch {
	case o.Role == "text" || n.dom.Kind == driver.TextNode:
		n.kind = textNode
		if strings.TrimSpace(o.Name) == "" {
			r.text.WriteByte(' ')
			return
		}
	case n.dom.Kind == driver.ElementNode:
		n.block = isBlock(n.dom)
		n.aside = n.aside || isAside(o, n.dom)
		n.struck = n.struck || name == "del" || name == "s" || name == "strike"
		n.sup = n.sup || name == "sup"
		n.leaf = controls[o.Role]
	}
	if n.block {
		r.text.WriteByte('\n')
	}
	if name == "td" || name == "th" || name == "br" {
		r.text.WriteByte('\n')
	}
	n.from = int32(r.text.Len())
	if n.kind == textNode {
		if n.sup {
			r.text.WriteRune(raised)
		}
		r.text.WriteString(o.Name)
	}
	if n.leaf {
		r.skipTo = o.End
	}
	n.end, n.to = int32(len(p.nodes)+1), int32(r.text.Len())
	r.of[i] = int32(len(p.nodes))
	p.nodes = append(p.nodes, n)
	if n.kind == elementNode {
		r.open = append(r.open, r.of[i])
	}
}

// setOfRefs returns nil for none.
func setOfRefs(refs []driver.NodeRef) map[driver.NodeRef]bool {
	if len(refs) == 0 {
		return nil
	}
	set := make(map[driver.NodeRef]bool, len(refs))
	for _, ref := range refs {
		set[ref] = true
	}
	return set
}

// about notes the words of a title.
func (p *page) about(title string) {
	for _, word := range content(split(title)) {
		p.title[word] = true
	}
}

// controls are the roles whose content is their own matter.
var controls = map[axtree.Role]bool{
	"button": true, "textbox": true, "searchbox": true, "combobox": true, "listbox": true,
	"checkbox": true, "radio": true, "switch": true, "slider": true, "spinbutton": true,
	"menuitem": true, "tab": true, "date": true, "datetime": true, "inputtime": true, "colorwell": true,
	"progressbar": true, "meter": true,
}

var inlines = setOf("a abbr b bdi bdo br cite code data del dfn em font i img input ins kbd label mark output q rp rt ruby s samp select small span strike strong sub sup svg time tt u var wbr button textarea")

// isBlock reports whether an element begins and ends a line.
func isBlock(dom *driver.Node) bool {
	if dom.Style == nil || dom.Style.Display == "" {
		return !inlines[dom.Name]
	}
	return !strings.HasPrefix(dom.Style.Display, "inline") && dom.Style.Display != "contents"
}

var advertising = regexp.MustCompile(`(?i)^(?:ads?|advert|advertisement|advertising|sponsored|anzeige|werbung|publicité|cookies?|cookie.?consent)$`)

// isAside reports whether what an element holds is beside the page's matter.
func isAside(o *axtree.Object, dom *driver.Node) bool {
	switch o.Role {
	case "navigation", "banner", "contentinfo", "complementary", "search":
		return true
	}
	if advertising.MatchString(strings.TrimSpace(o.Name)) {
		return true
	}
	for _, class := range strings.Fields(attr(dom, "class")) {
		if advertising.MatchString(class) {
			return true
		}
	}
	return false
}

func attr(dom *driver.Node, name string) string {
	value, _ := dom.Attr(name)
	return value
}

// span returns a node's text with white space collapsed.
func (p *page) span(n int32) string {
	return collapse(p.text[p.nodes[n].from:p.nodes[n].to])
}

func collapse(text string) string {
	if !strings.ContainsAny(text, "\n\t \u00a0\u202f\r") && strings.TrimSpace(text) == text {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// plain is a text without the marks of superscripts.
func plain(text string) string { return strings.ReplaceAll(text, string(raised), "") }

// source says where a node is.
func (p *page) source(n int32) Source {
	o := p.nodes[n].object
	doc := &p.tree.Capture.Documents[o.Doc]
	return Source{Node: doc.Ref(o.Node)}
}

// label returns the canonical words of a label.
func (p *page) label(text string) []string {
	words, ok := p.words[text]
	if !ok {
		words = content(split(text))
		p.words[text] = words
	}
	return words
}

// children calls f with each child of a node, in order.
func (p *page) children(n int32, f func(int32)) {
	for c := n + 1; c < p.nodes[n].end; c = p.nodes[c].end {
		f(c)
	}
}

// is reports whether a node is an element of one of the tags.
func (n *node) is(tags ...string) bool {
	if n.kind != elementNode {
		return false
	}
	for _, tag := range tags {
		if n.dom.Name == tag {
			return true
		}
	}
	return false
}
