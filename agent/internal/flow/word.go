package flow

import (
	"iter"
	"strings"
	"unicode"
)

// parts are what a text consists of.
type parts struct {
	runs  []string // of letters and digits, in lower case
	words []string // those that carry a label, with numbers in other formats and letters that stand apart
	code  string   // the letters and digits alone
}

// grams are the stretches of a code that say which it is.
func (p *parts) grams() iter.Seq[[gram]byte] {
	return func(yield func([gram]byte) bool) {
		digits := 0
		for i := range len(p.code) {
			if isDigit(p.code[i]) {
				digits++
			}
			if i >= gram && isDigit(p.code[i-gram]) {
				digits--
			}
			if i >= gram-1 && 2*digits >= gram && !yield([gram]byte([]byte(p.code[i-gram+1:i+1]))) {
				return
			}
		}
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// fold is a text in lower case, with the digits of all scripts as ASCII has them, and
// without characters that take no room.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.Is(unicode.Nd, r): // in runs of ten, from zero on
			d := rune(0)
			for unicode.Is(unicode.Nd, r-d-1) {
				d++
			}
			return '0' + d%10
		}
		return unicode.ToLower(r)
	}, text)
}

func split(text string) parts {
	text = fold(text)
	var p parts
	p.runs = strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) })
	p.code = strings.Join(p.runs, "")
	alone := ""
	for _, w := range append(p.runs, "") {
		if w != "" && len(w) <= len(string([]rune(w)[0])) {
			alone += w
			continue
		}
		p.word(alone)
		alone = ""
		p.word(w)
	}
	numbers(text, p.word)
	return p
}

func (p *parts) word(w string) {
	if len(w) >= Shortest {
		p.words = append(p.words, w)
	}
}

// numbers calls yield for each number in a folded text whose digits are in groups or
// have a fraction: for all of its digits, for those of the whole number, and without
// zeros at the end of the fraction.
func numbers(text string, yield func(string)) {
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		var groups []string
		start := i
		for i < len(text) && isDigit(text[i]) {
			i++
			if i < len(text) && isDigit(text[i]) {
				continue
			}
			groups = append(groups, text[start:i])
			if gap := groupGap(text[i:]); gap > 0 {
				i += gap
				start = i
			}
		}
		all := strings.Join(groups, "")
		if len(groups) < 2 {
			continue
		}
		yield(all)
		if last := groups[len(groups)-1]; len(last) < 3 {
			whole := strings.Join(groups[:len(groups)-1], "")
			yield(whole)
			if cut := strings.TrimRight(all, "0"); cut != all && len(cut) > len(whole) {
				yield(cut)
			}
		}
	}
}

// groupGap is the length of what stands between two groups of digits, 0 if none follows.
func groupGap(text string) int {
	for _, gap := range []string{",", ".", "'", "’", " ", "\u00a0", "\u202f", "_"} {
		if rest, ok := strings.CutPrefix(text, gap); ok && rest != "" && isDigit(rest[0]) {
			return len(gap)
		}
	}
	return 0
}
