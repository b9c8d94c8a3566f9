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

// A scriptText is a text that stands above or below its line, written so that it
// cannot be taken for a part of the text before it: "10⁶" is not 106.
type scriptText struct {
	object int32 // in Tree.Objects
	text   string
	added  bool // names leave the text out: it is an annotation
}

// scripts are the scripts of a tree, in its order.
type scripts struct {
	tree  *axtree.Tree
	texts []scriptText
}

// findScripts returns the superscripts, subscripts and ruby annotations of a page,
// in the order of its objects. An annotation stands in parentheses.
func findScripts(t *axtree.Tree) scripts {
	var found []scriptText
	var before *driver.Node // the last text
	end, raised := int32(-1), false
	above := int32(-1) // where the ruby annotation ends
	for i := range t.Objects {
		o := &t.Objects[i]
		n := nodeOf(t, o)
		if n == nil || o.Hidden {
			continue
		}
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
	return scripts{t, found}
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
	m, from, signs := map[rune]rune{}, []rune(plainSigns), []rune(to)
	for i, r := range from {
		m[r] = signs[i]
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

// from returns the index of the first script at object i or behind it.
func (s *scripts) from(i int32) int {
	k, _ := slices.BinarySearchFunc(s.texts, i, func(t scriptText, i int32) int { return cmp.Compare(t.object, i) })
	return k
}

// at returns the script that the text at object i is.
func (s *scripts) at(i int32) (scriptText, bool) {
	if k := s.from(i); k < len(s.texts) && s.texts[k].object == i {
		return s.texts[k], true
	}
	return scriptText{}, false
}

// maxNameTexts bounds how many texts a name is compared with.
const maxNameTexts = 1000

// within writes the scripts within a name that is made of the content of
// object i.
func (s *scripts) within(i int32, name string) string {
	if len(s.texts) == 0 || name == "" {
		return name
	}
	k, end := s.from(i), s.tree.Objects[i].End
	if k == len(s.texts) || s.texts[k].object >= end {
		return name
	}
	var b strings.Builder
	rest := name
	for j, n := i+1, 0; j < end && n < maxNameTexts; j++ {
		o := &s.tree.Objects[j]
		node := nodeOf(s.tree, o)
		if node == nil || o.Hidden || node.Kind != driver.TextNode {
			continue
		}
		n++
		text := tidy(shownText(node))
		at := strings.Index(rest, text)
		script, scripted := s.at(j)
		switch {
		case scripted && script.added:
			b.WriteString(script.text)
		case text != "" && at >= 0:
			b.WriteString(rest[:at])
			rest = rest[at+len(text):]
			if scripted {
				text = tidy(script.text)
			}
			b.WriteString(text)
		}
	}
	b.WriteString(rest)
	return b.String()
}
