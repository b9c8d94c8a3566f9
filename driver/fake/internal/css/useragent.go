package css

import (
	"cmp"
	"sync"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// userAgentSheet is the browser's own style sheet, as far as it goes by names and attributes.
// Everything else is inline.
const userAgentSheet = `
html, body, address, article, aside, blockquote, center, dd, details, dialog, dir, div, dl, dt, fieldset, figcaption, figure,
	footer, form, frameset, frame, h1, h2, h3, h4, h5, h6, header, hgroup, hr, legend, listing, main, menu, nav, ol, optgroup,
	option, p, plaintext, pre, search, section, summary, ul, xmp { display: block }
button, input, select, textarea, meter, progress, marquee { display: inline-block }
area, base, basefont, datalist, head, link, meta, noembed, noframes, param, rp, script, style, template, title, source, track,
	audio:not([controls]), dialog:not([open]), input[type=hidden i] { display: none }
li, details > summary { display: list-item } slot { display: contents } ruby { display: ruby } rt { display: ruby-text }
table { display: table } caption { display: table-caption } colgroup { display: table-column-group } col { display: table-column }
thead { display: table-header-group } tbody { display: table-row-group } tfoot { display: table-footer-group }
tr { display: table-row } td, th { display: table-cell; padding: 1px }

body { margin: 8px } p, ul, ol, dl, blockquote, figure, menu, dir { margin: 16px 0 } pre { margin: 13px 0 } hr { margin: 8px 0; border: 1px }
h1, h4 { margin: 21px 0 } h2 { margin: 20px 0 } h3 { margin: 19px 0 } h5 { margin: 22px 0 } h6 { margin: 25px 0 }
dd, blockquote, figure { margin-left: 40px } ul, ol, menu, dir { padding-left: 40px }
fieldset { padding: 6px 12px 10px; border: 2px } iframe { border: 2px }
dialog[open] { position: absolute; padding: 16px; border: 2px; left: 0; right: 0 }
details > summary { list-style: disclosure-closed inside } details[open] > summary { list-style-type: disclosure-open }

pre, listing, xmp, plaintext { white-space: pre } textarea { white-space: pre-wrap; cursor: text; overflow: auto }
input, textarea, select, button { text-transform: none } input { cursor: text } a[href], area[href] { cursor: pointer }
label, button, select, input[type=submit i], input[type=reset i], input[type=button i], input[type=image i], input[type=checkbox i],
	input[type=radio i], input[type=file i], input[type=color i], input[type=range i] { cursor: default }`

// userAgent are the rules of the browser's own sheet, by element name.
var userAgent = sync.OnceValue(func() map[string][]rule {
	set := &ruleSet{keyed: make(map[string][]rule)}
	rules, _ := parseSheet(userAgentSheet, Medium{}, 0, &layer{})
	for _, r := range rules {
		set.add(r)
	}
	return set.keyed
})

// hint is what the hidden attribute says: a presentational hint, which revert takes away
// with the page's rules (css-cascade-5 §6.1).
func hint(n *html.Node, s *Style) {
	switch {
	case n.Namespace != "" || !dom.Has(n, "hidden"):
	case dom.Lower(dom.Attr(n, "hidden")) == "until-found":
		s.ContentVisibility = "hidden"
	default:
		s.Display = "none"
	}
}

// nestedBullets are those of lists within none, one, and more lists.
var nestedBullets = [...]string{"disc", "circle", "square"}

// listTypes are the markers that a type attribute of a list or an item asks for. That of
// letters and numbers has a case.
var listTypes = map[string]string{"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman",
	"none": "none", "disc": "disc", "circle": "circle", "square": "square"}

// listInitial is the marker that a list or an item has by its name, its depth
// and its type attribute.
func listInitial(n *html.Node, s *Style) {
	if n.Data != "li" {
		if s.ListStyle = nestedBullets[min(s.listDepth, 2)]; n.Data == "ol" {
			s.ListStyle = "decimal"
		}
		s.listDepth = min(s.listDepth+1, 2)
	}
	t := dom.Attr(n, "type")
	if marker := cmp.Or(listTypes[t], listTypes[dom.Lower(t)]); marker != "" {
		s.ListStyle = marker
	}
}

// foreignDisplays are those of SVG and MathML, by namespace and name.
var foreignDisplays = map[string]string{"svg style": "none", "svg script": "none", "svg text": "block", "svg foreignObject": "block",
	"math math": "math", "math annotation": "none", "math annotation-xml": "none", "math mtable": "inline-table", "math mtr": "table-row",
	"math mtd": "table-cell"}

// foreignInitial is for SVG and MathML.
func foreignInitial(n *html.Node, s *Style) {
	if n.Namespace == "math" {
		s.Display = "block math"
		if n.Data == "mi" && dom.Lower(dom.Attr(n, "mathvariant")) != "normal" {
			s.Transform = "math-auto"
		}
	}
	if display, ok := foreignDisplays[n.Namespace+" "+n.Data]; ok {
		s.Display = display
	}
}
