package pagedata

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Said returns what an element says as the page writes it, line by line, without the
// controls in it. ok is false where part of it is set apart as raised or struck
// through: the rest is then not all that it means.
func (p *Page) Said(e int32) (lines []string, ok bool) {
	last := int32(-1)
	for k := e; k < p.Elems[e].End; {
		switch p.Tag(k) {
		case "button", "select", "textarea", "option", "script", "style":
			k = p.Elems[k].End
			continue
		case "sup", "sub", "del", "s", "strike":
			return nil, false
		}
		at := p.Elems[k].Line
		if n := p.Node(k); at >= 0 && n.Name != "::marker" && (n.Kind == driver.TextNode || n.Kind == driver.PseudoNode) {
			text := Collapse(p.shown(k))
			l := &p.Lines[at]
			i := slices.IndexFunc(l.Pieces, func(pc Piece) bool { return pc.Elem == k })
			switch {
			case i < 0 || text == "":
			case at != last:
				lines = append(lines, text)
			case l.Pieces[i].Start > 0 && l.Text[l.Pieces[i].Start-1] == raised:
				return nil, false
			case l.Pieces[i].Start > 0 && l.Text[l.Pieces[i].Start-1] == ' ':
				lines[len(lines)-1] += " " + text
			default:
				lines[len(lines)-1] += text
			}
			last = at
		}
		k++
	}
	return lines, !strings.ContainsRune(strings.Join(lines, ""), raised)
}

// AddressesIn returns the addresses of the links, or of the pictures, in an element,
// absolute, each once.
func (p *Page) AddressesIn(e int32, tag, attribute string) (out []string) {
	for k := e; k < p.Elems[e].End; k++ {
		if p.Tag(k) != tag || !p.Elems[k].Visible {
			continue
		}
		if u := p.Resolve(k, p.Attr(k, attribute)); u != "" && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// Resolve makes an address absolute, as a browser does; empty where it is none of the
// web.
func (p *Page) Resolve(e int32, address string) string {
	base := p.base[p.Elems[e].Doc]
	if address = strings.TrimSpace(address); address == "" || strings.HasPrefix(address, "#") || base == nil {
		return ""
	}
	u, err := base.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	if u.Host != "" && u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

// pointed are languages that write fractions with a point (CLDR).
var pointed = SetOfWords("en he ja ko th zh")

// Decimals is how the page writes fractions: as its numbers show, or else as its
// language does.
func (p *Page) Decimals() Decimals {
	d := p.style
	if !d.Dot && !d.Comma {
		lang := ""
		if docs := p.Snap.Capture.Documents; len(docs) > 0 {
			lang, _, _ = strings.Cut(strings.ToLower(docs[0].Lang), "-")
		}
		d.Comma, d.Dot = d.dotted, pointed[lang]
	}
	return d
}
