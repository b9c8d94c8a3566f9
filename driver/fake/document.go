package fake

import (
	"net/url"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A document is what one navigation gave. It is parsed when it is first looked
// at. Node numbers begin at 1 in each: two documents never agree by more than chance.
type document struct {
	frame  *frame
	id     driver.DocID
	url    *url.URL
	source string // until it is parsed
	plain  string // the media type, if it is not HTML
	parsed bool
	live   bool     // its address came over a network: no scripts run
	web    bool     // its source is from a Web
	parent *url.URL // base of a srcdoc document
	based  *url.URL // what base found
	status int
	notes  []string

	method, sent, contentType, referrer string // of the request that gave it
	answer                              *response

	root    *html.Node
	ids     map[*html.Node]driver.NodeID
	nodes   []*html.Node // by number less one
	shadows map[*html.Node]*shadowRoot
	roots   map[*html.Node]*shadowRoot // by the root node
	inputs  map[*html.Node]*control
	mirrors []mirror

	stop          func() // ends the answer that is still coming; or nil
	resources     map[string]*resource
	loading       int // of them
	mayHaveFrames bool
	dirty         bool // a script changed the tree
	ready, loaded bool
	active        *html.Node // focused element
	byKeyboard    bool       // the focus was last moved by keys
	topLayer      []*html.Node
	scroll        driver.ScrollTarget // X and Y alone
	scrolls       map[*html.Node]driver.ScrollTarget
	view          *view
	before        *view // the last one, where transitions want to know it
	transitions   map[*html.Node]run
	animations    map[*html.Node]run
	sheets        *sheets
	script        *Document
	cache         choices
	paused        []timer // of a document in the cache
}

// A shadowRoot is a shadow tree. Its root is a document node of its own, so
// that selectors do not look beyond it.
type shadowRoot struct {
	host      *html.Node
	root      *html.Node
	kind      driver.ShadowKind
	delegates bool
	refers    bool // references to the host mean what has target as its id
	target    string
	sheets    *sheets
}

func newDocument(f *frame, r response) *document {
	d := &document{frame: f, id: f.page.browser.docID(), url: r.url, source: r.body, status: r.status, live: r.network, web: r.web}
	if r.srcdoc {
		d.parent = r.base
	}
	if t := r.mediaType(); t != "" && t != "text/html" && t != "application/xhtml+xml" {
		d.plain = t
	}
	return d
}

func (d *document) address() string { return d.url.String() }

// base is what relative addresses are resolved against.
func (d *document) base() *url.URL {
	if d.based == nil {
		d.based = d.findBase()
	}
	return d.based
}

func (d *document) findBase() *url.URL {
	d.parse()
	own := d.url
	if d.parent != nil {
		own = d.parent
	} else if d.url.Scheme == "about" && d.frame.parent != nil {
		own = d.frame.parent.doc.base()
	}
	if b := d.first("base"); b != nil {
		if href, ok := lookup(b, "href"); ok {
			if u, err := own.Parse(trim(href)); err == nil {
				return u
			}
		}
	}
	return own
}

func (d *document) resolve(ref string) (*url.URL, error) {
	return parseURL(d.base(), ref)
}

// ref names a node of the document.
func (d *document) ref(n *html.Node) driver.NodeRef {
	if n == nil {
		return driver.NodeRef{}
	}
	return driver.NodeRef{Frame: d.frame.id, Doc: d.id, Node: d.number(n)}
}

// number returns the node's number, and gives it one if it has none.
func (d *document) number(n *html.Node) driver.NodeID {
	if id, ok := d.ids[n]; ok {
		return id
	}
	d.nodes = append(d.nodes, n)
	id := driver.NodeID(len(d.nodes))
	d.ids[n] = id
	return id
}

// node finds what a reference names, or says why it can't.
func (p *page) node(ref driver.NodeRef) (*document, *html.Node, error) {
	if ref.IsZero() {
		d := p.main.doc
		d.parse()
		return d, d.root, nil
	}
	f := p.frame(ref.Frame)
	if f == nil || ref.Frame == "" {
		return nil, nil, driver.ErrDetached
	}
	d := f.doc
	if d.id != ref.Doc {
		return nil, nil, driver.ErrStale
	}
	d.parse()
	if ref.Node == 0 {
		return d, d.root, nil
	}
	if ref.Node < 1 || int(ref.Node) > len(d.nodes) {
		return nil, nil, driver.ErrStale
	}
	n := d.nodes[ref.Node-1]
	if !d.connected(n) {
		return nil, nil, driver.ErrDetached
	}
	return d, n, nil
}

// element is node for what must be an element.
func (p *page) element(ref driver.NodeRef) (*document, *html.Node, error) {
	d, n, err := p.node(ref)
	if err == nil && n.Type != html.ElementNode {
		err = driver.ErrNotVisible
	}
	return d, n, err
}

// connected reports whether n stands in the document or in one of its shadow trees.
func (d *document) connected(n *html.Node) bool {
	for {
		for n.Parent != nil {
			n = n.Parent
		}
		if n == d.root {
			return true
		}
		s := d.roots[n]
		if s == nil {
			return false
		}
		n = s.host
	}
}

// note adds a sentence for people to the captures of the document.
func (d *document) note(s string) {
	for _, have := range d.notes {
		if have == s {
			return
		}
	}
	d.notes = append(d.notes, s)
}

// restyle has styles and layout computed anew.
func (d *document) restyle() {
	if d.view != nil && d.view.runs {
		d.before = d.view
	}
	d.view = nil
}

// resheet has the style sheets read anew, too.
func (d *document) resheet() {
	d.restyle()
	d.sheets = nil
	for _, s := range d.shadows {
		s.sheets = nil
	}
}

// restructure is for a change of the tree.
func (d *document) restructure() {
	d.resheet()
	d.based = nil
	d.frame.page.changed()
}
