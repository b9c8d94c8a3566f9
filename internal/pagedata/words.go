package pagedata

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Empty words say nothing about which thing is meant.
var Empty = SetOfWords("the a an of in is as for and or on at it that this value text field der die das und with are be de la le per has its all col cell data info true false if whether string span div")

// Stem takes accents away, which names of members do without, and an ending that makes no
// difference.
func Stem(w string) string {
	if strings.ContainsFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) {
		w = norm.NFC.String(strings.Map(func(r rune) rune {
			if r >= 0x300 && r < 0x370 { // Unicode's Combining Diacritical Marks
				return -1
			}
			return r
		}, norm.NFD.String(w)))
	}
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes")):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:len(w)-1]
	}
	return w
}

// LabelWords are the words of a label, stems and concepts.
func LabelWords(s string) []string {
	s = Normalize(s)
	var out []string
	for _, t := range Tokenize(s, nil) {
		w := s[t.Start:t.End]
		if Empty[w] {
			continue
		}
		out = append(out, Stem(w))
	}
	return out
}

// HasWord reports whether a list has a word, or one of which either begins with the other.
func HasWord(list []string, w string) bool {
	return slices.ContainsFunc(list, func(x string) bool {
		return x == w || min(len(x), len(w)) >= 4 && (strings.HasPrefix(x, w) || strings.HasPrefix(w, x))
	})
}

// SetOfWords is the set of the words of a text.
func SetOfWords(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// Blank reports whether a text says that there is nothing: it is punctuation alone, a no,
// or a word for no value or no price.
func Blank(text string) bool {
	yes, answer := Answers[text]
	return answer && !yes || blanks[text] || strings.Trim(text, " ") != "" && !strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !unicode.IsPunct(r) })
}

// blanks are such words, by the languages that most pages are written in (W3Techs), as
// are the answers.
var blanks = SetOfWords("0 na nil unknown tba tbd k.a. keine aucun ninguno なし free gratis kostenlos gratuit frei 無料 免费 مجاني חינם complimentary included inklusive")

// Answers are words that stand for yes and no as a value: those of CLDR (yesstr, nostr),
// the values of HTML's and ARIA's attributes, and Unicode's checks and crosses.
var Answers = func() map[string]bool {
	out := SetOfWords("yes y true on ja oui sí si sì sim tak да نعم כן はい 是 有 예 ✓ ✔ ☑ ✅ ○ ◯ ●")
	for no := range SetOfWords("no n false off none n/a nein non não nie nee nej нет لا לא いいえ 否 无 아니요 - ✗ ✘ ✕ ✖ × ☐ ❌") {
		out[no] = false
	}
	return out
}()
