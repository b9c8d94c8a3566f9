package axtree

import "strings"

// splitAlt splits a content value at the slash. It counts the pieces before it.
func splitAlt(content string) (pieces int, alt string, ok bool) {
	depth, inPiece := 0, false
	for k := 0; k < len(content); k++ {
		switch c := content[k]; {
		case c == '"' || c == '\'':
			if !inPiece && depth == 0 {
				pieces++
			}
			inPiece = true
			k = closeQuote(content, k)
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth > 0:
		case c == '/':
			return pieces, content[k+1:], true
		case isSpace(c):
			inPiece = false
		default:
			if !inPiece {
				pieces++
			}
			inPiece = true
		}
	}
	return pieces, "", false
}

// closeQuote returns where the string that begins at k ends.
func closeQuote(s string, k int) int {
	quote := s[k]
	for k++; k < len(s); k++ {
		if s[k] == '\\' {
			k++
		} else if s[k] == quote {
			return k
		}
	}
	return len(s)
}

// unquote resolves the escapes of a CSS string.
func unquote(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	for k := 0; k < len(s); k++ {
		if s[k] != '\\' {
			out.WriteByte(s[k])
			continue
		}
		k++
		r, n := rune(0), 0
		for n < 6 && k+n < len(s) {
			d := strings.IndexByte("0123456789abcdef", s[k+n]|0x20)
			if d < 0 {
				break
			}
			r, n = r*16+rune(d), n+1
		}
		if n == 0 {
			if k < len(s) {
				out.WriteByte(s[k])
			}
			continue
		}
		out.WriteRune(r)
		k += n - 1
		if k+1 < len(s) && s[k+1] == ' ' {
			k++
		}
	}
	return out.String()
}
