package css

import (
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A rule is one selector of a style rule with its declarations.
type rule struct {
	sel    cascadia.Sel
	live   bool
	pseudo string // "::before", "::after", "::backdrop", "::placeholder", …; empty for the element
	weight cascadia.Specificity
	order  int
	key    string // "#id", ".class" or "tag" that an element must have; empty for any
	decls  []declaration
	has    []hasMark
	custom bool              // it declares custom properties
	within []*containerQuery // the conditions around it
	layer  *layer
}

// parseSheet reads a style sheet, whose layers stand in those of its tree. What it does
// not understand it passes over.
func parseSheet(text string, on Medium, order int, layers *layer) ([]rule, map[string]string) {
	r := &sheetReader{scanner: scanner{text: stripComments(text)}, on: on, order: order, layer: layers, keyframes: map[string]string{}, transitions: strings.Contains(text, "transition")}
	r.rules("")
	return r.out, r.keyframes
}

type sheetReader struct {
	scanner
	on    Medium
	order int
	out   []rule
	depth int

	within []*containerQuery // the conditions around what is read
	layer  *layer

	transitions bool // the sheet has some

	keyframes map[string]string
}

// rules reads rules up to a closing brace or the end. parent is the selector of the rule
// that they stand in; empty if they stand in none.
func (r *sheetReader) rules(parent string) {
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
		case c == ';': // @import, @charset and strays, or layers in their order
			if name, names := atName(head + " "); name == "@layer" {
				for _, name := range splitList(names) {
					r.layer.named(name)
				}
			}
		case strings.HasPrefix(head, "@"):
			r.atRule(head, parent)
		default:
			r.add(within(parent, head), r.block())
		}
	}
}

// atName splits the head of an at-rule.
func atName(head string) (name, condition string) {
	name, condition = head, ""
	if i := strings.IndexAny(head[1:], " (\t\n"); i >= 0 {
		name, condition = head[:i+1], head[i+1:]
	}
	return dom.Lower(name), strings.TrimSpace(condition)
}

func (r *sheetReader) atRule(head, parent string) {
	name, condition := atName(head)
	switch name {
	case "@media", "@supports", "@layer", "@container", "@scope":
		end, ok := r.enter(name, condition)
		if !ok {
			r.block()
			return
		}
		if parent != "" {
			r.add(parent, r.block())
		} else {
			r.rules("")
		}
		end()
	case "@keyframes", "@-webkit-keyframes":
		r.keyframes[dom.Lower(strings.TrimSpace(condition))] = dom.Lower(r.block())
	default:
		r.block()
	}
}

// enter goes into a conditional group, if its condition may hold. end leaves it.
func (r *sheetReader) enter(name, condition string) (end func(), ok bool) {
	if r.depth > maxNesting || len(condition) > maxCondition {
		return nil, false
	}
	outer, around := r.within, r.layer
	switch name {
	case "@media":
		ok = mediaMatches(dom.Lower(condition), r.on)
	case "@supports":
		ok = supports(condition)
	case "@container":
		q := parseContainerQuery(dom.Lower(condition))
		r.within = append(outer[:len(outer):len(outer)], q)
		ok = true
	case "@layer":
		r.layer = r.layer.named(condition)
		ok = true
	case "@scope":
		ok = true
	}
	if ok {
		r.depth++
	}
	return func() { r.depth, r.within, r.layer = r.depth-1, outer, around }, ok
}

// Bounds: how deep rules stand within others, how long a condition is, and a
// selector with those around it in place of each &.
const (
	maxNesting   = 16
	maxCondition = 4 << 10
	maxSelector  = 16 << 10
)

func (r *sheetReader) add(selectors, body string) {
	if selectors == "" {
		return
	}
	if strings.IndexByte(body, '{') >= 0 {
		defer r.nested(selectors, body)
	}
	decls := parseDeclarations(body)
	if len(decls) == 0 || !r.transitions && painted(decls) {
		return
	}
	from := len(r.out)
	custom := slices.ContainsFunc(decls, func(d declaration) bool { return d.custom() })
	for _, text := range splitList(selectors) {
		rl, ok := newRule(text)
		if !ok {
			r.out = r.out[:from] // one bad selector spoils its rule
			return
		}
		rl.decls = decls
		rl.order = r.order
		rl.within = r.within
		rl.layer = r.layer
		rl.custom = custom
		r.order++
		r.out = append(r.out, rl)
	}
}

// nested reads the rules that stand within the block of a rule.
func (r *sheetReader) nested(parent, body string) {
	if r.depth > maxNesting {
		return
	}
	outer := r.scanner
	r.depth++
	r.scanner = scanner{text: body}
	r.rules(parent)
	r.depth--
	r.scanner = outer
}

// within is a list of selectors that stand in a rule, as they would read outside; empty
// if that is too long.
func within(parent, list string) string {
	if parent == "" {
		return list
	}
	var selectors []string
	length := 0
	for _, s := range splitList(list) {
		if length += len(s) + (1+strings.Count(s, "&"))*len(parent); length > maxSelector {
			return ""
		}
		selectors = append(selectors, below(parent, strings.TrimSpace(s)))
	}
	return strings.Join(selectors, ",")
}

// below is a nested selector with the selector around it in place of its &, or
// in front of it.
func below(parent, s string) string {
	parent = strings.TrimSpace(parent)
	whole := ":is(" + parent + ")"
	if simple := parent[:min(1, len(parent))]; (simple == "." || simple == "#") && !strings.ContainsAny(parent, " ,>+~:\t\n") {
		whole = parent
	}
	var sb strings.Builder
	used := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\'':
			end := quoted(s, i)
			sb.WriteString(s[i:end])
			i = end - 1
		case '&':
			sb.WriteString(whole)
			used = true
		default:
			sb.WriteByte(c)
		}
	}
	if !used {
		return whole + " " + s
	}
	return sb.String()
}

// newRule compiles one selector of a rule.
func newRule(text string) (rule, bool) {
	text = strings.TrimSpace(text)
	var rl rule
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
	if text = strings.TrimSpace(text); text == "" || strings.HasSuffix(text, ">") {
		text += "*"
	}
	s, err := Compile(text)
	if err != nil || len(s.SelectorGroup) != 1 {
		return rl, false
	}
	rl.sel, rl.live, rl.has = s.SelectorGroup[0], s.Live, s.has
	rl.weight = rl.weight.Add(rl.sel.Specificity()).Add(s.extra)
	rl.key = keyOf(text)
	return rl, true
}

// keyOf finds what an element must have to match: of the last compound, the
// id, a class, or the name.
func keyOf(text string) string {
	if strings.ContainsAny(text, `\`) {
		return ""
	}
	links := chain(text)
	compound := links[len(links)-1].compound
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
