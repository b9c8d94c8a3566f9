package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

var errSnapshot = errors.New("malformed snapshot")

// A scanner is the source of JSON.
type scanner struct {
	b   []byte
	i   int
	err error
}

func (s *scanner) at() int { return s.i }

func (s *scanner) end() error {
	if s.err == nil && s.peek() != 0 {
		s.fail("something behind the end")
	}
	return s.err
}

func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: %s at byte %d", errSnapshot, what, s.i)
	}
	s.i = len(s.b)
}

// peek returns the next byte that is not white space, and 0 at the end.
func (s *scanner) peek() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\n', '\r', '\t':
			s.i++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) expect(c byte) bool {
	if s.peek() != c {
		s.fail("want " + strconv.QuoteRune(rune(c)))
		return false
	}
	s.i++
	return true
}

// object calls field with each member's name, which must consume its value.
func (s *scanner) object(field func(name string)) {
	if !s.expect('{') {
		return
	}
	if s.peek() == '}' {
		s.i++
		return
	}
	for s.err == nil {
		name := s.key()
		if !s.expect(':') {
			return
		}
		field(name)
		if s.more('}') {
			continue
		}
		return
	}
}

// array calls element before each element, which it must consume.
func (s *scanner) array(element func()) {
	if !s.expect('[') {
		return
	}
	if s.peek() == ']' {
		s.i++
		return
	}
	for s.err == nil {
		element()
		if s.more(']') {
			continue
		}
		return
	}
}

// more consumes a comma, and then there is more, or the closing bracket.
func (s *scanner) more(closing byte) bool {
	switch s.peek() {
	case ',':
		s.i++
		return true
	case closing:
		s.i++
		return false
	default:
		s.fail("want , or a closing bracket")
		return false
	}
}

// key reads a member's name. The names that matter have no escapes.
func (s *scanner) key() string {
	if !s.expect('"') {
		return ""
	}
	start := s.i
	for ; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '\\':
			s.i++
		case '"':
			s.i++
			return string(s.b[start : s.i-1])
		}
	}
	s.fail("unterminated name")
	return ""
}

// int reads a whole number.
func (s *scanner) int() int32 {
	c := s.peek()
	neg := c == '-'
	if neg {
		s.i++
	}
	start, n := s.i, int64(0)
	for s.i < len(s.b) {
		d := s.b[s.i] - '0'
		if d > 9 {
			break
		}
		n = n*10 + int64(d)
		s.i++
	}
	if s.i == start || s.i-start > 10 || n > 1<<31-1 {
		s.fail("want a whole number")
		return 0
	}
	if neg {
		n = -n
	}
	return int32(n)
}

// ints appends an array of whole numbers to dst. Nearly all of a reply passes
// through here, so short numbers without white space are read in place.
func (s *scanner) ints(dst []int32) []int32 {
	if !s.expect('[') {
		return dst
	}
	if s.peek() == ']' {
		s.i++
		return dst
	}
	b, i := s.b, s.i
	for {
		start := i
		n := int32(0)
		neg := i < len(b) && b[i] == '-'
		if neg {
			i++
		}
		first := i
		for i < len(b) && b[i]-'0' <= 9 {
			n = n*10 + int32(b[i]-'0')
			i++
		}
		if digits := i - first; digits == 0 || digits > 9 || i >= len(b) || b[i] != ',' && b[i] != ']' {
			s.i = start
			dst = append(dst, s.int())
			if !s.more(']') {
				return dst
			}
			i = s.i
			continue
		}
		if neg {
			n = -n
		}
		dst = append(dst, n)
		i++
		if b[i-1] == ']' {
			s.i = i
			return dst
		}
	}
}

// lists appends arrays of whole numbers to dst, and where each ends to ends.
func (s *scanner) lists(dst, ends []int32) ([]int32, []int32) {
	s.array(func() {
		dst = s.ints(dst)
		ends = append(ends, int32(len(dst)))
	})
	return dst, ends
}

// pow10 are the powers of ten that a float64 holds exactly.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// float reads a number. One of at most 15 digits without an exponent, as
// nearly all lengths are, is exact as a quotient of two exact numbers.
func (s *scanner) float() float64 {
	s.peek()
	b, i := s.b, s.i
	start := i
	if i < len(b) && b[i] == '-' {
		i++
	}
	first, n := i, int64(0)
	for i < len(b) && b[i]-'0' <= 9 {
		n = n*10 + int64(b[i]-'0')
		i++
	}
	digits, frac := i-first, 0
	if i < len(b) && b[i] == '.' {
		i++
		for point := i; i < len(b) && b[i]-'0' <= 9; frac = i - point {
			n = n*10 + int64(b[i]-'0')
			i++
		}
	}
	digits += frac
	if digits == 0 || digits > 15 || i < len(b) && b[i]|0x20 == 'e' {
		return s.slowFloat(start)
	}
	s.i = i
	f := float64(n)
	if frac > 0 {
		f /= pow10[frac]
	}
	if b[start] == '-' {
		f = -f
	}
	return f
}

func (s *scanner) slowFloat(start int) float64 {
	s.i = start
	for s.i < len(s.b) {
		c := s.b[s.i]
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		s.i++
	}
	f, err := strconv.ParseFloat(string(s.b[start:s.i]), 64)
	if err != nil {
		s.fail("want a number")
		return 0
	}
	return f
}

// floats appends an array of numbers to dst.
func (s *scanner) floats(dst []float64) []float64 {
	if !s.expect('[') {
		return dst
	}
	if s.peek() == ']' {
		s.i++
		return dst
	}
	for {
		dst = append(dst, s.float())
		if s.i < len(s.b) && s.b[s.i] == ',' {
			s.i++
			continue
		}
		if !s.more(']') {
			return dst
		}
	}
}

// skip passes over a value of any kind.
func (s *scanner) skip() {
	depth := 0
	for s.peek() != 0 {
		switch c := s.b[s.i]; c {
		case '"':
			s.key()
		case '[', '{':
			depth++
			s.i++
		case ']', '}':
			depth--
			s.i++
		case ',', ':':
			s.i++
		default:
			for s.i < len(s.b) && !isDelimiter(s.b[s.i]) {
				s.i++
			}
		}
		if depth <= 0 {
			if depth < 0 {
				s.fail("unbalanced bracket")
			}
			return
		}
	}
	s.fail("unexpected end")
}

func isDelimiter(c byte) bool {
	switch c {
	case ',', ':', ']', '}', '[', '{', '"', ' ', '\n', '\r', '\t':
		return true
	}
	return false
}

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

// within fails unless all numbers are at least -1 and less than n.
func (s *scanner) within(n int32, columns ...[]int32) {
	for _, c := range columns {
		for _, v := range c {
			if uint32(v+1) > uint32(n) {
				s.fail("an index is out of range")
				return
			}
		}
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
