package engine

import (
	"encoding/base64"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A reading is a text with one kind of escapes resolved, and where each of its
// bytes stood in the text that was read.
type reading struct {
	text  string
	from  []int32 // offset in the original of each byte, and of the end; nil: the same
	depth int     // how many kinds of escapes were resolved
}

// origin is where a byte of the reading stood in the original.
func (r *reading) origin(i int) int {
	if r.from == nil {
		return i
	}
	return int(r.from[i])
}

// deepest is how many escapes may lie in each other, as a query within an
// attribute of HTML, or an address within an address.
const deepest = 2

// readings are the ways to read a text: as it stands, and with what addresses,
// HTML and the strings of JSON and scripts escape resolved, in any order.
func readings(text string) []reading {
	all := []reading{{text: text}}
	for i := 0; i < len(all); i++ {
		if all[i].depth == deepest {
			continue
		}
		for _, e := range escapes {
			if r, ok := resolve(&all[i], e); ok {
				all = append(all, r)
			}
		}
	}
	return all
}

// An escape is a kind of escaping. next reads the escape that text begins with:
// what it stands for, and its length; 0 if there is none.
type escape struct {
	marks string   // one of these bytes begins each
	signs []string // one of these is in a text that is worth reading
	next  func(text string) (plain string, length int)
}

var escapes = []escape{
	{"%+", []string{"%", "+"}, nextPercent},
	{"&", []string{"&"}, nextEntity},
	{`\`, []string{`\`}, nextBackslash},
	{" \n\t\r\u00a0", []string{"  ", "\n", "\t", "\r", "\u00a0"}, nextSpace},
}

// resolve reads a reading once more; ok is false if nothing is escaped in it.
func resolve(r *reading, e escape) (_ reading, ok bool) {
	if !slices.ContainsFunc(e.signs, func(sign string) bool { return strings.Contains(r.text, sign) }) {
		return reading{}, false
	}
	var b strings.Builder
	from := make([]int32, 0, len(r.text)+1)
	for i := 0; i < len(r.text); {
		plain, length := r.text[i:i+1], 1
		if strings.IndexByte(e.marks, r.text[i]) >= 0 {
			if p, n := e.next(r.text[i:]); n > 0 {
				ok = ok || p != r.text[i:i+n]
				plain, length = p, n
			}
		}
		for range len(plain) {
			from = append(from, int32(r.origin(i)))
		}
		b.WriteString(plain)
		i += length
	}
	from = append(from, int32(r.origin(len(r.text))))
	return reading{text: b.String(), from: from, depth: r.depth + 1}, ok
}

// nextPercent reads what addresses escape: %2F, and + for a space.
func nextPercent(text string) (string, int) {
	if text[0] == '+' {
		return " ", 1
	}
	return nextHex(text, 1, 2, func(n uint64) string { return string([]byte{byte(n)}) })
}

// nextEntity reads a character reference of HTML.
func nextEntity(text string) (string, int) {
	const longest = 33 // of the names in the standard, with & and ;
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return "", 0
	}
	name := text[:end+1]
	if plain := html.UnescapeString(name); plain != name && !strings.HasSuffix(plain, ";") {
		return plain, end + 1
	}
	return "", 0
}

// nextBackslash reads an escape of a string in JSON, a script, Go, or an outline.
func nextBackslash(text string) (string, int) {
	if len(text) < 2 {
		return "", 0
	}
	ofRune := func(n uint64) string { return string(rune(n)) }
	switch text[1] {
	case '"', '\'', '\\', '/':
		return text[1:2], 2
	case 'n':
		return "\n", 2
	case 't':
		return "\t", 2
	case 'r':
		return "\r", 2
	case 'b':
		return "\b", 2
	case 'f':
		return "\f", 2
	case 'v':
		return "\v", 2
	case 'x':
		return nextHex(text, 2, 2, func(n uint64) string { return string([]byte{byte(n)}) })
	case 'U':
		return nextHex(text, 2, 8, ofRune)
	case 'u':
		return nextUnicode(text)
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
	var first rune
	plain, length := nextHex(text, 2, 4, func(n uint64) string { first = rune(n); return string(first) })
	if length == 0 || !utf16.IsSurrogate(first) || !strings.HasPrefix(text[length:], `\u`) {
		return plain, length
	}
	var second rune
	_, more := nextHex(text[length:], 2, 4, func(n uint64) string { second = rune(n); return "" })
	if pair := utf16.DecodeRune(first, second); more > 0 && pair != unicode.ReplacementChar {
		return string(pair), length + more
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

// nextSpace reads white space as one space, as a page shows it.
func nextSpace(text string) (string, int) {
	length := 0
	for length < len(text) {
		r, n := utf8.DecodeRuneInString(text[length:])
		if !unicode.IsSpace(r) {
			break
		}
		length += n
	}
	if length == 0 {
		return "", 0
	}
	return " ", length
}

// A spelling is a way in which a value may stand in a text whose escapes are
// resolved.
type spelling struct {
	text string
	// before and after are how many characters on either side carry a part of
	// the value, where it stands in base64 within something longer.
	before, after int
	base64        bool
}

// inFileName is what browsers make of a character in the name of a file.
func inFileName(r rune) rune {
	if r < ' ' || strings.ContainsRune(`"*/:<>?\|`, r) {
		return '_'
	}
	return r
}

// spellings are the ways in which a value stands in texts: as it is, with the
// spaces that a page or an address makes of it, in the name of a file, and in
// base64, alone or within something longer.
func spellings(value string) []spelling {
	list := []spelling{{text: value}}
	add := func(s spelling) {
		for _, other := range list {
			if other.text == s.text {
				return
			}
		}
		list = append(list, s)
	}
	add(spelling{text: strings.ReplaceAll(value, "+", " ")})
	if shown := strings.Join(strings.Fields(value), " "); len(shown) >= shortestSecret {
		add(spelling{text: shown})
	}
	if len(value) < shortestSecret {
		return list
	}
	add(spelling{text: strings.Map(inFileName, value)})
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for lead := range 3 {
			whole := alphabet.EncodeToString(append(make([]byte, lead), value...))
			bits := 8 * (lead + len(value))
			first, end := (8*lead+5)/6, bits/6
			add(spelling{text: whole[first:end], before: min(lead, 1), after: min(bits%6, 1), base64: true})
		}
	}
	return list
}
