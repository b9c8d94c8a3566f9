package axtree

import "strings"

// pseudoAlt is the alternative that a style sheet gives generated content, as
// in content: url(x.png) / "a star". It stands for all of it. On an element that
// is not a pseudo-element it only applies beside a single picture.
func (b *builder) pseudoAlt(i int32) (string, bool) {
	it := &b.items[i]
	s := it.node.Style
	if s == nil || !it.is(hasLayout) || it.is(isText) || len(s.Content) < 4 || s.Content == "normal" || s.Content == "none" {
		return "", false
	}
	pieces, alt, ok := splitAlt(s.Content)
	if !ok || it.is(isElement) && (pieces != 1 || !strings.HasPrefix(s.Content, "url(") && !strings.HasPrefix(s.Content, "image")) {
		return "", false
	}
	host := i
	if it.is(isPseudo) && it.parent != none {
		host = it.parent
	}
	return b.altText(host, alt), true
}

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

// altText joins the strings of an alternative, and the attributes that it reads.
func (b *builder) altText(host int32, alt string) string {
	var out strings.Builder
	for k := 0; k < len(alt); k++ {
		switch {
		case alt[k] == '"' || alt[k] == '\'':
			end := closeQuote(alt, k)
			out.WriteString(unquote(alt[k+1 : min(end, len(alt))]))
			k = end
		case strings.HasPrefix(alt[k:], "attr("):
			end := strings.IndexByte(alt[k:], ')')
			if end < 0 {
				return out.String()
			}
			v, _ := b.items[host].node.Attr(strings.TrimSpace(alt[k+5 : k+end]))
			out.WriteString(v)
			k += end
		}
	}
	return out.String()
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
