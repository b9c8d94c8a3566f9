package css

import (
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A rule is one selector of a style rule with its declarations.
type rule struct {
	sel    cascadia.Sel
	live   bool
	pseudo string // "::before", "::after", "::backdrop", "::placeholder", …; empty for the element
	slot   bool   // ::slotted
	host   bool   // :host
	weight [3]int // specificity
	order  int
	key    string // "#id", ".class" or "tag" that an element must have; empty for any
	decls  []declaration
}

// parseSheet reads a style sheet. What it does not understand it passes over.
func parseSheet(text string, on Medium, order int) ([]rule, map[string]string) {
	r := &sheetReader{scanner: scanner{text: stripComments(text)}, on: on, order: order, transitions: strings.Contains(text, "transition")}
	r.rules()
	return r.out, r.keyframes
}

type sheetReader struct {
	scanner
	on    Medium
	order int
	out   []rule
	depth int

	transitions bool // the sheet has some

	keyframes map[string]string
}

// rules reads rules up to a closing brace or the end.
func (r *sheetReader) rules() {
	for {
		start := r.i
		stop := r.until("{};")
		head := strings.TrimSpace(r.text[start:stop])
		if stop >= len(r.text) {
			return
		}
		r.i = stop + 1
		switch c := r.text[stop]; {
		case c == '}':
			if r.depth > 0 {
				return
			}
		case c == ';': // @import, @charset and strays
		case strings.HasPrefix(head, "@"):
			r.atRule(head)
		default:
			body := r.block()
			r.add(head, body)
		}
	}
}

func (r *sheetReader) atRule(head string) {
	name, condition, _ := strings.Cut(head, " ")
	name, rest, open := strings.Cut(name, "(")
	if open {
		condition = "(" + rest + " " + condition
	}
	switch dom.Lower(name) {
	case "@media", "@supports", "@layer", "@container", "@scope":
		if dom.Lower(name) == "@media" && !mediaMatches(dom.Lower(condition), r.on) || r.depth > 16 {
			r.block()
			return
		}
		r.depth++
		r.rules()
		r.depth--
	case "@keyframes", "@-webkit-keyframes":
		if r.keyframes == nil {
			r.keyframes = make(map[string]string)
		}
		r.keyframes[dom.Lower(strings.TrimSpace(condition))] = dom.Lower(r.block())
	default:
		r.block()
	}
}

func (r *sheetReader) add(selectors, body string) {
	decls := parseDeclarations(body)
	if len(decls) == 0 || !r.transitions && painted(decls) {
		return
	}
	for _, text := range splitList(selectors) {
		rl, ok := newRule(text)
		if !ok {
			return // one bad selector spoils its rule
		}
		rl.decls = decls
		rl.order = r.order
		r.order++
		r.out = append(r.out, rl)
	}
}

// newRule compiles one selector of a rule.
func newRule(text string) (rule, bool) {
	text = strings.TrimSpace(text)
	var rl rule
	if i := strings.Index(text, "::slotted("); i >= 0 {
		end := parenthesis(text, i+len("::slotted"))
		if end < 0 {
			return rl, false
		}
		rl.slot = true
		text = text[i+len("::slotted(") : end]
	}
	for _, legacy := range []string{":before", ":after"} {
		if strings.HasSuffix(text, legacy) && !strings.HasSuffix(text, ":"+legacy) {
			text = strings.TrimSuffix(text, legacy) + ":" + legacy
		}
	}
	if i := strings.Index(text, "::"); i >= 0 {
		rl.pseudo = dom.Lower(text[i:])
		text = text[:i]
		rl.weight[2]++
	}
	if strings.HasPrefix(text, ":host") {
		rl.host = true
		rest := strings.TrimPrefix(text, ":host")
		text = "*"
		if strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, ")") {
			text = rest[1 : len(rest)-1]
		} else if rest != "" {
			return rl, false
		}
		rl.weight[1]++
	}
	if text = strings.TrimSpace(text); text == "" || strings.HasSuffix(text, ">") {
		text += "*"
	}
	s, err := Compile(text)
	if err != nil || len(s.SelectorGroup) != 1 {
		return rl, false
	}
	rl.sel, rl.live = s.SelectorGroup[0], s.Live
	w := rl.sel.Specificity()
	for i := range rl.weight {
		rl.weight[i] += w[i]
	}
	rl.key = keyOf(text)
	return rl, true
}

// keyOf finds what an element must have to match: of the last compound, the
// id, a class, or the name.
func keyOf(text string) string {
	if strings.ContainsAny(text, `\`) {
		return ""
	}
	last, depth := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ' ', '>', '+', '~', '\t', '\n':
			if depth == 0 {
				last = i + 1
			}
		}
	}
	compound := text[last:]
	if i := strings.IndexAny(compound, ":["); i >= 0 {
		compound = compound[:i]
	}
	for _, mark := range []byte{'#', '.'} {
		if i := strings.IndexByte(compound, mark); i >= 0 {
			name, _ := identifier(compound, i+1)
			return string(mark) + name
		}
	}
	if compound == "*" || compound == "" {
		return ""
	}
	return dom.Lower(compound)
}

// splitList splits at the commas that stand in no parenthesis.
func splitList(text string) []string {
	var out []string
	r := scanner{text: text}
	for {
		stop := r.until(",")
		out = append(out, r.text[r.i:stop])
		if stop >= len(r.text) {
			return out
		}
		r.i = stop + 1
	}
}

func stripComments(text string) string {
	if !strings.Contains(text, "/*") {
		return text
	}
	var sb strings.Builder
	for {
		before, after, found := strings.Cut(text, "/*")
		sb.WriteString(before)
		if !found {
			return sb.String()
		}
		_, text, found = strings.Cut(after, "*/")
		if !found {
			return sb.String()
		}
		sb.WriteByte(' ')
	}
}

// A Medium is what a document is shown on, as media queries ask about it.
type Medium struct {
	Size driver.Size
	Dark bool // the person prefers dark colors
}

// mediaMatches evaluates a media query list as far as it is about width,
// height, the color scheme and the kind of medium. What it does not know does not match.
func mediaMatches(query string, on Medium) bool {
	for _, q := range strings.Split(query, ",") {
		ok, not := true, false
		for _, part := range strings.Split(strings.TrimSpace(q), " and ") {
			part = strings.TrimSpace(part)
			if rest, found := strings.CutPrefix(part, "not "); found {
				not, part = true, rest
			}
			part = strings.TrimPrefix(part, "only ")
			ok = ok && mediaFeature(part, on)
		}
		if ok != not {
			return true
		}
	}
	return false
}

func mediaFeature(part string, on Medium) bool {
	view := on.Size
	switch part {
	case "all", "screen", "", "(hover)", "(hover: hover)", "(hover:hover)", "(pointer: fine)", "(any-hover: hover)":
		return true
	case "(prefers-color-scheme: light)", "(prefers-color-scheme:light)":
		return !on.Dark
	case "(prefers-color-scheme: dark)", "(prefers-color-scheme:dark)":
		return on.Dark
	}
	name, value, _ := strings.Cut(strings.Trim(part, "()"), ":")
	l, ok := parseLength(strings.TrimSpace(value))
	if !ok {
		return part == "(orientation: landscape)" && view.Width >= view.Height || part == "(orientation: portrait)" && view.Width < view.Height
	}
	n, _ := l.Of(0, view)
	switch strings.TrimSpace(name) {
	case "min-width":
		return view.Width >= n
	case "max-width":
		return view.Width <= n
	case "min-height":
		return view.Height >= n
	case "max-height":
		return view.Height <= n
	}
	return false
}
