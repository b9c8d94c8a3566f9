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
