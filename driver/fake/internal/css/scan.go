package css

import (
	"regexp"
	"strconv"
	"strings"
)

// A scanner reads the text of a sheet or of a style attribute.
type scanner struct {
	text string
	i    int
}

// until is the place of the next of the bytes that stands in no string, parenthesis,
// bracket or block.
func (r *scanner) until(stops string) int { return until(r.text, r.i, stops) }

// block returns the text up to the brace that closes the block, and goes behind it.
func (r *scanner) block() string {
	start, end := r.i, r.until("}")
	r.i = min(end+1, len(r.text))
	return r.text[start:end]
}

func until(s string, i int, stops string) int {
	for depth := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			i = quoted(s, i) - 1
		case c == '\\':
			i++
		case depth <= 0 && strings.IndexByte(stops, c) >= 0:
			return i
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
	return len(s)
}

// quoted is the place behind the string that begins at i.
func quoted(s string, i int) int {
	q := s[i]
	for i++; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == q {
			return i + 1
		}
	}
	return len(s)
}

// bracketed is the place behind the bracket that begins at i.
func bracketed(s string, i int) int { return min(until(s, i+1, "]")+1, len(s)) }

// parenthesis is the place of the one that closes the one at i, or -1.
func parenthesis(s string, i int) int {
	if i >= len(s) || s[i] != '(' {
		return -1
	}
	if end := until(s, i+1, ")"); end < len(s) {
		return end
	}
	return -1
}

// splitList splits at the commas that stand in no parenthesis.
func splitList(text string) []string {
	var out []string
	for {
		stop := until(text, 0, ",")
		out = append(out, text[:stop])
		if stop == len(text) {
			return out
		}
		text = text[stop+1:]
	}
}

func identifier(s string, i int) (string, int) {
	start := i
	for i < len(s) && (s[i] == '-' || s[i] == '_' || s[i] >= 0x80 || 'a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z' || '0' <= s[i] && s[i] <= '9') {
		i++
	}
	return s[start:i], i
}

// stripComments puts a space in the place of each comment.
func stripComments(text string) string {
	var sb strings.Builder
	for {
		before, after, found := strings.Cut(text, "/*")
		sb.WriteString(before)
		if !found {
			return sb.String()
		}
		_, text, _ = strings.Cut(after, "*/")
		sb.WriteByte(' ')
	}
}

var escape = regexp.MustCompile(`(?s)\\([0-9a-fA-F]{1,6} ?|.)`)

// Unescape resolves the escapes of a CSS string.
func Unescape(s string) string {
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		if n, err := strconv.ParseUint(strings.TrimSuffix(e[1:], " "), 16, 32); err == nil {
			return string(rune(n))
		}
		return e[1:]
	})
}
