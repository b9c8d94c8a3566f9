package css

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// userAgent is the browser's own style sheet: display by element name.
// Everything else is inline.
var userAgent = map[string]string{
	"html": "block", "body": "block", "address": "block", "article": "block", "aside": "block", "blockquote": "block",
	"center": "block", "dd": "block", "details": "block", "dialog": "block", "dir": "block", "div": "block", "dl": "block",
	"dt": "block", "fieldset": "block", "figcaption": "block", "figure": "block", "footer": "block", "form": "block",
	"frameset": "block", "frame": "block", "h1": "block", "h2": "block", "h3": "block", "h4": "block", "h5": "block", "h6": "block",
	"header": "block", "hgroup": "block", "hr": "block", "legend": "block", "li": "list-item", "listing": "block", "main": "block",
	"menu": "block", "nav": "block", "ol": "block", "optgroup": "block", "option": "block", "p": "block", "plaintext": "block",
	"pre": "block", "search": "block", "section": "block", "summary": "list-item", "ul": "block", "xmp": "block",
	"slot": "contents", "button": "inline-block", "input": "inline-block", "select": "inline-block", "textarea": "inline-block",
	"meter": "inline-block", "progress": "inline-block", "marquee": "inline-block",
	"table": "table", "caption": "table-caption", "colgroup": "table-column-group", "col": "table-column",
	"thead": "table-header-group", "tbody": "table-row-group", "tfoot": "table-footer-group", "tr": "table-row",
	"td": "table-cell", "th": "table-cell", "ruby": "ruby", "rt": "ruby-text",
	"area": "none", "base": "none", "basefont": "none", "datalist": "none", "head": "none", "link": "none", "meta": "none",
	"noembed": "none", "noframes": "none", "param": "none", "rp": "none", "script": "none", "style": "none",
	"template": "none", "title": "none", "source": "none", "track": "none",
}

// margins are those of the user agent's sheet, above and below.
var margins = map[string]float64{
	"p": 16, "ul": 16, "ol": 16, "dl": 16, "h1": 21, "h2": 20, "h3": 19, "h4": 21, "h5": 22, "h6": 25, "blockquote": 16,
	"figure": 16, "pre": 13, "hr": 8, "menu": 16, "dir": 16, "fieldset": 0,
}

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

// listInitial is the marker that a list or an item has by its name, its depth
// and its type attribute.
func listInitial(n *html.Node, s *Style) {
	switch n.Data {
	case "ul", "menu", "dir":
		s.ListStyle = nestedBullets[min(s.listDepth, 2)]
		s.listDepth = min(s.listDepth+1, 2)
	case "ol":
		s.ListStyle = "decimal"
		s.listDepth = min(s.listDepth+1, 2)
	}
	switch t := dom.Attr(n, "type"); t {
	case "1":
		s.ListStyle = "decimal"
	case "a":
		s.ListStyle = "lower-alpha"
	case "A":
		s.ListStyle = "upper-alpha"
	case "i":
		s.ListStyle = "lower-roman"
	case "I":
		s.ListStyle = "upper-roman"
	default:
		if t = dom.Lower(t); t == "none" || t == "disc" || t == "circle" || t == "square" {
			s.ListStyle = t
		}
	}
}

// foreignInitial is for SVG and MathML.
func foreignInitial(n *html.Node, s *Style) {
	if n.Namespace == "svg" {
		switch n.Data {
		case "style", "script":
			s.Display = "none"
		case "text", "foreignObject":
			s.Display = "block"
		}
		return
	}
	switch n.Data {
	case "math":
		s.Display = "math"
	case "annotation", "annotation-xml":
		s.Display = "none"
	case "mtable":
		s.Display = "inline-table"
	case "mtr":
		s.Display = "table-row"
	case "mtd":
		s.Display = "table-cell"
	default:
		s.Display = "block math"
	}
	if n.Data == "mi" && dom.Lower(dom.Attr(n, "mathvariant")) != "normal" {
		s.Transform = "math-auto"
	}
}
