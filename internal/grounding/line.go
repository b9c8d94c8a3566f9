package grounding

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// read makes lines of texts, values and attributes.
func (p *page) read() {
	docs := p.snap.Capture.Documents
	base := make([]*url.URL, len(docs))
	for i := range docs {
		base[i], _ = url.Parse(cmp.Or(docs[i].BaseURL, docs[i].URL))
	}
	r := lineReader{page: p}
	for e := int32(1); e < int32(len(p.elems)); e++ {
		r.leave(e)
		el := &p.elems[e]
		if !el.visible {
			continue
		}
		switch n := p.node(e); {
		case n.Kind == driver.TextNode || n.Kind == driver.PseudoNode:
			r.text(e)
		case n.Kind != driver.ElementNode || n.Name == "wbr":
		case n.Name == "br":
			r.flush()
		default:
			if !p.isInline(e) {
				r.flush()
				r.ends = append(r.ends, el.end)
			}
			p.attributes(e, base[el.doc])
		}
	}
	r.flush()
	for i := range docs {
		if e := p.elemOf(int32(i), 0); e > 0 && p.elems[e].visible {
			p.addLine(e, docs[i].Title, true)
		}
	}
	p.order()
	if len(docs) > 0 {
		p.address(p.elemOf(0, 0), docs[0].URL, nil)
	}
}

// addLine adds a line of its own that an element says.
func (p *page) addLine(e int32, s string, hidden bool) {
	if s = collapse(s); s != "" {
		p.lines = append(p.lines, line{text: normalize(s), pieces: []piece{{0, e}}, hidden: hidden})
	}
}

// A lineReader puts texts together that stand on one line.
type lineReader struct {
	page      *page
	open      *line // the line that is being read, nil if none is
	said      strings.Builder
	wasRaised bool    // the last figure was an exponent or cents
	ends      []int32 // where block elements that are open end
}

// flush ends the line.
func (r *lineReader) flush() {
	if r.open != nil {
		r.open.text = r.said.String()
		if strings.TrimSpace(r.open.text) != "" {
			r.page.lines = append(r.page.lines, *r.open)
		}
	}
	r.open = nil
	r.said.Reset()
}

// leave ends the blocks that end before element e.
func (r *lineReader) leave(e int32) {
	for len(r.ends) > 0 && r.ends[len(r.ends)-1] <= e {
		r.ends = r.ends[:len(r.ends)-1]
		r.flush()
	}
}

// text adds a text to the line.
func (r *lineReader) text(e int32) {
	p := r.page
	n, parent := p.node(e), p.elems[e].parent
	if !n.Rendered || n.Style != nil && n.Style.Visibility == "hidden" {
		return
	}
	if parent > 0 {
		if s := p.node(parent).Style; s != nil && (s.Visibility == "hidden" || s.Visibility == "collapse") {
			return
		}
	}
	s := cmp.Or(n.Shown, n.Text)
	flat := collapse(s)
	if n.Name == "::marker" && !strings.ContainsAny(flat, "0123456789") {
		return // a bullet
	}
	if flat == "" {
		if s != "" && r.open != nil {
			r.said.WriteByte(' ')
		}
		return
	}
	if r.open == nil {
		r.open = &line{}
	}
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	if unicode.IsSpace(first) && r.said.Len() > 0 {
		r.said.WriteByte(' ')
	}
	if r.said.Len() > 0 && p.apart(r.open.pieces, e, r.said.String(), flat) {
		r.said.WriteByte(' ')
	}
	if digit := flat[0] >= '0' && flat[0] <= '9'; digit && r.said.Len() > 0 && p.raised(parent) {
		r.said.WriteByte(raised)
		r.wasRaised = true
	} else if digit && r.wasRaised {
		r.said.WriteByte(' ')
	} else {
		r.wasRaised = false
	}
	r.open.pieces = append(r.open.pieces, piece{int32(r.said.Len()), e})
	r.said.WriteString(normalize(flat))
	if unicode.IsSpace(last) {
		r.said.WriteByte(' ')
	}
	if len(r.open.pieces) > 400 {
		r.flush()
	}
}

// apart reports whether two texts are read apart though no white space stands
// between them: each is in an element of its own, as fields are that a layout
// separates. The parts of one number stay together.
func (p *page) apart(before []piece, e int32, text, next string) bool {
	if len(before) == 0 {
		return false
	}
	a, b := p.elems[before[len(before)-1].elem].parent, p.elems[e].parent
	if a == b || a <= b && b < p.elems[a].end || b <= a && a < p.elems[b].end || p.raised(b) {
		return false
	}
	last := text[len(text)-1]
	return last != '.' && last != ',' && next[0] != '.' && next[0] != ','
}

// order brings the lines into the order of their first elements: an element's
// attributes stand before its text, though a text is done only behind it.
func (p *page) order() {
	slices.SortStableFunc(p.lines, func(a, b line) int { return int(a.pieces[0].elem - b.pieces[0].elem) })
	p.lineStarts = make([]int32, len(p.lines))
	for i := range p.lines {
		p.lineStarts[i] = p.lines[i].pieces[0].elem
		for _, pc := range p.lines[i].pieces {
			if p.node(pc.elem).Name == "" || p.node(pc.elem).Kind == driver.PseudoNode {
				p.elems[pc.elem].line = int32(i)
			}
		}
	}
}

// raised reports whether an element sets its text apart as exponent or cents.
func (p *page) raised(e int32) bool {
	for i := 0; i < 2 && e > 0; i++ {
		switch p.tag(e) {
		case "sup", "sub", "msup":
			return true
		}
		if c := p.attr(e, "class"); c != "" {
			for w := range strings.FieldsSeq(strings.ToLower(c)) {
				if strings.Contains(w, "cents") || strings.Contains(w, "fraction") || strings.Contains(w, "decimal") || strings.HasSuffix(w, "-sup") {
					return true
				}
			}
		}
		e = p.elems[e].parent
	}
	return false
}

// attributes makes lines of what an element says without text, and remembers addresses.
func (p *page) attributes(e int32, base *url.URL) {
	el := &p.elems[e]
	n := p.node(e)
	for _, a := range n.Attrs {
		switch a.Name {
		case "aria-label", "alt", "title", "placeholder", "aria-valuetext", "aria-valuenow", "datetime", "aria-description", "aria-roledescription", "label":
			if n.Rendered || a.Name != "title" {
				p.addLine(e, a.Value, true)
			}
		case "content":
			if _, ok := n.Attr("itemprop"); ok {
				p.addLine(e, a.Value, true)
				p.address(e, a.Value, base)
			}
		case "href", "src", "xlink:href", "poster", "action", "data-src", "cite", "currentsrc":
			p.address(e, a.Value, base)
		case "srcset", "data-srcset":
			for part := range strings.SplitSeq(a.Value, ",") {
				if f := strings.Fields(part); len(f) > 0 {
					p.address(e, f[0], base)
				}
			}
		case "style":
			if _, rest, ok := strings.Cut(a.Value, "url("); ok {
				if inner, _, ok := strings.Cut(rest, ")"); ok {
					p.address(e, strings.Trim(inner, `"' `), base)
				}
			}
		case "value":
			if n.Name == "data" || n.Name == "meter" || n.Name == "progress" || n.Name == "li" {
				p.addLine(e, a.Value, true)
			}
		case "max", "min":
			if n.Name == "meter" || n.Name == "progress" {
				p.addLine(e, a.Value, true)
			}
		}
	}
	if el.seen >= 0 && el.cell == 0 {
		s := &p.snap.Nodes[el.seen]
		if s.URL != "" {
			p.address(e, s.URL, nil)
		}
		if s.Value != "" {
			p.addLine(e, s.Value, false)
		}
		if s.Role != "text" && s.Name != "" && len(s.Cells) == 0 && !p.covered(e, s.Name) {
			p.addLine(e, s.Name, true)
		}
		if s.Description != "" {
			p.addLine(e, s.Description, true)
		}
		for _, o := range s.OptionLabels() {
			if n.Name == "select" || len(s.Options) > 0 {
				if s := collapse(o); s != "" {
					p.lines = append(p.lines, line{text: normalize(s), pieces: []piece{{0, e}}, hidden: true, option: s != "" && !strings.EqualFold(collapse(o), collapse(p.snap.Nodes[el.seen].Value))})
				}
			}
		}
	} else if n.HasValue && n.Name != "option" && n.Name != "select" && n.Rendered {
		if t, _ := n.Attr("type"); t != "hidden" && t != "password" && t != "checkbox" && t != "radio" {
			p.addLine(e, n.Value, false)
		}
	}
}

// covered reports whether the text in an element's subtree begins as its name does.
func (p *page) covered(e int32, name string) bool {
	end := min(p.elems[e].end, e+64)
	for i := e + 1; i < end; i++ {
		n := p.node(i)
		if n.Kind == driver.TextNode && n.Rendered {
			if t := collapse(n.Text); t != "" {
				return strings.HasPrefix(normalize(name), normalize(t))
			}
		}
	}
	return false
}

// address remembers where an element leads.
func (p *page) address(e int32, ref string, base *url.URL) {
	ref = strings.TrimSpace(ref)
	if ref == "" || len(ref) > 4096 || strings.HasPrefix(ref, "javascript:") {
		return
	}
	put := func(s string) {
		list := p.addresses[s]
		if len(list) == 0 || list[len(list)-1] != e {
			p.addresses[s] = append(list, e)
		}
	}
	put(sameAddress(ref))
	if base != nil {
		if u, err := base.Parse(ref); err == nil {
			put(sameAddress(u.String()))
		}
	}
	for _, scheme := range []string{"mailto:", "tel:", "sms:"} {
		if rest, ok := strings.CutPrefix(strings.ToLower(ref), scheme); ok {
			rest, _, _ = strings.Cut(rest, "?")
			if un, err := url.PathUnescape(rest); err == nil {
				rest = un
			}
			put(sameAddress(rest))
			if scheme != "mailto:" {
				put(phone(rest))
			}
		}
	}
}

// sameAddress is one spelling of an address.
func sameAddress(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.Index(s, "://"); i >= 0 {
		host, path, found := strings.Cut(s[i+3:], "/")
		s = strings.ToLower(s[:i+3]+host) + "/" + path
		if !found {
			return s
		}
		return s
	}
	if strings.Contains(s, "@") {
		return strings.ToLower(s)
	}
	return s
}

// phone is a telephone number by its digits.
func phone(s string) string {
	return "tel:" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '+' {
			return r
		}
		return -1
	}, s)
}

// firstLine is the first line that stands at or behind an element.
func (p *page) firstLine(e int32) int32 {
	lo, hi := 0, len(p.lineStarts)
	for lo < hi {
		mid := (lo + hi) / 2
		if p.lineStarts[mid] < e {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return int32(lo)
}
