package redact

import (
	"unicode"
	"unicode/utf8"
)

// A folded text is a text without what pages change in a value that they show:
// white space is one space, characters without width are left out, letters
// have one case.
type folded struct {
	text []byte
	at   []int32 // offset of each byte's character in the text that was folded
}

// end is where the character behind the i bytes before it ends.
func (f *folded) end(of string, i int) int {
	at := int(f.at[i-1])
	_, n := utf8.DecodeRuneInString(of[at:])
	return at + n
}

func (f *folded) add(s string, at int) {
	f.text = append(f.text, s...)
	for range len(s) {
		f.at = append(f.at, int32(at))
	}
}

// lower is what an ASCII character folds to. A plus is a space in forms.
var lower = func() (t [utf8.RuneSelf]byte) {
	for i := range t {
		t[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	for _, c := range " +\t\n\v\f\r" {
		t[c] = ' '
	}
	return t
}()

// fold folds a text. f is empty but for room from another text.
func (f *folded) fold(text string) {
	space := false
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			c = lower[c]
			if c != ' ' || !space {
				f.text, f.at = append(f.text, c), append(f.at, int32(i))
			}
			space = c == ' '
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			r = rune(c) // old servers and scripts escape Latin-1
		}
		switch {
		case invisible(r):
		case unicode.IsSpace(r):
			if !space {
				f.add(" ", i)
			}
			space = true
		default:
			space = false
			var buf [8]byte
			f.add(string(foldRune(buf[:0], r)), i)
		}
		i += n
	}
}

// foldRune appends what a character beyond ASCII folds to.
func foldRune(b []byte, r rune) []byte {
	switch {
	case r == 'ß' || r == 'ẞ': // SS in capitals
		return append(b, "ss"...)
	case r >= '！' && r <= '～': // full width
		return append(b, lower[r-'！'+'!'])
	}
	r = unicode.ToLower(unicode.ToUpper(r)) // ſ is s, ς is σ
	if r < utf8.RuneSelf {
		return append(b, lower[r])
	}
	return utf8.AppendRune(b, r)
}

// invisible reports characters that take no room: soft hyphens, joiners, marks
// of direction, variations.
func invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0xfeff:
		return true
	case r >= 0x17b4 && r <= 0x17b5, r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// widestGap is how many characters may separate two digits, or groups of a code.
const widestGap = 3

// join leaves separators between digits out of a folded text.
func (f *folded) join(from *folded) {
	text := from.text
	for i := 0; i < len(text); {
		f.text, f.at = append(f.text, text[i]), append(f.at, from.at[i])
		i++
		if !isDigit(text[i-1]) {
			continue
		}
		next, gap := i, 0
		for next < len(text) && gap < widestGap {
			n := separator(text[next:])
			if n == 0 {
				break
			}
			next += n
			gap++
		}
		if next < len(text) && isDigit(text[next]) {
			i = next
		}
	}
}

// strip leaves the letters and digits of a folded text; a wider gap between
// them is one zero byte.
func (f *folded) strip(from *folded) {
	gap := 0
	for i := 0; i < len(from.text); {
		if c := from.text[i]; isAlphanumeric(c) {
			gap = 0
			f.text, f.at = append(f.text, c), append(f.at, from.at[i])
			i++
			continue
		}
		r, n := utf8.DecodeRune(from.text[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if gap++; gap == widestGap+1 {
				f.text, f.at = append(f.text, 0), append(f.at, from.at[i])
			}
		} else {
			gap = 0
			f.text, f.at = append(f.text, from.text[i:i+n]...), append(f.at, from.at[i:i+n]...)
		}
		i += n
	}
}

func (f *folded) reset() { f.text, f.at = f.text[:0], f.at[:0] }

// separator is the length of the character that text begins with if groups of
// digits are set apart by it, else 0.
func separator(text []byte) int {
	switch c := text[0]; {
	case c == ' ' || c >= '\'' && c <= '/' && c != '*' || c == ':' || c == '_':
		return 1
	case c < utf8.RuneSelf:
		return 0
	}
	r, n := utf8.DecodeRune(text)
	if unicode.Is(unicode.Pd, r) || r == '−' || r == '·' || r == '•' || r == '’' || r == '⁄' {
		return n
	}
	return 0
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func countDigits(text []byte) (n int) {
	for _, b := range text {
		if isDigit(b) {
			n++
		}
	}
	return n
}
