package accessibility

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// findScripts returns the superscripts, subscripts and ruby annotations of a page,
// in the order of its objects. An annotation stands in parentheses.
func findScripts(t *axtree.Tree) []scriptText {
	var found []scriptText
	var before *driver.Node // the last text
	end, raised := int32(-1), false
	above := int32(-1) // where the ruby annotation ends
	for i := range t.Objects {
		o := &t.Objects[i]
		if o.Hidden || o.Doc < 0 || int(o.Doc) >= len(t.Capture.Documents) || o.Node < 0 || int(o.Node) >= len(t.Capture.Documents[o.Doc].Nodes) {
			continue
		}
		n := &t.Capture.Documents[o.Doc].Nodes[o.Node]
		inside := int32(i) < end
		switch {
		case n.Kind == driver.ElementNode && n.Namespace == driver.HTML && (n.Name == "sup" || n.Name == "sub"):
			end, raised = o.End, n.Name == "sup"
		case n.Kind == driver.ElementNode && n.Namespace == driver.HTML && n.Name == "rt" && !showsParentheses(t, o):
			above = o.End
		case n.Kind == driver.TextNode && int32(i) < above:
			if text := tidy(shownText(n)); text != "" {
				found = append(found, scriptText{int32(i), "(" + text + ")", true})
			}
			before = n
		case n.Kind == driver.ElementNode && inside && o.States.Focusable:
			end = -1 // a link to a note has a line of its own
		case n.Kind == driver.TextNode && strings.TrimSpace(n.Text) != "":
			up := raised
			if !inside {
				inside, up = smallBeside(before, n)
			}
			if inside {
				if text, ok := script(shownText(before), shownText(n), up); ok {
					found = append(found, scriptText{int32(i), text, false})
				}
			}
			before = n
		}
	}
	return found
}

// showsParentheses reports whether a page shows the parentheses that rp elements
// hold for browsers without ruby.
func showsParentheses(t *axtree.Tree, rt *axtree.Object) bool {
	nodes := t.Capture.Documents[rt.Doc].Nodes
	for j := rt.Node - 1; j > nodes[rt.Node].Parent; j-- {
		if nodes[j].Name == "rp" {
			return nodes[j].Rendered
		}
	}
	return false
}

// shownText is the text of a text node as a person sees it.
func shownText(n *driver.Node) string {
	if n == nil {
		return ""
	}
	return cmp.Or(n.Shown, n.Text)
}

// smallBeside reports whether digits follow digits on the same line in smaller
// letters, as cents do behind a price, and whether they stand high.
func smallBeside(before, n *driver.Node) (beside, up bool) {
	if before == nil || before.Box.Height <= 0 || n.Box.Height <= 0 || n.Box.Height > 0.85*before.Box.Height {
		return false, false
	}
	last, first := before.Text[len(before.Text)-1], n.Text[0]
	if last < '0' || last > '9' || first < '0' || first > '9' {
		return false, false
	}
	gap := n.Box.X - (before.Box.X + before.Box.Width)
	middle := n.Box.Y + n.Box.Height/2
	if gap < -1 || gap > before.Box.Height/2 || middle < before.Box.Y || middle > before.Box.Y+before.Box.Height {
		return false, false
	}
	return true, middle <= before.Box.Y+before.Box.Height/2
}

const (
	plainSigns   = "0123456789+-−=()nixkj"
	raisedSigns  = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱˣᵏʲ"
	loweredSigns = "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙᵢₓₖⱼ"
)

var raisedSign, loweredSign = signs(raisedSigns), signs(loweredSigns)

func signs(to string) map[rune]rune {
	m, from, scripts := map[rune]rune{}, []rune(plainSigns), []rune(to)
	for i, r := range from {
		m[r] = scripts[i]
	}
	return m
}

// script writes a text that stands above or below the line, if it has to be told
// from what stands before it. Letters as in "4th" don't, nor do the cents behind
// a decimal point.
func script(before, text string, up bool) (string, bool) {
	t := tidy(text)
	if before != "" {
		last := before[len(before)-1]
		if (last == '.' || last == ',') && len(before) > 1 && before[len(before)-2] >= '0' && before[len(before)-2] <= '9' {
			return "", false
		}
	}
	first, _ := utf8.DecodeRuneInString(t)
	one := utf8.RuneCountInString(t) == 1
	to, mark := raisedSign, "^"
	if !up {
		to, mark = loweredSign, "_"
	}
	var b strings.Builder
	digit := false
	for _, r := range t {
		s, ok := to[r]
		if !ok || unicode.IsLetter(r) && !one {
			if !unicode.IsDigit(first) {
				return "", false
			}
			return strings.Replace(text, t, mark+t, 1), true
		}
		digit = digit || unicode.IsDigit(r)
		b.WriteRune(s)
	}
	if !digit && !one {
		return "", false
	}
	return strings.Replace(text, t, b.String(), 1), true
}

// scriptsFrom returns the index of the first script at object i or behind it.
func (p *pruner) scriptsFrom(i int32) int {
	k, _ := slices.BinarySearchFunc(p.scripts, i, func(s scriptText, i int32) int { return cmp.Compare(s.object, i) })
	return k
}

// scriptAt returns the index of the script that the text at object i is.
func (p *pruner) scriptAt(i int32) (int, bool) {
	if len(p.scripts) == 0 {
		return 0, false
	}
	k := p.scriptsFrom(i)
	return k, k < len(p.scripts) && p.scripts[k].object == i
}

// maxNameTexts bounds how many texts a name is compared with.
const maxNameTexts = 1000

// withScripts writes the scripts within a name that is made of the content of
// object i.
func (p *pruner) withScripts(i int32, name string) string {
	if len(p.scripts) == 0 || name == "" {
		return name
	}
	k, end := p.scriptsFrom(i), p.tree.Objects[i].End
	if k == len(p.scripts) || p.scripts[k].object >= end {
		return name
	}
	var b strings.Builder
	rest := name
	for j, n := i+1, 0; j < end && n < maxNameTexts; j++ {
		o := &p.tree.Objects[j]
		if o.Doc < 0 || o.Node < 0 || o.Hidden {
			continue
		}
		node := &p.tree.Capture.Documents[o.Doc].Nodes[o.Node]
		if node.Kind != driver.TextNode {
			continue
		}
		n++
		text := tidy(shownText(node))
		at := strings.Index(rest, text)
		k, scripted := p.scriptAt(j)
		switch {
		case scripted && p.scripts[k].added:
			b.WriteString(p.scripts[k].text)
		case text != "" && at >= 0:
			b.WriteString(rest[:at])
			rest = rest[at+len(text):]
			if scripted {
				text = tidy(p.scripts[k].text)
			}
			b.WriteString(text)
		}
	}
	b.WriteString(rest)
	return b.String()
}
