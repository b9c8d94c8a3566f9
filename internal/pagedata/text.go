package pagedata

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// raised stands before a digit that is set as an exponent or as small cents.
const raised = '\x01'

// Normalize returns s in one spelling: compatibility forms (NFKC), lower case,
// decimal digits of every script as 0 to 9, typographic quotes and dashes as
// typed ones, no characters that nobody sees.
func Normalize(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s)
	}
	if strings.ContainsAny(s, "⁰¹²³⁴⁵⁶⁷⁸⁹½¼¾⅓⅔") {
		s = raise.Replace(s)
	}
	s = norm.NFKC.String(s)
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
		case r == '‘' || r == '’' || r == '‚' || r == '‛' || r == '′':
			r = '\''
		case r == '“' || r == '”' || r == '„' || r == '«' || r == '»' || r == '″':
			r = '"'
		case r >= '‐' && r <= '―' || r == '−' || r == '﹣':
			r = '-'
		case r == '٫':
			r = '.'
		case r == '٬':
			r = '\''
		case unicode.Is(unicode.Cf, r):
			continue
		case unicode.Is(unicode.Nd, r):
			r = '0' + digitValue(r)
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

var raise = strings.NewReplacer("⁰", "\x010", "¹", "\x011", "²", "\x012", "³", "\x013", "⁴", "\x014", "⁵", "\x015",
	"⁶", "\x016", "⁷", "\x017", "⁸", "\x018", "⁹", "\x019", "½", ".5", "¼", ".25", "¾", ".75", "⅓", ".33", "⅔", ".67")

func digitValue(r rune) rune {
	for v := range rune(10) {
		if !unicode.Is(unicode.Nd, r-v-1) {
			return v
		}
	}
	return 0
}

// A token is a word, a run of digits, a sign that means something, or a single
// letter of a script without spaces.
type Token struct {
	Start, End int32
	Digits     bool
	Gap        rune // what stands before it: 0 nothing, ' ' white space, else the last punctuation mark
}

// Tokenize splits normalized text.
func Tokenize(s string, out []Token) []Token {
	gap := rune(0)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= '0' && r <= '9':
			j := i + 1
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				j++
			}
			out = append(out, Token{int32(i), int32(j), true, gap})
			i, gap = j, 0
		case Unspaced(r):
			out = append(out, Token{int32(i), int32(i + size), false, gap})
			i, gap = i+size, 0
		case Letter(r):
			j := i + size
			for j < len(s) {
				r, n := utf8.DecodeRuneInString(s[j:])
				if !Letter(r) && !(r == '\'' && j+n < len(s) && LetterAt(s[j+n:])) || Unspaced(r) {
					break
				}
				j += n
			}
			out = append(out, Token{int32(i), int32(j), false, gap})
			i, gap = j, 0
		case sign(r) || r == '-' && minus(s, i):
			out = append(out, Token{int32(i), int32(i + size), false, gap})
			i, gap = i+size, 0
		default:
			if !unicode.IsSpace(r) {
				gap = r
			} else if gap == 0 {
				gap = ' '
			}
			i += size
		}
	}
	return out
}

// tokens are those of a normalized line.
type tokens struct {
	line string
	toks []Token
}

// word is the text of a token; empty where there is none.
func (r *tokens) word(i int) string {
	if i < 0 || i >= len(r.toks) {
		return ""
	}
	return r.line[r.toks[i].Start:r.toks[i].End]
}

// number is the value of a run of digits, -1 if there is none of such a width.
func (r *tokens) number(i, least, most int) int {
	if n := len(r.word(i)); n < least || n > most || !r.toks[i].Digits {
		return -1
	}
	v, _ := strconv.Atoi(r.word(i)) // nine figures at most
	return v
}

// gap is the single mark right between two tokens; 0 if there is another thing.
func (r *tokens) gap(i int) rune {
	if i <= 0 || i >= len(r.toks) || r.toks[i].Start-r.toks[i-1].End != 1 {
		return 0
	}
	return r.toks[i].Gap
}

// LetterAt reports whether a text begins with a letter.
func LetterAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return Letter(r)
}

// Letter reports whether a character is a letter, a mark on one, or a figure such
// as ½ or ①.
func Letter(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.No, r)
}

// sign reports whether a mark is as good as a word.
func sign(r rune) bool {
	switch r {
	case '+', '#', '%', '@', '&', '$', '<', '>', '=', '~', '^':
		return true
	}
	return r >= utf8.RuneSelf && unicode.IsSymbol(r)
}

// minus reports whether the dash at i is a number's sign.
func minus(s string, i int) bool {
	j := i + 1
	for j < len(s) && (s[j] == '$' || s[j] == '.') {
		j++
	}
	if i == 0 && j < len(s) && s[j] == ' ' { // "- $ 2,500"
		j++
	}
	if r, n := utf8.DecodeRuneInString(s[j:]); unicode.Is(unicode.Sc, r) {
		j += n
		if i == 0 && j < len(s) && s[j] == ' ' {
			j++
		}
	} else if j > i+1 && s[j-1] == ' ' {
		return false // a dash before a number
	}
	if j >= len(s) || s[j] < '0' || s[j] > '9' {
		return false
	}
	if i == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return r == ' ' || r == '(' || r == '\n' || unicode.Is(unicode.Sc, r)
}

// Unspaced reports whether a letter's script writes words without spaces, or
// joins particles to them.
func Unspaced(r rune) bool {
	return r >= 0x0e00 && (r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7af ||
		r >= 0x0e00 && r <= 0x0eff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff || r >= 0x20000 && r <= 0x3ffff)
}

// Collapse returns s with single spaces and none at the ends.
func Collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// SplitName returns the words of a member's name: "oldPrice" is old and price.
func SplitName(name string) []string {
	var out []string
	start := -1
	var before rune
	flush := func(to int) {
		if start >= 0 && to > start {
			out = append(out, Normalize(name[start:to]))
		}
		start = -1
	}
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			flush(i)
		case start >= 0 && (unicode.IsUpper(r) && !unicode.IsUpper(before) || unicode.IsDigit(r) != unicode.IsDigit(before)):
			flush(i)
			start = i
		case start < 0:
			start = i
		}
		before = r
	}
	flush(len(name))
	return out
}
