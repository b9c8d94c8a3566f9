package cdp

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// stringList reads the strings. All share two blocks of memory: one is a copy
// of the list as it came, in which the strings without escapes stand; the
// other holds the rest.
func (s *scanner) stringList() []string {
	type span struct {
		from, to int
		escaped  bool
	}
	var (
		spans   = make([]span, 0, 256)
		escaped []byte
		start   = s.i
	)
	s.array(func() {
		if !s.expect('"') {
			return
		}
		from := s.i
		n := bytes.IndexByte(s.b[from:], '"')
		if n >= 0 && bytes.IndexByte(s.b[from:from+n], '\\') < 0 {
			s.i = from + n + 1
			spans = append(spans, span{from - start, from - start + n, false})
			return
		}
		s.i = from - 1
		s.passString()
		if s.err != nil {
			return
		}
		at := len(escaped)
		var ok bool
		if escaped, ok = unescape(escaped, s.b[from:s.i-1]); !ok {
			s.fail("bad escape")
			return
		}
		spans = append(spans, span{at, len(escaped), true})
	})
	if s.err != nil {
		return nil
	}
	plain, rest := string(s.b[start:s.i]), string(escaped)
	list := make([]string, len(spans))
	for i, p := range spans {
		if p.escaped {
			list[i] = rest[p.from:p.to]
		} else {
			list[i] = plain[p.from:p.to]
		}
	}
	return list
}

// passString moves behind a string.
func (s *scanner) passString() {
	s.i++
	for {
		n := bytes.IndexAny(s.b[min(s.i, len(s.b)):], `"\`)
		if n < 0 {
			s.fail("unterminated string")
			return
		}
		s.i += n
		if s.b[s.i] == '"' {
			s.i++
			return
		}
		s.i += 2
	}
}

// unescape appends the text of a JSON string's inside to dst. A lone half of
// a surrogate pair becomes U+FFFD.
func unescape(dst, src []byte) ([]byte, bool) {
	for i := 0; i < len(src); {
		c := src[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		if i+1 >= len(src) {
			return dst, false
		}
		c = src[i+1]
		i += 2
		switch c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			r, ok := hex4(src[i:])
			if !ok {
				return dst, false
			}
			i += 4
			if utf16.IsSurrogate(r) {
				r2 := rune(utf8.RuneError)
				if i+2 <= len(src) && src[i] == '\\' && src[i+1] == 'u' {
					if low, ok := hex4(src[i+2:]); ok {
						r2 = low
					}
				}
				if r = utf16.DecodeRune(r, r2); r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			return dst, false
		}
	}
	return dst, true
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
