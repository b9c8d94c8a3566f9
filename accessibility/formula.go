package accessibility

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// maxFormula bounds how deep the parts of a formula are nested.
const maxFormula = 40

// A formula is a part of a MathML formula, written on one line as a calculator
// would take it: "(a + b)/2", "x²", "√(x + 1)", "∑_(i = 1)^n".
type formula struct {
	text string
	sign bool // an operator
	atom bool // needs no parentheses in a larger part
	wide bool // an operator with bounds, as a sum, from which its term stands apart
}

// formulaOf writes the formula that the math element at index i is.
func formulaOf(nodes []driver.Node, i int32) string {
	f, _ := formulaAt(nodes, i, 0)
	return tidy(f.text)
}

// formulaAt writes the part at index i, and returns the index behind it.
func formulaAt(nodes []driver.Node, i int32, depth int) (formula, int32) {
	n := &nodes[i]
	next := i + 1
	if n.Kind != driver.ElementNode {
		if n.Kind != driver.TextNode || !n.Rendered || n.Style != nil && n.Style.Visibility == "hidden" {
			return formula{}, next
		}
		return formula{text: n.Text}, next
	}
	var parts []formula
	if depth > maxFormula {
		for int(next) < len(nodes) && nodes[next].Parent >= i {
			next++
		}
	}
	for int(next) < len(nodes) && nodes[next].Parent >= i {
		child := &nodes[next]
		part, after := formulaAt(nodes, next, depth+1)
		next = after
		if child.Kind == driver.ElementNode || strings.TrimSpace(part.text) != "" {
			parts = append(parts, part)
		}
	}
	return composed(n, parts), next
}

// composed writes an element of its parts (MathML Core §3).
func composed(n *driver.Node, parts []formula) formula {
	part := func(k int) formula {
		if k < len(parts) {
			return parts[k]
		}
		return formula{}
	}
	switch n.Name {
	case "annotation", "annotation-xml", "mphantom", "none", "mprescripts":
		return formula{}
	case "semantics", "maction":
		return part(0)
	case "mo":
		return formula{text: tidy(joined(parts).text), sign: true}
	case "mi", "mn", "ms":
		return formula{text: tidy(joined(parts).text), atom: true}
	case "mspace":
		return formula{text: " "}
	case "mfrac":
		if thick, _ := n.Attr("linethickness"); strings.HasPrefix(thick, "0") && !strings.HasPrefix(thick, "0.") {
			return formula{text: "(" + part(0).text + " over " + part(1).text + ")", atom: true}
		}
		return formula{text: part(0).closed() + "/" + part(1).closed()}
	case "msqrt":
		return formula{text: "√" + joined(parts).closed(), atom: true}
	case "mroot":
		return formula{text: scripted("", part(1), true, true) + "√" + part(0).closed(), atom: true}
	case "msup", "mover":
		return formula{text: scripted(part(0).closed(), part(1), true, n.Name == "msup"), atom: true, wide: part(0).sign}
	case "msub", "munder":
		return formula{text: scripted(part(0).closed(), part(1), false, n.Name == "msub"), atom: true, wide: part(0).sign}
	case "msubsup", "munderover":
		small := n.Name == "msubsup"
		return formula{text: scripted(scripted(part(0).closed(), part(1), false, small), part(2), true, small), atom: true, wide: part(0).sign}
	case "mtable":
		return formula{text: "[" + list(parts, "; ") + "]", atom: true}
	case "mtr", "mlabeledtr":
		return formula{text: list(parts, ", ")}
	case "mfenced":
		opening, closing := "(", ")"
		if v, ok := n.Attr("open"); ok {
			opening = v
		}
		if v, ok := n.Attr("close"); ok {
			closing = v
		}
		return formula{text: opening + list(parts, ", ") + closing, atom: true}
	}
	return joined(parts)
}

// closed is a part within a larger one.
func (f formula) closed() string {
	text := tidy(f.text)
	if f.atom || f.sign || utf8.RuneCountInString(text) < 2 {
		return text
	}
	return "(" + text + ")"
}

// scripted puts a part above or below what stands before it: with the signs that
// there are for it if small, else behind ^ or _.
func scripted(base string, f formula, up, small bool) string {
	text := tidy(f.text)
	if text == "" {
		return base
	}
	signs, mark := raisedSign, "^"
	if !up {
		signs, mark = loweredSign, "_"
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, " ", "") {
		s, ok := signs[r]
		if !ok {
			s, ok = r, r == '′' || r == '″' || r == '*' || r == '†'
		}
		if !ok || !small {
			return base + mark + f.closed()
		}
		b.WriteRune(s)
	}
	return base + b.String()
}

// list joins parts that stand beside or below one another.
func list(parts []formula, between string) string {
	texts := make([]string, len(parts))
	for i := range parts {
		texts[i] = tidy(parts[i].text)
	}
	return strings.Join(texts, between)
}

// joined writes parts in a row. An operator between two has spaces around it; two
// numbers, or a word and what follows, have one between them, or 2½ would be 21/2.
func joined(parts []formula) formula {
	if len(parts) == 1 {
		return parts[0]
	}
	var b strings.Builder
	wide := false
	for i, f := range parts {
		if f.text == "" {
			continue
		}
		text := b.String()
		spaced := f.sign && binary(f.text)
		switch {
		case text == "" || strings.HasSuffix(text, " "):
		case spaced && i+1 < len(parts), wide, runTogether(text, f.text):
			b.WriteByte(' ')
		}
		wide = f.wide
		b.WriteString(f.text)
		if spaced && text != "" && i+1 < len(parts) {
			b.WriteByte(' ')
		}
	}
	return formula{text: b.String()}
}

// binary reports whether an operator stands between two terms.
func binary(sign string) bool {
	r, n := utf8.DecodeRuneInString(sign)
	if n != len(sign) {
		return false
	}
	switch r {
	case '-', '*', '·', '∗', '→', '∈', '∧', '∨', '∩', '∪':
		return true
	case '∑', '∏', '∫', '√', '¬', '∂', '∇', '^', '~':
		return false
	}
	return unicode.Is(unicode.Sm, r)
}

// runTogether reports whether two parts would read as one.
func runTogether(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	if unicode.IsDigit(first) {
		return unicode.IsDigit(last)
	}
	word := len(before) - len(strings.TrimRightFunc(before, unicode.IsLetter))
	return unicode.IsLetter(first) && word > 1
}
