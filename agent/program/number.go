package program

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

var digitsOf = regexp.MustCompile(`[-−]?[0-9](?:[0-9'’.,\x{00a0}\x{202f}]*[0-9])?`)

// readNumber reads the one number of a text, as pages write it: 1,234.50 and
// 1.234,50 and 1'234.50. A comma before three digits groups thousands; a point
// there could be either, and is refused as two numbers in a text are: a wrong sum
// is worse than none.
func readNumber(text string) (starlark.Value, error) {
	refuse := func(why string) (starlark.Value, error) { return nil, fmt.Errorf("number(%q): %s", cut(text, 80), why) }
	found := digitsOf.FindAllStringIndex(text, 2)
	if len(found) != 1 {
		return refuse("there is not exactly one number in it")
	}
	digits := strings.Map(func(r rune) rune {
		switch r {
		case '\'', '’', '\u00a0', '\u202f':
			return -1
		case '−':
			return '-'
		}
		return r
	}, text[found[0][0]:found[0][1]])
	if before, _ := utf8.DecodeLastRuneInString(text[:found[0][0]]); unicode.IsLetter(before) {
		digits = strings.TrimPrefix(digits, "-") // as in A-12
	}
	whole, part := digits, ""
	comma, dot := strings.LastIndexByte(digits, ','), strings.LastIndexByte(digits, '.')
	if at := max(comma, dot); at >= 0 && (comma >= 0 && dot >= 0 || strings.Count(digits, digits[at:at+1]) == 1) {
		three := len(digits)-at == 4 && strings.Trim(digits[:at], "-0") != "" && len(strings.Trim(digits[:at], "-")) <= 3
		switch {
		case min(comma, dot) < 0 && three && at == dot:
			return refuse("it can be read in two ways; take it apart with split or replace")
		case min(comma, dot) < 0 && three: // thousands
		default:
			whole, part = digits[:at], digits[at+1:]
		}
	}
	whole = strings.NewReplacer(",", "", ".", "").Replace(whole)
	if part == "" {
		i, err := strconv.ParseInt(whole, 10, 64)
		if err != nil {
			return refuse("it is too large")
		}
		return starlark.MakeInt64(i), nil
	}
	f, err := strconv.ParseFloat(whole+"."+part, 64)
	if err != nil {
		return refuse("it is no number")
	}
	return starlark.Float(f), nil
}
