package fake

import (
	"golang.org/x/net/html"
)

// displays are the values of display that are known.
var displays = map[string]bool{
	"none": true, "block": true, "inline": true, "inline-block": true, "contents": true, "flex": true, "inline-flex": true,
	"grid": true, "inline-grid": true, "list-item": true, "flow-root": true, "table": true, "inline-table": true,
	"table-row": true, "table-cell": true, "table-row-group": true, "table-header-group": true, "table-footer-group": true,
	"table-caption": true, "table-column": true, "table-column-group": true, "ruby": true, "ruby-text": true, "math": true,
	"block math": true,
}

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
func (all *sheets) initial(n *html.Node, s *style) {
	name := n.Data
	if n.Namespace != "" {
		foreignInitial(n, s)
		return
	}
	if v, ok := userAgent[name]; ok {
		s.Display = v
	}
	if m := margins[name]; m != 0 {
		s.margin.top, s.margin.bottom = m, m
	}
	switch name {
	case "body":
		s.margin = edges{8, 8, 8, 8}
	case "ul", "ol", "menu", "dir":
		s.padding.left = 40
		listInitial(n, s)
	case "li":
		listInitial(n, s)
	case "dd", "blockquote", "figure":
		s.margin.left = 40
	case "a", "area":
		if has(n, "href") {
			s.Cursor = "pointer"
		}
	case "fieldset":
		s.padding, s.border = edges{6, 12, 10, 12}, 2
	case "td", "th":
		s.padding = edges{1, 1, 1, 1}
	case "pre", "listing", "xmp", "plaintext":
		s.whiteSpace = "pre"
	case "textarea":
		s.whiteSpace, s.Cursor = "pre-wrap", "text"
		s.overflowX, s.overflowY = "auto", "auto"
	case "noscript":
		if all.scripts {
			s.Display = "none"
		}
	case "iframe":
		s.border = 2
	case "hr":
		s.border = 1
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
		if name == "audio" && !has(n, "controls") {
			s.Display = "none"
		}
	}
	if has(n, "hidden") {
		if lower(attr(n, "hidden")) == "until-found" {
			s.ContentVisibility = "hidden"
		} else {
			s.Display = "none"
		}
	}
	if has(n, "popover") {
		all.popoverInitial(n, s)
	}
}

// nestedBullets are those of lists within none, one, and more lists.
var nestedBullets = [...]string{"disc", "circle", "square"}

// listInitial is the marker that a list or an item has by its name, its depth
// and its type attribute.
func listInitial(n *html.Node, s *style) {
	switch n.Data {
	case "ul", "menu", "dir":
		s.listStyle = nestedBullets[min(s.listDepth, 2)]
		s.listDepth = min(s.listDepth+1, 2)
	case "ol":
		s.listStyle = "decimal"
		s.listDepth = min(s.listDepth+1, 2)
	}
	switch t := attr(n, "type"); t {
	case "1":
		s.listStyle = "decimal"
	case "a":
		s.listStyle = "lower-alpha"
	case "A":
		s.listStyle = "upper-alpha"
	case "i":
		s.listStyle = "lower-roman"
	case "I":
		s.listStyle = "upper-roman"
	default:
		if t = lower(t); t == "none" || t == "disc" || t == "circle" || t == "square" {
			s.listStyle = t
		}
	}
}

func (all *sheets) inputInitial(n *html.Node, s *style) {
	switch inputType(n) {
	case "hidden":
		s.Display = "none"
	case "submit", "reset", "button", "image", "checkbox", "radio", "file", "color", "range":
		s.Cursor = "default"
	default:
		s.Cursor = "text"
	}
}

func (all *sheets) summaryInitial(n *html.Node, s *style) {
	if !isElement(n.Parent, "details") {
		s.Display = "block"
		return
	}
	s.listStyle, s.listInside = "disclosure-closed", true
	if has(n.Parent, "open") {
		s.listStyle = "disclosure-open"
	}
}

func (all *sheets) dialogInitial(n *html.Node, s *style) {
	if !has(n, "open") {
		s.Display = "none"
		return
	}
	s.Position = "absolute"
	s.padding, s.border = edges{16, 16, 16, 16}, 2
	s.left, s.right = length{0, 'p'}, length{0, 'p'}
	if c := all.inputs[n]; c != nil && c.modal {
		s.Position = "fixed"
		s.top, s.bottom = length{0, 'p'}, length{0, 'p'}
		s.overflowX, s.overflowY = "auto", "auto"
	}
}

func (all *sheets) popoverInitial(n *html.Node, s *style) {
	c := all.inputs[n]
	if c == nil || !c.popover {
		if !(n.Data == "dialog" && has(n, "open")) {
			s.Display = "none"
		}
		return
	}
	if s.Display == "none" {
		s.Display = "block"
	}
	s.Position = "fixed"
	s.padding, s.border = edges{4, 4, 4, 4}, 2
	s.left, s.right, s.top, s.bottom = length{0, 'p'}, length{0, 'p'}, length{0, 'p'}, length{0, 'p'}
}

// foreignInitial is for SVG and MathML.
func foreignInitial(n *html.Node, s *style) {
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
	if n.Data == "mi" && lower(attr(n, "mathvariant")) != "normal" {
		s.transform = "math-auto"
	}
}
