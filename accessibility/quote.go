package accessibility

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The signs that stand for a cell alone.
const (
	belowSign = "↓"
	leftSign  = "←"
	aboveSign = "↑"
)

// cellOfSign returns the cell that a sign stands for.
func cellOfSign(s string) (Cell, bool) {
	switch s {
	case belowSign:
		return Cell{Below: true}, true
	case leftSign:
		return Cell{Reach: FromLeft}, true
	case aboveSign:
		return Cell{Reach: FromAbove}, true
	}
	return Cell{}, false
}

// signOfCell returns the sign of a cell without a text, "" if it has none.
func signOfCell(c *Cell) string {
	switch {
	case c.Below:
		return belowSign
	case c.Reach == FromLeft:
		return leftSign
	case c.Reach == FromAbove:
		return aboveSign
	}
	return ""
}

// A name stands bare on a line where it cannot be taken for anything else, and
// in quotes where it could.

// appendName writes a name.
func appendName(dst []byte, s string, quoted bool) []byte {
	if quoted || !bareName(s) {
		return appendQuoted(dst, s)
	}
	return append(dst, s...)
}

// appendAtom writes an element of a list.
func appendAtom(dst []byte, s string, quoted bool) []byte {
	if quoted || !bareAtom(s) {
		return appendQuoted(dst, s)
	}
	return append(dst, s...)
}

// bareName reports whether s needs no quotes as a name.
func bareName(s string) bool {
	if s == "" || s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if bareByte[b] == 0 {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError || escaped(r) {
			return false
		}
		if r == '…' && (i == 0 || s[i-1] == ' ') {
			return false
		}
		i += n
	}
	return true
}

// bareAtom reports whether s needs no quotes in a list.
func bareAtom(s string) bool {
	if _, sign := cellOfSign(s); sign {
		return false
	}
	return bareName(s) && strings.IndexByte(s, '|') < 0
}

// bareByte has a 1 for each ASCII character that may stand bare.
var bareByte = func() (t [utf8.RuneSelf]uint8) {
	for b := byte(' '); b < 0x7f; b++ {
		if !strings.ContainsRune(`"\()[]`, rune(b)) {
			t[b] = 1
		}
	}
	return t
}()

const hexDigits = "0123456789abcdef"

// appendQuoted writes s in quotes, so that it stays on its line and ends where
// its quotes end. Invisible characters are escaped.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case escaped(r):
			dst = append(dst, `\u{`...)
			dst = appendHex(dst, r)
			dst = append(dst, '}')
		default:
			dst = utf8.AppendRune(dst, r)
		}
		i += n
	}
	return append(dst, '"')
}

func appendHex(dst []byte, r rune) []byte {
	if r >= 16 {
		dst = appendHex(dst, r/16)
	}
	return append(dst, hexDigits[r%16])
}

// escaped reports whether r is escaped, for which a name needs quotes: control
// characters, line separators, characters that change the direction of text, and
// invisible ones.
func escaped(r rune) bool {
	switch {
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return true
	case r < 0xad:
		return false
	}
	return invisible(r) || r == 0x2028 || r == 0x2029
}

// invisible reports whether r shows nothing by itself. Joiners and variation
// selectors, which shape their neighbours, do not count.
func invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x61c, r == 0x180e, r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f:
		return r != 0x200c && r != 0x200d
	case r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb:
		return true
	case r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// shaper reports whether r only shapes the characters beside it.
func shaper(r rune) bool {
	return r == 0x200c || r == 0x200d || r >= 0xfe00 && r <= 0xfe0f
}

// privateUse reports whether r is for private use: in a page, the picture of an icon font.
func privateUse(r rune) bool {
	return r >= 0xe000 && r <= 0xf8ff || r >= 0xf0000
}

// tidy returns s as a person sees it: white space collapsed and trimmed,
// invisible characters and icon glyphs left out. It returns s itself, or a part
// of it, if that is enough.
func tidy(s string) string {
	for s != "" && (s[0] == ' ' || s[0] >= '\t' && s[0] <= '\r') {
		s = s[1:]
	}
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] >= '\t' && s[len(s)-1] <= '\r') {
		s = s[:len(s)-1]
	}
	for i := 0; i < len(s); i++ {
		b := s[i]
		if b == ' ' && s[i-1] == ' ' || b < ' ' || b == 0x7f || b == 0xc2 || b >= 0xe1 && b != 0xe3 && !(b >= 0xe4 && b <= 0xe9) {
			return tidySlow(s)
		}
	}
	return s
}

// tidySlow is tidy for strings that may need a change.
func tidySlow(s string) string {
	if isTidy(s) {
		return s
	}
	b, _ := appendTidy(make([]byte, 0, len(s)), s, true)
	return string(bytes.TrimSuffix(b, []byte{' '}))
}

// isTidy reports whether tidying would change nothing in s, which is trimmed.
func isTidy(s string) bool {
	prev := rune(' ')
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				return false
			}
		}
		if dropped(r, prev) || blank(r) && (r != ' ' || prev == ' ') {
			return false
		}
		prev = r
		i += n
	}
	return prev != ' '
}

// appendTidy writes s tidied, but keeps one space at either end where s has
// white space there. space reports whether the text before s ends in a space;
// the result reports the same for the text up to the end of s.
func appendTidy(dst []byte, s string, space bool) ([]byte, bool) {
	prev := 'x'
	if space {
		prev = ' '
	}
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		i += n
		switch {
		case dropped(r, prev):
		case blank(r):
			if prev != ' ' {
				dst = append(dst, ' ')
				prev = ' '
			}
		default:
			dst = utf8.AppendRune(dst, r)
			prev = r
		}
	}
	return dst, prev == ' '
}

// dropped reports whether r is left out of a name when it follows prev.
func dropped(r, prev rune) bool {
	return r < ' ' && !blank(r) || r >= 0x7f && (r < 0xa0 && !blank(r) ||
		invisible(r) || privateUse(r) || shaper(r) && (prev == ' ' || shaper(prev)))
}

// blank reports whether r is white space.
func blank(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}

// shorten returns the first characters of s and how many it has left out.
func shorten(s string, limit int) (string, int) {
	if len(s) <= limit {
		return s, 0
	}
	at := 0
	for range limit {
		if at >= len(s) {
			return s, 0
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	rest := utf8.RuneCountInString(s[at:])
	if rest <= limit/10 { // the count of what is missing would take as much room
		return s, 0
	}
	return s[:at], rest
}

// appendCount writes a number with a comma between thousands.
func appendCount(dst []byte, n int) []byte {
	if n < 1000 {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	dst = appendCount(dst, n/1000)
	return append(dst, ',', byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))
}
