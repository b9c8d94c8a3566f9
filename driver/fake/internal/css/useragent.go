package css

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
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

// initial is the style that an element has by its name and attributes.
func (all *Sheets) initial(n *html.Node, s *Style) {
	name := n.Data
	if n.Namespace != "" {
		foreignInitial(n, s)
		return
	}
	if v, ok := userAgent[name]; ok {
		s.Display = v
	}
	if m := margins[name]; m != 0 {
		s.Margin.Top, s.Margin.Bottom = m, m
	}
	switch name {
	case "body":
		s.Margin = edges{8, 8, 8, 8}
	case "ul", "ol", "menu", "dir":
		s.Padding.Left = 40
		listInitial(n, s)
	case "li":
		listInitial(n, s)
	case "dd", "blockquote", "figure":
		s.Margin.Left = 40
	case "a", "area":
		if dom.Has(n, "href") {
			s.Cursor = "pointer"
		}
	case "fieldset":
		s.Padding, s.Border = edges{6, 12, 10, 12}, 2
	case "td", "th":
		s.Padding = edges{1, 1, 1, 1}
	case "pre", "listing", "xmp", "plaintext":
		s.WhiteSpace = "pre"
	case "textarea":
		s.WhiteSpace, s.Cursor = "pre-wrap", "text"
		s.OverflowX, s.OverflowY = "auto", "auto"
	case "noscript":
		if all.Scripts {
			s.Display = "none"
		}
	case "iframe":
		s.Border = 2
	case "hr":
		s.Border = 1
	case "label":
		s.Cursor = "default"
	case "button", "select":
		s.Cursor = "default"
	case "summary":
		all.summaryInitial(n, s)
	case "input":
		all.inputInitial(n, s)
	case "dialog":
		all.dialogInitial(n, s)
	case "video", "audio":
		if name == "audio" && !dom.Has(n, "controls") {
			s.Display = "none"
		}
	}
	if dom.Has(n, "popover") {
		all.popoverInitial(n, s)
	}
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

func (all *Sheets) inputInitial(n *html.Node, s *Style) {
	switch form.InputType(n) {
	case "hidden":
		s.Display = "none"
	case "submit", "reset", "button", "image", "checkbox", "radio", "file", "color", "range":
		s.Cursor = "default"
	default:
		s.Cursor = "text"
	}
}

func (all *Sheets) summaryInitial(n *html.Node, s *Style) {
	if !dom.IsElement(n.Parent, "details") {
		s.Display = "block"
		return
	}
	s.ListStyle, s.ListInside = "disclosure-closed", true
	if dom.Has(n.Parent, "open") {
		s.ListStyle = "disclosure-open"
	}
}

func (all *Sheets) dialogInitial(n *html.Node, s *Style) {
	if !dom.Has(n, "open") {
		s.Display = "none"
		return
	}
	s.Position = "absolute"
	s.Padding, s.Border = edges{16, 16, 16, 16}, 2
	s.Left, s.Right = length{0, 'p'}, length{0, 'p'}
	if c := all.Inputs[n]; c != nil && c.Modal {
		s.Position = "fixed"
		s.Top, s.Bottom = length{0, 'p'}, length{0, 'p'}
		s.OverflowX, s.OverflowY = "auto", "auto"
	}
}

func (all *Sheets) popoverInitial(n *html.Node, s *Style) {
	c := all.Inputs[n]
	if c == nil || !c.Popover {
		if !(n.Data == "dialog" && dom.Has(n, "open")) {
			s.Display = "none"
		}
		return
	}
	if s.Display == "none" {
		s.Display = "block"
	}
	s.Position = "fixed"
	s.Padding, s.Border = edges{4, 4, 4, 4}, 2
	s.Left, s.Right, s.Top, s.Bottom = length{0, 'p'}, length{0, 'p'}, length{0, 'p'}, length{0, 'p'}
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
