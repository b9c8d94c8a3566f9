package css

import (
	"slices"
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

// counts reports whether a property changes a style that we compute.
func counts(name string) bool {
	return name == "all" || strings.HasPrefix(name, "--") || properties[name].set != nil
}

// painted reports declarations that transitions alone notice.
func painted(decls []declaration) bool {
	return !slices.ContainsFunc(decls, func(d declaration) bool { return !properties[d.property].painted })
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
