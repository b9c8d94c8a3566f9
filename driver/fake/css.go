package fake

import (
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/wayfinder-engine/wayfinder/driver"
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

type declaration struct {
	property, value string
	important       bool
}

// parseSheet reads a style sheet. What it does not understand it passes over.
func parseSheet(text string, view driver.Size, order int) ([]rule, map[string]string) {
	r := &sheetReader{text: stripComments(text), view: view, order: order, transitions: strings.Contains(text, "transition")}
	r.rules()
	return r.out, r.keyframes
}

type sheetReader struct {
	text  string
	i     int
	view  driver.Size
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
	switch lower(name) {
	case "@media", "@supports", "@layer", "@container", "@scope":
		if lower(name) == "@media" && !mediaMatches(lower(condition), r.view) || r.depth > 16 {
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
		r.keyframes[lower(strings.TrimSpace(condition))] = lower(r.block())
	default:
		r.block()
	}
}

// until moves to the next of the bytes that stands in no string or parenthesis.
func (r *sheetReader) until(stops string) int {
	depth := 0
	for i := r.i; i < len(r.text); i++ {
		switch c := r.text[i]; c {
		case '"', '\'':
			i = quoted(r.text, i) - 1
		case '\\':
			i++
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		default:
			if depth <= 0 && strings.IndexByte(stops, c) >= 0 {
				return i
			}
		}
	}
	return len(r.text)
}

// block returns the text up to the brace that closes the block and moves behind it.
func (r *sheetReader) block() string {
	start, depth := r.i, 1
	for i := r.i; i < len(r.text); i++ {
		switch r.text[i] {
		case '"', '\'':
			i = quoted(r.text, i) - 1
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				r.i = i + 1
				return r.text[start:i]
			}
		}
	}
	r.i = len(r.text)
	return r.text[start:]
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
		rl.pseudo = lower(text[i:])
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
	s, err := compile(text)
	if err != nil || len(s.SelectorGroup) != 1 {
		return rl, false
	}
	rl.sel, rl.live = s.SelectorGroup[0], s.live
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
	return lower(compound)
}

// parseDeclarations reads the inside of a block or a style attribute.
func parseDeclarations(text string) []declaration {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var out []declaration
	r := sheetReader{text: text}
	for r.i < len(r.text) {
		stop := r.until(";{")
		if stop < len(r.text) && r.text[stop] == '{' { // a nested rule
			r.i = stop + 1
			r.block()
			continue
		}
		item := r.text[r.i:stop]
		r.i = stop + 1
		name, value, ok := strings.Cut(item, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		important := false
		if i := strings.LastIndexByte(value, '!'); i >= 0 && strings.EqualFold(strings.TrimSpace(value[i+1:]), "important") {
			value, important = strings.TrimSpace(value[:i]), true
		}
		name = lower(strings.TrimSpace(name))
		if value == "" || !counts(name) || strings.Contains(value, "var(") {
			continue
		}
		if name != "content" {
			value = lower(value)
		}
		out = append(out, declaration{name, value, important})
	}
	return out
}

// counts reports properties that change what is computed here. Rules without
// any are dropped: most hover styles are such.
func counts(property string) bool {
	name, _, _ := strings.Cut(property, "-")
	switch name {
	case "display", "visibility", "position", "pointer", "cursor", "content", "overflow", "z", "text", "white", "flex", "list", "box",
		"animation", "transition", "opacity", "color", "background", "transform", "translate", "top", "right", "bottom", "left", "inset",
		"width", "height", "min", "max", "inline", "block", "margin", "padding", "border", "float":
		return true
	}
	return false
}

// painted reports declarations that transitions alone notice.
func painted(decls []declaration) bool {
	for _, d := range decls {
		if d.property != "color" && d.property != "opacity" && !strings.HasPrefix(d.property, "background") && !strings.HasPrefix(d.property, "text-decoration") &&
			d.property != "border-color" && d.property != "box-shadow" {
			return false
		}
	}
	return true
}

// splitList splits at the commas that stand in no parenthesis.
func splitList(text string) []string {
	var out []string
	r := sheetReader{text: text}
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

// mediaMatches evaluates a media query list as far as it is about width,
// height and the kind of medium. What it does not know does not match.
func mediaMatches(query string, view driver.Size) bool {
	for _, q := range strings.Split(query, ",") {
		ok, not := true, false
		for _, part := range strings.Split(strings.TrimSpace(q), " and ") {
			part = strings.TrimSpace(part)
			if rest, found := strings.CutPrefix(part, "not "); found {
				not, part = true, rest
			}
			part = strings.TrimPrefix(part, "only ")
			ok = ok && mediaFeature(part, view)
		}
		if ok != not {
			return true
		}
	}
	return false
}

func mediaFeature(part string, view driver.Size) bool {
	switch part {
	case "all", "screen", "", "(hover)", "(hover: hover)", "(hover:hover)", "(pointer: fine)", "(prefers-color-scheme: light)", "(any-hover: hover)":
		return true
	}
	name, value, _ := strings.Cut(strings.Trim(part, "()"), ":")
	l, ok := parseLength(strings.TrimSpace(value))
	if !ok {
		return part == "(orientation: landscape)" && view.Width >= view.Height || part == "(orientation: portrait)" && view.Width < view.Height
	}
	n, _ := l.of(0, view)
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

// contentText reads the value of a content property: its strings joined, and
// whether it generates a box at all.
func contentText(value string, quotes *int, attr func(string) string) (string, bool) {
	if value == "" || value == "none" || value == "normal" {
		return "", false
	}
	var sb strings.Builder
	for i := 0; i < len(value); {
		switch c := value[i]; {
		case c == '"' || c == '\'':
			end := quoted(value, i)
			sb.WriteString(unescape(strings.TrimSuffix(value[i+1:end], string(c))))
			i = end
		case strings.HasPrefix(value[i:], "attr("):
			name, _, _ := strings.Cut(value[i+5:], ")")
			sb.WriteString(attr(strings.TrimSpace(name)))
			i += 5 + len(name) + 1
		case strings.HasPrefix(value[i:], "open-quote"):
			sb.WriteString([...]string{"“", "‘"}[min(*quotes, 1)])
			*quotes++
			i += len("open-quote")
		case strings.HasPrefix(value[i:], "close-quote"):
			*quotes = max(0, *quotes-1)
			sb.WriteString([...]string{"”", "’"}[min(*quotes, 1)])
			i += len("close-quote")
		case c == '/':
			return sb.String(), true // what follows is the alternative text
		default:
			i++
		}
	}
	return sb.String(), true
}

// unescape resolves the escapes of a CSS string.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			sb.WriteByte(s[i])
			continue
		}
		i++
		end := i
		for end < len(s) && end < i+6 && strings.IndexByte("0123456789abcdefABCDEF", s[end]) >= 0 {
			end++
		}
		if end == i {
			sb.WriteByte(s[i])
			continue
		}
		n, _ := strconv.ParseUint(s[i:end], 16, 32)
		sb.WriteRune(rune(n))
		i = end - 1
		if end < len(s) && s[end] == ' ' {
			i++
		}
	}
	return sb.String()
}
