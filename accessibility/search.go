package accessibility

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordScore rates how a word occurs in a text: 3 as a word, 2 as the beginning
// of one, 1 as a part of one.
func wordScore(text, word string) int {
	best := 0
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return best
		}
		from, to := at+i, at+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		after, _ := utf8.DecodeRuneInString(text[to:])
		starts, ends := from == 0 || !wordRune(before), to == len(text) || !wordRune(after)
		switch {
		case starts && ends:
			return 3
		case starts:
			best = max(best, 2)
		default:
			best = max(best, 1)
		}
		at = to
	}
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func splitWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !wordRune(r) })
}

// fold returns s in a form in which upper and lower case are the same.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] >= 'A' && s[i] <= 'Z' {
			return strings.Map(foldRune, s)
		}
	}
	return s
}

// foldRune returns the same rune for all forms of a letter that differ in case.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least)
}
