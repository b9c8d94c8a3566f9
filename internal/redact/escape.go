package redact

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A reading is a text with escapes resolved, and where each of its bytes stood
// in the text that was read.
type reading struct {
	text string
	from []int32 // offset in the original of each byte, and of the end; nil: the same
	to   []int32 // where the text before each byte, and before the end, ends there; nil: as from
}

// origin is where a byte of the reading stood in the original.
func (r *reading) origin(i int) int {
	if r.from == nil {
		return i
	}
	return int(r.from[i])
}

// ending is where the first i bytes of the reading end in the original.
func (r *reading) ending(i int) int {
	if r.to == nil {
		return r.origin(i)
	}
	return int(r.to[i])
}

// mostRounds bounds how many escapes in each other are resolved. Each round
// resolves one layer, and what looks like a layer in the value itself.
const mostRounds = 6

// walk visits the reading, and what is within its Base64 and behind its escapes, layer by
// layer. visit says whether to look for either; wrapped is how many layers of Base64 were
// taken off.
func (r *reading) walk(wrapped int, visit func(r *reading) (wrapped, escaped bool)) {
	for round := 0; ; round++ {
		inBase64, escaped := visit(r)
		if inBase64 && wrapped < mostWrapped {
			if inner := r.unwrap(); inner != nil {
				inner.walk(wrapped+1, visit)
			}
		}
		if !escaped || round == mostRounds {
			return
		}
		next, ok := r.resolve()
		if !ok {
			return
		}
		r = next
	}
}

// resolve resolves one layer of escapes, of all kinds; ok is false if there is
// none. Which kind a text is in need not be known: what looks like an escape in
// the value itself is resolved in the same way (see sharpen).
func (r *reading) resolve() (_ *reading, ok bool) {
	if out, ok := r.resolveBy(nextEntity); ok {
		return out, true
	}
	// Without a semicolon only at last: it may have been escaped itself.
	return r.resolveBy(nextOldEntity)
}

func (r *reading) resolveBy(entity func(text string) (plain string, length int)) (_ *reading, ok bool) {
	text := r.text
	i := strings.IndexAny(text, `%&\`)
	if i < 0 {
		return nil, false
	}
	out := &reading{}
	var b []byte
	done := 0 // up to here it is in b
	mark := func(i int) {
		out.from = append(out.from, int32(r.origin(i)))
		if r.to != nil {
			out.to = append(out.to, int32(r.to[i]))
		}
	}
	copyTo := func(end int) {
		b = append(b, text[done:end]...)
		for k := done; k < end; k++ {
			mark(k)
		}
	}
	for i < len(text) {
		var plain string
		length := 0
		switch text[i] {
		case '%':
			plain, length = nextPercent(text[i:])
		case '&':
			plain, length = entity(text[i:])
		case '\\':
			plain, length = nextBackslash(text[i:])
		}
		if length == 0 {
			i++
			continue
		}
		if b == nil {
			b, out.from = make([]byte, 0, len(text)), make([]int32, 0, len(text)+1)
		}
		copyTo(i)
		for range len(plain) {
			mark(i)
		}
		b = append(b, plain...)
		i += length
		done = i
	}
	if b == nil {
		return nil, false
	}
	copyTo(len(text))
	mark(len(text))
	out.text = string(b)
	return out, true
}

// nextPercent reads %2F of an address, or %u002F as the function escape of
// scripts writes it.
func nextPercent(text string) (string, int) {
	if len(text) > 1 && text[1] == 'u' {
		return nextUnit(text, "%u")
	}
	return nextHex(text, 1, 2, func(n uint64) string { return string([]byte{byte(n)}) })
}

// longestEntity is that of the names in the standard, with & and ;.
const longestEntity = 33

// longestOldEntity is that of the names that need no semicolon.
const longestOldEntity = len("&yacute")

// nextEntity reads a character reference of HTML, by name or number.
func nextEntity(text string) (string, int) {
	n := 1
	for n < len(text) && n < longestEntity && (isAlphanumeric(text[n]) || text[n] == '#' && n == 1) {
		n++
	}
	if n == len(text) || text[n] != ';' {
		return "", 0
	}
	name := text[:n+1]
	if plain := html.UnescapeString(name); plain != name && (plain == ";" || !strings.HasSuffix(plain, ";")) {
		return plain, n + 1
	}
	return "", 0
}

// nextOldEntity reads one without its semicolon, as browsers do: a number, or a
// name of the first versions of HTML.
func nextOldEntity(text string) (string, int) {
	if len(text) < 3 {
		return "", 0
	}
	if text[1] != '#' {
		for n := min(len(text), longestOldEntity); n > 2; n-- {
			if plain := html.UnescapeString(text[:n]); utf8.RuneCountInString(plain) == 1 {
				return plain, n
			}
		}
		return "", 0
	}
	digits, base := 2, 10
	if text[2] == 'x' || text[2] == 'X' {
		digits, base = 3, 16
	}
	n := digits
	for n < len(text) && n < digits+10 {
		if _, err := strconv.ParseUint(text[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	if n == digits {
		return "", 0
	}
	return html.UnescapeString(text[:n] + ";"), n // which knows what the standard makes of odd ones
}

func isAlphanumeric(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// letters are those that stand for a character behind a backslash.
var letters = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", 'v': "\v", 'a': "\a"}

// nextBackslash reads an escape of a string in JSON, a script, Go, or an outline.
func nextBackslash(text string) (string, int) {
	if len(text) < 2 {
		return "", 0
	}
	switch text[1] {
	case 'x':
		return nextHex(text, 2, 2, func(n uint64) string { return string([]byte{byte(n)}) })
	case 'U':
		return nextHex(text, 2, 8, func(n uint64) string { return string(rune(n)) })
	case 'u':
		return nextUnicode(text)
	}
	if plain, ok := letters[text[1]]; ok {
		return plain, 2
	}
	if text[1] > ' ' && text[1] < utf8.RuneSelf && !isAlphanumeric(text[1]) {
		return text[1:2], 2
	}
	return "", 0
}

// nextUnicode reads \u0041, a pair of surrogates, or \u{41}.
func nextUnicode(text string) (string, int) {
	if strings.HasPrefix(text, `\u{`) {
		end := strings.IndexByte(text[:min(len(text), 12)], '}')
		if end < 0 {
			return "", 0
		}
		n, err := strconv.ParseUint(text[3:end], 16, 32)
		if err != nil {
			return "", 0
		}
		return string(rune(n)), end + 1
	}
	return nextUnit(text, `\u`)
}

// nextUnit reads four digits behind mark, or two such that are a pair of surrogates.
func nextUnit(text, mark string) (string, int) {
	var unit rune
	keep := func(n uint64) string { unit = rune(n); return string(unit) }
	plain, length := nextHex(text, len(mark), 4, keep)
	if first := unit; length > 0 && utf16.IsSurrogate(first) && strings.HasPrefix(text[length:], mark) {
		_, more := nextHex(text[length:], len(mark), 4, keep)
		if pair := utf16.DecodeRune(first, unit); more > 0 && pair != utf8.RuneError {
			return string(pair), length + more
		}
	}
	return plain, length
}

// nextHex reads digits that follow skip bytes.
func nextHex(text string, skip, digits int, plain func(uint64) string) (string, int) {
	if len(text) < skip+digits {
		return "", 0
	}
	n, err := strconv.ParseUint(text[skip:skip+digits], 16, 32)
	if err != nil {
		return "", 0
	}
	return plain(n), skip + digits
}

// unwrap is what stands in Base64 in a reading, one after the other: what may
// itself have escapes. A value that has none is found by its needles in less
// time. nil if there is nothing.
func (r *reading) unwrap() *reading {
	inner := &reading{to: []int32{0}}
	var text []byte
	for i := 0; i < len(r.text); {
		if !inBase64(r.text[i]) {
			i++
			continue
		}
		end, mixed := i+1, false
		for end < len(r.text) && inBase64(r.text[end]) {
			c := r.text[end]
			mixed = mixed || c < 'a' && isAlphanumeric(c)
			end++
		}
		if mixed && end-i >= shortestWrapped {
			for skip := range 4 { // what stands before may belong to the alphabet
				text = inner.unwrapRun(text, r, i+skip, end)
			}
		}
		i = end
	}
	if text == nil {
		return nil
	}
	inner.text = string(text)
	inner.from = append(inner.from, int32(r.origin(len(r.text))))
	return inner
}

// unwrapRun appends to text, the reading's, what a run of letters of r stands
// for, if that is text.
func (inner *reading) unwrapRun(text []byte, r *reading, start, end int) []byte {
	n := (end - start) * 6 / 8
	plain := make([]byte, n)
	for i := range plain {
		at, shift := start+i*8/6, 2*(i%3) // the first letter has the byte's upper 6, 4 or 2 bits
		plain[i] = byte(sextet(r.text[at])<<(2+shift) | sextet(r.text[at+1])>>(4-shift))
	}
	if !isText(plain) {
		return text
	}
	for i := range n {
		at := start + i*8/6
		inner.from = append(inner.from, int32(r.origin(at)))
		inner.to = append(inner.to, int32(r.ending(at+2)))
	}
	inner.from = append(inner.from, int32(r.origin(end))) // of a zero byte between two
	inner.to = append(inner.to, int32(r.ending(end)))
	return append(append(text, plain...), 0)
}
