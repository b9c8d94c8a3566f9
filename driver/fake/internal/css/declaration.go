package css

import (
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

type declaration struct {
	property, value string
	important       bool
	refers          bool // to custom properties: the value is as it was written
}

// custom reports the declaration of a custom property, whose name has a case.
func (d *declaration) custom() bool { return strings.HasPrefix(d.property, "--") }

// parseDeclarations reads the inside of a block or a style attribute.
func parseDeclarations(text string) []declaration {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var out []declaration
	r := scanner{text: text}
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
		name = strings.TrimSpace(name)
		custom := strings.HasPrefix(name, "--")
		if !custom {
			name = dom.Lower(name)
		}
		if value == "" && !custom || !counts(name) {
			continue
		}
		refers := strings.Contains(value, "var(")
		if name != "content" && !custom && !refers {
			value = dom.Lower(value)
		}
		out = append(out, declaration{name, value, important, refers})
	}
	return out
}

// counts reports properties that change what is computed here. Rules without
// any are dropped: most hover styles are such.
func counts(property string) bool {
	name, _, _ := strings.Cut(property, "-")
	switch name {
	case "all", "display", "visibility", "position", "pointer", "cursor", "clip", "content", "overflow", "z", "text", "white", "flex", "list", "box",
		"animation", "transition", "opacity", "color", "background", "transform", "translate", "scale", "font", "top", "right", "bottom", "left", "inset",
		"width", "height", "min", "max", "inline", "block", "margin", "padding", "border", "float", "counter", "container", "interactivity":
		return true
	}
	return property == "-webkit-text-security" || strings.HasPrefix(property, "--")
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

// ContentText reads the value of a content property: its strings joined, and
// whether it generates a box at all. counter is asked for the innermost counter
// of a name where join is empty, and for all of them, joined, where it is not.
func ContentText(value string, quotes *int, attr func(string) string, counter func(name, join, style string) string) (string, bool) {
	if value == "" || value == "none" || value == "normal" {
		return "", false
	}
	var sb strings.Builder
	for i := 0; i < len(value); {
		switch c := value[i]; {
		case c == '"' || c == '\'':
			end := quoted(value, i)
			sb.WriteString(Unescape(strings.TrimSuffix(value[i+1:end], string(c))))
			i = end
		case strings.HasPrefix(value[i:], "attr("):
			name, _, _ := strings.Cut(value[i+5:], ")")
			sb.WriteString(attr(strings.TrimSpace(name)))
			i += 5 + len(name) + 1
		case strings.HasPrefix(value[i:], "counter(") || strings.HasPrefix(value[i:], "counters("):
			open := i + strings.IndexByte(value[i:], '(')
			end := parenthesis(value, open)
			if end < 0 {
				return "", false
			}
			args := append(splitList(value[open+1:end]), "", "")
			join := ""
			if value[open-1] == 's' {
				join, args = Unescape(strings.Trim(strings.TrimSpace(args[1]), `"'`)), append(args[:1], args[2:]...)
			}
			sb.WriteString(counter(strings.TrimSpace(args[0]), join, strings.TrimSpace(args[1])))
			i = end + 1
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

// Unescape resolves the escapes of a CSS string.
func Unescape(s string) string {
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

// until moves to the next of the bytes that stands in no string or parenthesis.
func (r *scanner) until(stops string) int {
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
func (r *scanner) block() string {
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

// A scanner reads the text of a sheet or of a style attribute.
type scanner struct {
	text string
	i    int
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
